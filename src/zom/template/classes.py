"""Templates as Python classes: annotated subclasses that are equivalent to template documents.

Class keywords are the fields of the template; annotations are members. `X | None` is an optional member,
`Mapping[str, X]` with a `Pattern` describes all members that match, and `attributes` is a pydantic model, a
dataclass or a TypedDict, which becomes JSON Schema.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Mapping  # noqa: TC003 - the fields are evaluated
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypedDict, Union, cast, get_args, get_origin

from pydantic import PydanticUserError, TypeAdapter
from typing_extensions import Unpack

from zom.errors import SpecError
from zom.json.value import JSON  # noqa: TC001 - the fields are evaluated
from zom.model.attributes import plain
from zom.problems import Fault
from zom.template.definition import FORM, problems_of
from zom.template.models import ArrayTemplate, GroupTemplate, NodeTemplate, Template
from zom.template.parts import Pattern

if TYPE_CHECKING:
    from zom.model.spec import Spec
    from zom.problems import Level, Problem
    from zom.template.parts import (
        CodecRules,
        Extent,
        Extents,
        MaybeNames,
        MemberTemplates,
        Patterns,
        References,
        SameLength,
        SomeKinds,
    )

__all__ = ["ArrayClass", "GroupClass"]


class ArrayFields(TypedDict, total=False):
    """The fields of an array template, as keywords of a class."""

    attributes: Mapping[str, JSON]
    references: References
    rank: Extent
    dimension_names: MaybeNames
    dtype: SomeKinds
    shape: Extents
    chunks: Extents
    shards: Extents
    sharded: bool
    codecs: CodecRules
    fill_value: JSON


class GroupFields(TypedDict, total=False):
    """The fields of a group template, as keywords of a class."""

    attributes: Mapping[str, JSON]
    references: References
    members: MemberTemplates
    optional: list[str] | tuple[str, ...]
    patterns: Patterns
    open: bool
    same_length: SameLength


class ArrayClass:
    """An array template as a class.

    >>> class Band(ArrayClass, rank=2, dtype="uint16", chunks={"y": [256, 512]}):
    ...     pass
    >>> Band.template == ArrayTemplate(rank=2, dtype="uint16", chunks={"y": [256, 512]})
    True
    """

    template: ClassVar[ArrayTemplate] = ArrayTemplate()

    def __init_subclass__(cls, **fields: Unpack[ArrayFields]) -> None:
        super().__init_subclass__()
        said: dict[str, Any] = {**_said(cls.template), **fields}
        for name, hint in _hints(cls).items():
            if name != "attributes":
                raise _refusal(cls, (name,), "no annotation but attributes", f"one of {name}")
            said["attributes"] = _attribute_schema(cls, hint)
        cls.template = ArrayTemplate(**said)

    @classmethod
    def check(
        cls, subject: Spec | str | bytes | Mapping[str, Any], level: Level = "strict"
    ) -> tuple[Problem, ...]:
        """As `Template.check`."""
        return cls.template.check(subject, level)


class GroupClass:
    """A group template as a class.

    >>> class Band(ArrayClass, rank=2): ...
    >>> class Product(GroupClass, open=False):
    ...     b02: Band
    ...     mask: Band | None
    ...     levels: Annotated[Mapping[str, Band], Pattern(pattern="[0-9]+", min_count=1)]
    >>> Product.template.optional, Product.template.patterns[0].min_count
    (('mask',), 1)
    """

    template: ClassVar[GroupTemplate] = GroupTemplate()

    def __init_subclass__(cls, **fields: Unpack[GroupFields]) -> None:
        super().__init_subclass__()
        inherited, given = _said(cls.template), cast("dict[str, Any]", fields)
        said: dict[str, Any] = {**inherited, **given}
        members = {**inherited.get("members", {}), **given.get("members", {})}
        optional = [*inherited.get("optional", ()), *given.get("optional", ())]
        patterns = [*inherited.get("patterns", ()), *given.get("patterns", ())]
        for name, hint in _hints(cls).items():
            if name == "attributes":
                said["attributes"] = _attribute_schema(cls, hint)
                continue
            bare, is_optional = _without_none(hint)
            pattern, inner = _pattern_in(bare)
            made = _template_of(cls, name, inner)
            if pattern is not None:
                patterns.append(pattern.model_copy(update=_set(pattern, made)))
                continue
            members[name] = made
            optional = [known for known in optional if known != name] + [name] * is_optional
        fields_of_members = {"members": members, "optional": optional, "patterns": patterns}
        said |= {field: value for field, value in fields_of_members.items() if value}
        cls.template = GroupTemplate(**said)

    @classmethod
    def check(
        cls, subject: Spec | str | bytes | Mapping[str, Any], level: Level = "strict"
    ) -> tuple[Problem, ...]:
        """As `Template.check`."""
        return cls.template.check(subject, level)


_CLASS_VAR: Any = ClassVar


def _refusal(cls: type, path: tuple[str, ...], expected: str, found: str) -> SpecError:
    return SpecError(problems_of([Fault(FORM, path, expected, found)]), cls.__name__)


def _said(template: Template) -> dict[str, Any]:
    return {name: getattr(template, name) for name in template.model_fields_set}


def _hints(cls: type) -> dict[str, Any]:
    """Return the annotations of the class itself as types; names may be local to the defining function."""
    module = sys.modules.get(cls.__module__)
    here = inspect.currentframe()
    # The class is defined two frames up, where names may be local to a function.
    caller = here.f_back.f_back if here is not None and here.f_back is not None else None
    around = caller.f_locals if caller is not None else {}
    outer = vars(module) if module else {}
    hints = inspect.get_annotations(cls, globals=outer, locals=around, eval_str=True)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is not _CLASS_VAR}


def _attribute_schema(cls: type, hint: Any) -> Any:
    if plain(hint):
        return {}
    try:
        return TypeAdapter(hint).json_schema(mode="validation")
    except PydanticUserError as cause:
        wanted = "a pydantic model, a dataclass, a TypedDict or a mapping"
        why = str(cause.message).split("\n", 1)[0]
        raise _refusal(cls, ("attributes",), wanted, f"{hint!r}: {why}") from None


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return `X` and True for `X | None`, and the annotation and False otherwise."""
    options = get_args(hint) if get_origin(hint) in {Union, types.UnionType} else (hint,)
    rest = [option for option in options if option is not types.NoneType]
    bare = rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007 - built at run time
    return bare, len(rest) < len(options)


