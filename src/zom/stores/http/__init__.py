"""A web server's files as a read-only store, using only the standard library.

RFC 9110: a value is the body of a GET answer with status 200, or 206 for a byte range; 404 and 410 mean a
missing key, and every other answer is an error. Many values are requested at once, over connections that
stay open for later requests.
"""

from __future__ import annotations

import base64
import os
import re
import sys
import threading
from html.parser import HTMLParser
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from typing_extensions import override

from zom.errors import StoreError
from zom.paths import is_stored_key
from zom.stores.credentials import shown_url
from zom.stores.http.client import MISSING, Answer, Client, HTTPFailure, Limits, escaped
from zom.stores.interface import (
    ByteRange,
    Capabilities,
    Listing,
    Part,
    Range,
    Store,
    Suffix,
    Versioned,
    cut,
)
from zom.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["HTTPStore"]

_MAX_LISTING = 1 << 26

_SOME = 1000
"""Keys per size request."""

_TRIES = 4
"""Attempts to read the end of a value that changes meanwhile."""

_ANY_RANGE = {401, 403, 407, 408, 429, 502, 503, 504}
"""Statuses that don't depend on the range: after any other one, the range may be unsupported."""

_SLASHES = re.compile("/+")


class HTTPStore(Store):
    """Values below a URL.

    A query in the URL is sent with every request, as signed URLs need. Pass `listable=True` if the server
    shows directories as index pages with links, as nginx and Python's own server do. An index may omit names
    that begin with a dot, as nginx does, and so all documents of Zarr v2. Without listing, use consolidated
    metadata or known paths. In WebAssembly the browser sends the requests, and only shows what another site
    allows (CORS).

    >>> HTTPStore("https://me:secret@example.org/data.zarr").url
    'https://example.org/data.zarr'
    """

    def __init__(  # noqa: PLR0913 - options of the caller
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        listable: bool = False,
        timeout: float = 60,
        retries: int = 3,
        concurrency: int = 64,
        max_value_bytes: int = 1 << 31,
        pickle_credentials: bool = False,
    ) -> None:
        self._url = shown_url(url)
        parts = _checked(url, self._url)
        self._base = urlunsplit(
            (parts.scheme, parts.netloc.rpartition("@")[2], escaped(parts.path).rstrip("/"), "", "")
        )
        self._query = escaped(parts.query)
        self._sent = _checked_headers(headers or {}, self._url)
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._sent["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        self.capabilities = Capabilities(writable=False, listable=listable, parallel=max(1, concurrency))
        self._options: dict[str, Any] = {
            "listable": listable,
            "timeout": timeout,
            "retries": retries,
            "concurrency": concurrency,
            "max_value_bytes": max_value_bytes,
            "pickle_credentials": pickle_credentials,
        }
        self._client = _client_type()(self._sent, Limits(timeout, retries, max_value_bytes))
        self._pool: tuple[int, Threads] | None = None
        self._is_closed = False
        self._has_index = False
        self._by_size = not self._client.may_ask_for_ends(self._base)
        """Whether suffixes are read by the size of the value, because the server has no suffix ranges."""

    @property
    @override
    def url(self) -> str:
        return self._url.rstrip("/")

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles hold headers, password and query only on request: others may read a pickle.
        if not self._options["pickle_credentials"]:
            return (_reopen, (self._base, {}, self._options))
        return (_reopen, (f"{self._base}?{self._query}".rstrip("?"), self._sent, self._options))

    # --- reading -----------------------------------------------------------------------------------

    def _ask(self, key: str, headers: Mapping[str, str], verb: str, limit: int | None = None) -> Answer:
        return self._answered(key, verb, lambda url: self._client.get(url, headers, limit))

    def _ask_size(self, key: str) -> Answer:
        return self._answered(key, "read", self._client.ask_size)

    def _answered(self, key: str, verb: str, ask: Callable[[str], Answer]) -> Answer:
        if self._is_closed:
            raise StoreError(self.url, key, verb, "the store is closed")
        query = f"?{self._query}" if self._query else ""
        try:
            return ask(f"{self._base}/{quote(key, errors='surrogateescape')}{query}")
        except HTTPFailure as cause:
            reason = str(cause)
        # Raised here without the cause, which may hold a signed URL.
        raise StoreError(self.url, key, verb, reason)

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        found = self._read_part(Part(key, byte_range))
        return None if found is None else found.value

    def _read_part(self, part: Part) -> Versioned | None:
        key, byte_range, version = part
        if byte_range is not None and byte_range.length == 0:
            found = self._read_part(Part(key, Range(0, 1), version))
            return None if found is None else found._replace(value=b"")
        if isinstance(byte_range, Suffix) and self._by_size:
            found = self._read_end(key, byte_range)
        else:
            headers = {} if byte_range is None else {"Range": _range_header(byte_range)}
            answer = self._ask(key, headers if version is None else {**headers, "If-Match": version}, "read")
            if answer.status in MISSING or answer.is_directory or (version and answer.status == 412):
                return None
            found = self._found(key, byte_range, answer)
        if found is None or version is None:
            return found
        # A server may ignore conditions, or omit the tag, as nginx does beyond the end.
        return found._replace(version=version) if found.version in {None, version} else None

    def _found(self, key: str, byte_range: ByteRange | None, answer: Answer) -> Versioned | None:
        """Return the value or byte range in an answer other than "missing"."""
        if answer.status == 200:
            return Versioned(cut(answer.body, byte_range), _tag_of(answer))
        if byte_range is None:
            raise StoreError(self.url, key, "read", answer.refusal)
        if answer.status == 206:
            self._check_range(key, byte_range, answer)
            return Versioned(answer.body, _tag_of(answer))
        if answer.status == 416 and _lies_beyond(byte_range, answer.header("content-range")):
            return Versioned(b"", _tag_of(answer))
        if isinstance(byte_range, Suffix) and answer.status not in _ANY_RANGE:
            # Azure supports no suffix ranges: from now on, request sizes first.
            found = self._read_end(key, byte_range)
            self._by_size = True
            return found
        raise StoreError(self.url, key, "read", answer.refusal)

    def _read_end(self, key: str, byte_range: Suffix) -> Versioned | None:
        """Read the end of a value by its size, which is requested first."""
        refusal = ""
        for _ in range(_TRIES):
            first = self._ask_size(key)
            refusal, size = first.refusal, _total_of(first)
            if first.status in MISSING or first.is_directory:
                return None
            if first.status == 200 and len(first.body) >= (size or 0):
                return Versioned(cut(first.body, byte_range), _tag_of(first))
            if size == 0 or (size is None and first.status == 416):
                return Versioned(b"", _tag_of(first))
            if size is None:
                break
            length = min(byte_range.length, size)
            asked, tag = Range(size - length, length), _tag_of(first)
            # In another version, these bytes would not be the end.
            same = {} if tag is None else {"If-Match": tag}
            answer = self._ask(key, {"Range": _range_header(asked), **same}, "read")
            if answer.status == 206:
                self._check_range(key, asked, answer)
                return Versioned(answer.body, _tag_of(answer))
            refusal = answer.refusal
            if answer.status not in {404, 412, 416}:
                break
        raise StoreError(self.url, key, "read", refusal)

    def _check_range(self, key: str, asked: ByteRange, answer: Answer) -> None:
        """Raise StoreError if the answer has other or fewer bytes than the requested range."""
        stated = answer.header("content-range")
        if not stated and not answer.shows_all and (asked.length is None or len(answer.body) <= asked.length):
            return
        unit, _, rest = stated.partition(" ")
        span, _, total = rest.partition("/")
        first, _, last = span.partition("-")
        if unit.lower() != "bytes" or not (first.isdecimal() and last.isdecimal()):
            raise StoreError(self.url, key, "read", f"expected a Content-Range of bytes, found {stated!r}")
        start, end = int(first), int(last) + 1
        size = int(total) if total.isdecimal() else None
        if isinstance(asked, Suffix):
            good = end - start == asked.length if size is None else start == max(0, size - asked.length)
            good = good and end == (end if size is None else size)
        else:
            wanted = [] if asked.length is None else [asked.start + asked.length]
            good = start == asked.start and end == min(
                [*wanted, *([] if size is None else [size])], default=-1
            )
        if not good or len(answer.body) != end - start:
            raise StoreError(
                self.url,
                key,
                "read",
                f"expected the requested range, found {len(answer.body)} bytes with Content-Range {stated!r}",
            )

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        found = self._read_parts([Part(*each) for each in requests])
        return [None if each is None else each.value for each in found]

    @override
    def _read_parts(self, parts: Sequence[Part]) -> list[Versioned | None]:
        if len(parts) < 2 or self._options["concurrency"] < 2:
            return [self._read_told(part) for part in parts]
        return list(self._threads().map(self._read_told, parts))

    def _read_told(self, part: Part) -> Versioned | None:
        with self._told(part.key, "read"):
            return self._read_part(part)

    def _threads(self) -> Threads:
        """Return the request threads, created on first use and again in a forked process."""
        with _Making.guard:
            if self._is_closed:
                raise StoreError(self.url, "", "read", "the store is closed")
            if self._pool is None or self._pool[0] != os.getpid():
                made = Threads(self._options["concurrency"], thread_name_prefix="zom-http")
                self._pool = (os.getpid(), made)
            return self._pool[1]

    # --- listing -----------------------------------------------------------------------------------

    @override
    def _list_dir(self, prefix: str) -> Listing:
        answer = self._ask(prefix, {}, "list", _MAX_LISTING)
        if answer.status in MISSING and prefix:
            # A server without indexes answers the same, so first check that this one has them.
            if not self._has_index:
                self._list_dir("")
            return Listing([], [])
        if answer.status != 200 or "html" not in answer.header("content-type"):
            found = "a file" if answer.status == 200 else answer.refusal
            reason = f"expected an index of this directory, found {found}"
            raise StoreError(self.url, prefix, "list", reason)
        self._has_index = True
        names = _linked_names(answer.body.decode("utf-8", "replace"), answer.url)
        keys = [prefix + name for name in names if not name.endswith("/")]
        return Listing(sorted(keys), sorted(prefix + name for name in names if name.endswith("/")))

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        waiting = [prefix]
        while waiting:
            found = self._list_dir(waiting.pop())
            yield from found.keys
            waiting.extend(found.prefixes)

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        keys = iter(self._keys(prefix))
        while some := list(islice(keys, _SOME)):
            sizes = self._threads().map(self._size_of, some)
            yield from ((key, size) for key, size in zip(some, sizes, strict=True) if size is not None)

    @override
    def _size_of(self, key: str) -> int | None:
        """Return the size from an answer without the value, if the server supports ranges."""
        with self._told(key, "read"):
            answer = self._ask_size(key)
            if answer.status in MISSING or answer.is_directory:
                return None
            total = _total_of(answer)
            if total is not None:
                return total
            value = self._read(key, None)
            return None if value is None else len(value)

    @override
    def close(self) -> None:
        with _Making.guard:
            self._is_closed = True
            pool, self._pool = self._pool, None
        if pool is not None and pool[0] == os.getpid():
            pool[1].shutdown()
        self._client.close()


class _Making:
    """The lock for creating threads, which is always free in a forked process."""

    guard = threading.Lock()

    @classmethod
    def renew(cls) -> None:
        cls.guard = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Making.renew)


