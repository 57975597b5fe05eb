"""Reports of copies: what was copied, how, and what was not copied."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.columns import column_width, padded
from zom.dataclass import dataclass
from zom.json.write import facts_json
from zom.problems import one_line

if TYPE_CHECKING:
    from zom.model.family import NodeKind
    from zom.problems import Problem

__all__ = ["CopiedNode", "CopyReport", "Way", "size_text"]

Way = Literal["document", "raw", "encode", "keep"]
"""How a node is copied: a group by its document; chunks as they are, or encoded again; or kept in place."""

_WORDS = {
    "document": "",
    "raw": "chunks as they are",
    "encode": "chunks encoded again",
    "keep": "kept as it is",
}

_LINES = 200


def size_text(nbytes: int) -> str:
    """A number of bytes as text for people.

    >>> size_text(12), size_text(3 << 20)
    ('12 B', '3.0 MiB')
    """
    size, unit = float(nbytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{nbytes} B" if unit == "B" else f"{size:.1f} {unit}"


@dataclass(frozen=True, slots=True)
class CopiedNode:
    """The result for one node."""

    path: str
    """Path below the node that was copied."""
    kind: NodeKind
    way: Way
    why: str = ""
    """The differences, if chunks are encoded again."""
    raw: int = 0
    """The number of chunks copied as they are."""
    encoded: int = 0
    """The number of chunks encoded again."""
    skipped: int = 0
    """The number of chunks that an earlier copy had already written to the target."""
    nbytes: int = 0
    """The size of the written chunks in bytes."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON.

        >>> CopiedNode("/a", "array", "raw", raw=2, nbytes=8).to_dict()
        {'path': '/a', 'kind': 'array', 'way': 'raw', 'raw': 2, 'nbytes': 8}
        """
        facts: dict[str, Any] = {"path": self.path, "kind": self.kind, "way": self.way}
        for name in ("why", "raw", "encoded", "skipped", "nbytes"):
            if getattr(self, name):
                facts[name] = getattr(self, name)
        return facts

    def words(self, *, planned: bool = False) -> str:
        """What happened to the node, or would happen if `planned`."""
        parts = [_WORDS[self.way] + (f" ({self.why})" if self.why else "")]
        raw = "to copy" if planned else "copied"
        counts = ((self.raw, raw), (self.encoded, "encoded"), (self.skipped, "already written"))
        parts.extend(f"{count} {what}" for count, what in counts if count)
        if self.nbytes:
            parts.append(size_text(self.nbytes))
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class CopyReport:
    """The result of a copy, or the plan of a dry run.

    >>> report = CopyReport("a.zarr", "/", "b.zarr", "/", (CopiedNode("/", "array", "raw", raw=2, nbytes=8),))
    >>> print(report)
    a.zarr -> b.zarr: 1 array; 2 chunks as they are, 8 B
      /  array  chunks as they are, 2 copied, 8 B
    """

    source: str
    path: str
    target: str
    target_path: str
    nodes: tuple[CopiedNode, ...]
    """Each node, groups before their members."""
    foreign: tuple[str, ...] = ()
    """Keys of the source that are not part of Zarr, or chunks outside an array; they are not copied."""
    left_out: tuple[str, ...] = ()
    """Nodes of the source that are not in the spec of the target."""
    there: tuple[str, ...] = ()
    """Unknown keys in the target; they stay."""
    resumed: bool = False
    """Whether an interrupted copy was resumed."""
    verified: bool = False
    """Whether the target was read again and found to be equal."""
    dry_run: bool = False
    consolidated: tuple[str, ...] = field(default=())
    """The groups of the target with consolidated metadata."""
    problems: tuple[Problem, ...] = ()
    """The problems of nodes of the source that can't be read; they are not copied."""
    warnings: tuple[Problem, ...] = ()
    """Oddities of the source: kept names, features unknown to Zarr, and unreachable chunks (not copied)."""

    @property
    def arrays(self) -> int:
        """The number of arrays."""
        return sum(node.kind == "array" for node in self.nodes)

    @property
    def raw(self) -> int:
        """The number of chunks copied as they are."""
        return sum(node.raw for node in self.nodes)

    @property
    def encoded(self) -> int:
        """The number of chunks encoded again."""
        return sum(node.encoded for node in self.nodes)

    @property
    def skipped(self) -> int:
        """The number of chunks that an earlier copy had already written to the target."""
        return sum(node.skipped for node in self.nodes)

    @property
    def nbytes(self) -> int:
        """The size of all written chunks in bytes."""
        return sum(node.nbytes for node in self.nodes)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return {
            "source": self.source,
            "path": self.path,
            "target": self.target,
            "target_path": self.target_path,
            "dry_run": self.dry_run,
            "resumed": self.resumed,
            "verified": self.verified,
            "arrays": self.arrays,
            "raw": self.raw,
            "encoded": self.encoded,
            "skipped": self.skipped,
            "nbytes": self.nbytes,
            "nodes": [node.to_dict() for node in self.nodes],
            "foreign": list(self.foreign),
            "left_out": list(self.left_out),
            "there": list(self.there),
            "consolidated_metadata": list(self.consolidated),
            "problems": [problem.to_dict() for problem in self.problems],
            "warnings": [problem.to_dict() for problem in self.warnings],
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The report as JSON text.

        >>> CopyReport("a.zarr", "/", "b.zarr", "/", ()).to_json()[:19]
        '{"source":"a.zarr",'
        """
        return facts_json(self.to_dict(), indent=indent)

    def __repr__(self) -> str:
        return short("CopyReport", self._heading())

    def _heading(self) -> str:
        return f"{_where(self.source, self.path)} -> {_where(self.target, self.target_path)}: {_sum(self)}"

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        return notebook_html("copy", self)

    def __str__(self) -> str:
        lines = [self._heading()]
        width = column_width(one_line(node.path) for node in self.nodes[:_LINES])
        lines.extend(
            f"  {padded(one_line(node.path), width)}  {node.kind}  {node.words(planned=self.dry_run)}".rstrip()
            for node in self.nodes[:_LINES]
        )
        if len(self.nodes) > _LINES:
            lines.append(f"  ... and {len(self.nodes) - _LINES} more")
        lines.extend(
            f"  {words}: {_few(keys)}"
            for words, keys in (
                ("not Zarr's, and not copied", self.foreign),
                ("not in the spec, and not copied", self.left_out),
                ("in the target, and left alone", self.there),
            )
            if keys
        )
        lines.extend(f"  warning: {problem}" for problem in self.warnings[:_LINES])
        lines.extend(f"  not copied: {problem}" for problem in self.problems[:_LINES])
        if len(self.problems) > _LINES:
            lines.append(f"  ... and {len(self.problems) - _LINES} more")
        return "\n".join(map(one_line, lines))


def _where(url: str, path: str) -> str:
    return url if path == "/" else f"{url} {path}"


def _sum(report: CopyReport) -> str:
    groups = len(report.nodes) - report.arrays
    nodes = [_count(report.arrays, "array")] if report.arrays else []
    nodes += [_count(groups, "group")] if groups else []
    parts = [" and ".join(nodes) or "nothing"]
    kept = sum(node.way == "keep" for node in report.nodes)
    parts += [f"{kept} kept as {'it is' if kept == 1 else 'they are'}"] if kept else []
    if report.dry_run:
        parts.append("nothing written, as this is a dry run")
        return "; ".join(parts)
    chunks = [f"{_count(report.raw, 'chunk')} as they are"] if report.raw else []
    chunks += [f"{_count(report.encoded, 'chunk')} encoded again"] if report.encoded else []
    chunks += [f"{_count(report.skipped, 'chunk')} already written"] if report.skipped else []
    chunks += [size_text(report.nbytes)] if report.nbytes else []
    if chunks:
        parts.append(", ".join(chunks))
    if report.resumed:
        parts.append("resumed")
    if report.verified:
        parts.append("verified")
    return "; ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _few(keys: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, keys[:3]))
    return f"{shown} and {len(keys) - 3} more" if len(keys) > 3 else shown
