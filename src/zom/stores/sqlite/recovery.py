"""SQLite files whose writer was killed, for read-only access.

SQLite rolls such a file back to its last commit when opening it, but refuses if it may only read.
Then a private copy is rolled back, and used as long as the file doesn't change.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

__all__ = ["Mark", "mark_of", "needs_recovery", "recovered"]

Mark = tuple[tuple[int, int, int] | None, ...]
"""The state of a SQLite file, which changes with every write or rollback."""

_ENDS = ("", "-journal", "-wal")
_READONLY, _CANTOPEN = 8, 14
"""The result codes of SQLite for this case; higher bits hold details."""


def mark_of(path: Path) -> Mark:
    """Return the state of a SQLite file, its journal and its write-ahead log.

    >>> mark_of(Path("/no/such/file"))
    (None, None, None)
    """
    marks: list[tuple[int, int, int] | None] = []
    for end in _ENDS:
        try:
            found = Path(f"{os.path.realpath(path)}{end}").stat()
        except FileNotFoundError:
            marks.append(None)
        else:
            marks.append((found.st_ino, found.st_size, found.st_mtime_ns))
    return tuple(marks)


def needs_recovery(path: Path, error: sqlite3.Error) -> bool:
    """Whether reading failed because the file must be rolled back first."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in {_READONLY, _CANTOPEN} and any(mark_of(path)[1:])


def recovered(path: Path) -> tuple[sqlite3.Connection, Mark] | None:
    """Connect to a private copy of the last commit; return the connection and the copied state.

    None if another process has changed the file meanwhile.
    """
    before = mark_of(path)
    folder = tempfile.mkdtemp(prefix="zom-")
    try:
        copy = Path(folder, "copy")
        for end, mark in zip(_ENDS, before, strict=True):
            if mark is not None:
                try:
                    shutil.copyfile(f"{os.path.realpath(path)}{end}", f"{copy}{end}")
                except FileNotFoundError:
                    return None
        if mark_of(path) != before:
            return None
        connection = sqlite3.connect(copy, isolation_level=None, check_same_thread=False)
        try:
            # The first query rolls back; then one file holds all, and stays readable after its deletion.
            connection.execute("SELECT 1 FROM sqlite_master").fetchall()
            connection.execute("PRAGMA journal_mode = delete").fetchall()
            connection.execute("PRAGMA query_only = 1")
        except BaseException:
            connection.close()
            raise
        return connection, before
    finally:
        shutil.rmtree(folder, ignore_errors=True)
