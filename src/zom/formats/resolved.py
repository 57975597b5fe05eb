"""A resolved array: the facts of an array's document, read once, in any format.

Checking an array makes its `Encoding`, which most arrays of a hierarchy share. `zom.formats.resolve` adds
the array's own facts: the `ResolvedArray`, which all layers above the formats read. Each fact has its path
in the document, so that a finding points at the user's own text.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.dataclass import dataclass
from zom.extension.axis import Axis
from zom.extension.definition import name_of
from zom.extension.fill_value import LaterScalar
from zom.extension.link import parse_links
from zom.extension.registry import unknown_text
from zom.formats.dimension import dimensions_called
from zom.json.python_value import is_dict, is_list
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zom.extension.datatype import DataType, Format
    from zom.extension.keys import KeyForm
    from zom.extension.link import Link
    from zom.extension.registry import Registry
    from zom.json.value import JSON, JSONDict
    from zom.model.family import Family
    from zom.problems import Fault

__all__ = [
    "Encoding",
    "Inner",
    "Lengths",
    "ResolvedArray",
    "fill_for",
    "inner_links",
    "regular_axes",
    "unknown_member",
    "unregistered",
]

Lengths = tuple[tuple[int, ...], ...]
"""For each dimension, all chunk lengths along it: one in a regular grid."""


class Inner(NamedTuple):
    """The chunks inside shards; None means unknown."""

    lengths: Lengths | None
    path: Path
    places: tuple[int, ...] | None
    """For each dimension, its index in the list at `path`: a transpose may precede the shards."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """How elements become stored chunks, with all faults; None means unknown."""

    faults: tuple[Fault, ...]
    data_type: DataType | None
    scalar: Any
    """The scalar of the fill value, or an object that makes it."""
    lengths: Lengths | None
    """The lengths of stored objects: of shards, if there are any."""
    lengths_path: Path
    axes: Callable[[tuple[int, ...]], tuple[Axis, ...]] | None
    """Returns the grid of an array with a given shape."""
    keys: Callable[[], KeyForm] | None
    """Returns the form of chunk keys."""
    links: tuple[Link, ...]
    """The codecs, in the order of encoding."""
    sharded: bool | None
    inner: Inner | None = None
    per_shard: tuple[int, ...] | None = None
    """The number of chunks in a shard along each dimension, if no codec makes the shards."""

    @property
    def fill(self) -> Any:
        """The scalar of the fill value."""
        return self.scalar.get() if isinstance(self.scalar, LaterScalar) else self.scalar


@dataclass(frozen=True, eq=False)
class ResolvedArray:
    """The facts of one array, with their paths in the array's own document.

    A chunk is the smallest piece that can be read, a shard an object that holds several chunks. Facts that
    depend on unregistered names are None.
    """

    family: Family
    document: JSONDict
    encoding: Encoding
    """How elements become stored chunks."""
    shape: tuple[int, ...]
    names: tuple[str | None, ...] | None
    """The dimension names; None if there are none."""
    type_name: str | None
    """The v3 name of the data type, or the document's name if zom doesn't know it."""
    attributes: JSONDict
    find_obstacle: Callable[[Mapping[str, Any], Encoding], str | None]

    @property
    def form(self) -> Format:
        """The format."""
        return self.family.form

    @property
    def names_path(self) -> Path:
        """The path of the dimension names, even if there are none."""
        return self.family.names_path

    @property
    def data_type(self) -> DataType | None:
        """The data type."""
        return self.encoding.data_type

    @property
    def type_path(self) -> Path:
        """The path of the data type."""
        return self.family.type_path

    @property
    def chunks(self) -> Lengths | None:
        """The lengths of chunks."""
        inner = self.encoding.inner
        return self.encoding.lengths if inner is None else inner.lengths

    @property
    def chunks_path(self) -> Path:
        """The path of `chunks`."""
        inner = self.encoding.inner
        return self.encoding.lengths_path if inner is None else inner.path

    @property
    def places(self) -> tuple[int, ...]:
        """For each dimension, its index in the list at `chunks_path`: a transpose may precede the shards."""
        inner = self.encoding.inner
        return tuple(range(self.rank)) if inner is None or inner.places is None else inner.places

    @property
    def shards(self) -> Lengths | None:
        """The lengths of shards; None if there are none, or if they are unknown."""
        return None if self.encoding.inner is None else self.encoding.lengths

    @property
    def shards_path(self) -> Path:
        """The path of `shards`."""
        return self.encoding.lengths_path

    @property
    def sharded(self) -> bool | None:
        """Whether there are shards; None if unknown."""
        return self.encoding.sharded

    @property
    def links(self) -> tuple[Link, ...]:
        """The codecs, in the order of encoding."""
        return self.encoding.links

    @cached_property
    def codecs(self) -> tuple[Link, ...]:
        """The codecs in the document, including those inside shards, excluding those of shard indexes."""
        found: list[Link] = []
        waiting = [link for link in reversed(self.links) if link.written is not None]
        while waiting:
            link = waiting.pop()
            found.append(link)
            waiting.extend(reversed(inner_links(link)))
        return tuple(found)

    @property
    def fill_value(self) -> JSON:
        """The fill value in the document."""
        return self.document.get("fill_value")

    @cached_property
    def obstacle(self) -> str | None:
        """Why zom can't read chunks, such as an unregistered name that must be understood; None if it can."""
        return self.find_obstacle(self.document, self.encoding)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def dimension(self, index: int) -> str:
        """Return the name of the dimension at `index` for messages.

        >>> from zom import v3
        >>> from zom.formats.resolve import resolve
        >>> resolve(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["y"])).dimension(0)
        '"y"'
        """
        name = self.names[index] if self.names is not None else None
        return str(index) if name is None else f'"{name}"'

    def indexes(self, name: str) -> tuple[int, ...]:
        """Return the dimensions with this name or index: usually one, or none.

        >>> from zom import v3
        >>> from zom.formats.resolve import resolve
        >>> resolve(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["y"])).indexes("y")
        (0,)
        """
        return dimensions_called(name, self.names, self.rank)


