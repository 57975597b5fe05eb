"""Several places that a user names at once: patterns of paths are expanded where the shell didn't."""

from __future__ import annotations

from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from zom.cli.outcome import UNREADABLE, CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["expanded"]


def expanded(names: Iterable[str]) -> list[str]:
    """The names, a pattern of paths in place of which is what it matches, sorted.

    What exists by that name, a URL and `-` are no patterns. The node behind `::` is kept.

    >>> expanded(["s3://bucket/*.zarr", "-"])
    ['s3://bucket/*.zarr', '-']
    """
    found: list[str] = []
    for name in names:
        where, colons, inner = name.partition("::")
        if "://" in name or not has_magic(where) or Path(where).exists():
            found.append(name)
            continue
        matches = sorted(glob(where, recursive=True))  # noqa: PTH207 - absolute or not, as it is given
        if not matches:
            raise CommandError(f"{name}: no path matches this pattern; name a store", UNREADABLE)
        found.extend(f"{match}{colons}{inner}" for match in matches)
    return found
