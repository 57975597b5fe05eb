"""Specs made in Python: from a constructor's arguments, and from a spec with changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from pydantic_core import PydanticUndefined

from zom.errors import SpecError
from zom.model.assembly import assemble, document_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = ["ABSENT", "construct", "replace"]


class _Absent:
    """The value that takes a member out of a document."""

    def __repr__(self) -> str:
        return "zom.ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The value that takes a member out of a document: `spec.replace(dimension_names=zom.ABSENT)`."""

_NONE_IS_ABSENT = frozenset(
    {
        "attributes",
        "members",
        "dimension_names",
        "storage_transformers",
        "dimension_separator",
        "consolidated_metadata",
    }
)
"""The members that a document leaves out where Python says None; elsewhere None is null."""


def construct(cls: type[Spec], data: Mapping[str, Any]) -> Spec:
    """The spec that a constructor's arguments stand for."""
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    document: dict[str, Any] = dict(cls.family.constants[cls.kind])
    base = cls.family.classes[cls.kind].model_fields
    for name, field in cls.model_fields.items():
        if name not in data and name not in document and _own_default(name, field, base):
            document[name] = field.get_default(call_default_factory=True)
    document.update(data)
    return _checked(cls, _pythonic(document), "strict")


def replace(spec: Spec, changes: Mapping[str, Any], level: Level) -> Any:
    """A copy of `spec` with members of its document changed or taken away."""
    document = document_of(spec)
    changed = _pythonic(changes)
    document.update(changed)
    for name in changes.keys() - changed.keys():
        document.pop(name, None)
    return _checked(type(spec), document, level)


def _checked(cls: type[Spec], document: Mapping[str, Any], level: Level) -> Spec:
    spec, problems = assemble(cls, document, level)
    if spec is None:
        raise SpecError(problems, f"{cls.family.form} {cls.kind}")
    return spec


def _own_default(name: str, field: Any, base: Mapping[str, Any]) -> bool:
    """Whether a subclass gave the field a default that the format's class doesn't have."""
    if field.default is PydanticUndefined and field.default_factory is None:
        return False
    inherited = base.get(name)
    return inherited is None or (field.default, field.default_factory) != (
        inherited.default,
        inherited.default_factory,
    )


def _pythonic(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as members of a document: None where absent is meant, a NaN fill value as its name."""
    document: dict[str, Any] = {}
    for name, value in given.items():
        if value is ABSENT or (value is None and name in _NONE_IS_ABSENT):
            continue
        document[name] = _fill(value) if name == "fill_value" else value
    return document


def _fill(value: Any) -> Any:
    """A NaN or an infinity as JSON spells it; any other value as it is."""
    number: float = float(cast("float", value)) if isinstance(value, (float, np.floating)) else 0.0
    if math.isfinite(number):
        return cast("object", value)
    return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")
