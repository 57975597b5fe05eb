"""Annotations of configuration fields: limits, and whether a field is required.

Each fact is stated once, in the annotation. The check, its message and the JSON Schema are derived from
it. A deviation that leaves a document readable has its own rule in the annotation.

    level: Annotated[OrAbsent[Annotated[int, Interval(0, 9)]], Required(LEVEL), EncodingOnly(6)] = None
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, TypeVar, cast, get_args, get_origin

from pydantic_core import core_schema

from zom.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.fields import FieldInfo
    from pydantic_core import CoreSchema

    from zom.problems import Rule

__all__ = [
    "WHOLE",
    "EncodingOnly",
    "ForEncoding",
    "Interval",
    "OrAbsent",
    "Required",
    "Tolerated",
    "annotated",
    "encoding_only",
    "marks",
    "required",
    "tolerated",
]


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from `low` to `high`. With a `rule`, others are accepted, with a fault of that rule.

    >>> from pydantic import TypeAdapter
    >>> TypeAdapter(Annotated[int, Interval(0, 9)]).json_schema()
    {'maximum': 9, 'minimum': 0, 'type': 'integer'}
    """

    low: int | None = None
    high: int | None = None
    rule: Rule | None = None

    def holds(self, value: int) -> bool:
        """Whether `value` is in the interval.

        >>> Interval(1).holds(0), Interval(1).holds(7)
        (False, True)
        """
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _given(self, low: str, high: str) -> dict[str, Any]:
        bounds = {low: self.low, high: self.high}
        return {name: bound for name, bound in bounds.items() if bound is not None}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        return schema if self.rule else cast("CoreSchema", {**schema, **self._given("ge", "le")})

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**self._given("minimum", "maximum"), **handler(schema)}


@dataclass(frozen=True, slots=True)
class Required:
    """A field that documents must have although it has a default.

    A document without it has a fault of `rule`, which may be a warning. With `given`, the field is required
    only if another has one of some values: `Required(TYPESIZE, given=("shuffle", ("bitshuffle",)))`.
    """

    rule: Rule
    given: tuple[str, tuple[Any, ...]] | None = None
    words: str | None = None
    """The expectation, if it differs from the field's own description."""
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class EncodingOnly:
    """A field that decoding doesn't need.

    Encoding uses `value` if the document's own is invalid; None means that the member is left out.
    """

    value: Any = None


class _NotNull:
    """Reject null for a member: None then only means that it is absent."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        return schema["schema"] if schema["type"] == "nullable" else schema


class _Whole:
    """Reject `True` and `2.0` for a literal integer, which in Python equal 1 and 2."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.chain_schema([core_schema.int_schema(strict=True), handler(source)])

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(cast("core_schema.ChainSchema", schema)["steps"][-1])


WHOLE = _Whole()
"""Marks a literal integer: `mode: Annotated[Literal[2, 3], WHOLE]`."""

T = TypeVar("T")
OrAbsent: TypeAlias = Annotated[T | None, _NotNull()]
"""A member that may be absent (`level: OrAbsent[int] = None`) but may not be null."""
ForEncoding: TypeAlias = Annotated[T, EncodingOnly()]
"""A member with a default that decoding doesn't need: `level: ForEncoding[int] = 1`."""


# --- what a model declares ---------------------------------------------------------------------------

_M = TypeVar("_M")


def annotated(field: FieldInfo) -> Any:
    """Return the annotation of a field, with its constraints."""
    annotation: Any = field.annotation
    for extra in field.metadata:
        annotation = Annotated[annotation, extra]
    return annotation


@lru_cache(maxsize=1024)
def marks(model: type[BaseModel], kind: type[_M]) -> Mapping[str, _M]:
    """Return the fields of `model` that have a mark of type `kind`, each with its mark."""
    found = {
        name: [mark for mark in field.metadata if isinstance(mark, kind)]
        for name, field in model.model_fields.items()
    }
    return {name: each[-1] for name, each in found.items() if each}


def encoding_only(model: type[BaseModel]) -> Mapping[str, EncodingOnly]:
    """Return the members that decoding doesn't need."""
    return marks(model, EncodingOnly)


def required(model: type[BaseModel]) -> list[str]:
    """Return the members that documents of `model` must always have."""
    marked = marks(model, Required)
    return [
        name
        for name, field in model.model_fields.items()
        if field.is_required() or (name in marked and marked[name].given is None)
    ]


class Tolerated(NamedTuple):
    """Limits with their own rule, for an integer field or, if `each`, for the integers in its list."""

    name: str
    interval: Interval
    each: bool


@lru_cache(maxsize=1024)
def tolerated(model: type[BaseModel]) -> tuple[Tolerated, ...]:
    """Return the limits of `model` that have their own rule."""
    return tuple(
        Tolerated(name, interval, each)
        for name, field in model.model_fields.items()
        for interval, each in _intervals(annotated(field), each=False)
        if interval.rule is not None
    )


def _intervals(annotation: Any, *, each: bool) -> Iterator[tuple[Interval, bool]]:
    arguments: tuple[Any, ...] = get_args(annotation)
    if get_origin(annotation) is Annotated:
        yield from ((mark, each) for mark in arguments[1:] if isinstance(mark, Interval))
        arguments = arguments[:1]
    for argument in arguments:
        yield from _intervals(argument, each=each or get_origin(annotation) is list)
