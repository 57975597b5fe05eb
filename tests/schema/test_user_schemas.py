"""Schemas of users' classes and templates: narrowed as annotated, with nothing lost in silence."""

from __future__ import annotations

import datetime as dt  # noqa: TC003 - pydantic reads the annotation
from typing import Annotated, NotRequired

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from pydantic import BaseModel, Field, field_validator, model_validator
from typing_extensions import TypedDict

from zom import draft, v2, v3
from zom.schema import json_schema
from zom.template import ArrayTemplate, GroupTemplate, NodeTemplate, Pattern


class Attributes(BaseModel):
    units: str
    scale: Annotated[float, Field(gt=0)] = 1.0


class Judged(BaseModel):
    units: str
    when: dt.datetime | None = None

    @field_validator("units")
    @classmethod
    def known(cls, value: str) -> str:
        return value


class Wind(v3.ArraySpec[Attributes]):
    shape: tuple[int, int]


class Members(TypedDict, closed=True):  # type: ignore[call-arg]
    u: Wind
    notes: NotRequired[v3.GroupSpec]


class Winds(v3.GroupSpec):
    members: Members


class Mixed(v3.GroupSpec):
    members: dict[str, Wind | Winds]


class Odd(v3.ArraySpec[Judged]):
    @model_validator(mode="after")
    def odd(self) -> Odd:
        return self


def wind(**changes):
    made = {"shape": (2, 3), "dtype": "int8", "attributes": {"units": "m/s"}, **changes}
    return v3.ArraySpec.build(**made).to_dict()


def group(**members):
    return {"zarr_format": 3, "node_type": "group", "members": members}


CASES = [
    (Wind, wind()),
    (Wind, wind(shape=(2,))),
    (Wind, wind(attributes={})),
    (Wind, wind(attributes={"units": "m/s", "scale": -1.0})),
    (Wind, {name: value for name, value in wind().items() if name != "attributes"}),
    (Winds, group(u=wind())),
    (Winds, group()),
    (Winds, group(u=wind(), other=wind())),
    (Winds, group(u=wind(), notes=group())),
    (Winds, group(u=wind(), notes=wind())),
    (Winds, {"zarr_format": 3, "node_type": "group"}),
    (Mixed, group(any=wind(), more=group(u=wind()))),
    (Mixed, group(any=wind(shape=(2,)))),
    (v2.GroupSpec[Attributes], {"zarr_format": 2, "attributes": {"units": "m"}}),
    (v2.GroupSpec[Attributes], {"zarr_format": 2, "attributes": {"units": 1}}),
    (draft.GroupSpec[Attributes], {"attributes": {}}),
]


@pytest.mark.parametrize(("cls", "document"), CASES)
def test_the_schema_of_a_class_agrees_with_the_class(cls, document):
    problems = [problem for problem in cls.check(document) if problem.severity == "error"]
    assert Draft202012Validator(json_schema(cls)).is_valid(document) is not bool(problems)
    assert Draft7Validator(json_schema(cls, "draft-07")).is_valid(document) is not bool(problems)


@pytest.mark.parametrize("cls", [Wind, Winds, Mixed, v2.GroupSpec[Attributes], v3.ArraySpec[Attributes]])
def test_the_schema_of_a_class_is_valid_in_every_form(cls):
    for draft_, validator in (("2020-12", Draft202012Validator), ("draft-07", Draft7Validator)):
        for flavour in ("validation", "codegen"):
            validator.check_schema(json_schema(cls, draft_, flavour))


def test_a_class_of_the_format_itself_has_the_schema_of_its_name():
    assert json_schema(v3.GroupSpec) == json_schema("v3/group")
    assert json_schema(v3.ArraySpec, flavour="codegen") == json_schema("v3/array", flavour="codegen")


def test_what_a_class_asks_by_code_is_reported():
    schema, losses = json_schema(Odd, report=True)
    assert [str(loss) for loss in losses] == [
        "Odd.attributes: the validator Judged.known",
        "Odd.attributes: the format 'date-time': JSON Schema doesn't enforce it",
        "Odd: the validator odd",
    ]
    assert "x-zom-not-expressed" not in schema


