"""Declarations in zarr_conventions: what identifies a convention, and what a node has to declare."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.conventions.framework.declarations import declarations, known
from zom.conventions.proj import PUBLISHED as PROJ
from zom.conventions.spatial.attributes import PUBLISHED as SPATIAL
from zom.formats.node_view import attributes_node

UNKNOWN = "2dc8d146-3932-4e08-8542-06aa0e826508"


def said(attributes, *names, kind=v3.GroupSpec):
    report = zom.validate(kind(attributes=attributes, members={}), conventions=names or "auto")
    return [(problem.code, problem.severity) for problem in report]


def meant(**entry):
    (found,) = declarations(attributes_node({"zarr_conventions": [entry]}))
    convention = known(found)
    return None if convention is None else convention.name


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ({"uuid": PROJ.uuid}, "proj/v0.1"),
        ({"uuid": PROJ.uuid.upper()}, "proj/v0.1"),
        ({"schema_url": PROJ.schema_url}, "proj/v0.1"),
        ({"spec_url": PROJ.spec_url}, "proj/v0.1"),
        (
            {
                "schema_url": "https://raw.githubusercontent.com/zarr-conventions/geo-proj/refs/tags/v1/schema.json"
            },
            "proj/v0.1",
        ),
        ({"uuid": UNKNOWN, "schema_url": PROJ.schema_url}, None),
        ({"uuid": 7, "schema_url": PROJ.schema_url}, None),
        ({"schema_url": "https://a", "spec_url": PROJ.spec_url}, None),
        ({"name": "proj"}, None),
    ],
)
def test_a_uuid_comes_before_a_schema_url_that_before_a_spec_url_and_a_name_never(entry, name):
    assert meant(**entry) == name


@pytest.mark.parametrize("value", [None, 7, "x", {"uuid": PROJ.uuid}, [None, 7, "x", []]])
def test_what_has_no_form_declares_nothing(value):
    assert declarations(attributes_node({"zarr_conventions": value})) == []


@pytest.mark.parametrize(
    "attributes",
    [
        {"proj:code": "EPSG:4326", "proj:wkt2": 'GEOGCRS["x"]'},
        {"spatial:bbox": [0, 0, 1, 1]},
        {"license": {"spdx": "MIT"}},
        {"multiscales": {"layout": []}},
    ],
)
def test_keys_of_a_convention_that_is_not_declared_are_an_error(attributes):
    assert ("convention/undeclared", "error") in said(attributes)


@pytest.mark.parametrize(
    "attributes",
    [{"license": "CC-BY-4.0"}, {"uom": "m"}, {"multiscales": [{"version": "0.4"}]}, {"license": None}],
)
def test_what_other_metadata_call_by_the_same_name_is_nobodys(attributes):
    assert said(attributes) == []


def test_a_convention_that_is_declared_and_not_used_is_a_warning():
    declared = {"zarr_conventions": [SPATIAL.declaration]}
    assert said(declared) == [("convention/unused", "warning")]


def test_conventions_that_zom_does_not_know_are_a_note_and_no_error():
    declared = {
        "zarr_conventions": [{"uuid": UNKNOWN, "schema_url": "https://example.com/s.json", "name": "soil:"}]
    }
    assert said(declared) == [("zarr-conventions/unknown", "note")]


def test_the_declarations_of_the_published_schemas_have_no_finding():
    assert said({"zarr_conventions": [SPATIAL.declaration, PROJ.declaration]}, "zarr-conventions") == []


def test_the_name_with_a_colon_that_the_framework_recommends_breaks_only_the_schema():
    spec = v3.GroupSpec(
        attributes={"zarr_conventions": [{**PROJ.declaration, "name": "proj:"}], "proj:wkt2": 'GEOGCRS["x"]'}
    )
    assert [problem.code for problem in zom.validate(spec, conventions=["proj"])] == []
    assert [problem.code for problem in zom.validate(spec, conventions=["proj"], profile="schema")] == [
        "proj/declaration"
    ]


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("uid", "uuid"),
        ("UUID", "uuid"),
        ("id", "uuid"),
        ("schemaUrl", "schema_url"),
        ("spec-url", "spec_url"),
    ],
)
def test_a_field_that_is_called_otherwise_is_one_finding(field, meant):
    """Without it, nothing identifies the convention, which would be a second one."""
    declared = PROJ.declaration
    value = {"uuid": UNKNOWN, "schema_url": "https://example.com/s.json", "spec_url": "https://example.com/"}[
        meant
    ]
    spec = v3.GroupSpec(
        attributes={"zarr_conventions": [declared, {field: value, "name": "soil"}], "proj:code": "EPSG:1"}
    )
    (problem,) = (each for each in zom.validate(spec, conventions=["zarr-conventions"]).problems)
    assert str(problem) == (
        f'attributes.zarr_conventions[1].{field}: expected one of uuid, schema_url, spec_url, name, description, found "{field}"; did you mean {meant!r}?'
    )
    assert problem.code == "zarr-conventions/fields"


def test_a_further_uuid_is_a_field_that_declarations_do_not_have():
    declared = {"zarr_conventions": [{**SPATIAL.declaration, "own-uuid": UNKNOWN}]}
    assert said(declared, "zarr-conventions") == [("zarr-conventions/fields", "error")]
