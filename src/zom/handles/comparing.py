"""Comparing hierarchies of any kind: specs, declarations, stores, or one of each."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from zom.dataclass import dataclass
from zom.declaration.declaration import Declaration
from zom.declaration.values import are_same, unlike
from zom.errors import ZomError
from zom.extension.resolve import are_alike
from zom.formats.resolve import resolve
from zom.handles.handles import open_array
from zom.handles.sound_values import SoundValues, reason_of
from zom.handles.stated_values import as_stored
from zom.handles.stored_differences import SIDES, compared_elements
from zom.hierarchy.stored.chunks import sample_form
from zom.hierarchy.stored.open_node import OpenNode
from zom.hierarchy.stored.read import read
from zom.model import compare
from zom.model.difference import Difference, unreadable_values, value_change
from zom.model.spec import Spec
from zom.paths import join, parse_path
from zom.stores.opening import is_name, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zom.extension.datatype import DataType
    from zom.handles.array import Array
    from zom.handles.sound_values import Unread
    from zom.hierarchy.stored.read import OnError
    from zom.model.difference import Change
    from zom.problems import Problem
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["Compared", "Side", "changed_values", "diff", "differences"]

Side: TypeAlias = "Spec | Declaration | OpenNode | Place"
"""A hierarchy: a spec, a declaration, a handle, a store, or a path or URL of one."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of two compared hierarchies."""

    spec: Spec
    values: Mapping[str, np.ndarray[Any, Any]] | None = None
    """The values in a declaration, by path."""
    store: Store | None = None
    """The store of its values."""
    path: str = ""

    @classmethod
    def stored(
        cls,
        store: Store,
        path: str = "",
        *,
        on_error: OnError = "raise",
        on_warning: Callable[[Problem], None] | None = None,
    ) -> Compared:
        """The hierarchy at `path` in a store, with all its members.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> Compared.stored(group.store).spec.members
        {}
        """
        found: Any = read(store, path, on_error=on_error, on_warning=on_warning)
        return cls(cast("Spec", found), None, store, path)


def diff(
    left: Side,
    right: Side,
    ignore: str | Iterable[str] = (),
    *,
    data: bool = False,
    on_error: OnError = "raise",
) -> Difference:
    """The changes that make `left` mean the same as `right`.

    Each may be a spec, a declaration, a store, a path or URL of one, or a handle. Values in a declaration are
    compared with those of the other side, if that is a declaration or a store. With `data`, the values of all
    arrays in both stores are compared, bit for bit, in limited memory, whatever their chunks and formats. A
    note names arrays of different shapes or data types, which can't be compared, and sides without values.
    Without `data`, the difference says that no values were compared. Unreadable values are a change of kind
    "unreadable", with side, key and reason, also in `unreadable` of the difference; others are compared.

    Hierarchies of two formats are compared by their meaning in v3. Differences in storage only, such as
    codecs and keys of chunks, are then a note.

    `ignore` are JSON pointers, as in `Spec.diff`; values are at `/values`. Nodes that can't be read raise, or
    are left out with a warning (`on_error="skip"`).

    >>> import zom
    >>> from zom import v3
    >>> group = zom.create_group("memory:", v3.GroupSpec(attributes={"a": 1}))
    >>> print(zom.diff(group, v3.GroupSpec(attributes={"a": 2}, members={})))
    ~ /: attributes.a: 1 -> 2
    >>> declared = zom.declare({"zom": 1, "shape": [3], "dtype": "int8", "values": [1, 2, 3]})
    >>> array = zom.materialize(declared, "memory:")
    >>> array[1] = 9
    >>> print(zom.diff(array, declared))
    ~ /: values[1]: 9 -> 2
    >>> found = zom.diff(zom.zeros(3, form="v2"), zom.array([0.0, 1.0, 0.0]), data=True)
    >>> print(*found.changes), found.notes[0]
    ~ /: values[1]: 0.0 -> 1.0
    (None, 'v2 -> v3')
    """
    with ExitStack() as opened_here:
        sides = [_side(each, on_error, opened_here) for each in (left, right)]
        return differences(sides[0], sides[1], ignore, data=data)


