"""Write specs as JSON text and plain dicts, for trees of any depth, with members in their original place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.json.value import thaw
from zom.json.write import quick_json, write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.model.spec import Spec

__all__ = ["frozen_document", "member_specs", "place_of", "to_dict", "to_json"]


def member_specs(spec: Spec) -> dict[str, Spec] | None:
    """Return the members of a group by name; None for an array, or if they are unknown."""
    found: dict[str, Spec] | None = spec.__dict__.get("members")
    return found


def place_of(spec: Spec) -> int:
    """Return the index of `members` among the members of the document."""
    return cast("int", (spec.__pydantic_private__ or {})["place"])


def to_dict(spec: Spec) -> dict[str, Any]:
    """Return the whole document of `spec` as ordinary dicts and lists."""
    return _whole(spec, thaw)


def frozen_document(spec: Spec) -> dict[str, Any]:
    """Return the whole document of `spec`: nodes are ordinary dicts, their values are immutable."""
    return _whole(spec, _itself)


def _itself(value: Any) -> Any:
    return value


def _whole(spec: Spec, value_of: Callable[[Any], Any]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    waiting: list[tuple[Spec, dict[str, Any]]] = [(spec, root)]
    while waiting:
        node, made = waiting.pop()
        members = member_specs(node)
        inner: dict[str, Any] = {}
        for index, (name, value) in enumerate(node.document.items()):
            if members is not None and index == place_of(node):
                made["members"] = inner
            made[name] = value_of(value)
        if members is not None:
            made.setdefault("members", inner)
            for name, member in members.items():
                inner[name] = {}
                waiting.append((member, inner[name]))
    return root


def to_json(spec: Spec, *, indent: int | None = None) -> str:
    """Return the whole document of `spec` as JSON text."""
    if indent is not None:
        return write_json(to_dict(spec), indent=indent)
    members = member_specs(spec)
    if members is None:
        return write_json(spec.document)
    whole = quick_json(_nested(spec))
    if whole is not None:
        return whole
    head, tail = _around(spec)
    pieces, comma = [head], ""
    open_groups = [(iter(members.items()), tail)]
    while open_groups:
        rest, tail = open_groups[-1]
        for name, member in rest:
            lead = f"{comma}{write_json(name)}:"
            members = member_specs(member)
            if members is not None:
                head, tail = _around(member)
                pieces.append(lead + head)
                open_groups.append((iter(members.items()), tail))
                comma = ""
                break
            pieces.append(lead + write_json(member.document))
            comma = ","
        else:
            pieces.append(tail)
            open_groups.pop()
            comma = ","
    return "".join(pieces)


def _nested(spec: Spec) -> dict[str, Any]:
    """Return the whole document of `spec`, sharing the documents of its nodes."""
    root: dict[str, Any] = {}
    waiting: list[tuple[Spec, dict[str, Spec], dict[str, Any]]] = [(spec, member_specs(spec) or {}, root)]
    while waiting:
        group, members, made = waiting.pop()
        inner: dict[str, Any] = {}
        for index, (name, value) in enumerate(group.document.items()):
            if index == place_of(group):
                made["members"] = inner
            made[name] = value
        made.setdefault("members", inner)
        for name, member in members.items():
            below = member_specs(member)
            if below is None:
                inner[name] = member.document
            else:
                deeper: dict[str, Any] = {}
                inner[name] = deeper
                waiting.append((member, below, deeper))
    return root


def _around(spec: Spec) -> tuple[str, str]:
    """Return the text of a group's document before and after its members."""
    items = list(spec.document.items())
    place = place_of(spec)
    before = "".join(f"{write_json(k)}:{write_json(v)}," for k, v in items[:place])
    after = "".join(f",{write_json(k)}:{write_json(v)}" for k, v in items[place:])
    return f'{{{before}"members":{{', f"}}{after}}}"
