"""Configurations: the parameters of a codec, data type, chunk grid or chunk key encoding.

Each is a pydantic model. The expectations in messages are read from the model's JSON Schema, so that
messages always agree with the check.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads the annotation
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from zom.extension.field import Required, encoding_only, marks, tolerated
from zom.extension.registry import did_you_mean, near
from zom.json.types import TYPE_WORDS
from zom.problems import Fault, Path, one_of_words, rule, show

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from zom.problems import Rule

__all__ = [
    "ENCODING",
    "ENCODING_LITERAL",
    "INTEGER_LITERAL",
    "USERS_VALIDATOR",
    "Configuration",
    "LooseSchema",
    "NoConfiguration",
    "faults_of",
    "field_words",
    "integral",
    "parse_configuration",
    "words",
]


USERS_VALIDATOR = "a value that passes its validator ({})"
"""The expectation reported if a validator of a user's class rejects a value."""


INTEGER_LITERAL = rule(
    "json/integer-literal",
    "an integer is written without a fraction and without an exponent",
    source="RFC 8259, section 6; Zarr v3 core, fill value; to JSON Schema 4.0 is an integer, too",
)


ENCODING = rule(
    "codec/encoding-parameter",
    "a parameter needed only for encoding matches the codec's specification; decoding ignores it",
    source="the specification of each codec, in zarr-specs, zarr-extensions and numcodecs",
    lenient="warning",
    schema=True,
)
ENCODING_LITERAL = rule(
    "codec/encoding-integer-literal",
    "an integer parameter needed only for encoding is written without a fraction",
    source="RFC 8259, section 6; to JSON Schema 4.0 is an integer, too",
    lenient="warning",
)


def integral(value: object) -> bool:
    """Whether `value` is a float such as 4.0, which is an integer to JSON Schema.

    >>> integral(4.0), integral(4), integral(4.5)
    (True, False, False)
    """
    return type(value) is float and value.is_integer()


class Configuration(BaseModel):
    """The parameters of one extension. Declare lists as `list`; None means absent."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        populate_by_name=True,
        allow_inf_nan=False,
        defer_build=True,  # most documents name few codecs, and building each validator takes a millisecond
    )

    strict_schema: ClassVar[Mapping[str, Any]] = {}
    """The requirements of rules that span members at the level "strict", as JSON Schema.

    `properties` replace parts of the model's own schema, everything else is added to it. Constraints of a
    single field belong in its annotation: see `zom.extension.field`.
    """

    def canonical(self) -> dict[str, Any]:
        """Return the canonical form of these parameters: with all defaults except None.

        >>> NoConfiguration().canonical()
        {}
        """
        return self.model_dump(exclude_none=True)


class NoConfiguration(Configuration):
    """No parameters: an absent configuration and an empty one mean the same."""


C = TypeVar("C", bound=BaseModel)


def parse_configuration(
    model: type[C],
    value: Mapping[str, Any],
    broken: Rule,
    faults: list[Fault],
    *,
    path: Path = (),
) -> C | None:
    """Parse `value` as `model`; return None and add a fault for each problem if it is invalid.

    Faults of members that only encoding needs have rules of their own. If there are no other faults, the
    configuration is parsed with replacement values for these members.
    """
    made: C | None
    try:
        made = model.model_validate(value)
    except ValidationError as error:
        found = faults_of(error, value, schema_of(model), broken, path)
    else:
        _add_tolerated(made, faults, path)
        return made
    spare = encoding_only(model)
    wrong = {fault.path[len(path)] for fault in found if len(fault.path) > len(path)} & spare.keys()
    made = _without(wrong, model, value) or _without(spare.keys(), model, value) if spare else None
    for fault in found:
        if made is not None or (len(fault.path) > len(path) and fault.path[len(path)] in spare):
            literal = fault.rule is INTEGER_LITERAL
            faults.append(fault._replace(rule=ENCODING_LITERAL if literal else ENCODING))
        else:
            faults.append(fault)
    if made is not None:
        _add_tolerated(made, faults, path)
    return made


def _without(names: Collection[str | int], model: type[C], value: Mapping[str, Any]) -> C | None:
    """Parse `value` with replacement values for the members `names`; return None if it is still invalid."""
    usable = {name: item for name, item in value.items() if name not in names}
    for name, spare in encoding_only(model).items():
        if name in names and spare.value is not None:
            usable[name] = spare.value
    try:
        return model.model_validate(usable)
    except ValidationError:
        return None


def _add_tolerated(made: BaseModel, faults: list[Fault], path: Path) -> None:
    """Add faults with rules of their own: missing members, and numbers outside their limits."""
    model = type(made)
    for name, mark in marks(model, Required).items():
        given = mark.given is None or getattr(made, mark.given[0]) in mark.given[1]
        if given and getattr(made, name) is None:
            faults.append(Fault(mark.rule, (*path, name), field_words(model, name), "nothing", mark.fix))
    for name, interval, each in tolerated(model):
        value = getattr(made, name)
        for place, number in enumerate(value) if each and value is not None else [(None, value)]:
            if number is not None and not interval.holds(number):
                here = (*path, name) if place is None else (*path, name, place)
                expected = words(_schema_at(schema_of(model), here[len(path) :]))
                faults.append(Fault(cast("Rule", interval.rule), here, expected, show(number)))


def field_words(model: type[BaseModel], name: str) -> str:
    """Describe what a field must be.

    >>> from zom.codecs.gzip import GzipConfiguration
    >>> field_words(GzipConfiguration, "level")
    'an integer from 0 to 9'
    """
    return words(_schema_at(schema_of(model), (name,)))


@lru_cache(maxsize=512)
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of `model`, from which message texts are derived."""
    return model.model_json_schema(mode="validation", schema_generator=LooseSchema)


