"""What was found in a store for xarray: groups with their arrays, whose documents are read and sound."""

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
    """An array: what its document says of its elements, and its own attributes."""

    spec: Spec
    """Arrays that agree in all but attributes may share it, with the attributes of one of them."""
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """A group, with the arrays directly in it by name."""

    attributes: Mapping[str, Any]
    arrays: Mapping[str, FoundArray]
    broken: Mapping[str, tuple[Problem, ...]]
    """What is wrong with each member that can't be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """The group that was asked for, and those below it, as far down as that was asked for."""

    store: Store
    path: str
    """The path of the group in the store, as `/a/b`."""
    layout: Layout
    groups: Mapping[str, FoundGroup]
    """By their paths below the group; it comes first, as "", and each group before those in it."""
    is_ours: bool
    """Whether the store was opened here, and is closed with the dataset."""
    source: str | None
    """Where it was read from, for what is no path."""

    @property
    def closing(self) -> Callable[[], None] | None:
        """What closes the store; None where it was not opened for this."""
        return self.store.close if self.is_ours else None
