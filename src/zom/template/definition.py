"""Build templates and their parts from arguments or JSON, with every fault.

Pydantic validates the form. Further checks run on the valid parts of the form: unknown names, bounds that
exclude everything, invalid patterns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import TypeIs

from zom.errors import SpecError
from zom.extension.configuration import faults_of, schema_of
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict, freeze
from zom.problems import Fault, Path, Problem, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.template.models import Template

__all__ = [
    "FORM",
    "Defined",
    "TemplatePart",
    "build",
    "define",
    "plain",
    "problems_of",
    "template_classes",
    "template_in",
]


FORM = rule(
    "template/form",
    "a template has the form of its kind",
    source="template documents, docs/templates.md",
    schema=True,
)

_CHILD: Final = "an array, group or any template"

template_classes: Final[dict[object, type[Any]]] = {}
"""The template classes by node type, filled in by the module that defines them."""


class Defined(BaseModel):
    """The base of templates and their parts: frozen, and validated on construction."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", protected_namespaces=(), allow_inf_nan=False
    )

    slots: ClassVar[tuple[str, ...]] = ()
    """The fields that hold templates."""

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            made = define(type(self), data)
            for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__"):
                object.__setattr__(self, name, object.__getattribute__(made, name))
            object.__setattr__(self, "__pydantic_private__", made.__pydantic_private__)

        # With this mark, pydantic doesn't call this constructor for nested parts: they are checked
        # with the enclosing template, so that their faults have paths from there.
        __init__.__pydantic_base_init__ = True

    def faults(self) -> Iterator[Fault]:
        """Yield the faults that the form can't express, without those of inner parts."""
        yield from ()


class TemplatePart(Defined):
    """A piece of a template that is not a template itself."""

    def document(self) -> dict[str, Any]:
        """Return the fields that were set, as JSON, without templates.

        >>> from zom.template import Range
        >>> Range(max=24).document()
        {'max': 24}
        """
        return {name: plain(getattr(self, name)) for name in self._said() if name != "template"}

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from ((name, getattr(self, name)) for name in self._said())

    def _said(self) -> Iterator[str]:
        for name in type(self).model_fields:
            if name in self.model_fields_set:
                yield name


def plain(value: Any) -> Any:
    """Return a field's value as JSON, without templates."""
    if isinstance(value, TemplatePart):
        return value.document()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in cast("Mapping[str, Any]", value).items()}
    return value


def define(cls: type[Any], data: Mapping[str, Any]) -> Any:
    """Return the part or template for a constructor's arguments; raise SpecError if they are invalid."""
    said = {name: value for name, value in data.items() if value is not None or name == "fill_value"}
    faults: list[Fault] = []
    made = build(cls, said, faults)
    if faults:
        raise SpecError(problems_of(faults), cls.__name__)
    return made


def problems_of(faults: Sequence[Fault]) -> list[Problem]:
    """Return faults of a template document as problems."""
    return [fault.problem() for fault in faults]


def build(cls: type[Any], data: Mapping[str, Any], faults: list[Fault]) -> Any:
    """Build an instance of `cls` from `data`, including inner templates; add what is wrong to `faults`.

    Return None if there are faults of its own.
    """
    values = {name: _value(cls, name, value, faults) for name, value in data.items()}
    before = len(faults)
    made = _formed(cls, values, faults)
    judged = made
    if made is None:
        # Check the valid parts anyway, to report all faults at once.
        wrong = [fault.path for fault in faults[before:] if fault.path]
        judged = _formed(cls, _without(values, wrong), [])
        if judged is None:
            tops = {path[0] for path in wrong}
            judged = _formed(cls, {name: v for name, v in values.items() if name not in tops}, [])
    if judged is not None:
        faults.extend(_faults(judged, ()))
    return made if len(faults) == before else None


