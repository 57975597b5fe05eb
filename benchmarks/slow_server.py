"""A far store on this machine: objects in memory behind HTTP and the parts of S3 that clients use, each answer late.

    python benchmarks/slow_server.py [DELAY]

Prints its port, and serves until its input ends. Each request waits DELAY seconds before it is answered.
`GET /_/counts` tells how many requests came since `GET /_/reset`, and how many round trips they took: the
longest chain in which each request came after the answer to the one before. `/_/delay/0.03` sets the delay, `/_/rate/1e8` the
bytes that one connection carries in a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from email.utils import formatdate
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_PAGE = 1000


PIECE = 1 << 18
"""The bytes that are sent at once where a connection carries so many a second."""


class Objects:
    """All objects, and what is counted."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.rate = 0.0
        """The bytes a second that one connection carries; any number where that is 0."""
        self.held: dict[str, bytes] = {}
        self.marks: dict[str, dict[str, str]] = {}
        """The metadata that clients gave their objects."""
        self.reset()

    def reset(self) -> None:
        """Count from nothing."""
        self.requests = 0
        self.done_levels = 0
        self.deepest = 0
        self.bytes = 0


class Connection(asyncio.Protocol):
    """One connection: requests are answered in turn."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            lines = self.received[:end].decode("latin-1").split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
            }
            length = int(headers.get("content-length", 0))
            if headers.get("expect"):
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            if len(self.received) < end + 4 + length:
                return
            body = self.received[end + 4 : end + 4 + length]
            self.received = self.received[end + 4 + length :]
            verb, target, _ = lines[0].split(" ", 2)
            self.answer_late(verb, target, headers, body)

    def answer_late(self, verb: str, target: str, headers: dict[str, str], body: bytes) -> None:
        objects = self.objects
        if target.startswith("/_/"):
            self.send(200, {}, control(objects, target[3:]).encode(), verb)
            return
        objects.requests += 1
        level = objects.done_levels + 1
        objects.deepest = max(objects.deepest, level)

        def answer() -> None:
            status, more, found = respond(objects, verb, target, headers, body)
            objects.done_levels = max(objects.done_levels, level)
            objects.bytes += len(found)
            self.send(status, more, found, verb)

        asyncio.get_running_loop().call_later(objects.delay, answer)

    def send(self, status: int, headers: dict[str, str], body: bytes, verb: str) -> None:
        if self.transport.is_closing():
            return
        length = {} if "Content-Length" in headers else {"Content-Length": str(len(body))}
        head = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in (headers | length).items())]
        answer = "\r\n".join((*head, "", "")).encode() + (b"" if verb == "HEAD" else body)
        rate = self.objects.rate
        if not rate:
            self.transport.write(answer)
            return
        loop = asyncio.get_running_loop()
        for start in range(0, len(answer), PIECE):
            loop.call_later(start / rate, self.transport.write, answer[start : start + PIECE])


def control(objects: Objects, order: str) -> str:
    """Do what the benchmark orders."""
    name, _, value = order.partition("/")
    if name == "reset":
        objects.reset()
    if name == "clear":
        objects.held.clear()
    if name == "rate":
        objects.rate = float(value)
    if name == "delay":
        objects.delay = float(value)
    facts = {"requests": objects.requests, "round trips": objects.deepest, "bytes": objects.bytes}
    return json.dumps(facts)


def respond(
    objects: Objects, verb: str, target: str, headers: dict[str, str], body: bytes
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer."""
    parts = urlsplit(target)
    query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    key = unquote(parts.path).removeprefix("/bucket").lstrip("/")
    if "list-type" in query:
        return 200, {"Content-Type": "application/xml"}, listing(objects, query)
    if verb == "POST" and "delete" in query:
        names = re.findall(r"<Key>(.*?)</Key>", body.decode())
        for name in names:
            objects.held.pop(unescape(name), None)
        deleted = "".join(f"<Deleted><Key>{name}</Key></Deleted>" for name in names)
        return 200, {"Content-Type": "application/xml"}, f"<DeleteResult>{deleted}</DeleteResult>".encode()
    found = objects.held.get(key)
    if verb == "PUT":
        return put(objects, key, headers, body, found)
    if verb == "DELETE":
        objects.held.pop(key, None)
        return 204, {}, b""
    return get(verb, headers, found, objects.marks.get(key, {}))


