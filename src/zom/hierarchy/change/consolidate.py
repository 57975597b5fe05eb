"""Writing and dropping consolidated metadata on request."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from zom.errors import (
    ConcurrentWriteError,
    ConflictError,
    ConversionError,
    NotFound,
    ReadOnlyError,
    ZomError,
)
from zom.hierarchy.change.blocks import block_in, block_of, plain_text
from zom.hierarchy.change.carry import carry_through, check_journals, check_texts
from zom.hierarchy.change.conflicts import CHANGED
from zom.hierarchy.change.consolidated_update import holders_of
from zom.hierarchy.change.ledger import Ledger, found_at, is_within
from zom.hierarchy.change.steps import beaten
from zom.hierarchy.journal.journal import journal_keys
from zom.hierarchy.journal.repair import repaired
from zom.hierarchy.journal.text import parse_journal
from zom.hierarchy.stored.findings import NOT_JSON, UNREADABLE, Findings
from zom.hierarchy.stored.inventory import above_all
from zom.hierarchy.stored.layout import ENTRY_KEY
from zom.model.stored import NO_CONSOLIDATED
from zom.problems import Fault, Problem, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.hierarchy.change.plan import ChangePlan
    from zom.hierarchy.journal.journal import Journal
    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.node import StoredNode
    from zom.stores.interface import Store

__all__ = ["consolidate", "follow", "plan_consolidation"]


def consolidate(store: Store, path: str) -> ChangePlan:
    """Write the consolidated metadata of the group at `path`, and return the applied plan."""
    for _ in range(_TRIES):
        plan = plan_consolidation(store, path)
        plan.check()
        if plan.is_empty:
            return plan
        if not store.capabilities.writable:
            raise ReadOnlyError(store.url, plan.path.strip("/"), "write")
        try:
            carry_through(store, plan.journal, partial(_check_same, plan))
        except ConflictError as error:
            if any(problem.code != CHANGED.code for problem in error.problems):
                raise
        else:
            if _is_true(store, path):
                return plan
    raise ConcurrentWriteError(store.url, path.strip("/"))


_TRIES = 60


def _check_same(plan: ChangePlan) -> None:
    """Raise ConflictError if a node has changed, appeared or disappeared since the plan.

    Other writers look for the journal after they have changed a node: they find it if this check misses them.
    """
    check_journals(plan.store, plan.journal.path, own=False)
    check_texts(plan.store, plan.journal.old)
    if plan_consolidation(plan.store, plan.path).journal.writes != plan.journal.writes:
        raise beaten(plan.store, plan.journal.last)


def _is_true(store: Store, path: str) -> bool:
    """Whether the new consolidated metadata still matches the nodes, as far as they can be read."""
    try:
        return plan_consolidation(store, path).is_empty
    except ZomError:
        return True  # it did when it was written, and no more was requested


def follow(store: Store, path: str, layout: Layout) -> None:
    """Consolidate again if someone consolidated, without its changes, while the node at `path` changed.

    The change is already made. A failure here leaves at most an outdated block, which `zom.validate` reports.
    """
    if layout.inline is None and layout.consolidated is None:
        return
    with suppress(ZomError):
        if _consolidates(store, path, layout):
            for at in holders_of(store, [path], layout):
                consolidate(store, at)


def _consolidates(store: Store, path: str, layout: Layout) -> bool:
    """Whether there is a block at `path` or above, after waiting for anyone who is writing one."""
    journals = journal_keys(path)
    groups = [path, *above_all(path)]
    blocks = [layout.key(at, layout.consolidated or ENTRY_KEY) for at in groups]
    texts = dict(zip((*journals, *blocks), store.get_many([*journals, *blocks]), strict=True))
    pending = [key for key in journals if texts[key] is not None]
    for key in pending:
        if store.capabilities.process_locks:
            with store.lock(key):
                text = store.get(key)
            if text is not None and _is_block(parse_journal(text, store.url, key)):
                # Its writer was killed, and did not know of the change.
                repaired(store, key, "refuse")
    return bool(pending) or any(block_in(layout, texts[key]) is not None for key in blocks)


def _is_block(work: Journal) -> bool:
    """Whether a change writes only one group's block of consolidated metadata."""
    others = work.removes or work.clears or work.data or work.moves or work.swap is not None
    return not others and list(work.writes) == [work.last] and work.last.count("/") == work.base.count("/")


