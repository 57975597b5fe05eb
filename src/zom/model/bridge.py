"""Bridges: conversions between specs and the objects of another library.

The model does not import other libraries or `zom.integrations`. Bridges are looked up by library name,
like codecs, and loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from zom.extension.registry import Registry

if TYPE_CHECKING:
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["Bridge", "bridge_of", "bridges"]


class Bridge(Protocol):
    """Converts a library's objects to specs and back."""

    @property
    def name(self) -> str:
        """The name of the library."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Alternative names of the library."""
        ...

    def spec_of(self, value: Any, family: Family) -> Spec:
        """Return the group, in a format, that an object of the library describes."""
        ...

    def value_of(self, spec: Spec, **options: Any) -> Any:
        """Return the object of the library that a group describes."""
        ...


bridges: Final[Registry[Bridge]] = Registry("library", "zom.bridges", "zom.integrations")
"""The bridges by library name."""

_GROUPS: Final = ("xarray",)
"""The libraries whose objects are read as groups."""


def bridge_of(value: Any) -> Bridge | None:
    """Return the bridge to the library that defines the object's class, or None.

    >>> import xarray as xr
    >>> bridge_of(xr.Dataset()).name, bridge_of({})
    ('xarray', None)
    """
    for cls in type(value).__mro__:
        library = cls.__module__.partition(".")[0]
        if library in _GROUPS:
            return bridges[library]
    return None
