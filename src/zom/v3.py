"""Zarr v3, the final text: `ArraySpec`, `GroupSpec`, and `parse` and `check` for a document of either kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.formats import parsing
from zom.formats.families import V3
from zom.formats.v3 import ArraySpec, GroupSpec
from zom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.problems import Level, Problem

__all__ = ["ArraySpec", "GroupSpec", "check", "parse"]


def parse(
    document: str | bytes | Mapping[str, Any],
    level: Level = "strict",
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
) -> ArraySpec[Any] | GroupSpec[Any, Any]:
    """Parse the array or group in `document`; raise SpecError with every problem if it breaks rules.

    >>> parse(GroupSpec(attributes={"a": 1}).to_json()).attributes
    {'a': 1}
    """
    found: ArraySpec[Any] | GroupSpec[Any, Any]
    found = parsing.parse_as(V3, document, level, limits=limits, on_warning=on_warning)
    return found


def check(
    document: str | bytes | Mapping[str, Any], level: Level = "strict", *, limits: Limits = DEFAULT_LIMITS
) -> tuple[Problem, ...]:
    """Every problem of `document`, each once; empty if there are none.

    >>> check(GroupSpec(attributes={"a": 1}).to_dict())
    ()
    """
    return parsing.check_as(V3, document, level, limits=limits)
