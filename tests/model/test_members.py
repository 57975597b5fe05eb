"""What a group class asks of its members."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeVar

import jsonschema
import pytest
from pydantic import BaseModel, Field, model_validator
from typing_extensions import TypedDict

import zom
from zom import draft, v2, v3
from zom.errors import ExtensionError, SpecError

ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int32")
BYTES = v3.ArraySpec.build(shape=(4,), dtype="uint8")
GROUP: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}


class Attrs(BaseModel):
    units: str


class Bytes(v3.ArraySpec):
    data_type: Literal["uint8"]


class Image(TypedDict):
    data: Bytes
    time: NotRequired[v3.ArraySpec[Attrs]]


class Closed(TypedDict, closed=True):  # type: ignore[call-arg]
    data: Bytes


class Extra(TypedDict, extra_items=v3.GroupSpec):  # type: ignore[call-arg]
    data: Bytes


class ImageGroup(v3.GroupSpec):
    members: Image


class ClosedGroup(v3.GroupSpec):
    members: Closed


class ExtraGroup(v3.GroupSpec):
    members: Extra


class Node(v3.GroupSpec):
    members: dict[str, Node | Bytes] | None = None


def faults(cls: Any, members: Any) -> list[tuple[str, str]]:
    return [(p.code, p.pointer) for p in cls.check({**GROUP, "members": members})]


def test_a_plain_spec_is_taken_where_its_content_fits() -> None:
    tree = ImageGroup(members={"data": BYTES, "time": ARRAY.replace(attributes={"units": "s"})})
    assert type(tree["data"]) is Bytes
    assert tree["time"].attributes.units == "s"
    nested = v3.GroupSpec[Any, Bytes](members={"a": BYTES})
    assert type(nested["a"]) is Bytes
    assert nested["a"] == BYTES


def test_a_spec_of_the_class_stays_the_object_it_is() -> None:
    data = Bytes(**BYTES.document)
    assert ImageGroup(members={"data": data})["data"] is data


def test_a_required_member_that_is_missing_is_one_problem() -> None:
    assert faults(ImageGroup, {}) == [("spec/member", "/members/data")]


def test_a_required_member_at_fault_is_not_missing() -> None:
    found = faults(ImageGroup, {"data": {**BYTES.to_dict(), "shape": [-1]}})
    assert found == [("v3/shape", "/members/data/shape/0")]


def test_members_that_a_class_needs_cannot_be_unknown() -> None:
    for cls in (ImageGroup, v3.GroupSpec[Any, Image]):
        (problem,) = cls.check(GROUP)
        assert problem.pointer == "/members"
        assert str(problem) == (
            "members: expected an object of nodes, found nothing; "
            "read the group with its members, which the class names"
        )
        assert [p.pointer for p in cls.check({**GROUP, "members": 3})] == ["/members"]
        assert [p.pointer for p in cls.check({**GROUP, "members": None}, "lenient")] == ["/members"] * 2


def test_a_typed_dict_leaves_other_names_open_unless_it_is_closed() -> None:
    members = {"data": BYTES, "other": v3.GroupSpec()}
    assert list(ImageGroup(members=members).members) == ["data", "other"]
    (problem,) = ClosedGroup.check({**GROUP, "members": members})
    assert (problem.code, problem.pointer) == ("spec/member", "/members/other")
    assert problem.expected == "only the members data"
    assert ClosedGroup(members={"data": BYTES}).members.keys() == {"data"}


def test_extra_items_say_what_other_members_are() -> None:
    assert ExtraGroup(members={"data": BYTES, "x": v3.GroupSpec(), "y": v3.GroupSpec()})
    assert faults(ExtraGroup, {"data": BYTES, "x": ARRAY}) == [("spec/member", "/members/x")]


def test_a_class_may_be_its_own_member() -> None:
    tree = Node.parse({**GROUP, "members": {"a": {**GROUP, "members": {"b": BYTES.to_dict()}}}})
    assert [type(node) for _, node in tree.walk()] == [Node, Node, Bytes]
    assert faults(Node, {"a": {**GROUP, "members": {"b": ARRAY.to_dict()}}}) == [
        ("spec/annotation", "/members/a/members/b/data_type")
    ]


def test_a_member_of_the_other_kind_is_one_problem() -> None:
    assert faults(ImageGroup, {"data": GROUP}) == [("spec/member", "/members/data")]
    assert faults(v3.GroupSpec[Any, v3.ArraySpec], {"a": {**GROUP, "x": 1}}) == [
        ("spec/member", "/members/a")
    ]


class Counted(v3.GroupSpec):
    @model_validator(mode="after")
    def two(self) -> Counted:
        if len(self.members or ()) != 2:
            message = "two members"
            raise ValueError(message)
        return self


def test_a_validator_of_the_group_waits_until_its_members_are_right() -> None:
    assert faults(Counted, {"a": GROUP}) == [("spec/annotation", "")]
    assert faults(Counted, {"a": {**GROUP, "x": 1}}) == [("v3/unknown-member", "/members/a/x")]
    assert faults(Counted, {"a": GROUP, "b": GROUP}) == []


def test_flattened_groups_do_not_claim_to_have_what_their_class_asks_for() -> None:
    tree = ImageGroup(members={"data": BYTES})
    flat = tree.flatten()
    assert type(flat["/"]) is v3.GroupSpec
    assert (
        type(v3.GroupSpec[Attrs](attributes={"units": "m"}, members={"a": BYTES}).flatten()["/"])
        is v3.GroupSpec[Attrs]
    )


def test_members_are_specs() -> None:
    class Wrong(v3.GroupSpec):
        members: dict[str, int] | None = None

    with pytest.raises(
        ExtensionError, match=r"Wrong.members: expected specs as members, found <class 'int'>"
    ):
        Wrong(members={})


T = TypeVar("T")


class OfMembers(v3.GroupSpec[Attrs, T]):
    """A group with its attributes fixed and its members open."""


def test_a_generic_subclass_takes_its_members_type() -> None:
    tree = OfMembers[Bytes](attributes={"units": "m"}, members={"a": BYTES})
    assert type(tree["a"]) is Bytes
    with pytest.raises(SpecError, match='data_type: expected "uint8"'):
        OfMembers[Bytes](attributes={"units": "m"}, members={"a": ARRAY})


@pytest.mark.parametrize("form", [v2, v3, draft])
def test_a_typed_dict_as_parameter_names_the_members(form: Any) -> None:
    array = form.ArraySpec.build(shape=(4,), dtype="int32", compress=None)

    fields: Any = {
        "data": form.ArraySpec,
        "more": NotRequired[form.GroupSpec],
        "renamed": NotRequired[Annotated[form.ArraySpec, Field(alias="re-named")]],
    }
    cls = form.GroupSpec[Any, TypedDict("Fields", fields)]  # type: ignore[operator]
    tree = cls(attributes={}, members={"data": array, "other": array, "re-named": array})
    assert tree.members["data"] == tree.members["renamed"] == array
    assert cls.parse(tree.to_json()) == tree
    document = {**tree.to_dict(), "members": {"more": array.to_dict()}}
    assert [(p.pointer, p.expected) for p in cls.check(document)] == [
        ("/members/data", 'a member "data"'),
        ("/members/more", "a group"),
    ]


def test_the_schema_of_members_by_parameter_names_them() -> None:
    by_parameter = zom.json_schema(v3.GroupSpec[Any, Image])
    for document, valid in (
        ({**GROUP, "members": {"data": BYTES.to_dict()}}, True),
        ({**GROUP, "members": {}}, False),
        ({**GROUP, "members": {"data": ARRAY.to_dict()}}, False),
        ({**GROUP, "members": {"data": BYTES.to_dict(), "time": ARRAY.to_dict()}}, False),
    ):
        assert jsonschema.Draft202012Validator(by_parameter).is_valid(document) is valid
        assert (v3.GroupSpec[Any, Image].check(document) == ()) is valid


def test_a_generic_subclass_takes_a_typed_dict_for_its_members() -> None:
    tree = OfMembers[Image](attributes={"units": "m"}, members={"data": BYTES})
    assert type(tree.members["data"]) is Bytes
    with pytest.raises(SpecError, match=r'members\.data: expected a member "data", found nothing'):
        OfMembers[Image](attributes={"units": "m"}, members={})


class Bands(TypedDict):
    blue: Annotated[v3.ArraySpec, Field(alias="B-02")]


class Product(v3.GroupSpec):
    members: Bands


def test_python_names_members_by_their_keys_or_as_the_document_does() -> None:
    product = Product(members={"blue": BYTES})
    assert product == Product.model_validate({**GROUP, "members": {"B-02": BYTES}})
    assert list(product.to_dict()["members"]) == ["B-02"]
    assert product.replace(members={"blue": ARRAY}).members["blue"] == ARRAY
    both = v3.GroupSpec[Any, Bands](attributes={}, members={"blue": ARRAY, "B-02": BYTES})  # type: ignore[typeddict-unknown-key]
    assert list(both.to_dict()["members"]) == ["blue", "B-02"]
    (problem,) = Product.check({**GROUP, "members": {"blue": BYTES}})
    assert problem.pointer == "/members/B-02"
