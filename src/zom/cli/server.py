"""The server of `zom serve`: keys of a store as files, with ranges and conditional requests."""

from __future__ import annotations

import errno
import re
import socket
import sys
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from typing_extensions import override

from zom.cli.confined import ConfinedStore
from zom.cli.printing import tell
from zom.errors import ZomError
from zom.paths import is_stored_key
from zom.problems import one_line
from zom.stores.ranges import Range, Suffix

if TYPE_CHECKING:
    from zom.stores.interface import Store
    from zom.stores.ranges import ByteRange

__all__ = ["range_of", "server_of"]

_LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d+)?", re.IGNORECASE)
_TAGGED = 1 << 20
"""Size limit of values with a tag, which are read whole for it."""
_NO_KEY = frozenset({errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG})
"""Errors of the disk for names that can't be files."""
_EXPOSED = "Accept-Ranges, Content-Length, Content-Range, ETag"
_ACCEPTED = "If-None-Match, If-Range, Range"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # viewers open many connections at once

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Print an error, unless the client has disconnected or timed out."""
        error = sys.exception()
        if not isinstance(error, (ConnectionError, TimeoutError)):
            tell(f"zom serve: {type(error).__name__}: {error}"[:300])


class _IPv6Server(_Server):
    address_family = socket.AF_INET6


def server_of(store: Store, path: str, host: str, port: int, *, name: str) -> ThreadingHTTPServer:
    """The server of the node at `path` of a store, bound and not running yet."""
    prefix = f"{path.strip('/')}/" if path.strip("/") else ""
    handler = partial(_Handler, ConfinedStore(store), prefix, name)
    return (_IPv6Server if ":" in host else _Server)((host, port), handler)


def range_of(text: str) -> ByteRange | None:
    """The range in a Range header; None for several ranges, or for an invalid one.

    >>> range_of("bytes=2-5"), range_of("bytes=7-"), range_of("bytes=-3"), range_of("bytes=0-1,4-5")
    (Range(start=2, length=4), Range(start=7, length=None), Suffix(length=3), None)
    """
    found = re.fullmatch(r"bytes=(\d{0,18})-(\d{0,18})", text.strip(), re.ASCII)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        return Suffix(int(found[2]))
    start = int(found[1])
    if not found[2]:
        return Range(start)
    return Range(start, int(found[2]) - start + 1) if int(found[2]) >= start else None


class _Handler(BaseHTTPRequestHandler):
    """Handles one connection."""

    protocol_version = "HTTP/1.1"
    server_version = "zom"
    sys_version = ""
    timeout = 60
    # Send the head and a small value together: otherwise the value waits 40 ms for the receipt of the head.
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def __init__(self, store: ConfinedStore, prefix: str, name: str, *arguments: object) -> None:
        self._store, self._prefix, self._name = store, prefix, name
        super().__init__(*arguments)  # type: ignore[arg-type] # as the server makes it

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for a request."""

    def do_GET(self) -> None:
        """Send the value of a key, or a part of it."""
        self._answer()

    def do_HEAD(self) -> None:
        """Answer as to GET, without the value."""
        self._answer()

    def do_OPTIONS(self) -> None:
        """Answer the request that a browser sends before it reads from another site."""
        if not self._is_local():
            return
        self._start(HTTPStatus.NO_CONTENT)
        self.send_header("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
        self.send_header("Access-Control-Allow-Headers", _ACCEPTED)
        self.send_header("Access-Control-Allow-Private-Network", "true")
        self.send_header("Access-Control-Max-Age", "86400")
        self.end_headers()

    def _refuse_method(self) -> None:
        # The body of the request is not read, so the connection must end.
        self.close_connection = True
        self._plain(
            HTTPStatus.METHOD_NOT_ALLOWED, "this server is read-only\n", {"Allow": "GET, HEAD, OPTIONS"}
        )

    do_POST = do_PUT = do_PATCH = do_DELETE = _refuse_method  # noqa: N815 - as http.server calls them

    def _is_local(self) -> bool:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) == 1 and _LOCAL.fullmatch(hosts[0]):
            return True
        self._plain(HTTPStatus.FORBIDDEN, "request localhost: this server only serves this machine\n")
        return False

    def _answer(self) -> None:
        if not self._is_local():
            return
        try:
            path = unquote(urlsplit(self.path).path, errors="surrogateescape").removeprefix("/")
        except ValueError:
            self._plain(HTTPStatus.BAD_REQUEST, "expected the path of a key\n")
            return
        try:
            if not path:
                self._send_page()
            elif is_stored_key(path):
                self._send_value(self._prefix + path)
            else:
                self._plain(HTTPStatus.NOT_FOUND, "no such key\n")
        except ZomError as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in _NO_KEY:
                self._plain(HTTPStatus.NOT_FOUND, "no such key\n")
                return
            self._plain(HTTPStatus.BAD_GATEWAY, f"{one_line(str(error))}\n")

    def _send_page(self) -> None:
        from zom.hierarchy.stored.read import read_tree  # noqa: PLC0415 - only for the page
        from zom.views.html.page import Seen, hierarchy_page  # noqa: PLC0415 - as above

        tree = read_tree(self._store, self._prefix, on_error="skip")
        page = hierarchy_page(tree.spec, title=self._name, seen=Seen(broken=tree.reasons()))
        self._plain(HTTPStatus.OK, page, {"Content-Type": "text/html; charset=utf-8"})

    def _send_value(self, key: str) -> None:
        if self._store.leads_out(key):
            self._plain(HTTPStatus.FORBIDDEN, "symbolic links out of the store are not served\n")
            return
        size = self._size(key)
        if size is None:
            self._plain(HTTPStatus.NOT_FOUND, "no such key\n")
            return
        value = self._store.get(key) if size <= _TAGGED else None
        tag = f'"{sha256(value).hexdigest()[:32]}"' if value is not None else None
        size = size if value is None else len(value)
        if tag is not None and self._is_known(tag):
            self._start(HTTPStatus.NOT_MODIFIED, tag)
            self.end_headers()
            return
        wanted = range_of(self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        if wanted is None or (condition is not None and condition != tag):
            self._send_whole(key, size, value, tag)
        else:
            self._send_part(key, size, value, tag, wanted)

    def _send_whole(self, key: str, size: int, value: bytes | None, tag: str | None) -> None:
        if value is None and self.command == "GET":
            value = self._store.get(key) or b""
            size = len(value)
        self._start(HTTPStatus.OK, tag)
        self._finish(key, size, value)

    def _send_part(
        self, key: str, size: int, value: bytes | None, tag: str | None, wanted: ByteRange
    ) -> None:
        start, end = _span(wanted, size)
        if start >= end:
            self._plain(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "", {"Content-Range": f"bytes */{size}"})
            return
        part = value[start:end] if value is not None else None
        if part is None and self.command == "GET":
            part = self._store.get(key, Range(start, end - start)) or b""
        self._start(HTTPStatus.PARTIAL_CONTENT, tag)
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self._finish(key, end - start, part)

    def _size(self, key: str) -> int | None:
        """The bytes of a value; reads it only if the store doesn't know its size."""
        with self._store.snapshot(key) as found:
            if found is None:
                return None
            return len(found.get()) if found.size is None else found.size

    def _is_known(self, tag: str) -> bool:
        asked = self.headers.get("If-None-Match", "")
        return asked.strip() == "*" or tag in (each.strip().removeprefix("W/") for each in asked.split(","))

    def _start(self, status: HTTPStatus, tag: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Expose-Headers", _EXPOSED)
        self.send_header("Cross-Origin-Resource-Policy", "cross-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Cache-Control", "no-cache")
        if tag is not None:
            self.send_header("ETag", tag)

    def _finish(self, key: str, size: int, value: bytes | None) -> None:
        is_json = key.rpartition("/")[2] in {"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"}
        self.send_header("Content-Type", "application/json" if is_json else "application/octet-stream")
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if self.command == "GET" and value is not None:
            self.wfile.write(value)

    def _plain(self, status: HTTPStatus, text: str, headers: dict[str, str] | None = None) -> None:
        body = text.encode("utf-8", "backslashreplace")
        self._start(status)
        for name, value in {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _span(wanted: ByteRange, size: int) -> tuple[int, int]:
    """The index of the first byte, and the index after the last."""
    if isinstance(wanted, Suffix):
        return max(0, size - wanted.length), size
    end = size if wanted.length is None else min(size, wanted.start + wanted.length)
    return wanted.start, end
