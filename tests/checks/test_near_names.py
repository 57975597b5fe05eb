"""Near names: hints within bounds, however many names are wrong."""

from __future__ import annotations

from zom.checks.near_names import MOST_COMPARED, NearNames, near_member
from zom.formats.node_view import document_tree

GROUP = {"zarr_format": 3, "node_type": "group"}


def test_a_name_is_sought_once_however_often_it_is_asked_for():
    names = NearNames([f"name{number}" for number in range(1000)])
    for number in range(MOST_COMPARED // 1000 + 2):
        names.hint(f"far away {number}")
    assert names.hint("name77x") is None  # as many names as may be were compared
    again = NearNames([f"name{number}" for number in range(1000)])
    assert {again.hint("name77x") for _ in range(1000)} == {
        "did you mean 'name77' or 'name977' or 'name877'?"
    }
    assert again.hint("name88x") is not None


def test_a_variable_is_no_hint_for_itself():
    assert NearNames(["lat", "lats", "time"]).hint("latt", but="lat") == "did you mean 'lats'?"


def test_members_of_another_kind_are_no_hints():
    array = {"zarr_format": 3, "node_type": "array"}
    root = document_tree({**GROUP, "members": {"image": GROUP, "imago": array}})
    assert near_member(root, "imag", "array") == "did you mean 'imago'?"
    assert near_member(root, "imag", "group") == "did you mean 'image'?"


def test_a_group_without_members_has_no_hints():
    assert near_member(document_tree(GROUP), "a") is None