def _pattern_in(hint: Any) -> tuple[Pattern | None, Any]:
    """Return the pattern that annotates a mapping, and the type of its values."""
    if get_origin(hint) is Annotated:
        bare, *notes = get_args(hint)
        arguments = get_args(bare)
        for note in notes:
            if isinstance(note, Pattern) and len(arguments) == 2:
                return note, arguments[1]
    return None, hint


def _set(pattern: Pattern, made: Template) -> dict[str, Any]:
    return {} if pattern.template is not None else {"template": made}


def _template_of(cls: type, name: str, hint: Any) -> Template:
    """Return the template of an annotation, refined by templates in `Annotated`."""
    notes: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
    options = get_args(hint) if get_origin(hint) in {Union, types.UnionType} else (hint,)
    if len(options) == 2:
        parts = {part.node_type: part for part in (_template_of(cls, name, each) for each in options)}
        if parts.keys() == {"array", "group"}:
            return NodeTemplate(array=parts["array"], group=parts["group"])
    found: Any = getattr(hint, "template", None) if isinstance(hint, type) else None
    if not isinstance(found, Template):
        wanted = "an array class, a group class, or a mapping of them with a Pattern"
        raise _refusal(cls, (name,), wanted, repr(hint))
    for note in notes:
        if isinstance(note, Template) and note.node_type == found.node_type:
            found = found.replace(**_said(note))
    return cast("Template", found)
