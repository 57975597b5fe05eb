"""The HTTP store against python's own server, and against a server that answers as it is told."""

from __future__ import annotations

import http.server
import os
import pickle
import socket
import threading
import time
import zlib
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom.errors import PathError, ReadOnlyError, StoreError
from zom.stores.http import HTTPStore
from zom.stores.interface import Listing, Part, Range, Suffix, cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def serving(handler: Any) -> Iterator[str]:
    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


class Script(http.server.BaseHTTPRequestHandler):
    """Answers with what `answer` writes; notes requests and connections."""

    protocol_version = "HTTP/1.1"
    answer: Callable[[Script], None]
    log: list[Any]
    connections: list[Any]

    def setup(self) -> None:
        super().setup()
        self.connections.append(self.client_address)

    def do_GET(self) -> None:
        self.log.append((self.path, dict(self.headers)))
        type(self).answer(self)

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers and "Transfer_Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def scripted(
    answer: Callable[[Script], None], path: str = "", **options: Any
) -> Iterator[tuple[HTTPStore, Any]]:
    handler = type("Scripted", (Script,), {"answer": answer, "log": [], "connections": []})
    with serving(handler) as url, HTTPStore(url + path, **{"retries": 0, "timeout": 5, **options}) as store:
        yield store, handler


def ranged(value: bytes) -> Callable[[Script], None]:
    """A server of one value that knows ranges."""

    def answer(request: Script) -> None:
        header = request.headers.get("Range")
        if header is None:
            return request.reply(200, value)
        first, _, last = header.removeprefix("bytes=").partition("-")
        start = max(0, len(value) - int(last)) if not first else int(first)
        end = len(value) if not (first and last) else min(int(last) + 1, len(value))
        if start >= end:
            return request.reply(416, b"", Content_Range=f"bytes */{len(value)}")
        body = value[start:end]
        return request.reply(206, body, Content_Range=f"bytes {start}-{end - 1}/{len(value)}")

    return answer


@pytest.mark.parametrize("status", [400, 416, 500, 501])
@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', ""])
def test_the_end_of_a_value_is_read_where_no_range_counts_from_the_end(status: int, tag: str) -> None:
    values = {"/a": b"12345", "/empty": b""}

    def answer(request: Script) -> None:
        if request.path not in values:
            return request.reply(404)
        if request.headers.get("Range", "").startswith("bytes=-"):
            return request.reply(status)
        return ranged(values[request.path])(request)

    reply = Script.reply

    def tagged(request: Script, status: int, body: bytes = b"", **headers: str) -> None:
        reply(request, status, body, **headers, **({"ETag": tag} if tag else {}))

    with scripted(answer) as (store, handler):
        handler.reply = tagged
        for wanted, found in {
            ("a", 2): b"45",
            ("a", 9): b"12345",
            ("empty", 3): b"",
            ("missing", 3): None,
        }.items():
            assert store.get(wanted[0], Suffix(wanted[1])) == found
        assert sum(each["Range"].startswith("bytes=-") for _, each in handler.log) == 1
        assert any("If-Match" in each for _, each in handler.log) == (tag == '"1"')
        assert store.get_many([("a", Suffix(1)), ("a", Range(0, 1))]) == [b"5", b"1"]


def test_the_end_of_a_value_that_is_replaced_meanwhile_is_that_of_one_version() -> None:
    versions = [b"first", b"second one", b"3rd"]

    def answer(request: Script) -> None:
        asked, now = request.headers["Range"], versions[0]
        if asked.startswith("bytes=-"):
            return request.reply(400)
        if request.headers.get("If-Match", f'"{len(now)}"') != f'"{len(now)}"':
            return request.reply(412)
        start, _, end = asked.removeprefix("bytes=").partition("-")
        body = now[int(start) : int(end) + 1]
        span = f"bytes {start}-{int(start) + len(body) - 1}/{len(now)}"
        request.reply(206, body, Content_Range=span, ETag=f'"{len(now)}"')
        if "If-Match" not in request.headers and len(versions) > 1:
            versions.pop(0)
        return None

    with scripted(answer) as (store, _):
        assert store.get("a", Suffix(2)) == b"rd"


