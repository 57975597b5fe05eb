"""Reasons: the text of the system, or of a package, for a failure, as the end of a message."""

from __future__ import annotations

import errno
import os

__all__ = ["reason_of", "reason_of_number"]

_IN_USE = {32, 33}
"""ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION of Windows."""


_OF_WINDOWS = {None, errno.EINVAL, *range(10_000, 12_000)}
"""Error numbers without a POSIX message: none, the fallback EINVAL, and those of sockets."""


def reason_of(cause: BaseException) -> str:
    """The text of a failure. Only its first letter becomes lower case, since it may contain names.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "Data")), reason_of(ValueError("The file 'Data'"))
    ('no such file or directory', "the file 'Data'")
    """
    number = getattr(cause, "winerror", None)
    if number in _IN_USE:
        return "another program has it open"
    # Windows localizes its messages; those for POSIX error numbers are English.
    if number and isinstance(cause, OSError) and cause.errno not in _OF_WINDOWS:
        return reason_of_number(cause.errno or 0)
    return _spoken(getattr(cause, "strerror", None) or str(cause))


def reason_of_number(number: int) -> str:
    """The system's text for an error number.

    >>> reason_of_number(2)
    'no such file or directory'
    """
    return _spoken(os.strerror(number))


def _spoken(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
