"""Stored chunks and a picture of values, for pages about a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import ZomError

if TYPE_CHECKING:
    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["picture_of", "stored_arrays"]


def stored_arrays(store: Store, path: str, spec: Spec) -> dict[str, StoredChunks]:
    """The stored chunks of each array of the `spec` at `path`, from a listing of their keys.

    Arrays with unknown codecs or chunk keys are left out.

    >>> import zom
    >>> store = zom.create_group("memory:", zom.v3.GroupSpec()).store
    >>> array = zom.create_array(store, zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "a")
    >>> {path: stored.total for path, stored in stored_arrays(store, "", zom.read(store)).items()}
    {'/a': 1}
    """
    from zom.handles.handles import open as open_node  # noqa: PLC0415 - slow to import
    from zom.model.tree import walk  # noqa: PLC0415 - slow to import

    found: dict[str, StoredChunks] = {}
    for inner, node in walk(spec):
        if node.kind == "array":
            array: Any = open_node(store, f"{path.strip('/')}/{inner.strip('/')}".strip("/"))
            try:
                found[inner] = array.stored()
            except ZomError:
                continue
    return found


def picture_of(array: Any) -> str:
    """A picture of a reduced slice of the array, as HTML, or a line with the reason if there is none.

    >>> import zom
    >>> "<img" in picture_of(zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int8")))
    True
    """
    from zom.views.html.markup import text  # noqa: PLC0415 - slow to import
    from zom.views.svg.values import picture, reduced  # noqa: PLC0415 - slow to import

    part = reduced(array)
    return (
        f"<p class=soft>No picture: {text(part)}.</p>" if isinstance(part, str) else picture(part, array.path)
    )