class LooseSchema(GenerateJsonSchema):
    """A schema generator for message texts: a type without a schema allows any value instead of raising."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
        """Return a schema that allows any value."""
        del schema, error_info
        return {}


def faults_of(  # noqa: PLR0913 - a fault has this many fields
    error: ValidationError,
    value: object,
    schema: Mapping[str, Any],
    broken: Rule,
    path: Path = (),
    *,
    said: str = "{}",
) -> list[Fault]:
    """Return the faults that pydantic found, without duplicates and without union tags in their paths.

    `said` is the expectation for values that a validator rejects; {} in it is replaced by its message.
    """
    faults: dict[Path, Fault] = {}
    for detail in error.errors(include_url=False):
        steps, found = _landed(detail["loc"], value, missing=detail["type"] == "missing")
        if steps in faults:
            continue
        fix: str | None = None
        if detail["type"] == "missing":
            expected, found_text = words(_schema_at(schema, steps)), "nothing"
        elif detail["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
            known = sorted(_object_at(schema, steps[:-1]).get("properties", {}))
            expected = f"only {', '.join(known)}" if known else "no members"
            found_text = show(steps[-1] if steps else found)
            fix = did_you_mean(near(steps[-1] if steps else None, known))
        elif detail["type"] in {"value_error", "assertion_error"} or "_" not in detail["type"]:
            asked = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
            expected, found_text = said.format(asked), show(found)
        else:
            expected, found_text = words(_schema_at(schema, steps)), show(found)
        judged = broken
        if detail["type"] == "int_type" and integral(found):
            meant = int(cast("float", found))
            if _in_range(meant, _schema_at(schema, steps)):
                judged, fix = INTEGER_LITERAL, f"write {meant}"
        faults[steps] = Fault(judged, (*path, *steps), expected, found_text, fix)
    # If both a value and a value inside it have faults, keep the inner one: it is more specific.
    around = {steps[:length] for steps in faults for length in range(len(steps))}
    return [fault for steps, fault in faults.items() if steps not in around]


def _in_range(value: int, schema: Mapping[str, Any]) -> bool:
    """Whether the integer schema `schema` accepts `value`; pydantic checks the type first."""
    if "anyOf" in schema:
        return any(_in_range(value, option) for option in schema["anyOf"] if option.get("type") == "integer")
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and schema.get("exclusiveMinimum", value - 1) < value < schema.get("exclusiveMaximum", value + 1)
        and value in schema.get("enum", (value,))
        and value == schema.get("const", value)
    )


def _landed(loc: Sequence[str | int], value: object, *, missing: bool) -> tuple[Path, object]:
    """Return the steps of pydantic's `loc` that exist in `value`; the others are names of union branches."""
    steps: list[str | int] = []
    here: Any = value
    for index, step in enumerate(loc):
        last = index == len(loc) - 1
        items = cast("Sequence[Any]", here) if isinstance(here, (list, tuple)) else ()
        if isinstance(step, int) and step < len(items):
            here = items[step]
            steps.append(step)
        elif isinstance(here, dict) and step in here:
            here = cast("dict[Any, Any]", here)[step]
            steps.append(step)
        elif last and missing:
            steps.append(step)
    return tuple(steps), cast("object", here)


