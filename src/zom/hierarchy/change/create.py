"""Creating one node, with missing groups above it: if several try, one succeeds.

Zarr v3, section "Storage": every group has a document; Zarr v2, section "Hierarchies": all ancestors are
groups. A single document is written only if none exists; several are one change, all or nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar, cast

from zom.errors import ConcurrentWriteError, ConflictError, PathError, ReadOnlyError
from zom.formats.families import ENTRY_POINT
from zom.formats.full_spelling import check_spelling, spelled_in_full
from zom.hierarchy.change.along import documents_along, found_in
from zom.hierarchy.change.carry import carry_through, check_texts
from zom.hierarchy.change.conflicts import (
    ARRAY_ABOVE,
    BROKEN,
    BUSY,
    CHANGED,
    EXISTS,
    NAME,
    OBSTACLE,
    OTHER_FORMAT,
    conflict,
    refused,
)
from zom.hierarchy.change.consolidated_update import Written, change_documents, holders_of
from zom.hierarchy.change.loose_files import check_files, last_name
from zom.hierarchy.change.new_names import taken_name
from zom.hierarchy.change.steps import in_order
from zom.hierarchy.journal.journal import Journal
from zom.hierarchy.stored.inventory import first_chunk
from zom.hierarchy.stored.layout import (
    DRAFT_2022,
    ENTRY_KEY,
    LAYOUTS,
    V2_LAYOUT,
    V3_LAYOUT,
    entry_layout,
)
from zom.hierarchy.stored.node import StoredNode
from zom.hierarchy.stored.pending import check_settled
from zom.hierarchy.stored.text import document_text, node_text
from zom.model.operand import check_is_spec
from zom.model.output import member_specs
from zom.paths import check_key, join, name_faults, parse_path
from zom.stores.interface import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.extension.datatype import Format
    from zom.formats.full_spelling import Spelling
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.problems import Fault, Rule
    from zom.stores.interface import Store

__all__ = [
    "check_names",
    "check_path",
    "check_vacant",
    "chosen_spelling",
    "create_node",
    "entry_text",
    "repeated",
]

_Made = TypeVar("_Made")

_TRIES = 60
"""The number of attempts while others create the groups above, or change their consolidated metadata."""

_LONGEST_PAUSE = 0.1


def chosen_spelling(spec: Spec, spelling: Spelling) -> Spec:
    """The spec in the spelling of its document."""
    check_is_spec(spec)
    check_spelling(spelling)
    return spelled_in_full(spec)[0] if spelling == "full" else spec


def create_node(store: Store, spec: Spec, path: str = "") -> Layout:
    """Write the documents of an array, or of a group without members, and of missing groups above it.

    ConflictError, and nothing written, if a node exists already, or others create it meanwhile.

    >>> from zom import v3
    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore()
    >>> create_node(store, v3.GroupSpec(attributes={"n": 1}), "a/b").name
    'v3'
    >>> sorted(store.list())
    ['a/b/zarr.json', 'a/zarr.json', 'zarr.json']
    """
    check_is_spec(spec)
    if not store.capabilities.writable:
        raise ReadOnlyError(store.url, path, "create")
    names = check_path(spec, path)
    _check_names_here(store, join(names), spec.family.form)
    if member_specs(spec):
        reason = "zom.materialize(spec, store, path) creates a group with members"
        raise TypeError(f"{join(names)}: expected an array, or a group without members; {reason}")
    path = join(names)
    check_settled(store, path)

    def attempt() -> Layout:
        texts = documents_along(store, names)
        layout, missing = _missing(store, spec, names, texts)
        _check_place(store, layout, [above for above, _ in missing], path, spec)
        # Later changes are found when writing, or by `follow` afterwards.
        holders = holders_of(store, [*(above for above, _ in missing), path], layout, texts)
        documents = _own_documents(layout, path, spec)
        if holders:
            _put_with_blocks(store, layout, missing, path, documents, holders)
        else:
            _put_without_blocks(store, layout, missing, path, documents)
        return layout

    return repeated(store, path, attempt)


def check_vacant(store: Store, spec: Spec, path: str) -> None:
    """Raise ConflictError if there is a node at `path`, or can't be one."""
    names = check_path(spec, path)
    _missing(store, spec, names, documents_along(store, names))


def repeated(store: Store, path: str, attempt: Callable[[], _Made]) -> _Made:
    """Call `attempt` until no other creation interferes; ConcurrentWriteError if that doesn't happen."""
    beaten_at = ""
    for count in range(_TRIES):
        try:
            return attempt()
        except ConflictError as error:
            codes = {problem.code for problem in error.problems}
            if not codes & {CHANGED.code, BUSY.code}:
                raise
            beaten_at = error.problems[0].key or path.strip("/")
            if BUSY.code in codes:
                # No journal was here before: someone is creating a node in the same group; wait for it.
                time.sleep(min(_LONGEST_PAUSE, 0.001 * 2 ** min(count, 8)))
    raise ConcurrentWriteError(store.url, beaten_at)


