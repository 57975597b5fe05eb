"""Publish zom's own JSON Schema when pydantic asks a spec class for one.

The model does not import `zom.schema`, which depends on it. The publisher is looked up in a registry,
like bridges to libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from zom.extension.configuration import LooseSchema
from zom.extension.registry import Registry
from zom.model.pydantic.validation import own_ref

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from zom.model.spec import Spec

__all__ = ["Publisher", "published", "publishers"]

_OWN: Final = "zom"


class Publisher(Protocol):
    """Describes spec classes to pydantic."""

    @property
    def name(self) -> str:
        """The name of the publisher."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """No alternative names."""
        ...

    def publish(self, cls: type[Spec], generator: Any, ref: str | None) -> tuple[dict[str, Any], str]:
        """Return the schema of `cls` and its name; referenced schemas are added to `generator`."""
        ...


publishers: Final[Registry[Publisher]] = Registry(
    "publisher of schemas", "zom.publishers", "zom.schema.published"
)
"""The publishers of schemas; zom registers and uses only its own."""


def published(cls: type[Spec], schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
    """Return the schema of `cls` for pydantic, and add the schemas it refers to as definitions."""
    generator: Any = cast("Any", handler).generate_json_schema
    if isinstance(generator, LooseSchema):  # used for messages, which describe single fields
        return handler(schema)
    made, ref = publishers[_OWN].publish(cls, generator, own_ref(schema))
    # With a `ref`, pydantic puts the schema among its definitions and refers to it. It is set only now:
    # otherwise a union would not know the class by its label.
    cast("Any", schema)["ref"] = ref
    return made
