"""Misspelt keys: wrong spellings of names that a convention knows, which readers silently ignore."""

from __future__ import annotations

import types
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

from zom.checks.selector import EVERY, parse_selector, select
from zom.conventions.framework.attributes import faults_in
from zom.formats.node_view import Node
from zom.json.python_value import is_dict, is_list
from zom.json.value import JSONDict
from zom.misspelling import is_short_slip, meant, misspelt

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from zom.conventions.framework.attributes import Attributes, Steps
    from zom.conventions.framework.convention import Convention
    from zom.conventions.framework.told import Told
    from zom.problems import Path

__all__ = ["MisspeltKey", "is_taken", "misspelt_in", "misspelt_sign", "with_hints"]

_PROSE: Final = frozenset({"comment", "history", "institution", "references", "source", "title"})
"""Keys of texts for people, which are often written in the plural."""


class MisspeltKey(NamedTuple):
    """A misspelt key in an object among the attributes, and the key that it means."""

    holder: Path
    key: str
    meant: str
    has_rule: bool = False
    """Whether a rule of the convention reports it."""


# --- within metadata of a convention that is present -----------------------------------------------------


def misspelt_in(convention: Convention, node: Node) -> list[MisspeltKey]:
    """The misspelt keys in objects whose keys the convention's model or rules name.

    >>> from zom.conventions import conventions
    >>> from zom.formats.node_view import attributes_node
    >>> image = {"datasets": [{"path": "0", "coordinateTransformation": []}]}
    >>> [found.meant for found in misspelt_in(conventions["ome/0.5"], attributes_node({"ome": {"multiscales": [image]}}))]
    ['coordinateTransformations']
    """
    model = convention.models.get(node.kind or "group")
    if model is None:
        return list(_beside_selected(convention, node))
    found = model.value_in(node.attributes)
    return [] if found is None else list(_within(convention, model, *found))


def _beside_selected(convention: Convention, node: Node) -> Iterator[MisspeltKey]:
    """The misspelt keys in objects whose members rules select, for a convention without a model."""
    for holder, known in _selected(convention).items():
        for steps, held in select(node.attributes, holder):
            if is_dict(held):
                for key in held:
                    name = meant(key, known)
                    if name is not None and name not in held:
                        yield MisspeltKey(steps, key, name)


@lru_cache(maxsize=512)
def _selected(convention: Convention) -> Mapping[Steps, Collection[str]]:
    """The members that the rules of a convention select, by the steps to their object."""
    known: dict[Steps, dict[str, None]] = {}
    for rule in convention.rules:
        for selector in (rule.check.params.get("at"), *(each.get("at") for each in rule.when)):
            parsed = parse_selector(selector) if isinstance(selector, str) else None
            steps = parsed.steps if parsed is not None and parsed.start == "attributes" else ()
            for end in range(1, len(steps)):
                if steps[end] != EVERY:
                    known.setdefault(steps[:end], {})[str(steps[end])] = None
    return known


@lru_cache(maxsize=512)
def _has_rule(convention: Convention) -> bool:
    """Whether a rule of the convention itself is about misspelt keys."""
    return any(each.id in {"key-spelling", "spelling"} for each in convention.rules)


def _within(
    convention: Convention, model: type[BaseModel], path: Path, value: object
) -> Iterator[MisspeltKey]:
    has_rule, selected = _has_rule(convention), _selected(convention)
    waiting: list[tuple[type[BaseModel], Path, object]] = [(model, path, value)]
    while waiting:
        form, here, held = waiting.pop()
        if is_list(held):
            waiting.extend((form, (*here, place), each) for place, each in enumerate(held))
            continue
        if not is_dict(held):
            continue
        fields = _fields(form)
        # Some keys are not the model's, such as a version that other versions keep elsewhere.
        named = selected.get(tuple(EVERY if isinstance(step, int) else step for step in here), ())
        for key, inner in held.items():
            if key in fields:
                below = fields[key]
                if below is not None:
                    waiting.append((below, (*here, key), inner))
            elif key not in named:
                known = _meant(key, form) or meant(key, named)
                if known is not None and known not in held and known not in _PROSE:
                    yield MisspeltKey(here, key, known, has_rule and form is model)


@lru_cache(maxsize=4096)
def _meant(key: str, form: type[BaseModel]) -> str | None:
    return meant(key, _fields(form))


