"""Stores, validated: documents, keys and chunks of a whole hierarchy, and what differs from what was expected.

One listing tells all keys; documents are read once; chunks only where that is asked for, array by array.
The memory it takes grows with the number of nodes, not with the number of keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast, get_args

from zom.conventions.framework.detection import judge
from zom.conventions.framework.judgement import Judgement
from zom.errors import SpecError, StoreError, ZomError
from zom.hierarchy.change.new_names import names_in_tree
from zom.hierarchy.check.chunk_keys import KeysOfArray
from zom.hierarchy.check.chunk_rules import NOT_CHECKED, UNLISTED
from zom.hierarchy.check.chunk_values import Progress, ValuesOfArray
from zom.hierarchy.check.expected import differences, joined
from zom.hierarchy.check.loose_keys import LooseKeys
from zom.hierarchy.check.stored_view import StoredView
from zom.hierarchy.check.tally import Tally
from zom.hierarchy.check.unfinished import unfinished_changes
from zom.hierarchy.check.values import Values
from zom.hierarchy.executor import pool_of
from zom.hierarchy.stored.array_chunks import ArrayPlace
from zom.hierarchy.stored.consolidated import STALE
from zom.hierarchy.stored.findings import UNLISTED_GROUP, UNREADABLE, Findings
from zom.hierarchy.stored.read import inspect_tree
from zom.hierarchy.stored.tree import spec_of
from zom.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.conventions.report import Report
    from zom.hierarchy.check.checked_hierarchy import CheckedHierarchy
    from zom.hierarchy.check.choices import Choices
    from zom.hierarchy.executor import Executor, Pool
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.tree import StoredTree
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["DataScope", "report_of_store"]

DataScope = Literal["none", "values", "keys", "index", "all"]
"""What of a store is read besides documents: each includes those before it."""

SCOPES: Final[tuple[DataScope, ...]] = get_args(DataScope)

_SOME = 1000
"""How many keys are looked at before the caller is told."""


def report_of_store(  # noqa: PLR0913 - each is a choice of the caller's
    hierarchy: CheckedHierarchy,
    choices: Choices,
    *,
    data: DataScope | bool = "none",
    limit: int | None = 1000,
    progress: Callable[[int, int], object] | None = None,
    executor: Executor | None = None,
) -> Report:
    """The report of the hierarchy at a path of a store; see `zom.validate`.

    >>> from zom.hierarchy.check.checked_hierarchy import CheckedHierarchy
    >>> from zom.hierarchy.check.choices import chosen
    >>> from zom.limits import DEFAULT_LIMITS
    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "photo.jpg": b""})
    >>> choices = chosen("auto", "text", (), "strict", None, DEFAULT_LIMITS)
    >>> report = report_of_store(CheckedHierarchy(store, "", None), choices, data="keys")
    >>> [problem.code for problem in report]
    ['store/foreign-key']
    """
    if isinstance(data, bool):
        data = "values" if data else "none"
    if data not in SCOPES:
        raise ValueError(f"data: expected 'none', 'values', 'keys', 'index' or 'all', got {data!r}")
    tally = Tally(limit, choices.level)
    store, judgement = hierarchy.store, Judgement(choices.profile)
    pool = pool_of(executor)
    if pool is not None and data in {"index", "all"}:
        pool.check(store)
    try:
        tree, own = _read(hierarchy, choices)
    except SpecError as error:
        return choices.report(judgement, error.problems, store.url, store.url)
    except StoreError:
        # Whoever reads a hierarchy that is between two states refuses to; a check tells why.
        unfinished = unfinished_changes(store, hierarchy.path, choices.level)
        if not unfinished:
            raise
        return choices.report(judgement, unfinished, store.url, store.url)
    if SCOPES.index(data) >= SCOPES.index("keys"):
        _StoreCheck(store, tree, tally, choices.limits).check(data, progress, pool)
    findings = _judge(store, tree, choices, judgement, reads_values=data != "none")
    # What a convention tells of consolidated metadata, reading need not tell again.
    is_told = "consolidated" in judgement.presences
    found = (*(each for each in own if not (is_told and each.code == STALE.code)), *findings)
    told = {(each.code, each.node) for each in found}
    rest = (each for each in tally.problems() if (each.code, each.node) not in told)
    return choices.report(
        judgement, (*found, *rest, *_differences(store, tree, choices)), store.url, store.url
    )


def _read(hierarchy: CheckedHierarchy, choices: Choices) -> tuple[StoredTree, tuple[Problem, ...]]:
    """The tree of nodes, and what is wrong with their documents; read leniently where it must be."""
    store, path, form = hierarchy
    like, limits = choices.like, choices.limits
    try:
        tree = inspect_tree(store, path, level=choices.level, form=form, like=like, limits=limits)
    except SpecError as error:
        try:
            tree = inspect_tree(store, path, level="lenient", form=form, like=like, limits=limits)
        except SpecError:
            raise error from None
        both = (*tree.problems, *error.problems)
        return tree, tuple({(each.code, each.node, each.pointer): each for each in both}.values())
    return tree, tree.problems


def _judge(
    store: Store, tree: StoredTree, choices: Choices, judgement: Judgement, *, reads_values: bool
) -> tuple[Problem, ...]:
    """What conventions, and other systems, find in the documents; each in the document where it stands."""
    view = StoredView(tree)
    if reads_values:
        values = Values(store, tree.path, tree.layout.family.form, judgement, choices.limits)
        for node in view.root.walk():
            node.read, node.read_blocks = values.read, values.blocks
    judge(
        view.root,
        choices.conventions,
        judgement=judgement,
        beside=(view.seen(each) for each in tree.problems),
        is_hidden=lambda problem: choices.is_hidden(view.shown(problem)),
    )
    names = names_in_tree(view.root, lambda node: node.members, view.root.form, choices.level)
    findings = Findings(store.url, choices.level, choices.limits)
    for problem in (*names, *judgement.problems):
        view.place(problem, findings)
    return findings.problems


def _differences(store: Store, tree: StoredTree, choices: Choices) -> Iterable[Problem]:
    """In what the hierarchy differs from what it should be like."""
    if choices.like is None:
        return ()
    spec = tree.spec
    if spec is None:
        spec = spec_of(tree.root, Findings(store.url, "lenient", choices.limits))
    # What is told of documents that can't be read comes first.
    return () if spec is None else differences(choices.like, spec, choices.level, tree.path)


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
        specs: dict[str, Spec] = {}
        if tree.spec is not None:
            specs = {joined(tree.path, path): spec for path, spec in walk(cast("Spec", tree.spec))}
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
            place = ArrayPlace(spec, self._store, node.path, layout)
            chunks = place.open()
        except ZomError as error:
            wanted = "an array whose chunks zom can tell"
            key = next(iter(layout.keys(node.path, "array")))
            self._tally.add(NOT_CHECKED, node.path, wanted, str(error), key=key)
            return None
        keys = KeysOfArray(chunks, layout, self._tally)
        return _CheckedArray(keys, ValuesOfArray(place, chunks, keys, self._tally))

    def check(
        self, data: DataScope, progress: Callable[[int, int], object] | None, pool: Pool | None
    ) -> None:
        """Check keys, and as many values of chunks as is asked for."""
        if self._store.capabilities.listable:
            self.check_keys(progress)
        else:
            self._tally.add(UNLISTED, self._tree.path, "a store that lists its keys", "one that can't")
        if data != "keys":
            self.check_values(progress, pool, decodes=data == "all")

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

    def check_values(
        self, progress: Callable[[int, int], object] | None, pool: Pool | None, *, decodes: bool
    ) -> None:
        """Check the chunks of each array."""
        entries = [entry for entry in self._arrays.values() if entry is not None]
        total = Progress(progress, sum(entry.keys.count for entry in entries))
        for entry in entries:
            if self._store.capabilities.listable:
                entry.values.check(decodes=decodes, progress=total, pool=pool)
            else:
                entry.values.check_unlisted(decodes=decodes, progress=progress, pool=pool)
