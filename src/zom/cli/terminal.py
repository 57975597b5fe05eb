"""Output for terminals, but not for files and pipes: colours, lines that fit, progress.

No colour if NO_COLOR is set (https://no-color.org), or if the terminal is a dumb one.
"""

from __future__ import annotations

import codecs
import os
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING

from zom.cli.printing import ERASE, Painted, safe, tell
from zom.columns import columns_of

if TYPE_CHECKING:
    import argparse
    from types import TracebackType
    from typing import Self, TextIO

__all__ = [
    "Progress",
    "declare_progress",
    "duration",
    "fitted",
    "help_width",
    "painted",
    "severity_painted",
    "show_as_ascii",
    "use_colours",
    "width",
]

_COLOURS = {"red": 31, "green": 32, "yellow": 33, "blue": 34}
_DIGITS = 10
"""COLUMNS with this many digits or more is ignored."""

_OF_SEVERITY = {"error": "red", "warning": "yellow", "note": "blue"}


def width(stream: TextIO | None = None) -> int | None:
    """The number of columns for a line; None if the stream is not a terminal."""
    shown = stream or sys.stdout
    if not _is_terminal(shown):
        return None
    stated = _stated_width()
    if stated is not None:
        return stated
    try:
        return os.get_terminal_size(shown.fileno()).columns or None
    except (AttributeError, OSError, ValueError):  # a stream of an editor has no file
        return None


def help_width() -> int:
    """The number of columns for help, on a terminal or not; argparse would use shutil, a slow import.

    >>> help_width() > 0
    True
    """
    shown = sys.__stdout__
    return max((_stated_width() or (None if shown is None else width(shown)) or 80) - 2, 1)


def _stated_width() -> int | None:
    """The width in COLUMNS, if valid."""
    given = os.environ.get("COLUMNS", "")
    return int(given) or None if given.isdecimal() and len(given) < _DIGITS else None


def fitted(line: str, columns: int | None) -> str:
    """The line, cut to fit the terminal.

    >>> fitted("chunks 24×91×180", 10), fitted("short", 10), fitted("whole, where nobody asks", None)
    ('chunks 24…', 'short', 'whole, where nobody asks')
    """
    if columns is None or columns_of(line) <= columns:
        return line
    room, kept = columns - 1, ""
    for character in line:
        room -= columns_of(character)
        if room < 0:
            break
        kept += character
    return f"{kept}…"


def painted(text: str, colour: str, stream: TextIO | None = None) -> Painted:
    """The text in a colour, if colours are in use.

    >>> import io
    >>> painted("error", "red", io.StringIO())
    'error'
    """
    if not _has_colours(stream or sys.stdout):
        return Painted(safe(text))
    return Painted(f"\x1b[{_COLOURS[colour]}m{safe(text)}\x1b[0m")


def severity_painted(severity: str, stream: TextIO | None = None) -> Painted:
    """The name of a severity, in its colour."""
    return painted(severity, _OF_SEVERITY[severity], stream)


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # it is closed
        return False


_colours = ContextVar("_colours", default="auto")


def use_colours(choice: str) -> None:
    """Use colours `always`, `never`, or if the terminal has them (`auto`)."""
    _colours.set(choice)


_PLAIN = {
    "├": "|", "└": "`", "│": "|", "─": "-", "×": "x", "…": "...", "→": "->", "█": "#", "░": "."
}  # fmt: skip
"""Replacements of zom's own characters for terminals without them."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    """The text for characters that an encoding lacks: zom's own signs as ASCII, all others as codes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(
        _PLAIN.get(each) or each.encode("ascii", "backslashreplace").decode() for each in lost
    ), error.end


def show_as_ascii() -> None:
    """Let a terminal without Unicode show trees in ASCII, and names as codes, instead of failing."""
    codecs.register_error("zom.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="zom.plain")


def _has_colours(stream: TextIO) -> bool:
    if _colours.get() != "auto":
        return _colours.get() == "always"
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def declare_progress(parser: argparse.ArgumentParser) -> None:
    """Add the argument of verbs that can take long."""
    from argparse import BooleanOptionalAction  # noqa: PLC0415 - argparse is there before verbs are declared

    parser.add_argument(
        "--progress",
        action=BooleanOptionalAction,
        help="show progress on standard error (default: if it is a terminal)",
    )


def duration(seconds: float) -> str:
    """A time in words, rounded to seconds, minutes or tenths of hours.

    >>> duration(4.2), duration(200), duration(9000)
    ('4 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class Progress:
    """The progress, on one line of standard error that is erased at the end.

    >>> with Progress("copying", wanted=False) as tell:
    ...     tell(1, 2)
    """

    def __init__(self, what: str, wanted: bool | None) -> None:  # noqa: FBT001 - as argparse gives it
        self._what = what
        self._shown = _is_terminal(sys.stderr) if wanted is None else wanted
        self._in_place = _is_terminal(sys.stderr)
        self._last = ""
        self._time = 0.0
        self._began: tuple[float, int] | None = None
        """The time of the first report, and how much was done then."""

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` is done; a `total` of 0 is unknown."""
        if not self._shown:
            return
        from time import monotonic  # noqa: PLC0415 - only if progress is shown

        now = monotonic()
        # Report every ten percent to a file or pipe, and ten times a second to a terminal.
        percent = f"{100 * done // total} %" if total else f"{done:,}"
        text = f"{self._what}: {percent} ({done:,} of {total:,})" if total else f"{self._what}: {percent}"
        text += self._pace(done, total, now)
        if self._in_place:
            if now - self._time >= 0.1 or done == total:
                self._time = now
                sys.stderr.write(f"{ERASE}{fitted(text, width(sys.stderr))}")
                sys.stderr.flush()
                self._last = text
        elif total and (step := f"{10 * done // total}") != self._last:
            self._last = step
            tell(text)

    def _pace(self, done: int, total: int, now: float) -> str:
        """The rate and the time left; empty in the first second, when they are unreliable."""
        if self._began is None:
            self._began = (now, done)
        since, before = self._began
        if now - since < 1 or done <= before:
            return ""
        rate = (done - before) / (now - since)
        left = f", {duration((total - done) / rate)} left" if total > done else ""
        return f", {rate:,.0f}/s{left}" if rate >= 10 else f", {rate:.1f}/s{left}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._last and self._in_place:
            sys.stderr.write(ERASE)
            sys.stderr.flush()
