"""The local store among files that are none of its own, other processes, and failures."""
# ruff: noqa: PTH104, PTH106, PTH108, PTH208, PTH211 - what the store does with os is tested with os

import errno
import os
import pickle
import shutil
import signal
import socket
import threading
import time
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ReadOnlyError, StoreError
from zom.stores.interface import Range, Suffix, Wanted
from zom.stores.local import LocalStore
from zom.stores.system import direct


@pytest.fixture
def store(tmp_path):
    with LocalStore(tmp_path / "store") as store:
        yield store


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file").write_bytes(b"outside")
    return folder


def names(folder):
    """The names in a folder; the file of locks is there as long as a store that wrote is open."""
    return sorted(os.listdir(folder))


def tree(folder):
    """Every file below a folder, with its bytes, but for the file of locks."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def in_children(count, work):
    """Fork `count` processes that run `work(number)`, and wait; each must end well."""
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = int(work(number) or 0)
            finally:
                os._exit(code)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


# --- what is no regular file ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "expected a regular file, found a pipe"),
        (os.mkdir, "expected a regular file, found a directory"),
        (lambda path: os.symlink("/dev/zero", path), "expected a regular file, found a device"),
        (
            lambda path: os.symlink(path, path),
            "a symbolic link that is not followed, or that leads to itself",
        ),
        (lambda path: os.symlink("nowhere", path), "the target of the symbolic link 'odd' is missing"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "no such device or address"),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_no_regular_file_is_an_error(store, monkeypatch, make, reason):
    monkeypatch.chdir(store.root)
    make(Path("odd"))
    for act in (store.get, store.exists, store.get_version):
        with pytest.raises(StoreError, match=f"cannot read 'odd': {reason}"):
            act("odd")
    with pytest.raises(StoreError, match=f"cannot read 'odd': {reason}"):
        store.get_many([("missing", None), ("odd", Range(0, 1))])
    for act in (
        lambda: store.set("odd", b"1"),
        lambda: store.set_partial("odd", 0, b"1"),
        lambda: store.create("odd", b"1"),
        lambda: store.delete("odd"),
    ):
        with pytest.raises(StoreError, match="'odd'"):
            act()
    assert os.path.lexists("odd")


def test_a_file_where_a_directory_should_be_is_an_error(store):
    store.set("a", b"1")
    for act in (
        lambda: store.get("a/b"),
        lambda: store.set("a/b", b"2"),
        lambda: store.create("a/b/c", b"2"),
        lambda: store.delete("a/b"),
    ):
        with pytest.raises(StoreError, match=r"'a/b.*': not a directory"):
            act()
    assert tree(store.root) == {"a": b"1"}


def test_a_name_that_the_system_finds_too_long_is_an_error(store):
    for act in (lambda: store.get("a" * 256), lambda: store.set("a" * 256, b"1")):
        with pytest.raises(StoreError, match="file name too long"):
            act()
    store.set("a" * 255, b"1")
    assert store.get("a" * 255) == b"1"


@pytest.mark.parametrize("follow", [True, False])
def test_a_key_may_be_longer_than_a_path(tmp_path, follow):
    key = "/".join(["é" * 100] * 30)
    with LocalStore(tmp_path, follow_symlinks=follow) as store:
        assert store.get(key) is None
        store.set(key, b"1")
        assert store.get(key) == b"1"
        assert list(store.list()) == [key]
        assert store.get(f"{key}x") is None
        store.delete(key)
        assert tree(tmp_path) == {}


def test_a_range_of_any_length_takes_no_more_memory_than_the_value(store):
    store.set("a", b"123")
    assert store.get("a", Range(1, 1 << 50)) == b"23"
    assert store.get("a", Suffix(1 << 50)) == b"123"


# --- symbolic links --------------------------------------------------------------------------------------


def test_links_are_read_through_unless_it_is_forbidden(store, outside):
    (store.root / "link").symlink_to(outside)
    (store.root / "file").symlink_to(outside / "file")
    assert store.get_many(["link/file", "file"]) == [b"outside", b"outside"]
    assert sorted(store.list()) == ["file", "link/file"]
    assert store.list_dir() == (["file"], ["link/"])
    with LocalStore(store.root, follow_symlinks=False) as strict:
        for key in ("link/file", "file"):
            with pytest.raises(
                StoreError, match=f"cannot read '{key}': a symbolic link that is not followed"
            ):
                strict.get(key)
        assert strict.list_dir() == ([], [])
        assert list(strict.list()) == []
        with pytest.raises(StoreError, match="a symbolic link that is not followed"):
            list(strict.list("link/"))


def test_nothing_is_written_or_deleted_through_a_link(store, outside):
    (store.root / "link").symlink_to(outside)
    (store.root / "file").symlink_to(outside / "file")
    (store.root / "kept").write_bytes(b"kept")
    for key in ("link/file", "link/new", "link/new/new", "file"):
        for act in (
            lambda key=key: store.set(key, b"1"),
            lambda key=key: store.set_many({key: b"1"}),
            lambda key=key: store.set_partial(key, 0, b"1"),
            lambda key=key: store.delete(key),
            lambda key=key: store.delete_many([key]),
        ):
            with pytest.raises(StoreError, match=key.partition("/")[0]):
                act()
    for act in (
        lambda: store.create("link/new", b"1"),
        lambda: store.delete_prefix("link/"),
        lambda: store.delete_prefix(""),
        lambda: store.rename("link/", "x/"),
    ):
        with pytest.raises(StoreError):
            act()
    assert tree(outside) == {"file": b"outside"}
    assert names(store.root) == ["file", "kept", "link"]


CIRCLES = {
    "itself": {"a/up": "."},
    "the root": {"a/up": ".."},
    "a directory that holds the root": {"a/up": "../.."},
    "twice": {"a/left": ".", "a/right": "."},
    "each other": {"a/to-b": "../b", "b/to-a": "../a"},
    "far below": {f"{'/'.join(['b' * 200] * 8)}/up": "/".join([".."] * 8)},
}


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_link_to_a_directory_above_does_not_list_for_ever(store, circle):
    links = CIRCLES[circle]
    for link in links:
        folder, _, name = link.rpartition("/")
        store.set(f"{folder}/kept", b"1")
        with LocalStore(store.root / folder) as held:
            (held.root / name).symlink_to(links[link])
    told = "a symbolic link that leads to a directory above it"
    with pytest.raises(StoreError, match=rf"cannot list '[^']+': {told}"):
        list(store.list())
    refused = []
    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            waiting.extend(store.list_dir(here).prefixes)
        except StoreError as error:
            refused.append(str(error))
    assert 1 <= len(refused) <= 2 * len(links)
    assert all(told in each for each in refused)
    with LocalStore(store.root, follow_symlinks=False) as strict:
        assert sorted(strict.list()) == sorted({f"{link.rpartition('/')[0]}/kept" for link in links})


def test_beside_a_link_to_a_directory_above_a_hierarchy_is_read(tmp_path):
    told = "a symbolic link that leads to a directory above it"
    spec = v3.GroupSpec(members={"x": v3.ArraySpec.build(shape=(4,), dtype="int8")})
    zom.materialize(spec, tmp_path / "a.zarr")["x"][:] = 1
    for name in ("latest", "old"):
        (tmp_path / "a.zarr" / name).symlink_to(".")
    found = [
        problem
        for problem in zom.validate(tmp_path / "a.zarr", conventions=())
        if problem.severity == "error"
    ]
    assert [(each.node, each.code) for each in found] == [
        ("/latest", "store/unlisted-group"), ("/old", "store/unlisted-group")
    ]  # fmt: skip
    with pytest.raises(StoreError, match="cannot list 'latest"):
        zom.copy(tmp_path / "a.zarr", tmp_path / "b.zarr", on_error="raise")
    with pytest.warns(
        zom.SpecWarning,
        match=rf"some nodes are not copied: /latest: .* {told}; remove the link, and 1 more problem$",
    ):
        zom.copy(tmp_path / "a.zarr", tmp_path / "c.zarr")
    assert zom.open(tmp_path / "c.zarr")["x"][:].tolist() == [1] * 4


@pytest.mark.parametrize("name", ["data", "Data", "ÄÖÜ"])
def test_a_link_to_a_disk_that_is_away_is_no_missing_value(store, name):
    (store.root / name).symlink_to("/not/mounted")
    for act in (
        lambda: store.get(f"{name}/c/0"),
        lambda: store.exists(f"{name}/c/0"),
        lambda: list(store.list(f"{name}/")),
    ):
        with pytest.raises(StoreError, match=f"the target of the symbolic link '{name}' is missing"):
            act()


@pytest.mark.parametrize("is_direct", [True, False])
def test_a_directory_that_became_a_link_to_itself_is_not_written_through(store, monkeypatch, is_direct):
    """Moved away and linked to, it is still the directory that the store wrote into before."""
    if not is_direct:
        monkeypatch.setattr(direct._Known, "call", None)
        monkeypatch.setattr(direct._Known, "is_tried", True)
    store.set("a/b/c/0", b"1")
    os.rename(store.root / "a", store.root.parent / "moved")
    (store.root / "a").symlink_to(store.root.parent / "moved")
    for act in (
        lambda: store.set("a/b/c/0", b"2"),
        lambda: store.set_many({"a/b/c/0": b"2", "a/b/c/1": b"2"}),
        lambda: store.create("a/b/c/1", b"2"),
        lambda: store.delete("a/b/c/0"),
    ):
        with pytest.raises(StoreError, match=r"'a/b/c/.': a symbolic link that is not followed"):
            act()
    assert tree(store.root.parent / "moved") == {"b/c/0": b"1"}


def test_a_link_that_is_swapped_in_leads_nowhere(store, outside):
    """Between two steps of a write, a directory becomes a link: the next step goes through no link."""
    store.set("a/b", b"1")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            for step in (
                lambda: os.rename(store.root / "a", store.root / "real"),
                lambda: os.symlink(outside, store.root / "a"),
                lambda: os.unlink(store.root / "a"),
                lambda: os.rename(store.root / "real", store.root / "a"),
            ):
                with suppress(OSError):  # the writer may have made a directory there
                    step()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for number in range(300):
            try:
                store.set("a/file", b"%d" % number)
                store.delete("a/file")
            except StoreError:
                continue
    finally:
        stop.set()
        thread.join()
    assert tree(outside) == {"file": b"outside"}


# --- the root --------------------------------------------------------------------------------------------


def test_a_deleted_root_is_an_error_and_no_missing_value(store):
    os.rmdir(store.root)
    for act in (
        lambda: store.get("a"),
        lambda: store.set("a", b"1"),
        lambda: store.set("a/b", b"1"),
        lambda: list(store.list()),
        store.list_dir,
        lambda: store.delete("a"),
    ):
        with pytest.raises(StoreError, match="the directory of the store was deleted"):
            act()


def test_the_root_is_found_again_after_chdir_and_when_it_moves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with LocalStore("relative") as store:
        store.set("a", b"1")
        monkeypatch.chdir("/")
        assert store.get("a") == b"1"
        assert store.url == str(tmp_path / "relative")
        os.rename(tmp_path / "relative", tmp_path / "moved")
        store.set("b", b"2")
    assert tree(tmp_path / "moved") == {"a": b"1", "b": b"2"}


def test_the_root_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with LocalStore(tmp_path / "link") as store:
        store.set("a/b", b"1")
    assert tree(tmp_path / "real") == {"a/b": b"1"}


@pytest.mark.parametrize("options", [{"read_only": True}, {"create": False}])
def test_a_root_that_is_missing_is_not_made_for_reading(tmp_path, options):
    with pytest.raises(StoreError, match="cannot open: no such file or directory"):
        LocalStore(tmp_path / "missing", **options)
    assert os.listdir(tmp_path) == []


def test_a_file_is_no_root(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=r"cannot open: (file exists|not a directory)"):
        LocalStore(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot open: not a directory"):
        LocalStore(tmp_path / "file", create=False)


def test_an_unknown_durability_is_refused(tmp_path):
    with pytest.raises(StoreError, match="expected durability none, file or full, got 'some'"):
        LocalStore(tmp_path, durability="some")


def test_a_closed_store_says_so(store):
    store.close()
    for act in (
        lambda: store.get("a"),
        lambda: store.set("a", b"1"),
        lambda: list(store.list()),
        store.sweep,
    ):
        with pytest.raises(StoreError, match="the store is closed"):
            act()


def test_a_store_that_is_forgotten_gives_its_descriptor_back(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        LocalStore(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_operation_leaks_a_descriptor(store):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        store.set("a/b", b"1")
        store.create("a/c", b"1")
        store.get_many(["a/b", "a/missing"])
        with store.lock("a/b"):
            store.set_partial("a/b", 0, b"2")
        with pytest.raises(StoreError):
            store.set("a/b/c", b"1")
        with pytest.raises(StoreError):
            store.get("a")
        list(store.list())
        store.flush()
        store.delete_prefix("")
        store.sweep()
    assert len(os.listdir("/proc/self/fd")) == before


# --- what is ours and what isn't ---------------------------------------------------------------------------


def test_a_read_only_store_writes_nothing_at_all(store):
    store.set("a", b"1")
    (store.root / ".zom-tmp-left").write_bytes(b"")
    before = {path: path.lstat().st_mtime_ns for path in (store.root, *store.root.rglob("*"))}
    with LocalStore(store.root, read_only=True) as reader:
        assert reader.get("a") == b"1"
        list(reader.list())
        reader.flush()
        for act in (reader.sweep, lambda: reader.lock("a").__enter__(), lambda: reader.create("a", b"")):
            with pytest.raises(ReadOnlyError):
                act()
    assert {path: path.lstat().st_mtime_ns for path in (store.root, *store.root.rglob("*"))} == before


def test_our_own_files_are_never_listed_and_swept_where_nobody_holds_them(store):
    store.set("a/b", b"1")
    for name in (".zom-tmp-1", ".zom-lock-1", "a/.zom-tmp-2"):
        (store.root / name).write_bytes(b"left")
    assert list(store.list()) == ["a/b"]
    assert store.list_dir() == ([], ["a/"])
    with store.lock("a/b"):
        assert store.sweep() == 3
        assert sorted(os.listdir(store.root)) == ["a"]
    assert store.sweep() == 0
    assert os.listdir(store.root) == ["a"]
    assert tree(store.root) == {"a/b": b"1"}


@pytest.mark.parametrize("old", [None, b"old"], ids=["new", "replaced"])
def test_the_file_of_a_writer_that_lives_is_not_swept(store, old):
    """A writer that waits in the middle of a write finishes it, whoever sweeps meanwhile."""
    if old is not None:
        store.set("a/b", old)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        from zom.stores.local import new_file

        new_file.write_all = lambda descriptor, value: (
            os.write(write, b"x"),
            time.sleep(0.3),
            os.write(descriptor, value),
        )
        try:
            store.set("a/b", b"whole")
        finally:
            os._exit(0)
    os.read(read, 1)
    assert store.sweep() == 0
    os.waitpid(child, 0)
    os.close(read)
    os.close(write)
    assert tree(store.root) == {"a/b": b"whole"}


def test_a_file_that_gets_its_name_while_it_is_swept_is_left_alone(store, monkeypatch):
    """The writer ends between the moment that the sweep opens its file and the one that it locks it."""
    from zom.stores.local import temporary

    (store.root / ".zom-tmp-1").write_bytes(b"whole")
    real = temporary.lock

    def lock(descriptor, **how):
        os.rename(store.root / ".zom-tmp-1", store.root / "a")
        real(descriptor, **how)

    monkeypatch.setattr(temporary, "lock", lock)
    assert store.sweep() == 0
    assert tree(store.root) == {"a": b"whole"}


def test_names_that_are_no_keys_are_neither_listed_nor_deleted(store):
    for name in ("\\", "..\\up", "C:\\x", ".zom-tmp-1"):
        (store.root / name).write_bytes(b"foreign")
    store.set("a", b"1")
    assert list(store.list()) == ["a"]
    assert store.list_dir() == (["a"], [])
    store.delete_prefix("")
    assert len(names(store.root)) == 4


def test_names_that_zom_gives_to_nothing_are_keys_where_they_are(store):
    odd = ["back\\slash", "new\nline", os.fsdecode(b"\xff"), os.fsdecode("é".encode("latin-1"))]
    for name in odd:
        (store.root / name).write_bytes(name.encode(errors="surrogateescape"))
    assert sorted(store.list()) == sorted(odd)
    for name in odd:
        assert store.get(name) == name.encode(errors="surrogateescape")
    store.delete_many(odd[:2])
    store.delete_prefix("")
    assert names(store.root) == []


# --- threads and processes -----------------------------------------------------------------------------


def test_of_eight_processes_one_creates(store):
    """R7: 200 races."""
    races = 200

    def create(number):
        won = sum(store.create(f"race/{race}", b"%d" % number) for race in range(races))
        (store.root.parent / f"won-{number}").write_text(str(won))

    assert in_children(8, create) == [0] * 8
    assert sum(int((store.root.parent / f"won-{number}").read_text()) for number in range(8)) == races
    assert len(list(store.list("race/"))) == races
    assert not [name for name in tree(store.root) if ".zom-" in name]


@pytest.mark.slow
def test_no_update_is_lost_among_processes_and_threads(store):
    """R6: 10,000 rounds, 4 processes of 2 threads each."""
    store.set("count", b"0")

    def add(rounds):
        for _ in range(rounds):
            with store.lock("count"):
                store.set("count", b"%d" % (int(store.get("count")) + 1))

    def run(_):
        threads = [threading.Thread(target=add, args=(1250,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert in_children(4, run) == [0] * 4
    assert store.get("count") == b"10000"
    assert tree(store.root) == {"count": b"10000"}


def test_a_value_is_replaced_by_one_of_many_processes(store):
    store.set("count", b"0")

    def add(_):
        done = 0
        while done < 100:
            found = store.get_version("count")
            done += store.replace("count", b"%d" % (int(found.value) + 1), found.version)

    assert in_children(4, add) == [0] * 4
    assert store.get("count") == b"400"


def test_a_writer_and_a_deleter_in_one_directory_do_not_hinder_each_other(store):
    def work(number):
        for _ in range(400):
            store.set(f"a/b/c/{number}", b"1")
            store.delete(f"a/b/c/{number}")

    assert in_children(4, work) == [0] * 4
    assert names(store.root) == []


def test_a_lister_never_trips_over_writers(store):
    store.set("kept/key", b"1")
    stop = threading.Event()

    def work():
        while not stop.is_set():
            store.set("a/b/c", b"1")
            store.delete_prefix("a/")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(300):
            assert set(store.list()) - {"a/b/c"} == {"kept/key"}
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
def test_a_child_that_was_forked_under_load_does_not_hang(store):
    """R22: locks that other threads held at the fork are free in the child."""
    stop = threading.Event()
    store.set("count", b"0")

    def work(number):
        while not stop.is_set():
            with store.lock(f"key/{number}"):
                store.set_partial("count", 0, b"1")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()

    def child(number):
        signal.alarm(20)
        for key in range(3):
            with store.lock(f"key/{key}"):
                store.set("child", b"%d" % number)

    try:
        for number in range(50):
            assert in_children(1, lambda _, number=number: child(number)) == [0]
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_child_holds_none_of_the_locks_of_its_parent(store):
    read, write = os.pipe()
    with store.lock("a"):
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)
            os._exit(0)
    # The child lives, and would keep the lock if it had a copy of it.
    started = time.monotonic()
    with store.lock("a"):
        pass
    assert time.monotonic() - started < 5
    os.close(write)
    os.close(read)
    os.waitpid(child, 0)


def test_the_lock_of_a_killed_process_is_free(store):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with store.lock("a"):
            os.write(write, b"x")
            time.sleep(60)
        os._exit(0)
    os.read(read, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(read)
    os.close(write)
    with store.lock("a"):
        store.set("a", b"1")
    assert tree(store.root) == {"a": b"1"}


def _write(store, number):
    store.set(f"spawned/{number}", b"1")


def test_a_store_travels_to_a_process_that_was_spawned(store):
    process = get_context("spawn").Process(target=_write, args=(store, 3))
    process.start()
    process.join()
    assert list(store.list()) == ["spawned/3"]


def test_a_signal_during_a_write_does_no_harm(store):
    """EINTR: a handler runs, and the call goes on."""
    fired = []
    old = signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        for number in range(200):
            store.set("a/b", bytes([number]) * 100_000)
            assert store.get("a/b") == bytes([number]) * 100_000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert fired


@pytest.mark.slow
@pytest.mark.parametrize("follow", [True, False])
def test_threads_that_list_one_directory_each_see_all_of_it(tmp_path, follow):
    for number in range(1000):
        (tmp_path / str(number)).touch()
    store = LocalStore(tmp_path, follow_symlinks=follow)
    found = []

    def look():
        found.extend(len(list(store.list())) for _ in range(20))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1000] * 80


def test_a_huge_directory_is_listed_with_little_effort_for_each_name(store, calls):
    (store.root / "c").mkdir()
    for number in range(10_000):
        os.close(os.open(store.root / "c" / str(number), os.O_CREAT | os.O_WRONLY))
    assert len(list(store.list())) == 10_000
    assert len(store.list_dir("c/").keys) == 10_000
    assert calls(lambda: list(store.list())) < 30 * 10_000
    assert calls(lambda: store.list_dir("c/")) < 30 * 10_000


# --- a directory that is not there yet -------------------------------------------------------------------


def test_a_missing_directory_is_empty_and_made_by_the_first_write(tmp_path):
    """Issue 12: unpickling, planning, and a migration that fails made directories."""
    root = tmp_path / "a/b"
    with LocalStore(root, create="later") as store, pickle.loads(pickle.dumps(store)) as other:
        assert (store.get("x"), list(store.list()), store.list_dir(""), store.exists("x")) == (
            None,
            [],
            ([], []),
            False,
        )
        store.delete("x")
        store.delete_prefix("")
        store.flush()
        assert store.sweep() == 0
        assert store.obstacles(Wanted(["x/y"])) == []
        assert list(tmp_path.iterdir()) == []
        other.set("x", b"1")
        assert store.get("x") == b"1"
        assert list(store.list()) == ["x"]


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.set("x", b"1"),
        lambda store: store.set_many({"x": b"1"}),
        lambda store: store.create("x", b"1"),
        lambda store: store.replace("x", b"1", None),
    ],
)
def test_each_way_to_write_makes_the_directory(write, tmp_path):
    with LocalStore(tmp_path / "a/b", create="later") as store:
        write(store)
        assert store.get("x") == b"1"


def test_a_directory_that_can_not_be_made_is_an_error_at_once(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot open: not a directory"):
        LocalStore(tmp_path / "file/x", create="later")


def test_a_store_that_is_gone_where_it_is_unpickled_is_not_empty(tmp_path):
    with LocalStore(tmp_path / "x") as store:
        store.set("a", b"1")
        text = pickle.dumps(store)
    shutil.rmtree(tmp_path / "x")
    with pytest.raises(StoreError, match="no such file or directory"):
        pickle.loads(text)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_was_closed_before_its_directory_was_made_stays_closed(tmp_path):
    store = LocalStore(tmp_path / "x", create="later")
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.set("a", b"1")


def test_deleting_again_removes_the_empty_directories_that_a_killed_process_left(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    with LocalStore(tmp_path) as store:
        store.delete("a/b/0")
        store.delete_many(["c/gone/0"])
    assert list(tmp_path.iterdir()) == []


def test_pruning_leaves_keys_and_takes_directories_without_any(tmp_path):
    store = LocalStore(tmp_path)
    store.set("a/b/c", b"1")
    (tmp_path / "a" / "d" / "e").mkdir(parents=True)
    (tmp_path / "f" / "g").mkdir(parents=True)
    store.prune("a/")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["b"]
    assert store.get("a/b/c") == b"1"
    store.prune("f/")
    store.prune("gone/")
    assert not (tmp_path / "f").exists()
    store.set("f", b"2")
    with pytest.raises(ReadOnlyError):
        LocalStore(tmp_path, read_only=True).prune("a/")


@pytest.mark.parametrize(
    "value",
    [
        bytearray(b"123"),
        memoryview(b"123456")[::2],
        np.arange(6, dtype="f8").reshape(2, 3),
        np.arange(6, dtype="i2").reshape(2, 3).T,
        np.zeros((3, 0), "f4"),
        np.array(7, "u4"),
        np.array([(1, 2.0)], [("a", "u1"), ("b", "f8")]),
    ],
    ids=["bytearray", "every second", "C order", "F order", "empty", "scalar", "records"],
)
def test_memory_of_any_kind_is_written_in_c_order(tmp_path, value):
    with LocalStore(tmp_path) as store:
        store.set("a", value)
        assert store.get("a") == memoryview(value).tobytes()


def test_a_sweep_removes_the_empty_directories_of_a_change_that_was_killed(tmp_path):
    with LocalStore(tmp_path) as store:
        store.set("a/zarr.json", b"{}")
        (tmp_path / "a/.zom.new/g/b").mkdir(parents=True)
        (tmp_path / "a/empty").mkdir()
        store.sweep()
        assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["empty", "zarr.json"]


def fails_once(monkeypatch, call, name):
    """Let `os` fail with EIO when it does `call` with `name` for the first time."""
    plain, failed = getattr(os, call), []

    def wrapped(path, *args, **options):
        if path == name and not failed:
            failed.append(path)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return plain(path, *args, **options)

    monkeypatch.setattr(os, call, wrapped)
    return failed


def test_a_directory_that_can_not_be_removed_is_an_error_of_the_deletion(tmp_path, monkeypatch):
    """The draft takes a directory for a group: one that stays silently would be a node."""
    with LocalStore(tmp_path) as store:
        store.set("a/b", b"1")
        fails_once(monkeypatch, "rmdir", "a")
        with pytest.raises(StoreError, match="cannot delete 'a': input/output error"):
            store.delete("a/b")
        store.delete("a/b")
        assert list(tmp_path.iterdir()) == []


def test_a_lock_file_is_removed_even_where_the_first_try_fails(tmp_path, monkeypatch):
    with LocalStore(tmp_path) as store:
        store.set("a/b", b"1")
        failed = fails_once(monkeypatch, "unlink", "b.__lock")
        store.delete("a/b")
        assert failed
        assert list(tmp_path.iterdir()) == []
