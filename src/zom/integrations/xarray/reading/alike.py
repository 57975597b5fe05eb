"""Groups and arrays from stored nodes, the fast way: arrays that differ only in attributes share a spec.

A dataset has hundreds of variables of a few kinds. Only the first document of each kind is validated. If any
document has a problem, the slower reader reads all of them again.
"""

from __future__ import annotations

import marshal
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.hierarchy.stored.findings import NOT_JSON, Findings
from zom.hierarchy.stored.tree import spec_of
from zom.integrations.xarray.reading.found import FoundArray, FoundGroup
from zom.json.exact import exact_text
from zom.json.value import JSONDict, thaw
from zom.paths import document_name_faults

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.spec import Spec
    from zom.problems import Fault

__all__ = ["groups_of_nodes"]


class _TroubledError(Exception):
    """A document has a problem."""


def groups_of_nodes(tree: StoredTree, root: StoredNode) -> dict[str, FoundGroup] | None:
    """Return the groups at and below `root`, a node of `tree`, by relative path; None if there is a problem.

    >>> from zom.hierarchy.stored.read import read_nodes
    >>> from zom.stores.memory import MemoryStore
    >>> tree = read_nodes(MemoryStore({".zgroup": b'{"zarr_format": 2}'}))
    >>> groups_of_nodes(tree, tree.root)
    {'': FoundGroup(attributes={}, arrays={}, broken={})}
    """
    if tree.problems or tree.layout.family.form == "draft" or root.kind != "group":
        return None
    kinds = _Kinds(tree)
    groups: dict[str, FoundGroup] = {}
    start = len(root.path.rstrip("/")) + 1
    waiting = [root]
    try:
        while waiting:
            node = waiting.pop()
            groups[node.path[start:]], below = kinds.group(node)
            waiting.extend(reversed(below))
    except _TroubledError:
        return None
    return groups


class _Kinds:
    """The specs of the arrays seen so far, one for each kind."""

    def __init__(self, tree: StoredTree) -> None:
        self._family = tree.layout.family
        self._subject = tree.store.url
        self._specs: dict[Hashable, Spec] = {}
        path = self._family.names_path
        self._names_in_attributes = path[1] if path[0] == "attributes" else None

    def group(self, node: StoredNode) -> tuple[FoundGroup, list[StoredNode]]:
        """Return the group with its arrays, and its child groups."""
        faults: list[Fault] = []
        arrays: dict[str, FoundArray] = {}
        groups: list[StoredNode] = []
        for name, member in (node.members or {}).items():
            document_name_faults(name, self._family.form, "lenient", faults)
            kind = member.kind
            if kind == "array":
                arrays[name] = self._array(member)
            elif kind == "group":
                groups.append(member)
            else:
                raise _TroubledError
        if faults:
            raise _TroubledError
        return FoundGroup(_attributes(self._judged(node).document), arrays, {}), groups

    def _array(self, node: StoredNode) -> FoundArray:
        attributes: Any = {}
        rest: list[Any] = []
        for end, document in node.documents.items():
            value: Any = document.value
            if end == ".zattrs":
                attributes = value
            elif isinstance(value, dict):
                others = dict(cast("dict[str, Any]", value))
                attributes = others.pop("attributes", attributes)
                rest.append(others)
            else:
                raise _TroubledError
        if not isinstance(attributes, dict):
            raise _TroubledError
        own = cast("dict[str, Any]", attributes)
        names = self._names_in_attributes
        key = _key((rest, None if names is None else own.get(names)))
        spec = self._specs.get(key)
        if spec is None:
            spec = self._specs[key] = self._judged(node)
        return FoundArray(spec, thaw(own) if type(own) is JSONDict else own)

    def _judged(self, node: StoredNode) -> Spec:
        if any(each.value is None or each.value is NOT_JSON for each in node.documents.values()):
            raise _TroubledError
        findings = Findings(self._subject, "lenient")
        spec = spec_of(replace(node, members=None), findings)
        if spec is None or findings.problems:
            raise _TroubledError
        return spec


def _key(value: Any) -> Hashable:
    """Return a key that is different for any two different JSON values."""
    try:
        # Version 2 has no references, so equal values have equal bytes. It rejects zom's own JSON types.
        return marshal.dumps(value, 2)
    except ValueError:
        return exact_text(value)


def _attributes(document: Mapping[str, Any]) -> dict[str, Any]:
    found = document.get("attributes")
    made: Any = thaw(found) if isinstance(found, dict) else {}
    return made  # type: ignore[no-any-return]
