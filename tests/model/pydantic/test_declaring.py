"""Classes of users: what no document can hold is refused where it is declared."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Required

import pytest
from pydantic import BaseModel, Field, create_model
from typing_extensions import ReadOnly, TypedDict

from zom import ExtensionError, SpecWarning, json_schema, v2, v3
from zom.formats import draft

ARRAY = v3.ArraySpec.build(shape=(3,), dtype="int8")


class Ignorable(TypedDict):
    must_understand: Literal[False]
    note: NotRequired[str]


class Understood(TypedDict):
    must_understand: Literal[True]


class Closed(BaseModel, extra="forbid"):
    note: str


class Open(BaseModel):
    note: str


@pytest.mark.parametrize(
    "annotation", [int, str | None, list[int], Understood, Closed, Literal["a"], list[Ignorable]]
)
@pytest.mark.parametrize("base", [v3.ArraySpec, v3.GroupSpec])
def test_a_member_that_v3_would_not_ignore_is_refused(base: Any, annotation: Any) -> None:
    message = (
        "Named.note: a member that the format doesn't define is an object with must_understand false; "
        "move it to attributes, or make it a computed field"
    )
    with pytest.raises(ExtensionError, match=re.escape(message)):
        create_model("Named", __base__=base, note=(annotation, ...))


@pytest.mark.parametrize(
    "annotation", [Ignorable, Open, dict[str, Any], Any, Ignorable | None, int | Ignorable]
)
def test_a_member_that_v3_ignores_is_a_field(annotation: Any) -> None:
    made: Any = create_model("Named", __base__=v3.GroupSpec, note=(annotation, ...))
    document = {**v3.GroupSpec().to_dict(), "note": {"must_understand": False, "note": "x"}}
    assert made.parse(document).to_dict() == document


@pytest.mark.parametrize(
    ("base", "what"),
    [
        (v2.GroupSpec, "a v2 group has only the members attributes, members, zarr_format"),
        (draft.GroupSpec, "a draft group has only the members attributes, members"),
    ],
)
def test_a_group_without_other_members_refuses_all(base: Any, what: str) -> None:
    with pytest.raises(ExtensionError, match=f"Named.note: {what}"):
        create_model("Named", __base__=base, note=(Ignorable, ...))


def test_an_array_of_v2_holds_any_other_member() -> None:
    made: Any = create_model("Named", __base__=v2.ArraySpec, note=(int, ...))
    document = {**v2.ArraySpec.build(shape=(3,), dtype="int8").to_dict(), "note": 3}
    with pytest.warns(SpecWarning, match="note: expected no such member"):
        assert made.parse(document).note == 3


def test_a_class_of_names_that_come_later_is_judged_once_they_are_known() -> None:
    class Named(v3.GroupSpec):
        note: Later  # noqa: F821 - it is to be unknown

    with pytest.raises(ExtensionError, match=r"Named\.note: a member that the format"):
        Named.model_rebuild(_types_namespace={"Later": int})


class Attributes(TypedDict):
    long_name: Annotated[str, Field(alias="long-name")]
    unit: NotRequired[Annotated[str, Field(alias="the unit")]]


class Bands(TypedDict):
    blue: Required[Annotated[v3.ArraySpec, Field(alias="B-02")]]
    red: NotRequired[Annotated[v3.ArraySpec, Field(validation_alias="B-04")]]
    notes: ReadOnly[NotRequired[v3.GroupSpec]]


with warnings.catch_warnings():
    warnings.simplefilter("error")

    class Product(v3.GroupSpec[Attributes]):
        members: Bands


def test_a_typed_dict_has_names_of_its_own_in_the_document() -> None:
    product = Product(attributes={"long-name": "x", "the unit": "m"}, members={"B-02": ARRAY})
    assert product.attributes == {"long_name": "x", "unit": "m"}
    assert product.to_dict()["attributes"] == {"long-name": "x", "the unit": "m"}
    assert list(product.to_dict()["members"]) == ["B-02"]
    assert product.members["blue"] is product.members["B-02"] is product["B-02"]
    assert ("blue" in product.members, "red" in product.members) == (True, False)
    assert product.members.get("red") is None
    assert Product.parse(product.to_json()) == product
    assert product.model_copy(update={"attributes": {"long-name": "y"}}).members["blue"] == ARRAY
    with pytest.raises(KeyError):
        product.members["red"]


def test_faults_stand_at_the_names_of_the_document() -> None:
    document = {
        **v3.GroupSpec().to_dict(),
        "attributes": {"the unit": 3},
        "members": {"notes": ARRAY.to_dict()},
    }
    assert sorted(problem.pointer for problem in Product.check(document)) == [
        "/attributes/long-name",
        "/attributes/the unit",
        "/members/B-02",
        "/members/notes",
    ]


def test_the_schema_has_the_names_of_the_document() -> None:
    schema = json_schema(Product)
    assert schema["properties"]["members"]["required"] == ["B-02"]
    assert sorted(schema["properties"]["members"]["properties"]) == ["B-02", "B-04", "notes"]
    assert sorted(schema["$defs"]["Attributes"]["properties"]) == ["long-name", "the unit"]


@dataclass(frozen=True)
class Inner:
    x: int


@dataclass(frozen=True)
class AsDataclass:
    units: str
    inner: Inner


class AsModel(BaseModel):
    units: str
    inner: Inner


class AsTypedDict(TypedDict):
    units: str
    inner: Inner


@pytest.mark.parametrize("attributes", [AsDataclass, AsModel, AsTypedDict])
@pytest.mark.parametrize("flavour", ["validation", "codegen"])
def test_nested_attributes_are_named_after_their_classes(attributes: Any, flavour: Any) -> None:
    cls: Any = v3.ArraySpec[attributes]
    schema = json_schema(cls, flavour=flavour)
    assert schema["properties"]["attributes"] == {"$ref": f"#/$defs/{attributes.__name__}"}
    assert schema["$defs"][attributes.__name__]["properties"]["inner"] == {"$ref": "#/$defs/Inner"}
    spec = cls(**{**ARRAY.to_dict(), "attributes": {"units": "m", "inner": {"x": 1}}})
    assert cls.parse(spec.to_json()) == spec


def test_two_classes_of_one_name_are_two_definitions() -> None:
    def made(kind: Any) -> Any:
        inner = create_model("Inner", x=(kind, ...))
        return v3.ArraySpec[create_model("Outer", inner=(inner, ...))]  # type: ignore[misc]

    class Both(v3.GroupSpec):
        members: dict[str, made(int) | made(str)]  # type: ignore[valid-type]

    names = json_schema(Both)["$defs"].keys()
    assert len([name for name in names if name.endswith("Inner")]) == 2
