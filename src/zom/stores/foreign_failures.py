"""Failures of the packages that stores use, classified by type and message."""

from __future__ import annotations

import errno
import re

__all__ = ["is_absence", "is_no_directory", "is_panic", "lacks_bucket"]


def is_absence(cause: BaseException) -> bool:
    """Whether a file is missing; some packages raise their own OSError with the system's number.

    >>> is_absence(FileNotFoundError()), is_absence(OSError(errno.ENOENT, "")), is_absence(OSError(errno.EIO, ""))
    (True, True, False)
    """
    return isinstance(cause, FileNotFoundError) or (
        isinstance(cause, OSError) and cause.errno == errno.ENOENT
    )


def is_no_directory(cause: BaseException) -> bool:
    """Whether a file was found instead of a directory.

    >>> is_no_directory(NotADirectoryError()), is_no_directory(OSError(errno.ENOTDIR, "")), is_no_directory(OSError())
    (True, True, False)
    """
    return isinstance(cause, NotADirectoryError) or (
        isinstance(cause, OSError) and cause.errno == errno.ENOTDIR
    )


def is_panic(cause: BaseException) -> bool:
    """Whether a Rust package panicked; other BaseExceptions come from the user.

    >>> is_panic(KeyboardInterrupt())
    False
    """
    return "Panic" in type(cause).__name__


def lacks_bucket(cause: BaseException | None) -> bool:
    """Whether the whole bucket is missing, not just an object: services answer 404 to both.

    >>> lacks_bucket(FileNotFoundError("404 <Code>NoSuchBucket</Code>")), lacks_bucket(FileNotFoundError("a"))
    (True, False)
    """
    while cause is not None:
        if re.search(r"NoSuchBucket|ContainerNotFound|bucket does not exist", str(cause)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
