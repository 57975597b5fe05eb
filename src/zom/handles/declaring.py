"""Declare existing data: turn a store, a handle or a spec into the shorthand that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.declaration.declaration import Declaration
from zom.formats.resolve import resolve
from zom.handles.handle import Handle
from zom.hierarchy.stored.read import read
from zom.model.spec import Spec
from zom.stores.opening import is_name, opened

if TYPE_CHECKING:
    from zom.handles.array import Array
    from zom.stores.opening import Place

__all__ = ["declaration_of"]


def declaration_of(
    source: Spec | Declaration | Handle | Place, path: str = "", *, values: bool = True
) -> dict[str, Any]:
    """The shortest declaration found for a spec, or for the node at `path` in a store.

    `zom.declare` makes the same hierarchy of it again; only equivalent spelling may differ. For a store, it
    also includes the `values` of coordinates that index a dimension, if they are a range or few.

    >>> import zom
    >>> made = zom.declare({"zom": 1, "sizes": {"x": 9}, "members": {
    ...     "x": {"dims": ["x"], "dtype": "int16", "values": {"start": 10, "step": 5}}}})
    >>> declaration_of(zom.materialize(made, "memory:"))
    {'zom': 1, 'sizes': {'x': 9}, 'members': {'x': {'dims': ['x'], 'dtype': 'int16', 'values': {'start': 10, 'step': 5}}}}
    """
    from zom.declaration.shortened import shortened  # noqa: PLC0415 - few callers need it

    if isinstance(source, Declaration):
        source = source.spec
    if isinstance(source, Spec):
        return shortened(source)
    if isinstance(source, Handle):
        return _of_store(source.store, source.path, values=values)
    store = opened(source, existing=True)
    try:
        return _of_store(store, path, values=values)
    finally:
        if is_name(source):
            store.close()


def _of_store(store: Any, path: str, *, values: bool) -> dict[str, Any]:
    from zom.declaration.shortened import shortened  # noqa: PLC0415 - as above
    from zom.declaration.value_words import MOST, value_words  # noqa: PLC0415 - as above
    from zom.handles.handles import open_array  # noqa: PLC0415 - as above

    spec: Any = read(store, path)
    found: dict[str, Any] = {}
    for inner, node in spec.walk() if values else ():
        # An array with the name of its only dimension holds the values of that dimension.
        if (
            node.kind == "array"
            and resolve(node).names == (inner.rpartition("/")[2],)
            and node.shape[0] <= MOST
        ):
            whole = f"{path.strip('/')}/{inner.strip('/')}".strip("/")
            array: Array = open_array(store, whole)
            kind = resolve(node).data_type
            words = None if kind is None else value_words(array[...], kind)
            if words is not None:
                found[inner] = words
    return shortened(spec, found)
