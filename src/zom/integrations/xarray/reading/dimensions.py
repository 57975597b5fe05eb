"""The dimension names of an array, one for each dimension, as xarray needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.count import count_of
from zom.errors import SpecError
from zom.formats.resolve import resolve
from zom.json.python_value import is_dict, is_list
from zom.problems import Problem, pointer_of, show

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zom.handles.array import Array

__all__ = ["dimensions_of"]


def dimensions_of(array: Array) -> tuple[Hashable, ...]:
    """Return the dimension names; raise SpecError if the documents don't name them.

    >>> import zom
    >>> spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["x"])
    >>> dimensions_of(zom.create_array("memory:", spec))
    ('x',)
    """
    resolved = resolve(array.spec)
    names = resolved.names
    if names is None and array.ndim:
        names = _netcdf_names(array)
    if names is None and not array.ndim:
        return ()
    if names is None:
        raise _unnamed(array)
    return names


def _netcdf_names(array: Array) -> tuple[str, ...] | None:
    """Return the dimensions that NCZarr lists, as paths, in a member of the v2 document."""
    found: Any = array.spec.document.get("_NCZARR_ARRAY")
    paths = found.get("dimrefs") if is_dict(found) else None
    if not is_list(paths) or len(paths) != array.ndim:
        return None
    return tuple(str(path).rpartition("/")[2] for path in paths)


def _unnamed(array: Array) -> SpecError:
    place = resolve(array.spec).names_path
    found: Any = array.spec.document
    for step in place:
        found = found.get(str(step)) if is_dict(found) else None
    where = ".".join(map(str, place))
    fix = f"name them in {where}, or leave out the array: drop_variables=[{array.name!r}]"
    wanted, there = count_of(array.ndim, "dimension name"), "none" if found is None else show(found)
    # The code is that of the convention's rule, so that `zom explain` covers it.
    problem = Problem(
        "xarray/dims-present", "error", array.path, pointer_of(place), place, wanted, there, fix
    )
    return SpecError([problem], array.store.url)
