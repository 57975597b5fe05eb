"""Targets of references: the places that may be read, and their stores.

The document with the addresses may come from someone else. So a local document may refer to files in its
own directory and below, and to anything on the web; a document on the web never refers to a file of this
machine or an address of its network. The caller has to allow all other places.
"""

from __future__ import annotations

import ipaddress
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from zom.errors import StoreError
from zom.file_url import path_of
from zom.stores.credentials import shown_url
from zom.stores.local import LocalStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.stores.interface import Store

__all__ = ["Targets", "is_far"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_WEB = {"http", "https"}
_BUCKETS = {"s3": "s3", "gs": "gs", "gcs": "gs", "az": "az"}
"""The schemes of obstore's stores, by the schemes in use."""

_KEPT = 1 << 16
"""Number of cached addresses with their stores: documents name a few files many times."""


def is_far(url: str) -> bool:
    """Whether an address is on the web or in a bucket.

    >>> is_far("s3://bucket/a.nc"), is_far("/data/a.nc"), is_far("file:///data/a.nc")
    (True, False, False)
    """
    found = _SCHEME.match(url)
    return found is not None and found[1].lower() != "file"


class Targets:
    """The stores that references point into, opened when they are first read.

    `home` is the document's directory, a path or URL, or "" for a dict of this process. Places in it or in
    `allow` may be read. `allow=None` allows remote addresses, and everything to a dict of this process.

    >>> Targets("https://example.org/a/").find("b.nc")
    (<HTTPStore https://example.org>, 'a/b.nc')
    >>> Targets("https://example.org/a/").find("file:///etc/passwd")
    Traceback (most recent call last):
    zom.errors.StoreError: https://example.org/a: cannot read: a reference points to '/etc/passwd', which its document may not read; if you trust it, open it with zom.store(..., allow=['/etc/'])
    """

    def __init__(
        self, home: str, *, allow: Iterable[str] | None = None, options: dict[str, Any] | None = None
    ) -> None:
        self._home = home
        self._allow = None if allow is None else tuple(_whole(os.fspath(each)) for each in allow)
        self._options = dict(options or {})
        self._stores: dict[str, Store] = {}
        self._found: dict[str, tuple[Store, str]] = {}

    def find(self, url: str) -> tuple[Store, str]:
        """Return the store and the key of an address; StoreError if it may not be read."""
        found = self._found.get(url)
        if found is None:
            found = self._find(url)
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[url] = found
        return found

    def _find(self, url: str) -> tuple[Store, str]:
        if is_far(url):
            return self._far(url)
        if is_far(self._home) and not url.startswith("/") and not url.lower().startswith("file:"):
            return self._far(f"{self._home}{url}")
        return self._near(_path(url, self._home))

    def close(self) -> None:
        """Close all stores that were opened."""
        self._found.clear()
        while self._stores:
            self._stores.popitem()[1].close()

    def _near(self, path: str) -> tuple[Store, str]:
        if not self._may_read_file(path):
            raise self._refusal(path, f"{os.path.dirname(path)}{os.sep}")  # noqa: PTH120 - text
        folder, name = os.path.split(path)
        return self._opened(folder), name

    def _may_read_file(self, path: str) -> bool:
        if self._allow is None and not self._home:
            return True
        real = os.path.realpath(path)
        places = [each for each in self._allow or () if not is_far(each)]
        if self._home and not is_far(self._home):
            places.append(f"{self._home}/")
        return any(_as_compared(real).startswith(_as_compared(os.path.realpath(each))) for each in places)

    def _far(self, url: str) -> tuple[Store, str]:
        parts = _checked(url, self._shown)
        scheme = _BUCKETS.get(parts.scheme.lower(), parts.scheme.lower())
        address = f"{scheme}://{parts.netloc}{parts.path}"
        if scheme not in {*_WEB, *_BUCKETS.values()}:
            reason = (
                f"a reference points to {shown_url(url)!r}; known are files, http, https, s3, gs and az; for others, pass "
                "fsspec.filesystem('reference', fo=...)"
            )
            raise StoreError(self._shown, "", "read", reason)
        if not self._may_read_far(address):
            raise self._refusal(shown_url(url), f"{scheme}://{parts.netloc}/")
        # Paths in web URLs are escaped; names in a bucket are not.
        key = unquote(parts.path) if scheme in _WEB else parts.path
        return self._opened(f"{scheme}://{parts.netloc}/"), key.lstrip("/")

    def _may_read_far(self, address: str) -> bool:
        places = [each for each in self._allow or () if is_far(each)]
        if is_far(self._home):
            places.append(_with_slash(self._home))
        if any(f"{address}/".startswith(each) for each in places):
            return True
        if self._allow is not None:
            return False
        is_own_host = urlsplit(address).netloc == urlsplit(self._home).netloc
        return is_own_host or not (is_far(self._home) and _is_inner(address))

    def _refusal(self, place: str, allowed: str) -> StoreError:
        reason = (
            f"a reference points to {place!r}, which its document may not read; if you trust it, open it with "
            f"zom.store(..., allow=[{allowed!r}])"
        )
        return StoreError(self._shown, "", "read", reason)

    @property
    def _shown(self) -> str:
        return (shown_url(self._home) if is_far(self._home) else self._home).rstrip("/") or "references"

    def _opened(self, root: str) -> Store:
        found = self._stores.get(root)
        if found is None:
            # If two threads open it, the first store is kept.
            found = self._stores.setdefault(root, self._open(root))
        return found

    def _open(self, root: str) -> Store:
        if not is_far(root):
            return LocalStore(root, create="later", read_only=True)
        if urlsplit(root).scheme in _WEB:
            from zom.stores.http import HTTPStore  # noqa: PLC0415 - http.client is loaded only if needed

            return HTTPStore(root, **self._options)
        from zom.stores.object import ObjectStore  # noqa: PLC0415 - asyncio is loaded only if needed

        return ObjectStore.from_url(root, read_only=True, **self._options)


def _path(url: str, home: str) -> str:
    """Return the absolute path of a file that a reference names."""
    if url.lower().startswith("file:"):
        parts = urlsplit(url)
        path = path_of(parts)
        if path is None:
            raise StoreError(home, "", "read", f"a reference points to a file of another host: {url!r}")
        url = path
    if "\0" in url:
        raise StoreError(home, "", "read", f"expected a path without NUL in a reference, found {url!r}")
    below = "" if is_far(home) else home
    return os.path.abspath(os.path.join(below, url))  # noqa: PTH100, PTH118 - links stay as they are


def _checked(url: str, shown: str) -> Any:
    """Split the URL; StoreError if it has parts that would be dropped."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if not parts.netloc or "@" in parts.netloc or parts.query or parts.fragment:
        reason = f"expected a URL without user, query and fragment in a reference, found {shown_url(url)!r}"
        raise StoreError(shown, "", "read", reason)
    return parts


def _whole(place: str) -> str:
    """Return an allowed place as a URL or absolute path, for comparison."""
    if is_far(place):
        scheme, _, rest = place.partition("://")
        return _with_slash(f"{_BUCKETS.get(scheme.lower(), scheme.lower())}://{rest}")
    return _path(place, "")


def _as_compared(path: str) -> str:
    """Return a path in the form for prefix comparison."""
    return _with_slash(os.path.normcase(path).replace(os.sep, "/"))


def _with_slash(place: str) -> str:
    return place if place.endswith("/") else f"{place}/"


def _is_inner(address: str) -> bool:
    """Whether an address is, judging by its name, on this machine or its network."""
    host = urlsplit(address).hostname or ""
    if urlsplit(address).scheme not in _WEB:
        return False
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal")) or "." not in host
