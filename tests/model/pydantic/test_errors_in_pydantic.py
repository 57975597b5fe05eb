"""What pydantic says of faults: one entry for each problem, with its place."""

from __future__ import annotations

import json
import pickle
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, field_validator, model_validator

import zom
from zom import SpecError, v2, v3

ARRAY = v3.ArraySpec.build(shape=(3,), dtype="int8").to_dict()
BAD = {**ARRAY, "shape": [-1], "codecs": []}
PLACES: list[tuple[Any, ...]] = [("shape", 0), ("codecs",)]
GROUP = {**v3.GroupSpec().to_dict(), "members": {"x": BAD}}


class Holder(BaseModel):
    one: v3.ArraySpec | None = None
    many: list[v3.GroupSpec] = []
    named: dict[str, v3.ArraySpec] = {}
    raw: Any = None

    @field_validator("raw")
    @classmethod
    def is_an_array(cls, value: Any) -> Any:
        return None if value is None else v3.ArraySpec.parse(value)


class Square(v3.ArraySpec):
    @model_validator(mode="after")
    def is_square(self) -> Square:
        if len(set(self.shape)) > 1:
            message = "expected one length"
            raise ValueError(message)
        return self


def places(error: ValidationError) -> list[tuple[Any, ...]]:
    return [entry["loc"] for entry in error.errors()]


def under(*steps: Any) -> list[tuple[Any, ...]]:
    return [(*steps, *place) for place in PLACES]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda: v3.ArraySpec.model_validate(BAD), PLACES),
        (lambda: v3.ArraySpec.model_validate_json(json.dumps(BAD)), PLACES),
        (lambda: v3.ArraySpec.parse(BAD), PLACES),
        (lambda: v3.ArraySpec(**BAD), PLACES),
        (lambda: zom.parse(json.dumps(BAD)), PLACES),
        (lambda: TypeAdapter(v3.ArraySpec).validate_python(BAD), PLACES),
        (lambda: TypeAdapter(v3.ArraySpec).validate_json(json.dumps(BAD)), PLACES),
        (lambda: TypeAdapter(dict[str, v3.ArraySpec]).validate_python({"k": BAD}), under("k")),
        (lambda: Holder(one=BAD), under("one", "v3.ArraySpec")),
        (lambda: Holder(many=[GROUP]), under("many", 0, "members", "x")),
        (lambda: Holder(named={"a": ARRAY, "b": BAD}), under("named", "b")),
        (lambda: Holder(raw=BAD), under("raw")),
        (lambda: Holder.model_validate_json(json.dumps({"many": [GROUP]})), under("many", 0, "members", "x")),
    ],
)
def test_each_problem_is_an_entry_at_its_place(read: Any, expected: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        read()
    found = [place for place in places(caught.value) if place != ("one", "none")]
    assert found == [tuple(step for step in place if step != "v3.ArraySpec") for place in expected]


def test_an_entry_says_what_was_expected_and_found() -> None:
    with pytest.raises(ValidationError) as caught:
        Holder(many=[{"zarr_format": 3, "node_type": "group", "attribute": {}}])
    (entry,) = caught.value.errors()
    assert entry["type"] == "v3/unknown-member"
    assert entry["loc"] == ("many", 0, "attribute")
    assert entry["input"] == {}
    assert entry["msg"] == (
        "expected a known member, or an object with must_understand false, found {}; "
        "did you mean 'attributes'?"
    )
    assert entry["ctx"]["node"] == "/"


def test_the_input_of_what_is_missing_is_what_it_is_missing_in() -> None:
    document = {"zarr_format": 3}
    with pytest.raises(ValidationError) as caught:
        v3.GroupSpec.model_validate(document)
    assert [(entry["loc"], entry["input"]) for entry in caught.value.errors()] == [(("node_type",), document)]


def test_a_spec_error_is_a_value_error_and_pydantics() -> None:
    with pytest.raises(SpecError) as caught:
        v3.GroupSpec.parse({"zarr_format": 3, "node_type": "grp"})
    assert isinstance(caught.value, (ValueError, ValidationError))
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ValidationError)
    assert str(caught.value) == 'v3 group: node_type: expected "group", found "grp"'
    assert caught.value.error_count() == 1


def test_an_error_survives_pickling() -> None:
    with pytest.raises(SpecError) as caught:
        v3.ArraySpec.parse(BAD)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.problems, str(again)) == (caught.value.problems, str(caught.value))
    assert places(again) == PLACES


def test_validators_of_a_spec_class_tell_like_rules() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(list[Square]).validate_python([v3.ArraySpec.build(shape=(3, 4), dtype="int8").to_dict()])
    assert places(caught.value) == [(0,)]
    with pytest.raises(ValidationError, match="expected one length"):
        Square.build(shape=(3, 4), dtype="int8")


Node = v2.ArraySpec | v2.GroupSpec | v3.ArraySpec | v3.GroupSpec
OLD = v2.ArraySpec.build(shape=(3,), dtype="int8")


@pytest.mark.parametrize("spec", [v3.ArraySpec(**ARRAY), v3.GroupSpec(), OLD, v2.GroupSpec()])
def test_a_plain_union_finds_the_class(spec: Any) -> None:
    made: Any = TypeAdapter(Node).validate_python(spec.to_dict())
    assert type(made) is type(spec)
    assert made == spec
    assert TypeAdapter(Node).validate_json(spec.to_json()) == spec


def test_a_union_names_classes_in_places() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(v2.ArraySpec | v3.ArraySpec).validate_python(BAD)
    assert places(caught.value) == [("v2.ArraySpec",), *under("v3.ArraySpec")]


@pytest.mark.parametrize(
    ("kind", "spec", "tag"),
    [
        (Annotated[v3.ArraySpec | v3.GroupSpec, Field(discriminator="node_type")], ARRAY, "array"),
        (Annotated[v2.ArraySpec | v3.ArraySpec, Field(discriminator="zarr_format")], ARRAY, 3),
        (Annotated[v2.GroupSpec | v3.GroupSpec, Field(discriminator="zarr_format")], {"zarr_format": 2}, 2),
    ],
)
def test_discriminators_choose_one_class(kind: Any, spec: Any, tag: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    made = adapter.validate_python(spec)
    assert made.to_dict() == spec
    assert adapter.validate_python(made) is made
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python({**spec, "attributes": 3})
    assert places(caught.value) == [(tag, "attributes")]


@pytest.mark.parametrize("number", [3.0, "3", 4, None])
def test_a_format_that_is_no_integer_of_the_class_is_refused(number: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        v3.GroupSpec.model_validate({"zarr_format": number, "node_type": "group"})
    assert places(caught.value) == [("zarr_format",)]


def test_a_faulty_member_leaves_typed_attributes_alone() -> None:
    class Title(BaseModel):
        title: str

    document = {**GROUP, "attributes": {"title": "x"}}
    assert [problem.pointer for problem in v3.GroupSpec[Title].check(document)] == [
        "/members/x/shape/0",
        "/members/x/codecs",
    ]
