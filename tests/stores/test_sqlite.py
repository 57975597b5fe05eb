"""SQLite files: as other tools write them, damaged, locked, and among processes."""

import os
import signal
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import pytest

import zom
from zom.errors import ReadOnlyError, StoreError
from zom.stores.interface import Range, Suffix
from zom.stores.sqlite import SQLiteStore


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.sqlite"


def run(path, *statements):
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)
    connection.close()


TABLES = {
    "zarr-python 2": "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)",
    "without rowid": "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID",
    "zarr-sqlite": 'CREATE TABLE IF NOT EXISTS "zarr" (k TEXT NOT NULL PRIMARY KEY, v BLOB NOT NULL)',
}


@pytest.mark.parametrize("table", TABLES)
def test_files_of_other_tools_are_read_and_written(path, table):
    run(
        path,
        TABLES[table],
        ("INSERT INTO zarr VALUES (?, ?)", (".zgroup", '{"zarr_format": 2, "é": 1}')),
        ("INSERT INTO zarr VALUES (?, ?)", ("a/0.0", b"0123456789")),
    )
    with SQLiteStore(path) as store:
        text = '{"zarr_format": 2, "é": 1}'.encode()
        assert store.get(".zgroup") == text
        assert store.get(".zgroup", Suffix(9)) == text[-9:]
        assert store.get(".zgroup", Range(20, 3)) == text[20:23]
        assert store.get("a/0.0", Range(2, 3)) == b"234"
        assert sorted(store.list()) == [".zgroup", "a/0.0"]
        store.set("a/0.0", b"new")
        store.rename("a/", "b/")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT k, v FROM zarr WHERE k > 'a'").fetchall() == [("b/0.0", b"new")]
    connection.close()


def test_other_tools_read_what_we_write(path):
    with SQLiteStore(path) as store:
        store.set_many({"a": b"1", "b/c": b""})
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT k, v FROM zarr ORDER BY k").fetchall() == [("a", b"1"), ("b/c", b"")]
    assert connection.execute("SELECT sql FROM sqlite_master WHERE name = 'zarr'").fetchone() == (
        "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)",
    )
    connection.close()


def test_values_of_other_kinds_are_bytes_or_an_error(path):
    run(
        path,
        TABLES["zarr-python 2"],
        "INSERT INTO zarr VALUES ('null', NULL), ('number', 5), (x'00ff', x'01')",
    )
    with SQLiteStore(path) as store:
        assert store.get("null") == b""
        assert store.get("null", Range(0, 1)) == b""
        for byte_range in (None, Range(0, 1)):
            with pytest.raises(StoreError, match="cannot read 'number': expected a blob, found 5"):
                store.get("number", byte_range)
        assert sorted(store.list()) == ["null", "number"]


def test_a_file_without_the_table_is_refused(path):
    run(path, "CREATE TABLE zarr(key TEXT, value BLOB)")
    with pytest.raises(
        StoreError, match=r"cannot open: expected a table zarr\(k, v\), found zarr\(key, value\)"
    ):
        SQLiteStore(path)
    other = path.with_name("other.sqlite")
    run(other, "CREATE TABLE other(k)")
    with pytest.raises(StoreError, match=r"expected a table zarr\(k, v\), found none"):
        SQLiteStore(other, read_only=True)


def test_what_is_no_database_is_refused(path, tmp_path):
    path.write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match="cannot open: DatabaseError: file is not a database"):
        SQLiteStore(path)
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreError, match="cannot open: no such file"):
            SQLiteStore(tmp_path / "missing.sqlite", **options)
    with pytest.raises(StoreError, match="cannot open: OperationalError: unable to open database file"):
        SQLiteStore(tmp_path)
    assert os.listdir(tmp_path) == ["x.sqlite"]  # noqa: PTH208 - names are compared


