"""Nodes as they lie in a store: their documents, and from these the specs of a whole tree at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.hierarchy.stored.findings import NOT_JSON, UNLISTED_GROUP
from zom.json.python_value import is_dict
from zom.model.assembly import assemble
from zom.model.stored import model_document
from zom.paths import DRAFT_NAME, V2_NAME, V3_NAME, WHOLE
from zom.problems import pointer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.layout import Layout
    from zom.model.family import NodeKind
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = [
    "NAME_CODES",
    "Document",
    "Node",
    "own_document",
    "place",
    "sound_part",
    "spec_of",
    "whole_document",
]


NAME_CODES: Final = frozenset(each.code for each in (V3_NAME, V2_NAME, DRAFT_NAME, WHOLE))
"""The rules of names that nothing new gets, and that nodes may have."""


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

    __slots__ = ("below", "documents", "is_assumed", "kind", "members", "path")

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
        self.is_assumed = False
        """Whether it is a directory without a document, in a format whose groups have one."""

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

    def document_of(node: Node) -> Any:
        if _is_broken(layout, node, findings):
            return _stand_in(layout, node)
        return whole_document(layout, node) if plain else own_document(layout, node)

    document = _tree_document(root, document_of)
    if document is NOT_JSON:
        return None
    spec, problems = assemble(layout.family, document, findings.level, limits=findings.limits)
    for problem in problems:
        place(problem, layout, root, findings)
    return None if findings.failed else spec


def sound_part(layout: Layout, root: Node, findings: Findings) -> tuple[Spec | None, frozenset[str]]:
    """The spec of `root` without the nodes that are at fault, by what was found; the paths of these.

    A group at fault with other nodes below it stays, without attributes. None where the root is at fault
    and holds nothing else.
    """
    errors = [problem for problem in findings.problems if problem.severity == "error"]
    # Of a group that can't be listed, the document is as good as any.
    broken = {problem.node for problem in errors if problem.code != UNLISTED_GROUP.code}
    left_out: set[str] = set()

    def document_of(node: Node) -> Any:
        if node.shown in left_out:
            return NOT_JSON
        return _stand_in(layout, node) if node.shown in broken else own_document(layout, node)

    while root.shown not in left_out:
        document = _tree_document(root, document_of)
        if document is NOT_JSON:
            break
        spec, problems = assemble(layout.family, document, findings.level, limits=findings.limits)
        errors = [problem for problem in problems if problem.severity == "error"]
        if not errors:
            return spec, frozenset(broken & {node.shown for node in root.walk()})
        for problem in errors:
            path = f"{root.shown.rstrip('/')}{problem.node}".rstrip("/") or "/"
            (left_out if path in broken else broken).add(path)
    return None, frozenset(broken)


def _stand_in(layout: Layout, node: Node) -> Any:
    """What stands for a node at fault: a group, where it has nodes below it; else nothing."""
    return dict(layout.family.constants["group"]) if node.members else NOT_JSON


def _tree_document(root: Node, document_of: Callable[[Node], Any]) -> Any:
    """The document of a whole tree, without the nodes of which it is NOT_JSON."""
    made: dict[int, Any] = {}
    for node in reversed(list(root.walk())):
        document = document_of(node)
        if node.members is not None and isinstance(document, dict):
            below = {name: made.pop(id(member)) for name, member in node.members.items()}
            whole = {name: value for name, value in below.items() if value is not NOT_JSON}
            document = {**cast("dict[str, Any]", document), "members": whole}
        made[id(node)] = document
    return made[id(root)]


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
    if problem.code in NAME_CODES and problem.fix is None:
        problem = replace(problem, fix="rename it with zom.rename")
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