@pytest.mark.parametrize("notices", [True, False], ids=["knows conditions", "takes no notice"])
@pytest.mark.parametrize("tag", ['"{}"', 'W/"{}"', ""])
def test_parts_are_of_the_version_that_is_asked_for(tag: str, notices: bool) -> None:
    value = [b"0123456789"]

    def answer(request: Script) -> None:
        now = tag.format(zlib.crc32(value[0]))
        if notices and request.headers.get("If-Match", now) != now:
            return request.reply(412)
        return ranged(value[0])(request)

    reply = Script.reply

    def tagged(request: Script, status: int, body: bytes = b"", **headers: str) -> None:
        now = tag.format(zlib.crc32(value[0]))
        reply(request, status, body, **headers, **({"ETag": now} if now and status != 416 else {}))

    with scripted(answer) as (store, handler):
        handler.reply = tagged
        [end, start] = store.get_parts([Part("a", Suffix(2)), Part("a", Range(0, 2))])
        assert end is not None
        assert start is not None
        assert (end.value, start.value, end.version) == (b"89", b"01", start.version)
        same = [
            Part("a", Range(3, 2), end.version),
            Part("a", Range(0, 0), end.version),
            Part("a", None, end.version),
        ]
        assert [part and part.value for part in store.get_parts(same)] == [b"34", b"", b"0123456789"]
        [behind] = store.get_parts([Part("a", Range(10, 1), end.version)])
        assert behind == (b"", end.version)
        value[0] = b"abcdefghij"
        is_told = tag.startswith('"')
        found = [part and part.value for part in store.get_parts(same)]
        assert found == ([None] * 3 if is_told else [b"de", b"", b"abcdefghij"])
        with store.snapshot("a") as whole:
            assert whole is not None
            assert whole.get(Suffix(1)) == b"j"
            value[0] = b"0123456789"
            if is_told:
                with pytest.raises(
                    StoreError, match="'a': it was replaced or deleted while it was read in parts"
                ):
                    whole.get(Range(0, 1))
            else:
                assert whole.get(Range(0, 1)) == b"0"


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_another_refusal_of_a_range_is_told_at_once(status: int) -> None:
    with scripted(lambda request: request.reply(status)) as (store, handler):
        with pytest.raises(StoreError, match=f"the server answered {status}"):
            store.get("a", Suffix(2))
        assert len(handler.log) == 1


# --- python's own server ---------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a/b c").mkdir(parents=True)
    (tmp_path / "a/0").write_bytes(b"0123456789")
    (tmp_path / "a/b c/ü#?%20").write_bytes(b"odd")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "zarr.json").write_bytes(b"{}")
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[HTTPStore]:
    with serving(partial(Files, directory=str(folder))) as url, HTTPStore(url, listable=True) as store:
        yield store


def test_files_are_values_and_what_is_not_there_is_none(store: HTTPStore) -> None:
    assert store.get("a/0") == b"0123456789"
    assert store.get("a/b c/ü#?%20") == b"odd"
    assert store.get("empty") == b""
    assert store.get("a/none") is None
    assert store.get_many(["a/0", "none", ("a/0", Range(2, 3))]) == [b"0123456789", None, b"234"]


def test_a_directory_is_a_missing_key_and_not_its_index(store: HTTPStore) -> None:
    assert store.get("a") is None
    assert not store.exists("a")
    assert store.exists("empty")


def test_a_server_that_knows_no_ranges_is_read_whole(store: HTTPStore) -> None:
    for byte_range in (Range(2, 3), Range(8, 5), Range(10), Range(99, 1), Suffix(3), Suffix(99), Range(0, 0)):
        assert store.get("a/0", byte_range) == cut(b"0123456789", byte_range)


