"""What classes of specs are generic over, and how a group has its members by that."""

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
"""The type of each of a group's members, or a TypedDict of members by name."""

if TYPE_CHECKING:
    SpecT = TypeVar("SpecT", bound=BareSpec)
    FieldsT = TypeVar("FieldsT", bound=Mapping[str, object])
    OtherT = TypeVar("OtherT")

    class _Members(Generic[MemberT]):
        """The members of a group, by its parameter: a mapping of specs, or the TypedDict itself."""

        @overload
        def __get__(self, group: Group[SpecT], owner: Any) -> Mapping[str, SpecT] | None: ...
        @overload
        def __get__(self, group: Group[FieldsT], owner: Any) -> FieldsT: ...
        @overload
        def __get__(self, group: Group[OtherT], owner: Any) -> Mapping[str, OtherT] | None: ...
        def __get__(self, group: object, owner: Any) -> Any: ...

        def __set__(self, group: object, value: Mapping[str, MemberT] | MemberT | None) -> None:
            """Say what the classes that pydantic makes take for `members`."""

    # Every type is a subtype of a protocol without members of its own: so subclasses may annotate `members` anew,
    # and type checkers still see the methods above.
    class Members(_Members[MemberT], Protocol):  # type: ignore[misc] # pyright: ignore[reportGeneralTypeIssues]
        """What `members` of a group is to type checkers."""
