"""A web server's files as a store, read-only, with nothing but the standard library.

RFC 9110: a value is what GET answers with 200, or with 206 for a byte range; 404 and 410 are a missing
key, and every other answer is an error. Many values are asked for at once, each thread over a
connection of its own that stays open.
"""

from __future__ import annotations

import base64
import http.client
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, Listing, Range, Store, Suffix, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["HTTPStore"]

_MISSING = {404, 410}
_TRANSIENT = {429, 500, 502, 503, 504}
_REDIRECTS = {301, 302, 303, 307, 308}
_MAX_LISTING = 1 << 26


class HTTPStore(Store):
    """Values below a URL.

    Directories are listed where the server shows an index of them as a page of links, as nginx and
    Python's own server do; elsewhere consolidated metadata, or knowing the paths, must do.

    >>> HTTPStore("https://me:secret@example.org/data.zarr").url
    'https://example.org/data.zarr'
    """

    capabilities = Capabilities(writable=False, listable=False)

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60,
        retries: int = 3,
        concurrency: int = 64,
        max_value_bytes: int = 1 << 31,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise StoreError(_shown(url), "", "open", "expected an http or https URL with a host")
        self._base = _shown(url).rstrip("/")
        self._query = parts.query
        self._headers = {"Accept-Encoding": "identity", **(headers or {})}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        self._options: dict[str, Any] = {
            "timeout": timeout,
            "retries": retries,
            "concurrency": concurrency,
            "max_value_bytes": max_value_bytes,
        }
        self._local = threading.local()
        self._pool: tuple[int, ThreadPoolExecutor] | None = None
        self._guard = threading.Lock()

    @property
    @override
    def url(self) -> str:
        return self._base

    def __reduce__(self) -> tuple[Any, ...]:
        # Headers and credentials stay: a pickle travels further than anybody thinks.
        return (_reopen, (self._base, self._options))

    # --- requests ----------------------------------------------------------------------------------

    def _connection(self, scheme: str, netloc: str) -> http.client.HTTPConnection:
        """This thread's open connection to a server."""
        known: dict[Any, http.client.HTTPConnection] = self._local.__dict__.setdefault("known", {})
        key = (os.getpid(), scheme, netloc)
        if key not in known:
            kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
            known[key] = kind(netloc, timeout=self._options["timeout"])
        return known[key]

    def _ask(self, url: str, headers: Mapping[str, str], key: str) -> tuple[int, Mapping[str, str], bytes]:
        """The answer of the server, after redirects and, where it is only busy, some patience."""
        retries: int = self._options["retries"]
        for attempt in range(retries + 1):
            try:
                status, found, body = self._ask_once(url, headers, key)
            except (ConnectionError, http.client.BadStatusLine, http.client.CannotSendRequest) as cause:
                self._local.__dict__.pop("known", None)
                if attempt == retries:
                    raise StoreError(self.url, key, "read", _reason(cause)) from cause
                continue
            except (http.client.HTTPException, TimeoutError) as cause:
                self._local.__dict__.pop("known", None)
                raise StoreError(self.url, key, "read", _reason(cause)) from cause
            if status not in _TRANSIENT or attempt == retries:
                return status, found, body
            time.sleep(0.1 * 2**attempt)
        raise AssertionError  # pragma: no cover - the loop returns or raises

    def _ask_once(
        self, url: str, headers: Mapping[str, str], key: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        first = urlsplit(url)
        for _ in range(6):
            parts = urlsplit(url)
            # Credentials are for the server that was named, and for no other.
            sent = {**self._headers, **headers}
            if (parts.scheme, parts.netloc) != (first.scheme, first.netloc):
                sent = {"Accept-Encoding": "identity", **headers}
            connection = self._connection(parts.scheme, parts.netloc)
            connection.request("GET", urlunsplit(("", "", parts.path or "/", parts.query, "")), headers=sent)
            answer = connection.getresponse()
            location = answer.getheader("Location")
            if answer.status in _REDIRECTS and location:
                answer.read()
                url = urljoin(url, location)
                if urlsplit(url).scheme not in {"http", "https"} or (
                    parts.scheme == "https" and urlsplit(url).scheme == "http"
                ):
                    raise StoreError(self.url, key, "read", "the server redirects to an unsafe address")
                continue
            return answer.status, dict(answer.getheaders()), self._body(answer, key)
        raise StoreError(self.url, key, "read", "the server redirects without end")

    def _body(self, answer: http.client.HTTPResponse, key: str) -> bytes:
        limit: int = self._options["max_value_bytes"]
        body = answer.read(limit + 1) if answer.length is None or answer.length > limit else answer.read()
        if len(body) > limit:
            answer.close()
            self._local.__dict__.pop("known", None)
            raise StoreError(self.url, key, "read", f"the value is longer than the limit of {limit} bytes")
        return body

    # --- reading -----------------------------------------------------------------------------------

    def _address(self, key: str) -> str:
        query = f"?{self._query}" if self._query else ""
        return f"{self._base}/{quote(key)}{query}"

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        if byte_range is not None and _is_empty(byte_range):
            byte_range = Range(0, 1)
            found = self._read(key, byte_range)
            return None if found is None else b""
        headers = {} if byte_range is None else {"Range": _range_header(byte_range)}
        status, found_headers, body = self._ask(self._address(key), headers, key)
        if status in _MISSING:
            return None
        if status == 200:
            return cut(body, byte_range)
        if status == 206 and byte_range is not None:
            self._check_range(key, byte_range, found_headers, body)
            return body
        if status == 416 and byte_range is not None:
            return b""  # the value is there, and ends before the range begins
        reason = http.client.responses.get(status, "unknown status").lower()
        raise StoreError(self.url, key, "read", f"the server answered {status}, {reason}")

    def _check_range(self, key: str, asked: ByteRange, headers: Mapping[str, str], body: bytes) -> None:
        """Refuse an answer with other bytes than those that were asked for."""
        stated = {name.lower(): value for name, value in headers.items()}.get("content-range", "")
        unit, _, rest = stated.partition(" ")
        span, _, total = rest.partition("/")
        first, _, last = span.partition("-")
        if unit != "bytes" or not (first.isdigit() and last.isdigit()):
            raise StoreError(self.url, key, "read", f"expected a Content-Range of bytes, found {stated!r}")
        start, end = int(first), int(last)
        size = int(total) if total.isdigit() else None
        if isinstance(asked, Suffix):
            good = size is None or (start == max(0, size - asked.length) and end == size - 1)
        else:
            good = start == asked.start and (asked.length is None or end < asked.start + asked.length)
        if not good or len(body) != end - start + 1:
            raise StoreError(self.url, key, "read", f"the server answered with other bytes: {stated!r}")

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        if len(requests) < 2:
            return [self._read(key, byte_range) for key, byte_range in requests]
        return list(self._threads().map(lambda request: self.get(*request), requests))

    def _threads(self) -> ThreadPoolExecutor:
        """The threads that ask, made when first needed and made anew in a forked process."""
        with self._guard:
            if self._pool is None or self._pool[0] != os.getpid():
                made = ThreadPoolExecutor(self._options["concurrency"], thread_name_prefix="zom-http")
                self._pool = (os.getpid(), made)
            return self._pool[1]

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _list_dir(self, prefix: str) -> Listing:
        address = self._address(prefix)
        status, headers, body = self._ask(address, {}, prefix)
        if status in _MISSING:
            return Listing([], [])
        kind = {name.lower(): value for name, value in headers.items()}.get("content-type", "")
        if status != 200 or "html" not in kind or len(body) > _MAX_LISTING:
            raise StoreError(self.url, prefix, "list", "the server shows no index of this directory")
        names = _linked_names(body.decode("utf-8", "replace"), urlsplit(address).path)
        keys = sorted(prefix + name for name in names if not name.endswith("/"))
        return Listing(keys, sorted(prefix + name for name in names if name.endswith("/")))

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        waiting = [prefix]
        while waiting:
            found = self._list_dir(waiting.pop())
            yield from found.keys
            waiting.extend(found.prefixes)

    @override
    def close(self) -> None:
        with self._guard:
            if self._pool is not None and self._pool[0] == os.getpid():
                self._pool[1].shutdown()
            self._pool = None
        self._local = threading.local()


def _reopen(url: str, options: dict[str, Any]) -> HTTPStore:
    return HTTPStore(url, **options)


def _shown(url: str) -> str:
    """The URL without credentials and query: either may be secret."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _reason(cause: Exception) -> str:
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__


def _is_empty(byte_range: ByteRange) -> bool:
    return byte_range.length == 0


def _range_header(byte_range: ByteRange) -> str:
    if isinstance(byte_range, Suffix):
        return f"bytes=-{byte_range.length}"
    end = "" if byte_range.length is None else byte_range.start + byte_range.length - 1
    return f"bytes={byte_range.start}-{end}"


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found.extend(value for name, value in attrs if name == "href" and value)


def _linked_names(page: str, path: str) -> set[str]:
    """The names directly below `path` that a page links to; a link elsewhere is no entry."""
    links = _Links()
    links.feed(page)
    names: set[str] = set()
    for link in links.found:
        target = urlsplit(urljoin(path, link))
        if target.query or target.netloc or not target.path.startswith(path):
            continue
        name = unquote(target.path[len(path) :])
        if name and name.strip("/") not in {"", ".", ".."} and "/" not in name.rstrip("/"):
            names.add(name)
    return names
