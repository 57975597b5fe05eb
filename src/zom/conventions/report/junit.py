"""Reports as JUnit XML, which CI servers show as tests: a suite per subject, a case per group of rules.

The groups are Zarr's own rules and each convention that was found: one test per passed rule and store would
flood a server. There is no standard; the members are those that Jenkins, GitLab and pytest agree on:
https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from zom.conventions.report.json import rule_of_codes
from zom.conventions.report.text import finding_line
from zom.count import count_of
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions.report import Report, RuleCount
    from zom.problems import Problem, Severity

__all__ = ["junit_of"]

_SEVERITIES: Final = ("error", "warning", "note")

_ZARR: Final = "zarr"
"""The group of zom's own rules."""


def junit_of(reports: Sequence[Report], *, fail_on: Severity = "error") -> str:
    """All reports; findings below the severity `fail_on` are included, but are not failures."""
    suites = [_suite(report, fail_on) for report in reports]
    total = sum((suite.counts for suite in suites), Counter[str]())
    lines = [f'<testsuites name="zom" {_attributes(total)}>']
    for suite in suites:
        lines.append(f"  <testsuite name={_quoted(suite.name)} {_attributes(suite.counts)}>")
        lines.extend(suite.cases)
        lines.append("  </testsuite>")
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, "</testsuites>", ""])


class _Suite:
    """The cases of one subject as XML lines, and counts of them."""

    def __init__(self, report: Report, fail_on: Severity) -> None:
        self._report = report
        self._bad = _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]
        self.name = report.subject
        self.cases: list[str] = []
        self.counts = Counter[str]()

    def add(self, group: str, problems: Sequence[Problem], skipped: str | None = None) -> None:
        """Add the case of a group of rules: its findings, or why none of the rules applied."""
        self.counts["tests"] += 1
        inner: list[str] = []
        failures = [each for each in problems if each.severity in self._bad]
        others = [each for each in problems if each.severity not in self._bad]
        if failures:
            self.counts["failures"] += 1
            number = count_of(len(failures), "finding")
            kind = quoteattr(failures[0].severity)
            text = escape(self._lines(failures))
            inner.append(f'      <failure message="{number}" type={kind}>{text}</failure>')
        elif skipped is not None and not others:
            self.counts["skipped"] += 1
            inner.append(f"      <skipped message={_quoted(skipped)}/>")
        if others:
            inner.append(f"      <system-out>{escape(self._lines(others))}</system-out>")
        head = f"    <testcase name={_quoted(group)} classname={_quoted(self.name)}"
        self.cases.extend([f"{head}>", *inner, "    </testcase>"] if inner else [f"{head}/>"])

    def _lines(self, problems: Sequence[Problem]) -> str:
        return "\n".join(finding_line(each, self._report.file(each)) for each in problems)


def _suite(report: Report, fail_on: Severity) -> _Suite:
    suite = _Suite(report, fail_on)
    found = _by_group(report)
    suite.add(_ZARR, found.pop(_ZARR, ()))
    for group, counts in _judged(report):
        suite.add(group, found.get(group, ()), _why(counts))
    return suite


def _by_group(report: Report) -> dict[str, list[Problem]]:
    """The findings of each group of rules."""
    stated = rule_of_codes(report)
    found: dict[str, list[Problem]] = {}
    for problem in report.problems:
        group = stated[problem.code].convention if problem.code in stated else _ZARR
        found.setdefault(group, []).append(problem)
    return found


def _judged(report: Report) -> Iterator[tuple[str, list[RuleCount]]]:
    """Each convention in the hierarchy with its rules, without those that were asked for but not found."""
    present = {each.convention for each in report.conventions}
    counts: dict[str, list[RuleCount]] = {}
    for each in report.rules:
        counts.setdefault(each.convention, []).append(each)
    for convention, rules in counts.items():
        if convention in present or any(each.outcome != "not applicable" for each in rules):
            yield convention, rules


def _why(rules: Sequence[RuleCount]) -> str | None:
    """Why none of the rules applies anywhere, or None if one does."""
    if any(each.outcome != "not applicable" for each in rules):
        return None
    reasons = Counter(reason for each in rules for reason in each.reasons)
    return "; ".join(reason for reason, _ in reasons.most_common(3)) or "no rule applies"


def _attributes(counts: Counter[str]) -> str:
    return " ".join(f'{name}="{counts[name]}"' for name in ("tests", "failures", "skipped")) + ' errors="0"'


def _quoted(text: str) -> str:
    return quoteattr(one_line(text))