def test_a_damaged_file_is_an_error(path):
    with SQLiteStore(path) as store:
        store.set_many({str(number): bytes(5000) for number in range(50)})
    data = bytearray(path.read_bytes())
    data[4096 * 2 : 4096 * 8] = b"\xff" * (4096 * 6)
    path.write_bytes(data)
    failed = 0
    with SQLiteStore(path) as store:
        for number in range(50):
            try:
                assert store.get(str(number)) in (bytes(5000), None)
            except StoreError as error:
                failed += "malformed" in str(error)
            except AssertionError:
                failed += 1  # SQLite has no checksums: damage within a value goes unseen
    assert failed


def test_a_locked_file_is_an_error(path):
    with SQLiteStore(path, timeout=0.05) as store:
        store.set("a", b"old")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="cannot write 'a': OperationalError: database is locked"):
            store.set("a", b"new")
        with pytest.raises(StoreError, match="cannot read 'a': OperationalError: database is locked"):
            store.get("a")
        other.execute("ROLLBACK")
        other.close()
        assert store.get("a") == b"old"


def test_a_read_only_store_changes_nothing(path):
    with SQLiteStore(path) as store:
        store.set("a", b"1")
    before = path.read_bytes()
    with SQLiteStore(path, read_only=True) as store:
        assert store.get("a") == b"1"
        with pytest.raises(ReadOnlyError):
            store.set("a", b"2")
    assert path.read_bytes() == before


def test_a_batch_is_written_whole_or_not_at_all(path):
    run(path, "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB CHECK (length(v) < 5))")
    with SQLiteStore(path) as store:
        with pytest.raises(StoreError, match="CHECK constraint failed"):
            store.set_many({"a": b"1", "b": b"too long"})
        assert list(store.list()) == []
        with store.lock("a"):
            store.set("a", b"2")
            with pytest.raises(StoreError, match="CHECK constraint failed"):
                store.set_many({"a": b"3", "b": b"too long"})
            assert store.get("a") == b"2"
        assert {key: store.get(key) for key in store.list()} == {"a": b"2"}


def test_a_full_disk_leaves_the_old_values(path):
    with SQLiteStore(path) as store:
        store.set("a", b"old")
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="database or disk is full"):
            store.set("a", bytes(1 << 20))
        assert store.get("a") == b"old"
        store.set("b", b"1")
        assert store.get("b") == b"1"


def test_a_closed_store_says_so(path):
    store = SQLiteStore(path)
    store.close()
    store.close()
    for act in (lambda: store.get("a"), lambda: store.set("a", b"1"), lambda: list(store.list())):
        with pytest.raises(StoreError, match="the store is closed"):
            act()


def test_threads_share_a_store(path):
    with SQLiteStore(path) as store:
        store._connection.execute("PRAGMA synchronous = OFF")

        def work(number):
            for step in range(50):
                store.set(f"{number}/{step}", b"%d" % step)
                assert store.get(f"{number}/{step}") == b"%d" % step

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(list(store.list())) == 200


def test_no_update_is_lost_among_processes(path):
    with SQLiteStore(path) as store:
        store.set("count", b"0")
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    store._connection.execute("PRAGMA synchronous = OFF")
                    for _ in range(50):
                        with store.lock("count"):
                            store.set("count", b"%d" % (int(store.get("count")) + 1))
                    code = 0
                finally:
                    os._exit(code)
            children.append(child)
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
        assert store.get("count") == b"200"


def test_a_child_that_was_forked_under_load_does_not_hang(path):
    """R22: the child opens the file anew, whatever the threads of the parent were doing."""
    stop = threading.Event()
    with SQLiteStore(path) as store:
        store._connection.execute("PRAGMA synchronous = OFF")

        def work(number):
            while not stop.is_set():
                store.set(f"{number}", b"1")
                time.sleep(0.001)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        codes = []
        try:
            for number in range(20):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    code = 1
                    try:
                        store.set("child", b"%d" % number)
                        code = 0 if store.get("child") == b"%d" % number else 2
                    finally:
                        os._exit(code)
                codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert codes == [0] * 20
        assert store.get("child") == b"19"


def test_a_fork_within_a_transaction_leaves_it_to_the_parent(path):
    with SQLiteStore(path) as store:
        store.set("a", b"old")
        with store.lock("a"):
            store.set("a", b"new")
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    store.get("a")
                except StoreError as error:
                    code = 0 if "forked in the middle of a transaction" in str(error) else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert store.get("a") == b"new"
    with SQLiteStore(path) as store:
        assert store.get("a") == b"new"


