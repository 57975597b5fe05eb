"""The words of declarations for the root, groups and arrays, and their forms.

The compiler refuses words that are not in this table; the JSON Schema and its texts are generated from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.dataclass import dataclass
from zom.declaration.expression import UNFILLED
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from zom.declaration.source import At, Problems

__all__ = [
    "ARRAY",
    "DEFAULTS",
    "DOCUMENT",
    "DOCUMENT_MARKS",
    "FORM",
    "GROUP",
    "ROOT",
    "WORD",
    "Word",
    "check_words",
    "hint_for",
    "is_document",
    "is_open",
]

WORD = rule(
    "declaration/word",
    "a declaration has only words that are valid in their place",
    source="declarations, docs/declaring.md",
    schema=True,
)
FORM = rule(
    "declaration/form",
    "the value of a word has the form that the word requires",
    source="declarations, docs/declaring.md",
    schema=True,
)

HOLE: Final[dict[str, Any]] = {"type": "string", "pattern": r"\$\{"}
"""An expression, which may replace any value."""


@dataclass(frozen=True, slots=True)
class Word:
    """The definition of one word."""

    text: str
    """A description in one sentence, for editors."""
    expected: str
    """The form of a value in words."""
    schema: Mapping[str, Any]
    """The JSON Schema of a value, without expressions."""
    holds: Callable[[Any], bool]
    """A predicate for values whose expressions are replaced."""


def _texts(value: Any) -> bool:
    return is_list(value) and all(isinstance(each, str) for each in value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _lengths(value: Any) -> bool:
    return is_list(value) and all(_whole(each) and each >= 0 for each in value)


def _anything(_value: Any) -> bool:
    return True


def _parts(value: Any) -> bool:
    one = value is None or _text(value) or _whole(value)
    return one or is_dict(value) or (is_list(value) and all(each is None or _whole(each) for each in value))


def _codec(value: Any) -> bool:
    return _text(value) or is_dict(value)


def _compression(value: Any) -> bool:
    return value is None or _codec(value) or _codecs(value)


def _codecs(value: Any) -> bool:
    return is_list(value) and all(map(_codec, value))


def _types(*names: str) -> dict[str, Any]:
    return {"anyOf": [{"type": name} for name in names]}


_INT: Final[dict[str, Any]] = {"type": "integer", "minimum": 0}
_OBJECT: Final[dict[str, Any]] = {"type": "object"}
_NUMBER: Final[dict[str, Any]] = {"type": "number"}
_STRING: Final[dict[str, Any]] = {"type": "string"}
_CODEC: Final[dict[str, Any]] = _types("string", "object")
_PARTS: Final[dict[str, Any]] = {
    "anyOf": [
        {"enum": ["auto", "whole", None]},
        {"type": "string", "pattern": r"^[0-9.]+ ?([kKMGT]i?)?B$"},
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": _types("integer", "null")},
        {"type": "object", "additionalProperties": _types("integer", "null", "string")},
    ]
}

_FOR: Final = Word(
    'Repeat this member for every combination of values; insert them in its name, as in "${row}".',
    "a mapping of names to lists or ranges",
    {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "anyOf": [{"type": "array"}, {"$ref": "#/$defs/range"}, HOLE],
        },
    },
    is_dict,
)
_ATTRIBUTES: Final = Word("The attributes.", "a mapping", _OBJECT, is_dict)

ARRAY: Final[Mapping[str, Word]] = {
    "dims": Word(
        "The names of the dimensions; their lengths are in `sizes`.",
        "a list of names",
        {"type": "array", "items": _types("string", "null")},
        lambda value: is_list(value) and all(each is None or _text(each) for each in value),
    ),
    "shape": Word(
        "The lengths of the dimensions, if `sizes` doesn't define them.",
        "a list of lengths",
        {"anyOf": [_INT, {"type": "array", "items": {"anyOf": [_INT, HOLE]}}]},
        lambda value: _lengths(value) or (_whole(value) and value >= 0),
    ),
    "dtype": Word(
        "The data type: int16, float32, string, datetime64[ns] ...",
        "the name of a data type, or its definition",
        _types("string", "object", "array"),
        lambda value: _codec(value) or is_list(value),
    ),
    "chunks": Word(
        "The chunks: lengths by dimension, a list, auto, whole, or an approximate size, such as 4 MiB.",
        'lengths by dimension or in order, "auto", "whole", or a size such as "4 MiB"',
        _PARTS,
        _parts,
    ),
    "shards": Word(
        "The shards that contain the chunks, in the form of chunks; null for none.",
        'lengths by dimension or in order, "auto", "whole", a size such as "64 MiB", or null',
        _PARTS,
        _parts,
    ),
    "compress": Word(
        "How chunks are compressed: zstd, gzip:9, blosc ..., one codec or several, or null.",
        "a name, a codec, several codecs, or null",
        {"anyOf": [_types("string", "object", "null"), {"type": "array", "items": _CODEC}]},
        _compression,
    ),
    "codecs": Word(
        "The whole chain of codecs.", "a list of codecs", {"type": "array", "items": _CODEC}, _codecs
    ),
    "filters": Word(
        "Codecs before the others.", "a list of codecs", {"type": "array", "items": _CODEC}, _codecs
    ),
    "checksum": Word(
        "Whether chunks have checksums.",
        "true, false or null",
        _types("boolean", "null"),
        lambda value: value is None or isinstance(value, bool),
    ),
    "order": Word(
        "The order of elements in a chunk.",
        '"C" or "F"',
        {"enum": ["C", "F"]},
        lambda value: value in ("C", "F"),
    ),
    "separator": Word(
        "The separator between the numbers in chunk keys (v2 and draft).",
        '"." or "/"',
        {"enum": [".", "/"]},
        lambda value: value in (".", "/"),
    ),
    "fill_value": Word("The value that missing chunks read as.", "a value of the data type", {}, _anything),
    "missing": Word(
        "The stored value that marks missing values; also the fill value.",
        "a value of the data type",
        {},
        _anything,
    ),
    "scale_factor": Word("The factor of stored values.", "a number", _NUMBER, _number),
    "add_offset": Word("The number added after the multiplication.", "a number", _NUMBER, _number),
    "units": Word("The units, such as K, or days since 2000-01-01.", "a string", _STRING, _text),
    "calendar": Word("The calendar of a time.", "a string", _STRING, _text),
    "values": Word(
        "The values, written when the array is made: a list, a range, or one value for all.",
        "a list, a range, or one value",
        {"anyOf": [_types("array", "number", "string", "boolean"), {"$ref": "#/$defs/range"}]},
        _anything,
    ),
    "attributes": _ATTRIBUTES,
    "for": _FOR,
}

DOCUMENT: Final = Word(
    "A document of Zarr, unchanged; one with zarr_format or node_type may be given directly.",
    "a document of Zarr",
    _OBJECT,
    is_dict,
)

DOCUMENT_MARKS: Final = ("node_type", "zarr_format")
"""A node with one of these members is a Zarr document."""


def is_document(said: Mapping[str, Any]) -> bool:
    """Whether a node is a Zarr document, either itself or under the word `document`.

    >>> is_document({"zarr_format": 3}), is_document({"document": {}}), is_document({"members": {}})
    (True, True, False)
    """
    return not said.keys().isdisjoint({*DOCUMENT_MARKS, "document"})


GROUP: Final[Mapping[str, Word]] = {
    "attributes": _ATTRIBUTES,
    "members": Word(
        "The members of the group, by name or by path.",
        "a mapping of names to arrays and groups",
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/node"}},
        is_dict,
    ),
    "sizes": Word(
        "The lengths of dimensions by name, for this group and everything below it.",
        "a mapping of names to lengths",
        {"type": "object", "additionalProperties": {"anyOf": [_INT, HOLE]}},
        lambda value: is_dict(value) and all(_whole(each) and each >= 0 for each in value.values()),
    ),
    "defaults": Word(
        "The defaults for the arrays of this group and below.",
        "a mapping of words of arrays",
        {"$ref": "#/$defs/defaults"},
        is_dict,
    ),
    "coordinates": Word(
        "The members that are non-index coordinates, in the terms of xarray.",
        "a list of names of members",
        {"type": "array", "items": _STRING},
        _texts,
    ),
    "ome": Word(
        "An OME-Zarr image with its levels, or with `plate`, a plate of wells.",
        "the arguments of zom.conventions.ome.image, or `plate`",
        {"type": "object"},
        is_dict,
    ),
    "multiscales": Word(
        "A pyramid of the members by the multiscales convention.",
        "the arguments of zom.conventions.multiscales.group",
        {"type": "object"},
        is_dict,
    ),
    "anndata": Word(
        "The skeleton of an AnnData.",
        "the arguments of zom.conventions.anndata.skeleton",
        {"type": "object"},
        is_dict,
    ),
    "for": _FOR,
}

ROOT: Final[Mapping[str, Word]] = {
    "zom": Word(
        "The version of declarations.",
        "1",
        {"const": 1},
        lambda value: value == 1 and _whole(value),
    ),
    "format": Word(
        "The format of Zarr.",
        '2, 3 or "draft"',
        {"enum": [2, 3, "draft"]},
        lambda value: value in (2, 3, "draft"),
    ),
    "parameters": Word(
        "Parameters of the caller: defaults by name, or descriptions of the values.",
        "a mapping of names to values, or to mappings with any of default, type and description",
        {"type": "object", "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}},
        is_dict,
    ),
    "conventions": Word(
        "The conventions that the hierarchy follows.",
        "a list of names",
        {"type": "array", "items": _STRING},
        _texts,
    ),
    "template": Word(
        "The template that the hierarchy follows: its file, or the template itself.",
        "a file, or a template",
        _types("string", "object"),
        _codec,
    ),
    "include": Word(
        "Files whose parameters, sizes, defaults, attributes and members apply here unless this file overrides them.",
        "a file, or a list of files",
        {"anyOf": [_STRING, {"type": "array", "items": _STRING}]},
        lambda value: _text(value) or _texts(value),
    ),
}

DEFAULTS: Final = frozenset(
    {
        "dtype",
        "chunks",
        "shards",
        "compress",
        "filters",
        "checksum",
        "order",
        "separator",
        "fill_value",
        "attributes",
    }
)
"""The words of arrays that are allowed in `defaults`."""


def _size(size: Any, at: At, problems: Problems) -> int:
    """Return a dimension length, or 1 if invalid, which avoids follow-up problems."""
    if _whole(size) and size >= 0:
        return int(size)
    problems.add(at.problem(FORM, "a length: a whole number, 0 or more", show(size)))
    return 1


def is_open(value: Any) -> bool:
    """Whether a value contains an expression without a value.

    >>> from zom.declaration.expression import UNFILLED
    >>> is_open({"a": [1, UNFILLED]}), is_open([1])
    (True, False)
    """
    inner = value.values() if is_dict(value) else value if is_list(value) else ()
    return value is UNFILLED or any(map(is_open, inner))


_ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("dimension_names", "dimensions", "_ARRAY_DIMENSIONS"), ("dims", "sizes")),
    "data_type": ("dtype",),
    **dict.fromkeys(("chunk_shape", "chunk_grid", "chunksizes"), ("chunks",)),
    **dict.fromkeys(("compressor", "compressors", "compression"), ("compress",)),
    **dict.fromkeys(("_FillValue", "missing_value"), ("missing",)),
    "fill": ("fill_value",),
    **dict.fromkeys(("dimension_separator", "chunk_key_encoding"), ("separator",)),
    **dict.fromkeys(("attrs", "metadata"), ("attributes",)),
    **dict.fromkeys(("data_vars", "variables", "arrays", "groups", "children"), ("members",)),
    "coords": ("coordinates",),
    "data": ("values",),
    "zom_template": ("template",),
    "version": ("zom",),
}
"""Words of documents, netCDF, xarray and templates, with their equivalents in declarations."""


def hint_for(name: str, words: Collection[str]) -> str | None:
    """Suggest a replacement for an unknown word.

    >>> hint_for("dimension_names", ARRAY), hint_for("chunsk", ARRAY)
    ("write 'dims'", "did you mean 'chunks'?")
    """
    meant = next((each for each in _ELSEWHERE.get(name, ()) if each in words), None)
    return f"write {meant!r}" if meant else did_you_mean(near(name, words), words)


def check_words(
    value: Mapping[str, Any], words: Mapping[str, Word], at: At, problems: Problems, what: str
) -> dict[str, Any]:
    """Return the entries of `value` that are valid by `words`; report unknown words and invalid forms."""
    said: dict[str, Any] = {}
    for name, inner in value.items():
        word = words.get(name)
        if word is None:
            hint = hint_for(name, words)
            problems.add(at.child(name).problem(WORD, f"a word for {what}", show(name), hint))
        elif is_open(inner):
            if is_dict(inner):  # keep the known part, to avoid follow-up problems
                said[name] = {step: 1 if each is UNFILLED else each for step, each in inner.items()}
        elif name == "sizes" and is_dict(inner):
            said[name] = {dim: _size(size, at.child(name, dim), problems) for dim, size in inner.items()}
        elif not word.holds(inner):
            problems.add(at.child(name).problem(FORM, word.expected, show(inner)))
        else:
            said[name] = inner
    return said
