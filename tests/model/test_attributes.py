"""Attributes with a declared type."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
import pickle
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

import pytest
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from zom import v2, v3
from zom.errors import ExtensionError, SpecError, SpecWarning
from zom.json.value import JSONDict, JSONList


class Model(BaseModel):
    title: str
    units: list[str] = Field(default=[], alias="the units")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    title: str


class Dict(TypedDict):
    title: str
    units: NotRequired[list[str]]


@dataclasses.dataclass
class Data:
    title: str
    units: list[str] = dataclasses.field(default_factory=list)


class Times(BaseModel):
    start: dt.datetime


def test_a_model_is_written_under_its_aliases() -> None:
    spec = v3.GroupSpec[Model](attributes=Model.model_validate({"title": "x", "the units": ["m"]}))
    assert spec.document["attributes"] == {"title": "x", "the units": ["m"]}
    assert spec.attributes.units == ["m"]
    assert isinstance(spec.attributes, Model)


@pytest.mark.parametrize("kind", [Model, Dict, Data, Open, Mapping[str, Any], dict[str, Any]])
def test_what_the_type_does_not_declare_is_kept(kind: Any) -> None:
    document = {"zarr_format": 3, "node_type": "group", "attributes": {"extra": [1], "title": "x"}}
    spec = v3.GroupSpec[kind].parse(document)  # type: ignore[valid-type]
    assert json.dumps(spec.to_dict()) == json.dumps(document)


def test_what_the_type_forbids_is_one_problem() -> None:
    found = v3.GroupSpec[Closed].check(
        {"zarr_format": 3, "node_type": "group", "attributes": {"title": "x", "extra": 1}}
    )
    assert [(p.code, p.pointer, p.expected) for p in found] == [
        ("spec/attributes", "/attributes/extra", "only title")
    ]


@pytest.mark.parametrize("kind", [Model, Dict, Data])
def test_each_fault_in_attributes_is_one_problem(kind: Any) -> None:
    document = {"zarr_format": 3, "node_type": "group", "attributes": {"title": 1}}
    found = v3.GroupSpec[kind].check(document)  # type: ignore[valid-type]
    assert [(p.code, p.pointer, p.expected, p.found) for p in found] == [
        ("spec/attributes", "/attributes/title", "a string", "1")
    ]
    found = v3.GroupSpec[kind].check({**document, "attributes": {}})  # type: ignore[valid-type]
    assert [(p.pointer, p.found) for p in found] == [("/attributes/title", "nothing")]


@pytest.mark.parametrize("kind", [Model, Dict, Data])
@pytest.mark.parametrize("raw", [[], 1, "x"])
def test_attributes_that_are_no_object_are_one_problem_of_the_format(kind: Any, raw: Any) -> None:
    found = v3.GroupSpec[kind].check({"zarr_format": 3, "node_type": "group", "attributes": raw})  # type: ignore[valid-type]
    assert [(p.code, p.pointer) for p in found] == [("v3/attributes", "/attributes")]


def test_null_attributes_are_no_attributes_to_a_lenient_reader() -> None:
    document = {"zarr_format": 3, "node_type": "group", "attributes": None}
    spec = v3.GroupSpec.parse(document, "lenient", on_warning=lambda _problem: None)
    assert spec.attributes == {}
    assert spec.to_dict() == document
    found = v3.GroupSpec[Model].check(document, "lenient")
    assert [(p.severity, p.pointer) for p in found] == [
        ("warning", "/attributes"),
        ("error", "/attributes/title"),
    ]


@pytest.mark.parametrize("kind", [Model, Dict, Data, Open, dict[str, list[str] | str]])
def test_lists_and_dicts_in_typed_attributes_cannot_change(kind: Any) -> None:
    attributes = {"title": "x", "units": ["m"], "the units": ["m"]}
    spec = v3.GroupSpec[kind](attributes=attributes)  # type: ignore[valid-type]
    held = spec.attributes
    units = held["units"] if isinstance(held, dict) else held.units
    assert type(units) is JSONList
    with pytest.raises(TypeError, match="can't change"):
        units.append("s")
    if isinstance(held, dict):
        assert type(held) is JSONDict


def test_a_callers_model_may_change_afterwards() -> None:
    mine = Model.model_validate({"title": "x", "the units": ["m"]})
    spec = v3.GroupSpec[Model](attributes=mine)
    mine.units.append("s")
    mine.title = "y"
    assert spec.attributes.title == "x"
    assert spec.attributes.units == ["m"]


def test_values_are_written_as_json_writes_them() -> None:
    noon = dt.datetime(2020, 1, 2, 12, tzinfo=dt.UTC)
    spec = v3.GroupSpec[Times](attributes=Times(start=noon))
    assert spec.document["attributes"] == {"start": "2020-01-02T12:00:00Z"}
    assert spec.attributes.start == noon
    again = v3.GroupSpec[Times].parse(spec.to_json())
    assert again == spec
    assert again.attributes.start == noon
    assert v3.GroupSpec[dict[str, dt.date]](attributes={"d": dt.date(2020, 1, 2)}).document["attributes"] == {
        "d": "2020-01-02"
    }


def test_a_value_that_is_not_the_declared_type_is_not_turned_into_it() -> None:
    with pytest.raises(SpecError, match=r"attributes\.title: expected a string, found 1"):
        v3.GroupSpec[Model](attributes={"title": 1})


def test_nan_in_a_model_is_kept_not_nulled() -> None:
    class Scale(BaseModel):
        scale: float

    with pytest.warns(SpecWarning, match=r"attributes\.scale: expected a finite number, found NaN; JSON has"):
        spec = v3.GroupSpec[Scale](attributes=Scale(scale=float("nan")))
    assert math.isnan(spec.attributes.scale)
    assert spec.to_json().endswith('"attributes":{"scale":NaN}}')
    assert pickle.loads(pickle.dumps(v3.GroupSpec.parse(spec.to_json(), "lenient", on_warning=print))) == spec


def test_typed_specs_pickle() -> None:
    spec = v3.GroupSpec[Model](attributes={"title": "x"})
    again = pickle.loads(pickle.dumps(spec))
    assert type(again) is v3.GroupSpec[Model]
    assert again.attributes == spec.attributes


class Xarray(v2.ArraySpec):
    attributes: Model


def test_a_subclass_may_declare_its_attributes() -> None:
    spec = Xarray.build(shape=1, dtype="u1", attributes={"title": "x"})
    assert spec.attributes.title == "x"
    with pytest.raises(SpecError, match=r"attributes\.title: expected a string, found nothing"):
        Xarray.build(shape=1, dtype="u1")


def test_a_constrained_type_is_checked() -> None:
    kind = Annotated[dict[str, int], Field(min_length=1)]

    class Filled(v3.GroupSpec):
        attributes: kind  # type: ignore[valid-type]

    Filled(attributes={"a": 1})
    assert [p.pointer for p in Filled.check({"zarr_format": 3, "node_type": "group", "attributes": {}})] == [
        "/attributes"
    ]


def test_a_type_that_pydantic_does_not_know_is_told() -> None:
    class Strange:
        pass

    with pytest.raises(ExtensionError, match=r"attributes: expected a type that pydantic supports, found"):
        v3.GroupSpec[Strange](attributes={})
