"""Moving nodes to other paths, with everything below them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from zom.errors import PathError
from zom.hierarchy.change.conflicts import ARRAY_ABOVE, EXISTS, NAME, conflict
from zom.hierarchy.change.create import check_names
from zom.hierarchy.change.ledger import Ledger, found_at, is_within
from zom.hierarchy.change.new_names import taken_name
from zom.hierarchy.stored.inventory import above_all
from zom.paths import join, parse_path
from zom.stores.interface import Wanted
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from zom.hierarchy.change.plan import ChangePlan
    from zom.stores.interface import Store

__all__ = ["key_by_key", "plan_move"]


def plan_move(store: Store, old: str, new: str) -> ChangePlan:
    """The plan to move the node at the path `old`, and everything below it, to the path `new`."""
    source, target = join(parse_path(old)), join(parse_path(new))
    if is_within(target, source) or is_within(source, target):
        raise PathError(f"expected two paths, neither inside the other, got {source!r} and {target!r}")
    common = next(at for at in above_all(source) if is_within(target, at))
    ledger = Ledger(store, found_at(store, source, below=common), "replace", prune=True)
    check_names(ledger.layout.family.form, parse_path(target))
    ledger.check_journals()
    _check_target(ledger, target)
    layout, found = ledger.layout, ledger.found
    pairs = zip(layout.node_prefixes(source), layout.node_prefixes(target), strict=True)
    moves = tuple(pair for pair in pairs if any(key.startswith(pair[0]) for key in found.listed))
    node = found.nodes.get(source)
    # If documents move with their directory in one step, nothing needs hiding meanwhile.
    if node is not None and not (store.capabilities.rename and not layout.implicit_groups):
        for end, text in node.texts.items():
            ledger.removes[layout.key(source, end)] = None
            ledger.old[layout.key(source, end)] = text
            ledger.writes[layout.key(target, end)] = text
            ledger.old[layout.key(target, end)] = None
    for path, each in found.nodes.items():
        if is_within(path, source):
            names = (*parse_path(target), *parse_path(path[len(source) :]))
            ledger.documents[join(names)] = each.texts
        elif is_within(path, common):
            ledger.documents[path] = each.texts
    ledger.touched.add(target)
    ledger.act(
        source, "array" if node is not None and node.kind == "array" else "group", "move", why=f"to {target}"
    )
    if not ledger.problems:
        _look_ahead(ledger, source, target, moves)
    plan = ledger.finished()
    seen = {prefix: frozenset[str]() for prefix in layout.node_prefixes(target)}
    journal = replace(plan.journal, moves=moves, way="finish")
    return replace(plan, seen=seen, journal=journal, moved=(source, target))


class _KeyByKey(WrapperStore):
    """A store that can't rename in one step."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, rename=False)


def key_by_key(plan: ChangePlan) -> ChangePlan:
    """The plan of the same move without renaming directories; the node is invisible meanwhile."""
    made = plan_move(_KeyByKey(plan.store), *cast("tuple[str, str]", plan.moved))
    return replace(made, store=plan.store)


def _look_ahead(ledger: Ledger, source: str, target: str, moves: tuple[tuple[str, str], ...]) -> None:
    """Record obstacles to the move, and systems that reject the new name."""
    ledger.judge_names([target], without=source)
    if ledger.store.capabilities.rename:
        ledger.note_obstacles(Wanted(moves=moves))
        return
    for old, new in moves:
        keys = [key for key in ledger.found.listed if key.startswith(old)]
        writes = [new + key[len(old) :] for key in keys]
        ledger.note_obstacles(Wanted(writes, frozenset(writes), keys))


def _check_target(ledger: Ledger, target: str) -> None:
    """Record conflicts if anything exists at the target, or if nodes above it are not groups."""
    layout, found = ledger.layout, ledger.found
    if wanted := taken_name(ledger.store, target, layout.family.form):
        fix = "choose another name"
        ledger.conflict(NAME, target, wanted, repr(target.rpartition("/")[2]), fix)
    own = {layout.key(target, end) for end, _ in layout.marks}
    prefixes = layout.node_prefixes(target)
    there = sorted(key for key in found.listed if key in own or key.startswith(prefixes))
    if there:
        fix = "choose another path, or delete the existing node"
        ledger.problems.append(conflict(EXISTS, target, "nothing, to move a node there", repr(there[0]), fix))
    for at in above_all(target):
        node = found.nodes.get(at)
        if node is not None and node.kind != "group":
            ledger.problems.append(
                conflict(ARRAY_ABOVE, at, f"a group, to contain {target}", str(node), "choose another path")
            )
        elif node is None and not layout.implicit_groups:
            fix = "create it first"
            ledger.problems.append(conflict(ARRAY_ABOVE, at, f"a group, to contain {target}", "nothing", fix))
