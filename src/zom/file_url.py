"""File URLs, RFC 8089. On Windows the path starts with a drive, or follows the name of a host."""

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
    r"""The path of a file URL; None if it names another host, which only Windows paths can do.

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
    whole = f"{host}{path}".replace("\\", "/")  # also accept file://C:\\path
    if drive := _DRIVE.match(whole):
        whole = whole[drive.start(1) :]
    elif host:
        whole = f"//{whole}"
    return whole.replace("/", "\\")


def url_of(path: str, *, windows: bool = os.sep == "\\") -> str:
    r"""The path as a URL if it is absolute, or else as a relative reference.

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
    """The text in UTF-8; undecodable bytes of a file name are kept."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
