"""Assembly: from a document to specs, a whole tree at once, collecting every problem.

Trees are walked by iteration, level by level: down to choose a class for every node, then up to make
members before the group that holds them. If several classes may fit a member, each gets a frame, and the
group takes the best. A node with errors yields problems instead of a spec.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.json.read import read_json
from zom.json.value import JSONDict, freeze
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model import attributes
from zom.model.bare_spec import is_spec
from zom.model.family import Family
from zom.model.location import placed, text_problems, with_lines
from zom.model.members import AliasedMembers, member_plan
from zom.model.node import EMPTY, NodeParts, make
from zom.model.output import member_specs, place_of
from zom.model.repeats import node_count, repeated
from zom.model.said_once import said_once
from zom.paths import document_name_faults
from zom.problems import Fault, Problem, rule, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.model.family import NodeKind
    from zom.model.members import Candidates
    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = ["MIXED", "RANK", "Target", "Uncollected", "assemble", "document_of", "with_place"]

MEMBER = rule(
    "spec/member",
    "a node has the kind that the class requires; a group has the members that its class requires, "
    "and no others if the class forbids them",
    source="the class itself",
)
MIXED = rule(
    "tree/format",
    "all nodes of one hierarchy have the same format",
    source="ZEP 6: the base model is made concrete for one Zarr version",
)
NULL_MEMBERS = rule(
    "tree/null-members",
    "a group whose members are unknown has no `members`, not null",
    source="ZEP 6, specification of the base Zarr Object Model: a key-value data structure",
    lenient="warning",
    schema=True,
)
DEPTH = rule(
    "tree/depth",
    "groups are nested no deeper than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)

RANK: Mapping[str, int] = {"lenient": 0, "strict": 1, "closed": 2}
"""The levels by strictness: a document that passes one level passes the levels before it."""

FORMAT = rule(
    "document/format",
    "a document states its format: v2 and v3 by zarr_format, an array of the draft by members that no "
    "other format has",
    source="Zarr v3 core, zarr_format; Zarr v2, zarr_format",
)

Target: TypeAlias = "type[Spec] | Family | Callable[[object], Family | None]"
"""What to read a document as; a function returns None if it can't identify the family."""


class _OpenNode:
    """One node between document and spec, read as one class."""

    __slots__ = (
        "below", "cls", "depth", "errors", "faults", "listed", "name", "nodes", "own", "place", "spec", "trial", "troubled",
        "value"
    )  # fmt: skip

    def __init__(self, name: str, depth: int, value: object, cls: type[Spec] | None) -> None:
        self.name = name
        self.depth = depth
        self.value = value
        self.cls = cls
        self.own: JSONDict = EMPTY
        self.below: dict[str, tuple[_OpenNode, ...]] | None = None
        """The members, each read as every class that may fit; None if the members are unknown."""
        self.place = 0
        self.faults: list[Fault] | None = None
        self.spec: Spec | None = None
        self.listed = False
        """Whether the frame is in a layer; below trials, frames are shared."""
        self.trial = False
        """Whether this is one of several ways to read the node, or below one."""
        self.errors = 0
        """The number of errors in the node and its descendants."""
        self.troubled = False
        """Whether the node or a descendant has faults."""
        self.nodes = 1
        """The number of nodes in this tree; a node in several places counts once per place."""


def assemble(
    target: Target,
    document: object,
    level: Level,
    *,
    limits: Limits = DEFAULT_LIMITS,
    are_read: bool = False,
) -> tuple[Spec | None, tuple[Problem, ...]]:
    """Return the spec of `document` and all problems at `level`; the spec is None if one is an error.

    `target` is the class to read the root as, the family whose classes to read all nodes as, or a
    function that finds the family in the document. Problems in a text have line numbers. Pass `are_read`
    if each value of a mapping was read from the text of one node, and the caller handles JSON problems:
    frozen values are then not checked again.
    """
    if level not in RANK:
        message = f"level: expected 'lenient', 'strict' or 'closed', got {level!r}"
        raise ValueError(message)
    with Uncollected():
        if not isinstance(document, (str, bytes)):
            return _assemble(target, document, level, limits, None, are_read=are_read)
        faults: list[Fault] = []
        value = read_json(document, faults, limits=limits)
        if value is None and faults:
            return None, tuple(text_problems(faults, level))
        spec, problems = _assemble(target, value, level, limits, faults)
        return spec, with_lines(problems, document) if problems else problems


class Uncollected:
    """Disable cyclic garbage collection, which would scan all nodes made so far again and again.

    Documents hold no cycles, so waiting loses nothing; a large tree takes a third of the time.
    """

    def __enter__(self) -> None:
        self._enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._enabled:
            gc.enable()


