"""The codegen flavour: the constructs that generators of types read well, and no others."""

from __future__ import annotations

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

import zom
from zom.schema.codegen_types import Types, type_name

# What generators ignore, take wrongly or refuse.
REFUSED = {
    "if",
    "then",
    "else",
    "not",
    "contains",
    "allOf",
    "patternProperties",
    "unevaluatedProperties",
    "dependentRequired",
    "discriminator",
    "$anchor",
    "$dynamicRef",
}
NAMES = zom.schema_names()


def subschemas(schema):
    """Every schema inside, with the root first."""
    yield schema
    for name in ("properties", "$defs", "definitions"):
        for inner in schema.get(name, {}).values():
            yield from subschemas(inner)
    for name in ("items", "additionalProperties", "additionalItems", "propertyNames"):
        inner = schema.get(name)
        for each in inner if isinstance(inner, list) else [inner]:
            if isinstance(each, dict):
                yield from subschemas(each)
    for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(name, ()):
            yield from subschemas(inner)


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_holds_nothing_that_generators_stumble_over(name):
    for each in subschemas(zom.json_schema(name, flavour="codegen")):
        assert REFUSED & each.keys() == set()
        assert "const" not in each or "type" in each
        assert "properties" not in each or each["type"] == "object"
        assert set(each) <= {"$ref"} or "$ref" not in each
        if "prefixItems" in each:
            assert each["minItems"] == each["maxItems"] == len(each["prefixItems"])


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_in_both_drafts(name):
    Draft202012Validator.check_schema(zom.json_schema(name, flavour="codegen"))
    Draft7Validator.check_schema(zom.json_schema(name, "draft-07", "codegen"))


@pytest.mark.parametrize("name", NAMES)
def test_every_reference_leads_to_a_definition_and_every_definition_is_used(name):
    schema = zom.json_schema(name, flavour="codegen")
    found = {each["$ref"] for each in subschemas(schema) if "$ref" in each} - {"#"}
    assert found == {f"#/$defs/{key}" for key in schema.get("$defs", {})}


def test_a_root_that_is_referred_to_is_no_definition_too():
    schema = zom.json_schema("v3/group", flavour="codegen")
    assert schema["title"] == "V3Group"
    assert "V3Group" not in schema["$defs"]
    assert schema["$defs"]["V3Node"]["oneOf"] == [{"$ref": "#/$defs/V3Array"}, {"$ref": "#"}]


def test_what_tells_nodes_apart_is_required():
    definitions = zom.json_schema("v3/node", flavour="codegen")["$defs"]
    for name, tag in (("V3Array", "array"), ("V3Group", "group")):
        assert definitions[name]["properties"]["node_type"] == {"const": tag, "type": "string"}
        assert "node_type" in definitions[name]["required"]


def test_the_constant_of_a_member_tells_the_configurations_of_zfp_apart():
    definitions = zom.json_schema("codec/zfp", flavour="codegen")["$defs"]
    rate = definitions["V3ZfpConfigurationFixedRate"]
    assert rate["properties"]["mode"] == {"const": "fixed_rate", "type": "string"}
    assert rate["required"] == ["mode", "rate"]
    assert {"$ref": "#/$defs/V3ZfpConfigurationFixedRate"} in definitions["V3ZfpConfiguration"]["oneOf"]


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("codec/bytes", "bytes", True),
        ("codec/bytes", {"name": "bytes"}, True),
        ("codec/bytes", {"name": "bytes", "configuration": {"endian": "middle"}}, False),
        ("codec/gzip", "gzip", False),
        ("codec/gzip", {"name": "gzip", "configuration": {"level": 5}}, True),
        ("codec/crc32c", {"name": "crc32c", "configuration": {"level": 5}}, False),
        ("data-type/int8", "int8", True),
        ("data-type/int8", {"name": "int8"}, True),
        ("data-type/int8", "int16", False),
        ("data-type/r*", "r16", True),
        ("data-type/r*", "r17", False),
        ("v2-codec/zlib", {"id": "zlib", "level": 1}, True),
        ("v2-codec/zlib", {"id": "zlip"}, False),
    ],
)
def test_a_schema_of_an_extension_takes_its_spellings(name, value, fits):
    assert Draft202012Validator(zom.json_schema(name, flavour="codegen")).is_valid(value) is fits


def test_a_chain_of_conditions_becomes_a_union():
    chain = {
        "if": {"type": "null"},
        "else": {
            "if": {"type": "string"},
            "then": {"type": "string", "minLength": 1},
            "else": {"type": "integer"},
        },
    }
    options = [{"type": "null"}, {"type": "string", "minLength": 1}, {"type": "integer"}]
    assert Types("V3").plain(chain, "X") == {"anyOf": options}


def test_names_of_types_have_no_signs():
    assert type_name("V2", "vlen-utf8", "codec") == "V2VlenUtf8Codec"
