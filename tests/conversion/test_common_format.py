"""Specs of two formats are compared by what they mean."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import draft, v2, v3
from zom.conversion.trees import convert
from zom.errors import ConversionError
from zom.model.compare import document_changes
from zom.testing.strategies import array_documents

MODULES = {"v2": v2, "v3": v3, "draft": draft}
FORMS = [*permutations(MODULES, 2)]
FACTS = {"dimension_names": ("y", "x"), "chunks": (3, 5), "attributes": {"units": "K"}, "fill_value": 1.0}


def tree(form, **facts):
    chosen = {"shape": (6, 10), "dtype": "float32", "compress": "gzip:1", **FACTS, **facts}
    classes = MODULES[form]
    array = classes.ArraySpec.build(**chosen)
    return classes.GroupSpec(attributes={"title": "t"}, members={"a": array})


def lines(found):
    return [str(change) for change in found]


@pytest.mark.parametrize(("one", "other"), FORMS)
def test_the_same_in_two_formats_is_alike(one, other):
    found = tree(one).diff(tree(other))
    assert not found.changes, found
    assert found.notes[0] == f"{one} -> {other}"
    assert tree(one).like(tree(other))


@pytest.mark.parametrize(("one", "other"), FORMS)
@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({"shape": (6, 11)}, "~ /a: shape[1]: 10 -> 11"),
        ({"chunks": (3, 4)}, "~ /a: chunk_grid.configuration.chunk_shape[1]: 5 -> 4"),
        ({"dtype": "float64"}, '~ /a: data_type: "float32" -> "float64"'),
        ({"fill_value": 2.0}, "~ /a: fill_value: 1.0 -> 2.0"),
        ({"dimension_names": ("y", "z")}, '~ /a: dimension_names[1]: "x" -> "z"'),
        ({"attributes": {"units": "C"}}, '~ /a: attributes.units: "K" -> "C"'),
    ],
)
def test_what_means_something_else_in_another_format_is_a_change(one, other, facts, line):
    old, new = tree(one), tree(other, **facts)
    assert lines(old.diff(new)) == [line]
    assert not old.like(new)
    assert lines(zom.diff(old, new)) == [line]
    assert zom.diff(old, new) == old.diff(new)


def test_members_are_compared_across_formats():
    old = v2.GroupSpec(members={"x": v2.GroupSpec(attributes={"n": 1}), "y": v2.GroupSpec()})
    new = v3.GroupSpec(members={"x": v3.GroupSpec(attributes={"n": 2}), "z": v3.GroupSpec()})
    assert lines(old.diff(new)) == [
        '- /y: the node: {"zarr_format": 2}',
        '+ /z: the node: {"zarr_format": 3, "node_type": "group"}',
        "~ /x: attributes.n: 1 -> 2",
    ]
    assert lines(old.diff(v3.GroupSpec())) == ['~ /: members: "known" -> "unknown"']


def test_codecs_of_two_formats_are_noted_item_by_item():
    found = tree("v2").diff(tree("v3", compress="gzip:9", order="F"))
    assert not found
    codecs = [note for note in found.notes if "codecs" in note]
    assert codecs == [
        '/a: codecs[0]: nothing -> {"name": "transpose", "configuration": {"order": [1, 0]}}',
        "/a: codecs[2].configuration.level: 1 -> 9",
    ]


def test_what_is_ignored_is_no_note():
    patterns = ["/codecs", "/chunk_key_encoding"]
    assert tree("v2").diff(tree("v3", compress="gzip:9"), patterns).notes == ("v2 -> v3",)
    assert tree("v2").like(tree("v3", fill_value=5.0), "/a:/fill_value")
    unknown = v2.ArraySpec.build(shape=(4,), dtype="int16", filters=[{"id": "unheard-of"}])
    other = v3.ArraySpec.build(shape=(4,), dtype="int16")
    assert unknown.diff(other, "/:").notes == ("v2 -> v3",)


def test_a_node_that_v3_can_not_express_is_a_change_of_its_own():
    unknown = v2.ArraySpec.build(shape=(4,), dtype="int16", filters=[{"id": "unheard-of"}])
    old = v2.GroupSpec(members={"a": unknown, "b": v2.GroupSpec(attributes={"x": 1})})
    new = v3.GroupSpec(
        members={
            "a": v3.ArraySpec.build(shape=(4,), dtype="int16"),
            "b": v3.GroupSpec(attributes={"x": 2}),
        }
    )
    found = old.diff(new)
    assert lines(found) == ['~ /a: the node: "v2 array" -> "v3 array"', "~ /b: attributes.x: 1 -> 2"]
    assert found.notes[1:] == ('/a: compared by format alone: v3 can\'t express filters[0]: "unheard-of"',)


def test_members_of_a_group_that_v3_can_not_express_are_compared():
    extension = {"extension": "https://example.org/e", "must_understand": True, "configuration": {}}
    member = {"attributes": {"x": 1}, "extensions": []}
    document = {"attributes": {}, "extensions": [extension], "members": {"a": member}}
    old = draft.GroupSpec.parse(document, "lenient", on_warning=lambda _: None)
    new = v3.GroupSpec(members={"a": v3.GroupSpec(attributes={"x": 2})})
    assert lines(old.diff(new)) == [
        '~ /: the node: "draft group" -> "v3 group"',
        "~ /a: attributes.x: 1 -> 2",
    ]


def test_what_v3_has_no_place_for_is_noted():
    old = v2.ArraySpec(
        shape=(4,),
        chunks=(2,),
        dtype="<i2",
        compressor=None,
        fill_value=None,
        order="C",
        filters=None,
        extra=4,
    )
    found = old.diff(v3.ArraySpec.build(shape=(4,), dtype="int16", chunks=(2,), compress=None))
    assert not found
    assert found.notes[1:3] == (
        "/: v3 can't store extra: 4; it is dropped",
        "/: v3 can't store fill_value: null; it becomes 0",
    )


def test_consolidated_metadata_is_no_difference_to_a_format_that_has_none():
    consolidated = {"kind": "inline", "must_understand": False, "metadata": {}}
    found = v2.GroupSpec().diff(v3.GroupSpec(consolidated_metadata=consolidated))
    assert not found
    assert found.notes[1].startswith("/: consolidated_metadata: nothing -> {")


def test_a_handle_in_another_format_is_compared_by_meaning():
    handle = zom.materialize(tree("v2"), "memory:")
    assert tree("v3").like(handle)
    assert not tree("v3").diff(handle)


def test_where_the_format_counts_another_one_is_a_change():
    assert lines(document_changes(tree("v2"), tree("v3"))) == ['~ /: the node: "v2 group" -> "v3 group"']
    (problem,) = zom.validate(
        zom.materialize(v2.GroupSpec(), "memory:"), like=v3.GroupSpec(), conventions=()
    ).problems
    assert str(problem) == 'expected "v3 group", found "v2 group"'


@pytest.mark.parametrize("form", ["v2", "draft"])
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_what_is_converted_means_the_same(form, data):
    spec = MODULES[form].parse(data.draw(array_documents(form)))
    try:
        made = convert(spec, "v3").spec
    except ConversionError:
        assert spec.diff(v3.GroupSpec())
        return
    assert spec.like(made)
    assert made.like(spec)
