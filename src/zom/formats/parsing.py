"""Parse a document as a class, as a format, or as the format that a function finds in it.

This module imports no format, so that users of one format don't load the others.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zom.errors import SpecWarning
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.assembly import assemble
from zom.model.output import frozen_document
from zom.model.pydantic.refusal import refusal
from zom.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.model.assembly import Target
    from zom.problems import Level, Problem

__all__ = ["check_as", "parse_as"]


def parse_as(
    target: Target,
    document: str | bytes | Mapping[str, Any],
    level: Level = "strict",
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_warning: Callable[[Problem], None] | None = None,
) -> Any:
    """Parse the node that `document` describes, read as `target`.

    >>> from zom.formats.families import V3
    >>> parse_as(V3, '{"zarr_format": 3, "node_type": "group"}').kind
    'group'
    """
    spec, problems = assemble(target, document, level, limits=limits)
    if spec is None:
        found = map(_no_path, problems) if _looks_like_a_path(document) else problems
        raise refusal(found, "document", document)
    for problem in problems:
        if on_warning is not None:
            on_warning(problem)
        elif problem.severity == "warning":
            warnings.warn(str(problem), SpecWarning, stacklevel=3)
    return spec


def _looks_like_a_path(document: object) -> bool:
    """Whether text was perhaps meant as the path of a store; this only affects the message."""
    return (
        isinstance(document, str) and document.strip()[:1].isprintable() and document.strip()[:1] not in '{["'
    )


def _no_path(problem: Problem) -> Problem:
    return replace(problem, fix=problem.fix or "pass the text of a document; zom.read(...) reads a store")


def check_as(
    target: Target,
    document: str | bytes | Mapping[str, Any] | Spec,
    level: Level = "strict",
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Problem, ...]:
    """Return every problem of `document`, read as `target`.

    >>> from zom.formats.families import V3
    >>> len(check_as(V3, "[1]"))
    1
    """
    subject = frozen_document(document) if isinstance(document, Spec) else document
    return assemble(target, subject, level, limits=limits)[1]
