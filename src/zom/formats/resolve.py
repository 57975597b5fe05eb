"""Resolve a spec of any format to a `ResolvedArray`: the only place that dispatches on the format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.codec import codecs
from zom.extension.definition import name_of
from zom.extension.registry import revision
from zom.extension.resolve import parse_draft, parse_v2, parse_v3
from zom.formats import draft_encoding, draft_rules, v2_rules, v3_encoding, v3_rules
from zom.formats.resolved import ResolvedArray
from zom.formats.v2_chain import object_codec_of, parse_filters
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.extension.datatype import DataType, Format
    from zom.formats.resolved import Encoding
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["canonical_codec_name", "data_type_of", "resolve"]

_Shape = tuple[int, ...]
_ENCODINGS: Final[Mapping[Format, Callable[[Mapping[str, Any], _Shape | None], Encoding]]] = {
    "v2": v2_rules.encoding_of,
    "v3": v3_encoding.encoding_of,
    "draft": draft_encoding.encoding_of,
}
_OBSTACLES: Final[Mapping[Format, Callable[[Mapping[str, Any], Encoding], str | None]]] = {
    "v2": v2_rules.obstacle,
    "v3": v3_rules.obstacle,
    "draft": draft_rules.obstacle,
}
_NOTHING: Final = JSONDict()


def resolve(spec: Spec) -> ResolvedArray:
    """Return the facts of the array `spec`, read once and cached in the spec.

    >>> from zom import v3
    >>> array = resolve(v3.ArraySpec.build(shape=(4, 6), dtype="float32", chunks=(2, 3)))
    >>> array.data_type.kind, array.chunks, [link.name for link in array.links]
    ('float', ((2,), (3,)), ['bytes', 'zstd'])
    """
    kept: Any = spec.__pydantic_private__
    found: tuple[int, ResolvedArray] | None = kept.get("resolved")
    if found is None or found[0] != revision():
        found = kept["resolved"] = (revision(), _resolved(spec))
    return found[1]


def _resolved(spec: Spec) -> ResolvedArray:
    document, family = spec.document, spec.family
    values = family.fields("array", document, [])
    shape: _Shape = values["shape"]
    encoding = _ENCODINGS[family.form](values, shape)
    attributes = document.get("attributes")
    data_type = encoding.data_type
    return ResolvedArray(
        family,
        document,
        encoding,
        shape,
        _names(document, family.names_path, len(shape)),
        name_of(document[family.type_path[0]]) if data_type is None else data_type.name,
        cast("JSONDict", attributes) if is_dict(attributes) else _NOTHING,
        _OBSTACLES[family.form],
    )


def _names(document: JSONDict, path: tuple[str, ...], rank: int) -> tuple[str | None, ...] | None:
    found: Any = document
    for step in path:
        found = found.get(step) if is_dict(found) else None
    if not is_list(found) or len(found) != rank:
        return None
    # A list of names and nulls in an attribute is not xarray's.
    known = all(isinstance(name, str) for name in found) or len(path) == 1
    return tuple(found) if known else None


def data_type_of(document: Mapping[str, Any], family: Family) -> tuple[DataType | None, str | None]:
    """Return the data type in a possibly invalid array document, and its v3 name or the name it has there.

    >>> from zom.formats.families import V2
    >>> data_type_of({"dtype": "<f4"}, V2)[1]
    'float32'
    """
    value = document.get(family.type_path[0])
    found = _TYPES[family.form](value, document)
    return found, name_of(value) if found is None else found.name


def _type_v2(value: Any, document: Mapping[str, Any]) -> DataType | None:
    links = parse_filters(document.get("filters"), document.get("compressor"))
    return parse_v2(value, object_codec_of(links), [])


_TYPES: Final[Mapping[Format, Callable[[Any, Mapping[str, Any]], DataType | None]]] = {
    "v2": _type_v2,
    "v3": lambda value, _: parse_v3(value, []),
    "draft": lambda value, _: parse_draft(value, []),
}


def canonical_codec_name(name: str) -> str | None:
    """Return the v3 name of the codec that any format calls `name`; None if it is unknown.

    >>> import zom.codecs
    >>> canonical_codec_name("zlib"), canonical_codec_name("gzip"), canonical_codec_name("zzip")
    ('numcodecs.zlib', 'gzip', None)
    """
    codec = codecs.known(name) or codecs.of_v2(name) or codecs.find(name)
    return None if codec is None else codec.name
