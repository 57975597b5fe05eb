"""The tables of SpatialData: AnnData groups that name the elements their rows annotate.

https://spatialdata.scverse.org/en/stable/design_doc.html#table-table-of-annotations-for-regions
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import NOT_READ, Breach, Site, Skip
from zom.conventions.spatialdata.container import elements_of
from zom.conventions.spatialdata.elements import metadata_of, role_of
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.rulebook import Functions
    from zom.formats.node_view import Node

__all__ = ["TABLE_CHECKS"]

_KEYS: Final = ("region", "region_key", "instance_key")
_NO_TABLE: Final = Skip("no table that names the elements it annotates")


def _said(node: Node) -> dict[str, Any]:
    """The keys of a table that name the elements it annotates; null counts as missing."""
    if role_of(node) != "tables":
        return {}
    return {key: node.attributes[key] for key in _KEYS if node.attributes.get(key) is not None}


def _all_or_none(site: Site) -> Iterator[Breach] | Skip:
    said = _said(site.node)
    if not said:
        return _NO_TABLE
    return (
        site.breach(("attributes", key), f"a value beside {', '.join(said)}", "nothing")
        for key in _KEYS
        if key not in said
    )


def _regions(node: Node) -> list[tuple[tuple[str | int, ...], Any]]:
    region = _said(node).get("region")
    if is_list(region):
        return [(("attributes", "region", place), each) for place, each in enumerate(region)]
    return [] if region is None else [(("attributes", "region"), region)]


def _regions_there(site: Site) -> Iterator[Breach] | Skip:
    regions = _regions(site.node)
    group = site.node.parent
    container = None if group is None else group.parent
    if not regions or container is None:
        return Skip("no table in a container that names elements")
    known = [node.name for role, node in elements_of(container) if role != "tables"]
    return (
        site.breach(
            path,
            "the name of an element",
            show(each),
            fix=did_you_mean(near(each, known)),
            related=_listing(container, each),
        )
        for path, each in regions
        if each not in known
    )


def _listing(container: Node, name: object) -> tuple[Node, ...]:
    """The group of label images if it lists that name."""
    group = (container.members or {}).get("labels")
    listed = None if group is None else metadata_of(group)[1].get("labels")
    return (group,) if group is not None and is_list(listed) and name in listed else ()


def _columns_there(site: Site) -> Iterator[Breach] | Skip:
    said = _said(site.node)
    keys = {key: said[key] for key in _KEYS[1:] if key in said}
    if not keys:
        return _NO_TABLE
    frame = (site.node.members or {}).get("obs")
    if frame is None or frame.members is None:
        return NOT_READ
    columns = list(frame.members)
    return (
        site.breach(
            ("attributes", key),
            f"a column of {frame.path}",
            show(name),
            fix=did_you_mean(near(name, columns)),
            related=[frame],
        )
        for key, name in keys.items()
        if name not in columns
    )


TABLE_CHECKS: Final[Functions] = {
    "table-keys": _all_or_none,
    "table-regions": _regions_there,
    "table-columns": _columns_there,
}
