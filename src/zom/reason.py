"""Reasons: what the system, or a package, says of a failure, as the end of a sentence of ours."""

from __future__ import annotations

import os

__all__ = ["reason_of", "reason_of_number"]


def reason_of(cause: BaseException) -> str:
    """What is said of a failure. Only its first letter becomes small: there may be names in it.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "Data")), reason_of(ValueError("The file 'Data'"))
    ('no such file or directory', "the file 'Data'")
    """
    return _spoken(getattr(cause, "strerror", None) or str(cause))


def reason_of_number(number: int) -> str:
    """What the system says of an error of that number.

    >>> reason_of_number(2)
    'no such file or directory'
    """
    return _spoken(os.strerror(number))


def _spoken(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
