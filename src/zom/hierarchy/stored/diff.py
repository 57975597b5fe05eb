"""Comparing hierarchies wherever they are: specs, stores, or one of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.declaration.declaration import Declaration
from zom.hierarchy.stored.open_node import OpenNode
from zom.hierarchy.stored.read import read
from zom.model import compare
from zom.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.hierarchy.stored.read import OnError
    from zom.model.compare import Difference
    from zom.stores.opening import Place

__all__ = ["Side", "diff", "spec_at"]

Side: TypeAlias = "Spec | Declaration | OpenNode | Place"
"""A hierarchy: a spec, a declaration, a handle, a store, or a path or URL of one."""


def diff(
    left: Side, right: Side, ignore: str | Iterable[str] = (), *, on_error: OnError = "raise"
) -> Difference:
    """What must change in `left` to make it mean what `right` does.

    Either may be a spec, a declaration, a store, a path or URL of one, or a handle. `ignore` are JSON pointers, as in
    `Spec.diff`. Nodes that can't be read raise, or are left out with a warning (`on_error="skip"`).

    >>> import zom
    >>> from zom import v3
    >>> group = zom.create_group("memory:", v3.GroupSpec(attributes={"a": 1}))
    >>> print(zom.diff(group, v3.GroupSpec(attributes={"a": 2}, members={})))
    ~ /: attributes.a: 1 -> 2
    """
    return compare.diff(spec_at(left, on_error=on_error), spec_at(right, on_error=on_error), ignore)


def spec_at(side: Side, *, on_error: OnError = "raise") -> Spec:
    """The spec of what lies there, with all its members.

    >>> import zom
    >>> spec_at(zom.create_group("memory:", zom.v3.GroupSpec())).members
    {}
    """
    if isinstance(side, Spec):
        return side
    if isinstance(side, Declaration):
        return cast("Spec", side.spec)
    store, path = (side.store, side.path) if isinstance(side, OpenNode) else (side, "")
    found: Any = read(store, path, on_error=on_error)
    return cast("Spec", found)
