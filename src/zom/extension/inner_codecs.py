"""Codecs that contain codecs: the lists in a configuration, and how to rewrite them in a document."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import Field
from typing_extensions import override

from zom.extension.canonical import canonical_definition
from zom.extension.codec import codecs
from zom.extension.configuration import Configuration
from zom.json.python_value import is_dict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic.config import JsonDict

__all__ = ["HoldsCodecs", "InnerCodecs", "holds_codecs", "with_inner_codecs"]

_MARK: Final[JsonDict] = {"x-zom-is": "codecs"}
InnerCodecs: TypeAlias = Annotated[list[Any], Field(json_schema_extra=_MARK)]
"""A list of codecs in a codec's configuration."""


class HoldsCodecs(Configuration):
    """A configuration with lists of codecs: fields annotated `InnerCodecs`."""

    @override
    def canonical(self) -> dict[str, Any]:
        members = super().canonical()
        for name in _lists(type(self)):
            members[name] = [canonical_definition(value, codecs) for value in getattr(self, name)]
        return members


@lru_cache(maxsize=64)
def _lists(model: type[Configuration]) -> tuple[str, ...]:
    fields = model.model_fields.items()
    return tuple(name for name, field in fields if field.json_schema_extra == _MARK)


def holds_codecs(definition: Mapping[str, Any]) -> bool:
    """Whether `definition` names a codec with lists of codecs in its configuration.

    >>> holds_codecs({"name": "sharding_indexed", "configuration": {}}), holds_codecs({"name": "bytes"})
    (True, False)
    """
    name = definition.get("name")
    codec = codecs.find(name) if isinstance(name, str) else None
    return codec is not None and bool(_lists(codec.configuration))


def with_inner_codecs(definition: Mapping[str, Any], change: Callable[[str, Any], Any]) -> Mapping[str, Any]:
    """Return the definition of a codec with each list of codecs in it replaced by `change(name, list)`.

    Return `definition` itself if nothing changes. An unknown codec is not changed: `codecs` in its
    configuration may mean something else.

    >>> shards = {"name": "sharding_indexed", "configuration": {"codecs": ["bytes"], "index_codecs": []}}
    >>> with_inner_codecs(shards, lambda name, values: [*values, "crc32c"])["configuration"]
    {'codecs': ['bytes', 'crc32c'], 'index_codecs': ['crc32c']}
    """
    name, configuration = definition.get("name"), definition.get("configuration")
    codec = codecs.find(name) if isinstance(name, str) else None
    if codec is None or not is_dict(configuration):
        return definition
    lists = [
        each for each in _lists(codec.configuration) if isinstance(configuration.get(each), (list, tuple))
    ]
    made = {each: change(each, configuration[each]) for each in lists}
    if all(made[each] is configuration[each] for each in lists):
        return definition
    return {**definition, "configuration": {**configuration, **made}}