def _without(values: Mapping[str, Any], paths: Sequence[Path]) -> dict[str, Any]:
    """Return `values` without the members at `paths`; list items keep their places."""
    rest = dict(values)
    for path in paths:
        here: Any = rest
        for step in path[:-1]:
            inner: Any = here[int(step) if is_list(here) else step]
            if not (is_mapping(inner) or is_sequence(inner)):
                break
            place: Any = here
            place[step] = here = dict(inner) if is_mapping(inner) else list(inner)
        else:
            if is_dict(here):
                here.pop(str(path[-1]), None)
    return rest


def _formed(cls: type[Any], values: Mapping[str, Any], faults: list[Fault]) -> Any:
    try:
        return cls.__pydantic_validator__.validate_python(values)
    except ValidationError as error:
        faults.extend(faults_of(error, values, schema_of(cast("type[BaseModel]", cls)), FORM))
        return None


# --- values in the form of the models ----------------------------------------------------------------


def is_mapping(value: object) -> TypeIs[Mapping[Any, Any]]:
    """Whether `value` is a mapping."""
    return isinstance(value, Mapping)


def is_sequence(value: object) -> TypeIs[list[Any] | tuple[Any, ...]]:
    """Whether `value` is a list or a tuple."""
    return isinstance(value, (list, tuple))


def is_set(value: object) -> TypeIs[AbstractSet[Any]]:
    """Whether `value` is a set."""
    return isinstance(value, AbstractSet)


def _value(cls: type[Any], name: str, value: Any, faults: list[Fault]) -> Any:
    """Return `value` with templates built and everything else as frozen JSON or parts."""
    path = (name,)
    if name in cls.slots:
        if name == "members" and is_mapping(value):
            return JSONDict({str(n): _child(child, faults, (name, str(n))) for n, child in value.items()})
        if name == "patterns" and is_sequence(value):
            return tuple(_pattern(item, faults, (name, index)) for index, item in enumerate(value))
        if name not in {"members", "patterns"}:
            return _child(value, faults, path)
    if name == "fill_value" and isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return _frozen(value, faults, path)


def _pattern(value: Any, faults: list[Fault], path: Path) -> Any:
    if not is_mapping(value):
        return value
    rest: dict[str, Any] = {
        name: _frozen(item, faults, (*path, name)) for name, item in value.items() if name != "template"
    }
    if "template" in value:
        rest["template"] = _child(value["template"], faults, (*path, "template"))
    return rest


def _child(value: Any, faults: list[Fault], path: Path) -> Template | None:
    declared = getattr(value, "template", None) if isinstance(value, type) else value
    if _is_template(declared):
        return declared
    if is_mapping(value):
        found, inner = template_in(value)
        faults.extend(fault._replace(path=(*path, *fault.path)) for fault in inner)
        return found
    faults.append(Fault(FORM, path, _CHILD, _shown(value)))
    return None


def _is_template(value: object) -> TypeIs[Template]:
    return isinstance(value, tuple(template_classes.values()))


def _shown(value: object) -> str:
    known = value is None or isinstance(value, (bool, int, float, str)) or is_sequence(value)
    return show(value) if known or is_mapping(value) else f"a Python {type(value).__name__}"


def _frozen(value: Any, faults: list[Fault], path: Path) -> Any:
    if isinstance(value, TemplatePart):
        return value
    if is_set(value):
        return tuple(sorted(value, key=_sortable))
    if is_mapping(value):
        # Dimensions may be named by their place, which is text in JSON.
        named = {str(n) if type(n) is int else n: item for n, item in value.items()}
        if any(isinstance(item, (TemplatePart, AbstractSet)) for item in named.values()):
            return JSONDict({n: _frozen(item, faults, (*path, n)) for n, item in named.items()})
        return freeze(named, faults, path=path)
    if is_sequence(value) and any(isinstance(item, TemplatePart) or is_mapping(item) for item in value):
        return tuple(_frozen(item, faults, (*path, index)) for index, item in enumerate(value))
    return freeze(value, faults, path=path)


def _sortable(item: Any) -> tuple[str, Any]:
    return (type(item).__name__, item)


# --- checks beyond the form --------------------------------------------------------------------------


