"""Plates: rows and columns of wells, as in high-content screening.

https://ngff.openmicroscopy.org/0.5/#plate-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from zom.conventions.framework.attributes import Part
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach, Site


__all__ = ["Acquisition", "Line", "Plate", "PlateWell", "no_names_by_case"]


def _like(regex: str, words: str) -> Any:
    """A string field with a pattern, which messages describe in words."""
    return Field(pattern=regex, description=words, json_schema_extra={"x-words": True})


Name = Annotated[str, _like("^[A-Za-z0-9]+$", "a name of letters A to Z, a to z and digits")]
Count = Annotated[int, Field(gt=0)]
Time = Annotated[int, Field(ge=0)]


class Line(Part):
    """A row or a column."""

    name: Name


class PlateWell(Part):
    """The path and the indices of a well."""

    path: Annotated[str, _like("^[A-Za-z0-9]+/[A-Za-z0-9]+$", "the names of a row and a column, joined by /")]
    row_index: int = Field(alias="rowIndex", ge=0)
    column_index: int = Field(alias="columnIndex", ge=0)


class Acquisition(Part):
    """One acquisition run."""

    id: int = Field(ge=0)
    name: str = ""
    description: str = ""
    maximumfieldcount: Count = 1
    starttime: Time = 0
    endtime: Time = 0


class Plate(Part):
    """A plate."""

    rows: list[Line] = Field(min_length=1)
    columns: list[Line] = Field(min_length=1)
    wells: list[PlateWell] = Field(min_length=1)
    acquisitions: list[Acquisition] = Field(default=[])
    name: str = ""
    field_count: Count = 1


def no_names_by_case(site: Site) -> Iterator[Breach]:
    """Check that names of rows or columns differ by more than case."""
    seen: dict[str, str] = {}
    for place, line in enumerate(site.scope if is_list(site.scope) else ()):
        name = line.get("name") if is_dict(line) else None
        if isinstance(name, str):
            first = seen.setdefault(name.casefold(), name)
            if first != name:
                yield site.breach(
                    site.at(place, "name"),
                    f"a name that differs from {show(first)} by more than case",
                    show(name),
                )
