"""A group as xarray's `AbstractDataStore`: its arrays as variables, not yet decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override
from xarray.backends.common import AbstractDataStore
from xarray.core.indexing import LazilyIndexedArray

from zom.errors import SpecError
from zom.handles.array import Array
from zom.integrations.xarray.reading.array_kind import ArrayKind
from zom.integrations.xarray.reading.decoding import Raw
from zom.integrations.xarray.reading.fill import missing_value
from zom.integrations.xarray.reading.lazy_array import LazyArray
from zom.integrations.xarray.reading.wanted import mentioned
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xarray import Variable

    from zom.integrations.xarray.reading.found import Found, FoundArray
    from zom.integrations.xarray.reading.index_batch import IndexBatch
    from zom.integrations.xarray.reading.wanted import Wanted

__all__ = ["Kinds", "ZomDataStore"]

Kinds = dict[int, ArrayKind]
"""Array kinds by the id of their spec; the arrays that were found keep the specs alive."""


class ZomDataStore(AbstractDataStore):
    """One of the groups that were found; its documents are known, and data is read on access."""

    __slots__ = (
        "_batch",
        "_found",
        "_group",
        "_hidden",
        "_is_v2",
        "_kinds",
        "_mask",
        "_missing",
        "_path",
        "_wanted",
    )

    def __init__(self, found: Found, path: str, wanted: Wanted, batch: IndexBatch, kinds: Kinds) -> None:
        self._found = found
        self._group = found.groups[path]
        self._path = join((*parse_path(found.path), *parse_path(path)))
        self._wanted = wanted
        self._batch = batch
        self._kinds = kinds
        family = found.layout.family
        self._is_v2 = family.form == "v2"
        self._mask = self._is_v2 if wanted.mask is None else wanted.mask
        place, *inside = family.names_path
        # In v2 the dimension names are an attribute, which xarray hides.
        self._hidden = str(inside[0]) if place == "attributes" else None
        self._missing: dict[tuple[int, str], Any] = {}

    @property
    def names(self) -> list[str]:
        """The names of the arrays and of unreadable members."""
        return sorted({*self._group.arrays, *self._group.broken})

    @override
    def get_variables(self) -> Mapping[str, Variable]:
        """Return the selected arrays, by name."""
        return {name: each.variable() for name, each in self.raw().items()}

    def raw(self) -> dict[str, Raw]:
        """Return the raw parts of these variables; raise SpecError if a selected member is unreadable."""
        problems = [
            problem
            for name, found in self._group.broken.items()
            if self._wanted.names_broken(name)
            for problem in found
        ]
        if problems:
            raise SpecError(problems, self._found.store.url)
        arrays = {name: each for name, each in self._group.arrays.items() if name not in self._wanted.dropped}
        if self._wanted.kept is not None:
            kept = self._wanted.arrays(arrays, {name: self._kind(name, arrays[name]) for name in arrays})
            arrays = {name: each for name, each in arrays.items() if name in kept}
        return {name: self._raw(name, each) for name, each in arrays.items()}

    @property
    def mentioned(self) -> set[str]:
        """The names of coordinates in the attributes of all arrays but dropped ones, selected or not."""
        dropped = self._wanted.dropped
        return mentioned({name: each for name, each in self._group.arrays.items() if name not in dropped})

    def _array(self, name: str, found: FoundArray) -> Array:
        spec: Any = found.spec
        return Array(spec, self._found.store, f"{self._path.rstrip('/')}/{name}", self._found.layout)

    def _kind(self, name: str, found: FoundArray) -> ArrayKind:
        kind = self._kinds.get(id(found.spec))
        if kind is None:
            kind = self._kinds[id(found.spec)] = ArrayKind.of(self._array(name, found))
        return kind

    def _raw(self, name: str, found: FoundArray) -> Raw:
        array, kind = self._array(name, found), self._kind(name, found)
        hidden = self._hidden
        if hidden is None:
            attributes = dict(found.attributes)
        else:
            attributes = _without_netcdf(found.attributes)
            attributes.pop(hidden, None)
        encoding = kind.encoding()
        if self._mask:
            if kind.fill_value is not None:
                attributes["_FillValue"] = kind.fill_value
        else:
            if not self._is_v2:
                encoding["fill_value"] = kind.fill_value
            if "_FillValue" in attributes:
                attributes["_FillValue"] = self._missing_value(array, kind, attributes["_FillValue"])
        is_index = kind.dimensions == (name,)
        batch = self._batch if is_index and self._batch.add(array, kind.dtype.itemsize) else None
        lazy = LazilyIndexedArray(LazyArray(array, kind.dtype, batch), kind.key)
        return Raw(kind.dimensions, lazy, attributes, encoding, id(kind))

    def _missing_value(self, array: Array, kind: ArrayKind, value: Any) -> Any:
        """Return the decoded attribute `_FillValue`; text is cached, as most variables of a kind share it."""
        if not isinstance(value, str):
            return missing_value(array, kind.dtype, value)
        key = (id(kind), value)
        if key not in self._missing:
            self._missing[key] = missing_value(array, kind.dtype, value)
        return self._missing[key]

    @override
    def get_attrs(self) -> Mapping[str, Any]:
        """The attributes of the group."""
        return _without_netcdf(self._group.attributes)

    @override
    def get_dimensions(self) -> Mapping[Any, int]:
        """The length of each dimension."""
        return {
            dimension: length
            for name, found in self._group.arrays.items()
            for kind in [self._kind(name, found)]
            for dimension, length in zip(kind.dimensions, kind.shape, strict=True)
        }

    @override
    def get_encoding(self) -> dict[str, Any]:
        """Return the source of the dataset, if xarray can't know it."""
        source = self._found.source
        return {} if source is None else {"source": source}

    @override
    def close(self) -> None:
        """Close the store if it was opened here."""
        closing = self._found.closing
        if closing is not None:
            closing()


def _without_netcdf(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes without those of NCZarr itself, which don't belong to the dataset."""
    return {key: value for key, value in attributes.items() if not key.lower().startswith("_nc")}
