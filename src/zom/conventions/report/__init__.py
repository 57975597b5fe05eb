"""Reports: the findings of a validation, and what it checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from zom.brief import notebook_html, short
from zom.checks.check import LACKING
from zom.count import count_of
from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.checks.checked_rule import Profile, RequirementLevel, Source
    from zom.conventions.framework.judgement import Judgement
    from zom.conventions.framework.suppression import Suppression
    from zom.problems import Problem, Severity

__all__ = ["Found", "Outcome", "Report", "RuleCount", "report_of"]

Outcome = Literal["passed", "failed", "not applicable"]
"""The outcome of a rule."""


@dataclass(frozen=True, slots=True)
class Found:
    """A convention, and where it was found.

    >>> Found("ome/0.5", 3, "/image", "has ome").nodes
    3
    """

    convention: str
    """The id and version of the convention: `ome/0.5`."""
    nodes: int
    """The number of nodes that have it."""
    first: str
    """The path of the first of them."""
    how: str
    """The reason why it was detected there."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """The results of a rule: at how many nodes it passed, failed and did not apply.

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
    """The reasons why it did not apply, with counts."""

    @property
    def outcome(self) -> Outcome:
        """The outcome over all nodes: "failed" if it failed at any node."""
        if self.failed:
            return "failed"
        return "passed" if self.passed else "not applicable"


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in a hierarchy, and what was checked.

    >>> import zom
    >>> from zom import v3
    >>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")})
    >>> report = zom.validate(spec, conventions=["xarray"])
    >>> report.ok, [problem.code for problem in report]
    (False, ['xarray/dims-present'])
    """

    subject: str
    """The subject of the validation: a file, a store, or "spec"."""
    profile: Profile
    problems: tuple[Problem, ...]
    """The findings, in the order of the nodes."""
    suppressed: tuple[Problem, ...]
    """The findings that were suppressed."""
    conventions: tuple[Found, ...]
    rules: tuple[RuleCount, ...]
    """Every rule of the conventions that were found or asked for."""
    nodes: int
    """The number of nodes checked."""
    digest: str
    """A BLAKE2b hash over paths and documents that identifies them, in hexadecimal."""
    not_checked: tuple[str, ...] = ()
    """Checks that were not run, each with the missing package or table that it needs."""
    store: str | None = None
    """The store that the findings' keys belong to; None if a document was validated."""
    resting: tuple[Problem, ...] = ()
    """Further findings that result from another finding: they may disappear once that one is fixed."""

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def __bool__(self) -> bool:
        return True  # a report without findings is still true

    def __repr__(self) -> str:
        counts = [(severity, len(self.of(severity))) for severity in ("error", "warning", "note")]
        found = ", ".join(count_of(count, name) for name, count in counts if count)
        nodes = count_of(self.nodes, "node")
        return short("Report", f"{self.subject}: {found or 'no problems'} in {nodes}")

    def _repr_html_(self) -> str:
        """The report as HTML for notebooks."""
        return notebook_html("report", self)

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not self.of("error")

    @property
    def checked(self) -> int:
        """How often rules passed or failed at a node; 0 means that nothing was checked."""
        return sum(each.passed + each.failed for each in self.rules)

    def of(self, severity: Severity) -> tuple[Problem, ...]:
        """The findings of that severity.

        >>> import zom
        >>> zom.validate(zom.v3.GroupSpec()).of("error")
        ()
        """
        return tuple(each for each in self.problems if each.severity == severity)

    def file(self, problem: Problem) -> str:
        """The file that a finding is in: a document of the store, or the subject of the validation.

        >>> import zom
        >>> report = zom.validate('{"zarr_format": 3, "node_type": "grp"}')
        >>> report.file(report.problems[0])
        'document'
        """
        if problem.key is None or self.store is None:
            return self.subject
        return f"{self.store.rstrip('/')}/{problem.key}"

    def text(self, *, limit: int | None = None, verbose: bool = False) -> str:
        """The report for people: a line per finding, at most `limit` of them, and what was checked.

        With `verbose`, it also lists why rules don't apply.

        >>> import zom
        >>> print(zom.validate(zom.v3.GroupSpec()).text())
        spec: no problems
        NOTHING WAS CHECKED but Zarr itself: no convention was found
        """
        from zom.conventions.report.text import text_of  # noqa: PLC0415 - each format on first use

        return text_of(self, limit=limit, verbose=verbose)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON, following the schema `report/1`.

        >>> import zom
        >>> zom.validate(zom.v3.GroupSpec()).to_dict()["counts"]
        {'error': 0, 'warning': 0, 'note': 0, 'suppressed': 0}
        """
        from zom.conventions.report.json import dict_of  # noqa: PLC0415 - as above

        return dict_of(self)

    def json(self) -> str:
        """The result of `to_dict` as text.

        >>> import json, zom
        >>> report = zom.validate(zom.v3.GroupSpec())
        >>> json.loads(report.json()) == report.to_dict()
        True
        """
        from zom.conventions.report.json import json_of  # noqa: PLC0415 - as above

        return json_of(self)

    def json_lines(self) -> str:
        """A line of JSON per finding, and one for the summary.

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
        """The report as JUnit XML: a suite per subject, a case per group of rules.

        >>> import zom
        >>> "<testsuite " in zom.validate(zom.v3.GroupSpec()).junit()
        True
        """
        from zom.conventions.report.junit import junit_of  # noqa: PLC0415 - as above

        return junit_of((self,), fail_on=fail_on)

    def github(self) -> str:
        """The findings as workflow commands that GitHub's runners turn into annotations.

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
    """Make a report of a judgement; `problems` are all findings, located where users find them.

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
        _not_checked(judgement),
        store,
        tuple(judgement.resting),
    )


def _not_checked(judgement: Judgement) -> tuple[str, ...]:
    """The checks that were not run, each once however many nodes it affects."""
    present = {name.partition("/")[0] for name in judgement.presences}
    needed = [
        reason.removeprefix(LACKING)
        for tally in judgement.tallies()
        for reason in tally.skipped
        if reason.startswith(LACKING)
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
