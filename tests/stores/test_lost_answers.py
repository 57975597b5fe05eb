"""Conditional puts whose answer is lost: a small server of S3 does them, and does not say so."""

from __future__ import annotations

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import zom
from zom.errors import StoreError
from zom.stores.object import heeding

obstore = pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")

DATE = "Wed, 21 Oct 2015 07:28:00 GMT"


class Bucket(ThreadingHTTPServer):
    """Objects in memory, with conditions; `mishaps` happen to the puts that come, after they are done.

    A mishap is a status, or 0 for a connection that is closed without an answer.
    """

    def __init__(self, *, keeps_metadata: bool) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.keeps_metadata = keeps_metadata
        self.knows_conditions = True
        self.heeded = ("If-Match", "If-None-Match")
        self.refused = 0
        self.objects: dict[str, tuple[bytes, str, dict[str, str]]] = {}
        self.mishaps: list[int | None] = []
        self.puts = 0
        self.guard = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: connections are closed on purpose."""


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Bucket

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
        """Nothing is said."""

    def answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server, key = self.server, unquote(urlsplit(self.path).path)
        is_conditional = "If-Match" in self.headers or "If-None-Match" in self.headers
        if is_conditional and not server.knows_conditions:
            self.answer(501, b"<Error><Code>NotImplemented</Code></Error>")
            return
        with server.guard:
            there = server.objects.get(key)
            conditions = {name: self.headers[name] for name in server.heeded}
            wanted = conditions.get("If-Match")
            if (conditions.get("If-None-Match") == "*" and there) or (
                wanted is not None and (there is None or there[1] != wanted)
            ):
                server.refused += 1
                self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
                return
            server.puts += 1
            metadata = {
                name: value for name, value in self.headers.items() if name.lower().startswith("x-amz-meta-")
            }
            tag = f'"{server.puts}"'
            server.objects[key] = (body, tag, metadata if server.keeps_metadata else {})
            mishap = server.mishaps.pop(0) if server.mishaps else None
        if mishap == 0:
            self.close_connection = True
            self.connection.close()
        elif mishap is not None:
            self.answer(mishap, b"<Error><Code>InternalError</Code></Error>")
        else:
            self.answer(200, headers={"ETag": tag})

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        if "list-type" in query:
            self.list(query)
            return
        found = self.server.objects.get(unquote(parts.path))
        if found is None:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        self.answer(200, found[0], {"ETag": found[1], "Last-Modified": DATE, **found[2]})

    do_HEAD = do_GET  # noqa: N815 - its name in the base class

    def list(self, query: dict[str, list[str]]) -> None:
        prefix = query.get("prefix", [""])[0]
        keys = [key.removeprefix("/bucket/") for key in self.server.objects]
        below = sorted(key for key in keys if key.startswith(prefix))
        entries = ""
        if "delimiter" in query:
            folders = {
                prefix + key[len(prefix) :].split("/")[0] for key in below if "/" in key[len(prefix) :]
            }
            entries = "".join(
                f"<CommonPrefixes><Prefix>{folder}/</Prefix></CommonPrefixes>" for folder in folders
            )
            below = [key for key in below if "/" not in key[len(prefix) :]]
        entries += "".join(
            f"<Contents><Key>{key}</Key><LastModified>2015-10-21T07:28:00.000Z</LastModified><Size>"
            f"{len(self.server.objects[f'/bucket/{key}'][0])}</Size></Contents>"
            for key in below
        )
        self.answer(
            200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>".encode()
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        keys = [part.partition("</Key>")[0] for part in body.split("<Key>")[1:]]
        for key in keys:
            self.server.objects.pop(f"/bucket/{key}", None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self.answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def do_DELETE(self) -> None:
        self.server.objects.pop(unquote(urlsplit(self.path).path), None)
        self.answer(204)


@pytest.fixture(params=[True, False], ids=["metadata", "no metadata"])
def bucket(request: Any):
    server = Bucket(keeps_metadata=request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def opened(bucket: Bucket, options: dict[str, Any] | None = None, **retry: Any) -> zom.Store:
    return zom.store(
        "s3://bucket",
        endpoint=f"http://127.0.0.1:{bucket.server_port}",
        region="us-east-1",
        access_key_id="key",
        secret_access_key="secret",
        client_options={"allow_http": True},
        **({"retry_config": retry} if retry else {}),
        **(options or {}),
    )


MISHAPS = [[500], [503], [0], [500, 0]]


@pytest.mark.slow
@pytest.mark.parametrize("mishaps", MISHAPS)
def test_a_value_that_was_created_is_created_though_the_answer_was_lost(bucket, mishaps):
    store = opened(bucket)
    bucket.mishaps[:] = mishaps
    assert store.create("a", b"1")
    assert not store.create("a", b"2")
    assert not store.create("a", b"1")
    assert store.get("a") == b"1"


@pytest.mark.slow
@pytest.mark.parametrize("mishaps", MISHAPS)
def test_of_a_batch_what_was_created_is_created_though_its_answer_was_lost(bucket, mishaps):
    store = opened(bucket)
    store.set("b", b"theirs")
    bucket.mishaps[:] = mishaps
    assert store.create_many({"a": b"1", "b": b"2", "c": b"3"}) == [True, False, True]
    assert store.get_many(["a", "b", "c"]) == [b"1", b"theirs", b"3"]


@pytest.mark.slow
@pytest.mark.parametrize("mishaps", MISHAPS)
def test_a_value_that_was_replaced_is_replaced_though_the_answer_was_lost(bucket, mishaps):
    store = opened(bucket)
    store.set("a", b"0")
    found = store.get_version("a")
    assert found is not None
    bucket.mishaps[:] = mishaps
    assert store.replace("a", b"1", found.version)
    assert not store.replace("a", b"1", found.version)
    assert not store.replace("a", b"2", found.version)
    assert not store.replace("missing", b"2", found.version)
    assert store.get("a") == b"1"


def test_what_another_wrote_after_a_lost_answer_is_not_ours(bucket):
    """The put is done, its answer is lost, and another takes the place before it is repeated."""
    store = opened(bucket)
    answered = bucket.RequestHandlerClass.answer

    def answer(self: Any, status: int, *rest: Any, **options: Any) -> None:
        if status == 500:
            bucket.objects["/bucket/a"] = (b"another", '"x"', {})
        answered(self, status, *rest, **options)

    bucket.RequestHandlerClass = type("Taken", (Answers,), {"answer": answer})
    bucket.mishaps[:] = [500]
    assert not store.create("a", b"1")
    assert store.get("a") == b"another"


def test_of_many_who_create_the_same_bytes_one_wins(bucket):
    if bucket.keeps_metadata:
        # The answer to the winner is lost. Without metadata, nobody could tell equal values apart then.
        bucket.mishaps[:] = [500]
    won: Counter[bool] = Counter()
    barrier = threading.Barrier(8)

    def create() -> None:
        store = opened(bucket)
        barrier.wait()
        won[store.create("a", b"same")] += 1

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == {True: 1, False: 7}


def test_a_put_whose_every_answer_was_lost_is_looked_for(bucket):
    store = opened(bucket, max_retries=0)
    bucket.mishaps[:] = [500]
    if bucket.keeps_metadata:
        assert store.create("a", b"1")
    else:
        with pytest.raises(StoreError, match="cannot write 'a'"):
            store.create("a", b"1")
    assert store.get("a") == b"1"


SPEC = zom.v3.GroupSpec(
    members={
        "a": zom.v3.ArraySpec.build(shape=(8,), dtype="int8", chunks=(4,)),
        "g": zom.v3.GroupSpec(members={"b": zom.v3.ArraySpec.build(shape=(2,), dtype="int8")}),
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("mishap", [500, 0])
def test_no_lost_answer_wedges_a_hierarchy(bucket, mishap):
    """Each put in turn: made, changed in part, given attributes, resized."""
    number = 0
    while True:
        bucket.objects.clear()
        store = opened(bucket)
        bucket.mishaps[:] = [None] * number + [mishap]
        root = zom.materialize(SPEC, store)
        root["a"][1:3] = 7
        root["a"].attrs["n"] = 1
        root["a"].resize((12,))
        assert not [
            each
            for each in zom.validate(store, conventions=(), data="keys").problems
            if each.severity != "note"
        ]
        assert root["a"][:4].tolist() == [0, 7, 7, 0]
        assert zom.open(store, "a").shape == (12,)
        if bucket.mishaps:
            break
        number += 1
    assert number > 5


ARRAY = zom.v3.ArraySpec.build(shape=(4,), chunks=(2,), dtype="int8")


def test_a_service_without_conditional_puts_says_how_to_do_without_them(bucket):
    bucket.knows_conditions = False
    store = opened(bucket, max_retries=0)
    for write in (
        lambda: store.create("a", b"1"),
        lambda: store.create_many({"a": b"1", "b": b"1"}),
        lambda: zom.create_array(store, ARRAY),
        lambda: zom.materialize(zom.v3.GroupSpec(members={"a": ARRAY}), store),
    ):
        with pytest.raises(StoreError, match=r"can't create an object only if it is missing; .*='disabled'"):
            write()
    assert bucket.objects == {}
    store.set("a", b"1")
    assert store.get("a") == b"1"


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_service_without_conditional_puts_is_written_where_that_is_said(bucket, monkeypatch, by):
    bucket.knows_conditions = False
    if by == "environment":
        monkeypatch.setenv("AWS_CONDITIONAL_PUT", "disabled")
    store = opened(bucket, {"conditional_put": "disabled"} if by == "option" else None)
    assert not store.capabilities.create_if_absent
    assert not store.capabilities.compare_and_set
    tree = zom.v3.GroupSpec(members={"a": ARRAY, "g": zom.v3.GroupSpec(members={"b": ARRAY})})
    zom.materialize(tree, store)
    zom.open(store, mode="r+")["g/b"][...] = [1, 2, 3, 4]
    assert zom.open(store)["g/b"][1:].tolist() == [2, 3, 4]
    assert store.create("new", b"1")
    assert not store.create("new", b"2")
    found = store.get_version("new")
    assert store.replace("new", b"3", found.version)
    assert not store.replace("new", b"4", found.version)
    store.delete("new")
    assert zom.validate(store, data="all").ok


@pytest.fixture
def unknown(monkeypatch):
    """No service was seen to heed conditions: a port may be that of a server before."""
    monkeypatch.setattr(heeding, "_shown", set())


@pytest.mark.usefixtures("unknown")
def test_a_service_that_passes_over_all_conditions_is_refused_before_anybody_loses_anything(bucket):
    bucket.heeded = ()
    store = opened(bucket, max_retries=0)
    for write in (
        lambda: store.create("a", b"1"),
        lambda: store.create_many({"a": b"1", "b": b"1"}),
        lambda: store.replace("a", b"1", None),
        lambda: zom.create_array(store, ARRAY),
        lambda: zom.materialize(zom.v3.GroupSpec(members={"a": ARRAY}), store),
    ):
        with pytest.raises(
            StoreError,
            match=r"the condition of a create and overwrites existing objects, .*conditional_put='disabled'",
        ):
            write()
        assert bucket.objects == {}
    store.set("a", b"1")
    assert store.get("a") == b"1"


@pytest.mark.usefixtures("unknown")
def test_a_service_that_passes_over_versions_is_refused_when_a_part_of_a_chunk_changes(bucket):
    bucket.heeded = ("If-None-Match",)
    store = opened(bucket, max_retries=0)
    array = zom.create_array(store, ARRAY)
    array[:2] = [1, 2]
    with pytest.raises(
        StoreError,
        match=r"the condition of a replace and overwrites changed objects, .*conditional_put='disabled'",
    ):
        array[:1] = 3
    found = store.get_version("zarr.json")
    with pytest.raises(StoreError, match="the condition of a replace and overwrites changed objects"):
        store.replace("zarr.json", found.value, found.version)


@pytest.mark.usefixtures("unknown")
def test_what_passes_over_conditions_is_written_where_nobody_else_writes(bucket):
    bucket.heeded = ()
    store = opened(bucket, {"conditional_put": "disabled"})
    zom.materialize(zom.v3.GroupSpec(members={"a": ARRAY}), store)
    zom.open(store, mode="r+")["a"][1:] = [2, 3, 4]
    assert zom.open(store)["a"][1:].tolist() == [2, 3, 4]


@pytest.mark.usefixtures("unknown")
def test_what_heeds_conditions_is_asked_once_for_each_of_them(bucket):
    for place in range(3):
        store = opened(bucket)
        assert store.create(f"a{place}", b"1")
        found = store.get_version(f"a{place}")
        assert store.replace(f"a{place}", b"2", found.version)
        assert store.create_many({f"b{place}": b"1", f"c{place}": b"1"}) == [True, True]
    assert bucket.refused == 2
    assert store.get("a2") == b"2"


@pytest.mark.usefixtures("unknown")
def test_a_failure_of_the_question_is_none_of_the_put(bucket):
    """The put is done, and the network fails when it is asked for again: the next put asks anew."""
    store = opened(bucket, max_retries=0)
    done = bucket.RequestHandlerClass.do_PUT

    def put(self):
        if bucket.puts == 1 and not bucket.refused and "/bucket/a" in self.path:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(403)
        else:
            done(self)

    bucket.RequestHandlerClass = type("Failing", (Answers,), {"do_PUT": put})
    assert store.create("a", b"1")
    assert bucket.refused == 0
    assert store.create("b", b"1")
    assert bucket.refused == 1


@pytest.mark.parametrize(
    ("options", "is_asked"),
    [
        ({}, False),
        ({"endpoint": "https://s3.eu-west-1.amazonaws.com"}, False),
        ({"endpoint": "https://s3.cn-north-1.amazonaws.com.cn"}, False),
        ({"endpoint": "https://amazonaws.com.example.org"}, True),
        ({"endpoint": "http://localhost:9000"}, True),
        ({"aws_endpoint_url": "https://storage.googleapis.com"}, True),
    ],
)
def test_who_is_asked(options, is_asked, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    stores = pytest.importorskip("obstore.store", reason="pip install 'zom[cloud]'")
    assert (heeding.service_of(stores.from_url("s3://bucket", region="r", **options)) is not None) is is_asked


def test_an_address_of_the_environment_is_asked(monkeypatch):
    stores = pytest.importorskip("obstore.store", reason="pip install 'zom[cloud]'")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:9000")
    assert heeding.service_of(stores.from_url("s3://bucket", region="r")) == "http://localhost:9000 bucket"
    assert heeding.service_of(stores.from_url("gs://bucket", skip_signature=True)) is None
