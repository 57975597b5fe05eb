"""GET requests over kept-alive connections, with redirects, retries and limits.

RFC 9110 (semantics), RFC 9112 (HTTP/1.1). This module is independent of keys and stores.
"""

from __future__ import annotations

import http.client
import os
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from zom.dataclass import dataclass
from zom.reason import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from urllib.parse import SplitResult

__all__ = ["MISSING", "Answer", "Client", "HTTPFailure", "Limits", "escaped", "refuse_coding"]

MISSING = frozenset({404, 410})
_TRANSIENT = frozenset({429, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 5
_MAX_PAUSE = 10.0
_PIECE = 1 << 20
_SLOWEST = 1024
"""Bytes per second below which a server counts as stuck, once the timeout has passed."""


class HTTPFailure(Exception):
    """The reason for a missing or invalid answer."""


class _Dropped(HTTPFailure):
    """The connection ended before the answer was complete: try again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Timeout, number of retries and maximum size."""

    timeout: float
    retries: int
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The final answer of a server, and its address."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    is_directory: bool = False
    """Whether the server redirected to the address with a trailing slash: an index, not a value."""
    shows_all: bool = True
    """Whether all headers are present: a browser hides those that another site doesn't expose."""

    def header(self, name: str) -> str:
        """Return the header `name`, which is in lower case, or ""."""
        return self.headers.get(name, "")

    @property
    def refusal(self) -> str:
        """A message for an answer that is not a value."""
        reason = http.client.responses.get(self.status, "unknown status").lower()
        return f"the server answered {self.status}, {reason}"


class Client:
    """Sends requests over reusable connections."""

    def __init__(self, headers: Mapping[str, str], limits: Limits) -> None:
        self._headers = {"Accept-Encoding": "identity", **headers}
        self._limits = limits
        self._idle: dict[tuple[int, str, str], deque[http.client.HTTPConnection]] = {}
        self._is_closed = False

    def get(self, url: str, headers: Mapping[str, str], max_bytes: int | None = None) -> Answer:
        """Return the answer after redirects, and after retries if the server is busy."""
        limit = self._limits.max_bytes if max_bytes is None else max_bytes
        return self._patiently(lambda: self._follow(url, headers, limit))

    def ask_size(self, url: str) -> Answer:
        """Return an answer that tells the size of a value: to a request for its first byte."""
        return self.get(url, {"Range": "bytes=0-0"})

    def may_ask_for_ends(self, url: str) -> bool:
        """Whether suffix ranges of this URL can be requested, as far as known."""
        del url
        return True

    def _patiently(self, ask: Callable[[], Answer]) -> Answer:
        attempt = 0
        while True:
            last = attempt >= self._limits.retries
            pause = 0.1 * 2**attempt
            try:
                answer = ask()
            except _Dropped:
                if last:
                    raise
            else:
                if last or answer.status not in _TRANSIENT:
                    return answer
                stated = answer.header("retry-after")
                pause = max(pause, float(stated)) if stated.isdecimal() else pause
            time.sleep(min(pause, _MAX_PAUSE))
            attempt += 1

    def _follow(self, url: str, headers: Mapping[str, str], limit: int) -> Answer:
        first = urlsplit(url)
        here = first
        for _ in range(_MAX_REDIRECTS + 1):
            # Credentials only go to the server in the URL.
            at_home = (here.scheme, here.netloc) == (first.scheme, first.netloc)
            sent = {**(self._headers if at_home else {"Accept-Encoding": "identity"}), **headers}
            status, found, body = self._exchange(here, sent, limit)
            location = found.get("location")
            if status not in _REDIRECTS or location is None:
                is_directory = here.path != first.path and here.path == f"{first.path}/"
                return Answer(status, found, body, urlunsplit((*here[:3], "", "")), is_directory)
            here = _redirected(here, location)
        raise HTTPFailure(f"the server redirects more than {_MAX_REDIRECTS} times")

    def _exchange(
        self, url: SplitResult, headers: Mapping[str, str], limit: int
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request; if an idle connection has ended meanwhile, send it on a new one."""
        idle = self._idle.setdefault((os.getpid(), url.scheme, url.netloc), deque())
        with suppress(IndexError, _Dropped):  # GET is idempotent: it can be repeated
            return self._once(idle.pop(), idle, url, headers, limit)
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        return self._once(kind(url.netloc, timeout=self._limits.timeout), idle, url, headers, limit)

    def _once(
        self,
        connection: http.client.HTTPConnection,
        idle: deque[http.client.HTTPConnection],
        url: SplitResult,
        headers: Mapping[str, str],
        limit: int,
    ) -> tuple[int, dict[str, str], bytes]:
        kept = False
        try:
            connection.request("GET", _target(url), headers=dict(headers))
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            body = self._body(answer, limit)
            refuse_coding(answer.status, found)
            kept = not answer.will_close and not self._is_closed
        except TimeoutError as cause:
            raise HTTPFailure(f"no answer within {self._limits.timeout:g} seconds") from cause
        except (ConnectionError, http.client.RemoteDisconnected, http.client.IncompleteRead) as cause:
            raise _Dropped(_reason(cause)) from cause
        except (http.client.HTTPException, OSError, ValueError) as cause:
            raise HTTPFailure(_reason(cause)) from cause
        finally:
            if kept:
                idle.append(connection)
            else:
                connection.close()
        return answer.status, found, body

    def _body(self, answer: http.client.HTTPResponse, limit: int) -> bytes:
        """Read the whole body; raise if it differs from its stated size, exceeds the limit or is too slow."""
        expected = answer.length
        if expected is not None and expected > limit:
            raise HTTPFailure(f"the value has {expected} bytes, more than the limit of {limit}")
        pieces: list[bytes] = []
        size = 0
        start = time.monotonic()
        while piece := answer.read1(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise HTTPFailure(f"the value is longer than the limit of {limit} bytes")
            if size == expected:
                break
            waited = time.monotonic() - start
            if waited > self._limits.timeout and size < waited * _SLOWEST:
                raise HTTPFailure(f"received only {size} bytes in {waited:.0f} seconds")
        if expected is not None and size != expected:
            raise _Dropped(f"the answer ended after {size} of {expected} bytes")
        if not answer.isclosed():
            answer.close()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """Close the idle connections."""
        self._is_closed = True
        for (pid, _, _), idle in self._idle.items():
            while pid == os.getpid() and idle:
                idle.pop().close()


def escaped(text: str) -> str:
    """Escape a path or query for a request; existing escapes stay.

    >>> escaped("/a b/%20/ü")
    '/a%20b/%20/%C3%BC'
    """
    return quote(text, safe="/%:@!$&'()*+,;=~-._?[]")


def _target(url: SplitResult) -> str:
    """Return the request target, without urlunsplit, which doubles leading slashes from Python 3.12 on."""
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def _redirected(here: SplitResult, location: str) -> SplitResult:
    """Return the target of a redirect, without user and password."""
    # http.client reads headers as Latin-1; servers send non-ASCII text as UTF-8.
    text = quote(location.encode("latin-1"), safe="/%:@!$&'()*+,;=~-._?[]#")
    try:
        there = urlsplit(urljoin(urlunsplit(here), text))
        port_is_good = there.port is None or there.port > 0
    except ValueError:
        port_is_good, there = False, here
    if there.scheme not in {"http", "https"} or not there.hostname or not port_is_good:
        raise HTTPFailure("the server redirects to an invalid address")
    if here.scheme == "https" and there.scheme == "http":
        raise HTTPFailure("the server redirects from https to http")
    return there._replace(netloc=there.netloc.rpartition("@")[2], fragment="")


def refuse_coding(status: int, headers: Mapping[str, str]) -> None:
    """Raise HTTPFailure for an encoded body, whose real size is unknown."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if status in {200, 206} and coding not in {"identity", ""}:
        raise HTTPFailure(f"the server sent content-encoding {coding!r}, although none was requested")


def _reason(cause: Exception) -> str:
    if isinstance(cause, OSError) and cause.strerror:
        return reason_of(cause)
    if isinstance(cause, http.client.IncompleteRead):
        return "the answer ended too early"
    if isinstance(cause, http.client.RemoteDisconnected):
        return "the server closed the connection without an answer"
    if isinstance(cause, http.client.InvalidURL):
        return "the address is invalid"
    return f"the server's answer can't be read: {type(cause).__name__}"
