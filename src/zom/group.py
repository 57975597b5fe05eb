"""Groups: a mapping from names to what lies there, open on a store, and read when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from zom.array import Array
from zom.errors import PathError
from zom.hierarchy.create import create_node
from zom.hierarchy.handle import Handle
from zom.hierarchy.handles import handle_of
from zom.hierarchy.info import GroupInfo, group_info
from zom.hierarchy.open import read_node
from zom.hierarchy.read import read_tree
from zom.model.output import member_specs
from zom.model.tree_text import tree_text
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.model.spec import Spec

__all__ = ["Group", "Node"]


class Group(Handle, Mapping[str, "Array | Group"]):
    """A group in a store.

    >>> import zom
    >>> from zom import v3
    >>> group = zom.create_group("memory:", v3.GroupSpec())
    >>> array = group.create("a/t", v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> list(group), group["a/t"].shape, "b" in group
    (['a'], (3,), False)
    """

    def __getitem__(self, path: str) -> Array | Group:
        """The node at `path`, one name or several: `group["a/b"]`."""
        whole = join((*parse_path(self._path), *parse_path(path)))
        if whole == self.path:
            return self
        node = read_node(
            self._store, whole, form=self._layout.family.form, level=self._spec.level, limits=self._limits
        )
        return handle_of(node.spec, self._store, node.path, node.layout, mode=self._mode, limits=self._limits)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        try:
            self[path]
        except (KeyError, PathError):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.members())

    def __len__(self) -> int:
        return len(self.members())

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def members(self) -> dict[str, Array | Group]:
        """What lies directly in the group, by name: one listing, and all documents at once.

        >>> import zom
        >>> zom.create_group("memory:", zom.v3.GroupSpec()).members()
        {}
        """
        tree = read_tree(
            self._store,
            self._path,
            depth=1,
            form=self._layout.family.form,
            consolidated="ignore",
            level=self._spec.level,
            limits=self._limits,
        )
        found = member_specs(tree.spec) or {}
        names = parse_path(self._path)
        return {
            name: handle_of(
                spec, self._store, join((*names, name)), self._layout, mode=self._mode, limits=self._limits
            )
            for name, spec in found.items()
        }

    def arrays(self) -> dict[str, Array]:
        """The members that are arrays."""
        return {name: node for name, node in self.members().items() if isinstance(node, Array)}

    def groups(self) -> dict[str, Group]:
        """The members that are groups."""
        return {name: node for name, node in self.members().items() if isinstance(node, Group)}

    @property
    def info(self) -> GroupInfo:
        """What there is to say of the group itself; it prints as a few lines. Nothing is read for it."""
        return group_info(self._spec, self._store.url, self.path, self._layout)

    def read(self, *, depth: int | None = None) -> Any:
        """The spec of the group with its members, so many levels down.

        >>> import zom
        >>> zom.create_group("memory:", zom.v3.GroupSpec()).read().members
        {}
        """
        form, level = self._layout.family.form, self._spec.level
        return read_tree(
            self._store, self._path, depth=depth, form=form, level=level, limits=self._limits
        ).spec

    def tree(self, *, depth: int | None = None) -> str:
        """The hierarchy below, as text: a line for each node.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> print(group.tree())
        /  v3 group  no members
        """
        return tree_text(self.read(depth=depth), depth=depth)

    def create(self, path: str, spec: Spec) -> Array | Group:
        """A new array or group below this one, with the groups between that are missing.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> group.create("a", zom.v3.GroupSpec()).path
        '/a'
        """
        self.check_writable()
        whole = join((*parse_path(self._path), *parse_path(path)))
        layout = create_node(self._store, spec, whole)
        return handle_of(spec, self._store, whole, layout, mode=self._mode, limits=self._limits)

    def delete(self, path: str) -> None:
        """Remove what lies at `path` below this group, and all below it, as `zom.delete`.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
        >>> array = group.create("a", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
        >>> group.delete("a"); list(group)
        []
        """
        from zom.hierarchy.removal import delete  # noqa: PLC0415 - it brings what makes and applies plans

        self.check_writable()
        names = parse_path(path)
        if not names:
            raise PathError(f"{path!r}: expected the path of a node below {self.path}; see zom.delete")
        delete(self._store, join((*parse_path(self._path), *names)))

    def __repr__(self) -> str:
        return f"<zom.Group {self._where()} mode={self._mode!r}>"


Node: TypeAlias = Array | Group
"""What is open: an array or a group."""