def _reopen(url: str, headers: dict[str, str], options: dict[str, Any]) -> HTTPStore:
    return HTTPStore(url, headers=headers, **options)


def _checked(url: str, shown: str) -> Any:
    """Split the URL; StoreError if it can't be requested."""
    if shown.endswith("://..."):
        reason = (
            "expected a URL with '#', '?', '@' and '/' in its password percent-encoded, and a port number"
        )
        raise StoreError(shown, "", "open", reason)
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise StoreError(shown, "", "open", "expected an http or https URL with a host")
    if parts.fragment:
        raise StoreError(shown, "", "open", "expected no fragment; write '#' in a path as %23")
    return parts


def _checked_headers(headers: Mapping[str, Any], shown: str) -> dict[str, str]:
    """Check the headers and copy them: http.client's own message would show the value."""
    for name, value in headers.items():
        sendable = isinstance(value, str) and value.isprintable() and all(ord(each) < 256 for each in value)
        if not sendable or not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
            reason = f"header {name!r}: expected a name and one line of Latin-1 text"
            raise StoreError(shown, "", "open", reason)
    return dict(headers)


def _range_header(byte_range: ByteRange) -> str:
    if isinstance(byte_range, Suffix):
        return f"bytes=-{byte_range.length}"
    end = "" if byte_range.length is None else byte_range.start + byte_range.length - 1
    return f"bytes={byte_range.start}-{end}"


