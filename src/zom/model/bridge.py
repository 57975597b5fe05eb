"""Bridges: what specs have to do with the objects of another library.

The model imports no library, and nothing of `zom.integrations`: a bridge is looked up by the library's name, as
codecs are by theirs, and loaded with the first question for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from zom.extension.registry import Registry

if TYPE_CHECKING:
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["Bridge", "bridge_of", "bridges"]


class Bridge(Protocol):
    """What goes from a library's objects to specs, and back."""

    @property
    def name(self) -> str:
        """The name of the library."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of it."""
        ...

    def spec_of(self, value: Any, family: Family) -> Spec:
        """The group that an object of the library describes, in a format."""
        ...

    def value_of(self, spec: Spec, **options: Any) -> Any:
        """The object of the library that a group describes."""
        ...


bridges: Final[Registry[Bridge]] = Registry("library", "zom.bridges", "zom.integrations")
"""The bridges by the names of libraries."""

_GROUPS: Final = ("xarray",)
"""The libraries whose objects are groups."""


def bridge_of(value: Any) -> Bridge | None:
    """The bridge to the library that an object's class comes from; None where there is none.

    >>> import xarray as xr
    >>> bridge_of(xr.Dataset()).name, bridge_of({})
    ('xarray', None)
    """
    for cls in type(value).__mro__:
        library = cls.__module__.partition(".")[0]
        if library in _GROUPS:
            return bridges[library]
    return None
