"""Convert v2 to v3: the new document reads the same chunks as the v2 document.

https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html, "Metadata" and "Filters": the order C or F is
applied first, then the filters one after the other, then the compressor. The chunk key encoding `v2`
keeps the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.conversion.codecs import Chain
from zom.conversion.losses import (
    CODEC,
    DATA_TYPE,
    DIMENSIONS_LEFT,
    EXTENSION,
    EXTRA_MEMBER,
    FILL_MASK,
    FILL_VALUE,
    NO_FILL,
    UNDEFINED_FILL,
)
from zom.count import count_of
from zom.errors import ConversionError
from zom.extension.codec import Elements
from zom.extension.resolve import parse_v3
from zom.formats.resolve import resolve
from zom.json.python_value import is_list
from zom.model.family import DIMENSIONS
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zom.conversion.losses import Fill, Report
    from zom.extension.datatype import DataType
    from zom.extension.link import Link
    from zom.model.spec import Spec

__all__ = ["array", "drop_members", "group", "lifted", "v3_fill", "v3_type"]

_ARRAY = frozenset(
    {
        "zarr_format",
        "shape",
        "chunks",
        "dtype",
        "compressor",
        "fill_value",
        "order",
        "filters",
        "dimension_separator",
        "attributes",
    }
)
_GROUP = frozenset({"zarr_format", "attributes", "members"})


def group(spec: Spec, report: Report, _fill: Fill) -> dict[str, Any]:
    """Return the v3 document of a v2 group, without its members."""
    drop_members(spec.document, _GROUP, report)
    made: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}
    if "attributes" in spec.document:
        made["attributes"] = spec.document["attributes"]
    return made


def array(spec: Spec, report: Report, fill: Fill) -> tuple[dict[str, Any], bool]:
    """Return the v3 document of a v2 array, and True, since its chunks stay as they are."""
    fields = cast("Any", spec)
    document, resolved = spec.document, resolve(spec)
    drop_members(document, _ARRAY, report)
    shape, chunks = list(fields.shape), list(fields.chunks)
    data_type = resolved.data_type
    made: dict[str, Any] = {"zarr_format": 3, "node_type": "array", "shape": shape}
    spelled = None
    if data_type is not None and data_type.kind == "object":
        _refuse_objects(resolved.codecs, report)
    elif data_type is not None:
        spelled = v3_type(data_type, ("dtype",), document["dtype"], report)
    made["data_type"] = spelled
    made["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": chunks}}
    keys = {"separator": fields.dimension_separator}
    made["chunk_key_encoding"] = {"name": "v2", "configuration": keys}
    if data_type is not None and spelled is not None:
        made["fill_value"] = v3_fill(spec, data_type, "v2", fill, report)
        chain = Chain(Elements(resolved.chunks, data_type), report)
        made["codecs"] = _codecs(chain, resolved.links)
    _put_attributes(made, document, len(shape), report)
    return made, True


def _codecs(chain: Chain, links: Iterable[Link]) -> list[dict[str, Any]]:
    for link in links:
        if link.written is None:
            chain.add_order(link)
        else:
            chain.add_filter(link)
    chain.end()
    return chain.codecs


def _refuse_objects(links: Sequence[Link], report: Report) -> None:
    """Report objects, which have no v3 data type, at the codec that holds them."""
    path, found = (links[0].path, show(links[0].written)) if links else (("dtype",), show("|O"))
    expected = '"vlen-utf8" or "vlen-bytes": v3 has data types for text and bytes only'
    report.add(CODEC, path, expected, found)


def drop_members(
    document: Mapping[str, Any], known: frozenset[str], report: Report, needed: Sequence[str] = ()
) -> None:
    """Report each member that the other format lacks; those in `needed` are refused, not dropped."""
    for name, value in document.items():
        if name in needed:
            report.add(EXTENSION, (name,), "no extension that must be understood", show(value))
        elif name not in known:
            report.add(EXTRA_MEMBER, (name,), "no such member", show(value), "it is dropped")


def v3_type(data_type: DataType, path: Path, given: Any, report: Report) -> Any:
    """Return the v3 spelling of a data type; None, with a refusal, if it has none."""
    try:
        spelled = data_type.to_json("v3")
    except ConversionError as error:
        report.add(DATA_TYPE, path, "a data type of v3", f"{show(given)} ({error.problems[0].found})")
        return None
    faults: list[Fault] = []
    if parse_v3(spelled, faults) is None or faults:
        report.add(DATA_TYPE, path, "a data type of v3", show(given))
        return None
    return spelled


def v3_fill(spec: Spec, data_type: DataType, form: Any, fill: Fill, report: Report) -> Any:
    """Return the v3 spelling of the fill value, or of the one chosen if it is undefined."""
    given = spec.document.get("fill_value")
    path = ("fill_value",)
    faults: list[Fault] = []
    if given is not None:
        # A fallback doesn't know the fill values of the original type.
        scalar = data_type.parse_fill(given, form, faults)
        if scalar is None:
            report.add(FILL_VALUE, path, faults[0].expected, faults[0].found, faults[0].fix)
            return None
        return data_type.fill_json(scalar, "v3")
    if fill == "refuse":
        report.add(NO_FILL, path, "a fill value", "null", 'allow one to be chosen: fill="default"')
        return None
    if fill == "default":
        chosen = data_type.fill_json(data_type.default(), "v3")
    else:
        chosen = fill(report.node, spec)
        data_type.parse_fill(chosen, "v3", faults)
        for fault in faults:
            if fault.rule.strict == "error":
                report.add(FILL_VALUE, path, fault.expected, f"{fault.found}, chosen for null", fault.fix)
    report.add(UNDEFINED_FILL, path, "a fill value", "null", f"it becomes {show(chosen)}")
    return chosen


def _put_attributes(made: dict[str, Any], document: Mapping[str, Any], rank: int, report: Report) -> None:
    if "attributes" not in document:
        return
    attributes, names = lifted(document["attributes"], rank, report)
    made["attributes"] = attributes
    if names is not None:
        made["dimension_names"] = names
        _note_mask(document, attributes, report)


def _note_mask(document: Mapping[str, Any], attributes: Mapping[str, Any], report: Report) -> None:
    """Report that xarray no longer treats the fill value of a variable as missing."""
    fill = document.get("fill_value")
    if fill is None or fill == "NaN" or "_FillValue" in attributes:
        return
    fix = "if it marks missing values, add _FillValue, in base64 in v3"
    report.add(FILL_MASK, ("fill_value",), "the attribute _FillValue beside it", show(fill), fix)


def lifted(
    attributes: Mapping[str, Any], rank: int, report: Report
) -> tuple[Mapping[str, Any], list[Any] | None]:
    """Return the attributes without xarray's dimension names, and these names.

    >>> from zom.conversion.losses import Report
    >>> lifted({"units": "K", "_ARRAY_DIMENSIONS": ["lat", "lon"]}, 2, Report(()))
    ({'units': 'K'}, ['lat', 'lon'])
    """
    if DIMENSIONS not in attributes:
        return attributes, None
    names = attributes[DIMENSIONS]
    if (
        not is_list(names)
        or len(names) != rank
        or not all(name is None or isinstance(name, str) for name in names)
    ):
        expected = f"a list of {count_of(rank, 'name')} or nulls"
        where = ("attributes", DIMENSIONS)
        report.add(DIMENSIONS_LEFT, where, expected, show(names), "it stays an attribute")
        return attributes, None
    rest = {name: value for name, value in attributes.items() if name != DIMENSIONS}
    return rest, names
