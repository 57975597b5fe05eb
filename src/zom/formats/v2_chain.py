"""A v2 chain: the filters of an array, then its compressor.

Zarr v2, "Filters": "filters are applied in the order specified in array metadata to encode data, then
the encoded data are passed to the primary compressor". Unlike in v3 there is no array->bytes codec: a
codec that wants bytes takes those of the array, and one that wants elements views the bytes as such.
Only Python objects (`|O`) have no bytes: an object codec makes some, first of all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.extension.codec import Bytes, Codec, Elements, v2_codecs
from zom.formats.v2_definition import check_v2_codec
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.codec import Representation
    from zom.extension.configuration import Configuration

__all__ = ["check_filters"]

_SOURCE = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata"

FILTERS = rule("v2/filters", "filters are null or a list of codecs", source=_SOURCE, schema=True)
EMPTY = rule(
    "v2/filters-empty",
    "filters are null where there are none",
    source=f"{_SOURCE}: or null if no filters are to be applied",
    lenient="warning",
    strict="warning",
    closed="warning",
    schema=True,
)
EMPTY_OBJECT = rule(
    "v2/filters-empty-object",
    "filters are null where there are none, not an empty object",
    source=f"{_SOURCE}; an example of ZEP 6 has such an object",
    lenient="warning",
    schema=True,
)
OBJECT_CODEC = rule(
    "v2/object-codec",
    "an array of Python objects (|O) has one object codec, as its first filter or as its compressor",
    source="https://zarr.readthedocs.io/en/v2.18.7/tutorial.html#object-arrays",
)
OBJECT_CODEC_PLACE = rule(
    "v2/object-codec-place",
    "an array of Python objects (|O) has no other object codec than its first codec",
    source="https://zarr.readthedocs.io/en/v2.18.7/tutorial.html#object-arrays",
    lenient="warning",
)
OBJECT_CODEC_TYPE = rule(
    "v2/object-codec-type",
    "an object codec is given Python objects (|O), nothing else",
    source="https://zarr.readthedocs.io/en/v2.18.7/tutorial.html#object-arrays",
    lenient="warning",
)


class _ChainEntry(NamedTuple):
    """One codec of the chain, where it stands, and what is known of it."""

    path: tuple[str | int, ...]
    value: Any
    codec: Codec | None = None
    configuration: Configuration | None = None

    @property
    def for_objects(self) -> bool:
        """Whether it is an object codec; what holds objects only sometimes says so itself."""
        if self.codec is None or not self.codec.holds_objects:
            return False
        return bool(getattr(self.configuration, "holds_objects", True))

    @property
    def unsure(self) -> bool:
        """Whether only its parameters, which are wrong, would tell that it is an object codec."""
        sometimes = self.codec is not None and hasattr(self.codec.v2_configuration, "holds_objects")
        return sometimes and self.configuration is None


def check_filters(
    filters_value: object, compressor_value: object, before: Elements, faults: list[Fault]
) -> None:
    """Adds every fault of `filters` and `compressor` to `faults`; `before` is a chunk of the array.

    >>> faults = []
    >>> check_filters([], None, Elements(((4,),), None), faults)
    >>> faults[0].path, faults[0].found
    (('filters',), '[]')
    """
    links = _links(filters_value, compressor_value, faults)
    misplaced = _check_objects(links, before, faults)
    state: Representation | None = before
    for index, link in enumerate(links):
        # Of a codec that stands in the wrong place only its own parameters can be judged.
        state = _thread(link, None if index in misplaced else state, faults)


def _links(filters_value: object, compressor_value: object, faults: list[Fault]) -> list[_ChainEntry]:
    found: list[_ChainEntry] = []
    if isinstance(filters_value, list):
        values = cast("Sequence[object]", filters_value)
        if not values:
            faults.append(Fault(EMPTY, ("filters",), "null", "[]", "write null"))
        found = [_link(value, faults, ("filters", index)) for index, value in enumerate(values)]
    elif filters_value == {}:
        faults.append(Fault(EMPTY_OBJECT, ("filters",), "null", "{}", "write null"))
    elif filters_value is not None:
        shown = show(filters_value)
        fix = "put it into a list" if isinstance(filters_value, dict) else None
        faults.append(Fault(FILTERS, ("filters",), "null or a list of codecs", shown, fix))
    if compressor_value is not None:
        found.append(_link(compressor_value, faults, ("compressor",)))
    return found


def _link(value: object, faults: list[Fault], path: tuple[str | int, ...]) -> _ChainEntry:
    checked = check_v2_codec(value, faults, path)
    if checked is not None:
        return _ChainEntry(path, value, *checked)
    # A codec with a wrong configuration is still that codec.
    name = cast("dict[str, Any]", value).get("id") if isinstance(value, dict) else None
    return _ChainEntry(path, value, v2_codecs().get(name) if isinstance(name, str) else None)


def _check_objects(links: list[_ChainEntry], before: Elements, faults: list[Fault]) -> set[int]:
    """The places of the object codecs that can't do their work; a fault for each."""
    places = [index for index, link in enumerate(links) if link.for_objects]
    data_type = before.data_type
    if data_type is None:
        wrong = places[1:]
    elif data_type.kind != "object" and data_type.object_codec is None:
        places = [index for index in places if not links[index].unsure]
        for index in places:
            words = f"a codec for elements of {data_type.name}"
            found = show(links[index].value["id"])
            faults.append(Fault(OBJECT_CODEC_TYPE, links[index].path, words, found))
        return set(places)
    elif not places:
        _lament(links, data_type.object_codec or "vlen-utf8", faults)
        return set(range(len(links)))
    else:
        # Whoever comes first has the objects; a codec that nobody knows may have been able to.
        wrong = places if places[0] > 0 and links[0].codec is not None else places[1:]
    for index in wrong:
        words = "one object codec, before all other codecs"
        faults.append(Fault(OBJECT_CODEC_PLACE, links[index].path, words, show(links[index].value["id"])))
    return set(wrong)


