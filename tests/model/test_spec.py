"""Specs as frozen, lossless documents."""

from __future__ import annotations

import copy
import json
import pickle
import types
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError, field_validator, model_validator

import zom
from zom import draft, v2, v3
from zom.errors import SpecError, SpecWarning
from zom.json.value import JSONDict, JSONList, thaw
from zom.model.spec import Spec
from zom.testing.strategies import array_documents, group_documents, group_specs

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS = ("v2", "v3", "draft")
MODULES: dict[str, Any] = {"v2": v2, "v3": v3, "draft": draft}

some_settings = settings(max_examples=60, deadline=None)


def array(**changes: Any) -> v3.ArraySpec:
    return v3.ArraySpec.build(shape=(4,), dtype="int32", **changes)


def documents(form: str) -> Any:
    return array_documents(form) | group_documents(form, max_depth=2)


# --- lossless ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
@some_settings
def test_a_document_comes_back_as_it_was_with_every_key_in_its_place(form: str, data: Any) -> None:
    document = data.draw(documents(form))
    text = json.dumps(document)
    for given_ in (text, text.encode(), document):
        spec = MODULES[form].parse(given_)
        assert json.dumps(json.loads(spec.to_json())) == text
        assert json.dumps(spec.to_dict()) == text


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
@some_settings
def test_the_format_is_found_in_the_document(form: str, data: Any) -> None:
    document = data.draw(documents(form))
    # A group of the draft says no format: only draft.parse reads one without arrays.
    assume(form != "draft" or "chunk_memory_layout" in json.dumps(thaw(document)))
    assert zom.parse(document) == MODULES[form].parse(document)


@pytest.mark.slow
@pytest.mark.parametrize("indent", [None, 2])
@given(spec=group_specs())
@some_settings
def test_text_reads_back_equal(indent: int | None, spec: Any) -> None:
    assert v3.parse(spec.to_json(indent=indent)) == spec


def test_unknown_members_are_not_the_same_as_none() -> None:
    unknown, empty = v3.GroupSpec(), v3.GroupSpec(members={})
    assert unknown.members is None
    assert empty.members == {}
    assert unknown != empty
    assert not unknown.like(empty)
    assert "members" not in unknown.to_dict()
    assert v3.parse(empty.to_json()).members == {}


@pytest.mark.parametrize("form", FORMATS)
def test_a_root_may_be_an_array(form: str) -> None:
    spec = MODULES[form].ArraySpec.build(shape=(3,), dtype="uint8")
    assert zom.parse(spec.to_json()) == spec
    assert [path for path, _ in spec.walk()] == ["/"]


@pytest.mark.parametrize("place", range(4))
def test_members_stay_where_they_stood_when_other_members_change(place: int) -> None:
    items = [("zarr_format", 3), ("node_type", "group"), ("attributes", {"a": 1})]
    items.insert(place, ("members", {}))
    spec = v3.parse(dict(items))
    order = [name for name, _ in items]
    assert list(spec.replace(attributes={"b": 2}).to_dict()) == order
    assert list(spec.replace(members={"x": v3.GroupSpec()}).to_dict()) == order
    assert list(pickle.loads(pickle.dumps(spec)).to_dict()) == order
    assert list(zom.unflatten(spec.flatten()).to_dict()) == order


def test_members_that_become_known_come_last() -> None:
    changed = v3.GroupSpec(attributes={}).replace(members={})
    assert list(changed.to_dict()) == ["zarr_format", "node_type", "attributes", "members"]


@pytest.mark.parametrize(
    "name", ["family", "level", "document", "walk", "model_config", "class", "self", "ndim"]
)
def test_a_member_may_be_called_like_anything_in_python(name: str) -> None:
    document = {"zarr_format": 3, "node_type": "group", name: {"must_understand": False}}
    spec = v3.parse(document)
    assert spec.to_dict() == document
    assert spec.family is v3.GroupSpec.family
    assert v3.GroupSpec(**{name: {"must_understand": False}}) == spec