def test_an_index_page_is_a_listing(store: HTTPStore) -> None:
    assert store.list_dir() == Listing(["empty", "zarr.json"], ["a/"])
    assert store.list_dir("a/") == Listing(["a/0"], ["a/b c/"])
    assert store.list_dir("a/b c/") == Listing(["a/b c/ü#?%20"], [])
    assert store.list_dir("none/") == Listing([], [])
    assert sorted(store.list()) == ["a/0", "a/b c/ü#?%20", "empty", "zarr.json"]


def test_the_store_cannot_be_written(store: HTTPStore) -> None:
    for write in (
        lambda: store.set("a", b""),
        lambda: store.create("a", b""),
        lambda: store.delete("a"),
        lambda: store.delete_prefix("a/"),
        lambda: store.rename("a/", "b/"),
        lambda: store.set_partial("a", 0, b""),
    ):
        with pytest.raises(ReadOnlyError):
            write()


@pytest.mark.parametrize("key", ["../x", "a/../../x", "/x", "", "a//b", "..\\b", "a\0", "\\n", "\ud800"])
def test_a_key_that_leads_out_is_refused_before_it_is_asked_for(key: str) -> None:
    with scripted(lambda request: request.reply(200, b"out")) as (store, server):
        with pytest.raises(PathError):
            store.get(key)
        assert server.log == []


@settings(max_examples=30, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\\"), min_size=1, max_size=20)
)
def test_every_key_arrives_as_it_was_asked_for(key: str) -> None:
    if key.strip(".") == "" and len(key) < 3:
        return
    from urllib.parse import unquote

    with scripted(lambda request: request.reply(200, unquote(request.path).encode())) as (store, _):
        assert store.get(key) == f"/{key}".encode()


# --- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [404, 410])
def test_only_404_and_410_are_missing(status: int) -> None:
    with scripted(lambda request: request.reply(status, b"gone")) as (store, _):
        assert store.get("a") is None
        assert store.get("a", Range(0, 1)) is None


@pytest.mark.parametrize(
    "status", [204, 206, 300, 304, 400, 401, 403, 405, 416, 418, 429, 451, 500, 502, 503, 599]
)
def test_every_other_answer_is_an_error_that_names_it(status: int) -> None:
    with (
        scripted(lambda request: request.reply(status, b"" if status in {204, 304} else b"no")) as (store, _),
        pytest.raises(StoreError, match=f"cannot read 'a/b': the server answered {status}, "),
    ):
        store.get("a/b")


@pytest.mark.parametrize("byte_range", [Range(0, 3), Range(2, 3), Range(4, 99), Range(3), Range(6, 1), Range(99), Range(0, 0), Suffix(2), Suffix(99), Suffix(0)])  # fmt: skip
@pytest.mark.parametrize("value", [b"abcdef", b""])
def test_ranges_mean_what_they_mean_for_bytes(value: bytes, byte_range: Range | Suffix) -> None:
    with scripted(ranged(value)) as (store, _):
        assert store.get("a", byte_range) == cut(value, byte_range)


@pytest.mark.parametrize(
    ("asked", "body", "stated"),
    [
        (Range(1, 3), b"bcd", "bytes 0-2/6"),
        (Range(1, 3), b"bc", "bytes 1-3/6"),
        (Range(1, 3), b"bc", "bytes 1-2/6"),
        (Range(1, 3), b"bcde", "bytes 1-4/6"),
        (Range(1, 3), b"bc", "bytes 1-2/*"),
        (Range(1), b"bcd", "bytes 1-3/6"),
        (Range(1), b"bcd", "bytes 1-3/*"),
        (Suffix(2), b"ab", "bytes 0-1/6"),
        (Suffix(2), b"f", "bytes 5-5/6"),
        (Suffix(2), b"de", "bytes 3-4/6"),
        (Range(1, 3), b"bcd", ""),
        (Range(1, 3), b"bcd", "items 1-3/6"),
        (Range(1, 3), b"bcd", "bytes */6"),
        (Range(1, 3), b"bcd", "bytes ¹-3/6"),
    ],
)
def test_other_bytes_than_those_asked_for_are_refused(asked: Any, body: bytes, stated: str) -> None:
    headers = {"Content_Range": stated} if stated else {}
    with (
        scripted(lambda request: request.reply(206, body, **headers)) as (store, _),
        pytest.raises(
            StoreError,
            match=r"expected a Content-Range of bytes, found|expected the requested range, found .* with Content-Range 'bytes",
        ),
    ):
        store.get("a", asked)


