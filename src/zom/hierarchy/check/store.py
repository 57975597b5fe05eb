"""Checking a store: documents, keys and chunks of a whole hierarchy, and what differs from what was expected.

One listing tells all keys; documents are read once; chunks only where that is asked for, array by array.
The memory it takes grows with the number of nodes, not with the number of keys.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from zom.errors import SpecError, StoreError, ZomError
from zom.hierarchy.change.new_names import names_in_tree
from zom.hierarchy.check.chunk_keys import KeysOfArray
from zom.hierarchy.check.chunk_rules import DIFFERS, NOT_CHECKED, UNLISTED
from zom.hierarchy.check.chunk_values import Progress, ValuesOfArray
from zom.hierarchy.check.loose_keys import LooseKeys
from zom.hierarchy.check.tally import Tally
from zom.hierarchy.check.unfinished import unfinished_changes
from zom.hierarchy.stored.array_chunks import array_chunks
from zom.hierarchy.stored.findings import UNLISTED_GROUP, UNREADABLE, Findings
from zom.hierarchy.stored.read import inspect_tree
from zom.hierarchy.stored.tree import place, spec_of
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.compare import diff
from zom.model.spec import Spec
from zom.model.tree import walk
from zom.problems import Problem, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zom.hierarchy.stored.lookup import Form
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.compare import Change
    from zom.problems import Level
    from zom.stores.interface import Store
    from zom.template.models import Template

__all__ = ["DataLevel", "check_store"]

DataLevel = Literal["none", "index", "all"]
"""What of the chunks is read: nothing, the indexes of shards, everything."""

_SOME = 1000
"""How many keys are looked at before the caller is told."""


def check_store(  # noqa: PLR0913 - each is a choice of the caller's
    store: Store,
    path: str = "",
    like: Spec | Template | None = None,
    *,
    data: DataLevel = "none",
    level: Level = "strict",
    form: Form | None = None,
    limit: int | None = 1000,
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[Problem, ...]:
    """Everything that is wrong with the hierarchy at `path`; see `zom.check`.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "photo.jpg": b""})
    >>> [problem.code for problem in check_store(store)]
    ['store/foreign-key']
    """
    if data not in {"none", "index", "all"}:
        raise ValueError(f"data: expected 'none', 'index' or 'all', got {data!r}")
    tally = Tally(limit, level)
    before: tuple[Problem, ...] = ()
    try:
        tree = inspect_tree(store, path, level=level, form=form, like=like, limits=limits)
    except StoreError:
        # Whoever reads a hierarchy that is between two states refuses to; a check tells why.
        unfinished = unfinished_changes(store, path, level)
        if not unfinished:
            raise
        return unfinished
    except SpecError as error:
        before = error.problems
        try:
            tree = inspect_tree(store, path, level="lenient", form=form, like=like, limits=limits)
        except SpecError:
            return before
    checking = _StoreCheck(store, tree, tally, limits)
    if store.capabilities.listable:
        checking.check_keys(progress)
    else:
        tally.add(UNLISTED, tree.path, "a store that lists its keys", "one that can't")
    if data != "none":
        checking.check_values(progress, decodes=data == "all")
    named = names_in_tree(tree.root, lambda node: node.members, tree.layout.family.form, level)
    for problem in named:
        place(problem, tree.root, checking.findings)
    found = (*tree.problems, *before, *checking.findings.problems)
    first = {(each.code, each.node, each.pointer): each for each in found}
    told = {(code, node) for code, node, _ in first}
    rest = (each for each in tally.problems() if (each.code, each.node) not in told)
    return (*first.values(), *rest, *_differences(store, tree, like, level, limits))


class _CheckedArray(NamedTuple):
    """An array, what was told of its keys, and what can be told of its values."""

    keys: KeysOfArray
    values: ValuesOfArray


class _StoreCheck:
    """One hierarchy that is checked."""

    def __init__(self, store: Store, tree: StoredTree, tally: Tally, limits: Limits) -> None:
        self._store = store
        self._tree = tree
        self._tally = tally
        self._limits = limits
        self.findings = Findings(store.url, "strict", limits)
        """What the tree says, besides what was said when it was read."""
        specs: dict[str, Spec] = {}
        if tree.spec is not None:
            specs = {_joined(tree.path, path): spec for path, spec in walk(cast("Spec", tree.spec))}
        self._arrays: dict[str, _CheckedArray | None] = {}
        """By what the keys of its chunks begin with; None for what can't be judged."""
        for node in tree.root.walk():
            if node.kind != "group":
                prefix = tree.layout.chunk_prefix(node.path)
                self._arrays[prefix] = self._entry(node, specs.get(node.path))

    def _entry(self, node: StoredNode, spec: Spec | None) -> _CheckedArray | None:
        layout = self._tree.layout
        if spec is None:
            spec = spec_of(node, Findings(self._store.url, "lenient", self._limits))
        if spec is None or spec.kind != "array":
            return None  # its document is at fault, and of that is told
        try:
            chunks = array_chunks(spec, self._store, node.path, layout)
        except ZomError as error:
            wanted = "an array whose chunks zom can tell"
            key = next(iter(layout.keys(node.path, "array")))
            self._tally.add(NOT_CHECKED, node.path, wanted, str(error), key=key)
            return None
        keys = KeysOfArray(chunks, layout, self._tally)
        return _CheckedArray(keys, ValuesOfArray(chunks, keys, self._tally))

    # --- keys ------------------------------------------------------------------------------------------

    def check_keys(self, progress: Callable[[int, int], object] | None) -> None:
        """Judge every key by one listing; how many there are is not known beforehand."""
        if any(each.code in {UNREADABLE.code, UNLISTED_GROUP.code} for each in self._tree.problems):
            self._check_readable_arrays()
            return
        try:
            self._check_listing(progress)
        except StoreError as error:
            self._note_unlisted(self._tree.path, error)

    def _note_unlisted(self, node: str, error: StoreError) -> None:
        key = error.key.strip("/") or None
        self._tally.add(UNLISTED_GROUP, node, "keys that can be listed", error.reason, key=key)

    def _check_readable_arrays(self) -> None:
        """Judge the keys of each array by itself, where a part of the store can't be listed."""
        for prefix, entry in self._arrays.items():
            if entry is None:
                continue
            try:
                for key, size in self._store.sizes(prefix):
                    if self._owner(key) == prefix:
                        entry.keys.take(key, size)
                entry.keys.finish()
            except StoreError as error:
                self._note_unlisted(f"/{prefix[:-1]}", error)

    def _check_listing(self, progress: Callable[[int, int], object] | None) -> None:
        loose = LooseKeys(self._tree, self._tally)
        arrays = self._arrays
        last: str | None = None
        for number, (key, size) in enumerate(self._listed(), 1):
            if last is None or not key.startswith(last):
                last = self._owner(key)
            if last is None:
                loose.take(key)
            elif (entry := arrays[last]) is not None:
                entry.keys.take(key, size)
            if progress is not None and not number % _SOME:
                progress(number, 0)
        loose.finish()
        for entry in arrays.values():
            if entry is not None:
                entry.keys.finish()

    def _listed(self) -> Iterator[tuple[str, int]]:
        layout, path = self._tree.layout, self._tree.root.inner
        is_whole = not layout.implicit_groups or f"{path}/".lstrip("/") == layout.base
        prefixes = (f"{path}/".lstrip("/"),) if is_whole else layout.node_prefixes(path)
        for prefix in prefixes:
            yield from self._store.sizes(prefix)

    def _owner(self, key: str) -> str | None:
        """What the keys of the array begin with below which the key lies."""
        end = len(key)
        while end > 0:
            end = key.rfind("/", 0, end)
            prefix = key[: end + 1]
            if prefix in self._arrays:
                return prefix
        return None

    # --- values ----------------------------------------------------------------------------------------

    def check_values(self, progress: Callable[[int, int], object] | None, *, decodes: bool) -> None:
        """Check the chunks of each array."""
        entries = [entry for entry in self._arrays.values() if entry is not None]
        total = Progress(progress, sum(entry.keys.count for entry in entries))
        for entry in entries:
            if self._store.capabilities.listable:
                entry.values.check(decodes=decodes, progress=total)
            else:
                entry.values.check_unlisted(decodes=decodes, progress=progress)


