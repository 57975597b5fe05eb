"""How the elements of a v3 array become stored chunks: type, grid, keys and codecs, checked together.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html, section "Array metadata".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zom.extension.answer import answer, at_fault
from zom.extension.chain import check_links
from zom.extension.checked import are_lengths
from zom.extension.codec import Elements
from zom.extension.configuration import parse_configuration
from zom.extension.datatype import data_types
from zom.extension.definition import find_extension, name_of, parse_definition
from zom.extension.fill_value import scalar_of
from zom.extension.grid import ChunkGrid, chunk_grids
from zom.extension.grid_repair import parse_grid
from zom.extension.keys import ChunkKeyEncoding, KeyForm, chunk_key_encodings, key_form
from zom.extension.link import parse_links
from zom.extension.memo import Memo
from zom.extension.resolve import parse_v3
from zom.formats.resolved import Encoding, Inner, fill_for, inner_links
from zom.json.exact import exact_text
from zom.json.python_value import is_list
from zom.problems import Fault, Path, given_text, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from zom.extension.axis import Axis
    from zom.extension.datatype import DataType
    from zom.extension.link import Link
    from zom.formats.resolved import Lengths

__all__ = ["encoding_of", "name_place"]

_CORE = "https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html"

UNREGISTERED = rule(
    "v3/unregistered-name",
    "data types, chunk grids and chunk key encodings have registered names",
    source="https://github.com/zarr-developers/zarr-extensions",
    lenient=None,
    strict=None,
)
CHUNK_GRID = rule(
    "v3/chunk-grid",
    "the chunk grid's configuration fits its kind",
    source=f"{_CORE}#chunk-grids",
    schema=True,
)
CHUNK_KEY_ENCODING = rule(
    "v3/chunk-key-encoding",
    "the chunk key encoding's configuration fits its kind",
    source=f"{_CORE}#chunk-key-encoding",
    schema=True,
)


class _Texts(NamedTuple):
    """The exact text of each checked member, except the chunk grid; None if missing.

    Most arrays of a hierarchy share them.
    """

    data_type: str | bytes | None
    fill_value: str | bytes | None
    chunk_key_encoding: str | bytes | None
    codecs: str | bytes | None


_BESIDE_GRID: Final = _Texts._fields

_Verdict = tuple[tuple[Fault, ...], Any]
_arrays: Memo[Encoding] = Memo()
_rests: Memo[_Rest] = Memo()
_types: Memo[_Verdict] = Memo()
_grids: Memo[_Verdict] = Memo()
_keys: Memo[_Verdict] = Memo()
_links: Memo[tuple[Link, ...]] = Memo()
_chains: Memo[_Verdict] = Memo()


def encoding_of(
    values: Mapping[str, Any], shape: tuple[int, ...] | None, broken: frozenset[str] = frozenset()
) -> Encoding:
    """Return the encoding of an array's elements; the members in `broken` are skipped."""
    # One text per member, since the texts of shared values are cached.
    texts = _Texts(*[exact_text(values[name]) if name in values else None for name in _BESIDE_GRID])
    if "codecs" in broken:
        texts = texts._replace(codecs=None)
    grid_text = exact_text(values["chunk_grid"]) if "chunk_grid" in values else None
    # Along dimensions of length 0, the faults of some writers are fixed, so the key needs the shape.
    seen = shape if shape is None or 0 in shape else len(shape)
    known = _arrays.current()
    found = known.get((texts, grid_text, seen)) or known.get((texts, grid_text, shape))
    if found is None:
        rest = _rests.get(texts, lambda: _judge_rest(values, texts))
        found, seen = _judge_array(values, rest, grid_text, shape, seen)
        known[texts, grid_text, seen] = found
    return found


