"""The base class of group specs of every format: members, compared without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, cast

from zom.brief import Brief
from zom.errors import NotFound, PathError
from zom.model import stored
from zom.model.bare_spec import SpecType
from zom.model.bridge import bridges
from zom.model.builders.from_tree import group_of
from zom.model.output import member_specs
from zom.model.parameters import MemberT
from zom.model.spec import Spec, same_node
from zom.model.tree import at

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
    from typing import Self

    from zom.model.family import NodeKind
    from zom.model.parameters import Members
    from zom.problems import Level

__all__ = ["Group"]


# The metaclass is repeated so that mypy keeps the declared type of `members`.
class Group(Spec, Generic[MemberT], metaclass=SpecType):
    """A node with members."""

    kind: ClassVar[NodeKind] = "group"

    if TYPE_CHECKING:
        # Formats declare the field. Hiding its default lets subclasses annotate it again.
        members: Members[MemberT]

    def __getitem__(self, path: str) -> Any:
        """Return the node at `path` below this group.

        >>> from zom import v3
        >>> v3.GroupSpec(members={"a": v3.GroupSpec(members={"b": v3.GroupSpec()})})["a/b"].kind
        'group'
        """
        return at(self, path)

    @classmethod
    def from_tree(cls, tree: Any, *, attributes: Any = None) -> Self:
        """Build a group from a mapping of specs, arrays and nested mappings.

        A key with slashes creates nested groups. A Dataset or DataTree of xarray becomes the group that
        xarray would write, with coordinates and attributes, and so does a DataArray passed alone.

        >>> import numpy as np
        >>> from zom import v3
        >>> group = v3.GroupSpec.from_tree({"a": np.zeros(3), "b/c": {"d": np.ones((2, 2))}})
        >>> sorted(group.flatten())
        ['/', '/a', '/b', '/b/c', '/b/c/d']
        """
        return cast("Self", group_of(cls, tree, attributes))

    def to_xarray(self, **options: Any) -> Any:
        """Return a lazy Dataset of fill values for the group, or a DataTree if it contains groups.

        `options` are those of `zom.xarray.template`, such as `chunks={}` for dask arrays.

        >>> from zom import v3
        >>> t = v3.ArraySpec.build(shape=(3,), dtype="int8", dimension_names=["x"], fill_value=7)
        >>> v3.GroupSpec(members={"t": t}).to_xarray()["t"].values
        array([7, 7, 7], dtype=int8)
        """
        return bridges["xarray"].value_of(self, **options)

    def to_consolidated(self) -> dict[str, Any]:
        """Return the stored document of the whole hierarchy: `.zmetadata`, or the root's `zarr.json`.

        >>> from zom import v3
        >>> v3.GroupSpec(members={"a": v3.GroupSpec()}).to_consolidated()["consolidated_metadata"]["kind"]
        'inline'
        """
        return stored.to_consolidated(self)

    @classmethod
    def from_consolidated(cls, document: Mapping[str, Any], level: Level = "strict") -> Self:
        """Parse the hierarchy that consolidated metadata describes.

        >>> from zom import v2
        >>> group = v2.GroupSpec(members={"a": v2.GroupSpec(members={})})
        >>> v2.GroupSpec.from_consolidated(group.to_consolidated()) == group
        True
        """
        return cls.model_validate(stored.from_consolidated(cls.family, document, level))

    def __iter__(self) -> Iterator[str]:  # type: ignore[override] # members, as of handles; pydantic's are fields
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __bool__(self) -> bool:
        return True  # a group without members is truthy

    def keys(self) -> KeysView[str]:
        """The names of the members.

        >>> from zom import v3
        >>> group = v3.GroupSpec(members={"a": v3.GroupSpec()})
        >>> list(group), len(group), dict(group) == group.members
        (['a'], 1, True)
        """
        return self._known().keys()

    def values(self) -> ValuesView[Any]:
        """The members."""
        return self._known().values()

    def items(self) -> ItemsView[str, Any]:
        """The member names with their members."""
        return self._known().items()

    def _known(self) -> dict[str, Any]:
        members = member_specs(self)
        if members is None:
            message = "expected a group with members, found one whose members are unknown; read it with a larger depth"
            raise NotFound(message)
        return members

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        try:
            self[path]
        except (NotFound, PathError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Spec):
            return NotImplemented
        waiting: list[tuple[Spec, Spec]] = [(self, other)]
        while waiting:
            left, right = waiting.pop()
            if left is right:
                continue
            if not same_node(left, right):
                return False
            mine, theirs = member_specs(left), member_specs(right)
            if mine is None or theirs is None:
                if mine is not theirs:
                    return False
            elif list(mine) == list(theirs):
                waiting.extend(zip(mine.values(), theirs.values(), strict=True))
            elif mine.keys() == theirs.keys():
                waiting.extend((member, theirs[name]) for name, member in mine.items())
            else:
                return False
        return True

    def __hash__(self) -> int:
        keys: set[Any] = set()
        waiting: list[tuple[str, Spec]] = [("", self)]
        while waiting:
            path, node = waiting.pop()
            members = member_specs(node)
            keys.add((path, node.kind, members is None, node.document))
            waiting.extend((f"{path}/{name}", member) for name, member in (members or {}).items())
        return hash((self.family.form, frozenset(keys)))

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from super().__repr_args__()
        members = member_specs(self)
        yield "members", None if members is None else Brief(list(members))
