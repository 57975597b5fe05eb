"""Read a group's annotation of `members`: the allowed names, and the specs under them.

`members` is annotated as a mapping, whose value type applies to every name, or as a TypedDict, whose
keys are required or optional members; `closed=True` forbids others, `extra_items=` types them.
"""

from __future__ import annotations

import types
import typing
from dataclasses import field, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin
from weakref import WeakKeyDictionary

import typing_extensions

from zom.dataclass import dataclass
from zom.errors import ExtensionError
from zom.json.value import JSONDict
from zom.model.bare_spec import is_spec_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.model.spec import Spec

__all__ = ["MemberPlan", "alias_of", "member_plan"]

Candidates: TypeAlias = "tuple[type[Spec], ...]"


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """The members that a group class allows; `others` is None if it allows no further names."""

    named: Mapping[str, Candidates]
    required: frozenset[str]
    others: Candidates | None
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The document names of keys that have another name in Python."""
    are_needed: bool = False
    """Whether the members must be known: their type excludes None."""

    def candidates(self, name: str) -> Candidates | None:
        """Return the allowed classes of a member: empty means any, None means no such member."""
        return self.named.get(name, self.others)


ANY = MemberPlan({}, frozenset(), ())


class AliasedMembers(JSONDict):
    """Members by their document names, with lookup by their Python names as well.

    >>> members = AliasedMembers({"B-02": "a spec"}, {"blue": "B-02"})
    >>> list(members), members["blue"], "blue" in members
    (['B-02'], 'a spec', True)
    """

    __slots__ = ("_aliases",)
    _aliases: Mapping[str, str]

    def __init__(self, members: Mapping[str, Any], aliases: Mapping[str, str]) -> None:
        super().__init__(members)
        object.__setattr__(self, "_aliases", aliases)

    def __missing__(self, name: str) -> Any:
        alias = self._aliases.get(name)
        if alias is None or not super().__contains__(alias):
            raise KeyError(name)
        return self[alias]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (
            isinstance(name, str) and super().__contains__(self._aliases.get(name))
        )

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (dict(self), dict(self._aliases)))


_plans: WeakKeyDictionary[type[Spec], MemberPlan] = WeakKeyDictionary()


def member_plan(cls: type[Spec]) -> MemberPlan:
    """Return the plan for the annotation of `members` in `cls`."""
    plan = _plans.get(cls)
    if plan is None:
        if not cls.__pydantic_complete__:
            cls.model_rebuild()
        field = cls.model_fields.get("members")
        plan = ANY if field is None else _plan(field.annotation, cls)
        if field is not None and plan is not ANY and field.is_required():
            plan = replace(plan, are_needed=True)
        _plans[cls] = plan
    return plan


def _plan(annotation: Any, owner: type[Spec]) -> MemberPlan:
    annotation = _bare(annotation)
    if annotation is Any or annotation is None or isinstance(annotation, TypeVar):
        return ANY
    if typing_extensions.is_typeddict(get_origin(annotation) or annotation):
        return _typed_plan(get_origin(annotation) or annotation, owner)
    arguments = get_args(annotation)
    if len(arguments) == 2:
        fields = _bare(arguments[1])  # from GroupSpec[Attributes, Fields]
        if typing_extensions.is_typeddict(get_origin(fields) or fields):
            return replace(_typed_plan(get_origin(fields) or fields, owner), are_needed=True)
        others = _candidates(arguments[1], owner)
        return MemberPlan({}, frozenset(), others) if others else ANY
    return ANY


def _bare(annotation: Any) -> Any:
    """Remove Annotated and `| None` from `annotation`."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in {Union, types.UnionType}:
        rest = [option for option in get_args(annotation) if option is not types.NoneType]
        if len(rest) == 1:
            return _bare(rest[0])
    return annotation


_QUALIFIERS = {
    typing_extensions.Required: True,
    typing_extensions.NotRequired: False,
    typing_extensions.ReadOnly: None,
}


def _qualified(hint: Any) -> bool | None:
    """Whether `hint` declares its key as required, or None if it says nothing."""
    said: bool | None = None
    while get_origin(hint) in _QUALIFIERS or get_origin(hint) is Annotated:
        said = _QUALIFIERS.get(get_origin(hint)) if said is None else said
        hint = get_args(hint)[0]
    return said


def _typed_plan(annotation: Any, owner: type[Spec]) -> MemberPlan:
    hints = typing_extensions.get_type_hints(annotation)
    # `__required_keys__` ignores qualifiers in string annotations, so read them here.
    qualified = typing_extensions.get_type_hints(annotation, include_extras=True)
    by_class = cast("frozenset[str]", annotation.__required_keys__)
    required = frozenset(
        name
        for name, hint in qualified.items()
        if (name in by_class if _qualified(hint) is None else _qualified(hint))
    )
    aliases = {name: alias for name, hint in qualified.items() if (alias := alias_of(hint)) is not None}
    named = {aliases.get(name, name): _candidates(hint, owner) for name, hint in hints.items()}
    required = frozenset(aliases.get(name, name) for name in required)
    extra = getattr(annotation, "__extra_items__", None)
    others: Candidates | None = ()
    if getattr(annotation, "__closed__", None) or extra is typing.Never:
        others = None
    elif extra is not None and extra is not getattr(typing_extensions, "NoExtraItems", None):
        others = _candidates(extra, owner)
    return MemberPlan(named, required, others, aliases)


def alias_of(hint: Any) -> str | None:
    """Return the document name of a key if its annotation gives one, otherwise None."""
    while get_origin(hint) in _QUALIFIERS or get_origin(hint) is Annotated:
        for mark in cast("tuple[Any, ...]", getattr(hint, "__metadata__", ())):
            for alias in (getattr(mark, "validation_alias", None), getattr(mark, "alias", None)):
                if isinstance(alias, str):
                    return alias
        hint = get_args(hint)[0]
    return None


def _candidates(annotation: Any, owner: type[Spec]) -> Candidates:
    """Return the spec classes in a member's annotation; empty if any spec is allowed."""
    annotation = _bare(annotation)
    if annotation is Any or annotation is object or isinstance(annotation, TypeVar):
        return ()
    if get_origin(annotation) in {Union, types.UnionType}:
        found: list[type[Spec]] = []
        for option in get_args(annotation):
            inner = _candidates(option, owner)
            if not inner:
                return ()
            found.extend(inner)
        return tuple(found)
    if is_spec_class(annotation):
        return (annotation,)
    message = f"{owner.__name__}.members: expected specs as members, found {annotation!r}"
    raise ExtensionError(message)
