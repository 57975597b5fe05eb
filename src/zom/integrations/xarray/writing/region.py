"""Regions: the parts of stored arrays that the variables of a dataset are written to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from zom.errors import SelectionError
from zom.packages import imported

if TYPE_CHECKING:
    from zom.integrations.xarray.writing.existing import Existing

__all__ = ["Region", "located", "starts_in"]

Region: TypeAlias = 'Mapping[str, slice | Literal["auto"]] | Literal["auto"]'
"""The target of data: slices by dimension; "auto" finds them by coordinate values."""


def located(dataset: Any, region: Region, existing: Existing) -> tuple[Any, dict[str, slice]]:
    """Return the dataset to write, without indexes (a region can't change them), and its target slices."""
    given: Any = dict.fromkeys(dataset.dims, "auto") if region == "auto" else region
    if not isinstance(given, Mapping):
        raise _refused('slices by dimension, or "auto"', repr(region))
    slices: dict[str, slice] = {}
    for name, where in cast("Mapping[str, Any]", given).items():
        if name not in dataset.dims:
            raise _refused(f"dimensions of the dataset: {', '.join(map(str, dataset.dims))}", repr(name))
        if isinstance(where, str) and where == "auto":
            slices[name] = _found(dataset, name, existing)
        elif not isinstance(where, slice):
            raise _refused('slices, or "auto"', f"{where!r} for {name!r}")
        elif cast("Any", where).step not in {None, 1}:
            raise _refused("slices with step 1", f"{where!r} for {name!r}")
        else:
            slices[name] = where
    dataset = dataset.drop_vars(list(dataset.indexes))
    others = [name for name, each in dataset.variables.items() if not set(slices) & set(each.dims)]
    if slices and others:
        expected = f"variables that have one of the dimensions {', '.join(slices)}"
        raise _refused(
            expected, f"{', '.join(map(str, others))} without one; remove them: .drop_vars({others!r})"
        )
    return dataset, slices


def starts_in(
    name: str, variable: Any, shape: tuple[int, ...], slices: Mapping[str, slice]
) -> tuple[int, ...]:
    """Return the start of a variable's values in an array of `shape`; raise SelectionError if they don't fit.

    >>> import xarray as xr
    >>> starts_in("t", xr.Variable("x", [1, 2]), (10,), {"x": slice(4, 6)})
    (4,)
    """
    starts: list[int] = []
    for dim, length, whole in zip(variable.dims, variable.shape, shape, strict=True):
        start, stop, _ = slices.get(dim, slice(None)).indices(whole)
        if length != max(0, stop - start):
            region = f"[{start}:{stop}] of {dim!r}, which has {whole} elements"
            fix = (
                "pass region= or append_dim= to write a part of it"
                if dim not in slices
                else "choose another region"
            )
            raise SelectionError(
                f"{name}: expected {stop - start} elements for {region}, found {length}; {fix}"
            )
        starts.append(start)
    return tuple(starts)


def _found(dataset: Any, name: str, existing: Existing) -> slice:
    """Return the slice of a stored dimension that matches the dataset's coordinate values."""
    if name not in dataset.variables:
        return slice(0, dataset.sizes[name])
    if name not in existing.variables:
        raise _refused(f"a coordinate {name!r} in the store, to find the region", "none; pass slices")
    pandas = imported("pandas", "xarray")
    stored = pandas.Index(np.asarray(existing.variables[name].values))
    wanted = np.asarray(dataset.variables[name].values)
    if not stored.is_unique:
        raise _refused(
            f"a coordinate {name!r} in the store without repeated values", "repeated values; pass slices"
        )
    places = stored.get_indexer(wanted)
    if not len(places):
        return slice(0, 0)
    if (places == -1).any():
        missing = wanted[np.flatnonzero(places == -1)[0]]
        raise _refused(f"existing values of {name!r}", f"{missing}; pass append_dim= to add some")
    if (np.diff(places) != 1).any():
        raise _refused(f"consecutive values of {name!r} in the store", "separate ones; write them one by one")
    return slice(int(places[0]), int(places[-1]) + 1)


def _refused(expected: str, found: str) -> SelectionError:
    return SelectionError(f"region: expected {expected}, found {found}")