def fill_for(links: Iterable[Link], scalar: Any) -> Any:
    """Return the fill value to pass to `links`; None if none of them uses it and it isn't made yet.

    >>> fill_for([], LaterScalar(lambda: 7)), fill_for([], 7)
    (None, 7)
    """
    if not isinstance(scalar, LaterScalar):
        return scalar
    return scalar.get() if _may_see_fill(links) else None


def _may_see_fill(links: Iterable[Link]) -> bool:
    """Whether a codec may use the fill value: a shard doesn't, but its inner codecs may."""
    waiting = list(links)
    while waiting:
        link = waiting.pop()
        if link.name == "sharding_indexed":
            waiting += inner_links(link)
        elif link.codec is not None and link.codec.sees_lengths:
            return True  # cached results of the other codecs don't depend on the fill value
    return False


def inner_links(link: Link) -> list[Link]:
    """Return the inner codecs of a sharding codec; empty for other codecs."""
    values: Any = getattr(link.configuration, "codecs", None) if link.name == "sharding_indexed" else None
    return parse_links(values, (*link.inside, "codecs")) if is_list(values) else []


def regular_axes(sizes: Sequence[int]) -> Callable[[tuple[int, ...]], tuple[Axis, ...]]:
    """Return a function that makes the regular grid with these chunk lengths for any shape.

    >>> regular_axes((2,))((5,))[0].count
    3
    """
    return lambda shape: tuple(Axis(length, size) for length, size in zip(shape, sizes, strict=True))


def unregistered(kind: str, name: str | None, member: str, registry: Registry[Any] | None = None) -> str:
    """Return the error message for an unregistered name that must be known.

    >>> unregistered("data type", "int7", "data_type")
    'data_type: no data type named "int7" is registered'
    """
    shown = f"{member}: no {kind} named {show(name)} is registered"
    return shown if registry is None else unknown_text(shown, name, registry.names(), registry.plugins)


def unknown_member(name: str, value: object, known: str | None = None) -> str:
    """Return the error message for an unknown member that must be understood; `known` is its own name.

    >>> unknown_member("a", {"name": "acme.a"})
    'a: no extension named "acme.a" is registered, and readers must understand it'
    """
    own = name_of(value) if is_dict(value) else None
    shown = show((known or name) if own is None else own)
    return f"{name}: no extension named {shown} is registered, and readers must understand it"
