"""Summaries of open nodes: records of short facts, with a text form; nothing is read for them."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from zom.brief import notebook_html
from zom.dataclass import dataclass
from zom.formats.facts import array_facts, attribute_texts, byte_text
from zom.formats.resolve import resolve
from zom.json.python_value import is_dict
from zom.problems import one_line, show

if TYPE_CHECKING:
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec

__all__ = ["ArrayInfo", "GroupInfo", "array_info", "group_info"]

_ROOM = 72
"""The number of characters shown of attributes and fill values."""


class _Lines:
    """The text of a record, with one line per fact."""

    def lines(self) -> list[tuple[str, str]]:
        """The facts with their names, without unknown ones."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The record as plain JSON."""
        return asdict(cast("Any", self))

    def _repr_html_(self) -> str:
        """The HTML for a notebook."""
        return notebook_html("info", self)

    def __str__(self) -> str:
        pairs = self.lines()
        width = max(len(name) for name, _ in pairs)
        return "\n".join(f"{name.ljust(width)}  {text}" for name, text in pairs)


@dataclass(frozen=True, slots=True, repr=True)
class ArrayInfo(_Lines):
    """The summary of an array, from `Array.info`.

    >>> import zom
    >>> print(zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3))).info)
    array   / in memory://
    format  v3
    type    int16
    shape   (4, 6)
    chunks  2×3, 4 of them
    codecs  zstd
    fill    0
    order   C
    bytes   48 B in memory
    """

    store: str
    path: str
    format: str
    type: str
    shape: tuple[int, ...]
    dimensions: tuple[str | None, ...] | None
    """The names of the dimensions, or None if they have none."""
    chunks: str
    """The shape of the smallest piece that can be read."""
    shards: str | None
    """The shape of objects that hold several chunks, or None if there are none."""
    count: int | None
    """The number of objects in the store when every chunk is written, or None if unknown."""
    codecs: str
    fill: str
    order: str | None
    """The order in which the elements of a chunk are stored: `C`, `F`, or the order of the dimensions."""
    nbytes: int | None
    """The size of all elements in memory in bytes; None if elements differ in length."""
    attributes: str

    def lines(self) -> list[tuple[str, str]]:
        """The facts with their names."""
        names = self.dimensions or (None,) * len(self.shape)
        lengths = [
            f"{'' if name is None else one_line(name) + '='}{length}"
            for name, length in zip(names, self.shape, strict=True)
        ]
        count = "" if self.count is None else f", {self.count} of them"
        tail = "" if self.shards is not None else count
        pairs = [
            ("array", f"{one_line(self.path)} in {one_line(self.store)}"),
            ("format", self.format),
            ("type", self.type),
            ("shape", f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"),
            ("chunks", f"{self.chunks}{tail}"),
            ("shards", "" if self.shards is None else f"{self.shards}{count}"),
            ("codecs", self.codecs),
            ("fill", self.fill),
            ("order", self.order or ""),
            ("bytes", "" if self.nbytes is None else f"{byte_text(self.nbytes)} in memory"),
            ("attributes", self.attributes),
        ]
        return [(name, text) for name, text in pairs if text]


@dataclass(frozen=True, slots=True, repr=True)
class GroupInfo(_Lines):
    """The summary of a group, from `Group.info`.

    >>> import zom
    >>> print(zom.create_group("memory:", zom.v3.GroupSpec(attributes={"title": "a"})).info)
    group         / in memory://
    format        v3
    attributes    title="a"
    consolidated  no
    """

    store: str
    path: str
    format: str
    attributes: str
    consolidated: bool | None
    """Whether its document holds those of all nodes below; None if the format keeps them elsewhere."""

    def lines(self) -> list[tuple[str, str]]:
        """The facts with their names."""
        said = {None: "", True: "yes", False: "no"}[self.consolidated]
        pairs = [
            ("group", f"{one_line(self.path)} in {one_line(self.store)}"),
            ("format", self.format),
            ("attributes", self.attributes),
            ("consolidated", said),
        ]
        return [(name, text) for name, text in pairs if text]


def group_info(spec: Spec, store: str, path: str, layout: Layout) -> GroupInfo:
    """The summary of the group described by `spec`, at `path` in the store with that URL."""
    inline = layout.inline
    holds = None if inline is None else spec.document.get(inline) is not None
    return GroupInfo(store, path, layout.name, _attributes(spec), holds)


def array_info(spec: Spec, store: str, path: str, layout: Layout) -> ArrayInfo:
    """The summary of the array described by `spec`, at `path` in the store with that URL."""
    view, facts = resolve(spec), array_facts(spec)
    chunks, _, shards = facts.chunks.partition(" in shards ")
    pieces = view.shards if view.sharded else view.chunks
    return ArrayInfo(
        store=store,
        path=path,
        format=layout.name,
        type=facts.type,
        shape=view.shape,
        dimensions=view.names,
        chunks=chunks,
        shards=shards or None,
        count=_count(view.shape, pieces),
        codecs=facts.codecs,
        fill=show(view.fill_value, _ROOM),
        order=_order(spec, len(view.shape)),
        nbytes=facts.size,
        attributes=_attributes(spec),
    )


def _attributes(spec: Spec) -> str:
    found = spec.document.get("attributes")
    return attribute_texts(found, _ROOM) if is_dict(found) else ""


def _count(shape: tuple[int, ...], lengths: tuple[tuple[int, ...], ...] | None) -> int | None:
    """The number of pieces, if all have one length along each dimension."""
    if lengths is None or any(len(choices) != 1 for choices in lengths):
        return None
    return math.prod(-(-length // size) for length, (size,) in zip(shape, lengths, strict=True))


def _order(spec: Spec, rank: int) -> str | None:
    """The order of the elements in a chunk, as in documents; None if no single word or list describes it."""
    said: Any = spec.document.get("order", spec.document.get("chunk_memory_layout"))
    if said is not None:
        return said if isinstance(said, str) else None
    orders: list[list[int] | str] = [
        cast("Any", link.configuration).order for link in resolve(spec).links if link.name == "transpose"
    ]
    if not orders:
        return "C"
    order = orders[0]
    if len(orders) > 1:
        return None
    if isinstance(order, str):
        return order
    if order == list(range(rank)):
        return "C"
    return "F" if order == list(range(rank))[::-1] else show(order)
