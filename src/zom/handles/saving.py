"""Write values into a store and read them back with one call, like numpy's `save` and `load`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.handles.handles import open as open_node
from zom.handles.making import array_spec, checked_values, chosen_form, group_spec
from zom.hierarchy.new_node import new_node
from zom.hierarchy.stored.broken import BrokenNode
from zom.stores import opening

if TYPE_CHECKING:
    from zom.extension.bound import Array as NumpyArray
    from zom.extension.datatype import Format
    from zom.handles.array import Array
    from zom.handles.group import Group

__all__ = ["load", "save"]


def save(
    store: opening.Place,
    *arrays: Any,
    path: str = "",
    form: Format | None = None,
    overwrite: bool = False,
    **named: Any,
) -> None:
    """Save one array at `path` in `store`, or several or named arrays as a group there, all or nothing.

    Unnamed arrays are called arr_0, arr_1 and so on, as in numpy. ConflictError if there is a node already;
    with `overwrite`, everything there is replaced. A store passed by name is closed.

    >>> import numpy as np, zom
    >>> store = zom.store("memory://example-of-save")
    >>> zom.save(store, t=np.arange(3), x=np.ones(2))
    >>> zom.load(store)
    {'t': array([0, 1, 2]), 'x': array([1., 1.])}
    """
    if not arrays and not named:
        raise TypeError("expected at least one array to save, got none")
    unnamed = {f"arr_{at}": one for at, one in enumerate(arrays)}
    if twice := sorted(unnamed.keys() & named.keys()):
        raise TypeError(
            f"{twice[0]}: expected one array of this name, got an unnamed one, too; rename the named one"
        )
    there = opening.opened(store, read_only=False if opening.is_name(store) else None)
    try:
        chosen = chosen_form(there, path, None, form)
        if len(arrays) == 1 and not named:
            values = {"/": checked_values(arrays[0])}
            spec = array_spec(None, chosen, values["/"], {})
        else:
            values = {name: checked_values(each) for name, each in {**unnamed, **named}.items()}
            members = {name: array_spec(None, chosen, each, {}) for name, each in values.items()}
            spec = group_spec(None, chosen, None).replace(members=members)
        new_node(there, spec, path, data=values, overwrite=overwrite)
    finally:
        if opening.is_name(store):
            there.close()


def load(store: opening.Place, path: str = "") -> NumpyArray | dict[str, Any]:
    """The values of the array at `path` in `store`; for a group, a dict with those of all members.

    >>> import zom
    >>> zom.load(zom.array([1, 2, 3]).store)
    array([1, 2, 3])
    """
    found = open_node(store, path)
    try:
        if found.spec.kind == "array":
            values: NumpyArray = cast("Array", found)[...]
            return values
        return _values(cast("Group", found))
    finally:
        if opening.is_name(store):
            found.store.close()


def _values(group: Group) -> dict[str, Any]:
    made: dict[str, Any] = {}
    waiting = [(group, made)]
    while waiting:  # not by recursion: a hierarchy may be thousands of levels deep
        here, into = waiting.pop()
        for name, member in here.items():
            if isinstance(member, BrokenNode):
                raise member.error
            if member.spec.kind == "array":
                into[name] = cast("Array", member)[...]
            else:
                into[name] = {}
                waiting.append((cast("Group", member), into[name]))
    return made
