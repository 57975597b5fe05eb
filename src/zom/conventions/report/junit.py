"""Reports as JUnit's XML, which CI servers show as tests: a suite for each convention, a case for each rule.

There is no standard; the members are those that Jenkins, GitLab and pytest agree on:
https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from zom.conventions.report.json import rule_of_codes
from zom.conventions.report.text import finding_line
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions.report import Report, RuleCount
    from zom.problems import Problem, Severity

__all__ = ["junit_of"]

_SEVERITIES: Final = ("error", "warning", "note")

_ZARR: Final = "zarr"
"""The suite of zom's own rules."""


def junit_of(reports: Sequence[Report], *, fail_on: Severity = "error") -> str:
    """All reports; findings that are less bad than `fail_on` are told of, and are no failures."""
    suites = [suite for report in reports for suite in _suites(report, fail_on)]
    total = sum((suite.counts for suite in suites), Counter[str]())
    lines = [f'<testsuites name="zom" {_attributes(total)}>']
    for suite in suites:
        lines.append(f"  <testsuite name={_quoted(suite.name)} {_attributes(suite.counts)}>")
        lines.extend(suite.cases)
        lines.append("  </testsuite>")
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, "</testsuites>", ""])


class _Suite:
    """The cases of one convention, as they are written, and counts of them."""

    def __init__(self, report: Report, convention: str, fail_on: Severity) -> None:
        self._report = report
        self._bad = _SEVERITIES[: _SEVERITIES.index(fail_on) + 1]
        self.name = f"{report.subject}: {convention}"
        self._class = convention
        self.cases: list[str] = []
        self.counts = Counter[str]()

    def add(self, code: str, problems: Sequence[Problem], skipped: str | None = None) -> None:
        """The case of a rule: what it found, or why it didn't apply."""
        self.counts["tests"] += 1
        inner: list[str] = []
        failures = [each for each in problems if each.severity in self._bad]
        others = [each for each in problems if each.severity not in self._bad]
        if failures:
            self.counts["failures"] += 1
            number = f"{len(failures)} finding{'s' * (len(failures) > 1)}"
            kind = quoteattr(failures[0].severity)
            text = escape(self._lines(failures))
            inner.append(f'      <failure message="{number}" type={kind}>{text}</failure>')
        elif skipped is not None:
            self.counts["skipped"] += 1
            inner.append(f"      <skipped message={_quoted(skipped)}/>")
        if others:
            inner.append(f"      <system-out>{escape(self._lines(others))}</system-out>")
        head = f"    <testcase name={_quoted(code)} classname={_quoted(self._class)}"
        self.cases.extend([f"{head}>", *inner, "    </testcase>"] if inner else [f"{head}/>"])

    def _lines(self, problems: Sequence[Problem]) -> str:
        return "\n".join(finding_line(each, self._report.file(each)) for each in problems)


def _suites(report: Report, fail_on: Severity) -> Iterator[_Suite]:
    stated = rule_of_codes(report)
    by_code: dict[str, list[Problem]] = {}
    for problem in report.problems:
        by_code.setdefault(problem.code, []).append(problem)
    own = _Suite(report, _ZARR, fail_on)
    for code in dict.fromkeys(code for code in by_code if code not in stated):
        own.add(code, by_code[code])
    if not own.cases:
        own.add("documents are valid", ())
    yield own
    for convention in dict.fromkeys(each.convention for each in report.rules):
        suite = _Suite(report, convention, fail_on)
        for count in report.rules:
            if count.convention == convention:
                found = by_code.get(count.code, []) if stated[count.code] is count else []
                suite.add(count.code, found, _why(count))
        yield suite


def _why(count: RuleCount) -> str | None:
    """Why a rule doesn't apply anywhere."""
    return "; ".join(count.reasons) if count.outcome == "not applicable" else None


def _attributes(counts: Counter[str]) -> str:
    return " ".join(f'{name}="{counts[name]}"' for name in ("tests", "failures", "skipped")) + ' errors="0"'


def _quoted(text: str) -> str:
    return quoteattr(one_line(text))
