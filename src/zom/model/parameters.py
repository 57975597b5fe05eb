"""The type parameters of spec classes, and the type of a group's members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, overload

from typing_extensions import TypeVar

from zom.json.value import JSON

if TYPE_CHECKING:
    from zom.model.bare_spec import BareSpec
    from zom.model.group import Group

__all__ = ["AttributesT", "MemberT"]

AttributesT = TypeVar("AttributesT", default=Mapping[str, JSON])
"""The type of a node's attributes."""

MemberT = TypeVar("MemberT", default=Any)
"""The type of each member of a group, or a TypedDict of members by name."""

if TYPE_CHECKING:
    SpecT = TypeVar("SpecT", bound=BareSpec)
    FieldsT = TypeVar("FieldsT", bound=Mapping[str, object])
    OtherT = TypeVar("OtherT")

    class _Members(Generic[MemberT]):
        """A group's members, typed by its parameter: a mapping of specs, or the TypedDict itself."""

        @overload
        def __get__(self, group: Group[SpecT], owner: Any) -> Mapping[str, SpecT] | None: ...
        @overload
        def __get__(self, group: Group[FieldsT], owner: Any) -> FieldsT: ...
        @overload
        def __get__(self, group: Group[OtherT], owner: Any) -> Mapping[str, OtherT] | None: ...
        def __get__(self, group: object, owner: Any) -> Any: ...

        def __set__(self, group: object, value: Mapping[str, MemberT] | MemberT | None) -> None:
            """Set the type that generated constructors accept for `members`."""

    # Every type is a subtype of a protocol without own members. Subclasses may therefore annotate `members`
    # again, and type checkers still see the methods above.
    class Members(_Members[MemberT], Protocol):  # type: ignore[misc] # pyright: ignore[reportGeneralTypeIssues]
        """The type of a group's `members` for type checkers."""
