"""Pickle specs: a tree becomes one flat list, so that deep trees need no recursion.

Each node keeps its own class, and is checked again when unpickled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.errors import SpecError
from zom.json.read import read_json
from zom.json.write import write_json
from zom.model.assembly import assemble, with_place
from zom.model.output import member_specs, place_of

if TYPE_CHECKING:
    from zom.json.value import JSONDict
    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = ["flat", "revive"]

_Class: TypeAlias = "tuple[type[Spec], tuple[Any, ...]]"
_Record: TypeAlias = "tuple[int, Level, str, int, tuple[str, ...] | None]"


def flat(spec: Spec) -> tuple[list[_Class], list[_Record]]:
    """Return the classes of a tree, and a (class, level, text, place, names) per node, parents first."""
    classes: dict[type[Spec], int] = {}
    entries: list[_Record] = []
    waiting = [spec]
    while waiting:
        node = waiting.pop()
        members = member_specs(node)
        number = classes.setdefault(type(node), len(classes))
        names = None if members is None else tuple(members)
        entries.append((number, node.level, write_json(node.document), place_of(node), names))
        waiting.extend(reversed((members or {}).values()))
    return [_named(cls) for cls in classes], entries


def _named(cls: type[Spec]) -> _Class:
    """Return a class as pickle can find it: its origin and type arguments."""
    meta = cls.__pydantic_generic_metadata__
    return cast("type[Spec]", meta["origin"] or cls), tuple(meta["args"])


def revive(classes: list[_Class], entries: list[_Record]) -> Spec:
    """Rebuild a pickled tree."""
    found: list[Any] = [cast("Any", origin)[args] if args else origin for origin, args in classes]
    made: list[Spec] = []
    for number, level, text, place, names in reversed(entries):
        document = cast("JSONDict", read_json(text, []))
        if names is not None:
            # The last specs made are the members of this node, with the first on top.
            members = {name: made.pop() for name in names}
            document = cast("JSONDict", with_place(document, members, place))
        spec, problems = assemble(found[number], document, level)
        if spec is None:
            raise SpecError(problems, f"{found[number].family.form} {found[number].kind}")
        made.append(spec)
    return made[0]
