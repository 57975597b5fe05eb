from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the classes are evaluated
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NotRequired

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from zom import v3
from zom.errors import SpecError
from zom.template import (
    ArrayClass,
    ArrayTemplate,
    GroupClass,
    GroupTemplate,
    NodeTemplate,
    Pattern,
    Reference,
)


class Band(ArrayClass, rank=2, dtype="uint16", chunks={"y": [256, 512]}):
    pass


class Extra(GroupClass):
    pass


def test_an_array_class_is_the_template_that_its_keywords_say():
    assert Band.template == ArrayTemplate(rank=2, dtype="uint16", chunks={"y": [256, 512]})


def test_the_annotations_of_a_group_class_are_its_members():
    class Product(GroupClass, open=False, same_length=["y"], references=[Reference(attribute="/a")]):
        b02: Band
        mask: Annotated[Band, ArrayTemplate(dtype="bool")] | None
        either: Band | Extra
        resolutions: Annotated[Mapping[str, Extra], Pattern(pattern="r[0-9]+m", min_count=1)]
        version: ClassVar[int] = 3

    assert Product.template == GroupTemplate(
        members={
            "b02": Band.template,
            "mask": ArrayTemplate(rank=2, dtype="bool", chunks={"y": [256, 512]}),
            "either": NodeTemplate(array=Band.template, group=GroupTemplate()),
        },
        optional=["mask"],
        patterns=[Pattern(pattern="r[0-9]+m", min_count=1, template=GroupTemplate())],
        open=False,
        same_length=["y"],
        references=[Reference(attribute="/a")],
    )


def test_members_whose_names_python_can_not_spell_are_given_as_a_mapping():
    class Pyramid(GroupClass, members={"0": Band, "s-1": Band.template}, optional=["s-1"]):
        labels: Extra | None

    assert list(Pyramid.template.members) == ["0", "s-1", "labels"]
    assert Pyramid.template.optional == ("s-1", "labels")


def test_a_subclass_adds_to_its_base_and_changes_it():
    class Optical(GroupClass, open=False):
        b02: Band
        b03: Band | None

    class Thermal(Optical, open=True):
        b03: Band
        b10: Band | None

    assert Thermal.template == GroupTemplate(
        members={"b02": Band.template, "b03": Band.template, "b10": Band.template},
        optional=["b10"],
        open=True,
    )

    class WideBand(Band, rank=3):
        pass

    assert WideBand.template == Band.template.replace(rank=3)


class Model(BaseModel):
    units: str
    scale: float | None = Field(default=None, alias="scale_factor")


@dataclass
class Record:
    units: str


class Typed(TypedDict):
    units: str
    scale: NotRequired[float]


@pytest.mark.parametrize("declared", [Model, Record, Typed])
def test_attributes_are_a_model_a_dataclass_or_a_typed_dict(declared):
    class Variable(ArrayClass):
        attributes: declared

    class Node(GroupClass):
        attributes: declared

    spec = v3.ArraySpec.build(shape=(4,), dtype="int8", attributes={"units": 3})
    assert [p.pointer for p in Variable.check(spec)] == ["/attributes/units"]
    assert [p.pointer for p in Node.check(v3.GroupSpec(members={}))] == ["/attributes/units"]
    assert Variable.check(spec.replace(attributes={"units": "K"})) == ()


def test_the_alias_of_a_field_is_the_name_of_the_attribute():
    class Variable(ArrayClass):
        attributes: Model

    assert set(Variable.template.attributes["properties"]) == {"units", "scale_factor"}


def test_attributes_of_any_kind_ask_for_nothing():
    class Variable(ArrayClass):
        attributes: Mapping[str, Any]

    assert Variable.check(v3.ArraySpec.build(shape=(4,), dtype="int8")) == ()


class Strange:
    pass


def refused(make):
    with pytest.raises(SpecError) as caught:
        make()
    (problem,) = caught.value.problems
    return problem


def test_a_typo_is_an_error_where_the_class_is_defined():
    def make():
        class Variable(ArrayClass, dtype="flaot"):
            pass

    assert refused(make).pointer == "/dtype"

    def make_unknown():
        class Variable(ArrayClass, dytpe="float"):
            pass

    assert refused(make_unknown).fix == "did you mean 'dtype'?"


def test_a_member_is_annotated_with_a_class_of_templates():
    def make():
        class Product(GroupClass):
            b02: int

    problem = refused(make)
    assert problem.pointer == "/b02"
    assert problem.expected == "an array class, a group class, or a mapping of them with a Pattern"


def test_an_array_class_has_no_members():
    def make():
        class Variable(ArrayClass):
            units: str

    assert refused(make).expected == "no annotation but attributes"


def test_attributes_are_of_a_type_that_pydantic_knows():
    def make():
        class Variable(ArrayClass):
            attributes: Strange

    assert refused(make).pointer == "/attributes"
