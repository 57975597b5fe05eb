"""Datasets that archives publish, by their attributes: what is said of them is so, and no more is said.

archives.json has for each the attributes of the root, the sizes of dimensions, and the variables: data type,
dimensions and attributes, as the archive's own files have them, but for texts that say nothing here.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import pytest

import zom
from zom import v2, v3

ARCHIVES = json.loads((Path(__file__).parent / "archives.json").read_text())

FOUND = {
    # Writes longitudes to 360, and a type of features that THREDDS has.
    "thredds-lambert": [
        ("cf/feature-type", "/"),
        ("cf/grid-mapping-domains", "/LambertConformal_Projection"),
    ],
    # Two coordinates of a band that the image doesn't have as a dimension.
    "goes-16-abi": [("cf/coordinates-dimensions", "/Rad")] * 2,
    # No variable names its coordinates.
    "argo-profiles": [
        ("cf/axis-of-coordinates", f"/{name}") for name in ("PRES", "JULD", "LATITUDE", "LONGITUDE")
    ],
    # Bounds name their dimensions as coordinates; longitudes before latitudes.
    "gpm-imerg": [
        *(("cf/coordinates-exist", f"/{name}_bnds") for name in ("time", "lat", "lon")),
        ("cf/dimension-order", "/precipitation"),
        ("convention/misspelt-key", "/precipitation"),
        ("convention/misspelt-key", "/time"),
    ],
    # A range as text.
    "oisst-v2": [("cf/attributes", "/zlev")],
    # Units of COARDS.
    "cesm-atmosphere": [("cf/units-deprecated", "/lev")],
    # Means over times without bounds.
    "icon-healpix": [("cf/cell-methods-bounds", "/ts")],
    "ioos-buoy": [("cf/cell-methods-bounds", "/wspd")],
}
"""The errors and warnings, each a fault by the text of its convention; all others have none."""


def array(form, dtype, shape, names, attributes):
    """An array as xarray stores a variable: its _FillValue is the fill_value in v2, and of floats base64 in v3."""
    attributes = dict(attributes)
    missing = attributes.pop("_FillValue", None)
    if form is v2:
        attributes["_ARRAY_DIMENSIONS"] = names
        more = {} if missing is None else {"fill_value": missing}
        return v2.ArraySpec.build(shape=shape, dtype=dtype, attributes=attributes, **more)
    if isinstance(missing, float):
        attributes["_FillValue"] = base64.b64encode(struct.pack("<d", missing)).decode()
    elif missing is not None:
        attributes["_FillValue"] = missing
    return v3.ArraySpec.build(shape=shape, dtype=dtype, dimension_names=names, attributes=attributes)


def dataset(name, form):
    archive = ARCHIVES[name]
    members = {}
    for variable, (dtype, dims, attributes) in archive["variables"].items():
        names = dims.split()
        shape = [archive["sizes"][dim] for dim in names]
        members[variable] = array(form, dtype, shape, names, attributes)
    return form.GroupSpec(attributes=archive["attributes"], members=members)


@pytest.mark.parametrize("form", [v2, v3], ids=["v2", "v3"])
@pytest.mark.parametrize("name", ARCHIVES)
def test_what_is_found_in_an_archive_is_a_fault(name, form):
    report = zom.validate(dataset(name, form))
    found = [(problem.code, problem.node) for problem in (*report.of("error"), *report.of("warning"))]
    assert found == FOUND.get(name, [])