def get(
    verb: str, headers: dict[str, str], found: bytes | None, marks: dict[str, str]
) -> tuple[int, dict[str, str], bytes]:
    """An object, or what is said of it."""
    if found is None:
        return 404, {"Content-Type": "application/xml"}, b"<Error><Code>NoSuchKey</Code></Error>"
    facts = {**marks, "ETag": tag(found), "Last-Modified": formatdate(usegmt=True), "Accept-Ranges": "bytes"}
    if verb == "HEAD":
        return 200, {**facts, "Content-Length": str(len(found))}, b""
    return part(found, headers.get("range", ""), facts)


def put(
    objects: Objects, key: str, headers: dict[str, str], body: bytes, found: bytes | None
) -> tuple[int, dict[str, str], bytes]:
    """Put an object, where its condition holds."""
    if headers.get("if-none-match") == "*" and found is not None:
        return 412, {}, b"<Error><Code>PreconditionFailed</Code></Error>"
    if "if-match" in headers and (found is None or headers["if-match"].strip('"') != tag(found).strip('"')):
        return 412, {}, b"<Error><Code>PreconditionFailed</Code></Error>"
    source = unquote(headers.get("x-amz-copy-source", "")).removeprefix("/").removeprefix("bucket/")
    if source:
        objects.held[key] = objects.held[source]
        objects.marks[key] = objects.marks.get(source, {})
        text = f"<CopyObjectResult><ETag>{tag(objects.held[key])}</ETag></CopyObjectResult>"
        return 200, {"Content-Type": "application/xml"}, text.encode()
    objects.held[key] = body
    objects.marks[key] = {name: value for name, value in headers.items() if name.startswith("x-amz-meta-")}
    return 200, {"ETag": tag(body)}, b""


def part(found: bytes, asked: str, facts: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
    """The object, or the bytes of it that a range means."""
    match = _RANGE.fullmatch(asked)
    if match is None:
        return 200, facts, found
    first, last = match.groups()
    start = int(first) if first else max(0, len(found) - int(last))
    stop = min(len(found), int(last) + 1) if first and last else len(found)
    if start >= len(found):
        return 416, {"Content-Range": f"bytes */{len(found)}"}, b""
    return 206, {**facts, "Content-Range": f"bytes {start}-{stop - 1}/{len(found)}"}, found[start:stop]


def listing(objects: Objects, query: dict[str, str]) -> bytes:
    """A page of a listing, as S3 gives it."""
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    after = query.get("continuation-token", "")
    keys: list[str] = []
    prefixes: dict[str, None] = {}
    last = more = ""
    for key in sorted(key for key in objects.held if key.startswith(prefix) and key > after):
        if len(keys) + len(prefixes) >= _PAGE:
            more = last
            break
        last = key
        name, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
        if found:
            prefixes[prefix + name + delimiter] = None
        else:
            keys.append(key)
    contents = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{len(objects.held[key])}</Size><ETag>x</ETag>"
        f"<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        for key in keys
    )
    common = "".join(f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in prefixes)
    token = f"<NextContinuationToken>{escape(more)}</NextContinuationToken>" if more else ""
    cut = "true" if more else "false"
    return (
        f'<?xml version="1.0"?><ListBucketResult><Name>bucket</Name><Prefix>{escape(prefix)}</Prefix>'
        f"<IsTruncated>{cut}</IsTruncated>{token}{contents}{common}</ListBucketResult>"
    ).encode()


def tag(value: bytes) -> str:
    """The ETag of a value: cheap, for values are large."""
    return f'"{len(value)}-{hashlib.blake2b(value[:4096] + value[-4096:], digest_size=8).hexdigest()}"'


async def main() -> None:
    delay = float(sys.argv[1]) if len(sys.argv) > 1 else 0.03
    loop = asyncio.get_running_loop()
    objects = Objects(delay)
    server = await loop.create_server(lambda: Connection(objects), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
