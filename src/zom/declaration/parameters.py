"""Parameters that callers may set, with their defaults and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.declaration.source import At
from zom.declaration.words import FORM, ROOT
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict
from zom.json.read import read_json
from zom.json.value import thaw
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.declaration.source import Problems, Source
    from zom.problems import Fault

__all__ = ["ParameterText", "parameters_of"]

PARAMETER = rule(
    "declaration/parameter",
    "every parameter has a value of its type",
    source="declarations, docs/declaring.md",
)

_FACTS: Final = frozenset({"default", "type", "description"})
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


class ParameterText(str):
    """A value from the command line: text, whatever the type of the parameter."""

    __slots__ = ()


def parameters_of(sources: Sequence[Source], given: Mapping[str, Any], problems: Problems) -> dict[str, Any]:
    """Return the value of every parameter that the sources state."""
    stated: dict[str, tuple[Any, At]] = {}
    for source in sources:
        here: Any = source.value.get("parameters", {})
        if not is_dict(here):
            problems.add(At(source, ("parameters",)).problem(FORM, ROOT["parameters"].expected, show(here)))
            continue
        for name, facts in here.items():
            at = At(source, ("parameters", name))
            if not name.isidentifier():
                problems.add(at.problem(FORM, "a name of letters, digits and _", show(name)))
            stated.setdefault(name, (facts, at))
    for name in given:
        if name not in stated:
            hint = did_you_mean(near(name, stated), stated) or "state it in parameters"
            problems.add(
                At(sources[0]).problem(PARAMETER, "a parameter of the declaration", show(name), hint)
            )
    return {name: _value(name, facts, at, given, problems) for name, (facts, at) in stated.items()}


def _value(name: str, facts: Any, at: At, given: Mapping[str, Any], problems: Problems) -> Any:
    described = is_dict(facts) and facts.keys() <= _FACTS
    default = facts.get("default") if described else facts
    kind = facts.get("type") if described else None
    if kind is None:
        kind = _kind_of(default)
    elif kind not in _TYPES:
        problems.add(at.child("type").problem(PARAMETER, f"one of {', '.join(_TYPES)}", show(kind)))
        return default
    if "${" in str(default) and isinstance(default, str):
        problems.add(at.problem(PARAMETER, "a plain value, without ${...}", show(default)))
        return 1
    if name not in given and default is None:
        problems.add(at.problem(PARAMETER, "a value, as there is no default", "none", f"set {name}"))
        return 1
    value = given.get(name, default)
    if isinstance(value, ParameterText):
        value = _read(value, kind)
    if kind is not None and not _has_type(value, kind):
        problems.add(at.problem(PARAMETER, f"a value of type {kind}", show(value)))
        return default
    return value


def _read(text: str, kind: str | None) -> Any:
    """Parse text as JSON; return the text itself if a string is expected or it is not JSON."""
    if kind == "string":
        return str(text)
    faults: list[Fault] = []
    value = read_json(text, faults)
    return str(text) if faults else thaw(value)


def _kind_of(default: Any) -> str | None:
    return next(
        (kind for kind in ("integer", "number", "string", "boolean") if _has_type(default, kind)), None
    )


def _has_type(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
