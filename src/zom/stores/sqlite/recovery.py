"""SQLite files whose writer was killed, for those who may not change them.

SQLite rolls such a file back to its last commit when it opens it, and refuses to where it may only read.
Then a private copy is rolled back. It is of use as long as the file stays as its writer left it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

__all__ = ["Mark", "mark_of", "needs_recovery", "recovered"]

Mark = tuple[tuple[int, int, int] | None, ...]
"""What changes when somebody writes a SQLite file, or rolls it back."""

_ENDS = ("", "-journal", "-wal")
_READONLY, _CANTOPEN = 8, 14
"""The results of SQLite that mean so; the greater half of a result tells more."""


def mark_of(path: Path) -> Mark:
    """The state of a SQLite file and of what lies beside it.

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
    """Whether reading failed because the last commit can't be told without a change."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in {_READONLY, _CANTOPEN} and any(mark_of(path)[1:])


def recovered(path: Path) -> tuple[sqlite3.Connection, Mark] | None:
    """A connection to a private copy, as of the last commit, and the state that was copied.

    None where somebody has changed the file meanwhile.
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
            # The first look rolls back; then all is in one file, which stays readable without a name.
            connection.execute("SELECT 1 FROM sqlite_master").fetchall()
            connection.execute("PRAGMA journal_mode = delete").fetchall()
            connection.execute("PRAGMA query_only = 1")
        except BaseException:
            connection.close()
            raise
        return connection, before
    finally:
        shutil.rmtree(folder, ignore_errors=True)