# --- what was expected ----------------------------------------------------------------------------------


def _differences(
    store: Store, tree: StoredTree, like: Spec | Template | None, level: Level, limits: Limits
) -> Iterator[Problem]:
    """In what the hierarchy differs from what it should be like."""
    if like is None:
        return
    spec = tree.spec
    if spec is None:
        spec = spec_of(tree.root, Findings(store.url, "lenient", limits))
    if spec is None:
        return  # what is told of its documents comes first
    if not isinstance(like, Spec):
        for problem in like.check(spec, level):
            yield replace(problem, node=_joined(tree.path, problem.node))
        return
    for change in diff(like, spec):
        expected, found = _words(change)
        node = _joined(tree.path, change.node)
        yield Problem(DIFFERS.code, "error", node, change.pointer, change.inside, expected, found)


def _words(change: Change) -> tuple[str, str]:
    if not change.inside and change.kind != "changed":
        there = "a node, as the spec says" if change.kind == "removed" else "a node"
        return (there, "none") if change.kind == "removed" else ("none, as the spec says", there)
    old: Any = "nothing" if change.kind == "added" else show(change.old)
    new: Any = "nothing" if change.kind == "removed" else show(change.new)
    return old, new


def _joined(above: str, path: str) -> str:
    return "/" + "/".join(part for part in (above.strip("/"), path.strip("/")) if part)
