"""CF: the Climate and Forecast metadata conventions, what of them names, attributes, shapes and types tell.

https://cfconventions.org/cf-conventions/cf-conventions.html, of which the rules follow the text and the
requirements of its conformance document; the types of attributes are also those of the JSON Schema at
https://github.com/zarr-conventions/CF.

Values of arrays are never read. Where text and conformance document disagree, the text counts, as the
document itself says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conventions.cf import (
    bounds,
    cells,
    coordinates,
    description,
    domain,
    flags,
    geometry,
    grid_mapping,
    identity,
    missing,
    reduction,
    sampling,
    time_coordinates,
    vertical,
)
from zom.conventions.cf.attributes import GroupAttributes, VariableAttributes
from zom.conventions.cf.dataset import root_of
from zom.conventions.convention import Convention, declaration_of, register

if TYPE_CHECKING:
    from zom.conventions.view import Node

__all__ = ["CF"]


def _detect(node: Node) -> str | None:
    """CF is at a group that names it, and at all below: stores often hold one dataset in each group."""
    root = root_of(node)
    conventions = root.attributes.get("Conventions")
    if isinstance(conventions, str) and "CF-" in conventions:
        return f"Conventions of {root.path} is {conventions!r}"
    return "declared in zarr_conventions" if declaration_of(CF, node) is not None else None


CF: Final = register(
    Convention(
        id="cf",
        title="CF metadata conventions",
        link="https://cfconventions.org/cf-conventions/cf-conventions.html",
        uuid="77c308c7-4db2-4774-8b2d-aa37e9997db6",
        aliases=("https://raw.githubusercontent.com/zarr-conventions/CF/refs/tags/v1/schema.json",),
        owns=("cell_methods", "cell_measures", "formula_terms", "computed_standard_name", "flag_values", "flag_masks", "flag_meanings"),
        attributes={"group": GroupAttributes, "array": VariableAttributes},
        detect=_detect,
        rules=(
            *identity.RULES,
            *missing.RULES,
            *description.RULES,
            *flags.RULES,
            *coordinates.RULES,
            *vertical.RULES,
            *time_coordinates.RULES,
            *grid_mapping.RULES,
            *domain.RULES,
            *bounds.RULES,
            *cells.RULES,
            *geometry.RULES,
            *reduction.RULES,
            *sampling.RULES,
        ),
    )
)  # fmt: skip
"""The Climate and Forecast conventions."""
