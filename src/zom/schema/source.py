"""Sources: who beside the model has schemas, so that one list has the names of all.

A source answers for the names that begin with its own and a slash: `convention/ome/0.5`. Whatever has a
method `schema_part` can be handed to `json_schema` itself.
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
    """What has a schema of its own."""

    def schema_part(self, flavour: Any) -> tuple[SchemaPart, list[Loss]]:
        """Its schema before it gets an identity, and what that leaves unsaid."""
        ...


class SchemaSource(Protocol):
    """What has schemas by name."""

    @property
    def name(self) -> str:
        """What the names begin with."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """None."""
        ...

    def names(self) -> list[str]:
        """The names of its schemas, without what they begin with."""
        ...

    def find(self, name: str) -> Described:
        """What has the schema of that name, one of `names()`."""
        ...


sources: Registry[SchemaSource] = Registry(
    "source of schemas", "zom.schema_sources", "zom.conventions.framework.schema_source"
)
"""The sources, by what their names begin with."""
