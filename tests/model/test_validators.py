"""Validators of users' classes: they check documents, and what they would change is told, never lost."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

import zom
from zom import v2, v3

ARRAY = v3.ArraySpec.build(shape=(3,), dtype="int8", attributes={"x": 1})
WAYS: Any = ["init", "parse", "model_validate", "adapter", "parent", "replace"]


def read(cls: Any, way: str, attributes: Any) -> Any:
    """A group of the class, made in one of the ways of pydantic and of zom."""
    given = {} if attributes is None else {"attributes": attributes}
    document = {"zarr_format": 3, "node_type": "group", **given}
    if way == "init":
        return cls(**given)
    if way == "replace":
        return cls(attributes={"fine": 1}).replace(attributes=attributes or {})
    if way == "parse":
        return cls.parse(document)
    if way == "model_validate":
        return cls.model_validate(document)
    if way == "adapter":
        return TypeAdapter(cls).validate_python(document)

    class Parent(BaseModel):
        spec: cls

    return Parent(spec=document).spec


def changed(value: Any) -> Any:
    return value if "fine" in value else {**value, "added": 1}


def by_field(mode: Any) -> Any:
    class Made(v3.GroupSpec):
        @field_validator("attributes", mode=mode)
        @classmethod
        def change(cls, value: Any) -> Any:
            return changed(value)

    return Made


class AnnotatedBefore(v3.GroupSpec):
    attributes: Annotated[dict[str, Any], BeforeValidator(changed)]


class AnnotatedAfter(v3.GroupSpec):
    attributes: Annotated[dict[str, Any], AfterValidator(changed)]


class WholeBefore(v3.GroupSpec):
    @model_validator(mode="before")
    @classmethod
    def change(cls, values: Any) -> Any:
        return {**values, "attributes": changed(values.get("attributes", {}))}


class WholeAfter(v3.GroupSpec):
    @model_validator(mode="after")
    def change(self) -> Any:
        return (
            self
            if "added" in self.attributes or "fine" in self.attributes
            else v3.GroupSpec.parse({**self.to_dict(), "attributes": {"added": 1}})
        )


class WholeWrapped(v3.GroupSpec):
    @model_validator(mode="wrap")
    @classmethod
    def change(cls, values: Any, handler: Any) -> Any:
        return handler({**values, "attributes": changed(values.get("attributes", {}))})


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "cls",
    [by_field("before"), by_field("after"), by_field("plain"), AnnotatedBefore, AnnotatedAfter, WholeBefore, WholeWrapped, WholeAfter],
    ids=["before", "after", "plain", "annotated before", "annotated after", "whole before", "whole wrapped", "whole after"],
)  # fmt: skip
def test_a_validator_that_gives_another_value_is_refused(cls, way):
    with pytest.raises(ValidationError, match="validators of specs can't change values") as raised:
        read(cls, way, {"x": 1})
    (problem,) = raised.value.errors()
    assert (problem["type"], problem["loc"][-1]) == ("spec/annotation", "attributes")
    assert read(cls, way, {"fine": 1}).attributes == {"fine": 1}


@pytest.mark.parametrize("cls", [WholeBefore, WholeWrapped])
def test_what_a_validator_adds_is_told_too(cls):
    with pytest.raises(zom.SpecError) as raised:
        cls()
    wanted = (
        'v3 group: attributes: expected {"added": 1}, found nothing; validators of specs can\'t change values'
    )
    assert str(raised.value).startswith(wanted)


class Checked(v3.ArraySpec):
    """It has validators of all kinds, none of which changes anything."""

    @model_validator(mode="before")
    @classmethod
    def first(cls, values: Any) -> Any:
        return dict(values)

    @field_validator("shape", "codecs", "chunk_grid", "fill_value", "attributes", mode="before")
    @classmethod
    def same(cls, value: Any) -> Any:
        return value

    @field_validator("*")
    @classmethod
    def last(cls, value: Any) -> Any:
        return value

    @model_validator(mode="after")
    def whole(self) -> Any:
        return self


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"attributes": {"x": float("nan"), "deep": [{"a": [1, (2,)]}]}},
        {"codecs": ("bytes",)},
        {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": (2,)}}},
        {"dimension_names": ("x",)},
        {"fill_value": 3},
        {"extra": {"name": "a", "must_understand": False}},
    ],
)
def test_validators_that_check_let_everything_pass(more):
    document = {**ARRAY.to_dict(), **more}
    plain = v3.ArraySpec.parse(document, "lenient", on_warning=lambda _: None)
    assert Checked.parse(document, "lenient", on_warning=lambda _: None) == plain


def test_types_of_ones_own_are_no_change():
    class Measured(BaseModel):
        units: str

        @field_validator("units")
        @classmethod
        def lower(cls, value: str) -> str:
            return value.lower()

    class Made(v2.ArraySpec[Measured]):
        @model_validator(mode="after")
        def whole(self) -> Any:
            assert self.attributes.units
            return self

    made = Made.build(shape=(3,), dtype="int8", attributes={"units": "KM"})
    assert made.attributes.units == "km"
    assert made.to_dict()["attributes"] == {"units": "KM"}
