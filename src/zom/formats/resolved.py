"""A resolved array: what the document of an array says, read once, whichever format it has.

Checking an array makes its `Encoding`, which most arrays of a hierarchy share. `zom.formats.resolve` adds
what is an array's own: the `ResolvedArray`, that everything above the formats reads. Each fact knows where
it stands in its document, so that a finding points at the user's own text.
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
"""For each dimension, every length that a chunk has there: one in a regular grid."""


class Inner(NamedTuple):
    """The chunks inside of shards; None stands for what can't be told."""

    lengths: Lengths | None
    path: Path
    places: tuple[int, ...] | None
    """For each dimension, its place in the list at `path`: a transpose may come before the shards."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """How elements become stored chunks, and every fault of that; None stands for what can't be told."""

    faults: tuple[Fault, ...]
    data_type: DataType | None
    scalar: Any
    """The scalar that the fill value stands for, or what makes it."""
    lengths: Lengths | None
    """The lengths of what is stored: of shards, where there are some."""
    lengths_path: Path
    axes: Callable[[tuple[int, ...]], tuple[Axis, ...]] | None
    """The grid of an array of a shape."""
    keys: Callable[[], KeyForm] | None
    """How the keys of chunks look."""
    links: tuple[Link, ...]
    """The codecs, in the order of encoding."""
    sharded: bool | None
    inner: Inner | None = None
    per_shard: tuple[int, ...] | None = None
    """How many chunks a shard has along each dimension, where no codec makes the shards."""

    @property
    def fill(self) -> Any:
        """The scalar that the fill value stands for."""
        return self.scalar.get() if isinstance(self.scalar, LaterScalar) else self.scalar


@dataclass(frozen=True, eq=False)
class ResolvedArray:
    """The facts of one array; paths lead from the array's own document to the fact.

    A chunk is the smallest piece that can be read, a shard the object that holds several. What can't be told,
    for a name that zom doesn't know, is None.
    """

    family: Family
    document: JSONDict
    encoding: Encoding
    """How elements become stored chunks."""
    shape: tuple[int, ...]
    names: tuple[str | None, ...] | None
    """The dimension names; None where there are none."""
    type_name: str | None
    """The v3 name of the data type, or the name in the document where zom doesn't know it."""
    attributes: JSONDict
    find_obstacle: Callable[[Mapping[str, Any], Encoding], str | None]

    @property
    def form(self) -> Format:
        """The format."""
        return self.family.form

    @property
    def names_path(self) -> Path:
        """Where dimension names stand, or would."""
        return self.family.names_path

    @property
    def data_type(self) -> DataType | None:
        """The data type."""
        return self.encoding.data_type

    @property
    def type_path(self) -> Path:
        """Where the data type stands."""
        return self.family.type_path

    @property
    def chunks(self) -> Lengths | None:
        """The lengths of chunks."""
        inner = self.encoding.inner
        return self.encoding.lengths if inner is None else inner.lengths

    @property
    def chunks_path(self) -> Path:
        """Where these stand."""
        inner = self.encoding.inner
        return self.encoding.lengths_path if inner is None else inner.path

    @property
    def places(self) -> tuple[int, ...]:
        """For each dimension, its place in the list at `chunks_path`: a transpose comes before shards."""
        inner = self.encoding.inner
        return tuple(range(self.rank)) if inner is None or inner.places is None else inner.places

    @property
    def shards(self) -> Lengths | None:
        """The lengths of shards; None where there are none, or where they can't be told."""
        return None if self.encoding.inner is None else self.encoding.lengths

    @property
    def shards_path(self) -> Path:
        """Where these stand."""
        return self.encoding.lengths_path

    @property
    def sharded(self) -> bool | None:
        """Whether there are shards."""
        return self.encoding.sharded

    @property
    def links(self) -> tuple[Link, ...]:
        """The codecs, in the order of encoding."""
        return self.encoding.links

    @cached_property
    def codecs(self) -> tuple[Link, ...]:
        """The codecs that the document names, those inside of shards included, without those of indexes."""
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
        """What keeps zom from reading chunks: a name that readers must understand, and that nobody registered."""
        return self.find_obstacle(self.document, self.encoding)

    @property
    def rank(self) -> int:
        """How many dimensions the array has."""
        return len(self.shape)

    def dimension(self, index: int) -> str:
        """What a message calls the dimension at `index`.

        >>> from zom import v3
        >>> from zom.formats.resolve import resolve
        >>> resolve(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["y"])).dimension(0)
        '"y"'
        """
        name = self.names[index] if self.names is not None else None
        return str(index) if name is None else f'"{name}"'

    def indexes(self, name: str) -> tuple[int, ...]:
        """The dimensions called `name`, or at that place: mostly one, or none.

        >>> from zom import v3
        >>> from zom.formats.resolve import resolve
        >>> resolve(v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["y"])).indexes("y")
        (0,)
        """
        return dimensions_called(name, self.names, self.rank)


def fill_for(links: Iterable[Link], scalar: Any) -> Any:
    """The fill value that `links` are told; None where none of them looks at it, and it isn't made yet.

    >>> fill_for([], LaterScalar(lambda: 7)), fill_for([], 7)
    (None, 7)
    """
    if not isinstance(scalar, LaterScalar):
        return scalar
    return scalar.get() if _may_see_fill(links) else None


def _may_see_fill(links: Iterable[Link]) -> bool:
    """Whether a codec may look at the fill value: a shard doesn't itself, but what is inside of it may."""
    waiting = list(links)
    while waiting:
        link = waiting.pop()
        if link.name == "sharding_indexed":
            waiting += inner_links(link)
        elif link.codec is not None and link.codec.sees_lengths:
            return True  # what is remembered of the others doesn't depend on the fill value, either
    return False


def inner_links(link: Link) -> list[Link]:
    """The codecs of the chunks inside of a shard; none where the codec is another."""
    values: Any = getattr(link.configuration, "codecs", None) if link.name == "sharding_indexed" else None
    return parse_links(values, (*link.inside, "codecs")) if is_list(values) else []


def regular_axes(sizes: Sequence[int]) -> Callable[[tuple[int, ...]], tuple[Axis, ...]]:
    """The regular grid of chunks with these lengths, for any shape.

    >>> regular_axes((2,))((5,))[0].count
    3
    """
    return lambda shape: tuple(Axis(length, size) for length, size in zip(shape, sizes, strict=True))


def unregistered(kind: str, name: str | None, member: str, registry: Registry[Any] | None = None) -> str:
    """The error of a name that nobody has registered, where one must be known.

    >>> unregistered("data type", "int7", "data_type")
    'data_type: no data type named "int7" is registered'
    """
    shown = f"{member}: no {kind} named {show(name)} is registered"
    return shown if registry is None else unknown_text(shown, name, registry.names(), registry.plugins)


def unknown_member(name: str, value: object, known: str | None = None) -> str:
    """The error of a member that nobody may ignore: chunks may mean anything; `known` is its own name.

    >>> unknown_member("a", {"name": "acme.a"})
    'a: no extension named "acme.a" is registered, and readers must understand it'
    """
    own = name_of(value) if is_dict(value) else None
    shown = show((known or name) if own is None else own)
    return f"{name}: no extension named {shown} is registered, and readers must understand it"