def test_a_range_refused_within_the_value_is_an_error() -> None:
    with (
        scripted(lambda request: request.reply(416, Content_Range="bytes */6")) as (store, _),
        pytest.raises(StoreError, match="answered 416"),
    ):
        store.get("a", Range(2, 2))


def test_a_short_body_is_an_error() -> None:
    def answer(request: Script) -> None:
        request.reply(200, b"abc", Content_Length="6")
        request.close_connection = True

    with (
        scripted(answer) as (store, _),
        pytest.raises(StoreError, match="the answer ended after 3 of 6 bytes"),
    ):
        store.get("a")


def test_a_short_body_is_asked_for_again() -> None:
    def answer(request: Script) -> None:
        request.reply(200, b"abc", Content_Length="6" if len(request.log) == 1 else "3")
        request.close_connection = True

    with scripted(answer, retries=1) as (store, server):
        assert store.get("a") == b"abc"
        assert len(server.log) == 2


def test_chunked_bodies_are_put_together() -> None:
    def answer(request: Script) -> None:
        request.reply(200, b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", Transfer_Encoding="chunked")

    with scripted(answer) as (store, server):
        assert [store.get("a"), store.get("b")] == [b"abcdefg"] * 2
        assert len(server.connections) == 1


@pytest.mark.parametrize("body", [b"3\r\nabc\r\n", b"3\r\nab", b"x\r\n", b""])
def test_a_chunked_body_without_its_end_is_an_error(body: bytes) -> None:
    def answer(request: Script) -> None:
        request.reply(200, body, Transfer_Encoding="chunked")
        request.close_connection = True

    with scripted(answer) as (store, _), pytest.raises(StoreError, match="the answer ended too early"):
        store.get("a")


def test_a_packed_body_is_refused_since_none_was_asked_for() -> None:
    with scripted(lambda request: request.reply(200, b"x", Content_Encoding="gzip")) as (store, server):
        with pytest.raises(StoreError, match="content-encoding 'gzip', although none was requested"):
            store.get("a")
        assert server.log[0][1]["Accept-Encoding"] == "identity"


def test_a_value_over_the_limit_is_refused_whether_its_length_is_said_or_not() -> None:
    def endless(request: Script) -> None:
        request.reply(200, b"7f\r\n" + b"a" * 127 + b"\r\n0\r\n\r\n", Transfer_Encoding="chunked")

    with (
        scripted(lambda request: request.reply(200, b"a" * 101), max_value_bytes=100) as (store, _),
        pytest.raises(StoreError, match="the value has 101 bytes, more than the limit of 100"),
    ):
        store.get("a")
    with (
        scripted(endless, max_value_bytes=100) as (store, _),
        pytest.raises(StoreError, match="the value is longer than the limit of 100 bytes"),
    ):
        store.get("a")


def test_a_silent_server_is_an_error_after_the_timeout() -> None:
    with (
        scripted(lambda _: time.sleep(0.6), timeout=0.2) as (store, _),
        pytest.raises(StoreError, match=r"cannot read 'a': no answer within 0.2 seconds"),
    ):
        store.get("a")


def test_a_server_that_trickles_is_an_error_after_the_timeout() -> None:
    def answer(request: Script) -> None:
        request.reply(200, b"", Content_Length="1000")
        for _ in range(30):
            time.sleep(0.05)
            try:
                request.wfile.write(b"a")
            except OSError:
                return

    with (
        scripted(answer, timeout=0.3) as (store, _),
        pytest.raises(StoreError, match=r"received only .* bytes in"),
    ):
        store.get("a")


def test_nobody_listening_is_an_error() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}"
        with HTTPStore(url, retries=0) as store, pytest.raises(StoreError, match="connection refused"):
            store.get("a")


