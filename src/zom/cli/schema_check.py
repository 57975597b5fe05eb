"""Errors of a document against a JSON Schema, in the words and with the places of `zom validate`.

Python's jsonschema validates, and fetches nothing: a `$ref` to elsewhere is an error. For a union, it reports
the best match only: the error that goes deepest. If jsonschema-rs is installed, it runs first, since it is
faster and documents that it accepts have no errors to report.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from zom.checks.json_schema import findings_of, short
from zom.json.read import read_json
from zom.json.value import thaw
from zom.packages import import_package
from zom.problems import Problem, pointer_of, show

if TYPE_CHECKING:
    from zom.checks.json_schema import Finding
    from zom.cli.document import Document
    from zom.problems import Fault

__all__ = ["schema_problems"]


def schema_problems(document: Document, schema: Any) -> list[Problem]:
    """Every error of `document` against `schema`, with its place; raise ValueError for an invalid schema.

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


def _problem(finding: Finding) -> Problem:
    node, inside = "", finding.path
    while len(inside) > 1 and inside[0] == "members" and isinstance(inside[1], str):
        node += f"/{inside[1]}"
        inside = inside[2:]
    code = f"schema/{finding.keyword}"
    pointer = pointer_of(finding.path)
    return Problem(code, "error", node or "/", pointer, inside, finding.expected, finding.found, finding.fix)


def _is_accepted(value: Any, schema: Any) -> bool:
    """Whether jsonschema-rs accepts `value`; False if it is not installed, or fails."""
    try:
        rust: Any = import_package("jsonschema_rs")
    except ImportError:
        return False
    try:
        validator = rust.validator_for(thaw(schema), validate_formats=False, retriever=_refuse)
        return bool(validator.is_valid(thaw(value)))
    except (ValueError, OverflowError, rust.ReferencingError):
        return False  # Python's jsonschema reports a faulty schema, and reads deeper documents


def _refuse(reference: str) -> None:
    """Refuse to fetch a reference."""
    raise ValueError(reference)


def _findings(value: Any, schema: Any) -> list[Finding]:
    """Each finding, once."""
    if _is_accepted(value, schema):
        return []
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - slow to import

    exceptions: Any = import_module("jsonschema.exceptions")
    validators: Any = import_module("jsonschema.validators")
    known: Any = import_module("jsonschema_specifications").REGISTRY  # the meta-schemas only

    kind = validators.validator_for(schema, default=validators.Draft202012Validator)
    found: dict[Finding, None] = {}
    try:
        kind.check_schema(schema)
        for error in kind(schema, registry=known).iter_errors(value):
            found.update(dict.fromkeys(findings_of(exceptions.best_match([error]))))
    except exceptions.SchemaError as error:
        at = pointer_of(error.absolute_path)
        message = f"not a valid JSON Schema: {at or 'the whole'}: {short(error.message)}; correct it"
        raise ValueError(message) from None
    except Unresolvable as error:
        message = f"the schema refers to {show(error.ref)}, which is missing in it; bundle the two"
        raise ValueError(message) from None
    except RecursionError:
        message = "the document is too deep for Python's jsonschema; zom validate has no such limit"
        raise ValueError(message) from None
    return list(found)
