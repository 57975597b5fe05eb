"""Byte ranges: parts of a value.

Zarr v3 core, section "Abstract store interface", `get_partial_values`; suffixes are those of HTTP, RFC
9110, section 14.1.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ByteRange", "Part", "Range", "Request", "Span", "Suffix", "check_range", "cut", "near"]


class Range(NamedTuple):
    """The bytes of a value from `start` on: `length` of them, or all.

    >>> cut(b"abcdef", Range(1, 3)), cut(b"abcdef", Range(4))
    (b'bcd', b'ef')
    """

    start: int
    length: int | None = None


class Suffix(NamedTuple):
    """The last `length` bytes of a value, or all if it is shorter.

    >>> cut(b"abcdef", Suffix(2))
    b'ef'
    """

    length: int


ByteRange: TypeAlias = Range | Suffix
"""A part of a value. A range that exceeds the value returns the existing bytes."""

Span: TypeAlias = tuple[int, int]
"""The start and stop of a range."""


class Part(NamedTuple):
    """Bytes of the value of a key; if a version is given, only of that version."""

    key: str
    byte_range: ByteRange | None
    version: Any = None


Value = TypeVar("Value", bytes, "memoryview[int]")

Request: TypeAlias = "str | tuple[str, ByteRange | None]"
"""A request of `get_many`: a key, or a key and a byte range."""


def cut(value: Value, byte_range: ByteRange | None) -> Value:
    """Return the bytes of `value` in `byte_range`.

    >>> cut(b"abc", None)
    b'abc'
    """
    if byte_range is None:
        return value
    if isinstance(byte_range, Suffix):
        return value[max(0, len(value) - byte_range.length) :]
    if byte_range.length is None:
        return value[byte_range.start :]
    return value[byte_range.start : byte_range.start + byte_range.length]


def check_range(byte_range: ByteRange) -> None:
    """Raise ValueError for negative numbers: Python would silently count from the end.

    >>> check_range(Range(-1, 4))
    Traceback (most recent call last):
    ValueError: expected a byte range that starts at 0 or later, got Range(start=-1, length=4)
    """
    # Callers without a type checker may pass a slice or a tuple.
    if not isinstance(byte_range, (Range, Suffix)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"expected a Range, a Suffix or None, got {byte_range!r}")  # noqa: TRY004
    if isinstance(byte_range, Range) and byte_range.start < 0:
        raise ValueError(f"expected a byte range that starts at 0 or later, got {byte_range}")
    if byte_range.length is not None and byte_range.length < 0:
        raise ValueError(f"expected a byte range of 0 or more bytes, got {byte_range}")


def near(spans: Iterable[Span], *, gap: int, longest: int) -> list[Span]:
    """Merge spans that are at most `gap` bytes apart, unless the result would exceed `longest` bytes.

    >>> near([(100, 200), (0, 90), (100, 200), (900, 950)], gap=10, longest=1000)
    [(0, 200), (900, 950)]
    """
    made: list[Span] = []
    for start, stop in sorted(spans):
        if made and start - made[-1][1] <= gap and max(stop, made[-1][1]) - made[-1][0] <= longest:
            made[-1] = made[-1][0], max(stop, made[-1][1])
        else:
            made.append((start, stop))
    return made