def test_what_is_no_http_is_an_error() -> None:
    def answer(request: Script) -> None:
        request.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        request.close_connection = True

    with scripted(answer) as (store, _), pytest.raises(StoreError, match="can't be read: BadStatusLine"):
        store.get("a")


# --- connections -----------------------------------------------------------------------------------


def test_a_busy_server_is_asked_again() -> None:
    def answer(request: Script) -> None:
        request.reply(503 if len(request.log) < 3 else 200, b"ok", Retry_After="0")

    with scripted(answer, retries=2) as (store, server):
        assert store.get("a") == b"ok"
        assert len(server.log) == 3


def test_a_connection_is_kept_and_one_that_ended_meanwhile_is_made_anew() -> None:
    def answer(request: Script) -> None:
        request.reply(200, b"ok")
        request.close_connection = len(request.log) == 2  # without saying so

    with scripted(answer) as (store, server):
        assert [store.get("a") for _ in range(4)] == [b"ok"] * 4
        assert len(server.connections) == 2
        assert len(server.log) == 4


def test_a_reused_connection_without_an_answer_is_tried_once_more_and_then_told() -> None:
    def answer(request: Script) -> None:
        if len(request.log) == 1:
            return request.reply(200, b"ok")
        request.close_connection = True
        return None

    with scripted(answer) as (store, server):
        assert store.get("a") == b"ok"
        with pytest.raises(StoreError, match="the server closed the connection without an answer"):
            store.get("a")
        assert len(server.log) == 3


def test_many_are_asked_for_at_once_in_few_round_trips() -> None:
    together = threading.Barrier(20)  # nobody gets an answer before twenty have asked

    def answer(request: Script) -> None:
        together.wait(20)
        request.reply(200, request.path.encode())

    keys = [f"c/{index}" for index in range(300)]
    with scripted(answer) as (store, server):
        assert store.get_many(keys) == [f"/{key}".encode() for key in keys]
        assert len(server.log) == 300
        assert len(server.connections) <= 64


def test_of_many_the_one_that_failed_is_named() -> None:
    def answer(request: Script) -> None:
        request.reply(403 if request.path == "/c/7" else 200, b"ok")

    with (
        scripted(answer) as (store, _),
        pytest.raises(StoreError, match=r"cannot read 'c/7': .* 403, forbidden"),
    ):
        store.get_many([f"c/{index}" for index in range(20)])


def test_a_forked_process_has_connections_and_threads_of_its_own() -> None:
    with scripted(lambda request: request.reply(200, request.path.encode())) as (store, _):
        store.get_many(["a", "b"])
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            good = store.get_many(["a", "b", "c"]) == [b"/a", b"/b", b"/c"]
            os._exit(0 if good else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert store.get("a") == b"/a"


def test_a_closed_store_says_so() -> None:
    with scripted(lambda request: request.reply(200)) as (store, _):
        store.close()
        store.close()
        for use in (lambda: store.get("a"), lambda: store.get_many(["a", "b"]), store.list_dir):
            with pytest.raises(StoreError, match="the store is closed"):
                use()


# --- redirects -------------------------------------------------------------------------------------


def test_a_redirect_is_followed_and_credentials_stay_with_the_server_that_was_named() -> None:
    with scripted(lambda request: request.reply(200, b"there")) as (other, elsewhere):
        location = f"{other.url.replace('http://', 'http://user:pw@')}/x%20ü"

        def answer(request: Script) -> None:
            request.send_response(302)
            request.send_header("Location", location.encode().decode("latin-1"))
            request.send_header("Content-Length", "0")
            request.end_headers()

        with scripted(answer, headers={"Authorization": "canary", "X-Key": "canary"}) as (store, here):
            assert store.get("a", Range(0, 5)) == b"there"
            assert here.log[0][1]["Authorization"] == "canary"
        path, headers = elsewhere.log[0]
        assert path == "/x%20%C3%BC"
        assert headers["Range"] == "bytes=0-4"
        assert "canary" not in str(headers)
        assert "Authorization" not in headers


def test_a_redirect_on_the_same_server_keeps_credentials() -> None:
    def answer(request: Script) -> None:
        request.reply(301, Location="/b") if request.path == "/a" else request.reply(200, b"ok")

    with scripted(answer, headers={"Authorization": "mine"}) as (store, server):
        assert store.get("a") == b"ok"
        assert [headers["Authorization"] for _, headers in server.log] == ["mine", "mine"]


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("/a", "the server redirects more than 5 times"),
        ("file:///etc/passwd", "the server redirects to an invalid address"),
        ("http://[::1", "the server redirects to an invalid address"),
        ("http://h:x/", "the server redirects to an invalid address"),
    ],
)
def test_redirects_that_are_endless_or_unsafe_are_errors(location: str, reason: str) -> None:
    with scripted(lambda request: request.reply(302, Location=location)) as (store, server):
        with pytest.raises(StoreError, match=reason):
            store.get("a")
        assert len(server.log) <= 6


