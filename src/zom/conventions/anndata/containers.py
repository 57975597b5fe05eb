"""Rules for an AnnData group and its `raw`: their members, and how these fit the rows of obs and var."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zom.checks.check import Breach, Site, Skip
from zom.checks.members import MEMBERS, absent_members, strange_members
from zom.conventions.anndata.elements import (
    DATAFRAME,
    DENSE,
    SPARSE,
    TYPE,
    encoding_of,
    extent_of,
)
from zom.count import count_of
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zom.formats.node_view import Node

__all__ = ["CONTAINER_FUNCTIONS"]

_MEMBERS: Final = ("X", "layers", "obs", "var", "obsm", "varm", "obsp", "varp", "uns", "raw")
_OLD: Final = ("raw.X", "raw.var", "raw.varm")
_MAPPINGS: Final = ("layers", "obsm", "varm", "obsp", "varp", "uns")
_MATRIX: Final = (*DENSE, *SPARSE)
_NOT_READ: Final = Skip("the members of the group are unknown")


class Axis(NamedTuple):
    """The number of rows in a dataframe that labels an axis, and that dataframe."""

    size: int
    label: Node
    name: str
    related: tuple[str, ...]
    """The paths of the dataframe and of the node that determines its length."""

    def __str__(self) -> str:
        return f"{show(self.size)} ({self.name}, the length of the index of {self.label.path})"


def _axis(holder: Node | None, name: str) -> Axis | None:
    """The axis of `obs` or `var` in `holder`, or None if its length is unknown."""
    frame = (holder.members or {}).get(name) if holder is not None else None
    found = extent_of(frame) if frame is not None else None
    if frame is None or found is None or not found.lengths:
        return None
    related = tuple(dict.fromkeys((frame.path, found.node.path)))
    return Axis(found.lengths[0], frame, f"n_{name}", related)


def _typed(node: Node, types: Sequence[str]) -> Iterator[Breach]:
    """Report an element of another type; another rule reports elements without a type."""
    said = encoding_of(node)
    if said is not None and said not in types:
        wanted = " or ".join(map(show, types))
        yield Breach(node, ("attributes", TYPE), f"encoding type {wanted}", show(said))


def _sized(node: Node, axes: Sequence[Axis | None], *, rank: int | None = None) -> Iterator[Breach]:
    """Report an element with a length that differs from the axes, or with the wrong number of dimensions."""
    found = extent_of(node)
    if found is None:
        return
    if found.is_listed and (
        len(found.lengths) < len(axes) or (rank is not None and len(found.lengths) != rank)
    ):
        wanted = (
            count_of(rank, "dimension") if rank is not None else f"{count_of(len(axes), 'dimension')} or more"
        )
        yield Breach(found.node, found.path, wanted, f"{len(found.lengths)}: {show(list(found.lengths))}")
        return
    for place, (axis, length) in enumerate(zip(axes, found.lengths, strict=False)):
        if axis is not None and length != axis.size:
            yield Breach(found.node, found.place(place), str(axis), show(length), None, axis.related)


def _entries(holder: Node, name: str) -> list[Node]:
    """The entries of a mapping; empty if `name` is not a mapping."""
    mapping = (holder.members or {}).get(name)
    if mapping is None or encoding_of(mapping) not in {"dict", None}:
        return []
    return list((mapping.members or {}).values())


# --- an AnnData group ------------------------------------------------------------------------------------


def _has_obs_and_var(site: Site) -> Iterator[Breach] | Skip:
    return _NOT_READ if site.node.members is None else _obs_and_var(site.node, ("obs", "var"))


def _obs_and_var(node: Node, names: Iterable[str]) -> Iterator[Breach]:
    members = node.members or {}
    for name in names:
        frame = members.get(name)
        if frame is not None:
            yield from _typed(frame, (DATAFRAME,))
        else:
            known = [each for each in members if each not in _MEMBERS]
            yield from absent_members(node, (name,), known, what="a dataframe", path=MEMBERS)


def _has_no_strangers(site: Site) -> Iterator[Breach] | Skip:
    members = site.node.members
    if members is None:
        return _NOT_READ
    strangers = [name for name in members if name not in (*_MEMBERS, *_OLD)]
    return strange_members(site.node, strangers, _MEMBERS, f"only {', '.join(_MEMBERS)}")


def _has_mappings(site: Site) -> Iterator[Breach] | Skip:
    found = [node for name, node in (site.node.members or {}).items() if name in _MAPPINGS]
    if not found:
        return Skip("none of them exists")
    return (breach for node in found for breach in _typed(node, ("dict",)))


def _matrices(node: Node) -> list[Node]:
    own = (node.members or {}).get("X")
    return [*([own] if own is not None else []), *_entries(node, "layers")]


def _has_matrices(site: Site) -> Iterator[Breach] | Skip:
    found = _matrices(site.node)
    if not found:
        return Skip("neither X nor layers")
    return (breach for node in found for breach in _typed(node, _MATRIX))


def _matrices_fit(site: Site) -> Iterator[Breach] | Skip:
    found = [node for node in _matrices(site.node) if encoding_of(node) in {None, *_MATRIX}]
    axes = (_axis(site.node, "obs"), _axis(site.node, "var"))
    if not found:
        return Skip("neither X nor layers")
    if axes == (None, None):
        return Skip("the lengths of obs and var are not known")
    return (breach for node in found for breach in _sized(node, axes, rank=2))


def _entries_fit(site: Site, name: str, types: Sequence[str], axes: int) -> Iterator[Breach] | Skip:
    """Check obsm and varm (along one axis), obsp and varp (along the same axis twice)."""
    found = _entries(site.node, name)
    if not found:
        return Skip(f"no entries in {name}")
    return _judged(found, types, (_axis(site.node, name[:3]),) * axes)


def _judged(found: Sequence[Node], types: Sequence[str], axes: Sequence[Axis | None]) -> Iterator[Breach]:
    for node in found:
        wrong = tuple(_typed(node, types))
        yield from wrong
        if not wrong:
            yield from _sized(node, axes)


# --- raw -------------------------------------------------------------------------------------------------


def _raw_fits(site: Site) -> Iterator[Breach] | Skip:
    raw = (site.node.members or {}).get("raw")
    return Skip("no raw") if raw is None else _raw(site.node, raw)


def _raw(root: Node, raw: Node) -> Iterator[Breach]:
    # anndata writes an element of type null if there is no raw.
    wrong = tuple(_typed(raw, ("raw", "null")))
    yield from wrong
    if wrong or raw.members is None:
        return
    matrix = raw.members.get("X")
    if matrix is None:
        yield from absent_members(raw, ("X",), (), what="a matrix", path=MEMBERS)
    else:
        yield from _typed(matrix, _MATRIX)
        yield from _sized(matrix, (_axis(root, "obs"), _axis(raw, "var")), rank=2)
    yield from _obs_and_var(raw, ("var",))
    for node in _entries(raw, "varm"):
        yield from _sized(node, (_axis(raw, "var"),))


CONTAINER_FUNCTIONS: Final = (
    _has_obs_and_var,
    _has_no_strangers,
    _has_mappings,
    _has_matrices,
    _matrices_fit,
    _entries_fit,
    _raw_fits,
)