def _judge_array(
    values: Mapping[str, Any],
    rest: _Rest,
    grid_text: str | bytes | None,
    shape: tuple[int, ...] | None,
    seen: tuple[int, ...] | int | None,
) -> tuple[Encoding, tuple[int, ...] | int | None]:
    """Return the encoding of an array, and what of `shape` it depends on: `seen`, or all if the grid does."""
    faults = list(rest.type_faults)
    grid = _UNKNOWN_GRID
    if grid_text is not None:
        written = values["chunk_grid"]
        read = parse_grid(written, rest.codecs, shape, faults)
        if _sees_lengths(read):
            seen = shape
        read_text = grid_text if read is written else exact_text(read)
        found, grid = _grids.get((read_text, seen), lambda: _judge_grid(read, shape))
        faults.extend(found)
    faults.extend(rest.key_faults)
    rank = None if shape is None else len(shape)
    found, (sharded, inner) = _judge_codecs(rest, grid.lengths, rank)
    faults.extend(found)
    encoding = Encoding(
        tuple(faults),
        rest.data_type,
        rest.fill,
        grid.lengths,
        grid.path,
        grid.axes,
        rest.keys,
        rest.links,
        sharded,
        inner,
    )
    return encoding, seen


def _sees_lengths(grid: Any) -> bool:
    """Whether a chunk grid depends on more of the array's shape than its rank."""
    name = name_of(grid)
    found = None if name is None else chunk_grids.find(name)
    return found is None or found.sees_lengths


class _Rest(NamedTuple):
    """The results of checking an array without its chunk grid."""

    type_faults: tuple[Fault, ...]
    data_type: DataType | None
    fill: Any
    key_faults: tuple[Fault, ...]
    keys: Callable[[], KeyForm] | None
    codecs: Any
    """The list in the document; None if it is missing or unreadable."""
    links: tuple[Link, ...]
    chain: Hashable
    """The cache key of the codecs' verdict, without the chunks."""
    sees_lengths: bool
    """Whether a codec depends on more of a chunk than its number of dimensions."""


def _judge_rest(values: Mapping[str, Any], texts: _Texts) -> _Rest:
    type_faults: tuple[Fault, ...] = ()
    key_faults: tuple[Fault, ...] = ()
    data_type, fill, keys = None, None, None
    if texts.data_type is not None:
        value, has_fill, scalar = values["data_type"], texts.fill_value is not None, values.get("fill_value")
        judged = texts.data_type, texts.fill_value
        type_faults, (data_type, fill) = _types.get(judged, lambda: _judge_type(value, has_fill, scalar))
    if texts.chunk_key_encoding is not None:
        encoding = values["chunk_key_encoding"]
        key_faults, keys = _keys.get(texts.chunk_key_encoding, lambda: _judge_keys(encoding))
    codecs: Any = None if texts.codecs is None else values["codecs"]
    links = () if codecs is None else _links.get(texts.codecs, lambda: tuple(parse_links(codecs)))
    sees_lengths = any(link.codec is not None and link.codec.sees_lengths for link in links)
    chain = texts.codecs, texts.data_type, texts.fill_value if sees_lengths else None
    return _Rest(type_faults, data_type, fill, key_faults, keys, codecs, links, chain, sees_lengths)


def _judge_type(value: Any, has_fill: bool, fill: Any) -> _Verdict:  # noqa: FBT001 - a memo's thunk
    faults: list[Fault] = []
    definition = parse_definition(value, faults, ("data_type",), must_understand_allowed=False)
    if definition is None:
        return tuple(faults), (None, None)
    if not _is_claimed(definition.name):
        find_extension(definition.name, data_types, UNREGISTERED, faults, name_place(value, ("data_type",)))
    data_type = parse_v3(value, faults, ("data_type",))
    if data_type is None:
        family = data_types.find(definition.name)
        if family is not None and has_fill:
            family.inspect_fill(fill, faults, ("fill_value",))
        return tuple(faults), (None, None)
    scalar = scalar_of(data_type, fill, "v3", faults, ("fill_value",)) if has_fill else None
    return tuple(faults), (data_type, scalar)


def _is_claimed(name: str) -> bool:
    """Whether `name` is not registered itself, but matches a registered pattern (`r16`)."""
    return data_types.known(name) is None and data_types.claimant(name) is not None


def name_place(value: Any, path: Path) -> Path:
    """Return the path of an extension's name: a short-hand name is the extension itself."""
    return path if isinstance(value, str) else (*path, "name")


class _Grid(NamedTuple):
    lengths: Lengths | None
    path: Path
    axes: Callable[[tuple[int, ...]], tuple[Axis, ...]] | None


_LENGTHS: Final = (tuple, type(None))
_UNKNOWN_GRID = _Grid(None, ("chunk_grid",), None)


