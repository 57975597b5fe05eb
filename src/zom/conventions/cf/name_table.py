"""The standard name table: names of quantities, and their units. CF 3.3.

https://cfconventions.org/cf-conventions/cf-conventions.html#standard-name

CF publishes the table as XML. zom does not include it: pass the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule
from zom.conventions.cf.cell_methods import parse_cell_methods
from zom.conventions.cf.time_units import is_reference
from zom.conventions.cf.units import DEPRECATED, NOT_CHECKED, asks_udunits, measures
from zom.conventions.cf.variable import Variable, section
from zom.errors import ExtensionError
from zom.extension.registry import did_you_mean, near

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Table", "read_table", "rules_of"]

Table = Mapping[str, str]
"""The canonical units of each standard name, including aliases."""

_LINK = section("standard-name")
_SQUARES: Final = frozenset({"variance", "sum_of_squares"})


def read_table(path: str | Path | IO[str]) -> Table:
    """The standard names in the XML file at `path`; raises ExtensionError if it is not such a table.

    >>> import io
    >>> dict(read_table(io.StringIO("<t><entry id='depth'><canonical_units>m</canonical_units></entry></t>")))
    {'depth': 'm'}
    """
    from xml.etree import ElementTree as ET  # noqa: PLC0415 - few users pass a table

    try:
        root = ET.parse(path).getroot()  # noqa: S314 - expat refuses to expand entities without end
    except ET.ParseError as cause:
        raise ExtensionError(f"{path}: expected the XML of a standard name table: {cause}") from cause
    names = {
        entry.get("id", ""): (entry.findtext("canonical_units") or "1").strip()
        for entry in root.iter("entry")
    }
    for alias in root.iter("alias"):
        name = (alias.findtext("entry_id") or "").strip()
        if name in names:
            names[alias.get("id", "")] = names[name]
    if not names:
        raise ExtensionError(f"{path}: expected a standard name table, found no entry with a name")
    return names


class _Names:
    """The checks that need a table."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def known(self, site: Site) -> Iterable[Breach] | Skip:
        """Check that the name is in the table."""
        name = _name(site)
        if name is None:
            return Skip("no standard_name")
        if name in self.table:
            return ()
        fix = did_you_mean(near(name, self.table, most=len(self.table)), self.table)
        path = ("attributes", "standard_name")
        return (site.breach(path, "a name of the standard name table", repr(name), fix=fix),)

    def given(self, site: Site) -> Iterable[Breach] | Skip:
        """Check that units are given if the table has some."""
        canonical = self.table.get(_name(site) or "", "1")
        variable = Variable(site.holder)
        if canonical == "1" or variable.is_boundary or "status_flag" in str(variable.text("standard_name")):
            return Skip("not a dimensional quantity")
        if "units" in variable.attributes:
            return ()
        return (site.breach(("attributes", "units"), f"units such as {canonical}", "nothing"),)

    def fitting(self, site: Site) -> Iterable[Breach] | Skip:
        """Check that the units measure the same as those of the table."""
        canonical, units = self.table.get(_name(site) or ""), site.holder.attributes.get("units")
        if canonical is None or not isinstance(units, str) or units in DEPRECATED or _is_changed(site):
            return Skip("no units that the standard name determines")
        if is_reference(canonical) or is_reference(units):
            fits: bool | None = is_reference(canonical) == is_reference(units)
        else:
            fits = measures(units, canonical)
        if fits is None:
            return NOT_CHECKED if not asks_udunits() else Skip("units that UDUNITS does not recognize")
        expected = f"units that measure the same as {canonical!r}"
        return () if fits else (site.breach(("attributes", "units"), expected, repr(units)),)


def rules_of(table: Table) -> tuple[CheckedRule, ...]:
    """The rules that need a table of standard names.

    >>> [rule.id for rule in rules_of({"air_temperature": "K"})][0]
    'known'
    """
    names = _Names(table)
    return (
        CheckedRule(
            "known",
            python(names.known),
            must="standard_name is a name of the standard name table",
            fix="take the name from the table",
            link=_LINK,
            on="array",
        ),
        CheckedRule(
            "units-given",
            python(names.given),
            must="a variable whose standard name is of a dimensional quantity has units",
            fix="add the attribute units",
            link=section("units"),
            on="array",
        ),
        CheckedRule(
            "units",
            python(names.fitting),
            must="units measure the same as the canonical units of the standard name",
            fix="correct the units, or the standard name",
            link=section("units"),
            on="array",
        ),
    )


def _name(site: Site) -> str | None:
    """The standard name without a modifier."""
    found = site.holder.attributes.get("standard_name")
    words = found.split() if isinstance(found, str) else []
    return words[0] if words else None


def _is_changed(site: Site) -> bool:
    """Whether a modifier or a cell method changes the units."""
    variable = Variable(site.holder)
    modifier = (variable.text("standard_name") or "").split()[1:]
    methods = parse_cell_methods(variable.text("cell_methods") or "")
    squared = not isinstance(methods, str) and any(each.method in _SQUARES for each in methods)
    return squared or bool({"number_of_observations", "status_flag"} & set(modifier))
