"""A hierarchy as a list with one entry for each node, for programs."""

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
    """List the nodes of `spec`, down to `depth` levels below it; unknown values are None.

    `broken` has the reasons why nodes are unreadable, by path, including nodes that are not in the spec.

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
    """Return the number of levels between the root and a node."""
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
    """Return one length for each dimension, or a list if chunks differ."""
    if lengths is None:
        return None
    return [choices[0] if len(choices) == 1 else list(choices) for choices in lengths]
