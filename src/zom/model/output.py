"""Specs as JSON: text and plain dicts, of trees however deep, each member where it was spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.json.value import thaw
from zom.json.write import write_json

if TYPE_CHECKING:
    from zom.model.spec import Spec

__all__ = ["member_specs", "place_of", "to_dict", "to_json"]


def member_specs(spec: Spec) -> dict[str, Spec] | None:
    """The members of a group by name; None for an array, and where they are not known."""
    found: dict[str, Spec] | None = spec.__dict__.get("members")
    return found


def place_of(spec: Spec) -> int:
    """Where among the members of the document `members` stands, or would stand."""
    return cast("int", (spec.__pydantic_private__ or {})["place"])


def to_dict(spec: Spec) -> dict[str, Any]:
    """The whole document of `spec` as ordinary dicts and lists."""
    root: dict[str, Any] = {}
    waiting: list[tuple[Spec, dict[str, Any]]] = [(spec, root)]
    while waiting:
        node, made = waiting.pop()
        members = member_specs(node)
        inner: dict[str, Any] = {}
        for index, (name, value) in enumerate(node.document.items()):
            if members is not None and index == place_of(node):
                made["members"] = inner
            made[name] = thaw(value)
        if members is not None:
            made.setdefault("members", inner)
            for name, member in members.items():
                inner[name] = {}
                waiting.append((member, inner[name]))
    return root


def to_json(spec: Spec, *, indent: int | None = None) -> str:
    """The whole document of `spec` as JSON text."""
    if indent is not None:
        return write_json(to_dict(spec), indent=indent)
    pieces: list[str] = []
    stack: list[Spec | str] = [spec]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        members = member_specs(item)
        if members is None:
            pieces.append(write_json(item.document))
            continue
        head, tail = _around(item)
        pieces.append(head)
        stack.append(tail)
        for name, member in reversed(members.items()):
            stack.extend((",", member, f"{write_json(name)}:"))
        if members:
            del stack[-3 * len(members)]  # no comma after the last member
    return "".join(pieces)


def _around(spec: Spec) -> tuple[str, str]:
    """The text of a group's document before and after its members."""
    items = list(spec.document.items())
    place = place_of(spec)
    before = "".join(f"{write_json(k)}:{write_json(v)}," for k, v in items[:place])
    after = "".join(f",{write_json(k)}:{write_json(v)}" for k, v in items[place:])
    return f'{{{before}"members":{{', f"}}{after}}}"