def test_a_lock_of_another_process_is_waited_for(path):
    with SQLiteStore(path) as store:
        store.set("a", b"0")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                with store.lock("a"):
                    os.write(write, b"x")
                    time.sleep(0.2)
                    store.set("a", b"child")
            finally:
                os._exit(0)
        os.read(read, 1)
        with store.lock("a"):
            assert store.get("a") == b"child"
        os.waitpid(child, 0)
        os.close(read)
        os.close(write)


# --- files whose writer was killed ---------------------------------------------------------------------


def killed(path, wal, commits=1):
    """Let a process be killed in the middle of a transaction of which much is in the file already."""
    child = os.fork()
    if child == 0:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size = 5")
        if wal:
            connection.execute("PRAGMA journal_mode = wal")
        for number in range(commits):
            connection.execute("INSERT OR REPLACE INTO zarr VALUES ('last', ?)", (b"%d" % number,))
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE zarr SET v = ?", (b"torn" * 500_000,))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def state(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix != ".sqlite-shm"}


@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("lost", ["", "-shm"])
def test_a_file_whose_writer_was_killed_is_read_as_its_last_commit(path, wal, lost):
    with SQLiteStore(path) as store:
        store.set_many({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "a/0": b"0" * 100_000})
    killed(path, wal, 3)
    if lost:
        path.with_name(f"{path.name}{lost}").unlink(missing_ok=True)
    before = state(path.parent)
    for _ in range(2):
        with SQLiteStore(path, read_only=True) as store:
            assert store.get("a/0") == b"0" * 100_000
            assert store.get("last") == b"2"
            assert store.list_dir() == (["last", "zarr.json"], ["a/"])
            assert dict(store.sizes()) == {"a/0": 100_000, "last": 1, "zarr.json": 40}
            with pytest.raises(ReadOnlyError):
                store.set("a/0", b"")
        assert zom.open(path).path == "/"
    assert state(path.parent) == before
    with SQLiteStore(path) as store:
        assert store.get("a/0") == b"0" * 100_000


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become one who may not write")
@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("lost", ["", "-shm"])
def test_a_file_whose_writer_was_killed_is_read_by_one_who_may_not_write(wal, lost, tmp_path):
    with SQLiteStore(tmp_path / "y.sqlite") as store:
        store.set("a", b"1")
    killed(tmp_path / "y.sqlite", wal)
    with SQLiteStore(tmp_path / "y.sqlite", read_only=True) as store:
        assert store.get("a") == b"1"  # imports what the child may not read
    # The folder of temporary files may be closed to other users.
    with tempfile.TemporaryDirectory(dir="/tmp") as name, tempfile.TemporaryDirectory(dir="/tmp") as spare:
        Path(spare).chmod(0o777)
        path = Path(name) / "x.sqlite"
        with SQLiteStore(path) as store:
            store.set("a", b"1")
        killed(path, wal)
        if lost:
            path.with_name(f"{path.name}{lost}").unlink(missing_ok=True)
        for file in (path.parent, *path.parent.iterdir()):
            file.chmod(0o555)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            tempfile.tempdir = spare
            try:
                with SQLiteStore(path, read_only=True) as store:
                    os.write(writer, store.get("a") + store.get("last"))
            except StoreError as error:
                os.write(writer, str(error).encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reader, 1000) == b"10"
        os.close(reader)
        os.close(writer)


def test_a_reader_sees_what_comes_after_the_writer_that_was_killed(path):
    with SQLiteStore(path) as store:
        store.set("a", b"1")
    reader = SQLiteStore(path, read_only=True)
    assert reader.get("a") == b"1"
    killed(path, wal=False)
    assert reader.get("a") == b"1"
    with SQLiteStore(path) as store:
        store.set("a", b"2")
        assert reader.get("a") == b"2"
    killed(path, wal=False)
    assert reader.get("a") == b"2"
    reader.close()
