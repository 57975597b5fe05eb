"""One SQLite file as a store: the table `zarr(k, v)` that existing tools read and write.

The table is that of zarr-python 2's SQLiteStore and of zarr-sqlite. Reading and writing are
transactions, so a batch is written whole or not at all.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.errors import StoreError
from zom.stores.interface import ByteRange, Capabilities, Store, Suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["SQLiteStore"]

_TABLE = "CREATE TABLE IF NOT EXISTS zarr(k TEXT PRIMARY KEY, v BLOB)"


class SQLiteStore(Store):
    """Values as rows of one SQLite file.

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
        create: bool = True,
        timeout: float = 60,
    ) -> None:
        self.path = Path(os.path.abspath(path))  # noqa: PTH100 - as the user named it
        self._options: dict[str, Any] = {"read_only": read_only, "create": create, "timeout": timeout}
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self.capabilities = Capabilities(
            writable=not read_only, create_if_absent=True, compare_and_set=True, durable=True, rename=True
        )
        with self._told("", "open"):
            if not self.path.exists() and (read_only or not create):
                raise StoreError(self.url, "", "open", "no such file")
            found = (
                self._connection().execute("SELECT name FROM sqlite_master WHERE name = 'zarr'").fetchone()
            )
            if found is None:
                if read_only:
                    raise StoreError(self.url, "", "open", "expected a table zarr(k, v), found none")
                self._connection().execute(_TABLE)

    @property
    @override
    def url(self) -> str:
        return str(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (str(self.path), self._options))

    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread and process: neither may share one."""
        known: tuple[int, sqlite3.Connection] | None = getattr(self._local, "connection", None)
        if known is not None and known[0] == os.getpid():
            return known[1]
        mode = "ro" if self._options["read_only"] else ("rwc" if self._options["create"] else "rw")
        uri = f"{self.path.as_uri()}?mode={mode}"
        made = sqlite3.connect(
            uri, uri=True, timeout=self._options["timeout"], isolation_level=None, check_same_thread=False
        )
        self._local.connection = (os.getpid(), made)
        with self._guard:
            self._open.append(made)
        return made

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        if byte_range is None:
            row = self._connection().execute("SELECT v FROM zarr WHERE k = ?", (key,)).fetchone()
        else:
            # substr counts from 1; a negative start counts from the end.
            start, length = _substring(byte_range)
            text = "SELECT substr(CAST(v AS BLOB), ?, ?) FROM zarr WHERE k = ?"
            row = self._connection().execute(text, (start, length, key)).fetchone()
        if row is None:
            return None
        return _bytes(row[0])

    @override
    def _write(self, key: str, value: bytes) -> None:
        self._write_many([(key, value)])

    @override
    def _write_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        with self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO zarr(k, v) VALUES (?, ?)", items)

    @override
    def _remove(self, key: str) -> None:
        self._remove_many([key])

    @override
    def _remove_many(self, keys: Sequence[str]) -> None:
        with self._transaction() as connection:
            connection.executemany("DELETE FROM zarr WHERE k = ?", [(key,) for key in keys])

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        connection = self._connection()
        if not prefix:
            return [row[0] for row in connection.execute("SELECT k FROM zarr")]
        # "0" follows "/": the range holds the keys below the prefix, and the index finds it.
        rows = connection.execute("SELECT k FROM zarr WHERE k >= ? AND k < ?", (prefix, f"{prefix[:-1]}0"))
        return [row[0] for row in rows]

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
                (new, len(old) + 1, old, f"{old[:-1]}0"),
            )

    @contextmanager
    @override
    def _lock(self, key: str) -> Iterator[None]:
        """The whole file: SQLite locks no less."""
        with self._transaction():
            yield

    @override
    def close(self) -> None:
        with self._guard:
            for connection in self._open:
                connection.close()
            self._open.clear()
        self._local = threading.local()


def _reopen(path: str, options: dict[str, Any]) -> SQLiteStore:
    return SQLiteStore(path, **options)


def _substring(byte_range: ByteRange) -> tuple[int, int]:
    if isinstance(byte_range, Suffix):
        return (-byte_range.length, byte_range.length) if byte_range.length else (1, 0)
    return byte_range.start + 1, (1 << 62) if byte_range.length is None else byte_range.length


def _bytes(value: object) -> bytes:
    """A value as bytes: other tools store documents as text, or nothing as NULL."""
    if isinstance(value, bytes):
        return value
    return value.encode() if isinstance(value, str) else b""