def _put_without_blocks(
    store: Store,
    layout: Layout,
    missing: list[tuple[str, dict[str, bytes]]],
    path: str,
    documents: dict[str, bytes],
) -> None:
    """Write a node, and missing groups above it, if there is no consolidated metadata about them."""
    from zom.hierarchy.change.consolidate import follow  # noqa: PLC0415 - plans from the current state

    if missing or len(documents) > 1:
        _put_together(store, layout, missing, path, documents)
    else:
        _put_alone(store, layout, path, documents)
    follow(store, path, layout)


def _put_together(
    store: Store,
    layout: Layout,
    missing: list[tuple[str, dict[str, bytes]]],
    path: str,
    documents: Mapping[str, bytes],
) -> None:
    """Write several documents as one change, with a journal: all or none."""
    texts = dict(documents)
    for _, found in missing:
        texts.update(found)
    writes = {key: texts[key] for key in in_order(texts, layout)}
    old: dict[str, bytes | None] = dict.fromkeys(writes)
    at = missing[0][0] if missing else path
    carry_through(store, Journal(at, "undo", writes=writes, old=old), lambda: check_texts(store, old))
    _check_others(store, layout, path, documents)


def _put_with_blocks(  # noqa: PLR0913, PLR0917 - as above
    store: Store,
    layout: Layout,
    missing: list[tuple[str, dict[str, bytes]]],
    path: str,
    documents: Mapping[str, bytes],
    holders: Mapping[str, bytes],
) -> None:
    """The same, with the consolidated metadata above."""
    texts = [(above, key, text) for above, found in missing for key, text in found.items()]
    texts += [(path, key, text) for key, text in documents.items()]
    changes = [Written(at, key[len(layout.directory(at)) :], None, text) for at, key, text in texts]
    change_documents(store, layout, changes, holders)


def _put_alone(store: Store, layout: Layout, path: str, documents: Mapping[str, bytes]) -> None:
    """Write the one document of a node if none exists, which needs no journal."""
    ((key, text),) = documents.items()
    if not store.create(key, text):
        raise _beaten(store, path, key)
    _check_others(store, layout, path, documents)


def check_path(spec: Spec, path: str) -> tuple[str, ...]:
    """The names along `path`; PathError if the format of `spec` forbids one."""
    names = parse_path(path)
    check_names(spec.family.form, names)
    return names


def check_names(form: Format, names: tuple[str, ...]) -> None:
    """Raise PathError if the format forbids one of the names."""
    faults: list[Fault] = []
    for name in names:
        name_faults(name, form, faults)
    for fault in faults:
        if fault.rule.severity("strict") == "error":
            raise PathError(f"{join(names)}: expected {fault.expected}, found {fault.found}")
    if names:
        check_key("/".join(names))


def entry_text() -> bytes:
    """The entry point of a new draft hierarchy."""
    encoding = {"type": "json", "metadata_key_suffix": ".json"}
    document: dict[str, Any] = {
        **ENTRY_POINT.constants["entry point"],
        "metadata_encoding": encoding,
        "extensions": [],
    }
    return document_text(document)


# --- existing nodes -------------------------------------------------------------------------------------


def _missing(
    store: Store, spec: Spec, names: tuple[str, ...], texts: Mapping[str, bytes | None]
) -> tuple[Layout, list[tuple[str, dict[str, bytes]]]]:
    """The layout of the new node, and the documents to write above it, by path."""
    paths = [join(names[:count]) for count in range(len(names) + 1)]
    nodes = {path: found_in(texts, path) for path in paths}
    layout = LAYOUTS[spec.family.form][0]
    if layout.implicit_groups:
        return _missing_draft(store, spec, paths, nodes, texts)
    _check(store, spec, paths, nodes)
    missing: list[tuple[str, dict[str, bytes]]] = []
    group = {f"{end}": document_text(document) for end, document in _plain_group(layout).items()}
    for path in paths:
        if nodes[path] is None:
            check_files(store, layout.directory(path), path, spec.kind if path == paths[-1] else "group")
        if nodes[path] is None and path != paths[-1]:
            missing.append((path, {layout.key(path, end): text for end, text in group.items()}))
    return layout, missing


def _plain_group(layout: Layout) -> dict[str, Any]:
    group = cast("Any", layout.family.classes["group"])()
    return cast("dict[str, Any]", group.to_documents())


def _missing_draft(
    store: Store,
    spec: Spec,
    paths: list[str],
    nodes: Mapping[str, StoredNode | None],
    texts: Mapping[str, bytes | None],
) -> tuple[Layout, list[tuple[str, dict[str, bytes]]]]:
    missing: list[tuple[str, dict[str, bytes]]] = []
    base = next((path for path in reversed(paths) if (found := nodes[path]) and found.is_entry), None)
    if base is None:
        layout: Layout = DRAFT_2022
        _check(store, spec, paths, nodes)
        check_files(store, "", "/", "group")
        missing.append(("/", {ENTRY_KEY: entry_text()}))
    else:
        text = cast("bytes", texts[V3_LAYOUT.key(base, ENTRY_KEY)])
        layout = entry_layout(text, base)
    inside = paths[paths.index(base or "/") :]
    keys = {layout.key(path, end): (path, end) for path in inside for end, _ in layout.marks}
    for (path, end), there in zip(keys.values(), store.get_many(keys), strict=True):
        if there is not None and (path == paths[-1] or end == ".array.json"):
            _check(store, spec, paths, {path: StoredNode.of(path, layout, {end: there})})
    if spec.kind == "array" and base is not None and store.capabilities.listable:
        _check_implicit(store, layout, paths[-1])
    return layout, missing


