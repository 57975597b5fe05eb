"""Specs are dumped as pydantic dumps models, by themselves and from a model that holds them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, computed_field, field_serializer, model_serializer

from zom import ExtensionError, v2, v3

ARRAY = v3.ArraySpec.build(shape=(3,), dtype="int8", attributes={"a": None, "b": {"c": 1, "d": 2}})
GROUP = v3.GroupSpec(attributes={"t": 1}, members={"x": ARRAY, "g": v3.GroupSpec()})
OLD = v2.ArraySpec.build(shape=(3,), dtype="int8", compress=None, fill_value=None, attributes={"n": None})


class Sized(v3.ArraySpec):
    @computed_field
    @property
    def size(self) -> int:
        return self.shape[0]

    @computed_field(alias="halfSize")
    @property
    def half(self) -> int | None:
        return self.shape[0] // 2 or None


class Holder(BaseModel):
    spec: v3.GroupSpec | v3.ArraySpec | v2.ArraySpec


SIZED = Sized(**v3.ArraySpec.build(shape=(7,), dtype="int8").to_dict())


@pytest.mark.parametrize(
    ("spec", "options", "expected"),
    [
        (ARRAY, {"include": {"shape"}}, {"shape": [3]}),
        (ARRAY, {"include": {"attributes": {"b": {"c"}}}}, {"attributes": {"b": {"c": 1}}}),
        (ARRAY, {"include": {"codecs": {0: {"name"}}}}, {"codecs": [{"name": "bytes"}]}),
        (
            ARRAY,
            {"include": {"codecs": {"__all__": {"name"}}}},
            {"codecs": [{"name": "bytes"}, {"name": "zstd"}]},
        ),
        (GROUP, {"include": {"members": {"x": {"shape"}}}}, {"members": {"x": {"shape": [3]}}}),
        (GROUP, {"exclude": {"members", "node_type"}}, {"zarr_format": 3, "attributes": {"t": 1}}),
        (
            GROUP,
            {"include": {"attributes", "zarr_format"}, "exclude": {"zarr_format"}},
            {"attributes": {"t": 1}},
        ),
        (v3.GroupSpec(), {"exclude_defaults": True}, {}),
        (v3.GroupSpec(), {"exclude_unset": True}, {"zarr_format": 3, "node_type": "group"}),
    ],
)
def test_options_are_those_of_pydantic(spec: Any, options: Any, expected: Any) -> None:
    assert spec.model_dump(**options) == expected
    assert json.loads(spec.model_dump_json(**options)) == expected
    held = {
        name: {"spec": value} if name in {"include", "exclude"} else value for name, value in options.items()
    }
    assert Holder(spec=spec).model_dump(**held) == {"spec": expected}
    assert json.loads(Holder(spec=spec).model_dump_json(**held)) == {"spec": expected}


def test_nulls_are_left_out_of_nodes_and_not_of_attributes() -> None:
    made = OLD.model_dump(exclude_none=True)
    assert made == {name: value for name, value in OLD.to_dict().items() if value is not None}
    assert made["attributes"] == {"n": None}
    held = v2.GroupSpec(members={"o": OLD}).model_dump(exclude_none=True)
    assert "filters" not in held["members"]["o"]


def test_without_options_the_document_is_dumped_in_its_order() -> None:
    assert GROUP.model_dump() == GROUP.to_dict()
    assert list(GROUP.model_dump()) == list(GROUP.to_dict())
    assert GROUP.model_dump_json() == GROUP.to_json()
    assert GROUP.model_dump_json(indent=1) == GROUP.to_json(indent=1)


def test_text_may_be_kept_to_ascii() -> None:
    spec = v3.GroupSpec(attributes={"e": "é𝄞"})
    assert spec.model_dump_json(ensure_ascii=True).isascii()
    assert json.loads(spec.model_dump_json(ensure_ascii=True)) == spec.to_dict()


def test_computed_fields_are_dumped_and_stand_in_no_document() -> None:
    assert SIZED.model_dump(include={"size", "half"}) == {"size": 7, "half": 3}
    assert SIZED.model_dump(include={"halfSize"}, by_alias=True) == {"halfSize": 3}
    assert "size" not in SIZED.to_dict()
    assert "size" not in SIZED.model_dump(round_trip=True)
    assert Sized.model_validate(SIZED.model_dump()) == SIZED
    group = v3.GroupSpec[Any, Sized](members={"s": SIZED})
    assert group.model_dump()["members"]["s"]["size"] == 7
    assert Holder(spec=group).model_dump()["spec"]["members"]["s"]["half"] == 3
    assert TypeAdapter(list[Sized]).dump_python([SIZED])[0]["size"] == 7


def test_a_copy_is_checked() -> None:
    assert ARRAY.model_copy(update={"shape": (4,)}).shape == (4,)
    with pytest.raises(ValueError, match="shape"):
        ARRAY.model_copy(update={"shape": (-4,)})


def test_serializers_are_refused_where_they_are_declared() -> None:
    expected = "a spec is written as its document; make it a computed field"
    with pytest.raises(ExtensionError, match=expected):

        class Field(v3.GroupSpec):
            @field_serializer("attributes")
            def short(self, value: Any) -> Any:
                return value

    with pytest.raises(ExtensionError, match=expected):

        class Whole(v3.GroupSpec):
            @model_serializer
            def short(self) -> Any:
                return {}