def test_what_is_lost_is_noted_in_the_schema_where_no_report_is_asked_for():
    noted = json_schema(Odd)["x-zom-not-expressed"]
    assert noted[0] == {"where": "Odd.attributes", "what": "the validator Judged.known"}
    assert "x-zom-not-expressed" not in json_schema(Wind)


# --- templates -----------------------------------------------------------------------------------------

PRODUCT = GroupTemplate(
    members={
        "band": ArrayTemplate(dtype="uint", rank=2, attributes={"units": "string", "scale": "number?"}),
        "mask": ArrayTemplate(dtype="bool", dimension_names=["y", "x"], shape={"y": {"min": 2}}),
    },
    optional=["mask"],
    open=False,
    patterns=[
        Pattern(pattern="r[0-9]+m", template=GroupTemplate(members={"a": ArrayTemplate(codecs=["zstd"])}))
    ],
)
BAND = v3.ArraySpec.build(shape=(4, 3), dtype="uint8", attributes={"units": "m"}, checksum=False)
MASK = v3.ArraySpec.build(shape=(4, 3), dtype="bool", dimension_names=("y", "x"))
GZIP = v3.ArraySpec.build(shape=(4,), dtype="int8", compress="gzip", checksum=False)


@pytest.mark.parametrize(
    ("template", "spec"),
    [
        (PRODUCT, v3.GroupSpec(members={"band": BAND})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND, "mask": MASK})),
        (PRODUCT, v3.GroupSpec(members={"band": MASK})),
        (PRODUCT, v3.GroupSpec(members={"mask": MASK})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND, "other": BAND})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND.replace(attributes={})})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND, "mask": MASK.replace(dimension_names=["x", "y"])})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND, "r10m": v3.GroupSpec(members={"a": BAND})})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND, "r10m": v3.GroupSpec(members={"a": GZIP})})),
        (PRODUCT, v3.GroupSpec(members={"band": BAND, "r10m": BAND})),
        (PRODUCT, BAND),
        (NodeTemplate(array=ArrayTemplate(rank=[1, 3])), BAND),
        (NodeTemplate(array=ArrayTemplate(rank=[1, 3])), GZIP),
        (ArrayTemplate(shape={"0": 4}), BAND),
        (ArrayTemplate(shape={"0": {"max": 3}}), BAND),
        (ArrayTemplate(shape={"1": {"multiple_of": 2}}), BAND),
        (ArrayTemplate(sharded=True), BAND),
        (ArrayTemplate(sharded=True), v3.ArraySpec.build(shape=(8,), dtype="int8", chunks=2, shards=4)),
        (ArrayTemplate(dtype=["float", "int8"]), GZIP),
        (ArrayTemplate(attributes={"type": "object", "required": ["units"]}), GZIP),
    ],
)
def test_the_schema_of_a_template_agrees_with_the_template(template, spec):
    fits = not [problem for problem in template.check(spec) if problem.severity == "error"]
    document = spec.to_dict()
    assert Draft202012Validator(json_schema(template)).is_valid(document) is fits
    assert Draft7Validator(json_schema(template, "draft-07")).is_valid(document) is fits
    if fits:
        assert Draft202012Validator(json_schema(template, flavour="codegen")).is_valid(document)


def test_what_a_template_asks_across_nodes_is_reported():
    template = GroupTemplate(
        members={"a": ArrayTemplate(chunks={"y": 2}, shape={"y": 3}, fill_value=0)},
        patterns=[Pattern(pattern="r.*", template=ArrayTemplate(), max_count=2, same=["dtype"])],
        same_length=True,
    )
    _, losses = json_schema(template, report=True)
    assert {loss.where for loss in losses} == {
        "template.members.a.chunks",
        "template.members.a.shape.y",
        "template.members.a.fill_value",
        "template.patterns[0]",
        "template.same_length",
    }
