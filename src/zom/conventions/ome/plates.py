"""Plates: rows and columns of wells, as high-content screening has them.

https://ngff.openmicroscopy.org/0.5/#plate-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from zom.checks.check import Breach, Site, python
from zom.checks.checked_rule import CheckedRule, schema
from zom.checks.values import required, unique
from zom.conventions.framework.attributes import Part
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition

__all__ = [
    "Acquisition",
    "Line",
    "Plate",
    "PlateWell",
    "acquisition_rules",
    "plate_rules",
]

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+$")]
Count = Annotated[int, Field(gt=0)]
Time = Annotated[int, Field(ge=0)]


class Line(Part):
    """A row or a column."""

    name: Name


class PlateWell(Part):
    """Where a well is."""

    path: Annotated[str, Field(pattern=r"^[A-Za-z0-9]+/[A-Za-z0-9]+$")]
    row_index: int = Field(alias="rowIndex", ge=0)
    column_index: int = Field(alias="columnIndex", ge=0)


class Acquisition(Part):
    """One run of taking images."""

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


def plate_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on what a plate tells of itself, its rows, columns and wells."""
    link = edition.link("plate-md")
    plate = edition.at("plate")
    return (
        CheckedRule(
            "plate",
            schema(),
            must=f"`{plate}` is an object",
            fix="write it as an object",
            source="both",
            each=plate,
            link=link,
        ),
        *(
            CheckedRule(
                f"plate-{key}",
                schema(),
                must=f"A plate has `{key}`, a list of one or more objects",
                fix=f"list the {key} of the plate",
                source="both",
                each=f"{plate}.{key}",
                link=link,
            )
            for key in ("rows", "columns", "wells")
        ),
        *_line_rules(edition, "row", "rows"),
        *_line_rules(edition, "column", "columns"),
        *(
            CheckedRule(
                "plate-distinct",
                unique(f".{key}[*]"),
                must="No two rows, columns or wells are the same",
                fix="remove what is there twice",
                source="schema",
                each=plate,
                link=edition.schema("plate"),
            )
            for key in ("rows", "columns", "wells")
        ),
        CheckedRule(
            "plate-name",
            required(".name"),
            should="A plate has a `name`",
            fix="name the plate",
            source="both",
            each=plate,
            link=link,
            advice=True,
        ),
        CheckedRule(
            "plate-name-string",
            schema(),
            must="The `name` of a plate is a string",
            fix="write the name as a string",
            source="both",
            each=f"{plate}.name",
            link=link,
        ),
        CheckedRule(
            "plate-field-count",
            schema(),
            must="The `field_count` of a plate is a positive integer",
            fix="write how many fields of view a well has at most",
            source="both",
            each=f"{plate}.field_count",
            link=link,
        ),
    )


def _line_rules(edition: Edition, one: str, key: str) -> tuple[CheckedRule, ...]:
    link = edition.link("plate-md")
    plate = edition.at("plate")
    return (
        CheckedRule(
            f"plate-{one}-name",
            schema(),
            must=f"Each {one} has a `name` of letters A to Z, a to z and digits only",
            fix=f"name the {one} by letters and digits",
            source="both",
            each=f"{plate}.{key}[*].name",
            link=link,
        ),
        CheckedRule(
            f"plate-{one}-unique",
            unique(f".{key}[*].name"),
            must=f"No two {key} have the same `name`",
            fix=f"give each {one} a name of its own",
            each=plate,
            link=link,
        ),
        CheckedRule(
            f"plate-{one}-case",
            python(_no_names_by_case),
            should=f"The names of {key} differ by more than upper and lower case",
            fix=f"rename one of the two {key}: some file systems take them for the same",
            each=f"{plate}.{key}",
            link=link,
        ),
    )


def _no_names_by_case(site: Site) -> Iterator[Breach]:
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


def acquisition_rules(edition: Edition) -> tuple[CheckedRule, ...]:
    """The rules on the acquisitions of a plate."""
    link = edition.link("plate-md")
    listed = f"{edition.at('plate')}.acquisitions"
    each = f"{listed}[*]"
    forms = (
        (
            "id",
            ("id",),
            "Each acquisition has an `id`, an integer of 0 or more",
            "number the acquisitions from 0",
        ),
        (
            "texts",
            ("name", "description"),
            "The `name` and the `description` of an acquisition are strings",
            "write them as strings",
        ),
        (
            "count",
            ("maximumfieldcount",),
            "The `maximumfieldcount` of an acquisition is a positive integer",
            "write how many fields of view it has at most",
        ),
        (
            "times",
            ("starttime", "endtime"),
            "The `starttime` and the `endtime` of an acquisition are integers of 0 or more, counted since the Epoch",
            "write the time as a number since 1970-01-01",
        ),
    )
    return (
        CheckedRule(
            "plate-acquisitions",
            schema(),
            must="`acquisitions` is a list of objects",
            fix="list the acquisitions as objects, or leave the list out",
            source="both",
            each=listed,
            link=link,
        ),
        *(
            CheckedRule(
                f"plate-acquisition-{name}",
                schema(),
                must=text,
                fix=fix,
                source="both",
                each=f"{each}.{key}",
                link=link,
            )
            for name, keys, text, fix in forms
            for key in keys
        ),
        CheckedRule(
            "plate-acquisition-unique",
            unique(".[*].id"),
            must="No two acquisitions have the same `id`",
            fix="give each acquisition an id of its own",
            each=listed,
            link=link,
        ),
        CheckedRule(
            "plate-acquisition-name",
            required(".name"),
            should="Each acquisition has a `name`",
            fix="name the acquisition",
            source="both",
            each=each,
            link=link,
            advice=True,
        ),
        CheckedRule(
            "plate-acquisition-fields",
            required(".maximumfieldcount"),
            should="Each acquisition has a `maximumfieldcount`",
            fix="write how many fields of view it has at most",
            source="both",
            each=each,
            link=link,
            advice=True,
        ),
    )
