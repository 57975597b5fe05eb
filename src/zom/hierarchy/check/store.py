"""Validate stores: documents, keys and chunks of a whole hierarchy, and differences from `like`.

One listing gives all keys. Documents are read once, chunks only on request, array by array. Memory use grows
with the number of nodes, not of keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from zom.conventions.framework.detection import judge
from zom.conventions.framework.judgement import Judgement
from zom.errors import SpecError, StoreError
from zom.hierarchy.change.new_names import names_in_tree
from zom.hierarchy.check.chunk_rules import UNREADABLE_VALUES
from zom.hierarchy.check.expected import differences
from zom.hierarchy.check.stored_view import StoredView
from zom.hierarchy.check.tally import Tally
from zom.hierarchy.stored.consolidated import STALE
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.read import inspect_tree
from zom.hierarchy.stored.tree import spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zom.conventions.report import Report
    from zom.hierarchy.check.checked_hierarchy import CheckedHierarchy
    from zom.hierarchy.check.choices import Choices
    from zom.hierarchy.executor import Executor, Pool
    from zom.hierarchy.stored.tree import StoredTree
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["DataScope", "report_of_store"]

DataScope = Literal["none", "values", "keys", "index", "all"]
"""What to read from a store besides documents; each includes those before it."""

SCOPES: Final[tuple[DataScope, ...]] = get_args(DataScope)


def report_of_store(  # noqa: PLR0913 - each is a choice of the caller
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
    pool = None if executor is None else _pool_of(executor)
    if pool is not None and data in {"index", "all"}:
        pool.check(store)
    try:
        tree, own = _read(hierarchy, choices)
    except SpecError as error:
        return choices.report(judgement, error.problems, store.url, store.url)
    except StoreError:
        # Readers refuse a hierarchy between two states; a check reports why.
        from zom.hierarchy.check.unfinished import unfinished_changes  # noqa: PLC0415 - as below

        unfinished = unfinished_changes(store, hierarchy.path, choices.level)
        if not unfinished:
            raise
        return choices.report(judgement, unfinished, store.url, store.url)
    if SCOPES.index(data) >= SCOPES.index("keys"):
        from zom.hierarchy.check.store_keys import StoreCheck  # noqa: PLC0415 - documents need no engine

        StoreCheck(store, tree, tally, choices.limits).check(data, progress, pool)
    findings = _judge(store, tree, choices, judgement, reads_values=data != "none")
    # Reading need not repeat what a convention reports of consolidated metadata or an unreadable document.
    if "consolidated" in judgement.presences or _is_unreadable(tree.path, own):
        own = tuple(each for each in own if each.code != STALE.code)
    found = _told_once((*own, *findings), tally.problems())
    return choices.report(judgement, (*found, *_differences(store, tree, choices)), store.url, store.url)


def _pool_of(executor: Executor) -> Pool | None:
    from zom.hierarchy.executor import pool_of  # noqa: PLC0415 - imports pickle, and few have an executor

    return pool_of(executor)


def _is_unreadable(path: str, own: Iterable[Problem]) -> bool:
    """Whether the whole document of the node at the path is invalid."""
    node = path.rstrip("/") or "/"
    return any(each.severity == "error" and each.node == node and not each.inside for each in own)


def _told_once(documents: Iterable[Problem], stored: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems of documents and of other stored data, without those that repeat another one."""
    stored = tuple(stored)
    # Problems of an array's chunks explain why its values can't be read.
    damaged = {each.node for each in stored if each.severity == "error"}
    found = tuple(
        each for each in documents if each.code != UNREADABLE_VALUES.code or each.node not in damaged
    )
    told = {(each.code, each.node) for each in found}
    return (*found, *(each for each in stored if (each.code, each.node) not in told))


def _read(hierarchy: CheckedHierarchy, choices: Choices) -> tuple[StoredTree, tuple[Problem, ...]]:
    """The tree of nodes, and the problems of their documents; read leniently if necessary."""
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
    """The problems that conventions and naming rules find, each placed in its document."""
    view = StoredView(tree)
    if reads_values:
        from zom.hierarchy.check.values import Values  # noqa: PLC0415 - as above

        values = Values(store, tree.path, tree.layout.family.form, judgement, choices.limits)
        for node in view.root.walk():
            node.reader = values
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
    """The differences between the hierarchy and `like`."""
    if choices.like is None:
        return ()
    spec = tree.spec
    if spec is None:
        spec = spec_of(tree.root, Findings(store.url, "lenient", choices.limits))
    # Problems of unreadable documents come first.
    return () if spec is None else differences(choices.like, spec, choices.level, tree.path)
