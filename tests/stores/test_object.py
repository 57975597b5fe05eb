"""The object store over obstore's own memory and directory; tests/interop has it over a server of S3."""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom.errors import ReadOnlyError, StoreError
from zom.stores.interface import Listing, Range, Suffix, cut

if TYPE_CHECKING:
    from pathlib import Path

    from zom.stores.object import ObjectStore

obstore = pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")


@pytest.fixture(params=["memory", "local"])
def store(request: Any, tmp_path: Path) -> ObjectStore:
    from obstore.store import LocalStore, MemoryStore

    from zom.stores.object import ObjectStore

    return ObjectStore(MemoryStore() if request.param == "memory" else LocalStore(tmp_path))


class Failing:
    """obstore, where every call ends with one exception."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_async"):

            async def fail(*_: Any, **__: Any) -> Any:
                raise self.error
        else:

            def fail(*_: Any, **__: Any) -> Any:
                raise self.error

        return fail


def failing(error: Exception) -> ObjectStore:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    made = ObjectStore(MemoryStore(), url="s3://bucket")
    made._obstore = Failing(error)
    return made


RANGES = [Range(0, 3), Range(2, 3), Range(4, 99), Range(3), Range(6, 1), Range(6), Range(99), Range(99, 1), Range(0, 0), Range(9, 0), Suffix(2), Suffix(99), Suffix(0)]  # fmt: skip


@pytest.mark.parametrize("byte_range", RANGES)
@pytest.mark.parametrize("value", [b"abcdef", b""])
def test_ranges_mean_what_they_mean_for_bytes(store: ObjectStore, value: bytes, byte_range: Any) -> None:
    store.set("d/a", value)
    assert store.get("d/a", byte_range) == cut(value, byte_range)
    assert store.get_many([("d/a", byte_range), ("none", byte_range), "d/a"]) == [
        cut(value, byte_range),
        None,
        value,
    ]
    assert store.get("none", byte_range) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\\"), min_size=1, max_size=12), min_size=1, max_size=3))  # fmt: skip
def test_every_legal_key_comes_back_as_it_was(names: list[str]) -> None:
    from obstore.store import MemoryStore

    from zom.errors import PathError
    from zom.paths import check_key
    from zom.stores.object import ObjectStore

    key = "/".join(names)
    try:
        check_key(key)
    except PathError:
        return
    inner = ObjectStore(MemoryStore(), "pre/fix/")
    inner.set(key, b"1")
    assert list(inner.list()) == [key]
    assert inner.get(key) == b"1"
    inner.delete(key)
    assert list(inner.list()) == []


@pytest.mark.parametrize(
    "key",
    ["a b", "a%20b", "%", "%2F", "ü/é", "e\u0301", "a#b", "a?b", "a*b", "[x]{y}^`", "a|b", "<a>", '"', "a:b", "~", "..a", "a..", "...", ".a", "日本", "😀", " a", "a "],
)  # fmt: skip
def test_keys_with_odd_characters_are_kept_apart(store: ObjectStore, key: str) -> None:
    store.set_many({key: b"1", f"{key}x": b"2"})
    assert store.get_many([key, f"{key}x", f"{key}y"]) == [b"1", b"2", None]
    assert sorted(store.list()) == sorted([key, f"{key}x"])
    store.delete_many([key, "none"])
    assert list(store.list()) == [f"{key}x"]


def test_a_prefix_is_of_whole_names() -> None:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    store = ObjectStore(MemoryStore(), "p/")
    store.set_many(dict.fromkeys(["a", "a/x", "a/y/z", "ab/x", "a.b"], b"1"))
    assert sorted(store.list("a/")) == ["a/x", "a/y/z"]
    assert store.list_dir() == Listing(["a", "a.b"], ["a/", "ab/"])
    assert store.list_dir("a/") == Listing(["a/x"], ["a/y/"])
    assert store.list_dir("none/") == Listing([], [])
    store.delete_prefix("a/")
    assert sorted(store.list()) == ["a", "a.b", "ab/x"]
    assert ObjectStore(store._inner, "q/").list_dir() == Listing([], [])


def test_one_of_many_creators_wins(store: ObjectStore) -> None:
    wins: list[bool] = []
    barrier = threading.Barrier(8)

    def create(index: int) -> None:
        barrier.wait()
        wins.append(store.create("a", bytes([index])))

    threads = [threading.Thread(target=create, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(wins) == [False] * 7 + [True]


def test_a_value_is_replaced_only_where_it_is_still_the_one_read(store: ObjectStore) -> None:
    store.set("a", b"1")
    old = store.get_version("a")
    assert old is not None
    assert store.replace("a", b"2", old.version)
    assert not store.replace("a", b"3", old.version)
    assert store.get("a") == b"2"
    assert not store.replace("a", b"3", None)
    assert store.replace("b", b"1", None)
    store.delete("a")
    assert not store.replace("a", b"4", old.version)
    assert store.get_version("a") is None


def test_the_last_of_several_values_for_one_key_stays(store: ObjectStore) -> None:
    store.set_many([("a", b"1"), ("b", b"1"), ("a", b"2")])
    assert store.get_many(["a", "b"]) == [b"2", b"1"]


def test_a_batch_works_inside_a_running_event_loop(store: ObjectStore) -> None:
    async def cell() -> list[bytes | None]:
        store.set_many({"a": b"1", "b": b"2"})
        return store.get_many(["a", "b", "c"])

    assert asyncio.run(cell()) == [b"1", b"2", None]


def test_a_read_only_store_is_not_written() -> None:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    store = ObjectStore(MemoryStore(), read_only=True)
    for write in (lambda: store.set("a", b""), lambda: store.delete("a"), lambda: store.create("a", b"")):
        with pytest.raises(ReadOnlyError):
            write()


# --- failures --------------------------------------------------------------------------------------


def test_a_missing_bucket_is_an_error_and_no_missing_value() -> None:
    store = failing(FileNotFoundError("not found: 404\n<Error><Code>NoSuchBucket</Code></Error>"))
    for use in (
        lambda: store.get("a"),
        lambda: store.get_many(["a", "b"]),
        lambda: store.get_version("a"),
        lambda: store.set("a", b""),
        lambda: store.set_many({"a": b"", "b": b""}),
        lambda: store.create("a", b""),
        lambda: store.replace("a", b"", (("e_tag", "1"),)),
        lambda: store.delete("a"),
        lambda: store.delete_many(["a", "b"]),
        store.list_dir,
        lambda: list(store.list()),
    ):
        with pytest.raises(
            StoreError, match=r"s3://bucket: cannot .*: FileNotFoundError: not found: 404 \(NoSuchBucket\)"
        ):
            use()


@pytest.mark.parametrize("error", [PermissionError("403"), TimeoutError("slow"), RuntimeError("broken")])
def test_every_failure_but_missing_is_an_error(error: Exception) -> None:
    store = failing(error)
    for use in (
        lambda: store.get("a"),
        lambda: store.get("a", Range(5, 1)),
        lambda: store.get_many(["a", ("b", Suffix(1))]),
        lambda: store.exists("a"),
        lambda: store.get_version("a"),
        lambda: store.set("a", b""),
        lambda: store.create("a", b""),
        lambda: store.delete("a"),
        store.list_dir,
    ):
        with pytest.raises(StoreError, match=f"{type(error).__name__}: {error}"):
            use()


def test_of_many_the_one_that_failed_is_named() -> None:
    with pytest.raises(StoreError, match=r"cannot read 'c/0': PermissionError: no"):
        failing(PermissionError("no")).get_many(["c/0", "c/1"])


class NoSuffixes:
    """The functions of obstore, as of Azure: no range counts from the end. Each object is replaced, as often as is said."""

    def __init__(self, replaced: int = 0) -> None:
        import obstore

        self._obstore, self._replaced = obstore, replaced

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obstore, name)

    def _refuse(self, options: Any) -> None:
        from obstore.exceptions import NotSupportedError

        if "suffix" in (options or {}).get("range", {}):
            raise NotSupportedError("Azure does not support suffix range requests")

    def head(self, inner: Any, path: str) -> Any:
        meta = self._obstore.head(inner, path)
        if self._replaced:
            self._replaced -= 1
            self._obstore.put(inner, path, b"another %d" % self._replaced)
        return meta

    async def head_async(self, inner: Any, path: str) -> Any:
        return self.head(inner, path)

    def get(self, inner: Any, path: str, options: Any = None) -> Any:
        self._refuse(options)
        return self._obstore.get(inner, path, options=options)

    async def get_async(self, inner: Any, path: str, options: Any = None) -> Any:
        self._refuse(options)
        return await self._obstore.get_async(inner, path, options=options)


@pytest.mark.parametrize("most", [1, 9])
def test_the_end_of_a_value_is_read_where_no_range_counts_from_the_end(most: int) -> None:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    store = ObjectStore(MemoryStore())
    store.set_many({"a": b"12345", "b": b"123", "empty": b""})
    store._obstore = NoSuffixes()
    wanted = [
        ("a", Suffix(2)),
        ("missing", Suffix(2)),
        ("b", Suffix(9)),
        ("empty", Suffix(3)),
        ("a", Suffix(0)),
        ("a", Range(0, 2)),
    ]
    found = [b"45", None, b"123", b"", b"", b"12"]
    assert (store.get_many(wanted) if most > 1 else [store.get(*each) for each in wanted]) == found
    # One that is replaced between the look and the read is looked at again, and at last told.
    store._obstore = NoSuffixes(3)
    asked = [("a", Suffix(3))] * most
    assert store.get_many(asked)[0] == b"r 0"
    store._obstore = NoSuffixes(99)
    with pytest.raises(StoreError, match="cannot read 'b': PreconditionError"):
        store.get("b", Suffix(1))


def test_a_backslash_is_no_part_of_a_name_in_azure() -> None:
    from obstore.store import AzureStore, MemoryStore

    from zom.stores.object import ObjectStore

    azure = AzureStore("container", account_name="none", skip_signature=True)
    assert (ObjectStore(azure).holds("a\\b"), ObjectStore(azure).holds("a/b")) == (False, True)
    assert ObjectStore(MemoryStore()).holds("a\\b")


class Bulk:
    """obstore over its memory, as over S3: it deletes several objects at one request, or none of them where one is `held`."""

    def __init__(self, held: str | None = None) -> None:
        self.held = held
        self.requests: list[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(obstore, name)

    def delete(self, inner: Any, paths: str | list[str]) -> None:
        asked = [paths] if isinstance(paths, str) else paths
        self.requests.append(asked)
        if self.held in asked:
            raise PermissionError("Error performing POST: access denied")
        for path in asked:
            if path in {each["path"] for each in obstore.list(inner).collect()}:
                obstore.delete(inner, path)

    async def delete_async(self, inner: Any, paths: str | list[str]) -> None:
        self.delete(inner, paths)


def bulk(held: str | None = None) -> tuple[ObjectStore, Bulk]:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    made, calls = ObjectStore(MemoryStore(), "data/", url="s3://bucket/data"), Bulk(held)
    made._at_once, made._obstore = 100, calls
    return made, calls


def test_a_service_deletes_many_objects_at_one_request() -> None:
    store, calls = bulk()
    keys = [f"c/{number}" for number in range(210)]
    store.set_many(dict.fromkeys([*keys, "zarr.json"], b"1"))
    store.delete_many([*keys, "none"])
    assert sorted(map(len, calls.requests)) == [11, 100, 100]
    assert list(store.list()) == ["zarr.json"]


def test_of_many_that_are_deleted_at_one_request_the_one_that_can_not_be_is_named() -> None:
    store, _ = bulk("data/c/7")
    keys = [f"c/{number}" for number in range(10)]
    store.set_many(dict.fromkeys(keys, b"1"))
    with pytest.raises(StoreError, match=r"cannot delete 'c/7': .*access denied"):
        store.delete_many(keys)
    assert sorted(store.list()) == ["c/7", "c/8", "c/9"]


def test_messages_hold_the_first_line_and_no_address_with_a_signature() -> None:
    text = (
        "Generic error: GET https://me:canary@host/k?sig=canary&x=1 in 2ms - 403: <?xml version='1.0'?>\n"
        "<Error><Code>AccessDenied</Code></Error>\n\nDebug source:\nAuthorization: canary"
    )
    with pytest.raises(StoreError) as caught:
        failing(PermissionError(text)).get("a")
    assert (
        caught.value.reason
        == "PermissionError: Generic error: GET https://host/k?... in 2ms - 403 (AccessDenied)"
    )
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_what_is_left_after_a_fork_says_so_instead_of_waiting_forever() -> None:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    store = ObjectStore(MemoryStore())
    store.set_many({"a": b"1", "b": b"1"})
    for use in (lambda: store.get("a"), lambda: store.get_many(["a", "b"]), lambda: list(store.list())):
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            try:
                use()
            except StoreError as error:
                os._exit(0 if "use spawn or forkserver" in error.reason else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# --- addresses and credentials ---------------------------------------------------------------------


def test_stores_of_obstore_are_shown_by_where_they_are() -> None:
    from obstore import store as kinds

    from zom.stores.object import ObjectStore

    s3 = kinds.S3Store("bkt", prefix="p", region="x", access_key_id="canary", secret_access_key="canary")
    assert ObjectStore(s3, "q/").url == "s3://bkt/p/q"
    assert (
        ObjectStore(kinds.AzureStore("cont", account_name="acc", account_key="Y2FuYXJ5")).url == "az://cont"
    )
    web = ObjectStore(kinds.HTTPStore("https://me:canary@example.org/x"))
    assert repr(web) == "<ObjectStore https://example.org/x>"
    assert not web.capabilities.writable
    assert ObjectStore(kinds.MemoryStore()).url == "obstore-memory:"


@pytest.mark.parametrize("url", ["s3://AK:canary@bkt/x", "s3://bkt/x?canary", "s3://bkt/x#canary"])
def test_a_url_with_parts_that_would_be_dropped_is_refused(url: str) -> None:
    from zom.stores.object import ObjectStore

    with pytest.raises(
        StoreError, match="s3://bkt/x: cannot open: expected no user, query or fragment"
    ) as caught:
        ObjectStore.from_url(url)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"skip_signature": "canary"},
        {"nope": "canary"},
        {"client_options": {"default_headers": {"Authorization": "canary\n"}}},
        {"client_options": {"nope": "canary"}},
        {"endpoint": "http://me:canary@h", "client_options": {"timeout": "canary"}},
        {"timeout": "canary"},  # no option at that place: obstore breaks down
    ],
)
def test_an_option_that_obstore_refuses_is_told_without_its_value(options: Any) -> None:
    from zom.stores.object import ObjectStore

    with pytest.raises(StoreError) as caught:
        ObjectStore.from_url("s3://bkt/x", **options)
    error = caught.value
    assert "canary" not in f"{error} {error.args} {error.__cause__} {error.__context__}"


def test_a_pickle_holds_credentials_only_where_that_was_asked_for() -> None:
    from zom.stores.object import ObjectStore

    options = {
        "region": "eu",
        "endpoint": "http://me:canary@localhost:1",
        "access_key_id": "canary",
        "aws_secret_access_key": "canary",
        "client_options": {"allow_http": True, "default_headers": {"X": "canary"}},
    }
    shut = pickle.dumps(ObjectStore.from_url("s3://bkt/x", **options))
    assert b"canary" not in shut
    assert pickle.loads(shut)._recipe[1]["client_options"] == {"allow_http": True}
    asked = pickle.loads(pickle.dumps(ObjectStore.from_url("s3://bkt/x", pickle_credentials=True, **options)))
    assert asked._inner.config["secret_access_key"] == "canary"


def test_a_store_made_from_an_object_is_not_pickled() -> None:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    with pytest.raises(StoreError, match="the pickle would contain its credentials"):
        pickle.dumps(ObjectStore(MemoryStore()))


def test_as_many_requests_as_are_in_flight_are_told() -> None:
    from obstore.store import MemoryStore

    from zom.stores.object import ObjectStore

    assert ObjectStore(MemoryStore(), concurrency=7).capabilities.parallel == 7
    assert ObjectStore(MemoryStore()).capabilities.parallel >= 16
