"""Making nodes in a store, and handles of what was made."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, cast

from zom.hierarchy.create import create_node
from zom.paths import join, parse_path
from zom.stores import opening
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from zom.array import Array
    from zom.hierarchy.handle import Handle, Mode
    from zom.hierarchy.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["create_array", "create_group", "handle_of", "opened"]


def create_array(store: opening.Place, spec: Spec, path: str = "") -> Array:
    """A new array in `store`, a store, a path or a URL; "memory:" is a new store in memory.

    Groups above it that are missing are made, too. ConflictError, and nothing written, where there is a
    node already; of several who create the same array, in any process, one succeeds.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a/b")
    >>> array.path, sorted(array.store.list())
    ('/a/b', ['a/b/zarr.json', 'a/zarr.json', 'zarr.json'])
    >>> zom.create_array(array.store, array.spec, "a/b/c")
    Traceback (most recent call last):
    zom.errors.ConflictError: memory://: /a/b: expected a group, to hold /a/b/c, found a v3 array
    """
    if spec.kind != "array":
        raise TypeError(f"expected the spec of an array, found one of a {spec.kind}; see zom.create_group")
    return cast("Array", _created(store, spec, path))


def create_group(store: opening.Place, spec: Spec, path: str = "") -> Handle:
    """A new group without members in `store`, a store, a path or a URL; "memory:" is a new store in memory.

    As `zom.create_array`. A group with members is made by `zom.materialize`.

    >>> import zom
    >>> group = zom.create_group("memory:", zom.v3.GroupSpec(attributes={"n": 1}))
    >>> group.attrs["n"]
    1
    """
    if spec.kind != "group":
        raise TypeError(f"expected the spec of a group, found one of an {spec.kind}; see zom.create_array")
    return _created(store, spec, path)


def _created(place: opening.Place, spec: Spec, path: str) -> Handle:
    store = opened(place)
    try:
        layout = create_node(store, spec, path)
    except BaseException:
        if is_name(place):
            store.close()
        raise
    return handle_of(spec, store, join(parse_path(path)), layout, mode="r+")


def is_name(place: opening.Place) -> bool:
    """Whether it is a name of a store, not one that is open."""
    return isinstance(place, (str, PathLike))


def opened(place: opening.Place, *, read_only: bool | None = None) -> Store:
    """The store at `place`; "memory:" is a new one.

    >>> opened("memory:") is opened("memory:")
    False
    """
    return MemoryStore() if place == "memory:" else opening.store(place, read_only=read_only)


def handle_of(spec: Spec, store: Store, path: str, layout: Layout, *, mode: Mode) -> Handle:
    """What is open where a node lies."""
    if spec.kind == "array":
        from zom.array import Array  # noqa: PLC0415 - arrays bring the whole engine

        return Array(spec, store, path, layout, mode=mode)
    from zom.hierarchy.handle import Handle  # noqa: PLC0415

    return Handle(spec, store, path, layout, mode=mode)
