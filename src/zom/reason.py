"""Reasons: what the system, or a package, says of a failure, as the end of a sentence of ours."""

from __future__ import annotations

__all__ = ["reason_of"]


def reason_of(cause: BaseException) -> str:
    """What is said of a failure. Only its first letter becomes small: there may be names in it.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "Data")), reason_of(ValueError("The file 'Data'"))
    ('no such file or directory', "the file 'Data'")
    """
    text = getattr(cause, "strerror", None) or str(cause)
    return f"{text[:1].lower()}{text[1:]}"
