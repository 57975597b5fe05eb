"""A hierarchy as a tree of text."""

from __future__ import annotations

import pytest

from zom import draft, v2, v3
from zom.formats.tree_text import tree_text


def array(**changes):
    return v3.ArraySpec.build(**{"shape": (4, 6), "dtype": "uint8", "chunks": (2, 3), **changes})


def line_of(spec):
    (line,) = tree_text(spec).splitlines()
    return line


def test_members_stand_in_the_order_of_the_document_with_their_columns_aligned():
    group = v3.GroupSpec(
        members={"long-name": array(), "b": v3.GroupSpec(members={"c": array(dtype="float64")})}
    )
    assert tree_text(group).splitlines() == [
        "/  v3 group",
        "├── long-name  uint8  (4, 6)  chunks 2×3  zstd",
        "└── b          group",
        "    └── c  float64  (4, 6)  chunks 2×3  zstd",
    ]


def test_a_line_goes_on_beside_the_members_of_a_group_that_is_not_the_last():
    inner = v3.GroupSpec(members={"c": v3.GroupSpec(members={})})
    group = v3.GroupSpec(members={"a": inner, "b": v3.GroupSpec(members={})})
    assert tree_text(group).splitlines()[2] == "│   └── c  group  no members"


def test_members_that_are_not_known_are_told_from_none_at_all():
    assert line_of(v3.GroupSpec()) == "/  v3 group  members not read"
    assert line_of(v3.GroupSpec(members={})) == "/  v3 group  no members"


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (array(shards=(4, 6)), "/  v3 array  uint8  (4, 6)  chunks 2×3 in shards 4×6  zstd"),
        (array(compress=None, checksum=False), "/  v3 array  uint8  (4, 6)  chunks 2×3  uncompressed"),
        (array(shape=(), chunks=()), "/  v3 array  uint8  scalar  chunks one  zstd"),
        (
            array(dimension_names=("y", None)),
            "/  v3 array  uint8  (y=4, 6)  chunks 2×3  zstd",
        ),
        (
            array(dtype="datetime64[ms]"),
            "/  v3 array  numpy.datetime64[ms]  (4, 6)  chunks 2×3  zstd",
        ),
        (
            v2.ArraySpec.build(shape=(4,), dtype=">i2", dimension_names=("x",)),
            "/  v2 array  int16 big-endian  (x=4)  chunks 4  zstd",
        ),
        (
            draft.ArraySpec.build(shape=(4,), dtype="<i2", compress="gzip"),
            "/  draft array  int16  (4)  chunks 4  gzip",
        ),
    ],
    ids=str,
)
def test_an_array_says_type_shape_chunks_and_codecs(spec, line):
    assert line_of(spec) == line


def test_names_that_zom_does_not_know_are_shown_as_they_are():
    document = array().to_dict()
    document |= {"data_type": "ternary", "fill_value": 0}
    document["codecs"].append({"name": "house-codec"})
    assert line_of(v3.parse(document)) == ("/  v3 array  ternary  (4, 6)  chunks 2×3  zstd house-codec")


def test_chunks_of_many_lengths_show_the_least_and_the_greatest():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 3], [3, 3]]}}
    assert "chunks (1…3)×3" in line_of(array().replace(chunk_grid=grid))


def test_attributes_are_shown_as_far_as_there_is_room():
    group = v3.GroupSpec(attributes={"title": "x", "n": 1, "history": "h" * 99, "z": 0}, members={})
    assert line_of(group) == '/  v3 group  title="x" n=1 and 2 more attributes  no members'
    assert line_of(v3.GroupSpec(attributes={"a": {}}, members={})) == "/  v3 group  1 attribute  no members"


def test_a_name_can_not_steer_the_terminal():
    group = v2.GroupSpec(attributes={"a\x1b[2J": "b\x1b[2J"}, members={"a\u202eb": v2.GroupSpec(members={})})
    text = tree_text(group)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\u202e" in text


def test_a_tree_of_a_thousand_levels_is_shown():
    group = v3.GroupSpec(members={})
    for _ in range(1000):
        group = v3.GroupSpec(members={"g": group})
    assert len(tree_text(group).splitlines()) == 1001


def test_what_is_deeper_than_asked_is_counted():
    group = v3.GroupSpec(members={"a": v3.GroupSpec(members={"b": array()}), "c": v3.GroupSpec(members={})})
    assert tree_text(group, depth=1).splitlines()[1:] == [
        "├── a  group  (1 node below)",
        "└── c  group  no members",
    ]
    assert tree_text(group, depth=0) == "/  v3 group  (3 nodes below)"
