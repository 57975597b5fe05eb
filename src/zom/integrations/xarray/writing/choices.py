"""The options for writing a dataset, checked for consistency."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from zom.dataclass import dataclass

__all__ = ["Choices", "Mode", "chosen_mode"]

Mode: TypeAlias = Literal["w-", "w", "a", "r+"]
"""How to treat existing nodes: "w-" refuses them; "w" replaces the group; "a" writes into existing arrays and
adds new ones; "r+" writes into existing arrays only."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Options for writing data."""

    mode: Mode
    compute: bool
    safe_chunks: bool
    align_chunks: bool
    consolidated: bool | None
    write_empty_chunks: bool


def chosen_mode(mode: Mode | None, *, region: bool, append: bool) -> Mode:
    """Return the requested mode, or the default mode for a region or for appending.

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
