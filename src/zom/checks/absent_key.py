"""A key that isn't there: what to say was found instead, and where it stands under a misspelt name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.misspelling import slip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats.node_view import Node
    from zom.problems import Path

__all__ = ["AbsentKey", "absent_key"]


class AbsentKey(NamedTuple):
    """What was found, and the slip of a breach: the path of the node, and that of the misspelt key."""

    found: str
    slip: tuple[str, Path] | None


def absent_key(key: str, node: Node, place: Path, holder: Mapping[str, object]) -> AbsentKey:
    """What there is instead of a key of the holder, an object that stands at a place of the node.

    >>> from zom.formats.node_view import attributes_node
    >>> node = attributes_node({"lables": []})
    >>> absent_key("labels", node, ("attributes",), node.attributes)
    AbsentKey(found="nothing, but 'lables'", slip=('/', ('attributes', 'lables')))
    """
    written = slip(key, holder)
    if written is None:
        return AbsentKey("nothing", None)
    return AbsentKey(f"nothing, but {written!r}", (node.path, (*place, written)))
