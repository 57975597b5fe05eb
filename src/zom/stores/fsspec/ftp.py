"""FTP as fsspec speaks it: whatever fails is told as a file that is missing, and what can't be listed as an empty directory."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_refusal", "list_whole"]

_UNKNOWN = ("500", "501", "502", "504")
"""What servers answer that have no such command, or not with this argument."""


def is_refusal(cause: BaseException) -> bool:
    """Whether a server says that it can't now, whatever the exception says: a connection that failed, or too many of them.

    >>> from ftplib import error_temp
    >>> told = FileNotFoundError("a"); told.__cause__ = error_temp("425 no data connection")
    >>> is_refusal(told), is_refusal(FileNotFoundError("a"))
    (True, False)
    """
    return any(type(answer).__name__ != "error_perm" for answer in _answers(cause))


def _answers(cause: BaseException | None) -> Iterator[BaseException]:
    """The answers of a server in a chain of exceptions."""
    while cause is not None:
        if type(cause).__module__ == "ftplib":
            yield cause
        cause = cause.__cause__ or cause.__context__


def list_whole(filesystem: Any, path: str) -> list[Any]:
    """The entries of a directory; OSError where there seem to be none since the server doesn't show them."""
    found: list[Any] = filesystem.ls(path, detail=True)
    if found:
        return found
    try:
        list(filesystem.ftp.mlsd(path))
    except Exception as cause:
        if next(_answers(cause), None) is None:
            raise
        if not str(cause).startswith(_UNKNOWN):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path) from cause
    return found
