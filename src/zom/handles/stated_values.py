"""Stated values: those in a declaration for its arrays, and how they are applied.

Values of new arrays are part of the all or nothing if a plan only creates. Values of existing arrays are
compared with the stored ones, and written after the documents if they differ: after an interruption in
between, apply the declaration again.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from zom.dataclass import dataclass
from zom.declaration.values import are_same
from zom.errors import ChunkError
from zom.hierarchy.change.conflicts import EXISTS, conflict
from zom.hierarchy.stored.read import read
from zom.paths import join, parse_path
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.hierarchy.change.plan import Action, ChangePlan

__all__ = ["NONE_STATED", "StatedValues", "with_values"]


@dataclass(frozen=True, slots=True)
class StatedValues:
    """Values by path below the root of a plan."""

    new: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Values written together with their arrays, all or nothing."""
    later: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Values written after the documents."""


NONE_STATED: Final = StatedValues()


def with_values(
    change: ChangePlan, values: Mapping[str, Any], opens: Callable[..., Any]
) -> tuple[ChangePlan, StatedValues]:
    """The plan with the declared values: those that differ from stored ones are a conflict, or are written.

    >>> import numpy as np, zom
    >>> from zom.hierarchy.change.planner import plan_for
    >>> change = plan_for(zom.v3.ArraySpec.build(shape=(2,), dtype="int8"), zom.store("memory://"))
    >>> list(with_values(change, {"/": np.ones(2, "i1")}, zom.Array)[1].new)
    ['/']
    """
    actions = {action.path: action for action in change.actions}
    stated: dict[str, Any] = {}
    changed: dict[str, Action] = {}
    problems = list(change.problems)
    for given, value in values.items():
        path = join((*parse_path(change.path), *parse_path(given)))
        action = actions.get(path)
        if action is None:
            continue  # below a blocking node, which is a problem already
        if action.verb in {"keep", "update attributes", "rewrite document"}:
            if _is_stored(change, path, value, opens):
                continue
            if change.on_conflict == "refuse":
                fix = "pass on_conflict='update' to write the stated values"
                problems.append(conflict(EXISTS, path, "the stated values", "others", fix))
            if action.verb == "keep":
                changed[path] = replace(action, verb="write values")
        stated[given] = value
    made = replace(
        change,
        actions=tuple(changed.get(action.path, action) for action in change.actions),
        problems=tuple(problems),
    )
    alone = change.journal.adds and all(
        join((*parse_path(change.path), *parse_path(given))) in change.made for given in stated
    )
    return made, StatedValues(new=stated) if alone else StatedValues(later=stated)


def _is_stored(change: ChangePlan, path: str, value: Any, opens: Callable[..., Any]) -> bool:
    """Whether the array at `path` holds these values."""
    spec = read(change.store, path, depth=0)
    array = opens(spec, change.store, path, change.layout, mode="r")
    try:
        found = array[...]
    except ChunkError as error:
        if error.lacks_memory:
            raise
        return False  # unreadable values differ from the declared ones
    # With lossy codecs, compare with the values as such an array would read them.
    return are_same(found, value) or are_same(found, as_stored(array, value))


def as_stored(array: Any, value: Any) -> Any:
    """The values as they read after a round trip through an array like that.

    >>> import numpy as np, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(2,), dtype="int8"))
    >>> as_stored(array, np.array([1, 2])).tolist()
    [1, 2]
    """
    from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - needed only here when planning
    from zom.hierarchy.change.planner import plan_for  # noqa: PLC0415 - as above

    store = MemoryStore()
    carry_out(plan_for(array.spec, store))
    copy = type(array)(array.spec, store, "", array.layout, mode="r+")
    copy[...] = value
    return copy[...]
