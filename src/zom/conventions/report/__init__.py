"""Reports: what a validation found, and what it looked at to say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.checks.check import UNASKED
from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.checks.checked_rule import Profile, RequirementLevel, Source
    from zom.conventions.framework.judgement import Judgement
    from zom.conventions.framework.suppression import Suppression
    from zom.problems import Problem, Severity

__all__ = ["Found", "Outcome", "Report", "RuleCount", "report_of"]

Outcome = Literal["passed", "failed", "not applicable"]
"""What became of a rule."""


@dataclass(frozen=True, slots=True)
class Found:
    """A convention, and where it was found.

    >>> Found("ome/0.5", 3, "/image", "has ome").nodes
    3
    """

    convention: str
    """Its id, and its version: `ome/0.5`."""
    nodes: int
    """How many nodes have it."""
    first: str
    """The first of them."""
    how: str
    """By what it was found there."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How a rule fared: at how many nodes it passed, failed and did not apply.

    >>> import zom
    >>> report = zom.validate(zom.v3.GroupSpec(members={}), conventions=["xarray"])
    >>> [(each.passed, each.failed) for each in report.rules if each.code == "xarray/dims-length"]
    [(0, 0)]
    """

    code: str
    convention: str
    level: RequirementLevel
    source: Source
    text: str
    link: str | None
    fix: str | None
    portable: bool
    passed: int
    failed: int
    skipped: int
    reasons: Mapping[str, int]
    """Why it did not apply, and how often."""

    @property
    def outcome(self) -> Outcome:
        """What became of it: where it failed at one node, it failed."""
        if self.failed:
            return "failed"
        return "passed" if self.passed else "not applicable"


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a hierarchy, and what was looked at.

    >>> import zom
    >>> from zom import v3
    >>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")})
    >>> report = zom.validate(spec, conventions=["xarray"])
    >>> report.ok, [problem.code for problem in report]
    (False, ['xarray/dims-present'])
    """

    subject: str
    """What was validated: a file, a store, or "spec"."""
    profile: Profile
    problems: tuple[Problem, ...]
    """The findings, in the order of the nodes."""
    suppressed: tuple[Problem, ...]
    """What would be a finding, but was suppressed."""
    conventions: tuple[Found, ...]
    rules: tuple[RuleCount, ...]
    """Every rule of the conventions that were found or asked for."""
    nodes: int
    """How many nodes were looked at."""
    digest: str
    """What identifies the documents: a SHA-256 over them, in hexadecimal."""
    not_asked: tuple[str, ...] = ()
    """What would have been judged, and what it takes that isn't there: a package, or a table."""
    store: str | None = None
    """The store that the keys of findings are keys of; None where a document was validated."""
    resting: tuple[Problem, ...] = ()
    """What is found as well, but rests on one of the findings: once that is mended, it may be gone."""

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def __bool__(self) -> bool:
        return True  # a report without findings is a report

    def __repr__(self) -> str:
        counts = [(severity, len(self.of(severity))) for severity in ("error", "warning", "note")]
        found = ", ".join(f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts if count)
        nodes = f"{self.nodes:,} node{'' if self.nodes == 1 else 's'}"
        return short("Report", f"{self.subject}: {found or 'no problems'} in {nodes}")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return notebook_html("report", self)

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not self.of("error")

    @property
    def checked(self) -> int:
        """How often a rule was judged: passed or failed at a node. 0 says that nothing was checked."""
        return sum(each.passed + each.failed for each in self.rules)

    def of(self, severity: Severity) -> tuple[Problem, ...]:
        """The findings of that severity.

        >>> import zom
        >>> zom.validate(zom.v3.GroupSpec()).of("error")
        ()
        """
        return tuple(each for each in self.problems if each.severity == severity)

    def file(self, problem: Problem) -> str:
        """Where the text stands that a finding is in: a document of the store, or what was validated.

        >>> import zom
        >>> report = zom.validate('{"zarr_format": 3, "node_type": "grp"}')
        >>> report.file(report.problems[0])
        'document'
        """
        if problem.key is None or self.store is None:
            return self.subject
        return f"{self.store.rstrip('/')}/{problem.key}"

    def text(self, *, limit: int | None = None, verbose: bool = False) -> str:
        """The report for people: a line for each finding, and what was checked; at most `limit` findings.

        Where it is to be `verbose`, it says of each rule that doesn't apply why it doesn't.

        >>> import zom
        >>> print(zom.validate(zom.v3.GroupSpec()).text())
        spec: no problems
        NOTHING WAS CHECKED but Zarr itself: no convention was found
        """
        from zom.conventions.report.text import text_of  # noqa: PLC0415 - each format where it is asked for

        return text_of(self, limit=limit, verbose=verbose)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON, as the schema `report/1` has it.

        >>> import zom
        >>> zom.validate(zom.v3.GroupSpec()).to_dict()["counts"]
        {'error': 0, 'warning': 0, 'note': 0, 'suppressed': 0}
        """
        from zom.conventions.report.json import dict_of  # noqa: PLC0415 - as above

        return dict_of(self)

    def json(self) -> str:
        """`to_dict` as text.

        >>> import json, zom
        >>> report = zom.validate(zom.v3.GroupSpec())
        >>> json.loads(report.json()) == report.to_dict()
        True
        """
        from zom.conventions.report.json import json_of  # noqa: PLC0415 - as above

        return json_of(self)

    def json_lines(self) -> str:
        """A line of JSON for each finding, and one for the summary.

        >>> import json, zom
        >>> json.loads(zom.validate(zom.v3.GroupSpec()).json_lines())["type"]
        'summary'
        """
        from zom.conventions.report.json import lines_of  # noqa: PLC0415 - as above

        return lines_of((self,))

    def sarif(self) -> str:
        """The report in SARIF 2.1.0, which code hosts and editors show.

        >>> import json, zom
        >>> json.loads(zom.validate(zom.v3.GroupSpec()).sarif())["version"]
        '2.1.0'
        """
        from zom.conventions.report.sarif import sarif_of  # noqa: PLC0415 - as above

        return sarif_of((self,))

    def junit(self, *, fail_on: Severity = "error") -> str:
        """The report as JUnit's XML: a suite for each place, a case for each group of rules.

        >>> import zom
        >>> "<testsuite " in zom.validate(zom.v3.GroupSpec()).junit()
        True
        """
        from zom.conventions.report.junit import junit_of  # noqa: PLC0415 - as above

        return junit_of((self,), fail_on=fail_on)

    def github(self) -> str:
        """The findings as commands that GitHub's runners make annotations of.

        >>> import zom
        >>> print(zom.validate('{"zarr_format": 3, "node_type": "grp"}').github(), end="")
        ::error file=document,line=1,col=33,title=v3/node-type::node_type: expected "group", found "grp"
        """
        from zom.conventions.report.github import github_of  # noqa: PLC0415 - as above

        return github_of((self,))


def report_of(
    judgement: Judgement,
    problems: Iterable[Problem],
    *,
    subject: str,
    suppressions: Iterable[Suppression] = (),
    store: str | None = None,
) -> Report:
    """The report of what was judged; `problems` are all findings, placed where users find them.

    >>> from zom.conventions.framework.detection import judge
    >>> from zom.formats.node_view import attributes_node
    >>> judged = judge(attributes_node({}))
    >>> report_of(judged, judged.problems, subject="attributes").ok
    True
    """
    kept: list[Problem] = []
    hidden: list[Problem] = []
    covers = tuple(suppressions)
    for problem in problems:
        (hidden if any(each.covers(problem) for each in covers) else kept).append(problem)
    found = tuple(
        Found(each.convention, each.nodes, each.first, each.how) for each in judgement.presences.values()
    )
    return Report(
        subject,
        judgement.profile,
        tuple(kept),
        tuple(hidden),
        found,
        tuple(_counts(judgement)),
        judgement.nodes,
        judgement.digest,
        _not_asked(judgement),
        store,
        tuple(judgement.resting),
    )


def _not_asked(judgement: Judgement) -> tuple[str, ...]:
    """What was not asked, each once however many nodes it is about."""
    present = {name.partition("/")[0] for name in judgement.presences}
    needed = [
        reason.removeprefix(UNASKED)
        for tally in judgement.tallies()
        for reason in tally.skipped
        if reason.startswith(UNASKED)
    ]
    tables = [
        need
        for each in judgement.presences.values()
        for name, need in each.further.items()
        if name not in present
    ]
    return tuple(dict.fromkeys((*needed, *tables)))


def _counts(judgement: Judgement) -> Iterator[RuleCount]:
    present = judgement.presences
    for tally in judgement.tallies():
        each = tally.rule
        reasons = dict(tally.skipped)
        skipped = tally.skipped.total()
        if not (tally.passed or tally.failed or skipped):
            skipped, what = 1, f"no {each.on}" if each.on else "no node"
            reasons = {
                f"{what} has {tally.convention}"
                if tally.convention in present
                else "the convention was not found": 1
            }
        yield RuleCount(
            tally.code,
            tally.convention,
            each.level,
            each.source,
            each.text,
            each.link,
            each.fix,
            each.is_portable,
            tally.passed,
            tally.failed,
            skipped,
            reasons,
        )
