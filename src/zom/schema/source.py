"""Sources: other packages that have schemas, so that one list has all names.

A source handles the names that begin with its own and a slash: `convention/ome/0.5`. Objects with a
method `schema_part` can be passed directly to `json_schema`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from zom.extension.registry import Registry

if TYPE_CHECKING:
    from zom.schema.loss import Loss
    from zom.schema.standard import SchemaPart

__all__ = ["Described", "SchemaSource", "sources"]


@runtime_checkable
class Described(Protocol):
    """An object with its own schema."""

    def schema_part(self, flavour: Any) -> tuple[SchemaPart, list[Loss]]:
        """Return its schema without an identity, and the losses."""
        ...


class SchemaSource(Protocol):
    """A source of schemas by name."""

    @property
    def name(self) -> str:
        """The prefix of the names."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """No alternative names."""
        ...

    def names(self) -> list[str]:
        """Return the names of its schemas, without the prefix."""
        ...

    def find(self, name: str) -> Described:
        """Return the owner of the schema called `name`, one of `names()`."""
        ...


sources: Registry[SchemaSource] = Registry(
    "source of schemas", "zom.schema_sources", "zom.conventions.framework.schema_source"
)
"""The sources by the prefix of their names."""
