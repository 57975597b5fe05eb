"""Specs of new arrays for lazy data: the chunks of the data become those of the array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.handles.changes import plan
from zom.hierarchy.change.conflicts import conflict
from zom.hierarchy.stored.findings import warn
from zom.model.construction import outside
from zom.model.tree import unflatten
from zom.paths import join, parse_path
from zom.problems import rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.handles.group import Group
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["IRREGULAR", "create_arrays", "irregular_problems", "spec_for"]

IRREGULAR: Final = rule(
    "plan/irregular-chunks",
    "a new array gets the chunks of its lazy data, which must have one length",
    source="zom: few readers support chunks of several lengths",
)


def irregular_problems(node: str, chunks: Sequence[Sequence[int]]) -> list[Problem]:
    """Report dimensions whose data chunks can't become the chunks of a new array, one problem each.

    >>> print(irregular_problems("/t", [[4, 4, 2], [3, 5]])[0])
    /t: expected chunks of one length along 1, the last one no longer, found 3, 5; rechunk the data, pass \
rechunk=True, or create the array first with chunks of your choice
    """
    fix = "rechunk the data, pass rechunk=True, or create the array first with chunks of your choice"
    problems: list[Problem] = []
    for number, lengths in enumerate(chunks):
        first = lengths[0]
        if all(each == first for each in lengths[:-1]) and lengths[-1] <= first:
            continue
        shown = ", ".join(map(str, lengths[:6])) + (", ..." if len(lengths) > 6 else "")
        expected = f"chunks of one length along {number}, the last one no longer"
        problems.append(conflict(IRREGULAR, node, expected, shown, fix))
    return problems


def spec_for(group: Spec, data: Any, names: Sequence[str | None] | None) -> Spec:
    """Return the spec of a new array for lazy data, in the format of `group`.

    >>> from types import SimpleNamespace
    >>> from zom import v3
    >>> data = SimpleNamespace(shape=(10,), dtype="int8", chunks=((4, 4, 2),))
    >>> spec_for(v3.GroupSpec(), data, ["time"]).dimension_names
    ('time',)
    """
    array: Any = group.family.classes["array"]
    # dask gives a dimension of length 0 one chunk of 0 elements; a Zarr chunk has at least one element.
    chunks = tuple(max(1, *lengths) for lengths in data.chunks)
    given = {} if names is None else {"dimension_names": tuple(names)}
    return cast("Spec", array.build(shape=data.shape, dtype=data.dtype, chunks=chunks, **given))


def create_arrays(group: Group, specs: Mapping[str, Spec]) -> None:
    """Create arrays below a group, with any missing parent groups, in one change: all or none."""
    root: Spec = unflatten({"/": cast("Any", group.spec.family.classes["group"])(), **specs})
    made = plan(root, group.store, join(parse_path(group.path)), on_conflict="update")
    made.check()
    warn(made.url, made.warnings, None, outside())
    made.apply()