def test_nothing_is_said_of_dimensions_that_have_no_names() -> None:
    assert "dimension_names" not in array().to_json()
    assert "null" not in v3.GroupSpec(members={"a": array()}).to_json()


def test_a_v2_array_that_states_no_separator_has_dots() -> None:
    spec = v2.ArraySpec.build(shape=(4,), dtype="u1")
    assert "dimension_separator" not in spec.document
    assert spec.dimension_separator == "."


# --- frozen ------------------------------------------------------------------------------------------

MUTATIONS: dict[type, list[Any]] = {
    dict: [
        lambda value: value.__setitem__("new", 1),
        lambda value: value.update(new=1),
        lambda value: value.setdefault("new", 1),
        lambda value: value.__ior__({"new": 1}),
        lambda value: value.clear(),
        lambda value: value.popitem(),
        lambda value: value.pop(next(iter(value), "x")),
        lambda value: value.__delitem__(next(iter(value), "x")),
    ],
    list: [
        lambda value: value.append(1),
        lambda value: value.extend([1]),
        lambda value: value.insert(0, 1),
        lambda value: value.__iadd__([1]),
        lambda value: value.__imul__(2),
        lambda value: value.__setitem__(slice(None), [1]),
        lambda value: value.__delitem__(slice(None)),
        lambda value: value.clear(),
        lambda value: value.pop(),
        lambda value: value.remove(1),
        lambda value: value.sort(),
        lambda value: value.reverse(),
    ],
}


def reachable(value: Any) -> Iterator[Any]:
    """Every dict and list that a user can get at, from a spec or from what is in it."""
    if isinstance(value, Spec):
        for name in type(value).model_fields:
            yield from reachable(getattr(value, name))
        yield from reachable(value.document)
        yield from reachable(value.model_extra)
        for name in value.model_extra or ():
            yield from reachable(getattr(value, name, None))
    elif isinstance(value, BaseModel):
        yield from reachable(list(vars(value).values()))
        yield from reachable(list((value.model_extra or {}).values()))
    elif isinstance(value, dict):
        yield value
        for item in value.values():
            yield from reachable(item)
    elif isinstance(value, (list, tuple)):
        if isinstance(value, JSONList) or type(value) is not list:
            yield value
        for item in value:
            yield from reachable(item)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
@some_settings
def test_nothing_that_can_be_reached_can_change(form: str, data: Any) -> None:
    spec = MODULES[form].parse(data.draw(documents(form)))
    before = spec.to_json()
    for container in reachable(spec):
        for kind, mutations in MUTATIONS.items():
            if isinstance(container, kind):
                assert type(container) in {JSONDict, JSONList}
                for mutate in mutations:
                    with pytest.raises(TypeError, match="can't change"):
                        mutate(container)
    assert spec.to_json() == before


@pytest.mark.parametrize("name", ["attributes", "shape", "codecs", "members", "new", "document", "_x"])
def test_a_spec_takes_no_assignment(name: str) -> None:
    spec = array()
    with pytest.raises(TypeError, match=rf"a spec can't change; make a changed copy with replace\({name}="):
        setattr(spec, name, 1)
    with pytest.raises(TypeError, match=rf"replace\({name}=zom.ABSENT\)"):
        delattr(spec, name)


def test_what_a_spec_was_made_of_may_change_afterwards() -> None:
    attributes: dict[str, Any] = {"a": [1]}
    members = {"x": v3.GroupSpec()}
    shape = [4]
    group = v3.GroupSpec(attributes=attributes, members=members)
    changed = array().replace(shape=shape)
    attributes["a"].append(2)
    members["y"] = v3.GroupSpec()
    shape.append(5)
    assert group.attributes == {"a": [1]}
    assert list(group.members or ()) == ["x"]
    assert changed.shape == (4,)


