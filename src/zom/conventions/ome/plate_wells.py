"""The wells of a plate: their indices and paths, and the groups of rows and wells.

https://ngff.openmicroscopy.org/0.5/#plate-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.checks.check import Breach, Site, Skip
from zom.conventions.ome.edition import lists
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.conventions.ome.edition import Edition, Judge
    from zom.formats.node_view import Node

__all__ = ["indices_in_range", "no_empty", "path_agrees"]


def _names(site: Site, key: str) -> list[Any]:
    found = site.scope.get(key) if is_dict(site.scope) else None
    return [line.get("name") if is_dict(line) else None for line in found] if is_list(found) else []


def _index(well: Any, key: str) -> int | None:
    found = well.get(key)
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if type(found) is int and found >= 0 else None


def indices_in_range(site: Site) -> Iterator[Breach]:
    """Check that indices of wells are within the lists of rows and columns."""
    if not is_dict(site.scope):
        return
    sizes = {"rowIndex": len(_names(site, "rows")), "columnIndex": len(_names(site, "columns"))}
    for place, well in lists(site.scope, "wells"):
        for key, size in sizes.items():
            index = _index(well, key)
            if index is not None and size and index >= size:
                what = "rows" if key == "rowIndex" else "columns"
                yield site.breach(
                    site.at("wells", place, key), f"less than {size}, the number of {what}", index
                )


def path_agrees(site: Site) -> Sequence[Breach]:
    """Check that the path of a well has the row and column names of its indices."""
    breaches = list(_disagreeing(site)) if is_dict(site.scope) else []
    if len(breaches) < 2 or 2 * len(breaches) <= len(list(lists(site.scope, "wells"))):
        return breaches
    # If most wells disagree, the rows or the columns are in another order.
    first = breaches[0]
    return (first._replace(found=f"{first.found}; {len(breaches) - 1} more disagree"),)


def _disagreeing(site: Site) -> Iterator[Breach]:
    rows, columns = _names(site, "rows"), _names(site, "columns")
    for place, well in lists(site.scope, "wells"):
        row, column, path = _index(well, "rowIndex"), _index(well, "columnIndex"), well.get("path")
        if row is None or column is None or not isinstance(path, str):
            continue
        if row >= len(rows) or column >= len(columns):
            continue
        names = (rows[row], columns[column])
        # Another rule reports missing names.
        if all(isinstance(name, str) for name in names) and path != "/".join(names):
            found = f"{show(path)} with rowIndex {row} and columnIndex {column}"
            yield site.breach(site.at("wells", place, "path"), show("/".join(names)), found)


def _has_images(edition: Edition, well: Node) -> bool:
    return any(edition.is_image(node) for node in well.groups.values())


def no_empty(edition: Edition) -> Judge:
    """Check that no group of a row or a well is without images."""

    def no_empty(site: Site, one: str) -> Iterator[Breach] | Skip:
        if site.node.members is None:
            return Skip("the members of the group are unknown")
        rows = {name for name in _names(site, "rows") if isinstance(name, str)}
        columns = {name for name in _names(site, "columns") if isinstance(name, str)}
        return _empty_groups(site, edition, one, (rows, columns))

    return no_empty


def _empty_groups(
    site: Site, edition: Edition, one: str, names: tuple[set[str], set[str]]
) -> Iterator[Breach]:
    for row in site.node.groups.values():
        if row.name not in names[0] or row.members is None:
            continue
        wells = [node for node in row.groups.values() if node.name in names[1]]
        empty = [node for node in wells if node.members is not None and not _has_images(edition, node)]
        if len(empty) == len(wells):
            # Report a row without images once, not each of its wells.
            if one == "row":
                yield site.breach((), "a row with images", "none", node=row)
        elif one == "well":
            for well in empty:
                yield site.breach((), "a well with images", "none", node=well)
