"""Groups from nested mappings: specs, arrays, and mappings that stand for groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from zom.model.chunking import refuse
from zom.model.spec import Spec
from zom.paths import parse_path

if TYPE_CHECKING:
    from zom.model.family import Family
    from zom.model.group import Group

__all__ = ["group_of"]


def group_of(cls: type[Group], tree: Mapping[str, Any], attributes: Any = None) -> Group:
    """The group of `cls` that `tree` describes.

    >>> from zom import v3
    >>> list(group_of(v3.GroupSpec, {"a": {}}).members)
    ['a']
    """
    nested = _nested(tree)
    members = {name: _member(value, cls.family, name) for name, value in nested.items()}
    given = {} if attributes is None else {"attributes": attributes}
    return cast("Group", cast("Any", cls)(**given, members=members))


def _nested(tree: Mapping[str, Any]) -> dict[str, Any]:
    """`tree` with keys of one name each: `a/b` becomes a mapping in `a`."""
    nested: dict[str, Any] = {}
    for key, value in tree.items():
        first, *rest = parse_path(key) or ("",)
        if not rest:
            if isinstance(nested.get(first), dict) and isinstance(value, Mapping):
                nested[first].update(value)
            elif first in nested:
                raise refuse(key, "one member for a path", "a second one")
            else:
                nested[first] = (
                    dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value
                )
            continue
        below = nested.setdefault(first, {})
        if not isinstance(below, dict):
            raise refuse(key, f"a mapping under {first!r}, to hold members", type(below).__name__)
        below["/".join(rest)] = value
    return nested


def _member(value: Any, family: Family, name: str) -> Spec:
    if isinstance(value, Spec):
        return value
    if isinstance(value, Mapping):
        return group_of(cast("type[Group]", family.classes["group"]), cast("Mapping[str, Any]", value))
    if isinstance(value, (str, bytes)) or value is None:
        raise refuse(name, "a spec, an array or a mapping", value)
    array = cast("Any", family.classes["array"])
    return cast("Spec", array.from_array(value))
