"""The schemas by name: valid, identified, complete, and quick to make and to use."""

from __future__ import annotations

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

import zom
from zom import v3
from zom.schema import json_schema, schema_id, schema_names

VALIDATORS = {"2020-12": Draft202012Validator, "draft-07": Draft7Validator}
FLAVOURS = ("validation", "codegen")


@pytest.mark.parametrize("name", schema_names())
def test_every_schema_is_valid_against_its_meta_schema(name):
    for draft, validator in VALIDATORS.items():
        for flavour in FLAVOURS:
            schema = json_schema(name, draft, flavour)
            validator.check_schema(schema)
            assert schema["$schema"] == validator.META_SCHEMA["$schema" if draft == "draft-07" else "$id"]
            assert schema["$id"] == f"urn:zom:schema:v1:{name}:{flavour}:{draft}"


def subschemas(value):
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from subschemas(item)
    elif isinstance(value, list):
        for item in value:
            yield from subschemas(item)


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_the_draft_07_twin_has_no_keyword_of_2020(form):
    for schema in subschemas(json_schema(f"{form}/node", "draft-07")):
        assert not {"$defs", "prefixItems", "dependentRequired"} & schema.keys()
        if "$ref" in schema:
            assert set(schema) == {"$ref"}


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_recursion_stays_within_the_schema(form):
    for schema in subschemas(json_schema(f"{form}/node")):
        if "$ref" in schema:
            assert schema["$ref"].startswith("#")
            assert "$id" not in schema


def test_a_base_url_takes_the_place_of_the_urn():
    made = json_schema("v2/array", base_url="https://example.org/schemas/")
    assert made["$id"] == "https://example.org/schemas/v1/v2/array.validation.2020-12.schema.json"
    assert schema_id("v2/array", "codegen", "draft-07") == "urn:zom:schema:v1:v2/array:codegen:draft-07"


def test_a_schema_is_a_copy_that_may_be_changed():
    json_schema("v3/node")["then"].clear()
    assert json_schema("v3/node")["then"]


def test_an_unknown_name_is_refused_with_a_near_one():
    with pytest.raises(zom.UnknownName, match="no schema is named 'codec/gzipp'; did you mean 'codec/gzip'"):
        json_schema("codec/gzipp")


def test_what_has_no_schema_is_refused():
    with pytest.raises(TypeError, match="expected a name, a spec class, a template or a convention, got 3"):
        json_schema(3)


def test_members_of_a_group_are_checked_to_any_depth():
    document = v3.GroupSpec(members={"a": v3.GroupSpec(members={"b": v3.GroupSpec(members={})})}).to_dict()
    validator = Draft202012Validator(json_schema("v3/group"))
    assert validator.is_valid(document)
    document["members"]["a"]["members"]["b"]["node_type"] = "grp"
    (error,) = validator.iter_errors(document)
    assert list(error.absolute_path) == ["members", "a", "members", "b", "node_type"]


@pytest.mark.parametrize("name", ["", "a/b", "..", "__x", "zarr.json", "a\n"])
def test_a_name_that_no_node_may_have_is_refused(name):
    document = {"zarr_format": 3, "node_type": "group", "members": {name: v3.GroupSpec().to_dict()}}
    assert not Draft202012Validator(json_schema("v3/node")).is_valid(document)


def test_a_fill_value_is_asked_of_its_data_type():
    array = v3.ArraySpec.build(shape=(4,), dtype="int8").to_dict()
    validator = Draft202012Validator(json_schema("v3/array"))
    assert validator.is_valid({**array, "fill_value": -128})
    (error,) = validator.iter_errors({**array, "fill_value": -129})
    assert (error.validator, list(error.absolute_path)) == ("minimum", ["fill_value"])


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("codec/gzip", {"name": "gzip", "configuration": {"level": 1}}, {"name": "gzip"}),
        ("codec/bytes", "bytes", "endian"),
        ("v2-codec/zlib", {"id": "zlib", "level": 1}, {"id": "zlib", "level": 10}),
        ("data-type/int8", {"name": "int8"}, "int7"),
        ("data-type/r*", "r24", "r12"),
        ("chunk-grid/regular", {"name": "regular", "configuration": {"chunk_shape": [1]}}, "regular"),
        ("chunk-key-encoding/v2", {"name": "v2"}, {"name": "v2", "configuration": {"separator": "-"}}),
    ],
)
def test_an_extension_has_a_schema_of_its_own(name, good, bad):
    validator = Draft202012Validator(json_schema(name))
    assert validator.is_valid(good)
    assert not validator.is_valid(bad)


@pytest.mark.slow
def test_schemas_are_exported_with_little_effort(calls):
    # Eight million calls take about a second.
    assert calls(lambda: [json_schema(name) for name in schema_names()]) < 12_000_000