def _faults(made: Defined, path: Path) -> Iterator[Fault]:
    """Yield the faults of the values of a part or template, those of inner parts first."""
    for name in type(made).model_fields:
        value: Any = getattr(made, name)
        for inner, step in _parts(value):
            yield from _faults(inner, (*path, name, *step))
    yield from (fault._replace(path=(*path, *fault.path)) for fault in made.faults())


def _parts(value: Any) -> list[tuple[TemplatePart, Path]]:
    if isinstance(value, TemplatePart):
        return [(value, ())]
    if is_mapping(value):
        return [(item, (step,)) for step, item in value.items() if isinstance(item, TemplatePart)]
    if is_sequence(value):
        return [(item, (step,)) for step, item in enumerate(value) if isinstance(item, TemplatePart)]
    return []


# --- documents ---------------------------------------------------------------------------------------


class _OpenTemplate:
    __slots__ = ("cls", "data", "faults", "made", "path")

    def __init__(self, data: Mapping[str, Any], path: Path) -> None:
        self.data = data
        self.path = path
        self.faults: list[Fault] = []
        self.cls: type[Template] | None = None
        self.made: Template | None = None


def template_in(document: Mapping[str, Any]) -> tuple[Template | None, list[Fault]]:
    """Return the template of a document without the root's mark, and its faults."""
    frames: list[_OpenTemplate] = []
    inner: dict[int, list[tuple[Path, _OpenTemplate]]] = {}
    waiting = [_OpenTemplate(document, ())]
    while waiting:
        frame = waiting.pop()
        frames.append(frame)
        frame.cls = _class_of(frame)
        below = [(steps, _OpenTemplate(child, (*frame.path, *steps))) for steps, child in _inside(frame)]
        inner[id(frame)] = below
        waiting.extend(child for _, child in reversed(below))
    for frame in reversed(frames):
        if frame.cls is not None:
            made = {steps: child.made or template_classes["array"]() for steps, child in inner[id(frame)]}
            frame.made = build(frame.cls, _with(frame.data, made), frame.faults)
    faults = [fault._replace(path=(*frame.path, *fault.path)) for frame in frames for fault in frame.faults]
    return (None if faults else frames[0].made), faults


def _class_of(frame: _OpenTemplate) -> type[Template] | None:
    declared: Any = frame.data.get("node_type")
    cls = template_classes.get(declared) if isinstance(declared, str) else None
    if cls is None:
        found = show(declared) if "node_type" in frame.data else "nothing"
        fix = did_you_mean(near(declared, ["array", "group", "any"]))
        wanted = '"array", "group" or "any"'
        frame.faults.append(Fault(FORM, ("node_type",), wanted, found, fix))
    return cls


def _inside(frame: _OpenTemplate) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the documents of inner templates, with the steps to each."""
    if frame.cls is None:
        return
    if "members" in frame.cls.slots:
        members: Any = frame.data.get("members")
        if is_dict(members):
            yield from ((("members", n), child) for n, child in members.items() if is_dict(child))
        patterns: Any = frame.data.get("patterns")
        for index, entry in enumerate(patterns if is_list(patterns) else ()):
            if is_dict(entry) and is_dict(entry.get("template")):
                yield ("patterns", index, "template"), entry["template"]
    else:
        for name in frame.cls.slots:
            child: Any = frame.data.get(name)
            if is_dict(child):
                yield (name,), child


def _with(document: Mapping[str, Any], made: Mapping[Path, Template]) -> dict[str, Any]:
    """Return `document` with inner documents replaced by templates."""
    copy = dict(document)
    for steps, template in made.items():
        if len(steps) == 1:
            copy[str(steps[0])] = template
        elif steps[0] == "members":
            if copy["members"] is document["members"]:
                copy["members"] = dict(document["members"])
            copy["members"][steps[1]] = template
        else:
            if copy["patterns"] is document["patterns"]:
                entries: Any = document["patterns"]
                copy["patterns"] = [dict(e) if is_dict(e) else e for e in entries]
            entry: Any = copy["patterns"][int(steps[1])]
            entry["template"] = template
    return copy
