"""Where the parts of a hierarchy lie, in each format."""

from __future__ import annotations

import pytest
from stored_trees import LAYOUTS

from zom import draft, v2, v3
from zom.errors import NotFound
from zom.hierarchy.stored.layout import (
    DRAFT_2021,
    DRAFT_2022,
    V2_LAYOUT,
    V3_LAYOUT,
    Sighting,
    draft_layout,
)
from zom.stores.interface import Listing

# Taken from the specifications, and from what zarr-python 2.18 writes for the draft of 2021.
KEYS = [
    ("v2", "/", "array", (".zarray", ".zattrs"), ""),
    ("v2", "/a/b", "array", ("a/b/.zarray", "a/b/.zattrs"), "a/b/"),
    ("v2", "/a/b", "group", ("a/b/.zgroup", "a/b/.zattrs"), "a/b/"),
    ("v3", "/", "group", ("zarr.json",), ""),
    ("v3", "/a/b", "array", ("a/b/zarr.json",), "a/b/"),
    ("draft", "/", "array", ("meta/array.json",), "data/"),
    ("draft", "/", "group", ("meta/group.json",), "data/"),
    ("draft", "/foo/baz", "array", ("meta/foo/baz.array.json",), "data/foo/baz/"),
    ("draft 2021", "/", "array", ("meta/root.array.json",), "data/root/"),
    ("draft 2021", "/", "group", ("meta/root.group.json",), "data/root/"),
    ("draft 2021", "/a/b", "array", ("meta/root/a/b.array.json",), "data/root/a/b/"),
]


@pytest.mark.parametrize(("name", "path", "kind", "keys", "chunks"), KEYS)
def test_documents_and_chunks_lie_where_the_format_says(name, path, kind, keys, chunks):
    assert LAYOUTS[name].keys(path, kind) == keys
    assert LAYOUTS[name].chunk_prefix(path) == chunks


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_path_may_be_spelled_as_in_a_key(name):
    layout = LAYOUTS[name]
    assert layout.keys("a/b", "array") == layout.keys("/a/b", "array") == layout.keys("/a/b/", "array")
    assert layout.chunk_prefix("") == layout.chunk_prefix("/")


@pytest.mark.parametrize(
    ("name", "prefix"), [("v2", "a/"), ("v3", "a/"), ("draft", "meta/a/"), ("draft 2021", "meta/root/a/")]
)
def test_the_members_of_a_group_lie_below_its_directory(name, prefix):
    assert LAYOUTS[name].directory("/a") == prefix


@pytest.mark.parametrize(
    ("layout", "spec", "keys"),
    [
        (V2_LAYOUT, v2.GroupSpec(attributes={"a": 1}), ["x/.zgroup", "x/.zattrs"]),
        (V2_LAYOUT, v2.GroupSpec(), ["x/.zgroup"]),
        (V3_LAYOUT, v3.GroupSpec(), ["x/zarr.json"]),
        (DRAFT_2022, draft.GroupSpec(attributes={}), ["meta/x.group.json"]),
        (DRAFT_2022, draft.GroupSpec(), []),
        (DRAFT_2021, draft.ArraySpec.build(shape=(), dtype="int8"), ["meta/root/x.array.json"]),
    ],
)
def test_the_documents_of_a_spec_have_keys(layout, spec, keys):
    assert list(layout.documents("/x", spec)) == keys


def test_prefixes_of_reserved_names_may_be_nodes_and_those_of_zom_may_not():
    listing = Listing(["zarr.json"], ["__x/", "_y/", ".zom.old/", "a\nb/"])
    for layout in (V3_LAYOUT, V2_LAYOUT):
        assert list(layout.sightings("/", listing)) == ["__x", "_y", "a\nb"]


def test_a_listing_of_the_draft_tells_the_kinds_of_nodes():
    keys = ["meta/a/x.array.json", "meta/a/g.group.json", "meta/a/readme.txt", "meta/a/.array.json"]
    found = DRAFT_2022.sightings("/a", Listing(keys, ["meta/a/g/", "meta/a/i/"]))
    assert found == {
        "g": Sighting((".group.json",), below=True),
        "i": Sighting((), below=True),
        "x": Sighting((".array.json",), below=False),
    }


def test_the_documents_of_the_root_are_no_members_of_it():
    assert DRAFT_2022.sightings("/", Listing(["meta/group.json", "meta/array.json"], [])) == {}


def test_the_suffix_of_the_documents_comes_from_the_entry_point():
    uri = "https://purl.org/zarr/spec/protocol/core/3.0"
    document = {"zarr_format": uri, "metadata_encoding": uri, "metadata_key_suffix": ".zmd", "extensions": []}
    entry = draft.EntryPoint.parse(document, "lenient", on_warning=str)
    layout = draft_layout(entry)
    assert layout.keys("/a", "array") == ("meta/root/a.array.zmd",)
    assert list(layout.sightings("/", Listing(["meta/root/a.array.zmd", "meta/root/b.array.json"], []))) == [
        "a"
    ]


def test_a_draft_hierarchy_may_lie_in_a_part_of_a_store():
    entry = draft.EntryPoint(
        metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=()
    )
    layout = draft_layout(entry, "old/data.zr3")
    assert layout.keys("/old/data.zr3/a", "array") == ("old/data.zr3/meta/a.array.json",)
    assert layout.keys("/old/data.zr3", "group") == ("old/data.zr3/meta/group.json",)
    assert layout.chunk_prefix("/old/data.zr3/a") == "old/data.zr3/data/a/"
    with pytest.raises(
        NotFound, match=r"^/new: expected a path below /old/data\.zr3, the place of the hierarchy$"
    ):
        layout.chunk_prefix("/new")


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_layout_is_frozen(layout):
    with pytest.raises(AttributeError):
        layout.base = "x"
