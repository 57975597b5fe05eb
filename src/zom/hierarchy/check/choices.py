"""The options of a validation: conventions, whose rules count, how strictly, and what to compare with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, cast

from zom.checks.checked_rule import PROFILES
from zom.conventions.framework.convention import Convention
from zom.conventions.framework.registered import conventions as known_conventions
from zom.conventions.framework.suppression import parse_suppressions
from zom.conventions.report import report_of
from zom.dataclass import dataclass
from zom.model.operand import check_is_spec

if TYPE_CHECKING:
    from zom.checks.checked_rule import Profile
    from zom.conventions.framework.judgement import Judgement
    from zom.conventions.framework.suppression import Suppression
    from zom.conventions.report import Report
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.problems import Level, Problem
    from zom.template.models import Template

__all__ = ["Asked", "Choices", "chosen"]

Asked = Literal["auto"]
"""All conventions that a hierarchy is found to follow."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Options for both documents and stores."""

    conventions: tuple[Convention, ...] | None
    """The conventions to check, or None for those that are found."""
    profile: Profile
    suppressions: tuple[Suppression, ...]
    level: Level
    like: Spec | Template | None
    limits: Limits

    def is_hidden(self, problem: Problem) -> bool:
        """Whether the user has suppressed this problem."""
        return any(each.covers(problem) for each in self.suppressions)

    def report(
        self, judgement: Judgement, problems: Iterable[Problem], subject: str, store: str | None = None
    ) -> Report:
        """The report of these problems."""
        return report_of(judgement, problems, subject=subject, suppressions=self.suppressions, store=store)


def chosen(  # noqa: PLR0913, PLR0917 - each is a choice of the caller
    conventions: Asked | Iterable[str | Convention],
    profile: Profile,
    suppress: Iterable[str] | str,
    level: Level,
    like: Spec | Template | None,
    limits: Limits,
) -> Choices:
    """The validated options.

    >>> from zom.limits import DEFAULT_LIMITS
    >>> chosen("auto", "text", (), "strict", None, DEFAULT_LIMITS).conventions is None
    True
    """
    if profile not in PROFILES:
        raise ValueError(f"profile: expected {_words(PROFILES)}, got {profile!r}")
    if like is not None and not callable(getattr(like, "check", None)):
        check_is_spec(like, "a template")
    return Choices(_asked(conventions), profile, parse_suppressions(suppress), level, like, limits)


def _words(names: tuple[str, ...]) -> str:
    return f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"


def _asked(names: Asked | Iterable[str | Convention]) -> tuple[Convention, ...] | None:
    if names == "auto":
        return None
    listed: Any = [names] if isinstance(names, (str, Convention)) else names
    given = list(cast("Iterable[Any]", listed)) if isinstance(listed, Iterable) else [listed]
    found: list[Convention] = []
    for each in given:
        if not isinstance(each, (str, Convention)):
            message = f"conventions: expected 'auto', or names of conventions and conventions, got {each!r}"
            raise TypeError(message)
        found.extend([each] if isinstance(each, Convention) else known_conventions.of_id(each))
    return tuple(dict.fromkeys(found))
