"""Documents that the conventions' own repositories publish: which of them keep their text, and their schema.

The stores are those of the test datasets of https://github.com/zarr-developers/geozarr-spec, the others the
examples of each convention, in their essentials: what stands in them, without chunks.
"""

from __future__ import annotations

import pytest

import zom
from zom import v3

RAW = "https://raw.githubusercontent.com"
PROJ = {
    "schema_url": f"{RAW}/zarr-experimental/geo-proj/refs/tags/v1/schema.json",
    "spec_url": "https://github.com/zarr-experimental/geo-proj/blob/v1/README.md",
    "uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f",
    "name": "proj:",
    "description": "Coordinate reference system information for geospatial data",
}
SPATIAL = {
    "schema_url": f"{RAW}/zarr-conventions/spatial/refs/tags/v1/schema.json",
    "spec_url": "https://github.com/zarr-conventions/spatial/blob/v1/README.md",
    "uuid": "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
    "name": "spatial:",
    "description": "Spatial coordinate information",
}
MULTISCALES = {
    "schema_url": f"{RAW}/zarr-conventions/multiscales/refs/tags/v1/schema.json",
    "spec_url": "https://github.com/zarr-conventions/multiscales/blob/v1/README.md",
    "uuid": "d35379db-88df-4056-af3a-620245f8e347",
    "name": "multiscales",
    "description": "Multiscale layout of zarr datasets",
}
WKT2 = 'PROJCRS["WGS 84 / UTM zone 10N",BASEGEOGCRS["WGS 84"],ID["EPSG",32610]]'
PROJJSON = {
    "type": "ProjectedCRS",
    "name": "WGS 84 / Pseudo-Mercator",
    "id": {"authority": "EPSG", "code": 3857},
}


def array(*shape, dims=("y", "x"), declared=(), **attributes):
    given = {"zarr_conventions": list(declared), **attributes} if declared else {}
    return v3.ArraySpec.build(shape=shape, dtype="uint8", dimension_names=dims, attributes=given)


def group(members, declared=(), **attributes):
    given = {"zarr_conventions": list(declared), **attributes} if declared else {}
    return v3.GroupSpec(attributes=given, members=members)


def placed(shape, transform, *, dims=("y", "x"), declared=(SPATIAL, PROJ), **more):
    given = {"spatial:dimensions": ["y", "x"], "spatial:transform": transform, **more}
    return group({"ar": array(*shape, dims=dims, declared=declared, **given)})


def level(name, source, scale, **more):
    derived = {} if source is None else {"derived_from": source}
    return {"asset": name, **derived, "transform": {"scale": [scale] * 2, "translation": [0.0, 0.0]}, **more}


def sentinel():
    sizes = (("r10m", None, 1.0, 12), ("r20m", "r10m", 2.0, 6), ("r60m", "r10m", 6.0, 2))
    layout = [
        level(
            name, source, scale,
            **{"spatial:shape": [n, n], "spatial:transform": [10 * scale, 0, 500000, 0, -10 * scale, 5000120]},
        )
        for name, source, scale, n in sizes
    ]  # fmt: skip
    members = {name: group({"ar": array(n, n)}) for name, _, _, n in sizes}
    said = {"spatial:dimensions": ["y", "x"], "spatial:bbox": [500000, 5000000, 500120, 5000120]}
    multiscales = {"layout": layout, "resampling_method": "average"}
    code = {"proj:code": "EPSG:32632"}
    return group(members, (MULTISCALES, PROJ, SPATIAL), multiscales=multiscales, **code, **said)


def two_levels(**second):
    layout = [level("0", None, 1.0), {"asset": "1", "derived_from": "0", **second}]
    members = {"0": group({"ar": array(8, 8)}), "1": group({"ar": array(4, 4)})}
    return group(members, (MULTISCALES,), multiscales={"layout": layout})