def _judge_grid(value: Any, shape: tuple[int, ...] | None) -> _Verdict:
    faults: list[Fault] = []
    path: Path = ("chunk_grid",)
    definition = parse_definition(value, faults, path, must_understand_allowed=False)
    if definition is None:
        return tuple(faults), _UNKNOWN_GRID
    where = name_place(value, path)
    grid: ChunkGrid | None = find_extension(definition.name, chunk_grids, UNREGISTERED, faults, where)
    if grid is None:
        return tuple(faults), _UNKNOWN_GRID
    inner = (*path, "configuration")
    given = definition.configuration
    configuration = parse_configuration(grid.configuration, given, CHUNK_GRID, faults, path=inner)
    member = next((name for name in ("chunk_shapes", "chunk_shape") if name in given), None)
    here = path if member is None else (*inner, member)
    if configuration is None:
        return tuple(faults), _Grid(None, here, None)
    lengths = answer(grid, "lengths", _LENGTHS, "a tuple or None", configuration, shape, faults, path)
    if lengths is not None and not chunk_grids.is_own(grid) and not are_lengths(lengths):
        found = (
            f"expected lengths to return a tuple of lengths for each dimension, found {given_text(lengths)}"
        )
        raise at_fault(f"{grid!r}", found)
    axes = partial(answer, grid, "axes", (tuple,), "a tuple of Axis", configuration)
    return tuple(faults), _Grid(lengths, here, axes)


def _judge_keys(value: Any) -> _Verdict:
    faults: list[Fault] = []
    path = ("chunk_key_encoding",)
    definition = parse_definition(value, faults, path, must_understand_allowed=False)
    if definition is None:
        return tuple(faults), None
    where = name_place(value, path)
    encoding: ChunkKeyEncoding | None = find_extension(
        definition.name, chunk_key_encodings, UNREGISTERED, faults, where
    )
    if encoding is None:
        return tuple(faults), None
    inner = (*path, "configuration")
    given = definition.configuration
    configuration = parse_configuration(encoding.configuration, given, CHUNK_KEY_ENCODING, faults, path=inner)
    if configuration is None:
        return tuple(faults), None
    return tuple(faults), partial(key_form, encoding, configuration)


def _judge_codecs(rest: _Rest, lengths: Lengths | None, rank: int | None) -> _Verdict:
    """Return the codecs' faults on chunks of `lengths`, whether they make shards, and the inner chunks."""
    if rest.codecs is None:
        return (), (False, None)
    count = None if lengths is None else len(lengths)
    seen = lengths if rest.sees_lengths else count
    return _chains.get((rest.chain, seen, rank), lambda: _judge_chain(rest, lengths, rank))


def _judge_chain(rest: _Rest, lengths: Lengths | None, rank: int | None) -> _Verdict:
    faults: list[Fault] = []
    elements = Elements(lengths, rest.data_type, fill_for(rest.links, rest.fill))
    check_links(rest.links, elements, faults, ("codecs",))
    inner = None if rank is None else _inner_chunks(rest.links, rank)
    # An unknown codec may make shards.
    unknown = any(link.codec is None for link in rest.links)
    return tuple(faults), (True if inner is not None else None if unknown else False, inner)


def _inner_chunks(links: Sequence[Link], rank: int) -> Inner | None:
    """Return the inner chunks of the innermost shard, in the array's own order of dimensions."""
    found: Inner | None = None
    order: list[int] | None = list(range(rank))
    while True:
        for link in links:
            configuration: Any = link.configuration
            if link.name == "transpose" and configuration is not None:
                order = _transposed(order, configuration.order)
            elif link.name == "sharding_indexed" and configuration is not None:
                found = _inner(configuration.chunk_shape, order, (*link.inside, "chunk_shape"))
                links = inner_links(link)
                break
            elif link.codec is None or link.name == "reshape":
                order = None  # the output has other dimensions
        else:
            return found


def _transposed(order: list[int] | None, given: list[int] | str) -> list[int] | None:
    if order is None or given == "C":
        return order
    if given == "F":
        return order[::-1]
    if not is_list(given) or sorted(given) != list(range(len(order))):
        return None
    return [order[place] for place in given]


def _inner(chunk: list[int], order: list[int] | None, path: Path) -> Inner:
    if order is None or len(chunk) != len(order):
        return Inner(None, path, None)
    places = tuple(order.index(dimension) for dimension in range(len(order)))
    return Inner(tuple((int(chunk[place]),) for place in places), path, places)
