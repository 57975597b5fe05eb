"""FTP in fsspec, which reports any failure as a missing file, and a failed listing as an empty directory."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, Any

from zom.patterns import compiled_later

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["answer_of", "is_refusal", "is_unclear", "list_whole"]

_UNKNOWN = ("500", "501", "502", "504")
"""Replies to a command or argument that the server doesn't support."""
_MISSING = compiled_later("^550.*(?:no such file|not found|not exist|cannot find)", re.IGNORECASE | re.DOTALL)
"""Clear replies for a missing file; some servers reply the same for an unreadable one."""


def is_refusal(cause: BaseException) -> bool:
    """Whether the server refused temporarily, for example because of a failed connection or too many of them.

    >>> from ftplib import error_temp
    >>> told = FileNotFoundError("a"); told.__cause__ = error_temp("425 no data connection")
    >>> is_refusal(told), is_refusal(FileNotFoundError("a"))
    (True, False)
    """
    return any(type(answer).__name__ != "error_perm" for answer in _answers(cause))


def is_unclear(cause: BaseException) -> bool:
    """Whether a server refused a file for a reason other than a clear "missing".

    >>> from ftplib import error_perm
    >>> told = FileNotFoundError("a"); told.__cause__ = error_perm("550 Failed to open file.")
    >>> is_unclear(told), is_unclear(error_perm("550 No such file or directory.")), is_unclear(FileNotFoundError("a"))
    (True, False, False)
    """
    answer = answer_of(cause)
    return answer is not None and _MISSING.search(str(answer)) is None


def answer_of(cause: BaseException) -> BaseException | None:
    """Return the server's reply from a chain of exceptions, if any."""
    return next(_answers(cause), None)


def _answers(cause: BaseException | None) -> Iterator[BaseException]:
    """Yield the server's replies in a chain of exceptions."""
    while cause is not None:
        if type(cause).__module__ == "ftplib":
            yield cause
        cause = cause.__cause__ or cause.__context__


def list_whole(filesystem: Any, path: str) -> list[Any]:
    """List a directory; PermissionError if it only seems empty because the server refuses to list it."""
    found: list[Any] = filesystem.ls(path, detail=True)
    if found:
        return found
    try:
        list(filesystem.ftp.mlsd(path))
    except Exception as cause:
        if answer_of(cause) is None:
            raise
        if not str(cause).startswith(_UNKNOWN):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path) from cause
    return found
