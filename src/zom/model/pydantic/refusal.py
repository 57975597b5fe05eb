"""The error of an invalid document: a `SpecError` to zom, a `ValidationError` to pydantic.

Pydantic adopts the entries of a `ValidationError` raised inside a validator and prefixes their locations.
So models that hold specs, and validators that make one, report each problem at its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError
from typing_extensions import override

from zom.errors import SpecError
from zom.json.python_value import is_dict, is_list
from zom.json.read import read_json
from zom.problems import split_pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zom.problems import Fault, Problem

__all__ = ["refusal"]


def refusal(problems: Iterable[Problem], subject: str, document: object = None) -> SpecError:
    """Return the error of `document`; `errors()` has an entry for each of its `problems` that is an error.

    >>> from zom import v3
    >>> (problem,) = v3.GroupSpec.check({"zarr_format": 3, "node_type": "grp"})
    >>> refusal([problem], "v3 group", {"node_type": "grp"}).errors()[0]["loc"]
    ('node_type',)
    """
    return _Refusal.of(tuple(problems), subject, document)


class _Refusal(SpecError, ValidationError):  # pyright: ignore[reportGeneralTypeIssues] - its stub is final, the class is not
    """A SpecError whose entries pydantic can read."""

    def __init__(self, *_: object) -> None:
        """Ignore pydantic's arguments: `__new__` used them, and `of` sets the rest."""

    @classmethod
    def of(cls, problems: tuple[Problem, ...], subject: str, document: object) -> Self:
        value = _value_of(document)
        lines = [_line(problem, value) for problem in problems if problem.severity == "error"]
        make = cast("Callable[[str, list[InitErrorDetails]], Self]", cls.from_exception_data)
        made = make(subject, lines)
        made.problems, made.subject = problems, subject
        made.args = (problems, subject)
        return made

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (refusal, (self.problems, self.subject))


# Users and tracebacks see the name of the exception to catch.
_Refusal.__name__ = _Refusal.__qualname__ = SpecError.__name__
_Refusal.__module__ = SpecError.__module__


def _value_of(document: object) -> object:
    """Return the value that problems point into; text is parsed first."""
    if not isinstance(document, (str, bytes)):
        return document
    faults: list[Fault] = []
    value = read_json(document, faults)
    return document if value is None and faults else value


def _line(problem: Problem, document: object) -> InitErrorDetails:
    """Return an entry of `errors()`; the input of a missing value is its container."""
    inside = problem.inside
    steps = split_pointer(problem.pointer)
    loc: tuple[str | int, ...] = (*steps[: len(steps) - len(inside)], *inside)
    here: Any = document
    for step in loc:
        if is_dict(here) and step in here:
            here = here[str(step)]
        elif is_list(here) and isinstance(step, int) and step < len(here):
            here = here[step]
        elif isinstance(here, tuple) and isinstance(step, int) and step < len(cast("tuple[Any, ...]", here)):
            here = cast("tuple[Any, ...]", here)[step]
        else:
            break
    facts = {"expected": problem.expected, "found": problem.found, "node": problem.node}
    text = "expected {expected}, found {found}"
    if problem.fix:
        facts["fix"] = problem.fix
        text += "; {fix}"
    # The codes of zom's rules are pydantic's types, so the text doesn't depend on the version of either.
    kind = PydanticCustomError(cast("Any", problem.code), cast("Any", text), cast("dict[str, Any]", facts))
    return InitErrorDetails(type=kind, loc=loc, input=here)