def test_no_redirect_leads_from_https_to_http() -> None:
    from urllib.parse import urlsplit

    from zom.stores.http.client import HTTPFailure, _redirected

    with pytest.raises(HTTPFailure, match="from https to http"):
        _redirected(urlsplit("https://h/a"), "http://h/a")


# --- addresses -------------------------------------------------------------------------------------


def test_the_query_of_a_signed_url_is_sent_and_never_shown() -> None:
    with scripted(lambda request: request.reply(403), "/base/?sig=canary%2F&x=1") as (store, server):
        with pytest.raises(StoreError) as caught:
            store.get("a b")
        assert server.log[0][0] == "/base/a%20b?sig=canary%2F&x=1"
        assert "canary" not in f"{caught.value} {caught.value.args} {store!r} {store.url}"


def test_a_path_that_is_not_escaped_is() -> None:
    with scripted(lambda request: request.reply(200), "/a b/ü%20/") as (store, server):
        store.get("k")
        assert server.log[0][0] == "/a%20b/%C3%BC%20/k"


def test_slashes_that_follow_each_other_are_sent_as_they_were_written() -> None:
    asked: list[str] = []

    def answer(request: Script) -> None:
        asked.append(request.requestline)  # Python's server takes slashes out of the path
        request.reply(200)

    for path in ("//a//b", "/a//b", "//"):
        with scripted(answer, path) as (store, _):
            store.get("k")
    assert asked == ["GET //a//b/k HTTP/1.1", "GET /a//b/k HTTP/1.1", "GET /k HTTP/1.1"]


def test_an_address_of_ipv6_is_one() -> None:
    assert HTTPStore("http://me:pw@[::1]:8080/x").url == "http://[::1]:8080/x"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http:///x", "http:///x: cannot open: expected an http or https URL with a host"),
        ("ftp://h/x", "ftp://h/x: cannot open: expected an http or https URL with a host"),
        ("http://h/x#frag", "http://h/x: cannot open: expected no fragment; write '#' in a path as %23"),
        ("http://me:can#ary@h/x", "http://...: cannot open: expected a URL with '#', '?', '@' and '/'"),
        ("http://me:can/ary@h/x", "http://...: cannot open: expected a URL with '#', '?', '@' and '/'"),
        ("http://me:1?canary@h/x", "http://...: cannot open: expected a URL with '#', '?', '@' and '/'"),
        ("http://h:99999/x", "http://...: cannot open: expected a URL with '#', '?', '@' and '/'"),
        ("http://[::1/x", "http://...: cannot open: expected a URL with '#', '?', '@' and '/'"),
    ],
)
def test_a_url_that_is_none_is_refused_without_its_password(url: str, shown: str) -> None:
    with pytest.raises(StoreError) as caught:
        HTTPStore(url)
    assert str(caught.value).startswith(shown)


