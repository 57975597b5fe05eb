"""CF: the Climate and Forecast metadata conventions, as far as names, attributes, shapes and types show.

https://cfconventions.org/cf-conventions/cf-conventions.html. The rules follow its text and the requirements
of its conformance document; the types of attributes also follow the JSON Schema at
https://github.com/zarr-conventions/CF.

On request, the values of coordinates, flags, bounds and gathering indexes are read, too. If text and
conformance document disagree, the text counts, as the document itself says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zom.conventions.cf import (
    bounds,
    cells,
    coordinate_values,
    coordinates,
    description,
    domain,
    flags,
    geometry,
    grid_mapping,
    identity,
    missing,
    quantization,
    reduction,
    sampling,
    stored_values,
    time_coordinates,
    vertical,
)
from zom.conventions.cf.attributes import GroupAttributes, VariableAttributes
from zom.conventions.cf.name_table import read_table, rules_of
from zom.conventions.cf.since import version_followed, with_versions
from zom.conventions.framework.convention import Convention
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook

__all__ = ["CF", "standard_names"]

_PARTS: Final = (
    identity, missing, description, flags, coordinates, coordinate_values, stored_values, vertical, time_coordinates,
    grid_mapping, domain, bounds, cells, geometry, reduction, quantization, sampling,
)  # fmt: skip
"""The modules with the checks, by the names of their rules."""


CF: Final = register(
    with_versions(
        read_rulebook(
            Path(__file__).with_name("cf.toml"),
            attributes={"group": GroupAttributes, "array": VariableAttributes},
            followed=version_followed,
            functions={name: check for each in _PARTS for name, check in each.CHECKS.items()},
        )
    )
)
"""The Climate and Forecast conventions."""


def standard_names(table: str | Path) -> Convention:
    """The CF rules for standard names from a standard name table: the XML file that CF publishes.

    They are a separate convention; pass it in addition to "cf".

    >>> import tempfile
    >>> from pathlib import Path
    >>> from zom import v3, validate
    >>> entry = "<entry id='air_temperature'><canonical_units>K</canonical_units></entry>"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cf-standard-name-table.xml"
    ...     _ = path.write_text(f"<standard_name_table>{entry}</standard_name_table>")
    ...     names = standard_names(path)
    >>> attributes = {"standard_name": "air_temp", "units": "K"}
    >>> t = v3.ArraySpec.build(shape=(), dtype="float32", attributes=attributes)
    >>> spec = v3.GroupSpec(attributes={"Conventions": "CF-1.13"}, members={"t": t})
    >>> [problem.code for problem in validate(spec, conventions=["cf", names]) if problem.severity == "error"]
    ['cf-standard-names/known']
    """
    return Convention(
        id="cf-standard-names",
        title="CF standard names",
        link=CF.link,
        signs=CF.signs,
        rules=rules_of(read_table(table)),
    )
