"""Nodes: make one spec from one frozen document, and members that are already specs.

Pydantic checks the form of each field; the format's own rules check what spans fields. The spec
holds its document; its fields are immutable views of it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from pydantic import ValidationError, create_model

from zom.extension.configuration import INTEGER_LITERAL, USERS_VALIDATOR, faults_of, field_words, schema_of
from zom.extension.field import Required, marks
from zom.extension.registry import near
from zom.json.python_value import is_dict
from zom.json.value import JSONDict
from zom.misspelling import slip
from zom.model import attributes
from zom.model.bare_spec import Prepared
from zom.model.pydantic.validators import changes_of, has_validators
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.model.family import Family, NodeKind
    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = ["EMPTY", "NodeParts", "make"]

ANNOTATION = rule(
    "spec/annotation",
    "a document matches the annotations and validators of its class",
    source="the class itself",
)

EMPTY = JSONDict()
"""A shared empty object."""


class NodeParts(NamedTuple):
    """The parts of a spec."""

    document: JSONDict
    """The node's own document, without its members."""
    members: JSONDict | None
    """The specs below it by name; None if they are unknown."""
    place: int
    """The index of `members` among the members of the document."""
    level: Level


def make(cls: type[Spec], node: NodeParts, faults: list[Fault], *, whole: bool) -> Spec | None:
    """Make the spec of one node, or return None if its own form is invalid.

    `whole` says whether all its members were made. If not, or if attributes are invalid, the class's
    requirements for members and attributes are skipped. Everything else is checked.
    """
    if not cls.__pydantic_complete__:
        cls.model_rebuild()
    family = cls.family
    if not _needed(cls).keys() <= node.document.keys():
        faults.extend(_missing(cls, node.document))
    values = family.fields(cls.kind, node.document, faults)
    raw: Any = values.get("attributes", EMPTY)
    typed = attributes.typed(cls, raw, faults) if is_dict(raw) else None
    judged = is_dict(raw) and not (faults and _has_attribute_faults(faults))
    if typed is not None:
        values["attributes"] = attributes.by_alias(cls, typed)
    if node.members is not None:
        values["members"] = node.members
    checked = cls if whole and judged else _without_contents(cls)
    defaulted = _defaulted(cls)
    if defaulted:
        faults.extend(
            Fault(family.missing_rule, (name,), f"a member {show(name)}", "nothing")
            for name in defaulted
            if name not in values
        )
    own = family.classes[cls.kind]
    number = values.get("zarr_format")
    if type(number) is float and number == family.zarr_format:  # Python equates 3.0 with the literal 3
        fix = f"write {family.zarr_format}"
        faults.append(Fault(INTEGER_LITERAL, ("zarr_format",), str(family.zarr_format), show(number), fix))
    spec: Spec | None = None
    broken: frozenset[str] = frozenset() if judged else frozenset({"attributes"})
    checks = checked is cls and has_validators(cls)
    prepared = Prepared(values, node, raw if typed is None else typed, has_validators=checks)
    try:
        any_attributes = cls is own if typed is None else checked is not cls
        spec = _validated(checked, values, prepared, any_attributes=any_attributes and is_dict(raw))
    except ValidationError as error:
        found = _structure(error, cls, checked, values, {str(f.path[0]) for f in faults if f.path})
        faults.extend(found)
        broken |= {str(fault.path[0]) for fault in found if fault.path}
    family.rules(cls.kind, values, broken, faults)
    _tell_slips_once(family, cls.kind, node.document, faults)
    if spec is not None and checks:
        faults.extend(_changed(spec, values, prepared))
    if spec is not None and (prepared.settled is not spec or cls is not own):
        prepared.settle(spec)
        fields = vars(spec)
        fields.update({name: attributes.still(fields[name]) for name in _declared(cls) if name in fields})
    return spec


_FOREIGN_NAMES: Final[Mapping[str | int, tuple[str, ...]]] = {
    "data_type": ("dtype",),
    "chunk_grid": ("chunks",),
    "codecs": ("compressor", "filters"),
    "dtype": ("data_type",),
    "chunks": ("chunk_grid",),
}
"""The names of members with the same meaning in other Zarr formats."""


def _tell_slips_once(
    family: Family, kind: NodeKind, document: Mapping[str, Any], faults: list[Fault]
) -> None:
    """Merge a missing-member fault with the fault of the unknown member that was meant.

    The name is misspelled, or is the name in another Zarr format.
    """
    missing = [each for each in faults if each.rule is family.missing_rule and each.found == "nothing"]
    missing = [each for each in missing if len(each.path) == 1]
    if not missing:
        return
    known = family.classes[kind].model_fields
    others = [name for name in document if name not in known]
    for fault in missing:
        (meant,) = fault.path
        written = slip(str(meant), others)
        foreign = [each for each in _FOREIGN_NAMES.get(meant, ()) if each in others]
        if written is None and not foreign:
            written = next((each for each in others if near(each, known)[:1] == (meant,)), None)
        if written is not None:
            names, fix = [written], f"rename {show(written)} to {show(meant)}"
        elif foreign:
            names, fix = foreign, f"write {show(meant)} in the form of Zarr {family.form}"
        else:
            continue
        said = f"nothing, but {' and '.join(map(show, names))}"
        faults[faults.index(fault)] = fault._replace(found=said, fix=fix)
        faults[:] = [each for each in faults if not each.path or each.path[0] not in names]


