"""Copying: a hierarchy, or some of its nodes, from one store to another, chunk by chunk.

Chunks with the same meaning in the target are copied as they are; others are encoded again, in regions
limited by memory. What a failure leaves doesn't read as a hierarchy; making the same copy again resumes it.
"""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from zom.count import count_of
from zom.dataclass import dataclass
from zom.engine.chunks import Options
from zom.engine.workers import processors
from zom.errors import SpecWarning, StoreError, ZomError
from zom.hierarchy.change.conflicts import few
from zom.hierarchy.check.chunk_keys import looks_like_chunk
from zom.hierarchy.check.chunk_rules import CHUNK_KEY
from zom.hierarchy.copy.chunks import copy_encoded, copy_raw, stored_chunks, verify_encoded, verify_raw
from zom.hierarchy.copy.nodes import (
    check_known,
    foreign_in_groups,
    held_nodes,
    read_original,
    wanted_nodes,
)
from zom.hierarchy.copy.pair import ArrayPair, room_for
from zom.hierarchy.copy.report import CopiedNode, CopyReport
from zom.hierarchy.copy.tally import Progress, Tally
from zom.hierarchy.copy.target import prepared
from zom.hierarchy.executor import pool_of
from zom.hierarchy.stored.array_chunks import ArrayPlace
from zom.hierarchy.stored.chunk_compatibility import disagreement
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open_node import OpenNode
from zom.hierarchy.stored.place import check_apart
from zom.hierarchy.stored.tree import NAME_CODES
from zom.model.assembly import Uncollected
from zom.model.construction import outside
from zom.model.operand import check_is_spec
from zom.paths import join, parse_path
from zom.problems import Problem
from zom.stores.memory import MemoryStore
from zom.stores.opening import is_name, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zom.hierarchy.change.plan import OnConflict
    from zom.hierarchy.copy.nodes import Original
    from zom.hierarchy.copy.target import Target
    from zom.hierarchy.executor import Executor
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.read import OnError
    from zom.model.spec import Spec
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["Choices", "copy", "copy_hierarchy", "place_in"]

_ALONE = Options(threads=1)
"""Several threads copy arrays, and each reads and writes alone."""

_TOGETHER = 256
_SECONDS = 1.0
"""Documents of copied arrays are put aside in batches: this many, or those of this many seconds.

After a kill, chunks of arrays without documents are looked up again."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Options of a copy."""

    select: str | None = None
    jobs: int | None = None
    verify: bool = False
    progress: Callable[[int, int], object] | None = None
    on_conflict: OnConflict = "refuse"
    dry_run: bool = False
    memory: int | None = None
    """The size in bytes of a region per job, or None for the default of the stores."""
    executor: Executor | None = None


