"""Changes of one node's documents: read, changed and written so that no concurrent change is lost.

Only documents that differ are written: changing an attribute touches no chunk, and in v2 not even `.zarray`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from zom.errors import ConcurrentWriteError, ConflictError, NotFound, SpecError, SpecWarning
from zom.hierarchy.change.alone import alone
from zom.hierarchy.change.conflicts import CHANGED
from zom.hierarchy.change.consolidated_update import Written, change_documents
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.text import node_text
from zom.json.exact import same
from zom.json.read import read_json
from zom.model.assembly import assemble
from zom.model.construction import outside
from zom.model.stored import model_document
from zom.problems import Fault, dotted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zom.hierarchy.stored.layout import Layout
    from zom.model.family import NodeKind
    from zom.model.spec import Spec
    from zom.stores.interface import Store, Versioned

__all__ = ["change_node", "read_spec"]

_TRIES = 60


def read_spec(store: Store, path: str, layout: Layout, known: Spec) -> Spec:
    """The current spec of an open node, with the same layout, kind and level as in `known`."""
    keys = _keys(path, layout, known)
    return _parsed(layout, {end: store.get_version(key) for end, key in keys.items()}, path, known)


def change_node(
    store: Store, path: str, layout: Layout, known: Spec, *, change: Callable[[Spec], Spec]
) -> Spec:
    """Apply `change` to the spec of the node at `path`, write its documents, and return the new spec.

    `change` may be called again if others write at the same time. A document that can't be written back
    unchanged, for instance one with a duplicate name, is changed with a SpecWarning.
    """
    keys = _keys(path, layout, known)
    main = next(iter(keys.values()))
    for _ in range(_TRIES):
        with alone(store, path, layout, main) as holders:
            found = {end: store.get_version(key) for end, key in keys.items()}
            spec = change(_parsed(layout, found, path, known))
            lost: list[str] = []
            changes = _changes(path, layout, found, spec, lost)
            if holders and changes:
                done = _change_with_blocks(store, layout, changes, holders)
            else:
                done = _change_alone(store, layout, changes, found)
            if done:
                if lost:
                    text = f"{store.url}: {'; '.join(lost)}"
                    warnings.warn(text, SpecWarning, stacklevel=outside())
                return spec
    raise ConcurrentWriteError(store.url, main)


def _keys(path: str, layout: Layout, known: Spec) -> dict[str, str]:
    """The keys of the node's documents by their ends, main document first."""
    kind: NodeKind = "array" if known.kind == "array" else "group"
    return dict(zip(layout.ends(kind), layout.keys(path, kind), strict=True))


def _is_implicit(layout: Layout, known: Spec) -> bool:
    """Whether it is a draft group opened without a document; the first change writes one."""
    return layout.implicit_groups and known.kind == "group" and "attributes" not in known.document


def _parsed(layout: Layout, found: dict[str, Versioned | None], path: str, known: Spec) -> Spec:
    where = f"/{path.strip('/')}"
    findings = Findings(where, known.level)
    if next(iter(found.values())) is None and not _is_implicit(layout, known):
        raise NotFound(f"{where}: its document has been deleted since it was opened")
    documents = {end: findings.value(end, where, one.value) for end, one in found.items() if one is not None}
    findings.raise_errors()
    spec, problems = assemble(type(known), model_document(layout.family, documents), known.level)
    if spec is None:
        raise SpecError(problems, where)
    return spec


def _changes(
    path: str, layout: Layout, found: Mapping[str, Versioned | None], spec: Spec, lost: list[str]
) -> list[Written]:
    """The documents that differ from those of `spec`; messages about lost content are added to `lost`."""
    documents = spec.to_documents()
    changes: list[Written] = []
    for end, there in found.items():
        old, new = None if there is None else there.value, documents.get(end)
        if new is None:
            if old is not None:
                changes.append(Written(path, end, old, None))
            continue
        faults: list[Fault] = []
        if old is not None and same(read_json(old, faults), new):
            continue
        text = node_text(new, path, layout.key(path, end))
        changes.append(Written(path, end, old, text))
        lost.extend(_losses(layout.key(path, end), faults))
    return changes


def _change_alone(
    store: Store, layout: Layout, changes: list[Written], found: Mapping[str, Versioned | None]
) -> bool:
    """Write the documents; return False if others changed one meanwhile."""
    for each in changes:
        key, there = layout.key(each.path, each.end), found[each.end]
        if each.new is None:
            store.delete(key)
        elif not store.capabilities.compare_and_set:
            store.set(key, each.new)
        elif not store.replace(key, each.new, None if there is None else there.version):
            return False
    return True


def _change_with_blocks(
    store: Store, layout: Layout, changes: list[Written], holders: Mapping[str, bytes]
) -> bool:
    """The same, with the consolidated metadata about the node."""
    try:
        change_documents(store, layout, changes, holders)
    except ConflictError as error:
        if any(problem.code == CHANGED.code for problem in error.problems):
            return False
        raise
    return True


def _losses(key: str, faults: list[Fault]) -> Iterator[str]:
    """Messages about content of a document that is not written back."""
    for fault in faults:
        if fault.rule.code == "json/duplicate-key":
            yield f"{key}: only the last value of {dotted(fault.path)} is kept"
        elif fault.rule.code == "json/number-range":
            yield f"{key}: {dotted(fault.path)} was {fault.found}, and is written as that"
        elif fault.rule.code == "json/surrogate":
            yield f"{key}: {dotted(fault.path)} contained {fault.found}, and is written with that escaped"
