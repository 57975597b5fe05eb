"""Groups of a hierarchy as datasets, decoded by xarray."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import xarray
from xarray.backends.store import StoreBackendEntrypoint

from zom.errors import NotFound
from zom.extension.registry import did_you_mean, near
from zom.integrations.xarray.reading.data_store import Kinds, ZomDataStore
from zom.integrations.xarray.reading.decoding import decoded_variables
from zom.integrations.xarray.reading.index_batch import IndexBatch
from zom.integrations.xarray.reading.wanted import Wanted
from zom.model.assembly import Uncollected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import xarray as xr

    from zom.integrations.xarray.reading.found import Found
    from zom.integrations.xarray.reading.place import Place

__all__ = ["Names", "open_all", "open_one"]

Names: TypeAlias = "str | Iterable[str] | None"
"""The names of variables, as users pass them."""


def open_one(
    place: Place,
    decoders: Mapping[str, Any],
    *,
    drop: Names = None,
    mask: bool | None = None,
    variables: str | Sequence[str] | None = None,
) -> xr.Dataset:
    """Open the group as one dataset, with all variables or only the named ones and their coordinates."""
    kept = None if variables is None else _listed(variables)
    coordinates = decoders.get("decode_coords")
    # With "all", other attributes define coordinates too, so all variables are decoded.
    wanted = Wanted(frozenset(_listed(drop)), None if coordinates == "all" else kept, mask)
    with Uncollected():
        found = place.find(depth=1)
        store = ZomDataStore(found, "", wanted, IndexBatch(found.store), {})
        dataset = _decoded(store, found, decoders, drop)
    if kept is None:
        return dataset
    missing = [name for name in kept if name not in dataset.variables]
    if missing:
        store.close()
        raise _no_variable(found, missing[0], store.names)
    if coordinates:
        dataset = dataset.set_coords(store.mentioned & dataset.variables.keys())
    chosen = dataset[list(kept)]
    chosen.set_close(found.closing)
    chosen.encoding = dataset.encoding
    return chosen


def open_all(
    place: Place, decoders: Mapping[str, Any], *, drop: Names = None, mask: bool | None = None
) -> dict[str, xr.Dataset]:
    """Open the group and all groups below it as datasets, by path; the documents are read once.

    If a group was requested, paths are relative to it, and its own path is ".", as in xarray's engines.
    """
    found = place.find(depth=None)
    wanted = Wanted(frozenset(_listed(drop)), None, mask)
    batch = IndexBatch(found.store)
    kinds: Kinds = {}
    return {
        (path or "." if place.group else f"/{path}"): _decoded(
            ZomDataStore(found, path, wanted, batch, kinds), found, decoders, drop
        )
        for path in found.groups
    }


def _decoded(store: ZomDataStore, found: Found, decoders: Mapping[str, Any], drop: Names) -> xr.Dataset:
    try:
        made = _dataset(store, decoders) if _INDEXES_LATER else _with_indexes(store, decoders, drop)
    except BaseException:
        store.close()
        raise
    # Pickling a dataset also pickles this callable, so it refers to the store alone.
    made.set_close(found.closing)
    return made


_xarray: Any = xarray

_INDEXES_LATER: Final = "create_default_indexes" in signature(_xarray.open_dataset).parameters
"""Whether xarray creates indexes after the engine returns, as newer versions do."""


def _with_indexes(store: ZomDataStore, decoders: Mapping[str, Any], drop: Names) -> xr.Dataset:
    """Return the dataset with indexes, as for xarray's built-in engines."""
    entry: Any = StoreBackendEntrypoint()
    made: xr.Dataset = entry.open_dataset(store, drop_variables=drop, **decoders)
    return made


_NONE: Final = "__values__"
"""xarray's stored name for a variable whose name is None."""


def _dataset(store: ZomDataStore, decoders: Mapping[str, Any]) -> xr.Dataset:
    """Return the dataset without indexes."""
    variables, attributes, coordinates = decoded_variables(store.raw(), store.get_attrs(), decoders)
    data: dict[str | None, Any] = {}
    beside: dict[str | None, Any] = {}
    for name, variable in variables.items():
        is_beside = name in coordinates or variable.dims == (name,)
        (beside if is_beside else data)[None if name == _NONE else name] = variable
    made = xarray.Dataset(data, xarray.Coordinates(beside, indexes={}), attributes)
    made.encoding = store.get_encoding()
    return made


def _listed(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names or ())


def _no_variable(found: Found, name: str, known: Sequence[str]) -> NotFound:
    hint = did_you_mean(near(name, known), known)
    where = f"{found.store.url}: {found.path}: variables"
    return NotFound(
        f"{where}: expected names of arrays in the group, found {name!r}{f'; {hint}' if hint else ''}"
    )
