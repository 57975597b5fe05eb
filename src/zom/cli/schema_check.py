"""What a JSON Schema says about a document, in the words and places of `zom validate`.

Validation is that of Python's jsonschema, which fetches nothing: a `$ref` to elsewhere is an error. Of
the errors of a union the best match is told: the one that goes deepest.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.extension.configuration import words
from zom.json.read import read_json
from zom.problems import Problem, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.cli.document import Document
    from zom.problems import Fault

__all__ = ["schema_problems"]


class _Finding(NamedTuple):
    path: tuple[str | int, ...]
    expected: str
    found: str
    keyword: str


def schema_problems(document: Document, schema: Any) -> list[Problem]:
    """Every error of `document` against `schema`, where it stands; ValueError for a schema that is none.

    >>> from zom.cli.document import Document
    >>> document = Document("a.json", b'{"level": 12}', {"level": 12}, "node")
    >>> for problem in schema_problems(document, {"properties": {"level": {"maximum": 9, "type": "integer"}}}):
    ...     print(problem, problem.code)
    level: expected an integer of at most 9, found 12 (line 1, column 11) schema/maximum
    """
    faults: list[Fault] = []
    value = read_json(document.text, faults)
    problems = [fault.problem() for fault in faults]
    if value is not None or not faults:
        problems += [_problem(finding) for finding in _findings(value, schema)]
    located = replace(document, kind="node", family=None).located(problems)
    return sorted(located, key=lambda problem: (problem.line or 0, problem.column or 0, problem.pointer))


def _problem(finding: _Finding) -> Problem:
    node, inside = "", finding.path
    while len(inside) > 1 and inside[0] == "members" and isinstance(inside[1], str):
        node += f"/{inside[1]}"
        inside = inside[2:]
    code = f"schema/{finding.keyword}"
    pointer = pointer_of(finding.path)
    return Problem(code, "error", node or "/", pointer, inside, finding.expected, finding.found)


def _findings(value: Any, schema: Any) -> list[_Finding]:
    """Each thing that is wrong, once."""
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - slow to import

    exceptions: Any = import_module("jsonschema.exceptions")
    validators: Any = import_module("jsonschema.validators")
    known: Any = import_module("jsonschema_specifications").REGISTRY  # the meta-schemas, and nothing else

    kind = validators.validator_for(schema, default=validators.Draft202012Validator)
    found: dict[_Finding, None] = {}
    try:
        kind.check_schema(schema)
        for error in kind(schema, registry=known).iter_errors(value):
            found.update(dict.fromkeys(_told(exceptions.best_match([error]))))
    except exceptions.SchemaError as error:
        at = pointer_of(error.absolute_path)
        message = f"not a valid JSON Schema: {at or 'the whole'}: {_short(error.message)}; correct it"
        raise ValueError(message) from None
    except Unresolvable as error:
        message = f"the schema refers to {show(error.ref)}, which is not in it; bundle the two"
        raise ValueError(message) from None
    except RecursionError:
        message = "the document is too deep for Python's jsonschema; zom validate has no such limit"
        raise ValueError(message) from None
    return list(found)


def _told(error: Any) -> Iterator[_Finding]:
    path = tuple(cast("Iterable[str | int]", error.absolute_path))
    keyword, asked, instance = str(error.validator), error.validator_value, error.instance
    schema: Any = error.schema
    if keyword == "required":
        for name in asked:
            if name not in instance:
                inner = schema.get("properties", {}).get(name, {})
                yield _Finding((*path, name), _words(inner), "nothing", keyword)
    elif keyword in {"additionalProperties", "unevaluatedProperties"} and asked is False:
        known: dict[str, Any] = schema.get("properties", {})
        patterns: dict[str, Any] = schema.get("patternProperties", {})
        expected = f"only {', '.join(sorted(known))}" if known else "no members"
        for name in instance:
            if name not in known and not any(re.search(pattern, name) for pattern in patterns):
                yield _Finding((*path, name), expected, show(name), keyword)
    elif "propertyNames" in list(error.relative_schema_path)[:-1] and isinstance(instance, str):
        expected = f"a name that fits {asked}" if keyword == "pattern" else f"as name {_words(schema)}"
        yield _Finding((*path, instance), expected, show(instance), "propertyNames")
    else:
        yield _Finding(path, _asked(keyword, asked, schema, error.message), show(instance), keyword)


def _asked(keyword: str, asked: Any, schema: Any, message: str) -> str:
    if keyword in _WORDED and isinstance(schema, dict):
        return _words(cast("dict[str, Any]", schema))
    if keyword in {"anyOf", "oneOf"}:
        return " or ".join(dict.fromkeys(_words(option) for option in asked))
    said = {
        "maxProperties": f"at most {asked} members" if asked else "no members",
        "multipleOf": f"a multiple of {asked}",
        "not": f"anything but {_words(asked)}",
        "contains": f"a list that holds {_words(asked)}",
        "uniqueItems": "a list without repetitions",
    }
    return said.get(keyword) or f"what fits the schema ({_short(message)})"


_WORDED = frozenset(
    {
        "type",
        "const",
        "enum",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "pattern",
        "minItems",
        "maxItems",
    }
)


def _words(schema: Any) -> str:
    """What a schema asks for."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return "a value"
    text = words(cast("Mapping[str, Any]", schema))
    return "a value" if text == "another value" else text


def _short(message: str) -> str:
    return message if len(message) <= 120 else f"{message[:117]}..."