def _lament(links: list[_ChainEntry], wanted: str, faults: list[Fault]) -> None:
    """Adds the fault of objects without an object codec, unless an unknown codec may be one."""
    if links and links[0].codec is None:
        return
    path = links[0].path if links else ("filters",)
    found = show(links[0].value["id"]) if links else "no codec"
    words = f'an object codec such as "{wanted}"'
    faults.append(Fault(OBJECT_CODEC, path, words, found, f'make {{"id": "{wanted}"}} the first filter'))


def _thread(link: _ChainEntry, before: Representation | None, faults: list[Fault]) -> Representation | None:
    codec, configuration = link.codec, link.configuration
    if codec is None:
        return None
    if configuration is None:
        return Bytes() if codec.kind != "array->array" else None
    found: list[Fault] = []
    taken = _bytes(before) if codec.kind == "bytes->bytes" else _elements(before)
    after = codec.thread(configuration, taken, found, link.path)
    inside = (*link.path, "configuration")
    for fault in found:
        # v2 has the parameters beside the id, not in an object of their own.
        if fault.path[: len(inside)] == inside:
            faults.append(fault._replace(path=(*link.path, *fault.path[len(inside) :])))
        else:
            faults.append(fault)
    return after


def _bytes(state: Representation | None) -> Bytes:
    """What a codec that wants bytes is given."""
    if isinstance(state, Bytes):
        return state
    if state is None or state.count is None or state.data_type is None:
        return Bytes()
    width = state.data_type.itemsize
    return Bytes(None if width is None else state.count * width)


def _elements(state: Representation | None) -> Elements:
    """What a codec that wants elements is given: bytes are viewed as whatever it says."""
    return state if isinstance(state, Elements) else Elements(None, None)
