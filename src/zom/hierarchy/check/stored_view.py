"""The view of a stored hierarchy for rules of conventions, and the places of their findings in the store.

Consolidated metadata is a copy in one document. Rules see it in its group, where Zarr v3 keeps it, also if it
is a document of Zarr v2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from zom.formats.node_view import Node as View
from zom.formats.node_view import grown
from zom.hierarchy.stored.findings import NOT_JSON
from zom.hierarchy.stored.node import whole_document
from zom.hierarchy.stored.tree import place
from zom.json.python_value import is_dict
from zom.json.value import JSONDict
from zom.model.stored import model_document
from zom.problems import pointer_of

if TYPE_CHECKING:
    from zom.formats.node_view import Facts
    from zom.hierarchy.stored.findings import Findings
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.tree import StoredTree
    from zom.problems import Problem

__all__ = ["StoredView"]

_BLOCK: Final = "consolidated_metadata"


class StoredView:
    """The view of a tree in a store.

    >>> from zom.hierarchy.stored.read import inspect_tree
    >>> from zom.stores.memory import MemoryStore
    >>> StoredView(inspect_tree(MemoryStore({".zgroup": b'{"zarr_format": 2}'}))).root
    <group />
    """

    def __init__(self, tree: StoredTree) -> None:
        self._tree = tree
        self.root: View = grown(tree.root, self._facts, lambda node: node.members)
        """Includes invalid nodes."""

    def _facts(self, node: StoredNode) -> Facts:
        layout = self._tree.layout
        broken = any(each.value is NOT_JSON for each in node.documents.values())
        document = None if broken else whole_document(node)
        if node is self._tree.root and layout.consolidated is not None and is_dict(document):
            document = self._with_block(document)
        kind = node.kind or (layout.family.kind_of(document) if is_dict(document) else None)
        return kind, layout.family.form, document

    def _with_block(self, document: Any) -> Any:
        """The document of the root, with the consolidated metadata from beside it."""
        found = self._tree.consolidated
        if found is None:
            return document
        family = self._tree.layout.family
        metadata = {path: model_document(family, documents) for path, documents in found.entries.items()}
        return JSONDict({**document, _BLOCK: {"metadata": metadata}})

    def seen(self, problem: Problem) -> Problem:
        """A problem of the store, with its node in the view."""
        prefix = self._tree.path.rstrip("/")
        return replace(problem, node=problem.node.removeprefix(prefix) or "/")

    def shown(self, problem: Problem) -> Problem:
        """A problem of the view, with its node in the store."""
        node = f"{self._tree.path.rstrip('/')}{problem.node}".rstrip("/") or "/"
        return replace(problem, node=node)

    def place(self, problem: Problem, findings: Findings) -> None:
        """Add a finding of the view, in its place in the store."""
        tree = self._tree
        prefix = tree.path.rstrip("/")
        if prefix and problem.related:
            related = tuple(f"{prefix}{each}".rstrip("/") for each in problem.related)
            problem = replace(problem, related=related)
        if tree.layout.inline is None and problem.inside[:1] == (_BLOCK,):
            self._place_consolidated(problem, findings)
        else:
            place(problem, tree.root, findings)

    def _place_consolidated(self, problem: Problem, findings: Findings) -> None:
        found = self._tree.consolidated
        if found is None:
            return
        _, _, path, *inside = problem.inside
        documents = found.entries.get(str(path), {})
        end = next((name for name in documents if name != ".zattrs"), ".zgroup")
        if inside[:1] == ["attributes"]:
            end, inside = ".zattrs", inside[1:]
        node = f"{self._tree.path.rstrip('/')}{problem.node}".rstrip("/") or "/"
        pointer = pointer_of((*found.steps(str(path), end), *inside))
        findings.place(replace(problem, node=node, key=found.key, pointer=pointer), found.text)
