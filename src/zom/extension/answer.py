"""What extensions answer: their methods are asked here, so that errors in them name the extension, not zom.

Registering can look at what methods take, and not at what they give.
"""

from __future__ import annotations

from typing import Any

from zom.errors import ExtensionError, ZomError
from zom.problems import cause_text, given_text

__all__ = ["answer", "at_fault"]


def answer(extension: object, method: str, kinds: tuple[type, ...], words: str, *arguments: Any) -> Any:
    """What `method` gives for the arguments, which is one of `kinds`: in `words`, what the method must give.

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
    """The error of an extension, or a part of one, called `whose`, that did what it must not.

    >>> str(at_fault("<codec rot>", "encode raised KeyError"))
    '<codec rot>: encode raised KeyError; correct it, or its package'
    """
    return ExtensionError(f"{whose}: {what}; correct it, or its package")