def test_what_comes_out_may_change_without_the_spec() -> None:
    spec = v3.GroupSpec(attributes={"a": [1]}, members={})
    before = spec.to_json()
    out = spec.to_dict()
    out["attributes"]["a"].append(2)
    out["members"]["x"] = 1
    spec.to_documents()["zarr.json"]["attributes"]["a"].append(3)
    assert spec.to_json() == before


# --- equal, hashed, copied, pickled --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
@some_settings
def test_equal_specs_hash_alike_and_survive_copying_and_pickling(form: str, data: Any) -> None:
    document = data.draw(documents(form))
    spec, again = MODULES[form].parse(document), MODULES[form].parse(json.dumps(document))
    assert spec == again
    assert hash(spec) == hash(again)
    for copied in (copy.copy(spec), copy.deepcopy(spec), pickle.loads(pickle.dumps(spec)), spec.replace()):
        assert copied == spec
        assert type(copied) is type(spec)
        assert copied.to_json() == spec.to_json()
        assert copied.level == spec.level


@pytest.mark.parametrize(
    ("left", "right"), [(True, 1), (1, 1.0), (0.0, -0.0), (0, False), ("1", 1), (None, False), ([], {})]
)
def test_equality_is_exact(left: Any, right: Any) -> None:
    one, other = v3.GroupSpec(attributes={"a": [left]}), v3.GroupSpec(attributes={"a": [right]})
    assert one != other
    assert not one.like(other)


def test_equality_ignores_the_order_of_members_of_objects() -> None:
    one = v3.parse('{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1, "b": 2}, "members": {}}')
    other = v3.parse(
        '{"members": {}, "attributes": {"b": 2, "a": 1}, "node_type": "group", "zarr_format": 3}'
    )
    assert one == other
    assert hash(one) == hash(other)


def test_specs_of_two_formats_are_never_equal() -> None:
    assert v2.GroupSpec() != draft.GroupSpec()
    assert v3.GroupSpec() != "a text"
    assert array() != v3.GroupSpec()


@pytest.mark.slow
def test_a_deep_tree_needs_no_recursion() -> None:
    depth = 1000
    spec: Any = array()
    for _ in range(depth):
        spec = v3.GroupSpec(members={"a": spec})
    text = spec.to_json()
    other = v3.parse(text)
    assert other == spec
    assert hash(other) == hash(spec)
    assert other.like(spec)
    assert not other.diff(spec)
    assert zom.unflatten(spec.flatten()) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert v3.parse(spec.to_dict()) == spec
    assert copy.deepcopy(spec) is spec
    assert len(list(spec.walk())) == depth + 1
    assert spec.map(lambda _path, node: node) == spec
    assert repr(spec) == "GroupSpec(zarr_format=3, node_type='group', members=['a'])"
    assert spec.at("/a" * depth).kind == "array"
    changed = spec.map(lambda _path, node: node.replace(shape=(5,)) if node.kind == "array" else node)
    assert [change.inside for change in spec.diff(changed)] == [("shape", 0)]
    assert v3.GroupSpec.from_consolidated(spec.to_consolidated()) == spec


# --- replaced ------------------------------------------------------------------------------------------


def test_replace_checks_what_it_makes() -> None:
    with pytest.raises(SpecError, match=r"shape\[0\]: expected an integer from 0"):
        array().replace(shape=(-1,))


def test_absent_takes_a_member_away() -> None:
    spec = array(attributes={"a": 1}, dimension_names=["x"])
    changed = spec.replace(attributes=zom.ABSENT, dimension_names=None)
    assert changed.document.keys() == spec.document.keys() - {"attributes", "dimension_names"}
    assert v3.GroupSpec(members={}).replace(members=zom.ABSENT).members is None
    assert repr(zom.ABSENT) == "zom.ABSENT"
    assert pickle.loads(pickle.dumps(zom.ABSENT)) is zom.ABSENT
    with pytest.raises(SpecError, match="shape: expected a list, each an integer"):
        spec.replace(shape=zom.ABSENT)