def _side(side: Side, on_error: OnError, opened_here: ExitStack) -> Compared:
    if isinstance(side, Spec):
        return Compared(side)
    if isinstance(side, Declaration):
        return Compared(cast("Spec", side.spec), side.values)
    if isinstance(side, OpenNode):
        return Compared.stored(side.store, side.path, on_error=on_error)
    store = opened(side, existing=True)
    if is_name(side):
        opened_here.callback(store.close)
    return Compared.stored(store, on_error=on_error)


def differences(
    left: Compared, right: Compared, ignore: str | Iterable[str] = (), *, data: bool = False
) -> Difference:
    """The changes that make `left` equal `right`: documents, then declared values, or stored ones.

    >>> from zom import v3
    >>> len(differences(Compared(v3.GroupSpec()), Compared(v3.GroupSpec())))
    0
    """
    patterns = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    documents = compare.diff(left.spec, right.spec, patterns)
    ignored = compare.ignorer(patterns)
    found = chain(_stated_changes(left, right), _stored_changes(left, right) if data else ())
    values = [change for change in found if not ignored(parse_path(change.node), change.inside)]
    compared = data if any(_stored_arrays(left, right)) else None
    return Difference((*documents, *values), (*documents.notes, *_left_out(left, right, data=data)), compared)


def _on_both_sides(left: Compared, right: Compared) -> Iterator[tuple[str, Spec, Spec]]:
    """The arrays that are stored on both sides, with their paths."""
    return iter(()) if left.store is None or right.store is None else _of_both(left, right)


def _of_both(left: Compared, right: Compared) -> Iterator[tuple[str, Spec, Spec]]:
    """The arrays that both sides have, with their paths."""
    for path, mine in left.spec.walk():
        theirs = _array_at(right.spec, path)
        if mine.kind == "array" and theirs is not None:
            yield path, mine, theirs


def _stored_arrays(left: Compared, right: Compared) -> Iterator[tuple[str, Spec, Spec]]:
    """The arrays stored on both sides that can be compared."""
    return (each for each in _on_both_sides(left, right) if _comparable(each[1], each[2]))


def _left_out(left: Compared, right: Compared, *, data: bool) -> Iterator[str]:
    """Notes on values that can't be compared, if `data` is requested; their documents differ, too."""
    if data:
        yield from _nowhere(left, right)
    for path, mine, theirs in _on_both_sides(left, right) if data else ():
        one, other = resolve(mine), resolve(theirs)
        if one.shape != other.shape:
            yield f"{path}: values were not compared, as the shapes differ"
        elif one.data_type and other.data_type and not are_alike(one.data_type, other.data_type):
            yield f"{path}: values were not compared, as the data types differ"


def _nowhere(left: Compared, right: Compared) -> Iterator[str]:
    """A note if a side has no values: a spec has none, a declaration only those that it contains."""
    bare = [each for each in (left, right) if each.store is None]
    stated: set[str] = {path for each in bare for path in each.values or ()}
    if any(each.values is None for each in bare):
        stated.clear()
        reason = "a spec has no values"
    else:
        reason = "a declaration doesn't state them"
    paths = [path for path, _, _ in (_of_both(left, right) if bare else ()) if path not in stated]
    if paths:
        more = f" and {len(paths) - 1} more" if paths[1:] else ""
        yield f"{paths[0]}{more}: values were not compared, as {reason}"


def _stored_changes(left: Compared, right: Compared) -> Iterator[Change]:
    """The differences between values stored on both sides, and values that can't be read."""
    for path, mine, theirs in _on_both_sides(left, right):
        if not _comparable(mine, theirs):
            yield from _of_unknown_type(path, mine, theirs)
            continue
        arrays: list[Array] = []
        for name, side in zip(SIDES, (left, right), strict=True):
            try:
                array = _opened(side, path)
                sample_form(array.chunk_access.plan)  # a codec may be unknown
                arrays.append(array)
            except ZomError as error:
                yield unreadable_values(path, (), name, "", reason_of(error))
        if len(arrays) < 2:
            continue
        found = compared_elements(*arrays)
        if found.unlike is not None:
            kind = cast("DataType", resolve(mine).data_type)
            old, new = (kind.fill_json(each, "v3") for each in (found.unlike.old, found.unlike.new))
            first, *more = found.unlike.places
            yield value_change(path, first, old, new, found.unlike.elements, tuple(more))
        for name, unread in found.unread.items():
            for each in unread:
                yield unreadable_values(path, each.place, name, each.key, each.reason)


