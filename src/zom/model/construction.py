"""Make specs in Python: from constructor arguments, or from a spec with changes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace as replace_in
from inspect import currentframe
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic_core import PydanticUndefined

from zom.errors import SpecWarning
from zom.json.value import NOT_FINITE, freeze
from zom.model.assembly import assemble, document_of
from zom.model.members import member_plan
from zom.model.pydantic.refusal import refusal
from zom.numpy_later import np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.model.spec import Spec
    from zom.problems import Fault, Level, Path, Problem

__all__ = ["ABSENT", "assembled", "checked", "construct", "outside", "replace"]


class _Absent:
    """The value that removes a member from a document."""

    def __repr__(self) -> str:
        return "zom.ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The value that removes a member from a document: `spec.replace(dimension_names=zom.ABSENT)`."""

_NONE_IS_ABSENT = frozenset(
    {
        "attributes",
        "members",
        "dimension_names",
        "storage_transformers",
        "dimension_separator",
        "consolidated_metadata",
    }
)
"""The members for which None in Python means absent; for all others None is null."""


def construct(cls: type[Spec], data: Mapping[str, Any]) -> Spec:
    """Make a spec from constructor arguments; see `checked` for NaN in attributes."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    document: dict[str, Any] = dict(cls.family.constants[cls.kind])
    base = cls.family.classes[cls.kind].model_fields
    for name, field in cls.model_fields.items():
        if name not in data and name not in document and _own_default(name, field, base):
            document[name] = field.get_default(call_default_factory=True)
    document.update(data)
    return checked(cls, _by_alias(cls, _pythonic(document)), "strict")


def _by_alias(cls: type[Spec], document: dict[str, Any]) -> dict[str, Any]:
    """Rename members from their Python names to their names in documents."""
    members = document.get("members")
    aliases = member_plan(cls).aliases if isinstance(members, Mapping) else None
    if not aliases:
        return document
    given = cast("Mapping[str, Any]", members)
    taken = set(given)
    named = {name: alias for name, alias in aliases.items() if alias not in taken}
    return {**document, "members": {named.get(name, name): member for name, member in given.items()}}


def replace(spec: Spec, changes: Mapping[str, Any], level: Level | None) -> Any:
    """Return a copy of `spec` with members of its document changed or removed.

    Without a `level`, the copy is checked as `spec` was, except for NaN in attributes: see `checked`.
    """
    document = document_of(spec)
    changed = _by_alias(type(spec), _pythonic(changes))
    document.update(changed)
    for name in changes.keys() - changed.keys():
        document.pop(name, None)
    if level is None and spec.level != "closed":
        return checked(type(spec), document, spec.level, old=spec)
    return _made(type(spec), document, level or spec.level)


def checked(cls: type[Spec], document: Mapping[str, Any], level: Level, *, old: Spec | None = None) -> Spec:
    """Make the spec of a document written in Python; raise SpecError if it breaks rules.

    NaN and infinities in attributes are allowed with a SpecWarning, since real software writes them. The
    spec's level is then "lenient". Those already in `old` are not reported.
    """
    spec, problems = assembled(cls, document, level)
    if spec is None:
        raise refusal(problems, f"{cls.family.form} {cls.kind}", document)
    _warn_of_numbers(problems, set() if old is None else _not_finite_in(old))
    return spec


def _not_finite_in(spec: Spec) -> set[tuple[Path, str]]:
    """Return the NaN and infinities in a document, with their paths."""
    if spec.level != "lenient":
        return set()
    faults: list[Fault] = []
    freeze(spec.document, faults)
    return {(fault.path, fault.found) for fault in faults}


def assembled(
    cls: type[Spec], document: Mapping[str, Any], level: Level
) -> tuple[Spec | None, tuple[Problem, ...]]:
    """Like `assemble`, but fall back to the level "lenient" if the only errors are NaN in attributes."""
    spec, problems = assemble(cls, document, level)
    errors = [problem for problem in problems if problem.severity == "error"]
    if spec is None and all(_is_tolerated(problem) for problem in errors):
        return assemble(cls, document, "lenient")
    return spec, problems


def _is_tolerated(problem: Problem) -> bool:
    return problem.code == NOT_FINITE.code and problem.inside[:1] == ("attributes",)


_SHOWN = 3


def _warn_of_numbers(problems: Iterable[Problem], known: set[tuple[Path, str]]) -> None:
    """Emit one SpecWarning for all new NaN and infinities."""
    found = [
        problem
        for problem in problems
        if problem.code == NOT_FINITE.code and (problem.inside, problem.found) not in known
    ]
    if not found:
        return
    shown = "; ".join(str(replace_in(problem, fix=None)) for problem in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    text = f"{shown}{more}; JSON has no such number; it is written like zarr-python writes it"
    warnings.warn(text, SpecWarning, stacklevel=outside())


def outside() -> int:
    """Return the stack level of zom's caller, for warnings to point at."""
    depth, frame = 0, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("zom."):
        frame, depth = frame.f_back, depth + 1
    return depth


def _made(cls: type[Spec], document: Mapping[str, Any], level: Level) -> Spec:
    spec, problems = assemble(cls, document, level)
    if spec is None:
        raise refusal(problems, f"{cls.family.form} {cls.kind}", document)
    return spec


def _own_default(name: str, field: Any, base: Mapping[str, Any]) -> bool:
    """Whether a subclass gives the field a default that the format's class lacks."""
    if field.default is PydanticUndefined and field.default_factory is None:
        return False
    inherited = base.get(name)
    return inherited is None or (field.default, field.default_factory) != (
        inherited.default,
        inherited.default_factory,
    )


def _pythonic(given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert arguments to members of a document: drop absent ones, spell a NaN fill value by name."""
    document: dict[str, Any] = {}
    for name, value in given.items():
        if value is ABSENT or (value is None and name in _NONE_IS_ABSENT):
            continue
        document[name] = _fill(value) if name == "fill_value" else value
    return document


def _fill(value: Any) -> Any:
    """Return a NaN or an infinity as JSON spells it; any other value unchanged."""
    number: float = float(cast("float", value)) if isinstance(value, (float, np.floating)) else 0.0
    if math.isfinite(number):
        return cast("object", value)
    return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")
