"""Trees: walked, flattened, selected from, mapped."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import draft, v2, v3
from zom.errors import NotFound, PathError, SpecError
from zom.testing.strategies import array_specs, group_specs

ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int32")
TREE = v3.GroupSpec(
    members={
        "a": v3.GroupSpec(members={"b": ARRAY, "c.d": v3.GroupSpec()}),
        "e": ARRAY,
        "image": v3.GroupSpec(members={}),
    }
)


def test_a_group_comes_before_its_members() -> None:
    assert [path for path, _ in TREE.walk()] == ["/", "/a", "/a/b", "/a/c.d", "/e", "/image"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize("prefix", ["", "/", "root", "/x/y", "x/y/"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_unflatten_is_the_inverse_of_flatten(form: Any, prefix: str, data: Any) -> None:
    tree = data.draw(group_specs(form) | array_specs(form))
    flat = tree.flatten(prefix)
    again = zom.unflatten(flat, prefix)
    assert again == tree
    assert again.to_json() == tree.to_json()
    assert zom.unflatten(dict(reversed(flat.items())), prefix) == tree


def test_flattened_nodes_keep_whether_members_are_known() -> None:
    flat = TREE.flatten()
    assert flat["/a"].members == {}
    assert flat["/image"].members == {}
    assert flat["/a/c.d"].members is None
    assert flat["/e"] is ARRAY


@pytest.mark.parametrize(
    ("module", "parent"), [(v2, {"zarr_format": 2, "members": {}}), (draft, {"members": {}})]
)
def test_parents_that_are_missing_are_filled_in(module: Any, parent: Any) -> None:
    array = module.ArraySpec.build(shape=1, dtype="uint8")
    tree = zom.unflatten({"/a/b/c": array})
    assert list(tree.flatten()) == ["/", "/a", "/a/b", "/a/b/c"]
    assert tree.flatten()["/a"].to_dict() == parent


def test_an_array_has_no_nodes_below_it() -> None:
    with pytest.raises(SpecError) as caught:
        zom.unflatten({"/a": ARRAY, "/a/b": ARRAY, "/a/c/d": ARRAY})
    assert [(p.code, p.node, p.found) for p in caught.value.problems] == [
        ("tree/below-array", "/a/b", "the array /a above it"),
        ("tree/below-array", "/a/c/d", "the array /a above it"),
    ]


def test_a_flat_group_has_no_members_of_its_own() -> None:
    with pytest.raises(
        SpecError, match=r'/a: expected a group without members of its own, found \["b", "c.d"\]'
    ):
        zom.unflatten({"/": v3.GroupSpec(), "/a": TREE["a"]})


def test_a_path_names_one_node() -> None:
    with pytest.raises(SpecError, match="expected one node for a path, found a second one at a/"):
        zom.unflatten({"/a": ARRAY, "a/": ARRAY})


def test_all_nodes_have_one_format() -> None:
    with pytest.raises(SpecError, match="/b: expected a v3 node, found a v2 node"):
        zom.unflatten({"/a": ARRAY, "/b": v2.GroupSpec()})


def test_names_are_checked_once_each() -> None:
    with pytest.raises(SpecError) as caught:
        zom.unflatten({"/__x/a": ARRAY, "/__x/b": ARRAY, "/~": ARRAY})
    (problem,) = caught.value.problems
    assert (problem.code, problem.pointer) == ("v3/node-name", "/members/__x")


def test_problems_of_flat_trees_have_proper_pointers() -> None:
    with pytest.raises(SpecError) as caught:
        zom.unflatten({"/~": v2.GroupSpec(), "/": ARRAY})
    assert {p.pointer for p in caught.value.problems} == {"", "/members/~0"}


def test_what_is_no_spec_is_refused() -> None:
    with pytest.raises(TypeError, match=r"/a: expected a spec, got \{\}; read documents with zom.parse"):
        zom.unflatten({"/a": {}})  # type: ignore[dict-item]


def test_an_empty_mapping_is_no_tree() -> None:
    with pytest.raises(NotFound, match="expected at least one node, found none"):
        zom.unflatten({})
    with pytest.raises(NotFound, match="/b: expected a path below /a"):
        zom.unflatten({"/b": ARRAY}, "a")


def test_a_flat_tree_that_was_changed_is_one_tree_again() -> None:
    flat = TREE.flatten()
    del flat["/a/b"]
    flat["/new/x"] = ARRAY
    assert list(zom.unflatten(flat).flatten()) == ["/", "/a", "/a/c.d", "/e", "/image", "/new", "/new/x"]


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("/", ["/"]),
        ("*", ["/a", "/e", "/image"]),
        ("/*/*", ["/a/b", "/a/c.d"]),
        ("**", ["/", "/a", "/a/b", "/a/c.d", "/e", "/image"]),
        ("**/b", ["/a/b"]),
        ("a/**", ["/a", "/a/b", "/a/c.d"]),
        ("?", ["/a", "/e"]),
        ("a/c.d", ["/a/c.d"]),
        ("a/cxd", []),
        ("im*e", ["/image"]),
        ("**/*.d", ["/a/c.d"]),
    ],
)
def test_a_pattern_selects_nodes(pattern: str, paths: list[str]) -> None:
    assert list(TREE.select(pattern)) == paths


def test_a_node_is_found_by_its_path() -> None:
    assert TREE.at("/") is TREE
    assert TREE["a/b"] is ARRAY
    assert TREE.at("/a/b/") is ARRAY
    assert "a/b" in TREE
    assert "a/x" not in TREE
    assert "a//b" not in TREE
    assert 3 not in TREE


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/imagee", r"/: expected a member 'imagee', found none; did you mean 'image'\?"),
        ("/a/x", r"/a: expected a member 'x', found none; known are b, c.d"),
        ("/image/x", r"/image: expected a member 'x', found none; the group is empty"),
        ("/e/x", r"/e: expected a group with a member 'x', found an array"),
        (
            "/a/c.d/x",
            r"/a/c.d: expected a group with a member 'x', found a group whose members are unknown",
        ),
    ],
)
def test_a_path_that_leads_nowhere_is_told_with_what_is_there(path: str, message: str) -> None:
    with pytest.raises(NotFound, match=message):
        TREE.at(path)


def test_the_message_ends_well_where_no_name_is_near() -> None:
    tree = v3.GroupSpec(members={f"n{i}": v3.GroupSpec() for i in range(50)})
    with pytest.raises(NotFound, match=r"expected a member 'zzzzz', found none$"):
        tree.at("zzzzz")


def test_a_path_that_is_none_is_refused() -> None:
    with pytest.raises(PathError):
        TREE.at("a/../b")


def test_map_changes_members_before_their_group() -> None:
    seen: list[str] = []

    def note(path: str, node: Any) -> Any:
        seen.append(path)
        return node.replace(attributes={"at": path})

    changed = TREE.map(note)
    assert seen.index("/a/b") < seen.index("/a") < seen.index("/")
    assert all(node.attributes == {"at": path} for path, node in changed.walk())
    assert list(changed.flatten()) == list(TREE.flatten())


def test_map_takes_nodes_away() -> None:
    assert list(TREE.map(lambda path, node: None if path == "/a" else node).flatten()) == [
        "/",
        "/e",
        "/image",
    ]
    with pytest.raises(NotFound, match="/: expected the root to remain, found it removed"):
        TREE.map(lambda _path, _node: None)


def test_map_leaves_what_did_not_change() -> None:
    assert TREE.map(lambda _path, node: node) is TREE


def test_map_checks_what_it_makes() -> None:
    with pytest.raises(SpecError, match="/e: expected a v3 node, found a v2 group"):
        TREE.map(lambda path, node: v2.GroupSpec() if path == "/e" else node)


@pytest.mark.slow
def test_a_node_of_a_large_tree_takes_less_than_ten_kilobytes() -> None:
    def size(count: int) -> float:
        array = ARRAY.to_dict()
        text = v3.GroupSpec(
            members={f"a{i}": {**array, "attributes": {"i": i, "units": "m"}} for i in range(count)}
        ).to_json()
        tracemalloc.start()
        tree = v3.parse(text)
        used = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(tree.members) == count
        return used / count

    v3.parse(ARRAY.to_json())
    small, large = size(2_000), size(20_000)
    assert large < 10_000
    assert large < small * 1.5