def _changed(spec: Spec, values: Mapping[str, Any], prepared: Prepared) -> Iterator[Fault]:
    """Yield a fault for each field whose value a validator changed."""
    made = dict(changes_of(type(spec), values, prepared.made or {}))
    if spec is not prepared.settled:  # returned by a validator of the whole spec
        made.update(changes_of(type(spec), values, vars(spec)))
    for name, given in made.items():
        yield Fault(ANNOTATION, (name,), given, show(values[name]) if name in values else "nothing", _CHANGES)


_CHANGES = "validators of specs can't change values: write the value like this, or raise a ValueError in the validator"


def _has_attribute_faults(faults: list[Fault]) -> bool:
    return any(fault.path[:1] == ("attributes",) for fault in faults)


def _validated(cls: type[Spec], values: dict[str, Any], prepared: Prepared, *, any_attributes: bool) -> Spec:
    """Validate `values` with pydantic.

    Attributes of any JSON type were already checked when they were frozen. Pydantic would spend most
    of its time on them, so it gets an empty object instead.
    """
    raw: object = values.get("attributes")
    empty = any_attributes and raw is not None
    if empty:
        values["attributes"] = EMPTY
    try:
        # A typed TypedDict was converted to Python names: look up fields by name.
        by_name = None if empty else True
        spec: Spec = cls.__pydantic_validator__.validate_python(values, context=prepared, by_name=by_name)
    finally:
        if empty:
            values["attributes"] = raw
    return spec


_SAYS_NOTHING = frozenset({"a value", "another value"})
"""Descriptions of fields that pydantic passes through; too vague for a message."""


def _structure(
    error: ValidationError,
    cls: type[Spec],
    checked: type[Spec],
    values: Mapping[str, Any],
    known: set[str],
) -> list[Fault]:
    """Return pydantic's errors under the rules of their fields; `known` are the names with faults already."""
    family = cls.family
    base = family.classes[cls.kind].model_fields
    own = _declared(cls)
    faults: list[Fault] = []
    # Without members: pydantic has no JSON Schema for mutually recursive classes.
    for fault in faults_of(
        error, values, schema_of(_without_contents(checked)), ANNOTATION, said=USERS_VALIDATOR
    ):
        name = str(fault.path[0]) if fault.path else ""
        if name == "members" and name in known:
            continue
        if fault.rule is INTEGER_LITERAL:
            faults.append(fault)
        elif fault.found == "nothing" and len(fault.path) == 1 and name in base and base[name].is_required():
            expected = f"a member {show(name)}" if fault.expected in _SAYS_NOTHING else fault.expected
            faults.append(fault._replace(rule=family.missing_rule, expected=expected))
        elif name in base and name not in own:
            faults.append(fault._replace(rule=family.field_rules.get(name, ANNOTATION)))
        else:
            faults.append(fault)
    return faults


@lru_cache(maxsize=1024)
def _needed(cls: type[Spec]) -> Mapping[str, Required]:
    """Return the members that have a default in Python but are required in a document."""
    return marks(cls.family.classes[cls.kind], Required)


def _missing(cls: type[Spec], document: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield a fault for each such member that the document lacks."""
    base = cls.family.classes[cls.kind]
    for name, mark in _needed(cls).items():
        if name not in document:
            yield Fault(mark.rule, (name,), mark.words or field_words(base, name), "nothing", mark.fix)


# --- what a class adds to the format's own -----------------------------------------------------------


@lru_cache(maxsize=1024)
def _declared(cls: type[Spec]) -> frozenset[str]:
    """Return the fields that `cls` declares or redeclares, except attributes and members."""
    base = cls.family.classes[cls.kind].model_fields
    return frozenset(
        name
        for name, field in cls.model_fields.items()
        if name not in {"attributes", "members"}
        and (
            name not in base
            or (field.annotation, field.metadata) != (base[name].annotation, base[name].metadata)
        )
    )


@lru_cache(maxsize=1024)
def _defaulted(cls: type[Spec]) -> tuple[str, ...]:
    """Return the required fields for which `cls` has a default: documents must still contain them."""
    base = cls.family.classes[cls.kind].model_fields
    return tuple(
        name
        for name, field in base.items()
        if field.is_required() and name in cls.model_fields and not cls.model_fields[name].is_required()
    )


@lru_cache(maxsize=1024)
def _without_contents(cls: type[Spec]) -> type[Spec]:
    """Return `cls` with any attributes and any members; its other fields are unchanged."""
    base = cls.family.classes[cls.kind]
    declared = _declared(cls)
    if not declared:
        return base
    fields: dict[str, Any] = {
        name: (cls.model_fields[name].annotation, cls.model_fields[name]) for name in declared
    }
    made: Any = create_model(cls.__name__, __base__=base, __module__=cls.__module__, **fields)
    return cast("type[Spec]", made)
