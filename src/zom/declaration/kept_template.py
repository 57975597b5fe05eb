"""The templates that a declaration must match, given inline or in a file next to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from zom.declaration.include import file_below, source_below
from zom.declaration.source import At
from zom.declaration.words import FORM
from zom.errors import SpecError
from zom.problems import show
from zom.template.models import Template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.declaration.source import Problems, Source
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["template_problems"]


def template_problems(
    spec: Spec, sources: Sequence[Source], roots: Sequence[Mapping[str, Any]], problems: Problems
) -> list[Problem]:
    """Return where the spec doesn't match the templates; problems of a template itself go to `problems`."""
    found: list[Problem] = []
    for source, root in zip(sources, roots, strict=True):
        given = root.get("template")
        at = At(source, ("template",))
        if isinstance(given, str):
            at, given = _in_file(source, given, at, problems)
        template = None if given is None else _parsed(given, at, problems)
        if template is not None:
            found += template.check(spec)
    return found


def _in_file(source: Source, name: str, at: At, problems: Problems) -> tuple[At, Any]:
    """Return the place and the content of a template in a file."""
    if source.folder is None:
        fix = "write the template in the declaration"
        problems.add(at.problem(FORM, "a template, as the declaration is not a file", show(name), fix))
        return at, None
    root = source.folder.resolve()
    file = file_below(root, root, name, at, problems)
    read = None if file is None else source_below(file, at, name, problems)
    return (at, None) if read is None else (At(read), read.value)


def _parsed(given: Mapping[str, Any], at: At, problems: Problems) -> Template | None:
    try:
        return Template.parse({"zom_template": 1, **given})
    except SpecError as error:
        for problem in error.problems:
            place = at.inside(problem.pointer)
            made = place.problem(FORM, problem.expected, problem.found, problem.fix)
            problems.add(replace(made, code=problem.code))
    return None
