"""Rarely needed regular expressions, compiled on first use: that takes longer than importing a module."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

__all__ = ["compiled_later"]

if TYPE_CHECKING:
    from re import compile as compiled_later
else:

    class _Later:
        """A stand-in for a pattern."""

        def __init__(self, *given: Any) -> None:
            self._given = given

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            found = getattr(re.compile(*self._given), name)
            # The next access to the name is a plain one.
            setattr(self, name, found)
            return found

    def compiled_later(pattern: str | bytes, flags: int = 0) -> Any:
        """The pattern of `re.compile`, compiled on first use.

        >>> compiled_later("[a-z]+").fullmatch("abc")[0]
        'abc'
        """
        return _Later(pattern, flags)
