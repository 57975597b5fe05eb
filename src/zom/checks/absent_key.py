"""A missing key: the text of what was found instead, and the place of a misspelt key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.misspelling import slip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats.node_view import Node
    from zom.problems import Path

__all__ = ["AbsentKey", "absent_key"]


class AbsentKey(NamedTuple):
    """The `found` text and the `slip` of a breach: the path of the node, and that of the misspelt key."""

    found: str
    slip: tuple[str, Path] | None


def absent_key(key: str, node: Node, place: Path, holder: Mapping[str, object]) -> AbsentKey:
    """What was found instead of `key` in `holder`, the object at `place` in the node's document.

    >>> from zom.formats.node_view import attributes_node
    >>> node = attributes_node({"lables": []})
    >>> absent_key("labels", node, ("attributes",), node.attributes)
    AbsentKey(found="nothing, but 'lables'", slip=('/', ('attributes', 'lables')))
    """
    written = slip(key, holder)
    if written is None:
        return AbsentKey("nothing", None)
    return AbsentKey(f"nothing, but {written!r}", (node.path, (*place, written)))
