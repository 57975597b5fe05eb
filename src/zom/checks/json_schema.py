"""Words for what a JSON Schema rejects, and the check that attributes match one.

https://json-schema.org/draft/2020-12/json-schema-validation. The package jsonschema is imported only if
there is such a schema; nothing is ever fetched.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.checks.check import Breach, Outcome, Site, unpublished
from zom.extension.configuration import words
from zom.extension.registry import did_you_mean, near
from zom.json.value import thaw
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


__all__ = ["Finding", "findings_of", "fulfils", "short", "validator_of"]


class Finding(NamedTuple):
    """What a keyword of a schema rejects: where in the value, what was expected, and what was found."""

    path: Path
    expected: str
    found: str
    keyword: str
    fix: str | None = None


def validator_of(schema: Mapping[str, Any]) -> Any:
    """A validator for the valid JSON Schema `schema`.

    >>> validator_of({"type": "string"}).is_valid(3)
    False
    """
    registry: Any = import_module("referencing").Registry()
    return import_module("jsonschema").Draft202012Validator(thaw(schema), registry=registry)


@unpublished
def fulfils(site: Site, validator: Any) -> Outcome:
    """Check that the attributes match the schema of the validator."""
    found: dict[Path, Breach] = {}
    for error in validator.iter_errors(site.holder.attributes):
        for each in findings_of(error):
            path = site.at(*each.path)
            found.setdefault(path, site.breach(path, each.expected, each.found, fix=each.fix))
    return tuple(found.values())


def findings_of(error: Any) -> Iterator[Finding]:
    """The findings in an error of jsonschema: one for each missing or unknown member.

    >>> list(findings_of(next(validator_of({"minimum": 3}).iter_errors(2))))
    [Finding(path=(), expected='a number of at least 3', found='2', keyword='minimum', fix=None)]
    """
    path = tuple(cast("Iterable[str | int]", error.absolute_path))
    keyword, asked, instance = str(error.validator), error.validator_value, error.instance
    schema: Any = error.schema
    if keyword == "required":
        for name in asked:
            if name not in instance:
                inner = schema.get("properties", {}).get(name, {})
                fix = did_you_mean(near(name, [known for known in instance if known not in asked]))
                yield Finding((*path, name), _words(inner), "nothing", keyword, fix)
    elif keyword in {"additionalProperties", "unevaluatedProperties"} and asked is False:
        known: dict[str, Any] = schema.get("properties", {})
        patterns: dict[str, Any] = schema.get("patternProperties", {})
        expected = f"only {', '.join(sorted(known))}" if known else "no members"
        for name in instance:
            if name not in known and not any(re.search(pattern, name) for pattern in patterns):
                fix = did_you_mean(near(name, known))
                yield Finding((*path, name), expected, show(name), keyword, fix)
    elif "propertyNames" in list(error.relative_schema_path)[:-1] and isinstance(instance, str):
        expected = f"a name that fits {asked}" if keyword == "pattern" else f"as name {_words(schema)}"
        yield Finding((*path, instance), expected, show(instance), "propertyNames")
    else:
        yield Finding(path, _asked(keyword, asked, schema, error.message), show(instance), keyword)


def _asked(keyword: str, asked: Any, schema: Any, message: str) -> str:
    if keyword in _BOUNDS and "type" not in schema:
        return _words({"type": "number", **schema})
    if keyword in _WORDED and isinstance(schema, dict):
        return _words(cast("dict[str, Any]", schema))
    if keyword in {"anyOf", "oneOf"}:
        return " or ".join(dict.fromkeys(_words(option) for option in asked))
    said = {
        "maxProperties": f"at most {asked} members" if asked else "no members",
        "minLength": f"a string of at least {asked} characters",
        "maxLength": f"a string of at most {asked} characters",
        "multipleOf": f"a multiple of {asked}",
        "not": f"anything but {_words(asked)}",
        "contains": f"a list that contains {_words(asked)}",
        "uniqueItems": "a list without repetitions",
    }
    return said.get(keyword) or f"a value that fits the schema ({short(message)})"


_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_WORDED: Final = _BOUNDS | {"type", "const", "enum", "pattern", "minItems", "maxItems"}


def _words(schema: Any) -> str:
    """What a schema asks for, in words."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return "a value"
    schema = cast("Mapping[str, Any]", schema)
    if "$ref" in str(schema):  # the target of the reference isn't here
        schema = {name: value for name, value in schema.items() if name not in {"items", "anyOf"}}
    text = words(schema)
    return "a value" if text == "another value" else text


def short(message: str) -> str:
    """A message of jsonschema, cut to 120 characters.

    >>> short("a" * 200)[-5:]
    'aa...'
    """
    return message if len(message) <= 120 else f"{message[:117]}..."
