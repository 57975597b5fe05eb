"""The check that attributes fulfil a JSON Schema, draft 2020-12, with every fault located and in words.

https://json-schema.org/draft/2020-12/json-schema-validation. The package jsonschema is imported only where
there is such a schema; nothing is ever fetched.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Outcome, Site, unpublished
from zom.extension.configuration import words
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.json.types import JSON_TYPES
from zom.json.value import thaw
from zom.problems import Path, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


__all__ = ["expected_of", "fulfils", "validator_of"]


def validator_of(schema: Mapping[str, Any]) -> Any:
    """What checks values by `schema`, which is one.

    >>> validator_of({"type": "string"}).is_valid(3)
    False
    """
    registry: Any = import_module("referencing").Registry()
    return import_module("jsonschema").Draft202012Validator(thaw(schema), registry=registry)


@unpublished
def fulfils(site: Site, validator: Any) -> Outcome:
    """The attributes fulfil the schema of the validator.

    >>> fulfils(validator_of({"required": ["units"]})).name
    'fulfils'
    """
    found: dict[Path, Breach] = {}
    for error in validator.iter_errors(site.holder.attributes):
        for breach in _breaches(site, error):
            found.setdefault(breach.path, breach)
    return tuple(found.values())


def _breaches(site: Site, error: Any) -> Iterator[Breach]:
    path = site.at(*error.absolute_path)
    keyword: str = error.validator
    if keyword == "required" and is_dict(error.instance):
        for name in error.validator_value:
            if name not in error.instance:
                inner = error.schema.get("properties", {}).get(name, {})
                wanted = _simple(inner) or "any value"
                yield site.breach((*path, name), f"an attribute that is {wanted}", "nothing")
    elif keyword == "additionalProperties" and error.validator_value is False:
        known = error.schema.get("properties", {})
        patterns: list[str] = list(error.schema.get("patternProperties", {}))
        for name in error.instance:
            if name not in known and not any(re.search(text, name) for text in patterns):
                wanted = f"only {', '.join(known)}" if known else "no members"
                fix = did_you_mean(near(name, known))
                yield site.breach((*path, name), wanted, show(name), fix=fix)
    else:
        yield site.breach(path, expected_of(error), show(error.instance))


_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_SIZES: Final = {
    "minLength": "a string of at least {} characters",
    "maxLength": "a string of at most {} characters",
    "minItems": "a list of at least {} items",
    "maxItems": "a list of at most {} items",
    "pattern": "a string like {}",
    "multipleOf": "a multiple of {}",
    "uniqueItems": "items that differ",
}


def expected_of(error: Any) -> str:
    """What a value that breaks a keyword should have been, in words.

    >>> expected_of(next(validator_of({"minimum": 3}).iter_errors(2)))
    'a number of at least 3'
    """
    keyword, wanted = str(error.validator), error.validator_value
    if keyword in _SIZES:
        return _SIZES[keyword].format(wanted)
    simple = _simple({keyword: wanted})
    if keyword in _BOUNDS and "type" in error.schema:
        simple = _simple(
            {"type": error.schema["type"], **{k: v for k, v in error.schema.items() if k in _BOUNDS}}
        )
    return simple or f"a value that fits {pointer_of(error.absolute_schema_path)} of the schema"


def _simple(schema: Any) -> str | None:
    """What a schema of one thought asks for; None where it has more to say."""
    if not is_dict(schema):
        return None
    if "const" in schema or "enum" in schema:
        return words({name: schema[name] for name in ("const", "enum") if name in schema})
    kind = schema.get("type")
    if _BOUNDS & schema.keys():
        bounds = {name: schema[name] for name in _BOUNDS if name in schema}
        return words({"type": kind if kind in {"integer", "number"} else "number", **bounds})
    return words({"type": kind}) if is_list(kind) or kind in JSON_TYPES else None
