"""Axes: the dimensions of an image, each with a name, a type and a unit.

https://ngff.openmicroscopy.org/0.5/#axes-md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, python
from zom.checks.checked_rule import CheckedRule, is_value, schema
from zom.checks.values import count, one_of, required, sequence, unique
from zom.conventions.framework.attributes import Part
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.ome.edition import Edition

__all__ = ["LENGTHS", "TIMES", "Axis", "axes_form", "axes_order", "axes_units", "kind_of"]

_PREFIXES: Final = [
    "yocto",
    "zepto",
    "atto",
    "femto",
    "pico",
    "nano",
    "micro",
    "milli",
    "centi",
    "deci",
    "hecto",
    "kilo",
    "mega",
    "giga",
    "tera",
    "peta",
    "exa",
    "zetta",
    "yotta",
]
LENGTHS: Final = sorted(
    ["angstrom", "foot", "inch", "meter", "mile", "parsec", "yard", *(f"{each}meter" for each in _PREFIXES)]
)
"""The units of axes of space."""
TIMES: Final = sorted(["day", "hour", "minute", "second", *(f"{each}second" for each in _PREFIXES)])
"""The units of axes of time."""


class Axis(Part):
    """A dimension."""

    name: str
    type: str = ""
    unit: Any = None


def kind_of(axis: object) -> str | None:
    """The type of an axis; None where it has none.

    >>> kind_of({"name": "x", "type": "space"}), kind_of({"name": "x"})
    ('space', None)
    """
    found = axis.get("type") if is_dict(axis) else None
    return found if isinstance(found, str) else None


def _axes_of(site: Site) -> list[Any]:
    found = site.scope.get("axes") if is_dict(site.scope) else None
    return found if is_list(found) else []


def axes_form(edition: Edition, holder: str) -> tuple[CheckedRule, ...]:
    """The rules on the presence, number, names and types of the axes that what `holder` selects has."""
    link = edition.link("axes-md")
    image = edition.link("multiscale-md")
    published = edition.schema("image")
    axis = f"{holder}.axes[*]"
    return (
        CheckedRule(
            "axes",
            schema(),
            must="An image has `axes`, a list of objects",
            fix="add `axes` with an object for each dimension",
            source="both",
            each=f"{holder}.axes",
            link=link,
        ),
        CheckedRule(
            "axes-count",
            count(".axes[*]", minimum=2, maximum=5),
            must="An image has 2 to 5 axes",
            fix="describe each dimension of the arrays by one axis",
            source="both",
            each=holder,
            link=image,
        ),
        CheckedRule(
            "axes-name",
            schema(),
            must="Each axis has a `name`, a string",
            fix="name the axis",
            source="both",
            each=f"{axis}.name",
            link=link,
        ),
        CheckedRule(
            "axes-unique",
            unique(".axes[*].name"),
            must="No two axes of an image have the same name",
            fix="give each axis a name of its own",
            each=holder,
            link=link,
        ),
        CheckedRule(
            "axes-distinct",
            unique(".axes[*]"),
            must="No two axes of an image are the same",
            fix="remove the axis that is there twice",
            source="schema",
            each=holder,
            link=published,
        ),
        CheckedRule(
            "axes-type-string",
            schema(),
            must="The `type` of an axis is a string",
            fix="write the type as a string, or leave it out",
            source="both",
            each=f"{axis}.type",
            link=link,
        ),
        CheckedRule(
            "axes-type",
            required(".axes[*].type"),
            should="Each axis has a `type`",
            fix='add the type: "space", "time", "channel" or one of your own',
            each=holder,
            link=link,
            advice=True,
        ),
        CheckedRule(
            "axes-type-known",
            one_of(["space", "time", "channel"], at=".axes[*].type"),
            should='The `type` of an axis is "space", "time" or "channel"',
            fix="write one of these types, where it fits",
            each=holder,
            link=link,
        ),
    )


def axes_order(edition: Edition, holder: str) -> tuple[CheckedRule, ...]:
    """The rules on how many axes there are of each type, and in which order."""
    link = edition.link("multiscale-md")
    return (
        CheckedRule(
            "axes-space",
            count(".axes[*].type", values=["space"], minimum=2, maximum=3),
            must='Two or three axes are of type "space"',
            fix='give the two or three axes of space "type": "space"',
            each=holder,
            link=link,
        ),
        CheckedRule(
            "axes-space-or-untyped",
            python(_two_or_three_of_space),
            must='Two or three axes are of type "space" or have no type',
            fix="give each axis its type",
            source="schema",
            each=holder,
            link=edition.schema("image"),
        ),
        CheckedRule(
            "axes-time",
            count(".axes[*].type", values=["time"], maximum=1),
            must='At most one axis is of type "time"',
            fix="keep one axis of time",
            each=holder,
            link=link,
        ),
        CheckedRule(
            "axes-channel",
            python(_one_of_another_type),
            must='At most one axis is of type "channel", of a type of your own or of none',
            fix="keep one such axis",
            each=holder,
            link=link,
        ),
        CheckedRule(
            "axes-order",
            sequence(".axes[*]", "type", [["time"], ["*"], ["space"]]),
            must="The axis of time comes first, then the channel or an axis of another type, then those of space",
            fix="put the axes, and the dimensions of the arrays, into the order time, channel, space",
            each=holder,
            link=link,
        ),
        CheckedRule(
            "axes-zyx",
            python(_space_in_order),
            should="Axes of space called z, y and x come in this order",
            fix="put the axes, and the dimensions of the arrays, into the order z, y, x",
            each=holder,
            link=link,
        ),
    )


def axes_units(edition: Edition, holder: str) -> tuple[CheckedRule, ...]:
    """The rules on the units of the axes of space and time.

    The text asks for a unit of every axis, and gives names for these two types only; in its own examples
    a channel has none.
    """
    link = edition.link("axes-md")
    axis = f"{holder}.axes[*]"
    known = (
        "The `unit` of an axis of space or time is one of the names that UDUNITS-2 has for length or for time"
    )
    fix = 'write the unit in full, as "micrometer" or "second"'
    return (
        CheckedRule(
            "axes-unit",
            required(".unit"),
            should="Each axis of space or time has a `unit`",
            fix='add the unit, as "micrometer" or "second"',
            each=axis,
            when=(is_value(".type", "space", "time"),),
            link=link,
            advice=True,
        ),
        *(
            CheckedRule(
                "axes-unit-known",
                one_of(names, at=".unit"),
                should=known,
                fix=fix,
                each=axis,
                when=(is_value(".type", kind),),
                link=link,
            )
            for kind, names in (("space", LENGTHS), ("time", TIMES))
        ),
    )


def _two_or_three_of_space(site: Site) -> Iterator[Breach]:
    # The `contains` of the published schema is met by an axis without a type, too.
    axes = [axis for axis in _axes_of(site) if is_dict(axis)]
    found = sum("type" not in axis or axis["type"] == "space" for axis in axes)
    if axes and not 2 <= found <= 3:
        yield site.breach(site.at("axes"), "2 or 3 axes of type space or of no type", str(found))


def _one_of_another_type(site: Site) -> Iterator[Breach]:
    axes = _axes_of(site)
    found = [axis for axis in axes if is_dict(axis) and kind_of(axis) not in {"space", "time"}]
    if len(found) > 1:
        names = ", ".join(show(axis.get("name")) for axis in found)
        yield site.breach(site.at("axes"), "at most 1 axis that is neither of space nor of time", names)


def _space_in_order(site: Site) -> Iterator[Breach]:
    found = [axis.get("name") for axis in _axes_of(site) if is_dict(axis) and kind_of(axis) == "space"]
    names = [name for name in found if isinstance(name, str)]
    lower = [name.lower() for name in names]
    if len(found) == 3 and sorted(lower) == ["x", "y", "z"] and lower != ["z", "y", "x"]:
        yield site.breach(site.at("axes"), "the axes of space in the order z, y, x", ", ".join(names))
