"""proj: two eras of it, and representations that have to agree."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions.proj import PUBLISHED

WKT2 = 'GEOGCRS["WGS 84",ID["EPSG",4326]]'
DRAFT = "https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v1/schema.json"


def codes(attributes, profile="text", *, url=PUBLISHED.schema_url):
    declared = {"zarr_conventions": [{"uuid": PUBLISHED.uuid, "schema_url": url, "name": "proj"}]}
    spec = v3.GroupSpec(attributes={**declared, **attributes}, members={})
    return [problem.code for problem in zom.validate(spec, conventions=["proj"], profile=profile)]


def test_a_code_of_letters_breaks_only_the_schema_of_the_draft():
    moon = {"proj:code": "IAU_2015:30100", "proj:wkt2": WKT2.replace("4326", "1")}
    assert "proj/v1-code" not in codes(moon, "schema")
    assert codes({"proj:code": "OGC:CRS84"}, "schema", url=DRAFT) == ["proj/v1-code", "proj/declaration"]
    assert "proj/v1-code" not in codes({"proj:code": "OGC:CRS84"}, url=DRAFT)


STAC = {
    "proj:bbox": [300000.0, 4490220.0, 409800.0, 4600020.0],
    "proj:shape": [10980, 10980],
    "proj:transform": [10.0, 0.0, 300000.0, 0.0, -10.0, 4600020.0],
    "proj:wkt2": 'PROJCS["WGS 84 / UTM zone 32N"]',
}


@pytest.mark.parametrize("key", ["proj:epsg", "proj:geometry", "proj:centroid"])
def test_attributes_of_stac_are_not_taken_for_those_of_proj(key):
    spec = v3.GroupSpec(attributes={**STAC, key: None}, members={})
    assert (zom.validate(spec).problems, zom.validate(spec).conventions) == ((), ())
    # Where proj is declared, it is meant.
    assert "proj/moved" in codes({**STAC, key: None})
    # Without a key that STAC alone has, nobody can tell.
    assert "convention/undeclared" in [
        each.code for each in zom.validate(v3.GroupSpec(attributes=STAC, members={}))
    ]


def test_two_representations_break_only_the_schema_of_the_draft():
    both = {"proj:code": "EPSG:4326", "proj:wkt2": WKT2}
    assert (codes(both), codes(both, "schema")) == ([], [])
    assert "proj/v1-one-crs" in codes(both, "schema", url=DRAFT)
    assert codes(both, url=DRAFT) == []


@pytest.mark.parametrize(
    "wkt2",
    [
        'GEOGCRS["x",ID["EPSG",4326]]',
        'GEOGCRS["x",ID["EPSG","4326"]]',
        'GEOGCRS["x",ID["EPSG",4326,"10.1"]] ',
        'geogcrs("x",id("epsg",4326))',
        'GEOGCRS["x"]',
        'GEOGCRS["x",ELLIPSOID["y",1,0,ID["EPSG",7030]],CS[ellipsoidal,2]]',
    ],
)
def test_the_identifier_at_the_end_of_a_wkt2_is_that_of_the_system(wkt2):
    assert codes({"proj:code": "EPSG:4326", "proj:wkt2": wkt2}) == []


def test_a_wkt2_of_another_system_is_a_warning():
    assert codes({"proj:code": "EPSG:3857", "proj:wkt2": WKT2}) == ["proj/same-crs"]


@pytest.mark.parametrize(
    "identity", [None, 7, "EPSG:4326", {"authority": "EPSG"}, {"authority": 1, "code": 1}, {"code": []}]
)
def test_an_identifier_of_another_form_is_not_compared(identity):
    projjson = {"type": "GeographicCRS", "name": "x", "id": identity}
    assert codes({"proj:code": "EPSG:1", "proj:wkt2": 'GEOGCRS["x"]', "proj:projjson": projjson}) == []
