"""GET requests over connections that are kept, with redirects, retries and limits.

RFC 9110 (semantics), RFC 9112 (HTTP/1.1). Nothing here knows of keys or of stores.
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
"""Bytes a second below which a server is taken to be stuck, once the timeout has passed."""


class HTTPFailure(Exception):
    """Why no answer was had."""


class _Dropped(HTTPFailure):
    """The connection ended before the answer did: worth another try."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long, how often and how much."""

    timeout: float
    retries: int
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said in the end, and at which address."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    is_directory: bool = False
    """Whether the server answered for the address with a slash after it: its index, not a value."""
    shows_all: bool = True
    """Whether all headers are here: a browser keeps back those of other sites that these don't name."""

    def header(self, name: str) -> str:
        """The header of that name, in lower case, or an empty text."""
        return self.headers.get(name, "")

    @property
    def refusal(self) -> str:
        """What to tell people about an answer that is no value."""
        reason = http.client.responses.get(self.status, "unknown status").lower()
        return f"the server answered {self.status}, {reason}"


class Client:
    """Asks, and keeps connections for the next time."""

    def __init__(self, headers: Mapping[str, str], limits: Limits) -> None:
        self._headers = {"Accept-Encoding": "identity", **headers}
        self._limits = limits
        self._idle: dict[tuple[int, str, str], deque[http.client.HTTPConnection]] = {}
        self._is_closed = False

    def get(self, url: str, headers: Mapping[str, str], max_bytes: int | None = None) -> Answer:
        """The answer after redirects and, where the server is only busy, some patience."""
        limit = self._limits.max_bytes if max_bytes is None else max_bytes
        return self._patiently(lambda: self._follow(url, headers, limit))

    def ask_size(self, url: str) -> Answer:
        """An answer that tells how long a value is: to a request for its first byte."""
        return self.get(url, {"Range": "bytes=0-0"})

    def may_ask_for_ends(self, url: str) -> bool:
        """Whether a range that counts from the end of a value can be asked for there, as far as that is known."""
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
            # Credentials are for the server that was named, and for no other.
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
        """One request and its answer. A kept connection may have ended meanwhile: then on a new one."""
        idle = self._idle.setdefault((os.getpid(), url.scheme, url.netloc), deque())
        with suppress(IndexError, _Dropped):  # GET is idempotent: it may be sent again
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
        """All of the body: as long as it was said to be, no longer than allowed, and not endlessly slow."""
        expected = answer.length
        if expected is not None and expected > limit:
            raise HTTPFailure(f"the value is of {expected} bytes, more than the limit of {limit}")
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
                raise HTTPFailure(f"no more than {size} bytes came within {waited:.0f} seconds")
        if expected is not None and size != expected:
            raise _Dropped(f"the answer ended after {size} of {expected} bytes")
        if not answer.isclosed():
            answer.close()
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """End the connections that are kept."""
        self._is_closed = True
        for (pid, _, _), idle in self._idle.items():
            while pid == os.getpid() and idle:
                idle.pop().close()


def escaped(text: str) -> str:
    """A path or query as a request may hold it: what is escaped already stays as it is.

    >>> escaped("/a b/%20/ü")
    '/a%20b/%20/%C3%BC'
    """
    return quote(text, safe="/%:@!$&'()*+,;=~-._?[]")


def _target(url: SplitResult) -> str:
    """What is asked of the server: not by urlunsplit, which doubles slashes that begin a path from Python 3.12 on."""
    return (url.path or "/") + (f"?{url.query}" if url.query else "")


def _redirected(here: SplitResult, location: str) -> SplitResult:
    """Where a redirect leads, without what it says of users and passwords."""
    # http.client reads headers as Latin-1; servers send UTF-8 where they send anything beyond ASCII.
    text = quote(location.encode("latin-1"), safe="/%:@!$&'()*+,;=~-._?[]#")
    try:
        there = urlsplit(urljoin(urlunsplit(here), text))
        port_is_good = there.port is None or there.port > 0
    except ValueError:
        port_is_good, there = False, here
    if there.scheme not in {"http", "https"} or not there.hostname or not port_is_good:
        raise HTTPFailure("the server redirects to an address that is none")
    if here.scheme == "https" and there.scheme == "http":
        raise HTTPFailure("the server redirects from https to http")
    return there._replace(netloc=there.netloc.rpartition("@")[2], fragment="")


def refuse_coding(status: int, headers: Mapping[str, str]) -> None:
    """Whoever asks for the bytes as they are, and gets them packed, can't know how long they are."""
    coding = headers.get("content-encoding", "identity").strip().lower()
    if status in {200, 206} and coding not in {"identity", ""}:
        raise HTTPFailure(f"the server sent content-encoding {coding!r}, although none was asked for")


def _reason(cause: Exception) -> str:
    if isinstance(cause, OSError) and cause.strerror:
        return reason_of(cause)
    if isinstance(cause, http.client.IncompleteRead):
        return "the answer ended too early"
    if isinstance(cause, http.client.RemoteDisconnected):
        return "the server closed the connection without an answer"
    if isinstance(cause, http.client.InvalidURL):
        return "the address is none that can be asked for"
    return f"the server's answer can't be read: {type(cause).__name__}"
