"""The groups that were found in a store for xarray, with their arrays; the documents are read and valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.hierarchy.stored.layout import Layout
    from zom.model.spec import Spec
    from zom.problems import Problem
    from zom.stores.interface import Store

__all__ = ["Found", "FoundArray", "FoundGroup"]


@dataclass(frozen=True, slots=True)
class FoundArray:
    """An array: its spec and its own attributes."""

    spec: Spec
    """Arrays that differ only in attributes may share it; it then has the attributes of one of them."""
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """A group with its direct child arrays, by name."""

    attributes: Mapping[str, Any]
    arrays: Mapping[str, FoundArray]
    broken: Mapping[str, tuple[Problem, ...]]
    """The problems of each unreadable member."""


@dataclass(frozen=True, slots=True)
class Found:
    """The requested group and the groups below it, down to the requested depth."""

    store: Store
    path: str
    """The path of the group in the store, as `/a/b`."""
    layout: Layout
    groups: Mapping[str, FoundGroup]
    """Groups by path relative to the requested one, which comes first, as ""; parents precede children."""
    is_ours: bool
    """Whether the store was opened here and closes with the dataset."""
    source: str | None
    """The source of the dataset, if the user didn't pass a path."""

    @property
    def closing(self) -> Callable[[], None] | None:
        """A callable that closes the store, or None if it wasn't opened here."""
        return self.store.close if self.is_ours else None
