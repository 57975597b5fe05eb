"""CF: the Climate and Forecast metadata conventions, what of them names, attributes, shapes and types tell.

https://cfconventions.org/cf-conventions/cf-conventions.html, of which the rules follow the text and the
requirements of its conformance document; the types of attributes are also those of the JSON Schema at
https://github.com/zarr-conventions/CF.

Values are read of coordinate variables only, where that is asked for. Where text and conformance document disagree, the text counts, as the
document itself says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.checked_rule import above, is_like
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
from zom.conventions.cf.dataset import NAMED
from zom.conventions.cf.name_table import read_table, rules_of
from zom.conventions.framework.convention import Convention, register

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CF", "standard_names"]


CF: Final = register(
    Convention(
        id="cf",
        title="CF metadata conventions",
        link="https://cfconventions.org/cf-conventions/cf-conventions.html",
        uuid="77c308c7-4db2-4774-8b2d-aa37e9997db6",
        aliases=("https://raw.githubusercontent.com/zarr-conventions/CF/refs/tags/v1/schema.json",),
        owns=("cell_methods", "cell_measures", "formula_terms", "computed_standard_name", "flag_values", "flag_masks", "flag_meanings"),
        refines=("xarray",),
        attributes={"group": GroupAttributes, "array": VariableAttributes},
        # CF is at a group that names it, and at all below: stores often hold one dataset in each group. A list
        # of names is a fault, which is to be told.
        signs=tuple((above(is_like(at, NAMED)),) for at in ("Conventions", "Conventions[*]")),
        further={
            "cf-standard-names": "the standard name table, for a file of it is needed: --standard-names FILE, or "
            "zom.conventions.cf.standard_names(FILE) among the conventions"
        },
        rules=(
            *identity.RULES,
            *missing.RULES,
            *description.RULES,
            *flags.RULES,
            *coordinates.RULES,
            *coordinate_values.RULES,
            *stored_values.RULES,
            *vertical.RULES,
            *time_coordinates.RULES,
            *grid_mapping.RULES,
            *domain.RULES,
            *bounds.RULES,
            *cells.RULES,
            *geometry.RULES,
            *reduction.RULES,
            *quantization.RULES,
            *sampling.RULES,
        ),
    )
)  # fmt: skip
"""The Climate and Forecast conventions."""


def standard_names(table: str | Path) -> Convention:
    """The rules of CF on standard names, out of a standard name table: the XML file that CF publishes.

    They are a convention of their own, which is asked for beside "cf".

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
