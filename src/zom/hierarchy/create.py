"""Creating one node, with the groups above it that are missing: of several creators, one succeeds.

Zarr v3, section "Storage": every group has a document; Zarr v2, section "Hierarchies": all ancestors are
groups. Groups are written before what lies in them, each only where nothing is.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom import jsontext
from zom.errors import ConflictError, PathError, ReadOnlyError
from zom.hierarchy.conflicts import (
    ARRAY_ABOVE,
    BROKEN,
    EXISTS,
    FILES,
    IN_THE_WAY,
    OTHER_FORMAT,
    conflict,
    few,
)
from zom.hierarchy.layout import DRAFT_2022, ENTRY_KEY, V2_LAYOUT, V3_LAYOUT, draft_layout
from zom.hierarchy.text import document_text
from zom.hierarchy.upkeep import documents_change
from zom.model.draft import ENTRY_POINT, EntryPoint
from zom.model.output import member_specs
from zom.model.spec import Spec
from zom.paths import check_key, join, name_faults, parse_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.hierarchy.layout import Layout
    from zom.model.datatype import Format
    from zom.problems import Fault, Problem, Rule
    from zom.stores.interface import Store

__all__ = [
    "Found",
    "check_is_spec",
    "check_names",
    "check_path",
    "create_node",
    "entry_text",
    "found_in",
    "last_name",
]

_LOOKED_AT = 1000
"""How many keys of a directory are looked at to tell whose they are."""

DOCUMENT_NAMES = frozenset({ENTRY_KEY, ".zarray", ".zgroup", ".zattrs", ".zmetadata"})


class Found(NamedTuple):
    """A node that is there already."""

    form: str
    """`v2`, `v3`, `draft`."""
    kind: str
    """`array`, `group`, `hierarchy` for the entry point of a draft, or `document that can't be read`."""
    key: str

    def __str__(self) -> str:
        return f"a {self.form} {self.kind}"


def check_is_spec(found: object) -> None:
    """TypeError unless it is a spec: a document is easily given in its place."""
    if not isinstance(found, Spec):
        raise TypeError(f"expected a spec, got {type(found).__name__}; zom.parse makes one of a document")


def create_node(store: Store, spec: Spec, path: str = "") -> Layout:
    """Write the documents of an array, or of a group without members, and of missing groups above it.

    ConflictError, and nothing written, where a node is already, or is made by others meanwhile.

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
    if member_specs(spec):
        reason = "a group that brings members is made by zom.materialize(spec, store, path)"
        raise TypeError(f"{join(names)}: expected an array, or a group without members; {reason}")
    layout, missing = _missing(store, spec, names)
    path = join(names)
    with documents_change(store, [*(above for above, _ in missing), path], layout):
        for above, texts in missing:
            for key, text in texts.items():
                # Somebody else may have made the same group meanwhile: then it is there, and that is enough.
                if not store.create(key, text):
                    _check_group_above(store, above, spec)
        _put_node(store, layout, path, spec)
    return layout


def check_path(spec: Spec, path: str) -> tuple[str, ...]:
    """The names along `path`; PathError where the format of `spec` forbids one."""
    names = parse_path(path)
    check_names(spec.family.form, names)
    return names


def check_names(form: Format, names: tuple[str, ...]) -> None:
    """PathError where the format forbids one of the names."""
    faults: list[Fault] = []
    for name in names:
        name_faults(name, form, faults)
    for fault in faults:
        if fault.rule.severity("strict") == "error":
            raise PathError(f"{join(names)}: expected {fault.expected}, found {fault.found}")
    if names:
        check_key("/".join(names))


def last_name(key: str) -> str:
    """The last name of a key."""
    return key.rpartition("/")[2]


def entry_text() -> bytes:
    """The entry point of a new draft hierarchy."""
    encoding = {"type": "json", "metadata_key_suffix": ".json"}
    document: dict[str, Any] = {
        **ENTRY_POINT.constants["entry point"],
        "metadata_encoding": encoding,
        "extensions": [],
    }
    return document_text(document)


# --- what is there --------------------------------------------------------------------------------------


def _missing(
    store: Store, spec: Spec, names: tuple[str, ...]
) -> tuple[Layout, list[tuple[str, dict[str, bytes]]]]:
    """The layout that the node will have, and what must be written above it, by path."""
    paths = [join(names[:count]) for count in range(len(names) + 1)]
    keys = [key for path in paths for layout in (V3_LAYOUT, V2_LAYOUT) for key in layout.tried(path)]
    texts = dict(zip(keys, store.get_many(keys), strict=True))
    nodes = {path: found_in(texts, path) for path in paths}
    form = spec.family.form
    if form == "draft":
        return _missing_draft(store, spec, paths, nodes, texts)
    layout = V2_LAYOUT if form == "v2" else V3_LAYOUT
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
    nodes: Mapping[str, Found | None],
    texts: Mapping[str, bytes | None],
) -> tuple[Layout, list[tuple[str, dict[str, bytes]]]]:
    missing: list[tuple[str, dict[str, bytes]]] = []
    base = next(
        (path for path in reversed(paths) if (found := nodes[path]) and found.kind == "hierarchy"), None
    )
    if base is None:
        layout: Layout = DRAFT_2022
        _check(store, spec, paths, nodes)
        check_files(store, "", "/", "group")
        missing.append(("/", {ENTRY_KEY: entry_text()}))
    else:
        text = cast("bytes", texts[V3_LAYOUT.key(base, ENTRY_KEY)])
        layout = draft_layout(EntryPoint.parse(text, "lenient", on_warning=_quiet), base)
    inside = paths[paths.index(base or "/") :]
    keys = {layout.key(path, end): (path, end) for path in inside for end, _ in layout.marks}
    for (path, end), there in zip(keys.values(), store.get_many(keys), strict=True):
        kind = "array" if end == ".array.json" else "group"
        if there is not None and (path == paths[-1] or kind == "array"):
            _check(store, spec, paths, {path: Found("draft", kind, layout.key(path, end))})
    return layout, missing


