"""The nodes to copy: those of the source, each with its form in the target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.engine.compile import compile_plan
from zom.errors import NotFound, SpecError, StoreError, UnknownName
from zom.formats.resolve import resolve
from zom.hierarchy.journal.journal import JOURNAL
from zom.hierarchy.stored.chunk_compatibility import same_elements
from zom.hierarchy.stored.findings import UNLISTED_GROUP
from zom.hierarchy.stored.layout import ENTRY_KEY
from zom.hierarchy.stored.pending import pending
from zom.hierarchy.stored.read import read_tree
from zom.hierarchy.stored.source import Source
from zom.json.python_value import is_dict
from zom.model.tree import flatten
from zom.problems import Problem, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.read import OnError
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.spec import Spec
    from zom.problems import Rule
    from zom.stores.interface import Store

__all__ = ["Original", "check_known", "foreign_in_groups", "held_nodes", "read_original", "wanted_nodes"]

_SOURCE = "zom: a copy has the elements of its source, in the same or in other chunks"

SHAPE = rule("copy/shape", "a copied array keeps its shape", source=_SOURCE)
DATA_TYPE = rule("copy/data-type", "a copied array keeps its data type", source=_SOURCE)
NO_SOURCE = rule("copy/no-source", "every array of the target is an array in the source", source=_SOURCE)
TARGET_NAME = rule(
    "copy/name",
    "a copied node has a name that the target supports",
    source="zom: only local disks have names that are not valid text",
)
NOT_UNDERSTOOD = rule(
    "copy/not-understood",
    "zom knows the chunk keys of a copied array",
    source="Zarr v3, extension definition, must_understand",
)


@dataclass(frozen=True, slots=True)
class Original:
    """The hierarchy that is copied."""

    store: Store
    tree: StoredTree
    specs: Mapping[str, Spec]
    """Each node by its path below the copied one, without members."""
    stored: Mapping[str, StoredNode]
    """The documents of each node."""
    consolidated: frozenset[str]
    """The groups with consolidated metadata."""
    problems: tuple[Problem, ...] = ()
    """The problems of the nodes that were left out."""

    def path(self, inner: str) -> str:
        """The path in the store of the node at `inner`."""
        return f"{self.tree.path.rstrip('/')}{inner}" if inner != "/" else self.tree.path


def read_original(  # noqa: PLR0913 - each is a choice of the caller
    store: Store,
    path: str,
    *,
    form: FormatName | None = None,
    like: Spec | None = None,
    on_error: OnError = "raise",
    needs_root: bool = True,
) -> Original:
    """The hierarchy at `path`; StoreError during a change of it.

    SpecError if a node can't be read; with `on_error="skip"` it is left out, even the root unless
    `needs_root`. A group whose members can't be listed is left out, too: the copy would silently lack them.
    """
    _check_settled(store, path)
    tree = read_tree(store, path, form=form, like=like, on_error=on_error)
    unlisted = {problem.node for problem in tree.problems if problem.code == UNLISTED_GROUP.code}
    if tree.root.path in unlisted or (needs_root and tree.root.path in tree.unreadable):
        raise SpecError(tree.problems, store.url)
    start = len(tree.path.rstrip("/"))
    stored = {node.path[start:] or "/": node for node in tree.root.walk()}
    layout = tree.layout
    holders: set[str] = {"/"} if tree.consolidated is not None else set()
    if layout.consolidated is not None:
        groups = [inner for inner, node in stored.items() if node.kind == "group" and inner not in holders]
        keys = [layout.key(f"{tree.path}{inner}", layout.consolidated) for inner in groups]
        there = zip(groups, store.get_many(keys), strict=True)
        holders.update(inner for inner, text in there if text is not None)
    if layout.inline is not None:
        for inner, node in stored.items():
            values: list[Any] = [each.value for each in node.documents.values() if not each.steps]
            if any(is_dict(value) and value.get(layout.inline) is not None for value in values):
                holders.add(inner)
    specs = {inner: spec for inner, spec in flatten(tree.spec).items() if stored[inner].path not in unlisted}
    problems = [problem for problem in tree.problems if problem.severity == "error"]
    if on_error == "skip":
        problems += _without_unknown(specs, tree)
    return Original(store, tree, specs, stored, frozenset(holders), tuple(problems))


def _without_unknown(specs: dict[str, Spec], tree: StoredTree) -> list[Problem]:
    """Remove the arrays below the root whose chunk keys are unknown, and return their problems."""
    problems: list[Problem] = []
    for inner, spec in list(specs.items()):
        if spec.kind != "array" or inner == "/":
            continue
        obstacle = resolve(spec).obstacle
        if obstacle is not None:
            del specs[inner]
            node = f"{tree.path.rstrip('/')}{inner}"
            wanted = "an array whose chunk keys zom knows"
            problems.append(Problem(NOT_UNDERSTOOD.code, "error", node, "", (), wanted, obstacle))
    return problems


def _check_settled(store: Store, path: str) -> None:
    key = pending(store, path)
    if key is not None:
        reason = "a change of it is running or was interrupted: wait until it ends, or call zom.repair"
        raise StoreError(store.url, key, "copy", reason)


def wanted_nodes(
    original: Original, spec: Spec | None, select: str | None
) -> tuple[dict[str, Spec], tuple[str, ...]]:
    """The nodes of the target by path, groups before members, and the source's nodes that are left out.

    NotFound if `select` matches nothing; SpecError if an array of `spec` isn't in the source, or has another
    shape or data type there.
    """
    whole: Spec = original.tree.spec if spec is None else spec
    nodes = dict(original.specs) if spec is None else flatten(spec)
    left = tuple(path for path in original.specs if path not in nodes)
    if select is not None:
        nodes = _selected(original, whole, nodes, select)
    if spec is not None:
        _check(original, nodes)
    return nodes, left


def held_nodes(
    original: Original, nodes: Mapping[str, Spec], store: Store, path: str
) -> tuple[dict[str, Spec], Original]:
    """The nodes that the target can hold at `path`, and the original with the problems of the others."""
    base = path.strip("/")
    held = {at: spec for at, spec in nodes.items() if store.holds(f"{base}{at}".strip("/"))}
    wanted, fix = "a name that the target supports", "rename it, or copy it by itself to a target_path"
    problems = [
        Problem(
            TARGET_NAME.code, "error", original.path(at), "", (), wanted, show(at.rpartition("/")[2]), fix
        )
        for at in nodes
        if at not in held
    ]
    return held, replace(original, problems=(*original.problems, *problems)) if problems else original


def _selected(original: Original, whole: Spec, nodes: Mapping[str, Spec], select: str) -> dict[str, Spec]:
    matched: dict[str, Spec] = whole.select(select)
    if not matched:
        where = original.store.url
        raise NotFound(
            f"{where}: expected nodes that match {show(select)} in {original.tree.path}, found none"
        )
    names: set[str] = {"/"}
    for match in matched:
        path = match
        while path != "/":
            names.add(path)
            path = path.rpartition("/")[0] or "/"
    return {path: node for path, node in nodes.items() if path in names}


def _check(original: Original, nodes: Mapping[str, Spec]) -> None:
    problems: list[Problem] = []

    def add(broken: Rule, path: str, expected: str, found: str, fix: str) -> None:
        inside = ("shape",) if broken is SHAPE else ()
        problems.append(Problem(broken.code, "error", path, "", inside, expected, found, fix))

    for path, new in nodes.items():
        old = original.specs.get(path)
        if new.kind != "array":
            if old is not None and old.kind == "array":
                add(NO_SOURCE, path, "an array, as in the source", "a group", "choose another path for it")
            continue
        if old is None or old.kind != "array":
            found = "nothing" if old is None else "a group"
            add(NO_SOURCE, path, "an array in the source", found, "omit it, and create it after the copy")
            continue
        mine, theirs = _shape(old), _shape(new)
        if mine != theirs:
            fix = "copy it first, then resize the copy"
            add(SHAPE, path, str(mine), str(theirs), fix)
        types = [compile_plan(each).data_type for each in (old, new)]
        if not same_elements(*types):
            names = [each.name for each in types]
            add(DATA_TYPE, path, names[0], names[1], "a copy converts no elements")
    if problems:
        raise SpecError(problems, "copy")


def _shape(spec: Spec) -> tuple[int, ...]:
    return cast("tuple[int, ...]", spec.__dict__["shape"])


def foreign_in_groups(original: Original, groups: Iterable[str]) -> list[str]:
    """The keys and directories in copied groups that are neither nodes nor documents."""
    store, layout = original.store, original.tree.layout
    if not store.capabilities.listable:
        return []
    known = {document.key for node in original.stored.values() for document in node.documents.values()}
    known.add(f"{layout.base}{ENTRY_KEY}" if layout.implicit_groups else "")
    found: list[str] = []
    prefixes = {path: layout.directory(original.path(path)) for path in groups}
    with Source(store) as source:
        source.fetch(prefixes=prefixes.values())
        for path, prefix in prefixes.items():
            listing = source.listing(prefix)
            if layout.consolidated is not None:
                known.add(layout.key(original.path(path), layout.consolidated))
            found.extend(key for key in listing.keys if key not in known and not _is_own(key))
            if not layout.implicit_groups:
                names = {f"{prefix}{name}/" for name in original.stored[path].members or {}}
                found.extend(below for below in listing.prefixes if below not in names)
    return found


def _is_own(key: str) -> bool:
    """Whether the key is one of zom's own, of a running change."""
    name = key.rpartition("/")[2]
    return name == JOURNAL or name.startswith(".zom.")


def check_known(original: Original, path: str, spec: Spec) -> None:
    """Raise UnknownName, with the path of the array, if its chunk keys are unknown."""
    obstacle = resolve(spec).obstacle
    if obstacle is not None:
        raise UnknownName(f"{original.path(path)}: {obstacle}")
