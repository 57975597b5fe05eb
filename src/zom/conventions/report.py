"""Reports: what a validation found, and what it looked at to say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zom.conventions.judgement import Judgement
    from zom.conventions.rule import Level, Profile, Source
    from zom.conventions.suppression import Suppression
    from zom.problems import Problem, Severity

__all__ = ["Found", "Report", "RuleCount", "report_of"]


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
    >>> report = zom.validate(zom.v3.GroupSpec(members={}), ["xarray"])
    >>> [(each.passed, each.failed) for each in report.rules if each.code == "xarray/dims-length"]
    [(0, 0)]
    """

    code: str
    convention: str
    level: Level
    source: Source
    text: str
    link: str | None
    portable: bool
    passed: int
    failed: int
    skipped: int
    reasons: Mapping[str, int]
    """Why it did not apply, and how often."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a hierarchy, and what was looked at.

    >>> import zom
    >>> from zom import v3
    >>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8")})
    >>> report = zom.validate(spec, ["xarray"])
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
    digest: str | None
    """What identifies the documents: a SHA-256 over them, in hexadecimal."""

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)

    def __bool__(self) -> bool:
        return True  # a report without findings is a report

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


def report_of(
    judgement: Judgement,
    problems: Iterable[Problem],
    *,
    subject: str,
    suppressions: Iterable[Suppression] = (),
    digest: str | None = None,
) -> Report:
    """The report of what was judged; `problems` are all findings, placed where users find them.

    >>> from zom.conventions.judgement import judge
    >>> from zom.conventions.view import attributes_node
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
        digest,
    )


def _counts(judgement: Judgement) -> Iterator[RuleCount]:
    present = judgement.presences
    for tally in judgement.tallies.values():
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
            each.is_portable,
            tally.passed,
            tally.failed,
            skipped,
            reasons,
        )
