"""A v2 chain: the filters of an array, then its compressor.

Zarr v2, "Filters": "filters are applied in the order specified in array metadata to encode data, then
the encoded data are passed to the primary compressor". Unlike in v3 there is no array->bytes codec: a
codec for bytes gets those of the array, and a codec for elements views the bytes as elements.
Only Python objects (`|O`) have no bytes: an object codec, which comes first, makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.extension.codec import Bytes, Elements, codecs
from zom.extension.link import Link
from zom.formats.v2_definition import parse_v2_codec
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.extension.codec import Representation

__all__ = ["check_filters", "object_codec_of", "order_links", "parse_filters"]

_SOURCE = "https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html#metadata"

FILTERS = rule(
    "v2/filters", "filters are null or a list of codecs", source=_SOURCE, schema=True, compares=("dtype",)
)
EMPTY = rule(
    "v2/filters-empty",
    "filters are null if there are none",
    source=f"{_SOURCE}: or null if no filters are to be applied",
    lenient="warning",
    strict="warning",
    closed="warning",
    schema=True,
)
EMPTY_OBJECT = rule(
    "v2/filters-empty-object",
    "filters are null if there are none, not an empty object",
    source=f"{_SOURCE}; an example of ZEP 6 has such an object",
    lenient="warning",
    schema=True,
)
OBJECT_CODEC = rule(
    "v2/object-codec",
    "an array of Python objects (|O) has one object codec, as its first filter or as its compressor",
    source="https://zarr.readthedocs.io/en/v2.18.7/tutorial.html#object-arrays",
    compares=("dtype",),
)
OBJECT_CODEC_PLACE = rule(
    "v2/object-codec-place",
    "the object codec of an array of Python objects (|O) is its first codec",
    source="https://zarr.readthedocs.io/en/v2.18.7/tutorial.html#object-arrays",
    lenient="warning",
)
OBJECT_CODEC_TYPE = rule(
    "v2/object-codec-type",
    "an object codec gets only Python objects (|O)",
    source="https://zarr.readthedocs.io/en/v2.18.7/tutorial.html#object-arrays",
    lenient="warning",
)


def parse_filters(filters: object, compressor: object) -> list[Link]:
    """Parse the codecs of a v2 array in the order of encoding: its filters, then its compressor.

    >>> import zom.codecs
    >>> [link.path for link in parse_filters([{"id": "delta", "dtype": "<i4"}], {"id": "zlib"})]
    [('filters', 0), ('compressor',)]
    """
    values: list[object] = filters if is_list(filters) else []
    links = [parse_v2_codec(value, ("filters", index)) for index, value in enumerate(values)]
    return links if compressor is None else [*links, parse_v2_codec(compressor, ("compressor",))]


def order_links(order: object, rank: int, path: Path) -> list[Link]:
    """Return the codecs that convert chunks to the memory order in the document at `path`.

    >>> import zom.codecs
    >>> order_links("F", 2, ("order",))[0].configuration.order, order_links("C", 2, ("order",))
    ([1, 0], [])
    """
    if order != "F" or rank < 2:
        return []
    transpose = codecs["transpose"]
    configuration = transpose.configuration.model_validate({"order": list(range(rank))[::-1]})
    return [Link(transpose.name, None, path, path, order, transpose, configuration)]


def object_codec_of(links: Iterable[Link]) -> str | None:
    """Return the id of the first codec that can hold Python objects."""
    return next((link.codec.v2_id for link in links if link.codec and link.codec.holds_objects), None)


def _for_objects(link: Link) -> bool:
    """Whether it is an object codec; the configuration may decide."""
    if link.codec is None or not link.codec.holds_objects:
        return False
    return bool(getattr(link.configuration, "holds_objects", True))


def _unsure(link: Link) -> bool:
    """Whether only its parameters, which are invalid, could show that it is an object codec."""
    sometimes = link.codec is not None and hasattr(link.codec.v2_configuration, "holds_objects")
    return sometimes and link.configuration is None


def check_filters(filters: object, links: Sequence[Link], before: Elements, faults: list[Fault]) -> None:
    """Add every fault of `filters` and `links` to `faults`; `before` describes a chunk of the array.

    >>> faults = []
    >>> check_filters([], [], Elements(((4,),), None), faults)
    >>> faults[0].path, faults[0].found
    (('filters',), '[]')
    """
    _check_form(filters, faults)
    for link in links:
        faults.extend(link.faults)
    objects: list[Fault] = []
    misplaced = _check_objects(links, before, objects)
    # Unreadable filters may have been object codecs.
    if not filters or isinstance(filters, list):
        faults.extend(objects)
    state: Representation | None = before
    for index, link in enumerate(links):
        # Check only the own parameters of a misplaced codec.
        state = _thread(link, None if index in misplaced else state, faults)


def _check_form(filters: object, faults: list[Fault]) -> None:
    if filters == []:
        faults.append(Fault(EMPTY, ("filters",), "null", "[]", "write null"))
    elif filters == {}:
        faults.append(Fault(EMPTY_OBJECT, ("filters",), "null", "{}", "write null"))
    elif filters is not None and not isinstance(filters, list):
        fix = "wrap it in a list" if is_dict(filters) else None
        faults.append(Fault(FILTERS, ("filters",), "null or a list of codecs", show(filters), fix))


def _check_objects(links: Sequence[Link], before: Elements, faults: list[Fault]) -> set[int]:
    """Return the indexes of misplaced object codecs, and add a fault for each."""
    places = [index for index, link in enumerate(links) if _for_objects(link)]
    data_type = before.data_type
    if data_type is None:
        wrong = places[1:]
    elif data_type.kind != "object" and data_type.object_codec is None:
        places = [index for index in places if not _unsure(links[index])]
        for index in places:
            words = f"a codec for elements of {data_type.name}"
            found = show(links[index].written)
            faults.append(Fault(OBJECT_CODEC_TYPE, links[index].path, words, found))
        return set(places)
    elif not places:
        _report_missing_object_codec(links, data_type.object_codec or "vlen-utf8", faults)
        return set(range(len(links)))
    else:
        # The first codec gets the objects; an unknown codec may support them.
        wrong = places if places[0] > 0 and links[0].codec is not None else places[1:]
    for index in wrong:
        words = "one object codec, before all other codecs"
        faults.append(Fault(OBJECT_CODEC_PLACE, links[index].path, words, show(links[index].written)))
    return set(wrong)


def _report_missing_object_codec(links: Sequence[Link], wanted: str, faults: list[Fault]) -> None:
    """Add the fault of objects without an object codec, unless an unknown codec may be one."""
    if links and links[0].codec is None:
        return
    path = links[0].path if links else ("filters",)
    found = show(links[0].written) if links else "no codec"
    words = f'an object codec such as "{wanted}"'
    faults.append(Fault(OBJECT_CODEC, path, words, found, f'make {{"id": "{wanted}"}} the first filter'))


def _thread(link: Link, before: Representation | None, faults: list[Fault]) -> Representation | None:
    codec = link.codec
    if codec is None:
        return None
    if link.configuration is None:
        return Bytes() if codec.kind != "array->array" else None
    taken = _bytes(before) if codec.kind == "bytes->bytes" else _elements(before)
    return link.thread(taken, faults)


def _bytes(state: Representation | None) -> Bytes:
    """Return the input of a codec for bytes."""
    if isinstance(state, Bytes):
        return state
    if state is None or state.count is None or state.data_type is None:
        return Bytes()
    width = state.data_type.itemsize
    return Bytes(None if width is None else state.count * width)


def _elements(state: Representation | None) -> Elements:
    """Return the input of a codec for elements: it decides how to view bytes."""
    return state if isinstance(state, Elements) else Elements(None, None)