def _resolve(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def _object_at(root: Mapping[str, Any], steps: Sequence[str | int]) -> Mapping[str, Any]:
    found = _schema_at(root, steps)
    for option in (found, *(_resolve(s, root) for s in found.get("anyOf", ()))):
        if "properties" in option:
            return option
    return found


def _schema_at(root: Mapping[str, Any], steps: Sequence[str | int]) -> Mapping[str, Any]:
    """Return the part of the schema for the value at `steps`, or an empty one if there is none."""
    here = _resolve(root, root)
    for step in steps:
        options = [here, *(_resolve(option, root) for option in here.get("anyOf", ()))]
        found: Mapping[str, Any] | None = None
        for option in options:
            if isinstance(step, str):
                found = option.get("properties", {}).get(step, option.get("additionalProperties"))
            else:
                prefix = option.get("prefixItems", ())
                found = prefix[step] if step < len(prefix) else option.get("items")
            if isinstance(found, dict):
                break
        if not isinstance(found, dict):
            return {}
        here = _resolve(cast("Mapping[str, Any]", found), root)
    if "$defs" in root and "$defs" not in here:
        here = {**here, "$defs": root["$defs"]}
    return here


def words(schema: Mapping[str, Any]) -> str:
    """Describe what `schema` requires.

    >>> words({"type": "integer", "minimum": 0, "maximum": 9})
    'an integer from 0 to 9'
    >>> words({"enum": ["C", "F"]})
    '"C" or "F"'
    >>> words({"type": ["integer", "null"], "minimum": 1})
    'an integer of at least 1 or null'
    """
    schema = _resolve(schema, schema)
    if "description" in schema and schema.get("x-words"):
        return str(schema["description"])
    if "const" in schema:
        return show(schema["const"])
    if "enum" in schema:
        return _either([show(item) for item in schema["enum"]])
    if "anyOf" in schema:
        options = [words({**option, "$defs": schema.get("$defs", {})}) for option in schema["anyOf"]]
        return _either([option for option in dict.fromkeys(options) if option != "null"])
    if isinstance(schema.get("type"), list):
        return _either([_type_words({**schema, "type": each}) for each in schema["type"]])
    return _type_words(schema)


def _type_words(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if kind in {"integer", "number"}:
        return f"{'an integer' if kind == 'integer' else 'a number'}{_range(schema)}"
    if kind == "array":
        return _list_words(schema)
    if kind == "string" and "pattern" in schema:
        return f"a string like {schema['pattern']}"
    return TYPE_WORDS.get(str(kind), "another value" if schema.keys() - {"$defs"} else "a value")


def _list_words(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    items = f" item{'s' * (least != 1)}" if least else ""
    if least is not None and least == most:
        size = f"a list of {least}"
    else:
        size = f"a list of at least {least}" if least else "a list"
        size += f" at most {most} long" if most is not None else ""
    item = schema.get("items")
    if isinstance(item, dict) and item and "prefixItems" not in schema:
        inner = words({**cast("dict[str, Any]", item), "$defs": schema.get("$defs", {})})
        return f"{size}{items}, each {inner}"
    return f"{size}{items}"


def _either(options: list[str]) -> str:
    return one_of_words(options) if options else "nothing"


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    if high is not None:
        return f" of at most {high}"
    if above is not None:
        return f" above {above}"
    return f" below {below}" if below is not None else ""
