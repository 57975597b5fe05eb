"""The output file of a verb that can write to a file instead of standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

from zom.cli.outcome import UNREADABLE, CommandError
from zom.cli.printing import say_data

__all__ = ["declare_output", "write_text"]


def declare_output(parser: argparse.ArgumentParser) -> None:
    """Add the argument of verbs with long output."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")


def write_text(name: str | None, text: str) -> None:
    r"""Write `text` to the file `name`, or to standard output for None and `-`.

    >>> write_text(None, "here\n")
    here
    """
    if name is None or name == "-":
        say_data(text, end="")
        return
    from pathlib import Path  # noqa: PLC0415 - slow to import

    try:
        Path(name).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as cause:
        from zom.reason import reason_of  # noqa: PLC0415 - only on errors

        message = f"{name}: can't be written: {reason_of(cause)}; name another file"
        raise CommandError(message, UNREADABLE) from None