@pytest.mark.parametrize(
    "headers", [{"X": "canary\r\nY: 1"}, {"X Y": "canary"}, {"X": 1}, {"X": "canary\u20ac"}]
)
def test_a_header_that_cannot_be_sent_is_refused_without_its_value(headers: Any) -> None:
    with pytest.raises(StoreError, match="expected a name and one line of Latin-1 text") as caught:
        HTTPStore("http://h/", headers=headers)
    assert "canary" not in str(caught.value)


def test_user_and_password_are_sent_as_basic_authorization() -> None:
    with scripted(lambda request: request.reply(200)) as (plain, server):
        with HTTPStore(plain.url.replace("//", "//m%40e:p%2Fw@"), retries=0) as store:
            store.get("a")
        assert server.log[0][1]["Authorization"] == "Basic bUBlOnAvdw=="


def test_a_pickle_holds_credentials_only_where_that_was_asked_for() -> None:
    url, headers = "https://me:canary@h/x?sig=canary", {"X-Key": "canary"}
    shut = pickle.dumps(HTTPStore(url, headers=headers, timeout=7))
    assert b"canary" not in shut
    assert pickle.loads(shut)._options["timeout"] == 7
    opened = pickle.loads(pickle.dumps(HTTPStore(url, headers=headers, pickle_credentials=True)))
    assert opened._sent == HTTPStore(url, headers=headers)._sent
    assert opened._query == "sig=canary"


# --- index pages -----------------------------------------------------------------------------------


def page(*links: str) -> Callable[[Script], None]:
    body = "".join(f'<a href="{link}">x</a>' for link in links).encode()
    return lambda request: request.reply(200, body, Content_Type="text/html; charset=utf-8")


def test_only_what_lies_directly_below_is_listed() -> None:
    links = ["a", "./b", "/d/c", "d/", "../", "/", "/d/", "?C=N;O=D", "e/f", "http://other/d/x", "..%2Fup", "%5C",
             "#top", "mailto:me@h", "&amp;", "g%0A", "h%FF", "", "i%20j", "k/?x", "//other/d/l", ".", "%2E%2E/", "m:n"]  # fmt: skip
    with scripted(page(*links), "/") as (store, _):
        assert store.list_dir("d/") == Listing(
            ["d/&", "d/a", "d/b", "d/c", "d/g\n", "d/h\udcff", "d/i j"], ["d/d/"]
        )


def test_links_that_name_the_server_are_entries() -> None:
    def answer(request: Script) -> None:
        page(f"http://{request.headers['Host']}/d/a", "https://127.0.0.1/d/b")(request)

    with scripted(answer) as (store, _):
        assert store.list_dir("d/") == Listing(["d/a"], [])


@pytest.mark.parametrize("path", ["/a//b c", "//a/b c", "/a/b c//", "//a///b c/"])
def test_a_folder_is_listed_by_an_address_with_several_slashes_too(folder: Path, path: str) -> None:
    with (
        serving(partial(Files, directory=str(folder))) as url,
        HTTPStore(url + path, listable=True) as store,
    ):
        assert store.list_dir() == Listing(["ü#?%20"], [])


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (lambda request: request.reply(200, b"{}", Content_Type="application/json"), "a file"),
        (lambda request: request.reply(403), "the server answered 403, forbidden"),
        (lambda request: request.reply(404), "the server answered 404, not found"),
    ],
)
def test_a_server_without_indexes_lists_nothing_and_says_so(answer: Any, found: str) -> None:
    with scripted(answer) as (store, _):
        for prefix in ("", "a/"):
            with pytest.raises(StoreError, match=f"expected an index of this directory, found {found}"):
                store.list_dir(prefix)
        with pytest.raises(StoreError, match="cannot list"):
            list(store.list())


def test_as_many_requests_as_it_may_make_at_once_are_told() -> None:
    assert HTTPStore("http://localhost:1", concurrency=7).capabilities.parallel == 7
    assert HTTPStore("http://localhost:1").capabilities.parallel == 64