def test_replace_keeps_what_it_does_not_name() -> None:
    document = {"zarr_format": 3, "node_type": "group", "x": {"must_understand": False}, "attributes": {}}
    assert v3.parse(document).replace(attributes={"a": 1}).to_dict() == {**document, "attributes": {"a": 1}}


def test_replace_keeps_the_level_and_the_deviations_that_it_allows() -> None:
    document = {**array().to_dict(), "dimension_names": None}
    lenient = v3.ArraySpec.parse(document, "lenient", on_warning=lambda _problem: None)
    changed = lenient.replace(attributes={"a": 1})
    assert changed.level == "lenient"
    assert changed.to_dict() == {**document, "attributes": {"a": 1}}
    with pytest.raises(SpecError, match="dimension_names: expected nothing, or a value, found null"):
        lenient.replace(level="strict")


def test_pydantics_own_names_check_as_well() -> None:
    spec = v3.GroupSpec(attributes={"a": 1})
    assert spec.model_copy(update={"attributes": {}}) == v3.GroupSpec(attributes={})
    assert spec.model_copy(deep=True) is spec
    assert spec.model_dump() == spec.to_dict()
    assert spec.model_dump_json() == spec.to_json()
    assert v3.GroupSpec.model_validate(spec.to_dict()) == spec
    assert v3.GroupSpec.model_validate_json(spec.to_json()) == spec
    assert v3.GroupSpec.model_construct(attributes={"a": 1}) == spec
    with pytest.raises(SpecError):
        v3.GroupSpec.model_construct(attributes=3)


# --- made in Python --------------------------------------------------------------------------------------


def test_a_constructor_takes_what_python_people_write() -> None:
    spec = v3.ArraySpec(
        shape=[np.int64(4)],
        data_type="float64",
        chunk_grid={"name": "regular", "configuration": {"chunk_shape": (np.int32(2),)}},
        chunk_key_encoding="default",
        fill_value=float("nan"),
        codecs=[{"name": "bytes", "configuration": {"endian": "little"}}],
        attributes=types.MappingProxyType({"scale": (1, np.float32(2.5))}),
        dimension_names=None,
        storage_transformers=None,
    )
    assert spec.shape == (4,)
    assert spec.fill_value == "NaN"
    assert spec.to_dict()["chunk_grid"]["configuration"] == {"chunk_shape": [2]}
    assert spec.attributes == {"scale": [1, 2.5]}
    assert "dimension_names" not in spec.document


@pytest.mark.parametrize(
    ("number", "name"), [(np.inf, "Infinity"), (-np.inf, "-Infinity"), (np.float32("nan"), "NaN")]
)
def test_a_fill_value_that_json_cannot_hold_is_spelled(number: Any, name: str) -> None:
    assert v3.ArraySpec.build(shape=1, dtype="f4").replace(fill_value=number).document["fill_value"] == name


def test_a_typo_is_told_with_the_nearest_name() -> None:
    with pytest.raises(SpecError, match=r"atributes: .* did you mean 'attributes'"):
        v3.GroupSpec(atributes={})


@pytest.mark.parametrize("value", [{1, 2}, object()])
def test_attributes_that_are_no_json_are_refused_when_the_spec_is_made(value: Any) -> None:
    with pytest.raises(SpecError, match=r"attributes\.a: expected a"):
        v3.GroupSpec(attributes={"a": value})


# --- warnings and errors -----------------------------------------------------------------------------------

OLD = '{"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "fill_value": 0, "order": "C"}'


def test_what_a_level_tolerates_goes_to_on_warning() -> None:
    heard: list[Any] = []
    v2.parse(OLD, "lenient", on_warning=heard.append)
    assert [(problem.severity, problem.pointer) for problem in heard] == [
        ("warning", "/compressor"),
        ("warning", "/filters"),
    ]


