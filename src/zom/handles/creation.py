"""Create arrays and groups with one call: from a spec, from options, or from values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from zom.extension.resolve import data_type
from zom.handles.group import handle_of
from zom.handles.making import array_spec, checked_values, chosen_form, group_spec, make_node
from zom.paths import join, parse_path
from zom.stores import opening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from typing_extensions import Unpack

    from zom.extension.bound import Array as NumpyArray
    from zom.extension.datatype import Format
    from zom.formats.full_spelling import Spelling
    from zom.handles.array import Array
    from zom.handles.group import Group
    from zom.handles.making import ArrayFacts
    from zom.hierarchy.stored.layout import Layout
    from zom.model.builders.build import DTypeLike
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["array", "create_array", "create_group", "empty", "full", "ones", "zeros"]


def create_array(  # noqa: PLR0913 - each is a choice of the caller
    store: opening.Place,
    spec: Spec | None = None,
    path: str = "",
    *,
    data: Any = None,
    overwrite: bool = False,
    form: Format | None = None,
    spelling: Spelling = "full",
    **facts: Unpack[ArrayFacts],
) -> Array:
    """Create an array in `store`, a store, a path or a URL; "memory:" is a new store in memory.

    Pass a `spec`; or `shape`, `dtype` and other options of `ArraySpec.build`; or `data`, whose values are
    written with the array, all or nothing. Without a spec, the array has the format `form`, or that of its
    hierarchy, or v3. Shorthand names in a spec, which few readers know, are written in full unless `spelling`
    is "given".

    Missing groups above it are created, too. ConflictError, and nothing written, if there is a node already;
    with `overwrite` the new array replaces it, and everything below it. If several processes create the same
    array, one succeeds.

    >>> import numpy as np, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a/b")
    >>> array.path, sorted(array.store.list())
    ('/a/b', ['a/b/zarr.json', 'a/zarr.json', 'zarr.json'])
    >>> zom.create_array(array.store, path="a/c", shape=(4,), dtype="int8", chunks=(2,))
    <zom.Array memory:// /a/c (4,) int8 mode='r+'>
    >>> zom.create_array(array.store, path="a/d", data=np.arange(3))[:].tolist()
    [0, 1, 2]
    >>> zom.create_array(array.store, array.spec, "a/b/c")
    Traceback (most recent call last):
    zom.errors.ConflictError: memory://: 'a/b/zarr.json': /a/b: expected a group, to contain /a/b/c, found a v3 array; choose another path
    """
    values = None if data is None else checked_values(data)

    def make(there: Store) -> tuple[Spec, Layout]:
        chosen = chosen_form(there, path, spec, form)
        wanted = array_spec(spec, chosen, values, cast("Mapping[str, Any]", facts), spelling)
        return wanted, make_node(there, wanted, path, data=values, overwrite=overwrite)

    return cast("Array", _created(store, path, make))


def create_group(  # noqa: PLR0913 - as above
    store: opening.Place,
    spec: Spec | None = None,
    path: str = "",
    *,
    attributes: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    form: Format | None = None,
) -> Group:
    """Create a group without members in `store` (a store, a path or a URL; "memory:" is a new store).

    Like `zom.create_array`: pass a `spec`, or `attributes`. With `overwrite`, everything there is deleted.
    Use `zom.materialize` for a group with members.

    >>> import zom
    >>> group = zom.create_group("memory:", attributes={"n": 1})
    >>> group.attrs["n"]
    1
    """

    def make(there: Store) -> tuple[Spec, Layout]:
        wanted = group_spec(spec, chosen_form(there, path, spec, form), attributes)
        return wanted, make_node(there, wanted, path, overwrite=overwrite)

    return cast("Group", _created(store, path, make))


def _created(place: opening.Place, path: str, make: Callable[[Store], tuple[Spec, Layout]]) -> Array | Group:
    store = opening.opened(place, read_only=False if opening.is_name(place) else None)
    try:
        spec, layout = make(store)
    except BaseException:
        if opening.is_name(place):
            store.close()
        raise
    return handle_of(spec, store, join(parse_path(path)), layout, mode="r+")


def zeros(
    shape: int | Iterable[int],
    dtype: DTypeLike = "float64",
    *,
    store: opening.Place = "memory:",
    path: str = "",
    **options: Any,
) -> Array:
    """Create an array of zeros, without stored chunks; `options` are those of `zom.create_array`.

    >>> import zom
    >>> zom.zeros((2, 3), "int8")[:]
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int8)
    """
    if "fill_value" in options:
        raise TypeError("unknown argument 'fill_value'; see zom.full")
    # Dates that were never written are NaT, which is not zero.
    fill: dict[str, Any] = {"fill_value": 0} if data_type(dtype).kind in {"datetime", "timedelta"} else {}
    return create_array(store, path=path, shape=shape, dtype=dtype, **fill, **options)


def ones(
    shape: int | Iterable[int],
    dtype: DTypeLike = "float64",
    *,
    store: opening.Place = "memory:",
    path: str = "",
    **options: Any,
) -> Array:
    """Create an array of ones: they are its fill value, and no chunks are stored.

    >>> import zom
    >>> zom.ones(3)[:]
    array([1., 1., 1.])
    """
    one = True if data_type(dtype).kind == "bool" else 1
    return create_array(store, path=path, shape=shape, dtype=dtype, fill_value=one, **options)


def full(
    shape: int | Iterable[int],
    fill_value: Any,
    dtype: DTypeLike = None,
    *,
    store: opening.Place = "memory:",
    path: str = "",
    **options: Any,
) -> Array:
    """Create an array that holds `fill_value` everywhere, with its data type unless you pass `dtype`.

    >>> import zom
    >>> zom.full((2,), 7)[:], zom.full((2,), 7, "float32").dtype
    (array([7, 7]), dtype('float32'))
    """
    kind = np.asarray(fill_value).dtype if dtype is None else dtype
    value: Any = fill_value
    if isinstance(fill_value, np.ndarray) and not fill_value.ndim:
        value = cast("NumpyArray", fill_value)[()]
    return create_array(store, path=path, shape=shape, dtype=kind, fill_value=value, **options)


def empty(
    shape: int | Iterable[int],
    dtype: DTypeLike = "float64",
    *,
    store: opening.Place = "memory:",
    path: str = "",
    **options: Any,
) -> Array:
    """Create an array without stored chunks: it reads as the fill value, zero by default.

    >>> import zom
    >>> zom.empty((2,), fill_value=9)[:]
    array([9., 9.])
    """
    return create_array(store, path=path, shape=shape, dtype=dtype, **options)


def array(data: Any, *, store: opening.Place = "memory:", path: str = "", **options: Any) -> Array:
    """Create an array with these values; `options` are those of `zom.create_array`.

    >>> import zom
    >>> zom.array([[1, 2], [3, 4]], chunks=(1, 2)).chunks
    (1, 2)
    """
    return create_array(store, path=path, data=data, **options)
