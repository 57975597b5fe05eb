"""The data types inside numcodecs configurations: `"<f4"`, and the other spellings of writers.

numcodecs writes v2 typestrs. zarr-python writes numpy's names (`"uint32"`, `"datetime64[ns]"`) into
v3 documents: such a name means the writer's native byte order, which is little-endian on all machines
that run it today. A type keeps its stated order in v3 too: later codecs work by value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import Field

from zom.extension.codec import Elements
from zom.extension.datatype import data_types
from zom.extension.memo import Memo
from zom.extension.patterns import either, whole
from zom.extension.resolve import parse_v2
from zom.extension.typestr import TYPESTR_PATTERN, UNIT_PATTERN
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Collection

    from zom.extension.datatype import DataType

__all__ = ["KIND", "StatedType", "check_kind", "check_type", "recast", "stated_type", "typestr", "viewed"]

DTYPE = rule(
    "codec/dtype",
    "the type that a codec's configuration states is the type of the elements that reach the codec",
    source="https://numcodecs.readthedocs.io/en/stable/filter/delta.html",
    lenient="warning",
)
KIND = rule(
    "codec/element-kind",
    "a codec gets elements of a kind that it can transform",
    source="https://numcodecs.readthedocs.io/en/stable/",
    lenient="warning",
)
OBJECTS = rule(
    "codec/dtype-objects",
    "a codec for elements of a fixed size gets no Python objects",
    source="https://numcodecs.readthedocs.io/en/stable/filter/delta.html",
)

_LETTERS = {"int": "i", "uint": "u", "float": "f", "complex": "c"}
_WIDTHS = {"int": (1, 2, 4, 8), "uint": (1, 2, 4, 8), "float": (2, 4, 8), "complex": (8, 16)}
_TYPESTRS = {"bool": "|b1", "?": "|b1", "b1": "|b1", "O": "|O", "object": "|O"}
for _kind, _letter in _LETTERS.items():
    for _width in _WIDTHS[_kind]:
        _typestr = f"{'|' if _width == 1 else '<'}{_letter}{_width}"
        _TYPESTRS[f"{_kind}{8 * _width}"] = _TYPESTRS[f"{_letter}{_width}"] = _typestr


def typestr(text: str) -> str:
    """Return the v2 typestr for `text`.

    >>> typestr("uint32"), typestr("datetime64[ns]"), typestr(">f4")
    ('<u4', '<M8[ns]', '>f4')
    """
    for name, short in (("datetime64", "<M8"), ("timedelta64", "<m8")):
        if text.startswith(name):
            return short + text[len(name) :]
    return _TYPESTRS.get(text, text)


def _describe(schema: dict[str, Any]) -> None:
    bare = [name for name in data_types.names() if parse_v2(name, None, []) is not None]
    dates = f"(?:datetime|timedelta)64{UNIT_PATTERN}"
    schema["x-zom-pattern"] = whole(f"{TYPESTR_PATTERN}|{dates}|{either([*_TYPESTRS, *bare])}")


StatedType = Annotated[str, Field(json_schema_extra=_describe)]
"""A data type in a codec's configuration."""


def _read(text: str) -> tuple[DataType | None, tuple[Fault, ...]]:
    faults: list[Fault] = []
    found = parse_v2(typestr(text), None, faults, ())
    if found is not None and found.kind == "object":
        faults.append(Fault(OBJECTS, (), "a type of a fixed size", show(text)))
        found = None
    return found, tuple(faults)


_types: Memo[tuple[DataType | None, tuple[Fault, ...]]] = Memo(512)


def stated_type(text: str, faults: list[Fault], path: Path) -> DataType | None:
    """Return the data type `text` of a configuration; return None and add a fault at `path` if it is invalid.

    >>> stated_type("float32", [], ()).name
    'float32'
    """
    found, wrong = _types.get(text, lambda: _read(text))
    faults.extend(fault._replace(path=(*path, *fault.path)) for fault in wrong)
    return found


def _stored(data_type: DataType) -> str:
    """Return the name of the stored type; dates and durations are int64 in configurations."""
    return "int64" if data_type.kind in {"datetime", "timedelta"} else data_type.name


def check_type(before: Elements, stated: DataType | None, text: str, faults: list[Fault], path: Path) -> None:
    """Add a fault at `path` if the elements are known to differ from the stated type."""
    reach = before.data_type
    if reach is None or stated is None:
        return
    if _stored(reach) == _stored(stated) and reach.itemsize == stated.itemsize:
        if reach.order is None or stated.order is None or reach.order == stated.order:
            return
        expected = f"{reach.name}, {reach.order} endian, as the elements are"
    else:
        expected = f"{reach.name}, as the elements are"
    faults.append(Fault(DTYPE, path, expected, show(text)))


def check_kind(
    data_type: DataType | None,
    kinds: Collection[str],
    words: str,
    faults: list[Fault],
    path: Path,
) -> None:
    """Add a fault at `path` if the type is none of the `kinds`, described by `words`."""
    if data_type is not None and data_type.kind not in kinds:
        faults.append(Fault(KIND, path, words, data_type.name))


def viewed(before: Elements, taken: DataType | None) -> tuple[tuple[int, ...], ...] | None:
    """Return the lengths of a chunk whose memory is viewed as `taken`, or None if unknown.

    If the element size differs, so does the number of elements: the chunk becomes one-dimensional.
    """
    width = None if before.data_type is None else before.data_type.itemsize
    if taken is None or width is None or not taken.itemsize or width == taken.itemsize:
        return before.lengths
    count = before.count
    if count is None or count * width % taken.itemsize:
        return None
    return ((count * width // taken.itemsize,),)


class Recasting(Protocol):
    """A configuration with the type of the elements and, if it differs, the stored type."""

    @property
    def dtype(self) -> str: ...

    @property
    def astype(self) -> str | None: ...


def recast(  # noqa: PLR0913 - the arguments of thread and the accepted kinds
    before: Elements,
    configuration: Recasting,
    faults: list[Fault],
    path: Path,
    *,
    kinds: Collection[str],
    words: str,
) -> Elements:
    """Return the result of a codec that takes elements of type `dtype` and stores them as `astype`.

    The result has no fill value; a codec that works on single elements may add it.
    """
    dtype, astype = configuration.dtype, configuration.astype
    inside = (*path, "configuration")
    taken = stated_type(dtype, faults, (*inside, "dtype"))
    check_kind(taken, kinds, words, faults, (*inside, "dtype"))
    check_type(before, taken, dtype, faults, (*inside, "dtype"))
    lengths = viewed(before, taken)
    if astype is None:
        return Elements(lengths, taken)
    stored = stated_type(astype, faults, (*inside, "astype"))
    check_kind(stored, kinds, words, faults, (*inside, "astype"))
    return Elements(lengths, stored)
