"""Handles: open nodes of a hierarchy, the common base of arrays and groups."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from uuid import uuid4
from weakref import WeakKeyDictionary

from zom.errors import ReadOnlyError, StoreError, ZomError
from zom.handles.attributes import Attributes
from zom.hierarchy.change.node_change import change_node
from zom.hierarchy.journal.journal import unsettled
from zom.hierarchy.stored.open_node import OpenNode, SpecT_co
from zom.hierarchy.stored.pending import check_settled
from zom.hierarchy.stored.settled import Settled
from zom.json.python_value import is_dict
from zom.json.value import JSONDict, thaw
from zom.limits import DEFAULT_LIMITS, Limits
from zom.packages import imported
from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["Handle", "Mode", "store_token"]

Mode: TypeAlias = Literal["r", "r+"]
"""Whether an open node may be changed: `r` only reads."""


_tokens: WeakKeyDictionary[Store, str] = WeakKeyDictionary()


def store_token(store: Store) -> str:
    """A unique name of a store: its place, or for a store of this process, an identifier of its own.

    >>> from zom.stores.memory import MemoryStore
    >>> store_token(MemoryStore()) == store_token(MemoryStore())
    False
    """
    try:
        pickle.dumps(store)
    except (ZomError, pickle.PicklingError, TypeError, AttributeError):
        # Many stores in memory have the same URL, and an `id` is reused.
        return _tokens.setdefault(store, f"{store.url}#{uuid4()}")
    return store.place


class Handle(OpenNode[SpecT_co]):
    """An open node that can be changed if its mode allows it."""

    def __init__(  # noqa: PLR0913 - a spec, its place, and options
        self,
        spec: SpecT_co,
        store: Store,
        path: str,
        layout: Layout,
        *,
        mode: Mode = "r",
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        super().__init__(spec, store, path, layout)
        self._mode: Mode = mode
        self._limits = limits

    @property
    def mode(self) -> Mode:
        """Whether it may be changed."""
        return self._mode

    @property
    def attrs(self) -> Attributes:
        """The attributes; changing them changes the document in the store."""
        return Attributes(self._attributes, self._change_attributes, self._store.url, self.path)

    def _attributes(self) -> JSONDict:
        found = self._spec.document.get("attributes")
        return cast("JSONDict", found) if is_dict(found) else JSONDict()

    def _change_attributes(self, change: Callable[[dict[str, Any]], None]) -> None:
        def changed(spec: Spec) -> Spec:
            found = spec.document.get("attributes")
            attributes = cast("dict[str, Any]", thaw(found)) if is_dict(found) else {}
            change(attributes)
            return spec.replace(attributes=attributes)

        self._change(changed)

    def _change(self, change: Callable[[Spec], Spec]) -> None:
        """Change the document, in the store and here."""
        self.check_writable()
        check_settled(self._store, self._path)
        self._change_now(change)

    def _change_now(self, change: Callable[[Spec], Spec]) -> None:
        self._change_spec(change_node(self._store, self._path, self._layout, self._spec, change=change))

    def _change_spec(self, spec: Spec) -> None:
        self._spec = spec

    def as_zarr(self) -> Any:
        """The node as zarr-python's array or group, on the same store and in the same mode.

        >>> zarr = __import__("pytest").importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        >>> import zom
        >>> zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="int8")).as_zarr().shape
        (4,)
        """
        zarr: Any = imported("zarr", "zarr")
        number = self._layout.family.zarr_format
        if number is None:
            reason = "zarr-python reads v2 and v3; copy it to v3 with zom.migrate(store, target=...)"
            raise StoreError(self._store.url, self._path.strip("/"), "open with zarr-python", reason)
        return zarr.open(
            self._store.as_zarr(), path=self._path.strip("/"), mode=self._mode, zarr_format=number
        )

    def check_writable(self) -> None:
        """Raise ReadOnlyError unless it was opened for changes, on a writable store."""
        if self._mode == "r":
            reason = 'it is open for reading only: open it with mode="r+"'
            raise ReadOnlyError(self._store.url, self.path, "change", reason)
        if isinstance(self._store, Settled):
            raise unsettled(self._store.url, self._store.journal, "change")
        if not self._store.capabilities.writable:
            raise ReadOnlyError(self._store.url, self.path, "change")

    def close(self) -> None:
        """Close the store, and everything open on it; this completes a zip file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.__exit__(kind, error, trace)

    def _where(self) -> str:
        return one_line(f"{self._store.url}{'' if not self._path else ' ' + self.path}")