def _check_implicit(store: Store, layout: Layout, path: str) -> None:
    """Raise ConflictError if nodes below make the path a group without a document."""
    key = next(iter(store.list(layout.directory(path))), None)
    if key is not None and path != "/":
        found = f"a draft group, which contains {key!r}"
        fix = "open it, or let zom.materialize update or replace it"
        problem = conflict(EXISTS, path, "nothing, to create a node there", found, fix, key=key)
        raise refused([problem], store.url)


def _check(store: Store, spec: Spec, paths: list[str], nodes: Mapping[str, StoredNode | None]) -> None:
    """Raise ConflictError if a node blocks the last path, or one above it."""
    form = spec.family.form
    for path in reversed(paths):
        found = nodes.get(path)
        if found is None:
            continue
        if path == paths[-1]:
            fix = "open it, or let zom.materialize update or replace it"
            raise _refused(store, EXISTS, path, "nothing, to create a node there", found, fix)
        if found.kind == "array":
            fix = "choose another path"
            raise _refused(store, ARRAY_ABOVE, path, f"a group, to contain {paths[-1]}", found, fix)
        if found.kind is None and not found.is_entry:
            fix = "correct the document, or choose another path"
            raise _refused(store, BROKEN, path, f"a {form} group, to contain {paths[-1]}", found, fix)
        if found.form != form:
            fix = f"choose another place, or convert it with zom.convert(spec, {found.form!r})"
            raise _refused(store, OTHER_FORMAT, path, f"a {form} group, to contain {paths[-1]}", found, fix)


def _refused(  # noqa: PLR0913, PLR0917 - everything reported
    store: Store, broken: Rule, path: str, expected: str, found: StoredNode, fix: str | None = None
) -> ConflictError:
    key = next(iter(found.documents.values())).key
    return refused([conflict(broken, path, expected, str(found), fix, key=key)], store.url)


def _check_names_here(store: Store, path: str, form: Format) -> None:
    """Raise ConflictError if a name of the path can't be a node's name in this store."""
    wanted = taken_name(store, path, form)
    if wanted is not None:
        found = repr(path.rpartition("/")[2])
        raise ConflictError([conflict(NAME, path, wanted, found, "choose another name")], store.url)


def _check_place(store: Store, layout: Layout, above: list[str], path: str, spec: Spec) -> None:
    """Raise ConflictError if a visible obstacle keeps a document or a chunk from being written."""
    keys = [V3_LAYOUT.key(at, ENTRY_KEY) if layout.implicit_groups else layout.tried(at)[0] for at in above]
    own = layout.tried(path)[0]
    if store.capabilities.zarr_keys and spec.kind == "array" and (key := first_chunk(layout, path, spec)):
        keys.append(key)
    problems = [
        conflict(OBSTACLE, f"/{key.rpartition('/')[0]}", expected, f"{found} at {key!r}", fix, key=key)
        for key, expected, found, fix in store.obstacles(Wanted([*keys, own]))
    ]
    if problems:
        raise ConflictError(problems, store.url)


# --- what is written ------------------------------------------------------------------------------------


def _own_documents(layout: Layout, path: str, spec: Spec) -> dict[str, bytes]:
    documents = {key: node_text(each, path, key) for key, each in layout.documents(path, spec).items()}
    # A draft group without a document would not exist: nothing is below it yet.
    return documents or {layout.key(path, ".group.json"): document_text({"attributes": {}})}


def _beaten(store: Store, path: str, key: str) -> ConflictError:
    found = f"{last_name(key)!r}, which another process wrote meanwhile"
    problem = conflict(EXISTS, path, "nothing, to create a node there", found, key=key)
    return refused([problem], store.url)


def _check_others(store: Store, layout: Layout, path: str, documents: Mapping[str, bytes]) -> None:
    """Keep only the node that readers see if two were created with different kinds at one path."""
    own = next(key for key in documents if last_name(key) != ".zattrs")
    order = [V3_LAYOUT.key(path, ENTRY_KEY), *(V2_LAYOUT.key(path, end) for end, _ in V2_LAYOUT.marks)]
    if layout not in {V2_LAYOUT, V3_LAYOUT}:
        order = [layout.key(path, end) for end, _ in layout.marks]
    before = order[: order.index(own)]
    for key, text in zip(before, store.get_many(before), strict=True):
        if text is not None:
            store.delete_many([own, *(each for each in documents if each != own)])
            raise _beaten(store, path, key)
