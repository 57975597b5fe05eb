"""Models of attributes: the form of a convention's attributes, as pydantic models.

A model says where its attributes are: under one `key`, or flat among the others, with the names or aliases of
its fields as keys. Rules are next to the fields that they check.
"""

from __future__ import annotations

import types
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError

from zom.checks.checked_rule import CheckedRule
from zom.checks.selector import EVERY
from zom.errors import ExtensionError, ZomError
from zom.extension.answer import at_fault
from zom.extension.configuration import INTEGER_LITERAL, faults_of, schema_of
from zom.problems import Fault, cause_text, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

__all__ = ["Attributes", "Part", "faults_in", "rules_beside"]

Steps = tuple[str | int, ...]

FORM = rule(
    "convention/attributes",
    "attributes have the form that the convention defines",
    source="the JSON Schema of the convention",
    schema=True,
)


class Part(BaseModel):
    """An object within the attributes of a convention; members without a field are allowed.

    >>> class Axis(Part):
    ...     name: str
    >>> Axis.model_validate({"name": "x", "colour": "red"}).name
    'x'
    """

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="allow",
        allow_inf_nan=False,
        defer_build=True,
    )


class Attributes(Part):
    """The attributes that a convention owns: under one key, `class Dggs(Attributes, key="dggs")`, or flat.

    >>> class Dggs(Attributes, key="dggs"):
    ...     name: str
    >>> Dggs.owned()
    ('dggs',)
    >>> class Licence(Attributes):
    ...     licence: str | None = None
    >>> Licence.owned()
    ('licence',)
    """

    key: ClassVar[str | None] = None

    @classmethod
    def __pydantic_init_subclass__(cls, *, key: str | None = None, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if key is not None:
            cls.key = key

    def __init_subclass__(cls, *, key: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)

    @classmethod
    def owned(cls) -> tuple[str, ...]:
        """The attribute keys that the model covers."""
        if cls.key is not None:
            return (cls.key,)
        return tuple(_written(name, field) for name, field in cls.model_fields.items())

    @classmethod
    def value_in(cls, attributes: Mapping[str, Any]) -> tuple[Steps, Any] | None:
        """The path and value of the model's part of a node's attributes, or None if missing."""
        if cls.key is None:
            return (), attributes
        return ((cls.key,), attributes[cls.key]) if cls.key in attributes else None


def _written(name: str, field: FieldInfo) -> str:
    return field.alias or name


def faults_in(model: type[Attributes], attributes: Mapping[str, Any]) -> list[Fault] | None:
    """Every fault of the form, located in the attributes, or None if the attributes have no such part.

    >>> class Dggs(Attributes, key="dggs"):
    ...     level: int
    >>> [fault.path for fault in faults_in(Dggs, {"dggs": {"level": "7"}})]
    [('dggs', 'level')]
    """
    found = model.value_in(attributes)
    if found is None:
        return None
    steps, value = found
    try:
        # By their own keys only: an attribute may have the Python name of a field.
        _validator(model).validate_python(value, by_alias=True, by_name=False)
    except ValidationError as error:
        faults = faults_of(error, value, schema_of(model), FORM, steps)
        # In JSON Schema, and so in a convention, 4.0 is an integer.
        return [fault for fault in faults if fault.rule is not INTEGER_LITERAL]
    except (ZomError, MemoryError, RecursionError):
        raise
    except Exception as cause:
        raise at_fault(model.__name__, f"a validator raised {cause_text(cause)}") from cause
    return []


@lru_cache(maxsize=512)
def _validator(model: type[Attributes]) -> Any:
    model.model_rebuild()
    return cast("Any", model.__pydantic_validator__)


@lru_cache(maxsize=512)
def rules_beside(model: type[Attributes]) -> tuple[tuple[Steps, CheckedRule], ...]:
    """The rules next to the fields of a model and of its parts, each with the steps to its field."""
    if not _has_rules(model):
        return ()
    start: Steps = () if model.key is None else (model.key,)
    found: list[tuple[Steps, CheckedRule]] = []
    for steps, each in _walk(model, start, ()):
        if not steps:
            raise ExtensionError(f"{model.__name__}: rule {each.id!r} is not next to a field")
        found.append((steps, each.beside(_selector(steps))))
    return tuple(found)


def _has_rules(model: type[BaseModel]) -> bool:
    """Whether any field has a rule, visiting each model once: nested parts may have thousands of paths."""
    known, waiting = {model}, [model]
    while waiting:
        # Building pydantic's fields takes long, and many models are never used.
        for hint in get_type_hints(waiting.pop(), include_extras=True).values():
            inner: list[Any] = [hint]
            while inner:
                each = inner.pop()
                if isinstance(each, CheckedRule):
                    return True
                inner.extend(get_args(each))
                if isinstance(each, type) and issubclass(each, BaseModel) and each not in known:
                    known.add(each)
                    waiting.append(each)
    return False


def _fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    # Building the validator takes long, and only models that a node uses need it.
    if not getattr(model, "__pydantic_fields_complete__", False):
        model.model_rebuild()
    return model.model_fields


def _selector(steps: Steps) -> str:
    text = ""
    for step in steps:
        if step == EVERY:
            text += "[*]"
        else:
            escaped = str(step).replace("\\", "\\\\").replace(".", "\\.")
            text += f".{escaped}" if text else escaped
    return text


def _walk(
    model: type[BaseModel], steps: Steps, above: tuple[type, ...]
) -> Iterator[tuple[Steps, CheckedRule]]:
    if model in above:
        return  # a recursive part: the first rules already check deeper levels
    for name, field in _fields_of(model).items():
        here = (*steps, _written(name, field))
        yield from ((here, each) for each in field.metadata if isinstance(each, CheckedRule))
        yield from _within(field.annotation, here, (*above, model))


def _within(annotation: Any, steps: Steps, above: tuple[type, ...]) -> Iterator[tuple[Steps, CheckedRule]]:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from ((steps, each) for each in args[1:] if isinstance(each, CheckedRule))
        yield from _within(args[0], steps, above)
    elif origin in {Union, types.UnionType}:
        for each in args:
            yield from _within(each, steps, above)
    elif origin in {list, tuple}:
        for each in args[:1]:
            yield from _within(each, (*steps, EVERY), above)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _walk(annotation, steps, above)
