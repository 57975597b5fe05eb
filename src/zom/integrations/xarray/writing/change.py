"""Write variables into arrays of an existing group: whole arrays, a region, or appended at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.errors import ZomError
from zom.handles.changes import plan
from zom.integrations.xarray.spec import datasets_of
from zom.integrations.xarray.writing.array_spec import array_spec
from zom.integrations.xarray.writing.cf_variables import encoded, prepared, with_known_type
from zom.integrations.xarray.writing.existing import check_fits, existing_in, fitted, grown, uneven, unfit
from zom.integrations.xarray.writing.filling import array_of, checked, filled
from zom.integrations.xarray.writing.region import located, starts_in
from zom.integrations.xarray.writing.transfer import Transfer, Values
from zom.model.builders.chunking import refuse
from zom.packages import imported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.handles.group import Group
    from zom.integrations.xarray.writing.choices import Choices
    from zom.integrations.xarray.writing.existing import Existing
    from zom.integrations.xarray.writing.region import Region
    from zom.model.group import Group as GroupBase
    from zom.stores.interface import Store

__all__ = ["change"]


def change(  # noqa: PLR0913, PLR0917 - what to write, and where
    data: Any,
    store: Store,
    path: str,
    encoding: Mapping[str, Any] | None,
    zarr_format: int | None,
    region: Region | None,
    append_dim: str | None,
    choices: Choices,
) -> Any:
    """Write data into an existing group; all checks run first."""
    if isinstance(data, imported("xarray", "xarray").DataTree):
        raise TypeError('data: expected a Dataset or DataArray, got a DataTree, which is written whole: use mode="w-" '
                        'or "w", or write into its groups one by one')  # fmt: skip
    existing = existing_in(store, path, zarr_format)
    ((_, dataset, _),) = datasets_of(data, None, existing.number)
    slices: dict[str, slice] = {}
    if region is not None:
        dataset, slices = located(dataset, region, existing)
    if append_dim is not None:
        _check_append(dataset, append_dim, slices, existing)
    known = [name for name in encoding or {} if name in existing.arrays]
    if known:
        raise refuse("encoding", "names of new variables, as existing arrays keep their encoding", known)
    variables, attributes = prepared(dataset, encoding)
    names: Any = existing.arrays if choices.mode == "a" else variables
    problems = [
        problem
        for name, variable in variables.items()
        if name in names
        for problem in unfit(name, variable, existing, append_dim)
    ]
    if region is None:
        problems += uneven(variables, existing, append_dim)
    check_fits(problems, store.url)
    transfers = [
        _into(name, variable, existing, slices, append_dim)
        if name in existing.arrays
        else _new(name, variable, existing.number, strict=name in (encoding or {}))
        for name, variable in variables.items()
    ]
    transfers = checked(transfers, store, path, choices)
    return _changed(existing, attributes if choices.mode == "a" else None, transfers, choices)


def _check_append(dataset: Any, append_dim: str, slices: Mapping[str, slice], existing: Existing) -> None:
    if append_dim in slices:
        raise refuse("append_dim", "a dimension that is not in region", append_dim)
    dims = sorted({str(dim) for each in existing.variables.values() for dim in each.dims})
    for where, found in (("the dataset", dataset.dims), ("the store", dims)):
        if append_dim not in found:
            raise refuse("append_dim", f"a dimension of {where}: {', '.join(map(str, found))}", append_dim)


def _into(
    name: str, variable: Any, existing: Existing, slices: Mapping[str, slice], append_dim: str | None
) -> Transfer:
    """Return the transfer into an existing array."""
    source, old = fitted(variable, name, existing), existing.arrays[name]
    spec = grown(old, source, append_dim)
    shape: tuple[int, ...] = old.__dict__["shape"]
    if append_dim is not None and append_dim in source.dims:
        axis: int = source.dims.index(append_dim)
        slices = {**slices, append_dim: slice(shape[axis], None)}
        shape = spec.__dict__["shape"]
    return Transfer(name, source, spec, existing.number, starts_in(name, source, shape, slices))


def _new(name: str, variable: Any, number: int, *, strict: bool) -> Transfer:
    source = with_known_type(variable)
    spec = array_spec(name, encoded(name, source, number, values=False), source, number, strict=strict)
    return Transfer(name, source, spec, number, (0,) * source.ndim)


def _changed(
    existing: Existing, attributes: dict[str, Any] | None, transfers: list[Transfer], choices: Choices
) -> Any:
    """Create and grow arrays with one plan, then write; if writing fails, restore the shape of grown arrays.

    If nothing grows and no attribute changes, the plan also writes the values of new arrays.
    """
    root, cls = existing.root, cast("Any", type(existing.root.spec))
    members = {each.name: each.spec for each in transfers if each.spec is not existing.arrays.get(each.name)}
    given = {} if attributes is None else {"attributes": attributes}
    opened: Group = root
    now: dict[str, Values] = {}
    if members or given:
        wanted: GroupBase = cls(members=members, **given)
        made = plan(wanted, root.store, root.path, on_conflict="update")
        made.check()
        # A plan can write values only if it does nothing but add.
        if made.journal.adds and not choices.write_empty_chunks:
            new = (each for each in transfers if each.name not in existing.arrays)
            now = {each.name: Values(each) for each in new if each.is_loaded}
        opened = made.apply(data=now)
    left = [each for each in transfers if each.name not in now]
    try:
        arrays = [array_of(each, root.store, root.path, root.layout, choices) for each in left]
        return filled(opened, left, arrays, choices)
    except BaseException as error:
        _take_back(existing, members, error)
        raise


def _take_back(existing: Existing, members: Mapping[str, Any], error: BaseException) -> None:
    """Restore the old shapes of arrays that grew."""
    old = {name: existing.arrays[name] for name in members if name in existing.arrays}
    if not old:
        return
    root, cls = existing.root, cast("Any", type(existing.root.spec))
    try:
        wanted: GroupBase = cls(members=old)
        plan(wanted, root.store, root.path, on_conflict="update").apply()
    except ZomError as second:
        error.add_note(f"arrays were resized, and have fill values at their end: {second}")
