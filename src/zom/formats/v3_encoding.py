"""How the elements of a v3 array become stored chunks: its type, grid, keys and codecs, judged together.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html, section "Array metadata".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.extension.chain import check_links
from zom.extension.codec import Elements
from zom.extension.configuration import parse_configuration
from zom.extension.datatype import data_types
from zom.extension.definition import find_extension, name_of, parse_definition
from zom.extension.grid import ChunkGrid, chunk_grids
from zom.extension.grid_repair import parse_grid
from zom.extension.keys import ChunkKeyEncoding, chunk_key_encodings
from zom.extension.link import parse_links
from zom.extension.memo import Memo
from zom.extension.resolve import parse_v3
from zom.formats.resolved import Encoding, Inner, inner_links
from zom.json.python_value import is_list
from zom.json.value import exact_text
from zom.problems import Fault, Path, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zom.extension.axis import Axis
    from zom.extension.keys import KeyForm
    from zom.extension.link import Link
    from zom.formats.resolved import Lengths

__all__ = ["encoding_of", "name_place"]

_CORE = "https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html"

UNREGISTERED = rule(
    "v3/unregistered-name",
    "data types, chunk grids and chunk key encodings have names that are registered",
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

_JUDGED = ("data_type", "fill_value", "chunk_grid", "chunk_key_encoding", "codecs")
"""The members that are judged together: most arrays of a hierarchy share them."""

_Verdict = tuple[tuple[Fault, ...], Any]
_arrays: Memo[Encoding] = Memo()
_types: Memo[_Verdict] = Memo()
_grids: Memo[_Verdict] = Memo()
_keys: Memo[_Verdict] = Memo()
_links: Memo[tuple[Link, ...]] = Memo()
_chains: Memo[_Verdict] = Memo()


def encoding_of(
    values: Mapping[str, Any], shape: tuple[int, ...] | None, broken: frozenset[str] = frozenset()
) -> Encoding:
    """How the elements of an array become stored chunks; the members in `broken` are not looked at."""
    judged: dict[str, Any] = {}
    for name in _JUDGED:
        if name in values:
            judged[name] = values[name]
    if "codecs" in broken:
        judged.pop("codecs", None)
    text = exact_text(judged)
    if shape is None:
        return _arrays.get((text, None), lambda: _judge_array(judged, shape, sees_lengths=True))
    # Along dimensions of the length 0 faults of others are put right.
    seen = shape if 0 in shape else len(shape)
    known = _arrays.current()
    found = known.get((text, seen)) or known.get((text, shape))
    if found is None:
        sees_lengths = _sees_lengths(judged, shape)
        found = _judge_array(judged, shape, sees_lengths=sees_lengths)
        known[text, shape if sees_lengths else seen] = found
    return found


def _sees_lengths(values: Mapping[str, Any], shape: tuple[int, ...] | None) -> bool:
    """Whether the chunk grid sees more of the array's shape than how many lengths there are."""
    name = name_of(parse_grid(values.get("chunk_grid"), values.get("codecs"), shape, []))
    grid = None if name is None else chunk_grids.find(name)
    return grid is None or grid.sees_lengths


def _judge_array(values: Mapping[str, Any], shape: tuple[int, ...] | None, *, sees_lengths: bool) -> Encoding:
    """Judge the members of an array, of whose shape the chunk grid may see the lengths."""
    faults: list[Fault] = []
    data_type, fill = None, None
    links: tuple[Link, ...] = ()
    grid: _Grid = _UNKNOWN_GRID
    keys: Callable[[], KeyForm] | None = None
    typed = exact_text({name: values[name] for name in ("data_type", "fill_value") if name in values})
    if "data_type" in values:
        value, has_fill, scalar = values["data_type"], "fill_value" in values, values.get("fill_value")
        found, (data_type, fill) = _types.get(typed, lambda: _judge_type(value, has_fill, scalar))
        faults.extend(found)
    if "chunk_grid" in values:
        read = parse_grid(values["chunk_grid"], values.get("codecs"), shape, faults)
        seen = shape if shape is None or sees_lengths else tuple([min(length, 1) for length in shape])
        found, grid = _grids.get((exact_text(read), seen), lambda: _judge_grid(read, shape))
        faults.extend(found)
    if "chunk_key_encoding" in values:
        encoding = values["chunk_key_encoding"]
        found, keys = _keys.get(exact_text(encoding), lambda: _judge_keys(encoding))
        faults.extend(found)
    if "codecs" in values:
        elements = Elements(grid.lengths, data_type, fill)
        found, links = _judge_codecs(values["codecs"], elements, typed, exact_text(values.get("data_type")))
        faults.extend(found)
    inner = None if shape is None else _inner_chunks(links, len(shape))
    # A codec that nobody knows may make shards.
    sharded = True if inner is not None else None if any(link.codec is None for link in links) else False
    return Encoding(
        tuple(faults), data_type, fill, grid.lengths, grid.path, grid.axes, keys, links, sharded, inner
    )


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
    scalar = data_type.parse_fill(fill, "v3", faults, ("fill_value",)) if has_fill else None
    return tuple(faults), (data_type, scalar)


def _is_claimed(name: str) -> bool:
    """Whether `name` is none that is registered, but of a pattern that is (`r16`)."""
    return data_types.known(name) is None and data_types.claimant(name) is not None


def name_place(value: Any, path: Path) -> Path:
    """Where the name of an extension stands: a short-hand name is the extension itself."""
    return path if isinstance(value, str) else (*path, "name")


class _Grid(NamedTuple):
    lengths: Lengths | None
    path: Path
    axes: Callable[[tuple[int, ...]], tuple[Axis, ...]] | None


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
    lengths = grid.lengths(configuration, shape, faults, path)
    return tuple(faults), _Grid(lengths, here, partial(grid.axes, configuration))


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
    return tuple(faults), None if configuration is None else partial(encoding.form, configuration)


def _judge_codecs(codecs: Any, elements: Elements, typed: str | bytes, named: str | bytes) -> _Verdict:
    """The faults of a list of codecs, and its links.

    `typed` is the text of the data type and the fill value, `named` that of the data type alone.
    """
    text = exact_text(codecs)
    links = _links.get(text, lambda: tuple(parse_links(codecs)))
    lengths = elements.lengths
    if any(link.codec is not None and link.codec.sees_lengths for link in links):
        seen: Any = typed, lengths
    else:
        seen = named, None if lengths is None else len(lengths)
    return _chains.get((text, seen), lambda: _judge_chain(links, elements))


def _judge_chain(links: tuple[Link, ...], elements: Elements) -> _Verdict:
    faults: list[Fault] = []
    check_links(links, elements, faults, ("codecs",))
    return tuple(faults), links


def _inner_chunks(links: Sequence[Link], rank: int) -> Inner | None:
    """The inner chunks of the innermost shard, in the array's own order of dimensions."""
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
                order = None  # what comes out has dimensions of its own
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