@lru_cache(maxsize=256)
def _fields(form: type[BaseModel]) -> Mapping[str, type[BaseModel] | None]:
    """The keys that a model knows, each with the model of its value."""
    form.model_rebuild()
    return {field.alias or name: _model_in(field.annotation) for name, field in form.model_fields.items()}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The one model in an annotation, or None if it has none or several."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _model_in(args[0])
    if origin in {Union, types.UnionType}:
        models = [found for each in args if (found := _model_in(each)) is not None]
        return models[0] if len(models) == 1 else None
    if origin in {list, tuple}:
        return _model_in(args[0]) if args else None
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def with_hints(
    told: Sequence[Told], node: Node, slips: Collection[MisspeltKey]
) -> tuple[list[MisspeltKey], dict[int, Told | None]]:
    """The slips that no finding reports, and revised findings of missing keys by index.

    If several findings report one slip, the first one mentions it, and the others are None. Notes don't
    count: a misspelt key deserves a warning.
    """
    left: list[MisspeltKey] = []
    revised: dict[int, Told | None] = {}
    for slip in slips:
        places = [
            place
            for place, each in enumerate(told)
            if place not in revised and each.problem.node == node.path and _misses(each, slip)
        ]
        places.sort(key=lambda place: _ORDER.index(told[place].problem.severity))
        if not places or told[places[0]].problem.severity == "note":
            if not slip.has_rule:
                left.append(slip)
            continue
        first, *others = places
        fix = f"rename {slip.key!r} to {slip.meant!r}"
        problem = replace(told[first].problem, found=f"nothing, but {slip.key!r}", fix=fix)
        # A rule of another convention may report the key itself.
        path = ("attributes", *slip.holder, slip.key)
        revised[first] = told[first]._replace(problem=problem, slip=(node.path, path))
        revised.update(dict.fromkeys(others))
    return left, revised


_ORDER: Final = ("error", "warning", "note")


def _misses(told: Told, slip: MisspeltKey) -> bool:
    """Whether a finding says that the meant key is missing, alone or as one of several."""
    holder = ("attributes", *slip.holder)
    if told.path == (*holder, slip.meant):
        return True
    check = None if told.rule is None else told.rule.check
    if told.path != holder or check is None or check.name != "any_of" or told.problem.found != "none":
        return False
    return slip.meant in {parse_selector(each).steps[-1] for each in check.params["selectors"]}


# --- keys that would identify a convention that is absent ------------------------------------------------


def misspelt_sign(
    node: Node, found: Mapping[str, Convention], wanted: tuple[Convention, ...]
) -> Iterator[tuple[Convention, MisspeltKey]]:
    """Each key that would identify a `wanted` convention if it were spelled correctly."""
    for key in node.attributes:
        near = _meant_by_any(key, wanted)
        if not near or is_taken(key, found):
            continue
        told: set[str] = set()
        for known, convention in near:
            if (
                convention.id not in found
                and convention.id not in told
                and known not in node.attributes
                and _would_be_found(convention, node, key, known)
            ):
                told.add(convention.id)
                yield convention, MisspeltKey((), key, known)


def is_taken(key: str, found: Mapping[str, Convention]) -> bool:
    """Whether a convention that is present defines the attribute."""
    return any(each.owns_key(key) or key in each.telling for each in found.values())


@lru_cache(maxsize=4096)
def _meant_by_any(key: str, wanted: tuple[Convention, ...]) -> tuple[tuple[str, Convention], ...]:
    return tuple(
        (known, each)
        for each in wanted
        for known in each.telling
        if misspelt(key, known) or is_short_slip(key, known)
    )


def _would_be_found(convention: Convention, node: Node, key: str, known: str) -> bool:
    attributes = {known if each == key else each: value for each, value in node.attributes.items()}
    document = JSONDict({**node.document, "attributes": JSONDict(attributes)})
    renamed = Node(node.name, node.parent, (node.kind, node.form, document))
    renamed.members = node.members
    if convention.found_at(node) is not None or convention.found_at(renamed) is None:
        return False
    model = convention.models.get(node.kind or "group")
    if not misspelt(key, known) and not _holds_known(model, attributes):
        return False
    faults = None if model is None else faults_in(model, attributes)
    # A value of another type is something else that has that name by chance.
    return not any(fault.path == (known,) for fault in faults or ())


def _holds_known(model: type[Attributes] | None, attributes: Mapping[str, Any]) -> bool:
    """Whether the value is an object with known keys of the model: short names resemble many others."""
    found = None if model is None else model.value_in(attributes)
    return (
        found is not None
        and model is not None
        and is_dict(found[1])
        and not _fields(model).keys().isdisjoint(found[1])
    )