def test_without_on_warning_a_tolerated_deviation_is_a_python_warning() -> None:
    for read in (v2.parse, v2.ArraySpec.parse, zom.parse):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read(OLD, "lenient")
        assert [w.category for w in caught] == [SpecWarning, SpecWarning]
        assert [w.filename for w in caught] == [__file__, __file__]
        assert str(caught[0].message).startswith("compressor: expected null or a codec, found nothing")


def test_an_error_is_short_and_names_no_other_library() -> None:
    with pytest.raises(SpecError) as caught:
        v3.GroupSpec.parse({"zarr_format": 3, "node_type": "group", "attributes": [], "x": 1})
    text = str(caught.value)
    assert text == (
        "v3 group: 2 problems\n"
        "  attributes: expected an object, found []\n"
        "  x: expected a known member, or an object with must_understand false, found 1"
    )


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="level: expected 'lenient', 'strict' or 'closed', got 'stirct'"):
        v3.parse({}, "stirct")  # type: ignore[arg-type]


# --- subclasses, and specs inside other models ---------------------------------------------------------------


class Bytes(v3.ArraySpec):
    data_type: Literal["uint8"] = "uint8"


def test_a_narrowed_field_is_checked() -> None:
    assert Bytes.build(shape=1, dtype="uint8").data_type == "uint8"
    with pytest.raises(SpecError, match='data_type: expected "uint8", found "uint16"'):
        Bytes.build(shape=1, dtype="uint16")


def test_a_default_of_a_subclass_goes_to_the_document_of_a_new_spec() -> None:
    parts = {k: v for k, v in Bytes.build(shape=1, dtype="uint8").document.items() if k != "data_type"}
    assert Bytes(**parts).document["data_type"] == "uint8"


def test_a_default_of_a_subclass_does_not_excuse_a_document_without_the_member() -> None:
    parts = {k: v for k, v in Bytes.build(shape=1, dtype="uint8").document.items() if k != "data_type"}
    (problem,) = Bytes.check(parts)
    assert (problem.code, problem.pointer) == ("v3/missing-member", "/data_type")


class Square(v3.ArraySpec):
    @field_validator("dimension_names")
    @classmethod
    def named(cls, value: Any) -> Any:
        if None in value:
            message = "every dimension has a name"
            raise ValueError(message)
        return value

    @model_validator(mode="after")
    def square(self) -> Square:
        if len(set(self.document["shape"])) > 1:
            message = "all dimensions have one length"
            raise ValueError(message)
        return self


def test_a_users_validators_see_the_document_and_are_reported_once() -> None:
    Square.build(shape=(2, 2), dtype="u1", dimension_names=("x", "y"))
    with pytest.raises(SpecError) as caught:
        Square.build(shape=(2, 3), dtype="u1", dimension_names=("x", "y"))
    (problem,) = caught.value.problems
    assert (problem.code, problem.pointer) == ("spec/annotation", "")
    assert problem.expected == "a value that passes its validator (all dimensions have one length)"
    with pytest.raises(SpecError) as caught:
        Square.build(shape=(2, 2), dtype="u1", dimension_names=("x", None))
    (problem,) = caught.value.problems
    assert (problem.pointer, problem.found) == ("/dimension_names", '["x", null]')


class Layout(BaseModel):
    node: v3.ArraySpec | v3.GroupSpec
    others: list[v2.GroupSpec] = []


def test_a_spec_is_a_field_of_another_model() -> None:
    spec = array()
    layout = Layout(node=spec)
    assert layout.node is spec
    assert Layout(node=spec.to_dict()).node == spec
    assert Layout.model_validate_json(layout.model_dump_json()) == layout
    assert layout.model_dump() == {"node": spec.to_dict(), "others": []}
    assert Layout(node=v3.GroupSpec().to_dict()).node == v3.GroupSpec()
    with pytest.raises(ValidationError) as caught:
        Layout(node={"zarr_format": 3, "node_type": "group", "x": 1})
    assert [error["loc"] for error in caught.value.errors()] == [
        ("node", "v3.ArraySpec"),
        ("node", "v3.GroupSpec", "x"),
    ]


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_a_model_with_a_spec_has_a_schema(mode: Any) -> None:
    assert "node" in Layout.model_json_schema(mode=mode)["properties"]


