"""How a command ends: exit codes, and the errors that are one line with a next step."""

from __future__ import annotations

from typing import Final

__all__ = ["CLEAN", "FINDINGS", "INTERNAL", "UNREADABLE", "USAGE", "CommandError"]

CLEAN: Final = 0
"""Nothing is wrong, nothing differs."""
FINDINGS: Final = 1
"""A document breaks rules, two documents differ, or one can't be converted."""
USAGE: Final = 2
"""The command was called wrongly."""
UNREADABLE: Final = 3
"""A file can't be read or written, or is no document at all."""
INTERNAL: Final = 4
"""A fault of zom itself."""


class CommandError(Exception):
    """What ends a command: a line for the user, and the exit code.

    >>> CommandError("no such rule", USAGE).code
    2
    """

    def __init__(self, message: str, code: int) -> None:
        self.code = code
        super().__init__(message)