def _client_type() -> type[Client]:
    if sys.platform != "emscripten":
        return Client
    from zom.stores.http.browser import BrowserClient  # noqa: PLC0415 - only for WebAssembly

    return BrowserClient


def _total_of(answer: Answer) -> int | None:
    """Return the size of the value from an answer to a range or HEAD request; None if unknown."""
    if answer.status == 200:
        total = answer.header("content-length")
    else:
        total = answer.header("content-range").rpartition("/")[2] if answer.status in {206, 416} else ""
    return int(total) if total.isdecimal() else None


def _tag_of(answer: Answer) -> str | None:
    """Return the ETag of the value; None if it is missing or weak: other versions may share a weak one."""
    tag = answer.header("etag")
    return tag if tag.startswith('"') else None


def _lies_beyond(byte_range: ByteRange, stated: str) -> bool:
    """Whether the range is beyond the value, as far as the server states its size."""
    size = stated.rpartition("/")[2]
    if not size.isdecimal():
        return not isinstance(byte_range, Suffix)
    return int(size) == 0 if isinstance(byte_range, Suffix) else byte_range.start >= int(size)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found.extend(value for name, value in attrs if name == "href" and value)


def _path(escaped_path: str) -> str:
    """Return the path as text; several slashes become one, as in servers with listings and in `urljoin`."""
    return unquote(_SLASHES.sub("/", escaped_path), errors="surrogateescape")


def _linked_names(page: str, address: str) -> set[str]:
    """Return the names directly below `address` that its page links to; other links are ignored."""
    links = _Links()
    links.feed(page)
    here = urlsplit(address)
    folder = _path(here.path).rpartition("/")[0] + "/"
    names: set[str] = set()
    for link in links.found:
        target = urlsplit(urljoin(address, link))
        path = _path(target.path)
        if target.query or (target.scheme, target.netloc) != (here.scheme, here.netloc):
            continue
        name = path.removeprefix(folder) if path.startswith(folder) else ""
        if "/" not in name.rstrip("/") and is_stored_key(name.removesuffix("/")):
            names.add(name)
    return names