def _quiet(problem: Problem) -> None:
    """What is odd in an entry point is told where it is read."""


def found_in(texts: Mapping[str, bytes | None], path: str) -> Found | None:
    """The node whose documents are at `path`, by what lies in `texts`."""
    key = V3_LAYOUT.key(path, ENTRY_KEY)
    text = texts.get(key)
    if text is not None:
        value = jsontext.read(text, [])
        if not isinstance(value, dict):
            return Found("v3", "document that can't be read", key)
        document = cast("dict[str, Any]", value)
        if isinstance(document.get("zarr_format"), str):
            return Found("draft", "hierarchy", key)
        kind = document.get("node_type")
        return Found("v3", kind if kind in {"array", "group"} else "document that can't be read", key)
    for end, kind in V2_LAYOUT.marks:
        if texts.get(V2_LAYOUT.key(path, end)) is not None:
            return Found("v2", str(kind), V2_LAYOUT.key(path, end))
    return None


def _check(store: Store, spec: Spec, paths: list[str], nodes: Mapping[str, Found | None]) -> None:
    """ConflictError where a node is in the way at the last path, or above it."""
    form = spec.family.form
    for path in reversed(paths):
        found = nodes.get(path)
        if found is None:
            continue
        if path == paths[-1]:
            fix = "open it, or let zom.materialize update or replace it"
            raise _refused(store, EXISTS, path, "nothing, to create a node there", found, fix)
        if found.kind == "array":
            raise _refused(store, ARRAY_ABOVE, path, f"a group, to hold {paths[-1]}", found)
        if "can't" in found.kind:
            raise _refused(store, BROKEN, path, f"a {form} group, to hold {paths[-1]}", found)
        if found.form != form:
            fix = f"put it elsewhere, or convert it with zom.convert(spec, {found.form!r})"
            raise _refused(store, OTHER_FORMAT, path, f"a {form} group, to hold {paths[-1]}", found, fix)


def _refused(  # noqa: PLR0913, PLR0917 - all that is told
    store: Store, broken: Rule, path: str, expected: str, found: Found, fix: str | None = None
) -> ConflictError:
    return ConflictError([conflict(broken, path, expected, str(found), fix, key=found.key)], store.url)


def _check_group_above(store: Store, path: str, spec: Spec) -> None:
    """A group was made by somebody else: ConflictError where it is no group of this format."""
    keys = [key for layout in (V3_LAYOUT, V2_LAYOUT) for key in layout.tried(path)]
    found = found_in(dict(zip(keys, store.get_many(keys), strict=True)), path)
    if found is not None and found.kind not in {"group", "hierarchy"}:
        raise _refused(store, ARRAY_ABOVE, path, "a group", found)
    if found is not None and found.form != spec.family.form:
        raise _refused(store, OTHER_FORMAT, path, f"a {spec.family.form} group", found)


def check_files(store: Store, directory: str, path: str, kind: str) -> None:
    """ConflictError where files lie in the way of a new node: what is no Zarr's, or would be its chunks."""
    if not store.capabilities.listable:
        return
    keys = list(islice(_keys(store, directory), _LOOKED_AT))
    documents = [key for key in keys if last_name(key) in DOCUMENT_NAMES]
    if documents and kind != "array":
        return
    if documents:
        found = f"nodes below it: {few(documents)}"
        raise ConflictError([conflict(IN_THE_WAY, path, "nothing below a new array", found)], store.url)
    if keys:
        fix = "choose another place, or move them away"
        found = f"files that are not of a Zarr hierarchy: {few(keys)}"
        raise ConflictError([conflict(FILES, path, "nothing, to make it a node", found, fix)], store.url)


def _keys(store: Store, directory: str) -> Iterator[str]:
    return store.list(directory)


# --- what is written ------------------------------------------------------------------------------------


def _put_node(store: Store, layout: Layout, path: str, spec: Spec) -> None:
    """Write the node's documents, each only where nothing is; those besides its own first."""
    documents = {key: document_text(each) for key, each in layout.documents(path, spec).items()}
    if not documents:
        # A group of the draft that is not written would not be there: nothing lies below it yet.
        documents = {layout.key(path, ".group.json"): document_text({"attributes": {}})}
    *_, own = sorted(documents, key=lambda key: last_name(key) != ".zattrs")
    made: list[str] = []
    try:
        for key in sorted(documents, key=lambda key: key == own):
            if not store.create(key, documents[key]):
                raise _beaten(store, path, key)
            made.append(key)
        _check_others(store, layout, path, own)
    except ConflictError:
        store.delete_many(reversed(made))
        raise


def _beaten(store: Store, path: str, key: str) -> ConflictError:
    found = f"{last_name(key)!r}, which somebody else wrote meanwhile"
    problem = conflict(EXISTS, path, "nothing, to create a node there", found, key=key)
    return ConflictError([problem], store.url)


def _check_others(store: Store, layout: Layout, path: str, own: str) -> None:
    """Two may have made nodes of different kinds at one path: the one that readers see stays."""
    order = [V3_LAYOUT.key(path, ENTRY_KEY), *(V2_LAYOUT.key(path, end) for end, _ in V2_LAYOUT.marks)]
    if layout not in {V2_LAYOUT, V3_LAYOUT}:
        order = [layout.key(path, end) for end, _ in layout.marks]
    before = order[: order.index(own)]
    for key, text in zip(before, store.get_many(before), strict=True):
        if text is not None:
            raise _beaten(store, path, key)
