"""Trees in a store: the nodes of a hierarchy with their documents, and the spec built from them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from zom.dataclass import dataclass
from zom.hierarchy.stored.findings import NOT_JSON, UNLISTED_GROUP
from zom.hierarchy.stored.levels import MIXED_FORMAT
from zom.hierarchy.stored.node import own_document, whole_document
from zom.json.python_value import is_dict
from zom.model.assembly import assemble
from zom.paths import DRAFT_NAME, V2_NAME, V3_NAME, WHOLE
from zom.problems import pointer_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.stored.consolidated import Consolidated
    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.node import Document, StoredNode
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["NAME_CODES", "StoredTree", "place", "sound_part", "spec_of"]

NAME_CODES: Final = frozenset(each.code for each in (V3_NAME, V2_NAME, DRAFT_NAME, WHOLE))
"""The rules of names that new nodes must follow, and that existing nodes may break."""

_LEFT_OUT: Final = {UNLISTED_GROUP.code, MIXED_FORMAT.code}
"""The rules of nodes that are left out or incomplete, though their documents can be read."""

_LAYOUT_OF_2021: Final = "draft/2021-entry-point"
"""The rule of a 2021 draft entry point: a check reports it, opening a node doesn't."""


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A stored hierarchy, or one node of it."""

    spec: Any
    """All of it as one spec, without consolidated metadata; None if a node is invalid."""
    root: StoredNode
    """The nodes with their documents."""
    consolidated: Consolidated | None
    """The consolidated metadata of the root, if it has some and it was read."""
    problems: tuple[Problem, ...]
    """Problems below the level's error severity; also errors, if nodes were skipped."""
    store: Store
    """The store that it was read from; during an unfinished change, its state before or after that change."""
    unreadable: frozenset[str] = frozenset()
    """The paths in the store of the nodes that were skipped."""

    @property
    def layout(self) -> Layout:
        """The layout of the nodes."""
        return self.root.layout

    @property
    def path(self) -> str:
        """The path in the store of the root that was read, as `/a/b`."""
        return self.root.path

    @property
    def warned(self) -> tuple[Problem, ...]:
        """The problems to warn of when the root is opened."""
        return tuple(problem for problem in self.problems if problem.code != _LAYOUT_OF_2021)

    def errors(self, path: str) -> tuple[Problem, ...]:
        """The errors of the node at `path` in the store."""
        return tuple(each for each in self.problems if each.node == path and each.severity == "error")

    def reasons(self) -> dict[str, str]:
        """Why each node was skipped or not listed, by its path below the root that was read."""
        start = len(self.path.rstrip("/"))
        texts: dict[str, str] = {}
        left_out = {each.node: each for each in self.problems if each.code in _LEFT_OUT}
        for path in sorted(self.unreadable | left_out.keys()):
            first, *more = self.errors(path) or (left_out[path],)
            rest = f", and {len(more)} more" if more else ""
            texts[path[start:] or "/"] = f"{replace(first, node='/')}{rest}"
        return texts

    def documents(self) -> dict[str, bytes]:
        """The text of each document that was read, by key."""
        return {each.key: each.text for node in self.root.walk() for each in node.documents.values()}


def spec_of(root: StoredNode, findings: Findings, *, plain: bool = False) -> Spec | None:
    """The spec of `root` and all nodes below it, or None if one of them is invalid.

    `plain` keeps documents as they are, including consolidated metadata.
    """

    def document_of(node: StoredNode) -> Any:
        if _is_broken(node, findings):
            return _stand_in(node)
        return whole_document(node) if plain else own_document(node)

    document = _tree_document(root, document_of)
    if document is NOT_JSON:
        return None
    spec, problems = assemble(
        root.layout.family, document, findings.level, limits=findings.limits, are_read=True
    )
    for problem in problems:
        place(problem, root, findings)
    return None if findings.failed else spec


