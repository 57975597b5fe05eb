"""Extension points of v3 as JSON Schema: a name alone, or an object with name and configuration.

The name selects the schema of the configuration, so a fault is reported once, at its place. Names are
open: an unregistered one is valid, with any configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.extension.codec import codecs
from zom.extension.configuration import NoConfiguration
from zom.extension.datatype import data_types
from zom.extension.definition import NAME_PATTERN
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.extension.memo import until_registered
from zom.extension.patterns import either, whole
from zom.extension.resolve import parse_v3
from zom.schema.configuration_schema import configuration_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.extension.configuration import Configuration
    from zom.extension.datatype import DataTypeFamily

__all__ = [
    "chunk_grid",
    "chunk_key_encoding",
    "codec",
    "common_codec",
    "data_type",
    "data_type_name_pattern",
    "field_pair",
    "inline_codec",
    "inline_data_type",
    "known_families",
    "storage_transformer",
    "usual_chunk_grid",
    "usual_chunk_key_encodings",
    "usual_codec",
]

TRUE: Final[dict[str, Any]] = {"const": True, "type": "boolean"}
BOOLEAN: Final[dict[str, Any]] = {"type": "boolean"}
_HOT: Final = ("zstd", "gzip", "blosc", "sharding_indexed", "transpose")


def named(name: str) -> dict[str, Any]:
    """Return the condition that a value is an object with this name."""
    is_name = {"name": {"const": name, "type": "string"}}
    return {"type": "object", "properties": is_name, "required": ["name"]}


def named_one_of(names: Iterable[str]) -> dict[str, Any]:
    """Return the condition that a value is an object with one of the names."""
    is_name = {"name": {"enum": list(names), "type": "string"}}
    return {"type": "object", "properties": is_name, "required": ["name"]}


def definition(
    configuration: dict[str, Any], must_understand: dict[str, Any], *, needed: bool
) -> dict[str, Any]:
    """Return the schema of an extension's object, if its name is known."""
    return {
        "type": "object",
        "properties": {"name": True, "configuration": configuration, "must_understand": must_understand},
        "required": ["name", "configuration"] if needed else ["name"],
        "additionalProperties": False,
    }


