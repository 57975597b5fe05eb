"""Dump specs as plain values, with pydantic's options: `model_dump(include=..., exclude_none=True)`.

Without options, the result is the document. Options apply to the members of nodes, like to the fields
of a model: `exclude_none` omits `"filters": null`, but no null in attributes.
"""

from __future__ import annotations

from functools import lru_cache
from json import dumps
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic_core import SchemaSerializer, core_schema

from zom.json.value import thaw
from zom.json.write import write_json
from zom.model.output import member_specs, place_of, to_dict
from zom.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import ComputedFieldInfo

    from zom.model.spec import Spec

__all__ = ["dumped", "dumped_json"]

_ANY = SchemaSerializer(core_schema.any_schema())


def dumped(  # noqa: PLR0913 - pydantic's options
    spec: Spec,
    *,
    mode: Any = "python",
    include: Any = None,
    exclude: Any = None,
    by_alias: bool | None = None,
    exclude_unset: bool = False,
    exclude_defaults: bool = False,
    exclude_none: bool = False,
    exclude_computed_fields: bool = False,
    round_trip: bool = False,
    **_others: Any,
) -> dict[str, Any]:
    """Dump the document of `spec` and its computed fields, filtered by the options.

    A document holds only set members, so `exclude_unset` has no effect.

    >>> from zom import v3
    >>> dumped(v3.GroupSpec(attributes={"a": 1, "b": 2}), include={"attributes": {"a"}})
    {'attributes': {'a': 1}}
    """
    del exclude_unset
    node = _Node(
        mode, bool(by_alias), exclude_defaults, exclude_none, not exclude_computed_fields and not round_trip
    )
    whole = to_dict(spec) if node.changes_nothing(spec) else node.tree(spec)
    if include is None and exclude is None:
        return whole
    made: dict[str, Any] = _ANY.to_python(whole, include=include, exclude=exclude)
    return made


def dumped_json(spec: Spec, *, indent: int | None = None, ensure_ascii: bool = False, **options: Any) -> str:
    """Return `dumped` as JSON text; `ensure_ascii` escapes non-ASCII characters.

    >>> from zom import v3
    >>> dumped_json(v3.GroupSpec(attributes={"a": 1}), include={"attributes"})
    '{"attributes":{"a":1}}'
    """
    given: dict[str, Any] = {**options, "mode": "json"}
    text = write_json(dumped(spec, **given), indent=indent)
    return "".join(c if c.isascii() else dumps(c)[1:-1] for c in text) if ensure_ascii else text


class _Node:
    """Converts nodes to plain values under the given options."""

    def __init__(self, mode: Any, by_alias: bool, no_defaults: bool, no_none: bool, computed: bool) -> None:  # noqa: FBT001
        self.mode = mode
        self.by_alias = by_alias
        self.no_defaults = no_defaults
        self.no_none = no_none
        self.computed = computed

    def changes_nothing(self, spec: Spec) -> bool:
        """Whether every node equals its document."""
        if self.no_defaults or self.no_none:
            return False
        return not self.computed or not any(_computed(type(node)) for _, node in walk(spec))

    def tree(self, spec: Spec) -> dict[str, Any]:
        root: dict[str, Any] = {}
        waiting: list[tuple[Spec, dict[str, Any]]] = [(spec, root)]
        while waiting:
            node, made = waiting.pop()
            members = member_specs(node)
            inner: dict[str, Any] = {}
            for index, (name, value) in enumerate(node.document.items()):
                if members is not None and index == place_of(node):
                    made["members"] = inner
                if self._stays(node, name, value):
                    made[name] = thaw(value)
            if members is not None:
                made.setdefault("members", inner)
                for name, member in members.items():
                    inner[name] = {}
                    waiting.append((member, inner[name]))
            if self.computed:
                made.update(self._computed(node))
        return root

    def _stays(self, node: Spec, name: str, value: object) -> bool:
        if self.no_none and value is None:
            return False
        field = type(node).model_fields.get(name) if self.no_defaults else None
        if field is None or field.is_required():
            return True
        return bool(getattr(node, name) != field.get_default(call_default_factory=True))

    def _computed(self, node: Spec) -> Iterator[tuple[str, Any]]:
        for name, field in _computed(type(node)).items():
            value = getattr(node, name)
            if self.no_none and value is None:
                continue
            adapter = _adapter(field.return_type)
            key = (field.alias or name) if self.by_alias else name
            yield key, adapter.dump_python(value, mode=self.mode, by_alias=self.by_alias)


def _computed(cls: type[Spec]) -> Mapping[str, ComputedFieldInfo]:
    return cls.model_computed_fields


@lru_cache(maxsize=256)
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)
