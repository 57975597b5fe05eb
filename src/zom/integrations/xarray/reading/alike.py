"""Groups and arrays from stored nodes, quickly: arrays whose documents agree in all but attributes share a spec.

A dataset has hundreds of variables and few kinds of them. The documents of one kind are judged once, by the one
who comes first. Wherever anything is to be told of a document, all are read again by the careful reader.
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
    """There is something to tell of a document."""


def groups_of_nodes(tree: StoredTree, root: StoredNode) -> dict[str, FoundGroup] | None:
    """The groups at and below `root`, a node of `tree`, by their paths below it; None where there is anything to tell.

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
    """The specs of the arrays that were met, one for each kind."""

    def __init__(self, tree: StoredTree) -> None:
        self._family = tree.layout.family
        self._subject = tree.store.url
        self._specs: dict[Hashable, Spec] = {}
        path = self._family.names_path
        self._names_in_attributes = path[1] if path[0] == "attributes" else None

    def group(self, node: StoredNode) -> tuple[FoundGroup, list[StoredNode]]:
        """The group, with the arrays in it; and the groups in it."""
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
    """What tells a JSON value from others: two that differ in the least have different ones."""
    try:
        # Version 2 knows no references: equal values have equal bytes. It takes plain JSON, and not our own.
        return marshal.dumps(value, 2)
    except ValueError:
        return exact_text(value)


def _attributes(document: Mapping[str, Any]) -> dict[str, Any]:
    found = document.get("attributes")
    made: Any = thaw(found) if isinstance(found, dict) else {}
    return made  # type: ignore[no-any-return]
