"""Failures of packages that stores are made of, told apart by what they say."""

from __future__ import annotations

import re

__all__ = ["is_panic", "lacks_bucket"]


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