def test_a_list_of_specs_is_read() -> None:
    adapter = TypeAdapter(list[v3.ArraySpec])
    assert adapter.validate_json(f"[{array().to_json()}]") == [array()]
    assert adapter.dump_json([array()]).decode() == f"[{array().to_json()}]"


class Tagged(v3.GroupSpec):
    _cache: int = 3


def test_a_private_attribute_of_a_subclass_has_its_default() -> None:
    assert Tagged(attributes={})._cache == 3
    assert Tagged(attributes={}).document["attributes"] == {}


def test_pickling_keeps_the_classes_of_members() -> None:
    spec = v3.GroupSpec(members={"a": Bytes.build(shape=1, dtype="uint8"), "b": v3.GroupSpec(members={})})
    again = pickle.loads(pickle.dumps(spec))
    assert [type(node) for _, node in again.walk()] == [v3.GroupSpec, Bytes, v3.GroupSpec]
    assert again.to_json() == spec.to_json()


def test_names_of_pydantic_are_left_out_of_the_listing() -> None:
    names = dir(v3.GroupSpec())
    assert "to_json" in names
    assert not [name for name in names if name.startswith(("model_", "_"))]


@pytest.mark.parametrize("value", [1e-7, 1e16, 0.00001, 7 * 10**390, "e-1", {"e": 1}])
def test_a_tree_is_written_as_its_documents_are(value: Any) -> None:
    inner = v3.GroupSpec(attributes={"x": value}, members={"c": v3.GroupSpec(attributes={"y": [value]})})
    tree = v3.GroupSpec(members={"b": inner, "a": v3.GroupSpec(members=None)})
    expected = json.dumps(tree.to_dict(), separators=(",", ":"), ensure_ascii=False)
    assert tree.to_json() == expected


def test_specs_compared_before_are_still_told_apart() -> None:
    left, right = v3.GroupSpec(attributes={"x": 1, "y": 2}), v3.GroupSpec(attributes={"y": 2, "x": 1})
    other = v3.GroupSpec(attributes={"x": True, "y": 2})
    for _ in range(2):
        assert left == right
        assert left != other
        assert hash(left) == hash(right)
    assert pickle.loads(pickle.dumps(left)) == left


# --- members that are misspelt -------------------------------------------------------------------------------

V3_GROUP = {"zarr_format": 3, "node_type": "group"}
V3_ARRAY = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [2],
    "data_type": "uint8",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes"}],
}
V2_ARRAY = {
    "zarr_format": 2,
    "shape": [2],
    "chunks": [2],
    "dtype": "|u1",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}


@pytest.mark.parametrize(
    ("document", "meant", "written", "code"),
    [
        (V3_ARRAY, "fill_value", "fillvalue", "v3/missing-member"),
        (V3_ARRAY, "codecs", "codec", "v3/missing-member"),
        (V3_ARRAY, "chunk_grid", "chunk_gird", "v3/missing-member"),
        (V3_ARRAY, "shape", "shapes", "v3/missing-member"),
        (V2_ARRAY, "chunks", "chunk", "v2/missing-member"),
        (V2_ARRAY, "shape", "Shape", "v2/missing-member"),
    ],
)
def test_a_misspelt_member_is_one_error_which_says_what_is_meant(document, meant, written, code):
    spoiled = {written if name == meant else name: value for name, value in document.items()}
    (problem,) = zom.validate(spoiled, conventions=())
    assert (problem.code, problem.pointer) == (code, f"/{meant}")
    assert problem.found == f'nothing, but "{written}"'
    assert problem.fix == f'rename "{written}" to "{meant}"'


