"""Reports in SARIF 2.1.0, the format in which code hosts and editors read the results of analysers.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html GitHub shows only results that have a line,
and accepts one run of a tool:
https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from zom.conventions.report.json import rule_of_codes
from zom.file_url import bytes_of, url_of
from zom.json.write import ascii_json
from zom.problems import one_line, rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions.report import Report, RuleCount
    from zom.problems import Problem

__all__ = ["sarif_of"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"MUST": "error", "SHOULD": "warning", "NOTE": "note"}


def sarif_of(reports: Sequence[Report]) -> str:
    """All reports as one run, with the rules that have a result."""
    descriptors = _fired(reports)
    places = {code: place for place, code in enumerate(descriptors)}
    results = (ascii_json(result) for report in reports for result in _results(report, places))
    driver = {"name": "zom", **_version(), "rules": list(descriptors.values())}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True}],
        "columnKind": "unicodeCodePoints",
    }
    # One result per line: one member per line would make a hundred thousand results ten times as slow.
    begun = ascii_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}).removesuffix("}]}")
    return f'{begun}, "results": [\n' + ",\n".join(results) + "\n]}]}\n"


def _version() -> dict[str, str]:
    try:
        return {"version": version("zom")}
    except PackageNotFoundError:  # run from a checkout that isn't installed
        return {}


# --- rules -------------------------------------------------------------------------------------------------


def _fired(reports: Sequence[Report]) -> dict[str, dict[str, Any]]:
    """The rules that have a result: all rules that passed would be longer than the findings."""
    found: dict[str, dict[str, Any]] = {}
    known = rules()
    for report in reports:
        codes = dict.fromkeys(problem.code for problem in (*report.problems, *report.suppressed))
        stated = rule_of_codes(report) if codes else {}
        for code in codes:
            if code not in found:
                found[code] = _descriptor(stated[code]) if code in stated else _own_descriptor(code, known)
    return found


def _descriptor(count: RuleCount) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": count.code,
        "shortDescription": {"text": count.text},
        "fullDescription": {"text": f"{count.level}: {count.text}"},
        "defaultConfiguration": {"level": _LEVELS[count.level]},
        "help": {"text": count.fix or count.text},
        "properties": {"convention": count.convention, "source": count.source, "portable": count.portable},
    }
    return made if count.link is None else {**made, "helpUri": count.link}


def _own_descriptor(code: str, known: Any) -> dict[str, Any]:
    """The descriptor of one of zom's own rules; just the id if the rule's module isn't imported."""
    own = known.get(code)
    if own is None:
        return {"id": code}
    made: dict[str, Any] = {
        "id": code,
        "shortDescription": {"text": own.text},
        "fullDescription": {"text": f"{own.text} ({own.source})"},
        "defaultConfiguration": {"level": own.severity("strict") or "none"},
    }
    return {**made, "helpUri": own.source} if own.source.startswith("https://") else made


# --- results -----------------------------------------------------------------------------------------------


def _results(report: Report, places: dict[str, int]) -> Iterator[dict[str, Any]]:
    for problem in report.problems:
        yield _result(report, problem, places)
    for problem in report.suppressed:
        shown = {"kind": "external", "justification": "suppressed by a pattern of rules and nodes"}
        yield {**_result(report, problem, places), "suppressions": [shown]}


def _result(report: Report, problem: Problem, places: dict[str, int]) -> dict[str, Any]:
    said = str(replace(problem, line=None, column=None))
    uri = _uri(report, problem)
    identity = f"{problem.code}\0{problem.node}\0{problem.pointer}\0{uri}"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
    made: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": places[problem.code],
        "level": problem.severity,
        "message": {"text": said},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": uri}, "region": _region(problem)},
                "logicalLocations": [_logical(problem.node, problem.pointer)],
            }
        ],
        "partialFingerprints": {"zomFinding/v1": digest[:32]},
        "properties": {"expected": problem.expected, "found": problem.found},
    }
    if problem.related:
        made["relatedLocations"] = [
            {"id": place, "logicalLocations": [_logical(node)], "message": {"text": f"see {one_line(node)}"}}
            for place, node in enumerate(problem.related)
        ]
    return made


def _region(problem: Problem) -> dict[str, int]:
    """The position in the text; line 1 if unknown, since GitHub doesn't show a result without a line."""
    if problem.line is None:
        return {"startLine": 1}
    return {"startLine": problem.line, "startColumn": problem.column or 1}


def _logical(node: str, pointer: str = "") -> dict[str, str]:
    """A node and the pointer into its document as one name."""
    name = one_line(node)
    whole = f"{name}#{one_line(pointer)}" if pointer else name
    return {"name": name, "fullyQualifiedName": whole, "kind": "property" if pointer else "object"}


def _uri(report: Report, problem: Problem) -> str:
    """The file of a finding as a relative reference, or its URL."""
    if problem.key is None or report.store is None:
        return _reference(report.subject)
    return f"{_reference(report.store.rstrip('/'))}/{quote(bytes_of(problem.key), safe='/~')}"


def _reference(file: str) -> str:
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", file):
        return quote(bytes_of(file), safe="/:@?=&%+,;~[]")  # a URL is already escaped
    return url_of(file)
