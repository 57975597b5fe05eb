"""Canonical definitions: one spelling for all equivalent definitions.

`"bytes"`, `{"name": "bytes"}` and `{"name": "bytes", "configuration": {}}` are one codec. A default
means the same whether it is written or left out. Specs are compared in canonical form; documents keep
their own spelling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from pydantic import ValidationError

if TYPE_CHECKING:
    from zom.extension.configuration import Configuration
    from zom.extension.registry import Registry
    from zom.json.value import JSON

__all__ = ["Configured", "canonical_definition"]


class Configured(Protocol):
    """An extension whose configuration is a model: a codec, a chunk grid or a chunk key encoding."""

    name: str
    configuration: type[Configuration]


def canonical_definition(value: JSON, registry: Registry[Any]) -> Any:
    """Return `value` as an object with name and configuration, with all defaults filled in.

    Unknown and invalid extensions keep their configuration. `must_understand: true` is removed, as it is
    the default; other values stay.

    >>> from zom.extension.codec import codecs
    >>> canonical_definition("unheard.of", codecs)
    {'name': 'unheard.of', 'configuration': {}}
    """
    members: dict[str, Any] = value if isinstance(value, dict) else {"name": value}
    name = members.get("name")
    if not isinstance(name, str):
        return value
    extra = {
        member: item
        for member, item in members.items()
        if member not in {"name", "configuration"} and not (member == "must_understand" and item is True)
    }
    given: Any = members.get("configuration", {})
    found = cast("Configured | None", registry.find(name))
    if found is None:
        return {"name": name, "configuration": given, **extra}
    if name in {"default", "v2"} and "separator" in extra and "configuration" not in members:
        given = {"separator": extra.pop("separator")}
    try:
        configuration = found.configuration.model_validate(given).canonical()
    except ValidationError:
        configuration = given
    return {"name": found.name, "configuration": configuration, **extra}
