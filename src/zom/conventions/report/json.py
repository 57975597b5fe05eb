"""Reports as JSON, as described by schemas/report/1.json, and as lines of JSON.

A change that breaks readers of the schema gets the next number; new members may be added without one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from zom.json.write import ascii_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions.report import Report, RuleCount
    from zom.problems import Problem

__all__ = ["VERSION", "dict_of", "json_of", "lines_of", "list_of", "rule_of_codes"]

VERSION: Final = 1
"""The version of the schema; `report` in every report."""


def dict_of(report: Report) -> dict[str, Any]:
    """The report as plain JSON."""
    stated = rule_of_codes(report)
    return {
        **_summary(report),
        "conventions": [
            {"convention": each.convention, "nodes": each.nodes, "first": each.first, "how": each.how}
            for each in report.conventions
        ],
        "rules": [_rule(each) for each in report.rules],
        **({"not_checked": list(report.not_checked)} if report.not_checked else {}),
        "findings": [_finding(report, each, stated) for each in report.problems],
        "suppressed": [_finding(report, each, stated) for each in report.suppressed],
    }


def json_of(report: Report) -> str:
    """The report as a JSON object."""
    return ascii_json(dict_of(report), indent=2) + "\n"


def list_of(reports: Sequence[Report]) -> str:
    """Several reports as a list of such objects."""
    return ascii_json([dict_of(each) for each in reports], indent=2) + "\n"


def lines_of(reports: Sequence[Report]) -> str:
    """A line per finding, and after each report's findings a line for its summary."""
    return "".join(f"{ascii_json(line)}\n" for report in reports for line in _lines(report))


def _lines(report: Report) -> Iterator[dict[str, Any]]:
    stated = rule_of_codes(report)
    for problem in report.problems:
        yield {"type": "finding", "subject": report.subject, **_finding(report, problem, stated)}
    for problem in report.suppressed:
        yield {"type": "suppressed", "subject": report.subject, **_finding(report, problem, stated)}
    outcomes = Counter(each.outcome for each in report.rules)
    rules = {name: outcomes[name] for name in ("passed", "failed", "not applicable")}
    names = [each.convention for each in report.conventions]
    yield {"type": "summary", **_summary(report), "conventions": names, "rules": rules}


def rule_of_codes(report: Report) -> dict[str, RuleCount]:
    """The rule behind each code; of several versions of a convention, a rule that failed is preferred.

    >>> import zom
    >>> rule_of_codes(zom.validate(zom.v3.GroupSpec(members={}), conventions=["xarray"]))["xarray/dims-length"].level
    'MUST'
    """
    found: dict[str, RuleCount] = {}
    for each in report.rules:
        if each.code not in found or (each.failed and not found[each.code].failed):
            found[each.code] = each
    return found


def _summary(report: Report) -> dict[str, Any]:
    counts = Counter(problem.severity for problem in report)
    optional = {"store": report.store, "digest": report.digest}
    return {
        "report": VERSION,
        "subject": report.subject,
        **{name: value for name, value in optional.items() if value is not None},
        "profile": report.profile,
        "ok": report.ok,
        "nodes": report.nodes,
        "checked": report.checked,
        "counts": {
            "error": counts["error"],
            "warning": counts["warning"],
            "note": counts["note"],
            "suppressed": len(report.suppressed),
        },
    }


def _rule(count: RuleCount) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "code": count.code,
        "convention": count.convention,
        "level": count.level,
        "source": count.source,
        "text": count.text,
        "portable": count.portable,
        "outcome": count.outcome,
        "passed": count.passed,
        "failed": count.failed,
        "skipped": count.skipped,
        "reasons": dict(count.reasons),
    }
    return {**facts, **_known(fix=count.fix, link=count.link)}


def _finding(report: Report, problem: Problem, stated: dict[str, RuleCount]) -> dict[str, Any]:
    facts: dict[str, Any] = {"file": report.file(problem), **problem.to_dict(), "message": str(problem)}
    count = stated.get(problem.code)
    if count is None:
        return facts
    return {
        **facts,
        "convention": count.convention,
        "level": count.level,
        "source": count.source,
        **_known(link=count.link),
    }


def _known(**facts: str | None) -> dict[str, str]:
    return {name: value for name, value in facts.items() if value is not None}
