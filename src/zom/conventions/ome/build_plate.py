"""Build OME-Zarr plates: rows and columns of wells, each with its fields of view."""

from __future__ import annotations

from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from zom.conventions.ome.build import Version, group_of, metadata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["plate"]


def plate(  # noqa: PLR0913 - each is a choice of the caller's
    rows: int | Sequence[str],
    columns: int | Sequence[str],
    wells: Iterable[str] | None = None,
    *,
    field: Any | Callable[[str, int], Any],
    fields: int = 1,
    name: str = "plate",
    acquisitions: Sequence[Mapping[str, Any]] = (),
) -> Any:
    """The spec of a plate: every well, or those in `wells` such as "B/3", each with `fields` fields of view.

    `field` is the image of each field of view, as `image` makes it, or a function from a well and a number to
    the image. Rows and columns are names or counts: A, B ... and 1, 2 ... With several `acquisitions`, such
    as {"id": 0, "name": "first"}, each well has `fields` fields in each of them.

    >>> from zom.conventions.ome.build import image
    >>> spec = plate(2, 3, ["A/1", "B/3"], field=image("yx", (8, 8)), fields=2)
    >>> list(spec.members), list(spec.members["B"].members["3"].members)
    (['A', 'B'], ['0', '1'])
    >>> from zom import validate
    >>> list(validate(spec, conventions=["ome/0.5"]))
    []
    """
    of_rows = [_letters(place) for place in range(rows)] if isinstance(rows, int) else list(rows)
    of_columns = [str(place + 1) for place in range(columns)] if isinstance(columns, int) else list(columns)
    paths = [f"{row}/{column}" for row in of_rows for column in of_columns] if wells is None else list(wells)
    made = [_well(path, of_rows, of_columns) for path in paths]
    sessions = [{"maximumfieldcount": fields, "name": f"{each['id']}", **each} for each in acquisitions]
    version: Version | None = None
    members: dict[str, dict[str, Any]] = {}
    for path in paths:
        row, _, column = path.partition("/")
        group, version = _filled(path, field, fields, sessions)
        members.setdefault(row, {})[column] = group
    if version is None:
        raise ValueError("wells: expected at least one, got none")
    metadata = {
        "name": name,
        "rows": [{"name": each} for each in of_rows],
        "columns": [{"name": each} for each in of_columns],
        "wells": made,
        "field_count": fields * max(len(sessions), 1),
        **({"acquisitions": sessions} if sessions else {}),
        **({"version": version} if version != "0.6" else {}),
    }
    below = {row: group_of(None, inner, version) for row, inner in members.items()}
    return group_of({"plate": metadata}, below, version)


def _letters(place: int) -> str:
    """The name of a row: A to Z, then AA to AZ and so on, as in large plates."""
    name = ascii_uppercase[place % 26]
    while place := place // 26:
        place -= 1
        name = ascii_uppercase[place % 26] + name
    return name


def _well(path: str, rows: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    row, _, column = path.partition("/")
    if row not in rows or column not in columns:
        raise ValueError(
            f"wells: expected a row, a slash and a column, such as {rows[0]}/{columns[0]}, got {path!r}"
        )
    return {"path": path, "rowIndex": rows.index(row), "columnIndex": columns.index(column)}


def _filled(
    path: str, field: Any | Callable[[str, int], Any], fields: int, sessions: Sequence[Mapping[str, Any]]
) -> tuple[Any, Version]:
    """A well with its fields of view."""
    listed: list[dict[str, Any]] = []
    members: dict[str, Any] = {}
    version: Version = "0.5"
    for session in sessions or [{}]:
        for _ in range(fields):
            number = len(members)
            spec = field(path, number) if callable(field) else field
            _, version = metadata_of(spec)
            members[str(number)] = spec
            listed.append({"path": str(number), **({"acquisition": session["id"]} if session else {})})
    said = {"version": version} if version != "0.6" else {}
    return group_of({"well": {"images": listed, **said}}, members, version), version
