"""Repairs of invalid chunk grids by known writers that have only one possible meaning.

zarr-python wrote a chunk length of 0 for arrays without elements, `True` for 1, lists of edges under the
name of the regular grid (3.2), and edges as floats. It reads all of them, and so does zom, with a warning
at the level "lenient".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.configuration import integral
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BOOLEAN", "parse_grid"]

_SOURCE: Final = "zarr v3, regular chunk grid"

# If the array has the length 0, or had it when it was created, no chunk can be stored.
EMPTY = rule(
    "chunk-grid/regular-empty",
    "the length of a chunk is positive even if the array has the length 0; it is read as 1",
    source=_SOURCE,
    lenient="warning",
    schema=True,
)
ZERO = rule(
    "chunk-grid/regular-zero",
    "the length of a chunk is positive; 0 is read as 1, or as the length of the inner chunks of a shard",
    source=_SOURCE,
    lenient="warning",
    schema=True,
)
BOOLEAN = rule(
    "chunk-grid/boolean-length",
    "the length of a chunk is an integer; true is read as 1",
    source=f"{_SOURCE}; zarr-extensions, rectilinear chunk grid; zarr v3, sharding_indexed codec",
    lenient="warning",
    schema=True,
)
EDGES = rule(
    "chunk-grid/regular-edges",
    "a regular grid has one length for each dimension; with lists of lengths it is read as a rectilinear one",
    source=_SOURCE,
    lenient="warning",
    schema=True,
)
FRACTION = rule(
    "chunk-grid/edge-fraction",
    "the length of a chunk is written without a fraction",
    source="zarr-extensions, rectilinear chunk grid, chunk edge lengths",
    lenient="warning",
)

_WANTED: Final = "an integer of at least 1"


def parse_grid(value: Any, chain: Any, shape: Sequence[int] | None, faults: list[Fault]) -> Any:
    """Return the definition of the chunk grid `value`, with known writers' mistakes repaired.

    `chain` are the codecs of the array. The paths in `faults` start at the array's document.

    >>> grid = {"name": "regular", "configuration": {"chunk_shape": [0, True]}}
    >>> parse_grid(grid, [], (4, 4), [])["configuration"]["chunk_shape"]
    [1, 1]
    """
    configuration = value.get("configuration") if is_dict(value) else None
    if not is_dict(configuration):
        return value
    name: Any = value.get("name")
    member = {"regular": "chunk_shape", "rectilinear": "chunk_shapes"}.get(name) if _text(name) else None
    sizes = configuration.get(member) if member else None
    if not is_list(sizes) or member is None:
        return value
    path: Path = ("chunk_grid", "configuration", member)
    if name == "rectilinear":
        read = [_read_edges(size, faults, (*path, place)) for place, size in enumerate(sizes)]
        return value if _same(read, sizes) else _made("rectilinear", {**configuration, member: read})
    for size in sizes:
        if type(size) is not int or size < 1:
            return _read_regular(value, sizes, chain, shape, faults, path)
    return value


def _text(value: object) -> bool:
    return isinstance(value, str)


def _made(name: str, configuration: dict[str, Any]) -> JSONDict:
    return JSONDict(name=name, configuration=JSONDict(configuration))


def _read_regular(  # noqa: PLR0913, PLR0917 - the grid, its context and its path
    value: Any, sizes: list[Any], chain: Any, shape: Sequence[int] | None, faults: list[Fault], path: Path
) -> Any:
    if shape is not None and len(shape) != len(sizes):
        return value
    lists = [is_list(size) and not any(map(is_list, size)) for size in sizes]
    mixed = any(lists) and not all(lists)
    units = _inner_lengths(chain, len(sizes))
    read: list[Any] = []
    for place, size in enumerate(sizes):
        here = (*path, place)
        if lists[place] and mixed:
            read.append(_read_edges(size, faults, here))
            continue
        if isinstance(size, bool):
            faults.append(
                Fault(BOOLEAN, here, _WANTED, show(size), f"write {units[place] if not size else 1}")
            )
        elif type(size) is int and size == 0:
            rule_ = EMPTY if shape is not None and shape[place] == 0 else ZERO
            faults.append(Fault(rule_, here, _WANTED, "0"))
        lifts = size is False or (type(size) is int and size == 0)
        read.append(units[place] if lifts else 1 if size is True else size)
    if not mixed:
        return _made("regular", {**value["configuration"], "chunk_shape": read})
    faults.append(Fault(EDGES, path, "a list of lengths", show(sizes), 'write the grid "rectilinear"'))
    return _made("rectilinear", {"kind": "inline", "chunk_shapes": read})


def _read_edges(value: Any, faults: list[Fault], path: Path) -> Any:
    """Parse a list of edges along one dimension; a pair is a length and its repeat count."""
    if not is_list(value):
        return value
    return [
        [_read_edge(entry[0], faults, (*path, place, 0)), entry[1]]
        if is_list(entry) and len(entry) == 2
        else _read_edge(entry, faults, (*path, place))
        for place, entry in enumerate(value)
    ]


def _read_edge(value: Any, faults: list[Fault], path: Path) -> Any:
    if value is True:
        faults.append(Fault(BOOLEAN, path, _WANTED, "true", "write 1"))
        return 1
    if integral(value) and value >= 1:
        faults.append(Fault(FRACTION, path, _WANTED, show(value), f"write {int(value)}"))
        return int(value)
    return value


def _same(one: Any, other: Any) -> bool:
    if is_list(one) and is_list(other):
        return all(_same(left, right) for left, right in zip(one, other, strict=True))
    return type(one) is type(other)


def _inner_lengths(chain: Any, rank: int) -> list[int]:
    """Return the minimum chunk lengths: those of the inner chunks if the array has shards, 1 otherwise."""
    first: Any = cast("list[Any]", chain)[0] if isinstance(chain, (list, tuple)) and chain else None
    if is_dict(first) and first.get("name") == "sharding_indexed":
        configuration = first.get("configuration")
        inner = configuration.get("chunk_shape") if is_dict(configuration) else None
        if is_list(inner) and len(inner) == rank and all(isinstance(n, int) and n > 0 for n in inner):
            return [int(length) for length in inner]
    return [1] * rank
