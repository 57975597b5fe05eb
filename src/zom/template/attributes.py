"""The attributes of templates: a shorthand with type names, or a JSON Schema.

The shorthand maps keys to types, `{"units": "string", "scale": "number?"}`: `|` separates several types, and
`?` marks an optional attribute. Any other mapping with keywords of JSON Schema, draft 2020-12
(https://json-schema.org/draft/2020-12/json-schema-validation), is a schema for the object of all attributes.
The package jsonschema is imported only for schemas; nothing is ever fetched.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.json.types import JSON_TYPES
from zom.json.value import thaw
from zom.problems import Fault, Path, rule, show, split_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["TYPES", "is_shorthand", "schema_faults", "types_in"]


SCHEMA = rule(
    "template/schema",
    "attributes in a template are a mapping from keys to types, or a JSON Schema (draft 2020-12) that "
    "has only references into itself",
    source="JSON Schema, draft 2020-12",
)
TYPES: Final = JSON_TYPES | {"any"}
"""The types of the shorthand: those of JSON Schema and "any"."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_ONE: Final = frozenset(
    {
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LIST: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MAP: Final = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_PLAIN: Final = frozenset(
    {
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "const",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "dependentRequired",
        "deprecated",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "readOnly",
        "required",
        "title",
        "type",
        "uniqueItems",
        "writeOnly",
        "discriminator",
    }
)
_KEYWORDS: Final = _ONE | _LIST | _MAP | _PLAIN


def types_in(text: str) -> tuple[tuple[str, ...], bool] | None:
    """Return the types in `text` and whether the attribute is optional; None for other text.

    >>> types_in("number|null?"), types_in("numbr")
    ((('number', 'null'), True), None)
    """
    named = tuple(text.removesuffix("?").split("|"))
    return (named, text.endswith("?")) if TYPES.issuperset(named) else None


def is_shorthand(value: Mapping[str, Any]) -> bool:
    """Whether `value` maps keys to types, or is an attempt at that; otherwise it is read as a JSON Schema.

    >>> is_shorthand({"units": "string", "scale": "number|null?"})
    True
    >>> is_shorthand({"type": "object", "required": ["units"]})
    False
    """
    if all(isinstance(item, str) and types_in(item) for item in value.values()):
        return True
    if "$schema" in value:
        return False
    if any(name in _KEYWORDS and not isinstance(item, str) for name, item in value.items()):
        return False
    return not (value.get("type") == "object" and _KEYWORDS.issuperset(value))


# --- definition --------------------------------------------------------------------------------------


def schema_faults(value: object, faults: list[Fault], path: Path) -> None:
    """Add the faults of a template's attributes.

    >>> schema_faults({"units": "strng"}, faults := [], ("attributes",)); faults[0].fix
    "did you mean 'string'?"
    """
    if not is_dict(value):
        wanted = "a mapping from keys to types, or a JSON Schema"
        faults.append(Fault(SCHEMA, path, wanted, show(value)))
    elif is_shorthand(value):
        for name, item in value.items():
            _shorthand_fault(item, faults, (*path, name))
    else:
        faults.extend(fault._replace(path=(*path, *fault.path)) for fault in _schema_faults(value))


def _shorthand_fault(item: object, faults: list[Fault], path: Path) -> None:
    if isinstance(item, str) and types_in(item):
        return
    fix: str | None = 'a JSON Schema begins with "$schema" or "type": "object"'
    if isinstance(item, str):
        wrong = [name for name in item.removesuffix("?").split("|") if name not in TYPES]
        fix = did_you_mean(near(wrong[0], TYPES))
    wanted = f"one of {', '.join(sorted(TYPES))}, or several with | between them"
    faults.append(Fault(SCHEMA, path, wanted, show(item), fix))


def _schema_faults(schema: Mapping[str, Any]) -> Iterator[Fault]:
    dialect = schema.get("$schema", _DIALECT)
    if dialect != _DIALECT:
        yield Fault(SCHEMA, ("$schema",), show(_DIALECT), show(dialect))
        return
    found: dict[Path, Fault] = {}
    for fault in (*_meta_faults(schema), *_walk_faults(schema)):
        found.setdefault(fault.path, fault)
    yield from found.values()


def _meta_faults(schema: Mapping[str, Any]) -> Iterator[Fault]:
    from zom.checks.json_schema import findings_of  # noqa: PLC0415 - few templates have a schema

    validator: Any = import_module("jsonschema").Draft202012Validator
    for error in validator(validator.META_SCHEMA).iter_errors(thaw(schema)):
        for path, expected, found, _, fix in findings_of(error):
            if path and path[-1] == "type" and isinstance(error.instance, str):
                names = did_you_mean(near(error.instance, sorted(JSON_TYPES)))
                yield Fault(SCHEMA, path, "the name of a type in JSON Schema", found, names)
            else:
                yield Fault(SCHEMA, path, expected, found, fix)


def _walk_faults(schema: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield faults of likely misspelled keywords, broken references and invalid patterns."""
    waiting: list[tuple[Any, Path]] = [(schema, ())]
    while waiting:
        here, path = waiting.pop()
        if not is_dict(here):
            continue
        for name, item in here.items():
            at = (*path, name)
            if name not in _KEYWORDS:
                if close := near(name, _KEYWORDS):
                    yield Fault(SCHEMA, at, "a keyword of JSON Schema", show(name), did_you_mean(close))
            elif name in {"$ref", "$dynamicRef"}:
                yield from _reference_faults(schema, item, at)
            elif name == "pattern":
                yield from _regex_faults(item, at)
            elif name == "patternProperties" and is_dict(item):
                for text in item:
                    yield from _regex_faults(text, (*at, text))
            waiting.extend(_inner(name, item, at))


def _inner(name: str, item: Any, at: Path) -> list[tuple[Any, Path]]:
    if name in _ONE:
        return [(item, at)]
    if name in _LIST and is_list(item):
        return [(each, (*at, index)) for index, each in enumerate(item)]
    if name in _MAP and is_dict(item):
        return [(each, (*at, key)) for key, each in item.items()]
    return []


def _reference_faults(schema: Mapping[str, Any], target: Any, at: Path) -> Iterator[Fault]:
    if not isinstance(target, str):
        return
    if not (target == "#" or target.startswith("#/")):
        found = show(target)
        yield Fault(SCHEMA, at, 'a reference inside the schema, such as "#/$defs/unit"', found)
        return
    here: Any = schema
    for step in split_pointer(target[1:]):
        here = here.get(step) if is_dict(here) else None
    if not isinstance(here, (dict, bool)):
        yield Fault(SCHEMA, at, "a reference that leads to a schema", show(target))


def _regex_faults(text: Any, at: Path) -> Iterator[Fault]:
    try:
        re.compile(text)
    except (re.error, TypeError) as error:
        yield Fault(SCHEMA, at, "a regular expression", f"{show(text)}: {error}")