@pytest.mark.parametrize(
    ("document", "meant", "written", "version"),
    [
        (V3_ARRAY, "data_type", {"dtype": "|u1"}, "v3"),
        (V3_ARRAY, "chunk_grid", {"chunks": [2]}, "v3"),
        (V3_ARRAY, "codecs", {"compressor": None, "filters": None}, "v3"),
        (V3_ARRAY, "codecs", {"filters": None}, "v3"),
        (V2_ARRAY, "dtype", {"data_type": "uint8"}, "v2"),
        (V2_ARRAY, "chunks", {"chunk_grid": {"name": "regular"}}, "v2"),
    ],
)
def test_a_member_that_is_called_as_another_format_calls_it_is_one_error(document, meant, written, version):
    spoiled = {name: value for name, value in document.items() if name != meant} | written
    (problem,) = zom.validate(spoiled, conventions=())
    assert (problem.code, problem.pointer) == (f"{version}/missing-member", f"/{meant}")
    assert problem.found == "nothing, but " + " and ".join(f'"{name}"' for name in written)
    assert problem.fix == f'write "{meant}" in the form of Zarr {version}'


def test_a_member_that_is_unknown_and_near_to_none_that_is_missing_is_told_by_itself():
    spoiled = {name: value for name, value in V3_ARRAY.items() if name != "codecs"}
    found = [(each.code, each.pointer) for each in zom.validate({**spoiled, "pyramid": 1}, conventions=())]
    assert found == [("v3/missing-member", "/codecs"), ("v3/unknown-member", "/pyramid")]
    (problem,) = zom.validate({**V3_GROUP, "atributes": {}}, conventions=())
    assert (problem.code, problem.fix) == ("v3/unknown-member", "did you mean 'attributes'?")


@pytest.mark.parametrize(
    ("shape", "names", "chunks", "expected"),
    [
        ([4, 3], ["y", "x"], [2, 3], []),
        ([4], ["y", "x"], [2, 3], [("v3/shape-length", "/shape", "2 lengths, as in dimension_names and chunk_grid")]),
        ([4, 3, 2], ["x"], [2], [("v3/shape-length", "/shape", "1 length, as in dimension_names and chunk_grid")]),
        ([4, 3], [], [], [("v3/shape-length", "/shape", "0 lengths, as in dimension_names and chunk_grid")]),
        ([4, 3], ["x"], [2, 3], [("v3/dimension-names-length", "/dimension_names", "2 names, one for each dimension")]),
        (
            [4, 3],
            ["y", "x"],
            [2],
            [("chunk-grid/regular-rank", "/chunk_grid/configuration/chunk_shape", "a list of 2 lengths")],
        ),
        ([4, 3], None, [2], [("chunk-grid/regular-rank", "/chunk_grid/configuration/chunk_shape", "a list of 2 lengths")]),
        (
            [4, 3],
            ["x"],
            [2, 3, 4],
            [
                ("v3/dimension-names-length", "/dimension_names", "2 names, one for each dimension"),
                ("chunk-grid/regular-rank", "/chunk_grid/configuration/chunk_shape", "a list of 2 lengths"),
            ],
        ),
    ],
)  # fmt: skip
def test_where_shape_names_and_chunks_disagree_the_one_that_differs_is_wrong(shape, names, chunks, expected):
    document = {**V3_ARRAY, "shape": shape, "dimension_names": names}
    document["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": chunks}}
    if names is None:
        del document["dimension_names"]
    report = zom.validate(document, conventions=())
    assert [(each.code, each.pointer, each.expected) for each in report] == expected


@pytest.mark.parametrize("written", ["dta_type", "DATA_TYPE", "datatype", "data_tpye", "data-type"])
def test_a_misspelt_member_is_one_error(written):
    document = {name: value for name, value in V3_ARRAY.items() if name != "data_type"} | {written: "uint8"}
    (problem,) = zom.validate(document, conventions=())
    assert (problem.code, problem.pointer) == ("v3/missing-member", "/data_type")
    assert problem.found == f'nothing, but "{written}"'
    assert problem.fix == f'rename "{written}" to "data_type"'
