"""Reports as text: a line per finding, then what was checked, and a loud notice if nothing was."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from zom.count import count_of
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.conventions.report import Outcome, Report, RuleCount
    from zom.problems import Problem, Severity

__all__ = ["counted", "finding_line", "finding_parts", "gathered", "more_line", "summary_lines", "text_of"]

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "not applicable")


def text_of(report: Report, *, limit: int | None = None, verbose: bool = False) -> str:
    """The report with at most `limit` findings; `verbose` lists all, and why rules don't apply."""
    is_stored = report.store is not None or report.subject not in {"spec", "document"}
    lines: list[str] = []
    told = 0
    for problem, more in islice(gathered(report.problems, whole=verbose), limit):
        lines.append(finding_line(problem, report.file(problem) if is_stored else None))
        told += 1 + more
        if more:
            lines.append(more_line(problem, more))
    left = len(report) - told
    if left > 0:
        lines.append(f"... and {count_of(left, 'finding')} more")
    return "\n".join([*lines, *summary_lines(report, verbose=verbose)])


_MANY: Final = 5
"""The most findings of one rule that are all listed; of more, only the first `_FIRST` and a count are."""
_FIRST: Final = 3


def gathered(problems: Iterable[Problem], *, whole: bool = False) -> Iterator[tuple[Problem, int]]:
    """The findings to list, errors first and grouped by rule, each with the number of hidden ones after it.

    >>> from zom.problems import Problem
    >>> found = [Problem("a/b", "warning", f"/{n}", "", (), "1", "2") for n in range(400)]
    >>> [(problem.node, more) for problem, more in gathered([*found, Problem("a/c", "error", "/", "", (), "1", "2")])]
    [('/', 0), ('/0', 0), ('/1', 0), ('/2', 397)]
    """
    groups: dict[tuple[int, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((_SEVERITIES.index(problem.severity), problem.code), []).append(problem)
    # Sorting is stable: within a severity, rules stay in the order of their first finding.
    for _, group in sorted(groups.items(), key=lambda item: item[0][0]):
        shown = group if whole or len(group) <= _MANY else group[:_FIRST]
        yield from ((problem, 0) for problem in shown[:-1])
        yield shown[-1], len(group) - len(shown)


def more_line(problem: Problem, more: int) -> str:
    """The line that counts the unlisted findings of the rule.

    >>> from zom.problems import Problem
    >>> more_line(Problem("a/b", "error", "/", "", (), "1", "2"), 1397)
    '    ... and 1,397 more of a/b'
    """
    return f"    ... and {more:,} more of {problem.code}"


def finding_line(problem: Problem, file: str | None = None) -> str:
    """A finding as one line that editors can link to.

    >>> from zom.problems import Problem
    >>> problem = Problem("v3/shape", "error", "/t", "/members/t/shape/0", ("shape", 0), "1", "2", line=3, column=7)
    >>> finding_line(problem, "a.json")
    'a.json:3:7: error: /t: shape[0]: expected 1, found 2 [v3/shape]'
    """
    return "".join(finding_parts(problem, file))


def finding_parts(problem: Problem, file: str | None = None) -> tuple[str, str, str]:
    """The parts of `finding_line`: the place, the severity, and the rest."""
    line = "" if problem.line is None else f":{problem.line}:{problem.column}"
    place = f"{'' if file is None else one_line(file)}{line}".removeprefix(":")
    where = f"{place}: " if place else ""
    said = replace(problem, line=None, column=None)
    return where, problem.severity, one_line(f": {said} [{problem.code}]")


def counted(counts: Mapping[str, int]) -> str:
    """The number of findings of each severity, as text.

    >>> counted({"error": 1, "note": 2}), counted({})
    ('1 error, 2 notes', 'no problems')
    """
    said = [count_of(counts[name], name) for name in _SEVERITIES if counts.get(name)]
    return ", ".join(said) or "no problems"


def summary_lines(report: Report, *, verbose: bool = False) -> Iterator[str]:
    """The counts of findings and what was checked; `verbose` adds why rules don't apply."""
    counts = Counter[str](problem.severity for problem in report)
    hidden = f", {len(report.suppressed)} suppressed" if report.suppressed else ""
    yield f"{one_line(report.subject)}: {counted(counts)}{hidden}"
    if not report.rules:
        yield "NOTHING WAS CHECKED but Zarr itself: no convention was found"
        return
    for each in report.conventions:
        nodes = count_of(each.nodes, "node")
        yield one_line(f"{each.convention}: found at {nodes}, first at {each.first}: {each.how}")
    outcomes = Counter(each.outcome for each in report.rules)
    told = ", ".join(f"{outcomes[each]:,} {each}" for each in _OUTCOMES)
    yield f"rules: {told}"
    if not report.checked:
        names = ", ".join(sorted({each.convention for each in report.rules}))
        yield f"NOTHING WAS CHECKED but Zarr itself: no rule of {names} applies"
    yield from (f"not checked: {one_line(each)}" for each in report.not_checked)
    for rule in report.rules:
        if rule.failed:
            yield f"  failed at {count_of(rule.failed, 'node')}: {rule.code}: {rule.text}"
    if verbose:
        yield from _unapplied(report)


def _unapplied(report: Report) -> Iterator[str]:
    """The rules that don't apply, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for each in report.rules:
        if each.outcome == "not applicable":
            by_reason.setdefault(_main_reason(each), []).append(each.code)
    for reason, codes in by_reason.items():
        yield f"  not applicable, {one_line(reason)}: {_listed(codes)}"


def _main_reason(count: RuleCount) -> str:
    """The most frequent reason why the rule doesn't apply."""
    return max(count.reasons, key=lambda why: count.reasons[why], default="not in the profile")


def _listed(codes: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(codes))
