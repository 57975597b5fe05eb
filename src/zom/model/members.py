"""What a group's annotation says about its members: which names, and which specs under them.

`members` is annotated as a mapping, whose value type holds for every name, or as a TypedDict, whose
keys are required or optional members; `closed=True` forbids others, `extra_items=` types them.
"""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin
from weakref import WeakKeyDictionary

import typing_extensions

from zom.errors import ExtensionError
from zom.model.bare_spec import is_spec_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.model.spec import Spec

__all__ = ["MemberPlan", "member_plan"]

Candidates: TypeAlias = "tuple[type[Spec], ...]"


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """Which members a group class allows; `others` is None where no further name is."""

    named: Mapping[str, Candidates]
    required: frozenset[str]
    others: Candidates | None

    def candidates(self, name: str) -> Candidates | None:
        """The classes that a member called `name` may have; empty for any, None for no such member."""
        return self.named.get(name, self.others)


ANY = MemberPlan({}, frozenset(), ())

_plans: WeakKeyDictionary[type[Spec], MemberPlan] = WeakKeyDictionary()


def member_plan(cls: type[Spec]) -> MemberPlan:
    """The plan that the annotation of `members` in `cls` stands for."""
    plan = _plans.get(cls)
    if plan is None:
        if not cls.__pydantic_complete__:
            cls.model_rebuild()
        field = cls.model_fields.get("members")
        plan = _plans[cls] = ANY if field is None else _plan(field.annotation, cls)
    return plan


def _plan(annotation: Any, owner: type[Spec]) -> MemberPlan:
    annotation = _bare(annotation)
    if annotation is Any or annotation is None or isinstance(annotation, TypeVar):
        return ANY
    if typing_extensions.is_typeddict(get_origin(annotation) or annotation):
        return _typed_plan(get_origin(annotation) or annotation, owner)
    arguments = get_args(annotation)
    if len(arguments) == 2:
        others = _candidates(arguments[1], owner)
        return MemberPlan({}, frozenset(), others) if others else ANY
    return ANY


def _bare(annotation: Any) -> Any:
    """`annotation` without Annotated and without `| None`."""
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
    """Whether `hint` says that its key is required; None where it says nothing."""
    said: bool | None = None
    while get_origin(hint) in _QUALIFIERS or get_origin(hint) is Annotated:
        said = _QUALIFIERS.get(get_origin(hint)) if said is None else said
        hint = get_args(hint)[0]
    return said


def _typed_plan(annotation: Any, owner: type[Spec]) -> MemberPlan:
    named = {
        name: _candidates(hint, owner) for name, hint in typing_extensions.get_type_hints(annotation).items()
    }
    # `__required_keys__` is wrong where annotations are text: the qualifiers were not seen.
    qualified = typing_extensions.get_type_hints(annotation, include_extras=True)
    by_class = cast("frozenset[str]", annotation.__required_keys__)
    required = frozenset(
        name
        for name, hint in qualified.items()
        if (name in by_class if _qualified(hint) is None else _qualified(hint))
    )
    extra = getattr(annotation, "__extra_items__", None)
    others: Candidates | None = ()
    if getattr(annotation, "__closed__", None) or extra is typing.Never:
        others = None
    elif extra is not None and extra is not getattr(typing_extensions, "NoExtraItems", None):
        others = _candidates(extra, owner)
    return MemberPlan(named, required, others)


def _candidates(annotation: Any, owner: type[Spec]) -> Candidates:
    """The spec classes in a member's annotation; empty where any spec will do."""
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
