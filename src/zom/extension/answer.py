"""Calls of extension methods, so that errors name the extension and not zom.

Registration can check the arguments of methods, but not their return values.
"""

from __future__ import annotations

from typing import Any

from zom.errors import ExtensionError, ZomError
from zom.problems import cause_text, given_text

__all__ = ["answer", "at_fault"]


def answer(extension: object, method: str, kinds: tuple[type, ...], words: str, *arguments: Any) -> Any:
    """Call `method` with the arguments and check that the result is one of `kinds`, described by `words`.

    >>> answer("a text", "upper", (str,), "a text")
    'A TEXT'
    >>> answer("a text", "index", (str,), "a text", "z")
    Traceback (most recent call last):
    zom.errors.ExtensionError: 'a text': index raised ValueError: substring not found; correct it, or its package
    """
    try:
        given = getattr(extension, method)(*arguments)
    except (ZomError, MemoryError, RecursionError):
        raise
    except Exception as cause:
        raise at_fault(given_text(extension), f"{method} raised {cause_text(cause)}") from cause
    if isinstance(given, kinds):
        return given
    raise at_fault(given_text(extension), f"expected {words} from {method}, found {given_text(given)}")


def at_fault(whose: str, what: str) -> ExtensionError:
    """Return the error for a violation by an extension, or a part of one, named `whose`.

    >>> str(at_fault("<codec rot>", "encode raised KeyError"))
    '<codec rot>: encode raised KeyError; correct it, or its package'
    """
    return ExtensionError(f"{whose}: {what}; correct it, or its package")