def plan_consolidation(store: Store, path: str = "", *, drop: bool = False) -> ChangePlan:
    """The plan to write the consolidated metadata of the group at `path`, or to `drop` it."""
    ledger = Ledger(store, found_at(store, path), "update", prune=False)
    layout, found = ledger.layout, ledger.found
    node = found.nodes.get(found.path)
    if layout.inline is None and layout.consolidated is None:
        what = f"a {layout.family.form} group"
        raise ConversionError(
            [Problem(NO_CONSOLIDATED.code, "error", found.path, "", (), "a v2 or v3 group", what)], store.url
        )
    if node is None:
        findings = Findings(store.url, "lenient")
        _note_directories(ledger, [found.path], findings)
        findings.raise_errors()
    if node is None or node.kind != "group":
        raise NotFound(
            f"{store.url}: expected a group at {found.path}, found {node or 'nothing'}; name a group"
        )
    ledger.check_journals()
    for at, each in found.nodes.items():
        if is_within(at, found.path):
            ledger.documents[at] = each.texts
    ledger.act(found.path, "group", "keep")
    if not drop:
        _check_readable(ledger)
        return ledger.finished(frozenset({found.path}))
    if block_of(node) is not None:
        _drop(ledger, node)
    return replace(ledger.finished(frozenset()), consolidated=())


def _check_readable(ledger: Ledger) -> None:
    """Raise SpecError if a document is invalid, because readers of the block would miss its node."""
    findings = Findings(ledger.store.url, "lenient")
    for path, documents in ledger.documents.items():
        for end, text in documents.items():
            key = ledger.layout.key(path, end)
            value = findings.value(key, path, text)
            if value is not NOT_JSON and not isinstance(value, dict):
                fault = Fault(ledger.layout.family.node_rule, (), "an object", show(value))
                findings.add(fault, node=path, key=key, text=text)
    _check_directories(ledger, findings)
    findings.raise_errors()


def _check_directories(ledger: Ledger, findings: Findings) -> None:
    """Report the nodes below that have a directory in place of their document."""
    layout, found, store = ledger.layout, ledger.found, ledger.store
    if store.capabilities.nested_keys or not ledger.listed:
        return
    known = {path for path in ledger.documents if is_within(path, found.path)}
    unknown = {at for path in known for at in above_all(path) if is_within(at, found.path)} - known
    for path in known:
        if found.nodes[path].kind == "group":
            names = layout.sightings(path, store.list_dir(layout.directory(path)))
            unknown.update({f"{path.rstrip('/')}/{name}" for name in names} - known)
    _note_directories(ledger, sorted(unknown), findings)


def _note_directories(ledger: Ledger, paths: Iterable[str], findings: Findings) -> None:
    """Report directories at `paths` that contain a directory with the name of a document."""
    layout, store = ledger.layout, ledger.store
    for path in paths if ledger.listed else ():
        below = store.list_dir(layout.directory(path)).prefixes
        for end, _ in layout.marks:
            key = layout.key(path, end)
            if f"{key}/" in below:
                fix = "move the directory away, and write the document again"
                fault = Fault(UNREADABLE, (), "a document that can be read", "a directory", fix)
                findings.add(fault, node=path, key=key)


def _drop(ledger: Ledger, node: StoredNode) -> None:
    layout, path = ledger.layout, node.path
    if layout.consolidated is not None:
        key = layout.key(path, layout.consolidated)
        ledger.removes[key] = None
        ledger.old[key] = node.texts[layout.consolidated]
    else:
        end = next(iter(node.documents))
        key = layout.key(path, end)
        ledger.writes[key] = plain_text(node.texts[end], layout.inline)
        ledger.old[key] = node.texts[end]