CODE = {"proj:code": "EPSG:4326"}
NORTH_UP = [1.25, 0, 0, 0, -1.25, 10]
VALID = {
    "crs-epsg-4326": group({"ar": array(8, 8, declared=(PROJ,), **CODE)}),
    "crs-wkt2": group({"ar": array(8, 8, declared=(PROJ,), **{"proj:wkt2": WKT2})}),
    "crs-projjson": group({"ar": array(8, 8, declared=(PROJ,), **{"proj:projjson": PROJJSON})}),
    "crs-override": group(
        {"band1": array(8, 8), "band2": array(8, 8, declared=(PROJ,), **{"proj:code": "EPSG:32632"})}, (PROJ,), **CODE
    ),
    "spatial-north-up": placed((8, 8), NORTH_UP, **CODE, **{"spatial:bbox": [0, 0, 10, 10]}),
    "spatial-rotated": placed((8, 8), [8.660254, -5, 500000, 5, -8.660254, 5000080], **CODE),
    "spatial-pixel-is-point": placed(
        (9, 9), [1, 0, 0, 0, -1, 8], **CODE, **{"spatial:bbox": [0, 0, 8, 8], "spatial:registration": "node"}
    ),
    "spatial-registration-default": placed((8, 8), NORTH_UP, **CODE),
    "spatial-multiband": placed((3, 8, 8), NORTH_UP, dims=("band", "y", "x"), **CODE, **{"spatial:shape": [8, 8]}),
    "multiscales-2-levels": two_levels(transform={"scale": [2.0, 2.0], "translation": [0.0, 0.0]}),
    "multiscales-sentinel2": sentinel(),
}  # fmt: skip
INVALID = {
    "invalid-bad-crs": (
        group({"ar": array(4, 4, declared=(PROJ,), **{"proj:code": "epsg:4326"})}),
        "proj/v1-code",
    ),
    "invalid-bad-transform-length": (placed((4, 4), [1, 0, 0, -1], declared=(SPATIAL,)), "spatial/transform"),
    "invalid-missing-required": (
        group({"ar": array(4, 4, declared=(SPATIAL,), **{"spatial:transform": NORTH_UP})}),
        "spatial/dimensions",
    ),
    "invalid-multiscales-no-transform": (two_levels(), "multiscales/transform"),
    "invalid-multiple-crs": (
        group({"ar": array(4, 4, declared=(PROJ,), **CODE, **{"proj:wkt2": WKT2.replace("32610", "4326")})}),
        "proj/v1-one-crs",
    ),
}


def errors(spec, profile="text"):
    found = (problem.code for problem in zom.validate(spec, profile=profile) if problem.severity == "error")
    return {code for code in found if not code.endswith("/declaration")}


@pytest.mark.parametrize("name", VALID)
@pytest.mark.parametrize("profile", ["text", "schema"])
def test_a_valid_store_of_geozarr_has_no_error(name, profile):
    assert errors(VALID[name], profile) == set()


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_store_of_geozarr_breaks_the_published_schemas(name):
    spec, code = INVALID[name]
    assert code in errors(spec, "schema")


@pytest.mark.parametrize("name", ["invalid-bad-crs", "invalid-multiple-crs"])
def test_what_only_the_schemas_of_the_draft_refuse_keeps_the_text(name):
    assert errors(INVALID[name][0]) == set()


def test_all_of_them_declare_urls_that_lead_nowhere():
    for spec in VALID.values():
        codes = [problem.code for problem in zom.validate(spec)]
        assert "zarr-conventions/dead-url" in codes


def test_the_example_of_uom_has_a_digit_too_many_in_its_uuid():
    entry = {"uuid": "3bbe438d-df37-49fe-8e2b-739296d46dfb5", "name": "uom"}
    uom = {"ucum": {}, "description": "bushels of apples", "magnitude": 20}
    report = zom.validate(array(2, 4, declared=(entry,), uom=uom))
    assert [problem.code for problem in report.of("error")] == ["zarr-conventions/uuid"]
    assert "convention/undeclared" in [problem.code for problem in report.resting]


def test_examples_of_multiscales_have_attributes_that_proj_gave_to_spatial():
    entry = {
        "asset": "r10m",
        "proj:transform": [10, 0, 500000, 0, -10, 5000000],
        "proj:shape": [10980, 10980],
    }
    more = {"proj:spatial_dimensions": ["Y", "X"], "proj:bbox": [500000, 4900000, 600000, 5000000]}
    spec = group(
        {"r10m": group({})},
        (MULTISCALES, PROJ),
        multiscales={"layout": [entry]},
        **more,
        **{"proj:code": "EPSG:32633"},
    )
    moved = [problem for problem in zom.validate(spec) if problem.code == "proj/moved"]
    assert (len(moved), errors(spec)) == (4, set())


def test_the_bounding_box_in_the_readme_of_proj_is_not_that_of_its_levels():
    spec = sentinel()
    wrong = spec.replace(
        attributes={**spec.attributes, "spatial:bbox": [500000.0, 4900000.0, 600000.0, 5000000.0]}
    )
    assert "geozarr/bbox-extent" in [problem.code for problem in zom.validate(wrong)]


def test_the_form_of_the_first_drafts_with_uuids_as_keys_is_an_error():
    spec = v3.GroupSpec(attributes={"zarr_conventions": {PROJ["uuid"]: {"version": "0.1.0"}}}, members={})
    assert errors(spec) == {"zarr-conventions/attributes"}
