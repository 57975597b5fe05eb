"""The `sharding_indexed` codec: a chunk is a shard, divided into inner chunks located by an index.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/index.html
The shard is the input of the codec, so after a transpose inner chunks divide the transposed shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import ValidatorFunctionWrapHandler, WrapValidator

from zom.codecs.sharding_indexed.grid import ShardGrid
from zom.codecs.sharding_indexed.index import index_block
from zom.codecs.sharding_indexed.shard import ShardCoder
from zom.count import count_of
from zom.errors import ExtensionError, UnknownName
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.chain import check_chain
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.extension.field import Interval
from zom.extension.grid_repair import BOOLEAN
from zom.extension.inner_codecs import HoldsCodecs, InnerCodecs
from zom.extension.link import parse_links
from zom.extension.resolve import parse_v3
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Form
    from zom.extension.bound_chain import BoundChain
    from zom.extension.codec import Representation
    from zom.json.value import JSONDict

__all__ = ["ShardingCodec", "ShardingConfiguration", "sharding_indexed"]

_SOURCE = "zarr v3, sharding_indexed codec, chunk_shape"

RANK = rule(
    "codec/sharding-rank",
    "inner chunks have as many dimensions as the shard",
    source=_SOURCE,
)
DIVIDES = rule(
    "codec/sharding-divides",
    "inner chunks divide the shard evenly along each dimension",
    source=_SOURCE,
)
NESTING = rule(
    "codec/sharding-nesting",
    "shards are nested no deeper than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)

_DEEPEST = 16


class _One(int):
    """A 1 spelled as `true` in the document."""


def _read_length(value: Any, handler: ValidatorFunctionWrapHandler) -> int:
    """Validate the length of an inner chunk; return `_One` for `true`."""
    return _One(1) if value is True else cast("int", handler(value))


class ShardingConfiguration(HoldsCodecs):
    """The shape of inner chunks, their codecs, the codecs of the index and its location.

    >>> ShardingConfiguration(chunk_shape=[4], codecs=["bytes"], index_codecs=[]).canonical()["codecs"]
    [{'name': 'bytes', 'configuration': {}}]
    """

    chunk_shape: list[Annotated[int, Interval(1), WrapValidator(_read_length)]]
    codecs: InnerCodecs
    index_codecs: InnerCodecs
    index_location: Literal["start", "end"] = "end"


class ShardingCodec(Codec):
    """`sharding_indexed`: array -> bytes."""

    name = "sharding_indexed"
    kind = "array->bytes"
    configuration = ShardingConfiguration

    def thread(
        self,
        configuration: ShardingConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size: inner chunks may be missing."""
        inside = (*path, "configuration")
        if not isinstance(before, Elements) or _too_deep(faults, inside):
            return Bytes()
        inner = configuration.chunk_shape
        here = (*inside, "chunk_shape")
        for place, length in enumerate(inner):
            if isinstance(length, _One):
                faults.append(Fault(BOOLEAN, (*here, place), "an integer of at least 1", "true", "write 1"))
        fits = _check_inner(inner, before.lengths, faults, (*inside, "chunk_shape"))
        lengths = tuple((length,) for length in inner) if fits else None
        chunk = Elements(lengths, before.data_type, before.fill)
        check_chain(configuration.codecs, chunk, faults, (*inside, "codecs"))
        index = _index(inner, before.lengths if fits else None)
        here = (*inside, "index_codecs")
        check_chain(configuration.index_codecs, index, faults, here, need_fixed_size=True)
        return Bytes()

    def bind(self, configuration: ShardingConfiguration, before: Form, after: Form) -> ShardCoder:
        """Return a coder with the bound codecs of the inner chunks and of the index."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the sharding_indexed codec expects elements")
        if before.fill is None and before.data_type.kind != "object":
            message = "the codecs before the shard don't define the values of its missing chunks"
            raise ExtensionError(f"{message}: choose a fill value of 0, or put them inside the shard")
        chunk_shape = tuple(configuration.chunk_shape)
        inner = Block(chunk_shape, before.data_type, before.fill)
        index = index_block(ShardGrid(before.shape, chunk_shape).counts)
        return ShardCoder(
            before,
            _bind("codecs", configuration.codecs, inner),
            _bind("index_codecs", configuration.index_codecs, index),
            location=configuration.index_location,
        )

    def inspect(self, configuration: JSONDict, faults: list[Fault], path: Path) -> None:
        """Check the lists of codecs, without knowing the chunks."""
        inside = (*path, "configuration")
        if _too_deep(faults, inside):
            return
        for name, before in (("codecs", Elements(None, None)), ("index_codecs", _index([], None))):
            if isinstance(configuration.get(name), list):
                fixed = name == "index_codecs"
                check_chain(configuration[name], before, faults, (*inside, name), need_fixed_size=fixed)


def _bind(member: str, values: list[Any], block: Block) -> BoundChain:
    """Bind the codecs in the member `member` of the configuration."""
    path = ("configuration", member)
    try:
        return bind_chain(parse_links(values, path), block)
    except UnknownName as cause:
        raise UnknownName(f"sharding_indexed: {cause}") from cause


def _too_deep(faults: list[Fault], inside: Path) -> bool:
    deep = inside.count("configuration") > _DEEPEST
    if deep:
        nested = f"shards nested at most {_DEEPEST} deep"
        faults.append(Fault(NESTING, inside, nested, "deeper nesting"))
    return deep


def _check_inner(
    inner: list[int],
    lengths: tuple[tuple[int, ...], ...] | None,
    faults: list[Fault],
    path: Path,
) -> bool:
    """Whether inner chunks have the right rank; add a fault for each dimension that they don't divide."""
    if lengths is None:
        return True
    if len(inner) != len(lengths):
        faults.append(Fault(RANK, path, _lengths(len(lengths)), show(inner)))
        return False
    for place, (length, choices) in enumerate(zip(inner, lengths, strict=True)):
        undivided = [choice for choice in choices if choice % length]
        if undivided:
            expected = f"a length that divides {show(min(undivided))}"
            faults.append(Fault(DIVIDES, (*path, place), expected, show(length)))
    return True


def _lengths(rank: int) -> str:
    return f"a list of {count_of(rank, 'length')}"


def _index(inner: list[int], lengths: tuple[tuple[int, ...], ...] | None) -> Elements:
    """Return the elements of the index: (offset, nbytes) for each inner chunk of a shard.

    In a rectilinear grid, shards and their indexes differ in shape. The size of an index must follow from
    its shape, so checking one is enough.
    """
    uint64 = parse_v3("uint64", [], ())
    if lengths is None:
        return Elements(None, uint64)
    counts = (choices[0] // length if choices else 1 for length, choices in zip(inner, lengths, strict=True))
    return Elements((*((count,) for count in counts), (2,)), uint64)


sharding_indexed = codecs.register(ShardingCodec())
"""The `sharding_indexed` codec."""
