"""The choices of who writes a dataset, checked against each other."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from zom.dataclass import dataclass

__all__ = ["Choices", "Mode", "chosen_mode"]

Mode: TypeAlias = Literal["w-", "w", "a", "r+"]
"""What may be there: "w-" nothing; "w" a group, which is replaced; "a" arrays, which are written into, and others
are added; "r+" arrays, which are written into, and none is added."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How data is written."""

    mode: Mode
    compute: bool
    safe_chunks: bool
    align_chunks: bool
    consolidated: bool | None
    write_empty_chunks: bool


def chosen_mode(mode: Mode | None, *, region: bool, append: bool) -> Mode:
    """The mode that was asked for, or that a region or data behind the end needs.

    >>> chosen_mode(None, region=False, append=False), chosen_mode(None, region=True, append=False)
    ('w-', 'r+')
    """
    if mode is not None and mode not in get_args(Mode):
        raise ValueError(f'mode: expected "w-", "w", "a" or "r+", got {mode!r}')
    if append and mode not in {None, "a"}:
        raise ValueError(f'mode: expected "a" with append_dim, got {mode!r}')
    if region and mode not in {None, "a", "r+"}:
        raise ValueError(f'mode: expected "a" or "r+" with a region, got {mode!r}')
    if mode is not None:
        return mode
    if append:
        return "a"
    return "r+" if region else "w-"