def sound_part(root: StoredNode, findings: Findings) -> tuple[Spec | None, frozenset[str]]:
    """The spec of `root` without its invalid nodes (according to `findings`), and their paths.

    An invalid group with other nodes below it stays, without attributes. The spec is None if the root is
    invalid and holds nothing else.
    """
    errors = [problem for problem in findings.problems if problem.severity == "error"]
    # A group that can't be listed still has a valid document.
    broken = {problem.node for problem in errors if problem.code != UNLISTED_GROUP.code}
    left_out: set[str] = set()

    def document_of(node: StoredNode) -> Any:
        if node.path in left_out:
            return NOT_JSON
        return _stand_in(node) if node.path in broken else own_document(node)

    while root.path not in left_out:
        document = _tree_document(root, document_of)
        if document is NOT_JSON:
            break
        spec, problems = assemble(root.layout.family, document, findings.level, limits=findings.limits)
        errors = [problem for problem in problems if problem.severity == "error"]
        if not errors:
            return spec, frozenset(broken & {node.path for node in root.walk()})
        for problem in errors:
            path = f"{root.path.rstrip('/')}{problem.node}".rstrip("/") or "/"
            (left_out if path in broken else broken).add(path)
    return None, frozenset(broken)


def _stand_in(node: StoredNode) -> Any:
    """A stand-in for an invalid node: a group if it has nodes below it, otherwise NOT_JSON."""
    return dict(node.layout.family.constants["group"]) if node.members else NOT_JSON


def _tree_document(root: StoredNode, document_of: Callable[[StoredNode], Any]) -> Any:
    """The document of a whole tree, without the nodes whose document is NOT_JSON."""
    made: dict[int, Any] = {}
    for node in reversed(list(root.walk())):
        document = document_of(node)
        if node.members is not None and isinstance(document, dict):
            below = {name: made.pop(id(member)) for name, member in node.members.items()}
            whole = {name: value for name, value in below.items() if value is not NOT_JSON}
            document = {**cast("dict[str, Any]", document), "members": whole}
        made[id(node)] = document
    return made[id(root)]


def _is_broken(node: StoredNode, findings: Findings) -> bool:
    """Whether a document is not JSON, or of another kind than its key says; the problem is in `findings`."""
    main: Document | None = None
    for document in node.documents.values():
        if document.value is NOT_JSON:
            return True
        main = document if main is None else main
    family, is_told_by_key = node.layout.family, node.layout.marks[0][1] is not None
    kind = node.kind if is_told_by_key else None
    if main is None or kind is None or not is_dict(main.value):
        return False
    said = family.kind_of(main.value)
    if said is None or said == kind:
        return False
    value = own_document(node)
    problems = assemble(family.classes[kind], value, findings.level, limits=findings.limits)[1]
    for problem in problems:
        place(problem, node, findings)
    return bool(problems)


def place(problem: Problem, root: StoredNode, findings: Findings) -> None:
    """Assign a problem of the tree below `root` to the document that it is in."""
    names = problem.node.strip("/").split("/") if problem.node != "/" else []
    if problem.code in NAME_CODES and problem.fix is None:
        problem = replace(problem, fix="rename it with zom.rename")
    node, inside = root, problem.inside
    for name in names:
        node = (node.members or {}).get(name, node)
    path = "/" + "/".join([*([root.inner] if root.inner else []), *names])
    document = next(iter(node.documents.values()), None)
    if document is None:
        findings.place(replace(problem, node=path, pointer=pointer_of(inside)), None)
        return
    attributes = node.documents.get(".zattrs")
    if inside[:1] == ("attributes",) and attributes is not None:
        document, inside = attributes, inside[1:]
    elif (
        inside
        and str(inside[0]).startswith("_")
        and str(inside[0]).lstrip("_") in node.layout.family.reserved
    ):
        # The object model's name for a stored member that has the name of a reserved word.
        inside = (str(inside[0])[1:], *inside[1:])
    pointer = pointer_of((*document.steps, *inside))
    findings.place(replace(problem, node=path, pointer=pointer, key=document.key), document.text)
