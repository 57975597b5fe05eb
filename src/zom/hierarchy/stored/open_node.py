"""Open nodes: a spec and its place. The handles of arrays and groups are such nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, cast

from typing_extensions import TypeVar

if TYPE_CHECKING:
    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["OpenNode", "SpecT_co"]

SpecT_co = TypeVar("SpecT_co", bound="Spec", covariant=True, default="Spec")
"""The class of the node's spec."""


class OpenNode(Generic[SpecT_co]):
    """An open node: its document and its place."""

    def __init__(self, spec: SpecT_co, store: Store, path: str, layout: Layout) -> None:
        self._spec: Spec = spec
        self._store = store
        self._path = path.strip("/")
        self._layout = layout

    @property
    def spec(self) -> SpecT_co:
        """The document of the node; for a group, without its members."""
        return cast("SpecT_co", self._spec)

    @property
    def metadata(self) -> SpecT_co:
        """Alias of `spec`, named as in zarr-python."""
        return self.spec

    @property
    def store(self) -> Store:
        """The store that holds it."""
        return self._store

    @property
    def path(self) -> str:
        """Its path in the hierarchy: `/` or `/a/b`."""
        return f"/{self._path}"

    @property
    def name(self) -> str:
        """The last part of the path; empty for the root."""
        return self._path.rpartition("/")[2]

    @property
    def layout(self) -> Layout:
        """The layout of the keys of its documents and chunks."""
        return self._layout
