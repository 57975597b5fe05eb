"""A hierarchy as a list of facts, one entry for each node: what programs read instead of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.formats.resolve import resolve
from zom.model.output import member_specs
from zom.model.tree import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats.resolved import Lengths
    from zom.model.spec import Spec

__all__ = ["listing"]


def listing(
    spec: Spec, *, depth: int | None = None, broken: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """The nodes of `spec`, down to `depth` levels below it; what can't be told is None.

    `broken` says of nodes, by path, why they can't be read: of some that are not in the spec, too.

    >>> from zom import v3
    >>> tree = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=2)})
    >>> [entry["path"] for entry in listing(tree)], listing(tree)[1]["chunks"]
    (['/', '/t'], [2])
    """
    reasons = dict(broken or {})
    entries: list[dict[str, Any]] = []
    for path, node in walk(spec):
        if depth is None or _level(path) <= depth:
            reason = reasons.pop(path, None)
            entry = _entry(path, node)
            entries.append(entry if reason is None else {**entry, "error": reason})
    kept = [path for path in reasons if depth is None or _level(path) <= depth]
    form = spec.family.form
    entries.extend({"path": path, "format": form, "kind": None, "error": reasons[path]} for path in kept)
    return entries


def _level(path: str) -> int:
    """How many levels below the root a node is."""
    return 0 if path == "/" else path.count("/")


def _entry(path: str, node: Spec) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": path, "format": node.family.form, "kind": node.kind}
    if node.kind != "array":
        members = member_specs(node)
        return {**entry, "members": None if members is None else list(members)}
    view = resolve(node)
    return {
        **entry,
        "data_type": view.type_name,
        "shape": list(view.shape),
        "dimension_names": None if view.names is None else list(view.names),
        "chunks": _lengths(view.chunks),
        "shards": _lengths(view.shards),
        "codecs": [codec.name for codec in view.codecs],
        "fill_value": view.fill_value,
    }


def _lengths(lengths: Lengths | None) -> list[Any] | None:
    """One length for each dimension, or all of them where chunks differ."""
    if lengths is None:
        return None
    return [choices[0] if len(choices) == 1 else list(choices) for choices in lengths]
