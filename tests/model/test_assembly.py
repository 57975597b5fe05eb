"""Every problem once, at its own place, in whatever tree."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import Limits, draft, v2, v3
from zom.errors import SpecError
from zom.testing.strategies import group_documents

MODULES: dict[str, Any] = {"v2": v2, "v3": v3, "draft": draft}

ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int32").to_dict()
OLD_ARRAY = v2.ArraySpec.build(shape=(4,), dtype="int32").to_dict()
DRAFT_ARRAY = draft.ArraySpec.build(shape=(4,), dtype="int32").to_dict()
GROUP: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}


def pointers(problems: Any) -> list[str]:
    return [problem.pointer for problem in problems]


ONE_FAULT: dict[str, list[tuple[dict[str, Any], str]]] = {
    "v3": [
        ({"shape": [4.0]}, "/shape/0"),
        ({"shape": [True]}, "/shape/0"),
        ({"shape": ["4"]}, "/shape/0"),
        ({"shape": [-1]}, "/shape/0"),
        ({"shape": 4}, "/shape"),
        ({"shape": [2**63]}, "/shape/0"),
        ({"zarr_format": "3"}, "/zarr_format"),
        ({"attributes": []}, "/attributes"),
        ({"attributes": None}, "/attributes"),
        ({"dimension_names": None}, "/dimension_names"),
        ({"dimension_names": [1]}, "/dimension_names/0"),
        ({"dimension_names": ["x", "y"]}, "/dimension_names"),
        ({"storage_transformers": {}}, "/storage_transformers"),
        ({"fill_value": "x"}, "/fill_value"),
        ({"fill_value": 2**31}, "/fill_value"),
        ({"codecs": []}, "/codecs"),
        ({"codecs": None}, "/codecs"),
        ({"x": 1}, "/x"),
        ({"a/b~c": 1}, "/a~1b~0c"),
        ({"members": {}}, "/members"),
        ({"members": {"must_understand": False}}, "/members"),
    ],
    "v2": [
        ({"shape": [4.0]}, "/shape/0"),
        ({"chunks": [0]}, "/chunks/0"),
        ({"chunks": [2, 2]}, "/chunks"),
        ({"dtype": "i4"}, "/dtype"),
        ({"order": "K"}, "/order"),
        ({"fill_value": 1.5}, "/fill_value"),
        ({"attributes": []}, "/attributes"),
        ({"dimension_separator": None}, "/dimension_separator"),
        ({"dimension_separator": "-"}, "/dimension_separator"),
        ({"members": {}}, "/members"),
    ],
    "draft": [
        ({"shape": [4.0]}, "/shape/0"),
        ({"attributes": []}, "/attributes"),
        ({"fill_value": "x"}, "/fill_value"),
        ({"chunk_memory_layout": "K"}, "/chunk_memory_layout"),
        ({"extensions": {}}, "/extensions"),
        ({"x": 1}, "/x"),
        ({"members": {}}, "/members"),
    ],
}
DOCUMENTS = {"v2": OLD_ARRAY, "v3": ARRAY, "draft": DRAFT_ARRAY}
CASES = [(form, change, pointer) for form, cases in ONE_FAULT.items() for change, pointer in cases]


@pytest.mark.parametrize(("form", "change", "pointer"), CASES, ids=lambda value: str(value)[:40])
def test_one_fault_is_one_problem(form: str, change: dict[str, Any], pointer: str) -> None:
    document = {**DOCUMENTS[form], **change}
    for read_as in (MODULES[form], MODULES[form].ArraySpec):
        assert pointers(read_as.check(document)) == [pointer]


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_faults_in_one_document_are_all_found(form: str, data: Any) -> None:
    # The faults of one member hide nothing in another; the last ones speak of members together.
    apart = {"shape", "attributes", "x", "a/b~c", "order", "chunk_memory_layout", "zarr_format"}
    cases = [case for case in ONE_FAULT[form] if case[0].keys() <= apart]
    chosen = data.draw(
        st.lists(st.sampled_from(cases), unique_by=lambda case: next(iter(case[0])), max_size=4)
    )
    document = dict(DOCUMENTS[form])
    for change, _ in chosen:
        document.update(change)
    assert sorted(pointers(MODULES[form].check(document))) == sorted(pointer for _, pointer in chosen)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_faults_in_several_nodes_have_pointers_from_the_root(form: str, data: Any) -> None:
    tree = data.draw(group_documents(form, members="known", max_depth=2))
    wanted: list[str] = []
    for index, (change, pointer) in enumerate(ONE_FAULT[form]):
        name = f"fault{index}"
        tree["members"][name] = {**DOCUMENTS[form], **change}
        wanted.append(f"/members/{name}{pointer}")
    found = MODULES[form].check(tree)
    assert pointers(found) == wanted
    assert {problem.node for problem in found} == {f"/fault{index}" for index in range(len(wanted))}


@pytest.mark.parametrize("name", ["__x", "", ".", "..", "...", "a/b", "zarr.json", "a\nb"])
def test_a_forbidden_name_is_one_problem_of_its_node(name: str) -> None:
    (problem,) = v3.check({**GROUP, "members": {name: GROUP}})
    assert problem.code == "v3/node-name"
    assert problem.pointer == "/members/" + name.replace("~", "~0").replace("/", "~1")


def test_null_is_no_node_under_a_name_that_has_a_problem_of_its_own() -> None:
    problems = zom.validate({"zarr_format": 2, "members": {"\u00e9": None}}, conventions=()).problems
    assert [(problem.code, problem.severity) for problem in problems] == [
        ("v2/ascii-name", "warning"),
        ("v2/node", "error"),
    ]


def test_a_node_that_is_no_object_is_one_problem() -> None:
    for value in (None, 1, "x", [1], True):
        (problem,) = v3.check({**GROUP, "members": {"a": value}})
        assert (problem.code, problem.pointer, problem.expected) == ("v3/node", "/members/a", "an object")


@pytest.mark.parametrize("members", [[], 1, "x", True])
@pytest.mark.parametrize("level", ["lenient", "strict", "closed"])
def test_members_that_are_no_object_are_an_error_at_every_level(members: Any, level: Any) -> None:
    (problem,) = v3.check({**GROUP, "members": members}, level)
    assert (problem.code, problem.severity, problem.pointer) == ("v3/members", "error", "/members")


def test_members_null_is_read_as_unknown_with_a_warning() -> None:
    document = {**GROUP, "members": None}
    (problem,) = v3.check(document)
    assert (problem.code, problem.severity) == ("tree/null-members", "error")
    heard: list[Any] = []
    assert v3.parse(document, "lenient", on_warning=heard.append).members is None
    assert [(p.severity, p.fix) for p in heard] == [("warning", "leave members out if they are unknown")]


def test_member_names_are_strings() -> None:
    (problem,) = v3.check({**GROUP, "members": {1: GROUP}}, "lenient")
    assert (problem.severity, problem.expected, problem.found) == (
        "error",
        "names that are strings",
        "the int 1",
    )


def test_a_number_is_no_node_format() -> None:
    assert pointers(v3.check("[1]")) == [""]
    assert v3.check("{")[0].code.startswith("json/")


# --- formats together ----------------------------------------------------------------------------------

SPECS: dict[str, Any] = {
    "v2": v2.GroupSpec(),
    "v3": v3.GroupSpec(),
    "draft": draft.GroupSpec(),
}


@pytest.mark.parametrize("outer", SPECS)
@pytest.mark.parametrize("inner", SPECS)
def test_a_spec_of_another_format_is_one_problem(outer: str, inner: str) -> None:
    member = SPECS[inner]
    if outer == inner:
        MODULES[outer].GroupSpec(members={"a": member})
        return
    with pytest.raises(SpecError) as caught:
        MODULES[outer].GroupSpec(members={"a": member})
    (problem,) = caught.value.problems
    assert (problem.code, problem.pointer) == ("tree/format", "/members/a")
    assert problem.expected == f"a {outer} node"
    assert problem.found == f"a {inner} group"
    assert problem.fix == "convert it first"


@pytest.mark.parametrize(
    ("outer", "inner"), [("v2", ARRAY), ("v3", OLD_ARRAY), ("draft", ARRAY), ("draft", OLD_ARRAY)]
)
def test_a_document_of_another_format_is_one_problem(outer: str, inner: dict[str, Any]) -> None:
    found = MODULES[outer].check({**SPECS[outer].to_dict(), "members": {"a": inner}})
    assert [(problem.code, problem.pointer) for problem in found] == [("tree/format", "/members/a")]


def test_a_v2_array_without_shape_is_an_array_with_one_fault() -> None:
    document = {name: value for name, value in OLD_ARRAY.items() if name != "shape"}
    for read_as in (v2, v2.ArraySpec):
        assert [(p.code, p.pointer) for p in read_as.check(document)] == [("v2/missing-member", "/shape")]


@pytest.mark.parametrize(("cls", "document"), [(v3.ArraySpec, GROUP), (v3.GroupSpec, ARRAY)])
def test_a_node_of_the_other_kind_is_one_problem(cls: Any, document: Any) -> None:
    (problem,) = cls.check(document)
    assert problem.code == "spec/member"
    assert {problem.expected, problem.found} == {"an array", "a group"}


# --- specs as members --------------------------------------------------------------------------------------

LENIENT = v2.parse(
    {name: value for name, value in OLD_ARRAY.items() if name != "filters"},
    "lenient",
    on_warning=lambda _p: None,
)


def test_a_lenient_spec_is_judged_anew_in_a_strict_tree() -> None:
    with pytest.raises(SpecError) as caught:
        v2.GroupSpec(members={"a": LENIENT})
    assert [(p.node, p.pointer) for p in caught.value.problems] == [("/a", "/members/a/filters")]


def test_a_lenient_spec_below_a_strict_one_is_judged_anew() -> None:
    tree = zom.unflatten({"/": v2.GroupSpec(), "/a": LENIENT})
    assert tree.level == "lenient"
    with pytest.raises(SpecError):
        v2.GroupSpec(members={"b": tree})
    assert pointers(v2.check({"zarr_format": 2, "members": {"b": tree}})) == ["/members/b/members/a/filters"]


def test_a_lenient_spec_stays_what_it_is_in_a_lenient_tree() -> None:
    tree = v2.parse({"zarr_format": 2, "members": {"a": LENIENT}}, "lenient")
    assert tree["a"] is LENIENT


def test_a_closed_tree_judges_a_strict_spec_anew() -> None:
    codecs = [*ARRAY["codecs"], {"name": "x.nobody-knows"}]
    tree = {**GROUP, "members": {"a": v3.parse({**ARRAY, "codecs": codecs})}}
    assert v3.check(tree) == ()
    assert pointers(v3.check(tree, "closed")) == [f"/members/a/codecs/{len(codecs) - 1}/name"]


def test_one_spec_may_stand_in_many_places() -> None:
    member = v3.parse(ARRAY)
    inner = v3.GroupSpec(members={"a": member, "b": member})
    tree = v3.GroupSpec(members={"x": inner, "y": inner, "z": member})
    assert len(list(tree.walk())) == 8
    assert v3.parse(tree.to_json()) == tree
    assert tree["x/a"] is tree["y/b"]


def test_specs_and_documents_mix() -> None:
    tree = v3.GroupSpec(
        members={"a": v3.parse(ARRAY), "b": {**GROUP, "members": {"c": v3.parse(ARRAY)}}, "d": ARRAY}
    )
    assert list(tree.flatten()) == ["/", "/a", "/b", "/b/c", "/d"]


def test_a_document_may_be_any_mapping() -> None:
    from collections import ChainMap, OrderedDict
    from types import MappingProxyType

    document = MappingProxyType({**GROUP, "members": OrderedDict(a=ChainMap({}, ARRAY))})
    assert v3.parse(document) == v3.GroupSpec(members={"a": ARRAY})


def test_a_check_of_a_spec_is_a_check_of_its_document() -> None:
    assert zom.validate(LENIENT, conventions=()).problems == v2.check(LENIENT.to_dict())
    assert pointers(zom.validate(LENIENT, conventions=()).problems) == ["/filters"]
    assert v2.ArraySpec.check(LENIENT) == zom.validate(LENIENT, conventions=()).problems


# --- limits and sizes -------------------------------------------------------------------------------------------


def test_groups_nest_no_deeper_than_the_limit() -> None:
    document: dict[str, Any] = GROUP
    for _ in range(4):
        document = {**GROUP, "members": {"a": document}}
    assert v3.GroupSpec.check(document, limits=Limits(tree_depth=4)) == ()
    (problem,) = v3.GroupSpec.check(document, limits=Limits(tree_depth=3))
    assert (problem.code, problem.expected) == ("tree/depth", "groups nested at most 3 deep")
    assert problem.pointer == "/members/a" * 3 + "/members"


def test_a_wide_tree_is_read() -> None:
    members = {f"g{i}": {**GROUP, "members": {f"a{j}": ARRAY for j in range(99)}} for i in range(100)}
    tree = v3.parse({**GROUP, "members": members})
    assert len(list(tree.walk())) == 10_001
    assert zom.unflatten(tree.flatten()) == tree


# --- classes of members -------------------------------------------------------------------------------------------


class Left(v3.GroupSpec):
    members: dict[str, Left | Right] | None = None


class Right(v3.GroupSpec):
    members: dict[str, Left | Right] | None = None
    side: dict[str, Literal[False] | str]


def test_unions_nested_in_unions_take_no_more_work_at_each_level(calls: Any) -> None:
    """Trying each class for each group would double the work at every level."""

    def nested(levels: int) -> dict[str, Any]:
        document: dict[str, Any] = {**GROUP, "side": {"must_understand": False}, "attributes": {"deep": 1}}
        for _ in range(levels):
            document = {**GROUP, "members": {"a": document}}
        return document

    assert len(list(Left.parse(nested(300)).walk())) == 301
    short, long = (calls(lambda: Left.parse(nested(levels))) for levels in (8, 16))  # noqa: B023 - called at once
    assert long < 3 * short


def test_the_first_class_that_fits_is_taken() -> None:
    tree = Left.parse({**GROUP, "members": {"a": GROUP, "b": {**GROUP, "side": {"must_understand": False}}}})
    assert [type(node) for node in tree.members.values()] == [Left, Left]


class Small(v3.ArraySpec):
    shape: tuple[Literal[1], ...]


class Named(v3.ArraySpec):
    dimension_names: tuple[str, ...]
    data_type: Literal["uint8"]


class Choice(v3.GroupSpec):
    members: dict[str, Small | Named]


def test_the_problems_of_the_class_that_fits_best_are_told() -> None:
    named = v3.ArraySpec.build(shape=(4,), dtype="uint16", dimension_names=("x",)).to_dict()
    found = Choice.check(
        {
            **GROUP,
            "members": {
                "a": {
                    **named,
                    "shape": [4, 4],
                    "dimension_names": ["x", "y"],
                    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},
                }
            },
        }
    )
    assert [(p.code, p.pointer) for p in found] == [("spec/annotation", "/members/a/data_type")]
    small = v3.ArraySpec.build(shape=(1,), dtype="uint16").to_dict()
    tree = Choice.parse(
        {**GROUP, "members": {"a": small, "b": {**named, "data_type": "uint8", "codecs": ["bytes"]}}}
    )
    assert [type(node) for node in tree.members.values()] == [Small, Named]


def test_a_class_adds_its_faults_to_those_of_the_format() -> None:
    document = {**ARRAY, "fill_value": "x", "attributes": [], "y": 1}
    found = sorted((problem.pointer, problem.code) for problem in Named.check(document))
    assert found == [
        ("/attributes", "v3/attributes"),
        ("/data_type", "spec/annotation"),
        ("/dimension_names", "spec/annotation"),
        *[("/fill_value", problem.code) for problem in v3.check({**ARRAY, "fill_value": "x"})],
        ("/y", "v3/unknown-member"),
    ]