def called(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Add a check of the name to the schema of an extension's object."""
    return {**schema, "properties": {**schema["properties"], "name": {"const": name, "type": "string"}}}


def anything_named(pattern: str, must_understand: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an extension's object with an unregistered name."""
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": pattern},
            "configuration": {"type": "object"},
            "must_understand": must_understand,
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def not_ignored(schema: dict[str, Any]) -> dict[str, Any]:
    """Require `must_understand` to be true, but only if the name is valid.

    This makes a missing name one fault: only unregistered names must not be ignorable.
    """
    members = {"name": schema["properties"]["name"], "must_understand": {"const": False, "type": "boolean"}}
    return {
        **schema,
        "if": {"properties": members, "required": list(members)},
        "then": {"properties": {"must_understand": TRUE}},
    }


def chain(branches: Sequence[tuple[dict[str, Any], dict[str, Any]]], last: dict[str, Any]) -> dict[str, Any]:
    """Chain conditions with `if`: the first one that holds decides."""
    made = last
    for condition, consequence in reversed(branches):
        made = {"if": condition, "then": consequence, "else": made}
    return made


def flat(branches: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    """Like `chain`, if at most one condition can hold, and any value is valid if none does.

    Every condition is evaluated, so use this for rare cases: it is easier to read than a deep chain.
    """
    return {"allOf": [{"if": condition, "then": consequence} for condition, consequence in branches]}


def long_enough(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a list schema that checks items only if there are `minItems`: too few items are one fault."""
    least = {"minItems": schema["minItems"]}
    return {"if": least, "then": schema, "else": least}


def needs(model: type[Configuration]) -> bool:
    """Whether a document must contain the configuration."""
    return bool(configuration_schema(model).get("required"))


def name_pattern(excluded: Iterable[str] = ()) -> str:
    """Return the pattern of valid extension names, without the excluded ones."""
    names = either(sorted(excluded))
    return whole(f"(?!(?:{names})(?!\\n)$)(?:{NAME_PATTERN})" if names else NAME_PATTERN)


def spellings(name: str, model: type[Configuration]) -> list[Any]:
    """Return all spellings of an extension with few of them, objects with a configuration first."""
    properties = configuration_schema(model).get("properties", {})
    configurations: list[dict[str, Any]] = [{}]
    if len(properties) == 1:
        member, schema = next(iter(properties.items()))
        configurations = [*({member: value} for value in schema["enum"]), {}]
    bare: list[Any] = [{"name": name}, name]
    return [{"name": name, "configuration": each} for each in configurations if each] + bare


# --- codecs ------------------------------------------------------------------------------------------


@until_registered
def _codecs() -> dict[str, type[Configuration]]:
    return {each.name: each.configuration for each in codecs}


def _codec_branch(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    model = _codecs()[name]
    return named(name), definition(configuration_schema(model), BOOLEAN, needed=needs(model))


def codec() -> dict[str, Any]:
    """Return the schema of one codec of a v3 chain."""
    known = _codecs()
    aliases = [alias for each in codecs for alias in each.aliases]
    usual = [name for name in ("bytes", *_HOT) if name in known]
    others = [name for name in known if name not in usual]
    generic = not_ignored(anything_named(name_pattern(aliases), BOOLEAN))
    bare = name_pattern([*aliases, *(name for name, model in known.items() if needs(model))])
    rare = {
        "if": named_one_of(others),
        "then": {"type": "object", **flat([_codec_branch(name) for name in others])},
        "else": generic,
    }
    objects = chain([_codec_branch(name) for name in usual], rare)
    return {"if": {"type": "string"}, "then": {"type": "string", "pattern": bare}, "else": objects}


def inline_codec() -> dict[str, Any]:
    """Like `codec`, for the most frequent place: usual codecs without a reference."""
    return chain([_codec_branch(name) for name in ("bytes", "zstd", "gzip")], {"$ref": "#/$defs/codec"})


def usual_codec() -> dict[str, Any]:
    """Return a condition for the codecs of most chains: zstd, and those with few spellings."""
    return _one_of("zstd")


def common_codec() -> dict[str, Any]:
    """Like `usual_codec`, with more codecs."""
    return _one_of("gzip", "zstd", "transpose", "blosc")


def _one_of(*names: str) -> dict[str, Any]:
    known = _codecs()
    few = [text for name in ("bytes", "crc32c") for text in spellings(name, known[name])]
    # A failing `enum` costs Python's jsonschema more than a `const`: it prints all the choices.
    made: dict[str, Any] = {"enum": [text for text in few if isinstance(text, dict)]}
    for name in reversed(names):
        then = {key: value for key, value in _codec_branch(name)[1].items() if key != "type"}
        made = {"if": {"properties": {"name": {"const": name}}}, "then": then, "else": made}
    return {"type": "object", **made}


def storage_transformer() -> dict[str, Any]:
    """Return the schema of a storage transformer: none is registered."""
    return {
        "if": {"type": "string"},
        "then": {"type": "string", "pattern": name_pattern()},
        "else": anything_named(name_pattern(), BOOLEAN),
    }


# --- chunk grids and keys ----------------------------------------------------------------------------


def chunk_grid() -> dict[str, Any]:
    """Return the schema of a chunk grid, `regular` first."""
    grids = {name: each.configuration for each in chunk_grids for name in (each.name, *each.aliases)}
    return _open_point(grids, first="regular")


def usual_chunk_grid() -> dict[str, Any]:
    """Return the schema of the most frequent chunk grid, `regular`."""
    model = chunk_grids["regular"].configuration
    return called("regular", definition(configuration_schema(model), TRUE, needed=True))


def usual_chunk_key_encodings() -> list[Any]:
    """Return the spellings of the most frequent chunk key encodings."""
    known = {each.name: each.configuration for each in chunk_key_encodings}
    return [text for name in ("default", "v2") for text in spellings(name, known[name])]


def chunk_key_encoding() -> dict[str, Any]:
    """Return the schema of a chunk key encoding."""
    known = {name: each.configuration for each in chunk_key_encodings for name in (each.name, *each.aliases)}
    return _open_point(known, first="default")


def _open_point(known: dict[str, type[Configuration]], first: str) -> dict[str, Any]:
    def branch(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        model = known[name]
        return named(name), definition(configuration_schema(model), TRUE, needed=needs(model))

    bare = name_pattern(name for name, model in known.items() if needs(model))
    generic = anything_named(name_pattern(), TRUE)
    others = chain([branch(name) for name in known if name != first], generic)
    texts = {"type": "string", "pattern": bare}
    return chain([branch(first)], {"if": {"type": "string"}, "then": texts, "else": others})


# --- data types --------------------------------------------------------------------------------------


@until_registered
def known_families() -> tuple[dict[str, DataTypeFamily], dict[str, DataTypeFamily], list[DataTypeFamily]]:
    """Return the families in v3 documents: plain names, names with a configuration, name patterns."""
    plain: dict[str, DataTypeFamily] = {}
    configured: dict[str, DataTypeFamily] = {}
    patterned: list[DataTypeFamily] = []
    for family in data_types:
        if family.name_patterns is not None:
            patterned.append(family)
            continue
        for name in (family.name, *family.aliases):
            if family.configuration is not NoConfiguration:
                configured[name] = family
            elif parse_v3(name, []) is not None:
                plain[name] = family
    return plain, configured, patterned


def data_type_name_pattern(excluded: Iterable[str] = ()) -> str:
    """Return the pattern of v3 data type names; a name that a family claims must match its pattern."""
    claims = [family.name_patterns for family in known_families()[2]]
    claimed = "|".join(pair[0] for pair in claims if pair)
    right = "|".join(pair[1] for pair in claims if pair)
    refused = "|".join(part for part in (either(sorted(excluded)), claimed) if part)
    return whole(f"{right}|(?!(?:{refused})(?!\\n)$)(?:{NAME_PATTERN})")


def data_type() -> dict[str, Any]:
    """Return the schema of a v3 data type."""
    plain, configured, patterned = known_families()
    empty = definition(configuration_schema(NoConfiguration), TRUE, needed=False)
    branches = [(named_one_of(plain), empty)]
    for name, family in configured.items():
        fits = configuration_schema(family.configuration)
        branches.append((named(name), definition(fits, TRUE, needed=True)))
    for family in patterned:
        claimed, right = family.name_patterns or ("", "")
        is_name = {"name": {"type": "string", "pattern": whole(claimed)}}
        condition = {"type": "object", "properties": is_name, "required": ["name"]}
        properties = {**empty["properties"], "name": {"type": "string", "pattern": whole(right)}}
        branches.append((condition, {**empty, "properties": properties}))
    objects = chain(branches, anything_named(data_type_name_pattern(), TRUE))
    return {"if": {"type": "string"}, "then": _bare_data_type(), "else": objects}


def _bare_data_type() -> dict[str, Any]:
    return {"type": "string", "pattern": data_type_name_pattern(known_families()[1])}


def inline_data_type() -> dict[str, Any]:
    """Like `data_type`, for the most frequent place: names without a reference."""
    return {"if": {"type": "string"}, "then": _bare_data_type(), "else": {"$ref": "#/$defs/data-type"}}


def field_pair() -> dict[str, Any]:
    """Return the schema of a field of a `structured` type: its name and its type."""
    pair = [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/data-type"}]
    return {"type": "array", **long_enough({"prefixItems": pair, "minItems": 2, "maxItems": 2})}
