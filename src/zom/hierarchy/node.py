"""Nodes as they lie in a store: their documents, and from these the specs of a whole tree at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.hierarchy.findings import NOT_JSON
from zom.model.assembly import assemble
from zom.model.python_value import is_dict
from zom.model.stored import model_document
from zom.problems import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.hierarchy.findings import Findings
    from zom.hierarchy.layout import Layout
    from zom.model.family import NodeKind
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["Document", "Node", "own_document", "place", "spec_of", "whole_document"]


class Document(NamedTuple):
    """A document in a store."""

    key: str
    text: bytes
    value: Any
    """What the text says, as JSON that can't change; NOT_JSON where it is not JSON."""
    steps: tuple[str, ...] = ()
    """What leads to it in the text, where that is consolidated metadata."""


class Node:
    """One node, and what was found below it."""

    __slots__ = ("below", "documents", "kind", "members", "path")

    def __init__(
        self,
        path: str,
        kind: NodeKind | None,
        documents: dict[str, Document],
        *,
        below: bool | None = None,
    ) -> None:
        self.path = path
        """Its path in the store, as a key has it: `a/b`; "" for the root."""
        self.kind: NodeKind | None = kind
        """What its key says, or where that says nothing, its document."""
        self.documents = documents
        """Its documents by the ends of their keys; none for an implicit group."""
        self.below = below
        """Whether anything lies below it, where that is known."""
        self.members: dict[str, Node] | None = None
        """None where they are not known."""

    @property
    def shown(self) -> str:
        """Its path as people write it."""
        return f"/{self.path}"

    def walk(self) -> Iterator[Node]:
        """This node and all below it, groups before their members."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.members:
                waiting.extend(reversed(node.members.values()))


def own_document(layout: Layout, node: Node) -> Any:
    """The node's document as the object model has it, without consolidated metadata, which is no part of it."""
    value = whole_document(layout, node)
    if layout.inline is not None and isinstance(value, dict) and layout.inline in value:
        document = cast("dict[str, Any]", value)
        return {name: item for name, item in document.items() if name != layout.inline}
    return cast("Any", value)


def whole_document(layout: Layout, node: Node) -> Any:
    """As `own_document`, with what consolidated metadata stands in it."""
    if not node.documents:
        return dict(layout.family.constants["group"])
    return model_document(layout.family, {end: each.value for end, each in node.documents.items()})


def spec_of(layout: Layout, root: Node, findings: Findings, *, plain: bool = False) -> Spec | None:
    """The spec of `root` and of all nodes below it; None where one of them is at fault.

    `plain` keeps a document as it is, consolidated metadata included.
    """
    made: dict[int, Any] = {}
    for node in reversed(list(root.walk())):
        members = node.members
        if _is_broken(layout, node, findings):
            made[id(node)] = NOT_JSON
            continue
        document = whole_document(layout, node) if plain else own_document(layout, node)
        if members is not None and isinstance(document, dict):
            below = {name: made.pop(id(member)) for name, member in members.items()}
            whole = {name: value for name, value in below.items() if value is not NOT_JSON}
            document = {**cast("dict[str, Any]", document), "members": whole}
        made[id(node)] = document
    document = made[id(root)]
    if document is NOT_JSON:
        return None
    spec, problems = assemble(layout.family, document, findings.level, limits=findings.limits)
    for problem in problems:
        place(problem, layout, root, findings)
    return None if findings.failed else spec


def _is_broken(layout: Layout, node: Node, findings: Findings) -> bool:
    """Whether a document is not JSON, or of another kind than its key says; the findings tell."""
    main: Document | None = None
    for document in node.documents.values():
        if document.value is NOT_JSON:
            return True
        main = document if main is None else main
    family, kind = layout.family, node.kind
    is_told_by_key = layout.marks[0][1] is not None
    if main is None or kind is None or not is_told_by_key or not is_dict(main.value):
        return False
    said = family.kind_of(main.value)
    if said is None or said == kind:
        return False
    value = own_document(layout, node)
    problems = assemble(family.classes[kind], value, findings.level, limits=findings.limits)[1]
    for problem in problems:
        place(problem, layout, node, findings)
    return bool(problems)


def place(problem: Problem, layout: Layout, root: Node, findings: Findings) -> None:
    """Put a problem of the tree below `root` into the document that it is in."""
    names = problem.node.strip("/").split("/") if problem.node != "/" else []
    node, inside = root, problem.inside
    for name in names:
        node = (node.members or {}).get(name, node)
    path = "/" + "/".join([*([root.path] if root.path else []), *names])
    document = next(iter(node.documents.values()), None)
    if document is None:
        findings.place(replace(problem, node=path, pointer=pointer_of(inside)), None)
        return
    attributes = node.documents.get(".zattrs")
    if inside[:1] == ("attributes",) and attributes is not None:
        document, inside = attributes, inside[1:]
    elif inside and str(inside[0]).startswith("_") and str(inside[0]).lstrip("_") in layout.family.reserved:
        # The object model's name for a stored member that is called as one of its own words.
        inside = (str(inside[0])[1:], *inside[1:])
    pointer = pointer_of((*document.steps, *inside))
    findings.place(replace(problem, node=path, pointer=pointer, key=document.key), document.text)
