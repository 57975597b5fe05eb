"""Definitions of templates: from arguments or JSON to a part or a template, with every fault in it.

Pydantic says whether the form is right. What it can't say is judged after it, on whatever parts of
the form are right: names that nobody knows, bounds that nothing fits, patterns that can't be read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeIs

from zom.errors import SpecError
from zom.extension.codec import codecs, v2_codecs
from zom.extension.configuration import faults_of, schema_of
from zom.extension.datatype import Kind, data_types
from zom.extension.registry import did_you_mean, near
from zom.formats.resolve import canonical_codec_name
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict, freeze
from zom.problems import Fault, Problem, rule, show, split_pointer
from zom.template.attributes import schema_faults
from zom.template.models import (
    ArrayTemplate,
    Codecs,
    GroupTemplate,
    Names,
    NodeTemplate,
    Part,
    Pattern,
    Range,
    Reference,
    Template,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["build", "define", "problems_of"]

_SOURCE = "the form of template documents, docs/templates.md"
Path = tuple[str | int, ...]

FORM = rule("template/form", "a template is written as its kind says", source=_SOURCE, schema=True)
NAME = rule(
    "template/unknown-name",
    "a template names kinds, data types, codecs, dimensions and members that there are",
    source=_SOURCE,
)
EMPTY = rule("template/empty-range", "at least one number lies within a range", source=_SOURCE)
REGEX = rule("template/regex", "a pattern is a regular expression", source=_SOURCE)
POINTER = rule(
    "template/reference-pointer", "a reference has a pointer (RFC 6901) into attributes", source=_SOURCE
)
CONFLICT = rule("template/conflict", "constraints of one template don't exclude each other", source=_SOURCE)

KINDS: Final = cast("tuple[str, ...]", get_args(Kind))
_INDEX = re.compile(r"-?[0-9]+")
_CHILD = "an array, group or any template"


def define(cls: type[Any], data: Mapping[str, Any]) -> Any:
    """The part or template that a constructor's arguments stand for; SpecError where they don't."""
    said = {name: value for name, value in data.items() if value is not None or name == "fill_value"}
    faults: list[Fault] = []
    made = build(cls, said, faults)
    if faults:
        raise SpecError(problems_of(faults), cls.__name__)
    return made


def problems_of(faults: Sequence[Fault]) -> list[Problem]:
    """Faults of a template document, as problems."""
    return [fault.problem() for fault in faults]


def build(cls: type[Any], data: Mapping[str, Any], faults: list[Fault]) -> Any:
    """An instance of `cls` from `data`, templates in it being made; what is wrong goes to `faults`.

    None where the form itself is wrong.
    """
    values = {name: _value(cls, name, value, faults) for name, value in data.items()}
    before = len(faults)
    made = _formed(cls, values, faults)
    judged = made
    if made is None:
        # What is right in itself is judged nevertheless, so that all faults are told at once.
        wrong = [fault.path for fault in faults[before:] if fault.path]
        judged = _formed(cls, _without(values, wrong), [])
        if judged is None:
            tops = {path[0] for path in wrong}
            judged = _formed(cls, {name: v for name, v in values.items() if name not in tops}, [])
    if judged is not None:
        _judge(judged, faults, ())
    return made if len(faults) == before else None


def _without(values: Mapping[str, Any], paths: Sequence[Path]) -> dict[str, Any]:
    """`values` without the members that `paths` lead to; the items of lists keep their places."""
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


# --- values, as the models want them -----------------------------------------------------------------


def is_mapping(value: object) -> TypeIs[Mapping[Any, Any]]:
    """Whether `value` is a mapping, of anything."""
    return isinstance(value, Mapping)


def is_sequence(value: object) -> TypeIs[list[Any] | tuple[Any, ...]]:
    """Whether `value` is a list or a tuple, of anything."""
    return isinstance(value, (list, tuple))


def is_set(value: object) -> TypeIs[AbstractSet[Any]]:
    """Whether `value` is a set, of anything."""
    return isinstance(value, AbstractSet)


def _value(cls: type[Any], name: str, value: Any, faults: list[Fault]) -> Any:
    """`value` with templates made and all else as frozen JSON or parts."""
    path = (name,)
    if name == "members" and is_mapping(value) and issubclass(cls, GroupTemplate):
        return JSONDict({str(n): _child(child, faults, (name, str(n))) for n, child in value.items()})
    if name in {"array", "group"} and issubclass(cls, NodeTemplate):
        return _child(value, faults, path)
    if name == "template" and issubclass(cls, Pattern):
        return _child(value, faults, path)
    if name == "patterns" and is_sequence(value):
        return tuple(_pattern(item, faults, (name, index)) for index, item in enumerate(value))
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
    from zom.template.document import template_in  # noqa: PLC0415 - it makes templates of documents

    declared = getattr(value, "template", None) if isinstance(value, type) else None
    if isinstance(declared, Template):
        return declared
    if isinstance(value, Template):
        return value
    if is_mapping(value):
        found, inner = template_in(value)
        faults.extend(fault._replace(path=(*path, *fault.path)) for fault in inner)
        return found
    faults.append(Fault(FORM, path, _CHILD, _shown(value)))
    return None


def _shown(value: object) -> str:
    known = value is None or isinstance(value, (bool, int, float, str)) or is_sequence(value)
    return show(value) if known or is_mapping(value) else f"a Python {type(value).__name__}"


def _frozen(value: Any, faults: list[Fault], path: Path) -> Any:
    if isinstance(value, Part):
        return value
    if is_set(value):
        return tuple(sorted(value, key=_sortable))
    if is_mapping(value):
        # Dimensions may be called by their place, which JSON writes as text.
        named = {str(n) if type(n) is int else n: item for n, item in value.items()}
        if any(isinstance(item, (Part, AbstractSet)) for item in named.values()):
            return JSONDict({n: _frozen(item, faults, (*path, n)) for n, item in named.items()})
        return freeze(named, faults, path=path)
    if is_sequence(value) and any(isinstance(item, Part) or is_mapping(item) for item in value):
        return tuple(_frozen(item, faults, (*path, index)) for index, item in enumerate(value))
    return freeze(value, faults, path=path)


def _sortable(item: Any) -> tuple[str, Any]:
    return (type(item).__name__, item)


# --- what a form can't say ---------------------------------------------------------------------------


def _judge(made: BaseModel, faults: list[Fault], path: Path) -> None:
    """Add what is wrong with the values of a part or template, nested parts included."""
    for name in type(made).model_fields:
        value: Any = getattr(made, name)
        for inner, step in _parts(value):
            _judge(inner, faults, (*path, name, *step))
    for kind, judge in _JUDGES.items():
        if isinstance(made, kind):
            judge(made, faults, path)


def _parts(value: Any) -> list[tuple[Part, Path]]:
    if isinstance(value, Part):
        return [(value, ())]
    if is_mapping(value):
        return [(item, (step,)) for step, item in value.items() if isinstance(item, Part)]
    if is_sequence(value):
        return [(item, (step,)) for step, item in enumerate(value) if isinstance(item, Part)]
    return []


def _judge_range(made: Range, faults: list[Fault], path: Path) -> None:
    low, high, step = made.min or 0, made.max, made.multiple_of or 1
    if high is None:
        return
    if low > high:
        faults.append(Fault(EMPTY, (*path, "max"), f"an integer of at least {low}, the min", show(high)))
    elif high // step * step < low:
        wanted = f"a number that has a multiple from {low} to {high}"
        faults.append(Fault(EMPTY, (*path, "multiple_of"), wanted, show(step)))


def _foreign(name: str) -> bool:
    """Whether a name is one that another package may bring: a URI, or a name with a prefix."""
    return "." in name.strip(".") or name.startswith("urn:") or "://" in name


def _judge_codecs(made: Codecs, faults: list[Fault], path: Path) -> None:
    for field in ("allowed", "required"):
        for index, name in enumerate(getattr(made, field) or ()):
            if canonical_codec_name(name) is None and not _foreign(name):
                fix = did_you_mean(near(name, [*codecs.names(), *v2_codecs()]))
                faults.append(Fault(NAME, (*path, field, index), "the name of a codec", show(name), fix))
    if made.allowed is None:
        return
    allowed = {canonical_codec_name(name) or name for name in made.allowed}
    for index, name in enumerate(made.required):
        if (canonical_codec_name(name) or name) not in allowed:
            wanted = f"one of the codecs allowed, {', '.join(made.allowed)}"
            faults.append(Fault(CONFLICT, (*path, "required", index), wanted, show(name)))


def _judge_reference(made: Reference, faults: list[Fault], path: Path) -> None:
    text = made.attribute
    fix = f'write "/{text}"' if text and not text.startswith("/") else None
    if not text.startswith("/") or "" in split_pointer(text) or re.search("~(?![01])", text):
        wanted = 'a pointer such as "/multiscales/*/path"'
        faults.append(Fault(POINTER, (*path, "attribute"), wanted, show(text), fix))


def _judge_pattern(made: Pattern, faults: list[Fault], path: Path) -> None:
    try:
        re.compile(made.pattern)
    except re.error as error:
        found = f"{show(made.pattern)}: {error}"
        faults.append(Fault(REGEX, (*path, "pattern"), "a regular expression", found))
    if made.max_count is not None and made.max_count < made.min_count:
        wanted = f"an integer of at least {made.min_count}, the min_count"
        faults.append(Fault(EMPTY, (*path, "max_count"), wanted, show(made.max_count)))
    if made.same and not isinstance(made.template, ArrayTemplate):
        wanted = "nothing, where members are not arrays by their template"
        faults.append(Fault(CONFLICT, (*path, "same"), wanted, show(list(made.same))))


def _judge_template(made: Template, faults: list[Fault], path: Path) -> None:
    if made.attributes is not None:
        schema_faults(made.attributes, faults, (*path, "attributes"))


def _judge_group(made: GroupTemplate, faults: list[Fault], path: Path) -> None:
    for index, name in enumerate(made.optional):
        if name not in made.members:
            fix = did_you_mean(near(name, made.members))
            wanted = "the name of one of the members"
            faults.append(Fault(NAME, (*path, "optional", index), wanted, show(name), fix))
    for name in made.members:
        if name in {"", ".", ".."} or "/" in name:
            found = show(name)
            faults.append(Fault(FORM, (*path, "members", name), "the name of one node", found))


def _judge_array(made: ArrayTemplate, faults: list[Fault], path: Path) -> None:
    _judge_types(made, faults, path)
    names = made.dimension_names if isinstance(made.dimension_names, tuple) else None
    rank = made.rank if isinstance(made.rank, int) else None
    if names is not None and rank is not None and len(names) != rank:
        wanted = f"{rank} name{'s' * (rank != 1)}, as rank says"
        faults.append(Fault(CONFLICT, (*path, "dimension_names"), wanted, show(list(names))))
        return
    rank = len(names) if names is not None else rank
    for field in ("shape", "chunks", "shards"):
        for name in cast("Mapping[str, Any]", getattr(made, field)):
            _judge_dimension(name, names, rank, faults, (*path, field, name))
    if made.sharded is False and made.shards:
        wanted = "nothing, where arrays have no shards"
        faults.append(Fault(CONFLICT, (*path, "shards"), wanted, show(list(made.shards))))


def _judge_dimension(
    name: str, names: tuple[str | None, ...] | None, rank: int | None, faults: list[Fault], path: Path
) -> None:
    if _INDEX.fullmatch(name):
        if rank is not None and not -rank <= int(name) < rank:
            wanted = f"the place of one of {rank} dimensions"
            faults.append(Fault(NAME, path, wanted, show(name)))
    elif names is not None and name not in names and None not in names:
        fix = did_you_mean(near(name, [known for known in names if known is not None]))
        faults.append(Fault(NAME, path, "the name of one of the dimensions", show(name), fix))


def _judge_types(made: ArrayTemplate, faults: list[Fault], path: Path) -> None:
    single = isinstance(made.dtype, str)
    named: Sequence[str] = (made.dtype,) if isinstance(made.dtype, str) else tuple(made.dtype or ())
    for index, name in enumerate(named):
        known = name in KINDS or data_types.find(name) or any(family.claims(name) for family in data_types)
        if not known and not _foreign(name):
            here = (*path, "dtype") if single else (*path, "dtype", index)
            fix = did_you_mean(near(name, [*KINDS, *data_types.names()]))
            wanted = f"the name of a data type, or a kind: {', '.join(KINDS)}"
            faults.append(Fault(NAME, here, wanted, show(name), fix))


def _judge_names(made: Names, faults: list[Fault], path: Path) -> None:
    if len(set(made.required)) != len(made.required):
        wanted = "names that differ"
        faults.append(Fault(CONFLICT, (*path, "required"), wanted, show(list(made.required))))


_JUDGES: Final[dict[type[BaseModel], Any]] = {
    Range: _judge_range,
    Codecs: _judge_codecs,
    Reference: _judge_reference,
    Pattern: _judge_pattern,
    Names: _judge_names,
    Template: _judge_template,
    GroupTemplate: _judge_group,
    ArrayTemplate: _judge_array,
}