def copy(  # noqa: PLR0913 - each is a choice of the caller
    source: Place,
    target: Place,
    spec: Spec | None = None,
    *,
    path: str = "",
    target_path: str = "",
    select: str | None = None,
    jobs: int | None = None,
    verify: bool = False,
    progress: Callable[[int, int], object] | None = None,
    on_conflict: OnConflict = "refuse",
    dry_run: bool = False,
    on_error: OnError | None = None,
    executor: Executor | None = None,
) -> CopyReport:
    """Copy the hierarchy at `path` in `source` to `target_path` in `target`: documents and chunks.

    Source and target are stores, paths, URLs, or open nodes. `spec` describes the target if it differs: other
    chunks, shards, codecs, or another format; shapes and data types stay. `select` names the nodes to copy,
    as in `Spec.select`, and the groups above them are copied, too.

    Existing nodes at the target are a conflict ("refuse"); or they stay, and missing nodes are added
    ("update"; an array with the same document counts as copied); or they are replaced once the copy is whole
    ("replace"). `jobs` threads write the target, or the processes of a `distributed.Client` or another
    `executor`, with `jobs` units of work in flight. With `verify` the target is read again, and compared.
    `progress` is called with the number of finished chunks and the total. After a failure, the same copy made
    again finishes the rest.

    Nodes that can't be read are not copied: see the report's problems and the SpecWarning. Such a group is
    copied without attributes if it holds other nodes, but not if its members can't be listed. An unreadable
    root raises; with `on_error="skip"` everything below it is copied. With "raise", any such node raises.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
    >>> array[:] = 7
    >>> target = zom.store("memory://example-of-copy")
    >>> wide = zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(4, 2), compress=None, checksum=False)
    >>> print(zom.copy(array, target, wide, target_path="wide"))
    memory:// -> memory://example-of-copy /wide: 1 array; 3 chunks encoded again, 48 B
      /  array  chunks encoded again (chunks differ), 3 encoded, 48 B
    >>> int(zom.open_array(target, "wide")[3, 5])
    7
    """
    if spec is not None:
        check_is_spec(spec)
    choices = Choices(select, jobs, verify, progress, on_conflict, dry_run, executor=executor)
    opened_here: list[Store] = []
    try:
        old, at, form = place_in(source, path, opened_here, read_only=True)
        new, where, _ = place_in(target, target_path, opened_here, read_only=dry_run, may_lack=dry_run)
        check_apart((old, at), (new, where))
        how: OnError = "skip" if on_error is None else on_error
        original = read_original(old, at, form=form, like=spec, on_error=how, needs_root=on_error != "skip")
        report = copy_hierarchy(original, new, where, spec, choices)
    except BaseException:
        for store in opened_here:
            store.close()
        raise
    for store in opened_here:
        store.close()
    return replace(report, target=str(target)) if dry_run and is_name(target) else report


def _warn(original: Original) -> None:
    """Warn of the nodes that are not copied."""
    if original.problems:
        first, *more = original.problems
        rest = f", and {count_of(len(more), 'more problem')}" if more else ""
        text = f"{original.store.url}: some nodes are not copied: {first}{rest}"
        warnings.warn(text, SpecWarning, stacklevel=outside())


def place_in(
    given: Place, path: str, opened_here: list[Store], *, read_only: bool, may_lack: bool = False
) -> tuple[Store, str, FormatName | None]:
    """The store, the path and, if known, the format of a caller's argument."""
    if isinstance(given, OpenNode):
        inner = join((*parse_path(given.path), *parse_path(path)))
        return given.store, inner, given.layout.family.form
    try:
        store = opened(given, read_only=read_only or None)
    except StoreError as error:
        # A dry run makes no directory: a missing one is empty.
        if not may_lack or not isinstance(error.__cause__, FileNotFoundError):
            raise
        store = MemoryStore()
    if is_name(given):
        opened_here.append(store)
    return store, join(parse_path(path)), None


def copy_hierarchy(
    original: Original, store: Store, path: str, spec: Spec | None, choices: Choices
) -> CopyReport:
    """Copy the hierarchy `original` to `path` in `store`."""
    nodes, left = wanted_nodes(original, spec, choices.select)
    nodes, original = held_nodes(original, nodes, store, path)
    _warn(original)
    with Uncollected():
        target = prepared(original, nodes, store, path, choices.on_conflict)
        copying = _Copying(original, target, nodes, choices)
    if choices.dry_run:
        copying.look()
    else:
        with target.held():
            if not target.is_current():
                # Another copy or repair has just ended here, so prepare again.
                target = prepared(original, nodes, store, path, choices.on_conflict)
                copying = _Copying(original, target, nodes, choices)
            copying.run()
    report = copying.report()
    warn(original.store.url, report.warnings, None, outside())
    return replace(report, left_out=left, resumed=target.is_resumed, there=target.foreign)


