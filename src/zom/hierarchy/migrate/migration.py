"""Reports of migrations: what is written, deleted and lost when a hierarchy gets another format."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.dataclass import dataclass
from zom.hierarchy.copy.report import size_text
from zom.json.write import facts_json
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.copy.report import CopyReport
    from zom.problems import Problem

__all__ = ["Fate", "MigratedArray", "Migration"]

Fate = Literal["stay", "move", "copy", "encode"]
"""Chunks stay, move to new keys unchanged, are copied elsewhere, or are decoded and encoded again.
"""

_WORDS = {
    "stay": ("chunks stay", "chunks stayed"),
    "move": ("chunks to move", "chunks moved"),
    "copy": ("chunks to copy", "chunks copied"),
    "encode": ("chunks to encode again", "chunks encoded again"),
}
"""The words for each fate, planned and done."""

_SUMS = {
    "stay": ("stay", "stayed"),
    "move": ("to move", "moved"),
    "copy": ("to copy", "copied"),
    "encode": ("to encode again", "encoded again"),
}
_LINES = 200


@dataclass(frozen=True, slots=True)
class MigratedArray:
    """The result for the chunks of one array."""

    path: str
    chunks: Fate
    why: str = ""
    """The reason that they can't stay."""
    count: int = 0
    """The number of chunks moved, copied or encoded again; for a dry run, of chunks to move."""
    nbytes: int = 0
    """The size of the written chunks in bytes."""
    skipped: int = 0
    """The number of chunks that an earlier copy had already written to the target."""

    def words(self, *, planned: bool = False) -> str:
        """What happened to the chunks, or would happen if `planned`."""
        told = _WORDS[self.chunks][not planned] + (f" ({self.why})" if self.why else "")
        counts = [str(self.count)] if self.count else []
        counts += [f"{self.skipped} already written"] if self.skipped else []
        counts += [size_text(self.nbytes)] if self.nbytes else []
        return f"{told}: {', '.join(counts)}" if counts else told

    def __str__(self) -> str:
        return self.words()


@dataclass(frozen=True, slots=True)
class Migration:
    """The result of a migration, or the plan of a dry run.

    >>> print(Migration("a.zarr", "/", "v3", "v3"))
    a.zarr: already v3; nothing to do
    """

    store: str
    path: str
    form: str
    """The format before."""
    to: str
    writes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Every document to write, by key."""
    removes: tuple[str, ...] = ()
    """The keys of all documents to delete."""
    arrays: tuple[MigratedArray, ...] = ()
    losses: tuple[Problem, ...] = ()
    """What the new format can't express."""
    target: str | None = None
    """The URL of the new hierarchy, if it is in another place."""
    copied: CopyReport | None = None
    dry_run: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.writes or self.removes)

    def to_dict(self) -> dict[str, Any]:
        """The migration as plain JSON."""
        return {
            "store": self.store,
            "path": self.path,
            "from": self.form,
            "to": self.to,
            "target": self.target,
            "dry_run": self.dry_run,
            "writes": dict(self.writes),
            "removes": list(self.removes),
            "arrays": [asdict(each) for each in self.arrays],
            "losses": [problem.to_dict() for problem in self.losses],
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The migration as JSON text.

        >>> Migration("a.zarr", "/", "v3", "v3").to_json()[:18]
        '{"store":"a.zarr",'
        """
        return facts_json(self.to_dict(), indent=indent)

    def __repr__(self) -> str:
        return short("Migration", self._heading())

    def _heading(self) -> str:
        where = self.store if self.path == "/" else f"{self.store} {self.path}"
        if self.is_empty:
            return f"{where}: already {self.to}; nothing to do"
        goes = f" -> {self.target}" if self.target is not None else ""
        return f"{where}: {self.form} -> {self.to}{goes}: {self._sum()}"

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        return notebook_html("migration", self)

    def __str__(self) -> str:
        lines = [self._heading()]
        if self.is_empty:
            return one_line(lines[0])
        shown = [f"  + {key}" for key in self.writes] + [f"  - {key}" for key in self.removes]
        lines += shown[:_LINES]
        lines += [f"  ... and {len(shown) - _LINES} more"] if len(shown) > _LINES else []
        moved = [each for each in self.arrays if each.chunks != "stay"]
        lines += [f"  > {each.path}: {each.words(planned=self.dry_run)}" for each in moved[:_LINES]]
        lines += [f"  ... and {len(moved) - _LINES} more"] if len(moved) > _LINES else []
        lines += ["lost:", *(f"  {loss}" for loss in self.losses)] if self.losses else []
        return "\n".join(map(one_line, lines))

    def _sum(self) -> str:
        to = " to write" if self.dry_run else " written"
        gone = " to remove" if self.dry_run else " removed"
        parts = [f"{_count(len(self.writes), 'document')}{to}"] if self.writes else []
        parts += [f"{len(self.removes)}{gone}"] if self.removes else []
        for fate, words in _SUMS.items():
            arrays = [each for each in self.arrays if each.chunks == fate]
            if arrays:
                parts.append(f"the chunks of {_count(len(arrays), 'array')} {words[not self.dry_run]}")
        written = sum(each.nbytes for each in self.arrays)
        parts += [f"{size_text(written)} of chunks written"] if written else []
        parts += ["nothing done: this is a dry run"] if self.dry_run else []
        return ", ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
