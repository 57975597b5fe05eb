"""Output of the command: lines in which names from a store can't control a terminal, and exact data.

The name of a node, attribute or file may contain characters that move the cursor, change colours, end a line
or change the text direction. Lines of text always show them as escapes. Data, such as JSON, is exact; on a
terminal, it shows them as escapes, too, which JSON reads as the same characters.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from typing import TextIO

__all__ = [
    "ERASE",
    "Guard",
    "Painted",
    "UnwritableOutputError",
    "flush_output",
    "guarded",
    "safe",
    "say",
    "say_data",
    "say_lines",
    "tell",
]

ERASE = "\r\x1b[2K"
"""Erases a line of progress."""
_OWN = re.compile(r"(\r\x1b\[2K|\x1b\[(?:3[1-4]|0)m|\n)")
"""Control sequences of the command itself: line ends, colours, progress."""


class Painted(str):
    """Text coloured by the command: a part of a line that is printed as it is."""

    __slots__ = ()


def safe(text: str) -> str:
    r"""The text with escapes for characters that control a terminal or end a line, as in `one_line`.

    >>> print(safe("a\x1b[31mb"))
    a\u001b[31mb
    """
    if text.isprintable():
        return text
    from zom.problems import one_line  # noqa: PLC0415 - most text needs none of it

    return one_line(text)


class UnwritableOutputError(Exception):
    """Raised if standard output can't be written, such as on a full disk."""


def _print(text: str, *, end: str = "\n", flush: bool = False) -> None:
    try:
        print(text, end=end, flush=flush)
    except BrokenPipeError:
        raise
    except OSError as cause:
        from zom.reason import reason_of  # noqa: PLC0415 - only on errors

        raise UnwritableOutputError(reason_of(cause)) from cause


def flush_output() -> None:
    """Flush standard output."""
    _print("", end="", flush=True)


def _joined(parts: tuple[str, ...]) -> str:
    return "".join(part if isinstance(part, Painted) else safe(part) for part in parts)


def say(*parts: str, flush: bool = False) -> None:
    r"""Print a line, made of parts, to standard output.

    >>> say("a\n", "b")
    a\nb
    """
    _print(_joined(parts), flush=flush)


def say_lines(text: str) -> None:
    """Print text of several lines to standard output."""
    for line in text.split("\n"):
        say(line)


def say_data(text: str, *, end: str = "\n") -> None:
    """Print data for programs, such as JSON, to standard output."""
    _print(text, end=end)


def tell(*parts: str, stream: TextIO | None = None) -> None:
    """Print a line, made of parts, to standard error, or to another stream of messages."""
    print(_joined(parts), file=stream or sys.stderr, flush=True)


class Guard:
    r"""A terminal stream that escapes everything but text and the command's own control sequences.

    >>> import io
    >>> terminal = io.StringIO()
    >>> print("{\"\x9b31m\": 1}", file=Guard(terminal))
    >>> print(terminal.getvalue())
    {"\u009b31m": 1}
    <BLANKLINE>
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the text, with escapes for characters that control the terminal."""
        if not text.isprintable():
            parts = _OWN.split(text)
            text = "".join(part if at % 2 else safe(part) for at, part in enumerate(parts))
        return self._stream.write(text)


class guarded:  # noqa: N801 - a context manager, which `contextlib` would make more slowly than --help runs
    """A context with a `Guard` around standard output and standard error, if these are terminals."""

    def __enter__(self) -> None:
        self._streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (
            cast("TextIO", Guard(each)) if each.isatty() else each for each in self._streams
        )

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self._streams
