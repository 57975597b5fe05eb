"""Where pydantic asks a spec class for its JSON Schema: zom's own is published.

The model imports nothing of `zom.schema`, which is made of models: who writes schemas is looked up, as
bridges to libraries are.
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
    """What describes spec classes to pydantic."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """None."""
        ...

    def publish(self, cls: type[Spec], generator: Any, ref: str | None) -> tuple[dict[str, Any], str]:
        """The schema of `cls`, and a name for it; what it refers to is put among those of `generator`."""
        ...


publishers: Final[Registry[Publisher]] = Registry(
    "publisher of schemas", "zom.publishers", "zom.schema.published"
)
"""Who describes spec classes; zom registers its own, and asks for no other."""


def published(cls: type[Spec], schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
    """The schema of `cls` as pydantic takes it, with what it refers to among the definitions."""
    generator: Any = cast("Any", handler).generate_json_schema
    if isinstance(generator, LooseSchema):  # for the words of messages, which are those of single fields
        return handler(schema)
    made, ref = publishers[_OWN].publish(cls, generator, own_ref(schema))
    # With a name, pydantic puts the schema among its definitions and refers to it. It has none before: a union
    # would no longer know the class by its label.
    cast("Any", schema)["ref"] = ref
    return made
