"""Validators of users' classes: they may reject documents, but must not change them.

Pydantic replaces a value by what its validator returns. A spec is its document, so such a change would
be lost; it is rejected instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel
from pydantic.functional_validators import AfterValidator, BeforeValidator, PlainValidator, WrapValidator

from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.model.spec import Spec

__all__ = ["changes_of", "has_validators"]

_JSON = (Mapping, list, tuple, str, int, float, type(None))
_FUNCTIONS = (AfterValidator, BeforeValidator, PlainValidator, WrapValidator)


@lru_cache(maxsize=1024)
def has_validators(cls: type[Spec]) -> bool:
    """Whether a class adds validators to those of its format.

    >>> from zom import v3
    >>> has_validators(v3.GroupSpec)
    False
    """
    own = cls.family.classes[cls.kind]
    if cls is own:
        return False
    mine, base = cls.__pydantic_decorators__, own.__pydantic_decorators__
    if len(mine.field_validators) > len(base.field_validators) or len(mine.model_validators) > len(
        base.model_validators
    ):
        return True
    return any(
        isinstance(each, _FUNCTIONS)
        for name, field in cls.model_fields.items()
        if name not in own.model_fields or field.metadata != own.model_fields[name].metadata
        for each in field.metadata
    )


def changes_of(
    cls: type[Spec], values: Mapping[str, Any], made: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the fields that validators changed from the document's value or the default, with the result.

    >>> from zom.v3 import GroupSpec
    >>> list(changes_of(GroupSpec, {"node_type": "group", "attributes": {"n": 1}}, {"attributes": {"n": 2}}))
    [('attributes', '{"n": 2}')]
    """
    for name, value in made.items():
        field = cls.model_fields.get(name)
        if name in values:
            given = values[name]
        elif field is None or field.is_required() or field.default_factory_takes_validated_data:
            continue
        else:
            given = field.get_default(call_default_factory=True)
        if not _alike(given, value):
            yield name, _shown(value)


def _shown(value: Any) -> str:
    return show(value.model_dump() if isinstance(value, BaseModel) else value)


def _alike(given: Any, made: Any) -> bool:
    if given is made:
        return True
    if isinstance(given, Mapping) and isinstance(made, Mapping):
        old, new = cast("Mapping[str, Any]", given), cast("Mapping[str, Any]", made)
        return old.keys() == new.keys() and all(_alike(old[name], new[name]) for name in old)
    if isinstance(given, (list, tuple)) and isinstance(made, (list, tuple)):
        olds, news = cast("list[Any]", given), cast("list[Any]", made)
        return len(olds) == len(news) and all(map(_alike, olds, news))
    # A value of another class, not of JSON, is the Python form of the document's value.
    before, after = cast("object", given), cast("object", made)
    is_own = type(before) is not type(after) and not isinstance(after, _JSON)
    return is_own or before == after or before != before  # noqa: PLR0124 - NaN equals NaN here