def _of_unknown_type(path: str, mine: Spec, theirs: Spec) -> Iterator[Change]:
    """Arrays of equal shape whose values can't be read because the data type is unknown."""
    one, other = resolve(mine), resolve(theirs)
    if one.shape != other.shape:
        return
    for name, array in zip(SIDES, (one, other), strict=True):
        if array.data_type is None:
            yield unreadable_values(path, (), name, "", f"the data type {array.type_name!r} is unknown")


def _opened(side: Compared, path: str) -> Array:
    return open_array(cast("Store", side.store), join((*parse_path(side.path), *parse_path(path))))


def _stated_changes(left: Compared, right: Compared) -> Iterator[Change]:
    """The differences from values in a declaration, and values that can't be read."""
    for path in {**(left.values or {}), **(right.values or {})}:
        mine, theirs = _array_at(left.spec, path), _array_at(right.spec, path)
        if mine is None or theirs is None or not _comparable(mine, theirs):
            continue  # the documents differ, which is a change already
        name: Literal["old", "new"] = "new" if left.values is not None else "old"
        try:
            old, new, unread = _both(left, right, path)
        except ZomError as error:  # the array is gone, or given up
            yield unreadable_values(path, (), name, "", reason_of(error))
            continue
        kind: Any = resolve(mine).data_type
        change = changed_values(path, old, new, kind)
        if change is not None:
            yield change
        for each in unread:
            yield unreadable_values(path, each.place, name, each.key, each.reason)


def _both(left: Compared, right: Compared, path: str) -> tuple[Any, Any, list[Unread]]:
    """The values of an array on both sides, and what can't be read; None twice if a side has no values."""
    if left.values is not None and right.values is not None:
        return left.values.get(path), right.values.get(path), []
    stated, other = (left, right) if left.values is not None else (right, left)
    if other.store is None or stated.values is None:
        return None, None, []
    array = _opened(other, path)
    sound = SoundValues(array.chunk_access)
    found, lost = sound.read(tuple(slice(0, length, 1) for length in array.shape))
    wanted = stated.values[path]
    if not are_same(found, wanted):
        # With lossy codecs, compare with the values as such an array would read them.
        wanted = np.asarray(as_stored(array, wanted))
    if lost is not None:
        found = found.copy()
        found[lost] = wanted[lost]  # unreadable elements are reported separately
    return (wanted, found, sound.told()) if stated is left else (found, wanted, sound.told())


def _array_at(spec: Any, path: str) -> Any:
    """The array at a path below the spec, or None if there is none."""
    here: Any = spec
    for name in parse_path(path):
        members: Mapping[str, Any] = (here.members if here.kind == "group" else None) or {}
        if name not in members:
            return None
        here = members[name]
    return here if here.kind == "array" else None


def _comparable(one: Any, other: Any) -> bool:
    """Whether the arrays have the same shape and type of elements."""
    mine, theirs = resolve(one), resolve(other)
    if mine.shape != theirs.shape or mine.data_type is None or theirs.data_type is None:
        return False
    return are_alike(mine.data_type, theirs.data_type)


def changed_values(path: str, old: Any, new: Any, kind: DataType) -> Change | None:
    """The change of an array's values, with the first difference, or None if they are equal.

    >>> import numpy as np
    >>> from zom.extension.resolve import data_type
    >>> print(changed_values("/a", np.array([1, 2, 3]), np.array([1, 5, 4]), data_type("int64")))
    ~ /a: values[1]: 2 -> 5, the first of 2 elements
    """
    if old is None or new is None:
        if old is None and new is None:
            return None
        mine, theirs = (None if each is None else _listed(each, kind) for each in (old, new))
        return value_change(path, (), mine, theirs, len(mine or theirs or ()))
    places = unlike(old, new)
    if not len(places):
        return None
    found: Any = np.unravel_index(int(places[0]), old.shape)
    first = tuple(int(each) for each in found)
    was, becomes = (kind.fill_json(each[first], "v3") for each in (old, new))
    return value_change(path, first, was, becomes, len(places))


def _listed(values: Any, kind: DataType) -> list[Any]:
    return [kind.fill_json(each, "v3") for each in values.reshape(-1)]