class _Copying:
    """One running copy."""

    def __init__(
        self, original: Original, target: Target, nodes: Mapping[str, Spec], choices: Choices
    ) -> None:
        self.original = original
        self.target = target
        self.nodes = nodes
        self.choices = choices
        self.done: dict[str, CopiedNode] = {}
        groups = [path for path, spec in nodes.items() if spec.kind == "group" and path in original.stored]
        self.strays = foreign_in_groups(original, groups)
        self.misnamed: dict[str, list[str]] = {}
        """Keys that are chunks in another encoding than their array's document names, by array path."""
        self.consolidated: tuple[str, ...] = ()
        self.places = {path: self._places_of(path) for path, spec in nodes.items() if spec.kind == "array"}
        self.arrays = {path: (old.open(), new.open()) for path, (old, new) in self.places.items()}
        self.pool = pool_of(choices.executor, choices.jobs)
        total = sum(_count(new.plan.grid) for _, new in self.arrays.values())
        self.progress = Progress(total, choices.progress)
        self.why = {
            path: "" if spec is nodes[path] else disagreement(spec, nodes[path], (old.plan, new.plan))
            for path, (old, new) in self.arrays.items()
            for spec in (original.specs[path],)
        }

    def _places_of(self, path: str) -> tuple[ArrayPlace, ArrayPlace]:
        """The places of an array's chunks in source and target."""
        original, target = self.original, self.target
        source = original.specs[path]
        for spec in (source, self.nodes[path]):
            check_known(original, path, spec)
        place = original.path(path), original.tree.layout
        new = (target.chunk_store, target.at(path), target.layout)
        return (
            ArrayPlace(source, original.store, *place, options=_ALONE),
            ArrayPlace(self.nodes[path], *new, options=_ALONE),
        )

    def _chunks(self, path: str, tally: Tally) -> ArrayPair:
        old, new = self.arrays[path]
        jobs = self.choices.jobs
        if jobs is None:
            parallel = max(each.store.capabilities.parallel for each in (old, new))
            jobs = max(processors(), 4) if parallel > 1 else processors()
        resumed = self.target.is_resumed and new.store.capabilities.atomic_replace
        return ArrayPair(
            old,
            new,
            jobs=max(1, jobs),
            is_resumed=resumed,
            memory=self.choices.memory or room_for(old.store, new.store),
            tally=tally,
            progress=self.progress,
            stray=partial(self._stray, path),
            pool=self.pool,
            places=self.places[path],
        )

    def _stray(self, path: str, key: str) -> None:
        chunks = self.arrays[path][0]
        inner, plan = key[len(chunks.prefix) :], chunks.plan
        if looks_like_chunk(inner) and plan.keys.coords(inner, len(plan.axes)) is None:
            self.misnamed.setdefault(path, []).append(key)
        if not any(document.key == key for node in self._documents(key) for document in node):
            self.strays.append(key)

    def _documents(self, key: str) -> list[list[Any]]:
        layout = self.original.tree.layout
        if layout.implicit_groups:
            return []
        inner = f"/{key.rpartition('/')[0]}"[len(self.original.tree.path.rstrip("/")) :] or "/"
        node = self.original.stored.get(inner)
        return [] if node is None else [list(node.documents.values())]

    # --- a dry run ------------------------------------------------------------------------------------

    def look(self) -> None:
        """Find what would be copied; nothing is written."""
        for path, (old, _) in self.arrays.items():
            if path in self.target.kept:
                self.done[path] = CopiedNode(path, "array", "keep")
                continue
            count = 0
            if old.store.capabilities.listable:
                count = sum(1 for _ in stored_chunks(old, partial(self._stray, path)))
            why = self._told(path)
            self.done[path] = (
                CopiedNode(path, "array", "encode", why)
                if why
                else CopiedNode(path, "array", "raw", raw=count)
            )

    # --- the copy -------------------------------------------------------------------------------------

    def run(self) -> None:
        """Copy chunks first, then all documents in one change; the target is held."""
        if self.pool is not None and self.arrays:
            self.pool.check(self.original.store, target=self.target.store)
        if self.target.in_transaction:
            self._run_in_transaction()
            return
        try:
            self._run()
        except BaseException as error:
            where = f"{self.target.store.url}: {self.target.mark_key!r}"
            error.add_note(
                f"repeat the same copy to finish it, or remove its remains with zom.repair ({where})"
            )
            raise

    def _run(self) -> None:
        target = self.target
        target.begin()
        done: list[str] = []
        try:
            self._copy_arrays(done)
        except BaseException:
            # Keep what is complete, if the store still accepts writes.
            with suppress(ZomError):
                target.put_nodes(done)
            raise
        target.put_nodes(done)
        self.consolidated = target.publish(self.original.consolidated)
        target.finish()

    def _copy_arrays(self, done: list[str]) -> None:
        """Copy the chunks of all arrays; `done` holds those whose documents are not put aside yet."""
        last = time.monotonic()
        for path in self._copied_arrays():
            if path not in self.target.kept:
                done.append(path)
            if len(done) >= _TOGETHER or time.monotonic() - last > _SECONDS:
                self.target.put_nodes(done)
                done.clear()
                last = time.monotonic()

    def _run_in_transaction(self) -> None:
        """Write documents first: they are invisible, and stores that check keys need them before chunks."""
        self.consolidated = self.target.open_transaction(self.original.consolidated)
        try:
            for _ in self._copied_arrays():
                pass
        except BaseException as error:
            self.target.take_back(error)
            raise

    def _copied_arrays(self) -> Iterator[str]:
        """Copy the chunks of each array, and yield its path when they are complete."""
        end = 0
        for path, (_, new) in self.arrays.items():
            end += _count(new.plan.grid)
            self._copy_array(path)
            self.progress.reach(end)
            yield path

    def _copy_array(self, path: str) -> None:
        if path in self.target.kept:
            self.done[path] = CopiedNode(path, "array", "keep")
            if self.choices.verify:
                self._verify(path, self._chunks(path, Tally()))
            return
        tally = Tally()
        pair = self._chunks(path, tally)
        why = self.why[path]
        (copy_encoded if why else copy_raw)(pair)
        if self.choices.verify:
            self._verify(path, pair)
        told = self._told(path)
        is_made = bool(told) and not why
        self.done[path] = CopiedNode(
            path,
            "array",
            "encode" if told else "raw",
            told,
            raw=0 if is_made else tally.raw,
            encoded=tally.raw if is_made else tally.encoded,
            skipped=tally.skipped,
            nbytes=tally.nbytes,
        )

    def _told(self, path: str) -> str:
        """Why chunks are encoded again: by the copy, or by a store that makes them on reading."""
        old, _ = self.arrays[path]
        is_made = old.store.origin(old.prefix) == "made"
        return self.why[path] or ("the source store makes its chunks when they are read" if is_made else "")

    def _verify(self, path: str, pair: ArrayPair) -> None:
        quiet = replace(pair, progress=Progress(0, None), stray=None)
        (verify_encoded if self.why[path] else verify_raw)(quiet)

    # --- the report -----------------------------------------------------------------------------------

    def report(self) -> CopyReport:
        """The report of the copy."""
        original, target, choices = self.original, self.target, self.choices
        return CopyReport(
            original.store.url,
            original.tree.path,
            target.store.url,
            target.path,
            tuple(self.done.get(path) or CopiedNode(path, "group", "document") for path in self.nodes),
            foreign=tuple(sorted(self.strays)),
            verified=choices.verify and not choices.dry_run,
            dry_run=choices.dry_run,
            consolidated=self.consolidated,
            problems=original.problems,
            warnings=tuple(self._warnings()),
        )

    def _warnings(self) -> Iterator[Problem]:
        """Oddities of the source: names that are kept, features unknown to Zarr, and unreachable chunks."""
        paths = {self.original.path(path) for path in self.nodes}
        start = self.original.tree.path.rstrip("/")
        for loss in self.original.store.losses:
            if loss.severity == "warning" and f"{loss.node}/".startswith(f"{start}/"):
                yield loss
        for problem in self.original.tree.problems:
            if problem.severity == "warning" and problem.code in NAME_CODES and problem.node in paths:
                yield problem
        for path, keys in self.misnamed.items():
            chunks, _ = self.arrays[path]
            sample = chunks.prefix + chunks.plan.keys.key((0,) * len(chunks.plan.axes))
            found = f"{few(sorted(keys))}, not copied"
            fix = "state the chunk key encoding in the document of the source, and repeat the copy"
            node = self.original.path(path)
            yield Problem(
                CHUNK_KEY.code, "warning", node, "", (), f"keys like {sample!r}", found, fix, min(keys)
            )


def _count(grid: tuple[int, ...]) -> int:
    total = 1
    for count in grid:
        total *= count
    return total
