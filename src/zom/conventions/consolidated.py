"""Consolidated metadata: a group's copy of the documents below it, which readers may use instead.

Zarr v3: https://github.com/zarr-developers/zarr-specs/pull/309, in the group's own document. The `.zmetadata`
of Zarr v2 is beside that document; zom reads it from a store as if it were inside.
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
    from collections.abc import Container, Iterator, Mapping

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
    """Detect a block with entries; the model reports a block that is null or of another form."""
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
        for name in _differ(node, entry):
            expected = f"{show(mine[name]) if name in mine else 'nothing'}, as in {node.path}"
            found = show(entry[name]) if name in entry else "nothing"
            place = (_BLOCK, "metadata", path, name)
            yield site.breach(
                place,
                expected,
                found,
                related=(node,),
                cause=(path, site.node.path),
                copied=(node.path, (name,)),
            )


def _is_complete(site: Site) -> Iterator[Breach] | Skip:
    entries = _entries(site.node)
    return _NO_ENTRIES if entries is None else _missing(site, entries)


def _missing(site: Site, entries: Mapping[str, Any]) -> Iterator[Breach]:
    absent = _absent(site.node, entries)
    ghosts = _ghosts_among(site.node, entries) if absent else {}
    # A renamed node is reported once, at the entry with its old name.
    renamed = {*_renamed(ghosts, entries, absent).values()}
    for path, node in absent.items():
        highest = _highest(path, absent)
        if highest not in renamed:
            place = (_BLOCK, "metadata", path)
            expected = "an entry for each node below"
            yield site.breach(place, expected, "nothing", related=(node,), cause=(highest, site.node.path))


def _absent(group: Node, entries: Mapping[str, Any]) -> dict[str, Node]:
    """The nodes below a group that have no entry, by relative path."""
    start = len(group.path.rstrip("/")) + 1
    known = {path.strip("/") for path in entries}
    return {
        path: node for node in group.walk() if node is not group and (path := node.path[start:]) not in known
    }


def _highest(path: str, known: Container[str]) -> str:
    """The first known path that leads to this one: a group is added or deleted with its descendants."""
    above = (path[:place] for place, letter in enumerate(path) if letter == "/")
    return next((each for each in above if each in known), path)


def _renamed(
    ghosts: Mapping[str, None], entries: Mapping[str, Any], absent: Mapping[str, Node]
) -> dict[str, str]:
    """The new names of renamed nodes: those without an entry that match a ghost and its descendants."""
    if not ghosts or not absent:
        return {}
    left = _by_looks({path: node.document for path, node in absent.items()})
    pairs = (
        pair
        for looks, paths in _by_looks({path: entries[path] for path in ghosts}).items()
        for pair in zip(paths, left.get(looks, ()), strict=False)
    )
    return {old: new for old, new in pairs if not _differ(absent[new], entries[old])}


def _by_looks(documents: Mapping[str, Any]) -> dict[tuple[str, ...], list[str]]:
    """The highest of the paths, grouped by their shape and the paths below them."""
    below: dict[str, list[str]] = {}
    for path in documents:
        highest = _highest(path, documents)
        below.setdefault(highest, []).append(path.removeprefix(highest))
    found: dict[tuple[str, ...], list[str]] = {}
    for highest, inner in below.items():
        document = documents[highest]
        shape = show(document.get("shape")) if is_dict(document) else ""
        found.setdefault((shape, *sorted(inner)), []).append(highest)
    return found


def _differ(node: Node, entry: Any) -> list[str]:
    """The members that differ between a node and an entry."""
    mine = node.document
    if not is_dict(entry) or mine.get("node_type") != entry.get("node_type"):
        return ["node_type"]
    # zarr-python nests an empty block in the entry of each group.
    return differing_members(_FAMILIES[node.form], mine, entry, ignore=(_BLOCK, "members"))


def _has_no_ghosts(site: Site) -> Iterator[Breach] | Skip:
    entries = _entries(site.node)
    if entries is None:
        return _NO_ENTRIES
    if site.node.members is None:
        return Skip("the members of the group are unknown")
    return _ghosts(site, entries)


def _ghosts(site: Site, entries: Mapping[str, Any]) -> Iterator[Breach]:
    ghosts = _ghosts_among(site.node, entries)
    renamed = _renamed(ghosts, entries, _absent(site.node, entries)) if ghosts else {}
    for path in ghosts:
        instead = f", and no entry for {show(renamed[path])}, which is the same" if path in renamed else ""
        yield site.breach(
            (_BLOCK, "metadata", path),
            "an entry for a node that exists",
            f"no node at {show(path)}{instead}",
            cause=(_highest(path, ghosts), site.node.path),
        )


def _ghosts_among(group: Node, entries: Mapping[str, Any]) -> dict[str, None]:
    """The paths of entries without a node."""
    return dict.fromkeys(path for path in entries if _is_ghost(group, path))


def _is_ghost(group: Node, path: str) -> bool:
    """Whether `path` has no node. In Zarr v3, the group itself has no entry: its document holds the block."""
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
                "each entry of the consolidated metadata equals the node's own document",
                "consolidate again: readers that use the copy see different metadata",
            ),
            _must(
                "complete",
                _is_complete,
                "the consolidated metadata has an entry for each node below the group",
                "consolidate again: readers that use the copy silently skip the node",
            ),
            _must(
                "no-ghosts",
                _has_no_ghosts,
                "each entry of the consolidated metadata is for a node that exists",
                "consolidate again: readers that use the copy see a node that does not exist",
            ),
        ),
    )
)
"""Consolidated metadata of Zarr v3 and v2."""
