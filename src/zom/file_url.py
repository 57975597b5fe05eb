"""URLs of files, RFC 8089: on Windows, a path has a drive after its first slash, or the name of a host before it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from urllib.parse import SplitResult

__all__ = ["bytes_of", "path_of", "url_of"]

_DRIVE = re.compile(r"/?([A-Za-z]:(?:/|\Z))")


def path_of(parts: SplitResult, *, windows: bool = os.sep == "\\") -> str | None:
    r"""The path that a URL of a file means; None where it is of another host, which Windows names in paths.

    >>> from urllib.parse import urlsplit
    >>> path_of(urlsplit("file:///data/a%20b"), windows=False)
    '/data/a b'
    >>> [path_of(urlsplit(f"file://{each}"), windows=True) for each in ("/C:/a%20b", r"C:\x", "server/share/x", "/x")]
    ['C:\\a b', 'C:\\x', '\\\\server\\share\\x', '\\x']
    """
    host = "" if parts.netloc == "localhost" else parts.netloc
    path = unquote(parts.path, errors="surrogateescape")
    if not windows:
        return None if host else path
    whole = f"{host}{path}".replace("\\", "/")  # as people write them
    if drive := _DRIVE.match(whole):
        whole = whole[drive.start(1) :]
    elif host:
        whole = f"//{whole}"
    return whole.replace("/", "\\")


def url_of(path: str, *, windows: bool = os.sep == "\\") -> str:
    r"""A path as a reference in a URL: whole where it is absolute, else relative.

    >>> url_of("/data/a b", windows=False), url_of("a b", windows=False)
    ('file:///data/a%20b', 'a%20b')
    >>> [url_of(each, windows=True) for each in (r"C:\a b", r"\\server\share\x", r"d\x")]
    ['file:///C:/a%20b', 'file://server/share/x', 'd/x']
    """
    text = path.replace("\\", "/") if windows else path
    quoted = quote(bytes_of(text), safe="/~")
    if windows and _DRIVE.match(text):
        return f"file:///{text[:2]}{quoted[len(quote(text[:2])) :]}"
    if windows and text.startswith("//"):
        return f"file:{quoted}"
    return f"file://{quoted}" if text.startswith("/") else quoted


def bytes_of(text: str) -> bytes:
    """The text in UTF-8; a file's name has the bytes that it has, whatever they are."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