def _assemble(  # noqa: PLR0913 - a document and the facts about it
    target: Target,
    document: object,
    level: Level,
    limits: Limits,
    text_faults: list[Fault] | None,
    *,
    are_read: bool = False,
) -> tuple[Spec | None, tuple[Problem, ...]]:
    allowed: Candidates = ()
    if isinstance(target, type):
        cls: type[Spec] = target
        family, allowed = cls.family, (cls,)
    else:
        found = target if isinstance(target, Family) else target(document)
        if found is None:
            faults = [*(text_faults or ()), _unknown_format(document)]
            return None, tuple(text_problems(faults, level))
        family = found
    descent = _Descent(family, level, limits, are_read=are_read or text_faults is not None)
    root = descent.root(document, allowed)
    for layer in reversed(descent.layers):
        for frame in layer:
            _finish(frame, level)
    if text_faults is None:
        again = repeated(document, root.nodes, len(descent.layers) - 1, limits)
        if again is not None:
            return None, tuple(placed([again], [], level))
    if not text_faults and not root.troubled:
        return root.spec, ()
    problems = said_once([*text_problems(text_faults or (), level), *_tree_problems(root, level)])
    failed = any(problem.severity == "error" for problem in problems)
    return (None if failed else root.spec), tuple(problems)


def _unknown_format(document: object) -> Fault:
    names = list(cast("Mapping[object, object]", document))
    found = (
        f"neither zarr_format nor node_type in an object with {_few(names)}" if names else "an empty object"
    )
    fix = "add zarr_format, and node_type in v3; zom.draft.parse reads a document of the draft"
    return Fault(FORMAT, (), 'a member "zarr_format", 2 or 3', found, fix)


def _few(names: list[object]) -> str:
    more = f" and {len(names) - 5} more members" if len(names) > 5 else ""
    return f"{', '.join(map(show, names[:5]))}{more}"


# --- documents of specs ------------------------------------------------------------------------------


def document_of(spec: Spec) -> dict[str, Any]:
    """Return the document of `spec`, with the specs below it as its members."""
    members = member_specs(spec)
    return dict(spec.document) if members is None else with_place(spec.document, members, place_of(spec))


