"""The schema that pydantic publishes for a spec is zom's own, wherever it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, TypeAdapter, computed_field

import zom
from zom import v2, v3

CONFORMANCE = Path(__file__).parents[2] / "conformance"
TYPES = {"v2": v2.ArraySpec | v2.GroupSpec, "v3": v3.ArraySpec | v3.GroupSpec}


class Measured(BaseModel):
    units: str


class Tree(v3.GroupSpec):
    """Trees of trees."""

    members: dict[str, Tree | v3.ArraySpec]


class Sized(v3.ArraySpec):
    @computed_field
    @property
    def size(self) -> int:
        return self.shape[0]


Typed = v3.GroupSpec[Measured, v3.ArraySpec[Measured]]


class Layout(BaseModel):
    first: v3.GroupSpec
    others: list[v2.ArraySpec | v3.ArraySpec] = []
    typed: Typed | None = None
    tree: Tree | None = None


def references(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        own = {schema["$ref"]} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*map(references, schema.values()))
    return set().union(*map(references, schema)) if isinstance(schema, list) else set()


def array(**changes: Any) -> dict[str, Any]:
    return {**v3.ArraySpec.build(shape=(3,), dtype="int8").to_dict(), **changes}


def cases(form: str) -> list[dict[str, Any]]:
    return [
        case
        for file in sorted((CONFORMANCE / form).glob("*.json"))
        for case in json.loads(file.read_text(encoding="utf-8"))
        if "document" in case and "kind" not in case and case["level"] == "strict"
    ]


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_what_is_dumped_is_what_is_read(form: str) -> None:
    adapter = TypeAdapter(TYPES[form])
    assert adapter.json_schema(mode="serialization") == adapter.json_schema(mode="validation")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3"])
def test_pydantic_and_zom_accept_the_same_documents(form: str) -> None:
    published = Draft202012Validator(TypeAdapter(TYPES[form]).json_schema())
    own = Draft202012Validator(zom.json_schema(f"{form}/node"))
    judged = [(published.is_valid(case["document"]), own.is_valid(case["document"])) for case in cases(form)]
    assert len(judged) > 100
    assert {mine for mine, _ in judged} == {True, False}
    assert [
        case["name"] for case, (mine, theirs) in zip(cases(form), judged, strict=True) if mine != theirs
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["validation", "serialization"])
@pytest.mark.parametrize("cls", [v3.GroupSpec, v2.GroupSpec, v3.ArraySpec, Typed, Tree, Sized, Layout])
def test_every_reference_leads_to_a_definition(cls: Any, mode: Any) -> None:
    schema = cls.model_json_schema(mode=mode)
    Draft202012Validator.check_schema(schema)
    assert references(schema) == {f"#/$defs/{name}" for name in schema.get("$defs", {})}


def test_references_go_where_pydantic_is_told() -> None:
    schema = Layout.model_json_schema(ref_template="#/components/schemas/{model}")
    assert {each.rpartition("/")[0] for each in references(schema)} == {"#/components/schemas"}


def test_a_class_is_one_definition_wherever_it_stands() -> None:
    schema = Layout.model_json_schema()
    assert schema["properties"]["first"] == {"$ref": "#/$defs/V3Group"}
    arrays = schema["properties"]["others"]["items"]["anyOf"]
    assert arrays == [{"$ref": "#/$defs/V2Array"}, {"$ref": "#/$defs/V3Array"}]
    assert {"Measured", "Tree", "V3Codec", "ArraySpec_Measured"} <= schema["$defs"].keys()
    assert not [name for name in schema["$defs"] if name.startswith("zom__")]


@pytest.mark.parametrize(
    ("cls", "document"),
    [
        (Typed, {"attributes": {"units": "m"}, "members": {"a": array(attributes={"units": 1})}}),
        (Tree, {"members": {"t": {**v3.GroupSpec().to_dict(), "members": {"a": array(shape=[-1])}}}}),
        (v3.GroupSpec, {"members": {"a": array(codecs=[{"name": "gzip", "configuration": {"level": 11}}])}}),
    ],
)
def test_members_have_types(cls: Any, document: dict[str, Any]) -> None:
    document = {**v3.GroupSpec().to_dict(), **document}
    errors = [
        list(error.absolute_path)
        for error in Draft202012Validator(cls.model_json_schema()).iter_errors(document)
    ]
    assert errors
    assert errors == [
        list(error.absolute_path)
        for error in Draft202012Validator(zom.json_schema(cls)).iter_errors(document)
    ]


def test_what_is_computed_stands_in_what_is_dumped() -> None:
    assert "size" not in Sized.model_json_schema()["properties"]
    dumped = Sized.model_json_schema(mode="serialization")
    assert dumped["properties"]["size"] == {"type": "integer", "readOnly": True}
    assert "size" in dumped["required"]
    Draft202012Validator(dumped).validate(Sized(**array()).model_dump())


def test_schemas_do_not_depend_on_what_was_asked_before() -> None:
    first = TypeAdapter(v3.ArraySpec | v3.GroupSpec).json_schema()
    Layout.model_json_schema(mode="serialization")
    assert TypeAdapter(v3.ArraySpec | v3.GroupSpec).json_schema() == first


def test_discriminators_map_to_references() -> None:
    either = Annotated[v3.ArraySpec | v3.GroupSpec, Field(discriminator="node_type")]
    assert TypeAdapter(either).json_schema()["discriminator"] == {
        "propertyName": "node_type",
        "mapping": {"array": "#/$defs/V3Array", "group": "#/$defs/V3Group"},
    }
