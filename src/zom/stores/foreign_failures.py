"""Failures of packages that stores are made of, told apart by what they say."""

from __future__ import annotations

import errno
import re

__all__ = ["is_absence", "is_no_directory", "is_panic", "lacks_bucket"]


def is_absence(cause: BaseException) -> bool:
    """Whether there is no file of that name; packages have errors of their own with the number of the system.

    >>> is_absence(FileNotFoundError()), is_absence(OSError(errno.ENOENT, "")), is_absence(OSError(errno.EIO, ""))
    (True, True, False)
    """
    return isinstance(cause, FileNotFoundError) or (
        isinstance(cause, OSError) and cause.errno == errno.ENOENT
    )


def is_no_directory(cause: BaseException) -> bool:
    """Whether a file is where a directory was looked for.

    >>> is_no_directory(NotADirectoryError()), is_no_directory(OSError(errno.ENOTDIR, "")), is_no_directory(OSError())
    (True, True, False)
    """
    return isinstance(cause, NotADirectoryError) or (
        isinstance(cause, OSError) and cause.errno == errno.ENOTDIR
    )


def is_panic(cause: BaseException) -> bool:
    """Whether a package in Rust broke down; other exceptions that are no Exception are the user's.

    >>> is_panic(KeyboardInterrupt())
    False
    """
    return "Panic" in type(cause).__name__


def lacks_bucket(cause: BaseException | None) -> bool:
    """Whether not one object is missing but all of them: services answer 404 to both.

    >>> lacks_bucket(FileNotFoundError("404 <Code>NoSuchBucket</Code>")), lacks_bucket(FileNotFoundError("a"))
    (True, False)
    """
    while cause is not None:
        if re.search(r"NoSuchBucket|ContainerNotFound|bucket does not exist", str(cause)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