def with_place(document: Mapping[str, Any], members: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Insert `members` into `document` at index `place`."""
    items = list(document.items())
    items.insert(place, ("members", members))
    return dict(items)


# --- down: a class for every node --------------------------------------------------------------------


class _Descent:
    """The way down: create frames for all nodes, layer by layer."""

    def __init__(self, family: Family, level: Level, limits: Limits, *, are_read: bool) -> None:
        self.family = family
        self.are_read = are_read
        self.freeze = _taken if are_read else _frozen
        self.level: Level = level
        self.limits = limits
        self.layers: list[list[_OpenNode]] = []
        # Ways to read one group share the ways to read its members, and so do groups that hold the same
        # Python object. Otherwise each level of groups would multiply them.
        self.trials: dict[tuple[int, str, int, type[Spec]], _OpenNode] = {}
        # Keep objects that are known by id alive, so that no other object reuses the id.
        self.kept: list[object] = []

    def root(self, document: object, allowed: Candidates) -> _OpenNode:
        """Return the root's frame after opening all frames below it."""
        layer = list(self._frames("", 0, document, allowed, trial=False))
        root = layer[0]
        while layer:
            self.layers.append(layer)
            layer = [child for frame in layer for child in self._open(frame)]
        return root

    def _frames(
        self, name: str, depth: int, value: object, allowed: Candidates, *, trial: bool
    ) -> tuple[_OpenNode, ...]:
        """Return one frame for each class that the node may be read as."""
        given = value
        faults: list[Fault] = []
        if depth:
            document_name_faults(name, self.family.form, self.level, faults)
        if is_spec(value):
            if self._fits(value, allowed):
                frame = _OpenNode(name, depth, value, None)
                frame.spec, frame.faults, frame.nodes = value, faults or None, node_count(value)
                return (frame,)
            value, allowed = self._again(value, allowed, faults)
        foreign = value is None and given is not None
        classes = () if foreign else self._classes(value, allowed, faults)
        if len(classes) < 2 and not trial and self.are_read:
            frame = _OpenNode(name, depth, value, classes[0] if classes else None)
            frame.faults = faults or None
            return (frame,)
        frames: list[_OpenNode] = []
        for cls in classes or _NO_CLASS:
            frame = _OpenNode(name, depth, value, cls)
            known = self.trials.setdefault((depth, name, id(given), cls), frame)
            if known is frame:
                frame.trial, frame.faults = trial or len(classes) > 1, list(faults) or None
                self.kept.append(given)
            frames.append(known)
        return tuple(frames)

    def _fits(self, spec: Spec, allowed: Candidates) -> bool:
        """Whether `spec` can be reused: same family, an allowed class, and checked at least as strictly."""
        return (
            spec.family is self.family
            and RANK[spec.level] >= RANK[self.level]
            and (not allowed or isinstance(spec, allowed))
        )

    def _again(self, spec: Spec, allowed: Candidates, faults: list[Fault]) -> tuple[object, Candidates]:
        """Return the document of a spec that must be checked again, and the classes it may be read as."""
        if spec.family is not self.family:
            found = f"a {spec.family.form} {spec.kind}"
            faults.append(Fault(MIXED, (), f"a {self.family.form} node", found, "convert it first"))
            return None, ()
        if not allowed or isinstance(spec, allowed):
            allowed = (type(spec),)
        return document_of(spec), allowed

    def _classes(self, value: object, allowed: Candidates, faults: list[Fault]) -> Candidates:
        """Return the classes that `value` may be read as; adds a fault and returns none if no class fits."""
        family = self.family
        given: Any = value
        if not isinstance(value, (dict, Mapping)):
            faults.append(Fault(family.node_rule, (), "an object", show(value)))
            return ()
        document: Mapping[str, Any] = given
        foreign = _foreign(document, family)
        if foreign:
            faults.append(Fault(MIXED, (), f"a {family.form} node", foreign))
            return ()
        kind = family.kind_of(document)
        if kind is None:
            if len(allowed) == 1:
                return allowed
            # The class's own rules report the missing marks of its kind, and everything else that is wrong.
            kind = "array" if _ARRAY_MARKS & document.keys() else "group"
        if not allowed:
            return (family.classes[kind],)
        if len(allowed) == 1 and allowed[0].kind == kind:
            return allowed
        fitting = tuple(cls for cls in allowed if cls.kind == kind)
        if not fitting:
            wanted = " or ".join(dict.fromkeys(_KINDS[cls.kind] for cls in allowed))
            faults.append(Fault(MEMBER, (), wanted, _KINDS[kind]))
        return fitting

    def _open(self, frame: _OpenNode) -> Iterator[_OpenNode]:
        """Freeze the node's own document and yield the new frames of its members."""
        if frame.cls is None:
            return
        faults: list[Fault] = []
        members = _own_document(frame, frame.cls, faults, self.freeze)
        if members is not None:
            frame.below = {}
            if members and frame.depth >= self.limits.tree_depth:
                nested = f"groups nested at most {self.limits.tree_depth} deep"
                faults.append(Fault(DEPTH, ("members",), nested, "deeper nesting"))
            elif members:
                yield from self._children(frame, members, faults)
        if faults:
            frame.faults = [*(frame.faults or ()), *faults]

    def _children(
        self, frame: _OpenNode, members: Mapping[str, Any], faults: list[Fault]
    ) -> Iterator[_OpenNode]:
        plan = member_plan(cast("type[Spec]", frame.cls))
        below = cast("dict[str, tuple[_OpenNode, ...]]", frame.below)
        depth, trial = frame.depth + 1, frame.trial
        for name, value in members.items():
            if type(name) is not str:
                if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users' mappings
                    found = f"the {type(name).__name__} {show(name)}"
                    rule_ = self.family.members_rule
                    faults.append(Fault(rule_, ("members",), "names that are strings", found))
                    continue
                name = str.__str__(name)  # noqa: PLW2901 - the same name as a plain str
            allowed = plan.candidates(name)
            if allowed is None:
                known = ", ".join(sorted(plan.named)) or "none"
                faults.append(Fault(MEMBER, ("members", name), f"only the members {known}", show(name)))
                continue
            options = below[name] = self._frames(name, depth, value, allowed, trial=trial)
            for option in options:
                if not option.listed:
                    option.listed = True
                    yield option


_NO_CLASS: tuple[Any, ...] = (None,)

_Freeze: TypeAlias = "Callable[[Mapping[str, Any], list[Fault]], JSONDict]"


def _own_document(
    frame: _OpenNode, cls: type[Spec], faults: list[Fault], freeze_: _Freeze
) -> Mapping[str, Any] | None:
    """Freeze the node's own document and return its members, or None if they are unknown."""
    document: Any = frame.value
    if "attributes" in document:
        given = document["attributes"]
        written = attributes.as_document(cls, given, faults)
        if written is not given:
            document = {**document, "attributes": written}
    if "members" not in document:
        frame.own = freeze_(document, faults)
        frame.place = len(frame.own)
        return None
    frame.place = list(document).index("members")
    frame.own = freeze_({k: v for k, v in document.items() if k != "members"}, faults)
    members: object = document["members"]
    rule_, fix = cls.family.members_rule, None
    if cls.kind != "group":
        fix = "write a stored member of that name as _members"
        faults.append(
            Fault(rule_, ("members",), f"no members: this is {_KINDS[cls.kind]}", show(members), fix)
        )
        return None
    if isinstance(members, Mapping):
        return cast("Mapping[str, Any]", members)
    if members is None:
        rule_, fix = NULL_MEMBERS, "leave members out if they are unknown"
    faults.append(Fault(rule_, ("members",), "an object of nodes", show(members), fix))
    return None


def _frozen(document: Mapping[str, Any], faults: list[Fault]) -> JSONDict:
    # Check frozen documents too: they may hold NaN, which only some levels allow.
    return cast("JSONDict", freeze(document if type(document) is JSONDict else dict(document), faults))


def _taken(document: Mapping[str, Any], faults: list[Fault]) -> JSONDict:
    """Like `_frozen`, for values read from texts: frozen values are not checked again."""
    if type(document) is JSONDict:
        return document
    for value in document.values():
        if type(value) in _UNFROZEN:
            return _frozen(document, faults)
    return JSONDict(document)


_UNFROZEN = frozenset({dict, list, tuple})


_ARRAY_MARKS = frozenset({"shape", "data_type", "chunk_grid", "codecs"})
_KINDS: Mapping[NodeKind, str] = {
    "array": "an array", "group": "a group", "entry point": "an entry point"
}  # fmt: skip


def _foreign(document: Mapping[str, Any], family: Family) -> str | None:
    """Describe the other format that `document` declares and looks like, or return None."""
    declared = document.get("zarr_format")
    if type(declared) is not int or declared not in {2, 3} or family.zarr_format == declared:
        return None
    return f"a v{declared} node" if ("node_type" in document) == (declared == 3) else None


# --- up: a spec for every node -----------------------------------------------------------------------


def _finish(frame: _OpenNode, level: Level) -> None:
    """Make the frame's spec, if its class is known, from the best of the frames below it."""
    faults: list[Fault] = []
    members: JSONDict | None = None
    whole = True
    if frame.below is not None:
        made: dict[str, Spec] = {}
        for name, options in frame.below.items():
            best = options[0]
            if len(options) > 1:
                best = min(options, key=lambda option: option.errors)
                frame.below[name] = (best,)
            frame.errors += best.errors
            frame.nodes += best.nodes
            frame.troubled |= best.troubled
            if best.spec is not None:
                made[name] = best.spec
            if best.errors or best.spec is None:
                whole = False
        aliases = member_plan(frame.cls).aliases if frame.cls is not None else None
        members = AliasedMembers(made, aliases) if aliases else JSONDict(made)
    if frame.cls is not None:
        whole = _check_members(frame, frame.cls, faults) and whole
        node = NodeParts(frame.own, members, frame.place, level)
        frame.spec = make(frame.cls, node, faults, whole=whole)
    if faults:
        frame.faults = [*(frame.faults or ()), *faults]
    if frame.faults:
        frame.troubled = True
        frame.errors += sum(fault.rule.severity(level) == "error" for fault in frame.faults)


def _check_members(frame: _OpenNode, cls: type[Spec], faults: list[Fault]) -> bool:
    """Whether all members that the class requires are there, and no others."""
    plan = member_plan(cls)
    found = [fault.rule for fault in frame.faults or () if fault.path[:1] == ("members",)]
    if frame.below is None:
        if plan.are_needed and all(rule_ is NULL_MEMBERS for rule_ in found):
            fix = "read the group with its members, which the class names"
            faults.append(Fault(cls.family.members_rule, ("members",), "an object of nodes", "nothing", fix))
        return not plan.are_needed
    whole = not found
    if not plan.required:
        return whole
    absent = sorted(plan.required - frame.below.keys())
    faults.extend(Fault(MEMBER, ("members", name), f"a member {show(name)}", "nothing") for name in absent)
    return whole and not absent


# --- problems ----------------------------------------------------------------------------------------


_MANY = 1000
"""Number of problems after which an object in several places is reported only once."""


def _tree_problems(root: _OpenNode, level: Level) -> Iterator[Problem]:
    """Yield all problems, a group's before those of its members."""
    waiting: list[tuple[_OpenNode, list[str]]] = [(root, [])] if root.troubled else []
    seen: set[int] = set()
    count = 0
    while waiting:
        frame, names = waiting.pop()
        if id(frame) in seen and count >= _MANY:
            continue
        seen.add(id(frame))
        if frame.faults:
            count += len(frame.faults)
            yield from placed(frame.faults, names, level)
        for name, options in reversed((frame.below or {}).items()):
            if options[0].troubled:
                waiting.append((options[0], [*names, name]))
