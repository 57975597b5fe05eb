"""Consolidated metadata: the copy that a group holds of the documents below it, and that readers may use instead.

Zarr v3: https://github.com/zarr-developers/zarr-specs/pull/309, in the group's own document. The `.zmetadata`
of Zarr v2 stands beside it; in a store, it is seen as if it stood there, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule
from zom.conventions.framework.convention import Convention
from zom.conventions.framework.registered import register
from zom.formats.families import V2, V3
from zom.formats.node_view import Node
from zom.json.python_value import is_dict
from zom.model.same_document import differing_members
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["CONSOLIDATED"]

_LINK: Final = "https://github.com/zarr-developers/zarr-specs/pull/309"
_FAMILIES: Final = {"v2": V2, "v3": V3}
_BLOCK: Final = "consolidated_metadata"
_NO_ENTRIES: Final = Skip("the consolidated metadata has no entries by path")


def _entries(node: Node) -> Mapping[str, Any] | None:
    block = node.document.get(_BLOCK)
    found = block.get("metadata") if is_dict(block) else None
    return found if is_dict(found) else None


def _found_at(node: Node) -> str | None:
    """A block that is null or of another form is the model's business."""
    return f"has {_BLOCK}" if _entries(node) is not None else None


def _say_the_same(site: Site) -> Iterator[Breach] | Skip:
    entries = _entries(site.node)
    return _NO_ENTRIES if entries is None else _differing(site, entries)


def _differing(site: Site, entries: Mapping[str, Any]) -> Iterator[Breach]:
    for path, entry in entries.items():
        node = site.node.at(path)
        if not isinstance(node, Node) or (node is site.node and node.form == "v3") or not is_dict(entry):
            continue
        mine = node.document
        if mine.get("node_type") != entry.get("node_type"):
            names = ["node_type"]
        else:
            # zarr-python nests an empty block in the entry of each group.
            names = differing_members(_FAMILIES[node.form], mine, entry, ignore=(_BLOCK, "members"))
        for name in names:
            expected = f"{show(mine[name]) if name in mine else 'nothing'}, as in {node.path}"
            found = show(entry[name]) if name in entry else "nothing"
            yield site.breach((_BLOCK, "metadata", path, name), expected, found, related=(node,))


def _is_complete(site: Site) -> Iterator[Breach] | Skip:
    entries = _entries(site.node)
    return _NO_ENTRIES if entries is None else _missing(site, entries)


def _missing(site: Site, entries: Mapping[str, Any]) -> Iterator[Breach]:
    start = len(site.node.path.rstrip("/")) + 1
    known = {path.strip("/") for path in entries}
    for node in site.node.walk():
        path = node.path[start:]
        if node is not site.node and path not in known:
            yield site.breach(
                (_BLOCK, "metadata", path), "an entry for each node below", "nothing", related=(node,)
            )


def _has_no_ghosts(site: Site) -> Iterator[Breach] | Skip:
    entries = _entries(site.node)
    if entries is None:
        return _NO_ENTRIES
    if site.node.members is None:
        return Skip("the members of the group are not known")
    return (
        site.breach((_BLOCK, "metadata", path), "an entry of a node that exists", f"no node at {show(path)}")
        for path in entries
        if _is_ghost(site.node, path)
    )


def _is_ghost(group: Node, path: str) -> bool:
    """Whether no node lies there; the group itself has no entry in Zarr v3, where the block is in its document."""
    node = group.at(path)
    return node is None or (node is group and group.form == "v3")


def _must(name: str, check: Any, text: str, fix: str) -> CheckedRule:
    return CheckedRule(name, python(check), must=text, fix=fix, link=_LINK, on="group")


CONSOLIDATED: Final = register(
    Convention(
        id="consolidated",
        title="Consolidated metadata",
        link=_LINK,
        on=("group",),
        formats=("v2", "v3"),
        detect=_found_at,
        rules=(
            _must(
                "equal",
                _say_the_same,
                "each entry of the consolidated metadata says what the node's own document says",
                "consolidate again: readers that use the copy see something else than the array is",
            ),
            _must(
                "complete",
                _is_complete,
                "the consolidated metadata has an entry for each node below the group",
                "consolidate again: readers that use the copy leave the node out in silence",
            ),
            _must(
                "no-ghosts",
                _has_no_ghosts,
                "each entry of the consolidated metadata is of a node that exists",
                "consolidate again: readers that use the copy see a node that isn't there",
            ),
        ),
    )
)
"""Consolidated metadata, of Zarr v3 and v2."""
