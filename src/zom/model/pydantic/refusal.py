"""The error of a document that breaks rules: a `SpecError` to zom, a `ValidationError` to pydantic.

pydantic takes the entries of a `ValidationError` over from what it calls, and puts its own steps before
theirs. So a model that holds specs, and a validator that makes one, tell of each problem at its place.
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
    """The error of `document`, which has `problems`: `errors()` has an entry for each that is an error.

    >>> from zom import v3
    >>> (problem,) = v3.GroupSpec.check({"zarr_format": 3, "node_type": "grp"})
    >>> refusal([problem], "v3 group", {"node_type": "grp"}).errors()[0]["loc"]
    ('node_type',)
    """
    return _Refusal.of(tuple(problems), subject, document)


class _Refusal(SpecError, ValidationError):  # pyright: ignore[reportGeneralTypeIssues] - its stub is final, the class is not
    """A SpecError that pydantic reads entry by entry."""

    def __init__(self, *_: object) -> None:
        """What pydantic calls it with was kept by `__new__`; `of` sets the rest."""

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


# People and tracebacks know it by the name that they catch it by.
_Refusal.__name__ = _Refusal.__qualname__ = SpecError.__name__
_Refusal.__module__ = SpecError.__module__


def _value_of(document: object) -> object:
    """The value in which problems have their places; of text, what stands in it."""
    if not isinstance(document, (str, bytes)):
        return document
    faults: list[Fault] = []
    value = read_json(document, faults)
    return document if value is None and faults else value


def _line(problem: Problem, document: object) -> InitErrorDetails:
    """An entry of `errors()`. Of what is missing, the input is what it is missing in."""
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
    # The names of zom's rules are pydantic's types: what they say doesn't depend on the version of either.
    kind = PydanticCustomError(cast("Any", problem.code), cast("Any", text), cast("dict[str, Any]", facts))
    return InitErrorDetails(type=kind, loc=loc, input=here)
