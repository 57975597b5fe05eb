"""One SQLite file as a store: the table `zarr(k, v)` that existing tools read and write.

The table is the one of zarr-python 2's SQLiteStore and zarr-sqlite. Reads and writes are transactions,
so a batch is written completely or not at all, and is durable when the call returns.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
import threading
import weakref
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import override

from zom.digests import blake2b
from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, Listing, Store, Suffix, cut
from zom.stores.local.files import is_there
from zom.stores.local.lock_files import LockFiles
from zom.stores.sqlite.recovery import Mark, mark_of, needs_recovery, recovered
from zom.stores.system import calls

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from contextlib import AbstractContextManager

__all__ = ["SQLiteStore"]

_TABLE = "CREATE TABLE IF NOT EXISTS zarr(k TEXT PRIMARY KEY, v BLOB)"
_LONGEST = (1 << 31) - 1
"""The maximum size of a value in SQLite; greater numbers overflow in its substr."""
_TRIES = 100
_FEW, _MANY = 16, 4096
"""Minimum and maximum number of keys in one query of a directory."""
_WRITE = "INSERT OR REPLACE INTO zarr(k, v) VALUES (?, ?)"


_presences = LockFiles()
"""Lock files for presences, which other processes see, too."""


class SQLiteStore(Store):
    """Values as rows of one SQLite file. With `create="later"`, the first write creates a missing file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, SQLiteStore(f"{folder}/x.sqlite") as store:
    ...     store.set("a/0", b"123")
    ...     store.get("a/0")
    b'123'
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        create: bool | Literal["later"] = True,
        timeout: float = 60,
    ) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - as the user named it
        self._options: dict[str, Any] = {"read_only": read_only, "create": create, "timeout": timeout}
        # All threads share one connection in turn: SQLite itself allows one writer at a time.
        self.guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._copied: Mark | None = None
        """The state of the file that was copied, if the connection is to a copy."""
        self._trouble = "the store is closed"
        self.capabilities = Capabilities(
            writable=not read_only,
            create_if_absent=True,
            compare_and_set=True,
            durable=True,
            rename=True,
            lock_holds_all=True,
        )
        with self._told("", "open"):
            if (read_only or not create) and not is_there(self.path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            self._waits = create == "later" and not is_there(self.path)
            if not self._waits:
                self._open()
        _open_stores.add(self)

    def _open(self) -> None:
        self._connection = self._connect()
        try:
            self._check_table()
        except BaseException:
            connection, self._connection = self._connection, None
            connection.close()
            raise
        self._waits = False

    def _is_missing(self) -> bool:
        """Whether the file is still missing; opens it if another process has created it."""
        with self.guard:
            if self._waits and is_there(self.path):
                self._open()
            return self._waits

    def _make(self) -> None:
        """Create and open a missing file before the first write."""
        with self.guard:
            if self._waits:
                self._open()

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self._options["read_only"] else ("rwc" if self._options["create"] else "rw")
        connection = sqlite3.connect(
            f"{_uri(self.path)}?mode={mode}",
            uri=True,
            timeout=self._options["timeout"],
            isolation_level=None,
            check_same_thread=False,
        )
        # Otherwise one key that is not UTF-8 would hide all others.
        connection.text_factory = _text
        return connection

    def _check_table(self) -> None:
        with self._reading() as connection:
            if not self._select("SELECT 1 FROM sqlite_master WHERE name = 'zarr'"):
                if self._options["read_only"]:
                    raise StoreError(self.url, "", "open", "expected a table zarr(k, v), found none")
                connection.execute(_TABLE)
            columns = {row[1] for row in self._select("PRAGMA table_info(zarr)")}
            if not columns >= {"k", "v"}:
                found = ", ".join(sorted(columns))
                raise StoreError(self.url, "", "open", f"expected a table zarr(k, v), found zarr({found})")

    @property
    @override
    def url(self) -> str:
        return str(self.path)

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (str(self.path), {**self._options, "create": "later" if self._waits else False}))

    # --- the connection ----------------------------------------------------------------------------

    def _select(self, text: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query; if the writer was killed, from a copy of the last commit."""
        if self._waits and self._connection is None and self._is_missing():
            return []
        for _ in range(_TRIES):
            with self._reading() as connection:
                if self._copied is not None and mark_of(self.path) != self._copied:
                    # Another process has written the file since, or rolled it back.
                    self._copied = None
                    self._exchange(connection, self._connect())
                    continue
                try:
                    return connection.execute(text, values).fetchall()
                except sqlite3.OperationalError as error:
                    if not self._options["read_only"] or not needs_recovery(self.path, error):
                        raise
                if (copy := recovered(self.path)) is not None:
                    made, self._copied = copy
                    self._exchange(connection, made)
        raise StoreError(self.url, "", "read", "the file keeps changing; try again later")

    def _exchange(self, old: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._connection = new
        old.close()

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with self.guard:
            if self._connection is None:
                raise StoreError(self.url, "", "use", self._trouble)
            yield self._connection

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        """Run the block as a transaction; within a lock, as a savepoint of the lock's transaction."""
        self._make()
        with self._reading() as connection:
            within = connection.in_transaction
            connection.execute("SAVEPOINT zom" if within else "BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("RELEASE zom" if within else "COMMIT")
            except BaseException:
                # A full disk has ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK TO zom" if within else "ROLLBACK")
                    if within:
                        connection.execute("RELEASE zom")
                raise

    @contextmanager
    @override
    def _lock(self, key: str) -> Generator[None]:
        """Lock the whole file, as SQLite has no smaller locks. Others see the changes at the end."""
        self._make()
        with self._reading() as connection:
            if connection.in_transaction:
                yield
                return
            with self._told(key, "lock"):
                connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                # After an error, earlier operations stay: each one is complete in itself.
                if self._connection is connection and connection.in_transaction:
                    self._commit(connection, key)

    @contextmanager
    @override
    def _presence(self, key: str) -> Generator[None]:
        """Lock a temporary file of the system: a lock of the database would exclude everyone else."""
        self._make()
        with self._told(key, "lock"):
            there = self.path.stat()
            digest = blake2b(f"{there.st_dev} {there.st_ino} {key}".encode(), digest_size=16)
            directory = calls.open(
                tempfile.gettempdir(), calls.O_RDONLY | calls.O_DIRECTORY | calls.O_CLOEXEC
            )
        try:
            name = f"zom-{digest.hexdigest()}"
            taken = _presences.take(name)
            try:
                if taken.depth > 1:
                    yield
                    return
                with _presences.locked(taken, directory, name, needs_lock=False):
                    yield
            finally:
                _presences.give(name, taken)
        finally:
            calls.close(directory)

    def _commit(self, connection: sqlite3.Connection, key: str) -> None:
        with self._told(key, "write"):
            try:
                connection.execute("COMMIT")
            except BaseException:
                # An open transaction would block others, and absorb the next writes.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @override
    def _excluding(self, key: str) -> AbstractContextManager[None]:
        """Nothing: a transaction waits for the holder of the lock."""
        return nullcontext()

    def before_fork(self) -> None:
        """Wait up to 5 s until no other thread is in a transaction: a child can't tell how it ended."""
        self._forked_within = not self.guard.acquire(timeout=5)

    def after_fork_in_parent(self) -> None:
        """Release the lock that was taken before the fork."""
        if not self._forked_within:
            self.guard.release()

    def after_fork(self) -> None:
        """Open the file again: SQLite forbids using a connection of the parent."""
        self.guard = threading.RLock()
        connection, self._connection = self._connection, None
        self._copied = None
        if connection is None:
            return
        if self._forked_within or connection.in_transaction:
            # Closing it here would roll back the parent's transaction.
            _keep_for_ever(connection)
            self._trouble = "the process was forked in the middle of a transaction"
            return
        _inherited.append(connection)
        try:
            self._connection = self._connect()
        except sqlite3.Error as error:
            self._trouble = str(error)

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        if byte_range is None:
            rows = self._select("SELECT v FROM zarr WHERE k = ?", (key,))
            return self._bytes(key, rows[0][0]) if rows else None
        start, length = _substring(byte_range)
        text = (
            "SELECT CASE typeof(v) WHEN 'blob' THEN substr(v, ?, ?) ELSE v END, typeof(v) "
            "FROM zarr WHERE k = ?"
        )
        rows = self._select(text, (start, length, key))
        if not rows:
            return None
        value = self._bytes(key, rows[0][0])
        return value if rows[0][1] == "blob" else cut(value, byte_range)

    def _bytes(self, key: str, value: object) -> bytes:
        """Return a value as bytes: other tools store documents as text, or empty values as NULL."""
        if isinstance(value, bytes):
            return value
        if isinstance(value, str):
            return value.encode("utf-8", "surrogateescape")
        if value is None:
            return b""
        raise StoreError(self.url, key, "read", f"expected a blob, found {value!r}")

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return [key for (key,) in self._rows("k", prefix)]

    @override
    def _sizes(self, prefix: str) -> Iterable[tuple[str, int]]:
        # Text is cast to a blob, because its length counts characters.
        size = "CASE typeof(v) WHEN 'blob' THEN length(v) ELSE ifnull(length(CAST(v AS BLOB)), 0) END"
        return [(key, size) for key, size in self._rows(f"k, {size}", prefix)]

    def _rows(self, columns: str, prefix: str) -> list[Any]:
        """Select columns for every key below `prefix`."""
        text = f"SELECT {columns} FROM zarr WHERE typeof(k) = 'text'"  # noqa: S608 - constant columns
        values = _bounds(prefix) if prefix else ()
        if prefix:
            text = f"{text} AND k >= ? AND k < ?"
        return self._select(text, values)

    @override
    def _list_dir(self, prefix: str) -> Listing:
        keys: list[str] = []
        prefixes: list[str] = []
        below, end = _bounds(prefix) if prefix else ("", "")
        text = "SELECT k FROM zarr WHERE typeof(k) = 'text' AND k >= ?"
        text = f"{text}{' AND k < ?' if prefix else ''} ORDER BY k LIMIT ?"
        count = _FEW
        with self.guard:
            while True:
                values = (below, end, count) if prefix else (below, count)
                rows = self._select(text, values)
                for (key,) in rows:
                    name, slash, _ = key[len(prefix) :].partition("/")
                    if not slash:
                        keys.append(key)
                    elif not prefixes or prefixes[-1] != f"{prefix}{name}/":
                        prefixes.append(f"{prefix}{name}/")
                if len(rows) < count:
                    return Listing(keys, prefixes)
                # The index skips deeper keys; many keys of one level are read at once.
                last: str = rows[-1][0]
                is_deep = bool(prefixes) and last.startswith(prefixes[-1])
                below = _bounds(prefixes[-1])[1] if is_deep else f"{last}\0"
                count = _FEW if is_deep else min(2 * count, _MANY)

    # --- writing -----------------------------------------------------------------------------------

    @override
    def _write(self, key: str, value: bytes) -> None:
        with self._transaction() as connection:
            connection.execute(_WRITE, (key, value))

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        with self._transaction() as connection:
            connection.executemany(_WRITE, items)

    @override
    def _remove(self, key: str) -> None:
        self._remove_many([key])

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        with self._transaction() as connection:
            connection.executemany("DELETE FROM zarr WHERE k = ?", [(key,) for key in keys])

    @override
    def _remove_prefix(self, prefix: str) -> None:
        with self._transaction():
            super()._remove_prefix(prefix)

    @override
    def _create(self, key: str, value: bytes) -> bool:
        with self._transaction() as connection:
            done = connection.execute("INSERT OR IGNORE INTO zarr(k, v) VALUES (?, ?)", (key, value))
            return done.rowcount == 1

    @override
    def _replace(self, key: str, value: bytes, version: Any) -> bool:
        with self._transaction():
            if self._read(key, None) != version:
                return False
            self._write(key, value)
            return True

    @override
    def _rename(self, old: str, new: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                "UPDATE zarr SET k = ? || substr(k, ?) WHERE k >= ? AND k < ?",
                (new, len(old) + 1, *_bounds(old)),
            )

    @override
    def close(self) -> None:
        with self.guard:
            self._waits = False
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        connection = self.__dict__.get("_connection")
        if connection is not None:
            connection.close()


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _uri(path: Path) -> str:
    """Return the URI of the file for SQLite, which expects a Windows host as part of the path."""
    if os.sep == "\\":
        from zom.stores.system.windows import short_path  # noqa: PLC0415 - only for Windows

        path = Path(short_path(str(path)))
    uri = path.as_uri()
    return uri if uri.startswith("file:///") else uri.replace("file://", "file:////")


def _reopen(path: str, options: dict[str, Any]) -> SQLiteStore:
    return SQLiteStore(path, **options)


def _substring(byte_range: ByteRange) -> tuple[int, int]:
    """Return the arguments of substr, which counts from 1, or from the end if the first is negative."""
    if isinstance(byte_range, Suffix):
        return (-byte_range.length, byte_range.length) if byte_range.length else (1, 0)
    start, length = byte_range
    return min(start, _LONGEST) + 1, _LONGEST if length is None else min(length, _LONGEST)


def _bounds(prefix: str) -> tuple[str, str]:
    """Return the bounds of the keys below a prefix for the index: "0" follows "/"."""
    return prefix, f"{prefix[:-1]}0"


# --- child processes -----------------------------------------------------------------------------------

_open_stores: weakref.WeakSet[SQLiteStore] = weakref.WeakSet()
_at_fork: list[SQLiteStore] = []
_forking = threading.RLock()
_inherited: list[sqlite3.Connection] = []
"""Connections of the parent: unused here, and kept open until the process ends."""


def _keep_for_ever(connection: sqlite3.Connection) -> None:
    import ctypes  # noqa: PLC0415 - only needed if the parent was in a transaction

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _before_fork() -> None:
    _forking.acquire()
    _at_fork[:] = list(_open_stores)
    for store in _at_fork:
        store.before_fork()


def _after_fork_in_parent() -> None:
    while _at_fork:
        _at_fork.pop().after_fork_in_parent()
    _forking.release()


def _after_fork_in_child() -> None:
    global _forking  # noqa: PLW0603 - replaces the parent's lock
    _forking = threading.RLock()
    while _at_fork:
        _at_fork.pop().after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
    )
