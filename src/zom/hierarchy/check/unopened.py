"""Places that can't be opened: reports of one finding, so that the validation of others continues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zom.conventions.framework.judgement import Judgement
from zom.conventions.framework.suppression import parse_suppressions
from zom.conventions.report import report_of
from zom.problems import Problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.checked_rule import Profile
    from zom.conventions.report import Report

__all__ = ["UNOPENED", "report_of_unopened"]

UNOPENED = rule(
    "place/unreadable",
    "a place to validate can be opened, and contains a document or a hierarchy",
    source="the request",
)


def report_of_unopened(
    subject: str, why: str, profile: Profile = "text", suppress: Iterable[str] | str = ()
) -> Report:
    """The report of a place that can't be opened; `why` says what is wrong and, after `; `, the fix.

    >>> for problem in report_of_unopened("a.zarr", "no such file or directory; name a store"):
    ...     print(problem)
    expected a document or a store that can be read, found no such file or directory; name a store
    """
    said, _, fix = " ".join(why.split()).partition("; ")
    told = re.fullmatch(r"expected (.+?), found (.+)", said)
    expected, found = ("a document or a store that can be read", said) if told is None else told.groups()
    problem = Problem(UNOPENED.code, "error", "/", "", (), expected, found, fix or None)
    return report_of(
        Judgement(profile), [problem], subject=subject, suppressions=parse_suppressions(suppress)
    )
