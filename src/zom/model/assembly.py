"""Assembly: from a document to specs, a whole tree at once, with every problem in it.

Trees are walked by iteration: first down, choosing a class for every node, then up, so that members
are made before the group that holds them. A node that is at fault yields problems instead of a spec.
"""

from __future__ import annotations

import dataclasses
import gc
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from zom import jsontext
from zom.errors import SpecError
from zom.jsonvalue import JSONDict, freeze
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model import attributes
from zom.model.configuration import USERS_VALIDATOR, faults_of, schema_of
from zom.model.family import Family
from zom.model.members import ANY, member_plan
from zom.model.output import member_specs
from zom.model.spec import RAW, Spec
from zom.paths import name_faults
from zom.problems import Fault, Problem, pointer_of, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zom.model.family import NodeKind
    from zom.model.members import Candidates, MemberPlan
    from zom.problems import Level

__all__ = ["ABSENT", "assemble", "construct", "replace", "revive"]

ANNOTATION = rule(
    "spec/annotation",
    "a document fulfils the annotations and validators of the class that it is read as",
    source="the class itself",
)
MEMBER = rule(
    "spec/member",
    "a group has the members that its class asks for, each of the kind asked for, and no other",
    source="the class itself",
)
FORMAT = rule(
    "tree/format",
    "all nodes of one hierarchy have the same format",
    source="seed of ZEP 6: the base model is made concrete for one Zarr version",
)
DEPTH = rule(
    "tree/depth",
    "groups nest no deeper than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)


Target: TypeAlias = "type[Spec] | Family | Callable[[object], Family]"
"""What a document is read as."""


class _Absent:
    """The value that takes a member out of a document."""

    def __repr__(self) -> str:
        return "zom.ABSENT"


ABSENT: Final = _Absent()
"""The value that takes a member out of a document: `spec.replace(dimension_names=zom.ABSENT)`."""


class _Frame:
    """One node on its way from document to spec."""

    __slots__ = (
        "cls",
        "depth",
        "given",
        "made",
        "name",
        "own",
        "parent",
        "place",
        "problems",
        "spec",
        "whole",
    )

    def __init__(self, parent: _Frame | None, name: str) -> None:
        self.parent = parent
        self.name = name
        self.depth: int = parent.depth + 1 if parent else 0
        self.cls: type[Spec] | None = None
        self.own: JSONDict = _EMPTY
        self.made: dict[str, Spec] | None = None
        """The members so far; None where they are not known."""
        self.given: frozenset[str] = frozenset()
        """The names of the members in the document, made or not."""
        self.place = 0
        self.whole = True
        """Whether all members were made."""
        self.problems: list[Fault] | None = None
        self.spec: Spec | None = None

    def names(self) -> list[str]:
        """The names that lead from the root to this node."""
        names: list[str] = []
        frame: _Frame | None = self
        while frame is not None and frame.parent is not None:
            names.append(frame.name)
            frame = frame.parent
        return names[::-1]


_EMPTY = JSONDict()


def assemble(
    target: Target,
    document: object,
    level: Level,
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Spec | None, tuple[Problem, ...]]:
    """The spec of `document`, and all problems that matter at `level`; no spec where one is an error.

    `target` is the class to read the root as, the family whose classes to read all nodes as, or a
    function that finds the family in the document. Problems in a text know their line.
    """
    with _uncollected():
        if not isinstance(document, (str, bytes)):
            return _assemble(target, document, level, limits, [])
        faults: list[Fault] = []
        value = jsontext.read(document, faults, limits=limits)
        if value is None and faults:
            return None, tuple(_text_problems(faults, level))
        spec, problems = _assemble(target, value, level, limits, faults)
        return spec, _with_lines(problems, document)


_LOCATED_BYTES = 1 << 24
"""Texts longer than this are not searched for the lines of problems: it takes seconds."""


def _with_lines(problems: tuple[Problem, ...], text: str | bytes) -> tuple[Problem, ...]:
    if not problems or len(text) > _LOCATED_BYTES:
        return problems
    places = jsontext.locate_all(text, {problem.pointer for problem in problems})
    located: list[Problem] = []
    for problem in problems:
        line, column = places[problem.pointer] or (None, None)
        located.append(dataclasses.replace(problem, line=line, column=column))
    return tuple(located)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No cyclic collection: it would go over all the nodes made so far, again and again.

    Documents hold no cycles, so nothing is lost by waiting; a large tree takes a third of the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _assemble(
    target: Target, document: object, level: Level, limits: Limits, text_faults: list[Fault]
) -> tuple[Spec | None, tuple[Problem, ...]]:
    candidates: Candidates = (target,) if isinstance(target, type) else ()
    if isinstance(target, type):
        family = target.family
    else:
        family = target if isinstance(target, Family) else target(document)
    frames = _descend(document, family, candidates, level, limits)
    for frame in reversed(frames):
        _finish(frame, level)
    problems = list(_text_problems(text_faults, level))
    for frame in frames:
        if frame.problems:
            problems.extend(_placed(frame.problems, frame.names(), level))
    failed = any(problem.severity == "error" for problem in problems)
    return (None if failed else frames[0].spec), tuple(problems)


# --- down: a class for every node ------------------------------------------------------------------


def _descend(
    document: object, family: Family, candidates: Candidates, level: Level, limits: Limits
) -> list[_Frame]:
    frames: list[_Frame] = []
    waiting: list[tuple[_Frame, object, Candidates]] = [(_Frame(None, ""), document, candidates)]
    while waiting:
        frame, value, allowed = waiting.pop()
        frames.append(frame)
        faults: list[Fault] = []
        if frame.parent is not None:
            name_faults(frame.name, family.form, faults, ())
        if isinstance(value, Spec):
            value = _adopt(frame, value, family, allowed)
            if value is None:
                _keep(frame, faults)
                continue
        members = _open_node(frame, value, family, allowed, level, faults)
        if members and frame.depth >= limits.tree_depth:
            nested = f"groups nested at most {limits.tree_depth} deep"
            faults.append(Fault(DEPTH, ("members",), nested, "a deeper one"))
        elif members:
            waiting.extend(reversed(_children(frame, members, faults)))
        _keep(frame, faults)
    return frames


def _keep(frame: _Frame, faults: list[Fault]) -> None:
    if faults:
        frame.problems = [*(frame.problems or ()), *faults]


def _adopt(frame: _Frame, spec: Spec, family: Family, allowed: Candidates) -> object:
    """None where `spec` can stand in the tree as it is, else its document."""
    if spec.family is family and (not allowed or isinstance(spec, allowed)):
        frame.spec = spec
        return None
    return spec.to_dict()


def _open_node(
    frame: _Frame,
    value: object,
    family: Family,
    allowed: Candidates,
    level: Level,
    faults: list[Fault],
) -> Mapping[str, Any] | None:
    """The members of the node, once its class is chosen and its own document is frozen."""
    from collections.abc import Mapping  # noqa: PLC0415 - at run time only here

    if not isinstance(value, Mapping):
        faults.append(Fault(family.node_rule, (), "an object", show(value)))
        return None
    document = cast("Mapping[str, Any]", value)
    kind = family.kind_of(document)
    frame.cls = _choose(document, kind, family, allowed, level, faults)
    if frame.cls is not None and "attributes" in document:
        given = document["attributes"]
        written = attributes.as_document(frame.cls, given, faults)
        if written is not given:
            document = {**document, "attributes": written}
    if "members" not in document or frame.cls is None or frame.cls.kind != "group":
        frame.own = _frozen(document, faults)
        frame.place = len(frame.own)
        return None
    frame.place = list(document).index("members")
    frame.own = _frozen({k: v for k, v in document.items() if k != "members"}, faults)
    members = document["members"]
    if not isinstance(members, Mapping):
        if members is not None or family.members_rule.severity(level) == "error":
            faults.append(Fault(family.members_rule, ("members",), "an object of nodes", show(members)))
        return None
    frame.made = {}
    frame.given = frozenset(cast("Mapping[str, Any]", members))
    return cast("Mapping[str, Any]", members)


def _frozen(document: Mapping[str, Any], faults: list[Fault]) -> JSONDict:
    if type(document) is JSONDict:
        return document
    return cast("JSONDict", freeze(dict(document), faults))


def _choose(
    document: Mapping[str, Any],
    kind: NodeKind | None,
    family: Family,
    allowed: Candidates,
    level: Level,
    faults: list[Fault],
) -> type[Spec] | None:
    """The class that `document` is read as; a fault where none of the allowed ones fits its kind."""
    if kind is None:
        foreign = _foreign(document, family)
        if foreign and not allowed:
            faults.append(Fault(FORMAT, (), f"a {family.form} node", foreign))
            return None
        # The class's own rules say that the marks of its kind are missing, and what else is wrong.
        kind = "array" if _ARRAY_MARKS & document.keys() else "group"
        allowed = allowed if len(allowed) == 1 else ()
        if allowed:
            return allowed[0]
    if not allowed:
        return family.classes[kind]
    fitting = [cls for cls in allowed if cls.kind == kind]
    if not fitting:
        wanted, found = ("a group", "an array") if kind == "array" else ("an array", "a group")
        faults.append(Fault(MEMBER, (), wanted, found))
        return None
    if len(fitting) == 1:
        return fitting[0]
    best: tuple[int, type[Spec]] | None = None
    for cls in fitting:
        problems = assemble(cls, document, level)[1]
        errors = sum(problem.severity == "error" for problem in problems)
        if not errors:
            return cls
        if best is None or errors < best[0]:
            best = (errors, cls)
    return best[1] if best else None


_ARRAY_MARKS = frozenset({"shape", "data_type", "chunk_grid", "codecs"})


def _foreign(document: Mapping[str, Any], family: Family) -> str | None:
    """The name of the other format that `document` declares itself to be of."""
    declared = document.get("zarr_format")
    if isinstance(declared, int) and f"v{declared}" != family.form and declared in {2, 3}:
        return f"a v{declared} node"
    return None


def _children(
    frame: _Frame, members: Mapping[str, Any], faults: list[Fault]
) -> list[tuple[_Frame, object, Candidates]]:
    plan = member_plan(cast("type[Spec]", frame.cls))
    children: list[tuple[_Frame, object, Candidates]] = []
    for name, value in members.items():
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users' mappings
            found = f"the {type(name).__name__} {show(name)}"
            frame.whole = False
            rule_ = cast("type[Spec]", frame.cls).family.members_rule
            faults.append(Fault(rule_, ("members",), "names that are strings", found))
            continue
        allowed = plan.candidates(name)
        if allowed is None:
            frame.whole = False
            known = ", ".join(sorted(plan.named)) or "none"
            faults.append(Fault(MEMBER, ("members", name), f"only the members {known}", show(name)))
            continue
        children.append((_Frame(frame, name), value, allowed))
    return children


# --- up: a spec for every node ---------------------------------------------------------------------


def _finish(frame: _Frame, level: Level) -> None:
    """Make the frame's spec where its class is known, and hand it to the parent."""
    faults: list[Fault] = []
    if frame.cls is not None:
        _check_required(frame, member_plan(frame.cls), faults)
        made = _make(frame, frame.cls, level, faults)
        if made is not None:
            frame.spec = made
    _keep(frame, faults)
    parent = frame.parent
    if parent is None:
        return
    blocked = frame.spec is None or any(
        fault.rule.severity(level) == "error" for fault in frame.problems or ()
    )
    if blocked or not frame.whole:
        parent.whole = False
    if frame.spec is not None and parent.made is not None:
        parent.made[frame.name] = frame.spec


def _check_required(frame: _Frame, plan: MemberPlan, faults: list[Fault]) -> None:
    if plan is ANY or frame.made is None:
        return
    faults.extend(
        Fault(MEMBER, ("members", name), f"a member {show(name)}", "nothing")
        for name in sorted(plan.required - frame.given)
    )


def _make(frame: _Frame, cls: type[Spec], level: Level, faults: list[Fault]) -> Spec | None:
    """The spec of one node, its members being made; None where its own form is broken."""
    family = cls.family
    start = len(faults)
    values = family.fields(cls.kind, frame.own, faults)
    before = len(faults)
    typed = attributes.read(cls, frame.own, faults)
    untyped = len(faults) > before
    if typed is not None:
        values["attributes"] = typed
    members = None
    if frame.made is not None:
        # Children arrive last to first; the document's order is the order of the frames.
        members = JSONDict(dict(reversed(frame.made.items())))
        values["members"] = members
    # What the class adds can't be judged where a part of it is missing: the format's rules can.
    checked = cls if frame.whole and not untyped else family.classes[cls.kind]
    spec: Spec | None = None
    broken: frozenset[str] = frozenset()
    try:
        spec = cast("Spec", checked.__pydantic_validator__.validate_python(values, context=RAW))
    except ValidationError as error:
        found = _structure(error, checked, values, {f.path[0] for f in faults if f.path})
        faults.extend(found)
        broken = frozenset(str(fault.path[0]) for fault in found if fault.path)
    if any(fault.path[:1] == ("attributes",) for fault in faults[start:]):
        broken |= {"attributes"}
    family.rules(cls.kind, values, broken, faults)
    if spec is None:
        return None
    _settle(spec, frame.own, members, frame.place, level)
    return spec


def _settle(spec: Spec, document: JSONDict, members: JSONDict | None, place: int, level: Level) -> None:
    private = {"document": document, "level": level, "place": place}
    object.__setattr__(spec, "__pydantic_private__", private)
    names = frozenset(document) if members is None else frozenset((*document, "members"))
    object.__setattr__(spec, "__pydantic_fields_set__", _shared.setdefault(names, names))
    if members is not None:
        spec.__dict__["members"] = members


_shared: dict[frozenset[str], frozenset[str]] = {}


def _structure(
    error: ValidationError, cls: type[Spec], values: Mapping[str, Any], known: set[str | int]
) -> list[Fault]:
    """What pydantic found, under the rule of the field that it is in; `known` are at fault already."""
    family = cls.family
    base = family.classes[cls.kind].model_fields
    faults: list[Fault] = []
    for fault in faults_of(error, values, schema_of(cls), ANNOTATION, said=USERS_VALIDATOR):
        name = str(fault.path[0]) if fault.path else ""
        if name == "members" and name in known:
            continue
        if fault.found == "nothing" and len(fault.path) == 1 and name in base:
            faults.append(fault._replace(rule=family.missing_rule))
        elif name in base and base[name].annotation == cls.model_fields[name].annotation:
            faults.append(fault._replace(rule=family.field_rules.get(name, ANNOTATION)))
        else:
            faults.append(fault)
    return faults


# --- problems ----------------------------------------------------------------------------------------


def _placed(faults: Sequence[Fault], names: list[str], level: Level) -> list[Problem]:
    steps = tuple(step for name in names for step in ("members", name))
    node = "/" + "/".join(names)
    problems: list[Problem] = []
    for rule_, path, expected, found, fix in faults:
        severity = rule_.severity(level)
        if severity is not None:
            pointer = pointer_of((*steps, *path))
            problems.append(Problem(rule_.code, severity, node, pointer, path, expected, found, fix))
    return problems


def _text_problems(faults: Sequence[Fault], level: Level) -> list[Problem]:
    problems: list[Problem] = []
    for fault in faults:
        names: list[str] = []
        path = fault.path
        while len(path) > 1 and path[0] == "members":
            names.append(str(path[1]))
            path = path[2:]
        problems.extend(_placed([fault._replace(path=path)], names, level))
    return problems


# --- specs made in Python ------------------------------------------------------------------------


def construct(cls: type[Spec], data: Mapping[str, Any]) -> Spec:
    """The spec that a constructor's arguments stand for."""
    document: dict[str, Any] = dict(cls.family.constants[cls.kind])
    base = cls.family.classes[cls.kind].model_fields
    for name, field in cls.model_fields.items():
        if name not in data and name not in document and _own_default(name, field, base):
            document[name] = field.get_default(call_default_factory=True)
    document.update(data)
    spec, problems = assemble(cls, _pythonic(document), "strict")
    if spec is None:
        raise SpecError(problems, f"{cls.family.form} {cls.kind}")
    return spec


def _own_default(name: str, field: Any, base: Mapping[str, Any]) -> bool:
    """Whether a subclass gave the field a default that the format's class doesn't have."""
    if field.default is PydanticUndefined and field.default_factory is None:
        return False
    inherited = base.get(name)
    return inherited is None or (field.default, field.default_factory) != (
        inherited.default,
        inherited.default_factory,
    )


def _pythonic(document: dict[str, Any]) -> dict[str, Any]:
    """Arguments as a document: None where absent is meant, and a NaN fill value as its name."""
    for name in ("members", "dimension_names", "storage_transformers", "dimension_separator"):
        if name in document and document[name] is None:
            del document[name]
    fill = document.get("fill_value")
    if isinstance(fill, float) and not math.isfinite(fill):
        document["fill_value"] = "NaN" if math.isnan(fill) else ("Infinity" if fill > 0 else "-Infinity")
    return {name: value for name, value in document.items() if value is not ABSENT}


def replace(spec: Spec, changes: Mapping[str, Any], level: Level) -> Any:
    """A copy of `spec` with members of its document changed or taken away."""
    document: dict[str, Any] = dict(spec.document)
    members = member_specs(spec)
    if members is not None:
        items = list(document.items())
        items.insert(spec.__pydantic_private__["place"], ("members", members))  # type: ignore[index]
        document = dict(items)
    document.update(changes)
    changed, problems = assemble(type(spec), _pythonic(document), level)
    if changed is None:
        raise SpecError(problems, f"{spec.family.form} {spec.kind}")
    return changed


def revive(origin: type[Spec], arguments: tuple[Any, ...], text: str, level: Level) -> Spec:
    """The spec that was pickled."""
    cls = cast("type[Spec]", origin[arguments] if arguments else origin)  # type: ignore[index]
    spec, problems = assemble(cls, text, level)
    if spec is None:
        raise SpecError(problems, f"{cls.family.form} {cls.kind}")
    return spec
