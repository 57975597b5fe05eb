"""Build groups from nested mappings of specs, arrays and mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from zom.model.bare_spec import is_spec
from zom.model.bridge import bridge_of
from zom.model.builders.chunking import refuse
from zom.paths import parse_path

if TYPE_CHECKING:
    from zom.model.family import Family
    from zom.model.group import Group
    from zom.model.spec import Spec

__all__ = ["group_of"]


def group_of(cls: type[Group], tree: Mapping[str, Any], attributes: Any = None) -> Group:
    """Build the group of `cls` that `tree` describes.

    >>> from zom import v3
    >>> list(group_of(v3.GroupSpec, {"a": {}}).members)
    ['a']
    """
    bridge = bridge_of(tree)
    if bridge is None:
        if not isinstance(cast("object", tree), Mapping):
            found = f"an object of type {type(tree).__name__}"
            raise TypeError(f"expected a mapping from names to arrays, specs and mappings, got {found}")
        return _Groups(cls.family).group(cls, tree, attributes)
    made: Any = bridge.spec_of(tree, cls.family)
    own: Any = cls
    return cast(
        "Group", own(attributes=made.attributes if attributes is None else attributes, members=made.members)
    )


class _Open:
    """A group under construction: its source mapping, the items left to add, and its members so far."""

    __slots__ = ("left", "members", "tree")

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.tree = tree
        self.left = list(reversed(_nested(tree).items()))
        self.members: dict[str, Spec] = {}


class _Groups:
    """Builds groups from mappings; a mapping in several places is built once."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._made: dict[int, Spec] = {}
        self._kept: list[object] = []
        """Keeps objects that are known by id alive."""
        self._above: set[int] = set()

    def group(self, cls: type[Group], tree: Mapping[str, Any], attributes: Any = None) -> Group:
        """Build the group of `cls` that `tree` describes, by iteration: a tree may exceed the stack."""
        plain = cast("type[Group]", self._family.classes["group"])
        waiting = [_Open(tree)]
        self._above.add(id(tree))
        while True:
            here = waiting[-1]
            below = self._next(here)
            if below is not None:
                self._above.add(id(below))
                waiting.append(_Open(below))
                continue
            waiting.pop()
            self._above.discard(id(here.tree))
            if not waiting:
                given = {} if attributes is None else {"attributes": attributes}
                return cast("Group", cast("Any", cls)(**given, members=here.members))
            self._made[id(here.tree)] = cast("Any", plain)(members=here.members)
            self._kept.append(here.tree)

    def _next(self, here: _Open) -> Mapping[str, Any] | None:
        """Add members to a group; return the first mapping that needs its own group first, or None."""
        while here.left:
            name, value = here.left[-1]
            mark = id(value)
            is_mapping = not is_spec(value) and isinstance(value, Mapping)
            bridge = bridge_of(value) if is_mapping else None
            if bridge is not None:
                here.members[name] = bridge.spec_of(value, self._family)
            elif is_mapping:
                if mark in self._above:
                    raise refuse(name, "a mapping that doesn't contain itself", "a mapping that does")
                if mark not in self._made:
                    return cast("Mapping[str, Any]", value)
                here.members[name] = self._made[mark]
            else:
                here.members[name] = self._member(value, name)
            here.left.pop()
        return None

    def _member(self, value: Any, name: str) -> Spec:
        if is_spec(value):
            return value
        if isinstance(value, (str, bytes)) or value is None:
            raise refuse(name, "a spec, an array or a mapping", value)
        array = cast("Any", self._family.classes["array"])
        return cast("Spec", array.from_array(value))


def _nested(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Split keys of `tree` into one name per level: `a/b` becomes a mapping in `a`."""
    nested: dict[str, Any] = {}
    own: set[str] = set()
    """The names of mappings that were created here, which may be extended."""
    for key, value in tree.items():
        first, *rest = parse_path(key) or ("",)
        if not rest and first not in nested:
            nested[first] = value
            continue
        below = nested.setdefault(first, {})
        if not rest and not (isinstance(below, Mapping) and isinstance(value, Mapping)):
            raise refuse(key, "one member for a path", "a second one")
        if not isinstance(below, Mapping):
            raise refuse(key, f"a mapping at {first!r}, with members", type(below).__name__)
        if first not in own:
            own.add(first)
            nested[first] = dict(cast("Mapping[str, Any]", below))
        nested[first].update({"/".join(rest): value} if rest else value)
    return nested
