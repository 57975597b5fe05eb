"""Consolidated metadata: compared, trusted, insisted on, or not looked at."""

from __future__ import annotations

import json

import pytest
from stored_trees import TREES, Far, store_of, tree_draft, tree_v2, tree_v3

import zom
from zom import v2, v3
from zom.errors import NotFound, SpecError, SpecWarning
from zom.hierarchy.stored.read import read, read_tree
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

FORMS = {"v2": ".zmetadata", "v3": "zarr.json"}


def consolidated(name, tree=None, block=None):
    """A store of `tree` whose consolidated metadata is that of `block`."""
    tree = TREES[name]() if tree is None else tree
    document = (tree if block is None else block).to_consolidated()
    if name == "v3" and block is not None:
        document = {
            **tree.to_documents()["zarr.json"],
            "consolidated_metadata": document["consolidated_metadata"],
        }
    return store_of(tree, name, **{FORMS[name]: document})


@pytest.fixture(params=["near", "far", "unlistable"])
def place(request):
    if request.param == "near":
        return lambda store: store
    return lambda store: Far(store, listable=request.param == "far")


@pytest.fixture(params=FORMS)
def name(request):
    return request.param


@pytest.mark.parametrize("way", ["verify", "trust", "only"])
def test_consolidated_metadata_that_is_up_to_date_changes_nothing(name, way, place):
    problems = []
    assert read(place(consolidated(name)), consolidated=way, on_warning=problems.append) == TREES[name]()
    assert problems == []


def test_consolidated_metadata_is_no_part_of_a_spec():
    spec = read(consolidated("v3"), consolidated="ignore")
    assert "consolidated_metadata" not in spec.document
    assert read_tree(consolidated("v3")).consolidated.key == "zarr.json"


def test_the_empty_blocks_that_zarr_python_nests_are_no_difference():
    document = tree_v3().to_consolidated()
    entries = document["consolidated_metadata"]["metadata"]
    for entry in entries.values():
        if entry["node_type"] == "group":
            entry["consolidated_metadata"] = {"kind": "inline", "must_understand": False, "metadata": {}}
    problems = []
    store = store_of(tree_v3(), None, **{"zarr.json": document})
    assert read(store, on_warning=problems.append) == tree_v3()
    assert problems == []


def test_the_blocks_that_zarr_python_nests_in_v2_are_no_difference(place):
    document = tree_v2().to_consolidated()
    block = {"kind": "inline", "must_understand": False, "metadata": {}}
    document["metadata"]["a/.zgroup"]["consolidated_metadata"] = block
    problems = []
    for way in ("verify", "trust"):
        store = place(store_of(tree_v2(), "v2", **{".zmetadata": document}))
        assert read(store, consolidated=way, on_warning=problems.append) == tree_v2()
    assert problems == []


def test_empty_attributes_in_consolidated_metadata_are_no_difference():
    document = tree_v2().to_consolidated()
    document["metadata"]["a/.zattrs"] = {}
    problems = []
    read(store_of(tree_v2(), "v2", **{".zmetadata": document}), on_warning=problems.append)
    assert problems == []


# --- stale -------------------------------------------------------------------------------------------------


def changed(name):
    """A hierarchy, and the same with one node added, one removed, and one changed."""
    old = TREES[name]()
    module = {"v2": v2, "v3": v3}[name]
    members = {key: member for key, member in old.members.items() if key != "a"}
    members["new"] = module.GroupSpec(members={})
    members["t"] = old["t"].replace(attributes={"units": "degC"})
    return old, old.replace(members=members)


def test_what_differs_from_consolidated_metadata_is_told_and_the_nodes_count(name):
    old, new = changed(name)
    problems = []
    for store in (consolidated(name, new, old), Far(consolidated(name, new, old))):
        problems.clear()
        assert read(store, on_warning=problems.append) == new
        assert {(p.node, p.expected, p.found) for p in problems} == {
            ("/a", "a node, according to the consolidated metadata", "none"),
            ("/a/b", "a node, according to the consolidated metadata", "none"),
            ("/a/b/x", "a node, according to the consolidated metadata", "none"),
            ("/a/empty", "a node, according to the consolidated metadata", "none"),
            ("/new", "an entry in the consolidated metadata", "none"),
            ("/t", "the same in the consolidated metadata", "another attributes"),
        }
        assert {(p.code, p.severity, p.key) for p in problems} == {
            ("store/stale-consolidated", "warning", FORMS[name])
        }


def test_stale_consolidated_metadata_is_one_warning(name):
    old, new = changed(name)
    with pytest.warns(SpecWarning, match="^memory://: 6 warnings of store/stale-consolidated\n") as found:
        read(consolidated(name, new, old))
    assert len(found) == 1
    assert "consolidate again; until then read with consolidated='ignore'" in str(found[0].message)


def test_below_the_depth_nothing_is_compared(name):
    old, new = changed(name)
    problems = []
    read(consolidated(name, new, old), depth=1, on_warning=problems.append)
    assert {p.node for p in problems} == {"/a", "/new", "/t"}


def test_consolidated_metadata_that_is_not_looked_at_is_not_told_of(name):
    old, new = changed(name)
    problems = []
    assert read(consolidated(name, new, old), consolidated="ignore", on_warning=problems.append) == new
    assert problems == []


def test_consolidated_metadata_that_is_trusted_counts(name):
    old, new = changed(name)
    found = read(consolidated(name, new, old), consolidated="trust")
    assert found.members == old.members


def test_a_part_of_a_hierarchy_has_consolidated_metadata_of_its_own(name):
    tree = TREES[name]()
    key = f"a/{FORMS[name]}"
    store = store_of(tree, name, **{key: tree["a"].to_consolidated()})
    assert read(store, "a", consolidated="only") == tree["a"]
    problems = []
    assert read(store, "a", on_warning=problems.append) == tree["a"]
    assert problems == []


@pytest.mark.parametrize("depth", range(4))
def test_consolidated_metadata_is_read_so_deep(name, depth):
    store = consolidated(name)
    assert read(store, consolidated="only", depth=depth) == read(store, consolidated="ignore", depth=depth)


# --- how many requests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["trust", "only"])
def test_trusted_metadata_takes_one_round_trip(name, way):
    store = LoggedStore(Far(consolidated(name)))
    read(store, consolidated=way)
    (call,) = store.log.calls
    assert FORMS[name] in call.keys


def test_verified_metadata_takes_two_round_trips_however_deep(name, monkeypatch):
    from zom.hierarchy.stored.source import Source

    counts = []
    close = Source.close
    monkeypatch.setattr(Source, "close", lambda self: (counts.append(self.rounds), close(self)))
    read(Far(consolidated(name)))
    assert counts == [2]


# --- none, or out of order --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", TREES)
def test_where_there_is_none_it_can_be_insisted_on(form):
    store = store_of(TREES[form](), form)
    assert read(store, consolidated="trust", on_warning=str) == TREES[form]()
    with pytest.raises(NotFound) as error:
        read(store, consolidated="only")
    assert str(error.value) == (
        "memory://: expected consolidated metadata at /, found none; "
        "read it with consolidated='verify', or consolidate it"
    )


def test_the_draft_of_2022_has_no_consolidated_metadata():
    store = store_of(tree_draft(), "draft", **{"meta/root/consolidated/.zmetadata": {}})
    with pytest.raises(NotFound):
        read(store, consolidated="only")


BROKEN = [
    ("v2", b'{"metadata": {', 1),
    ("v2", b"[]", 1),
    ("v2", b'{"metadata": {}}', 1),
    ("v2", b'{"zarr_consolidated_format": 1,\n "metadata": []}', 2),
    ("v3", b'{"zarr_format": 3, "node_type": "group",\n "consolidated_metadata": {"kind": "inline"}}', 2),
    ("v3", b'{"zarr_format": 3, "node_type": "group",\n "consolidated_metadata": 5}', 2),
]


@pytest.mark.parametrize(("form", "text", "line"), BROKEN)
def test_consolidated_metadata_out_of_order_is_told_and_the_nodes_are_read(form, text, line):
    module = {"v2": v2, "v3": v3}[form]
    tree = module.GroupSpec(members={"a": module.GroupSpec(members={})})
    problems = []
    store = store_of(tree, form, **{FORMS[form]: text})
    assert read(store, on_warning=problems.append) == tree
    (problem,) = problems
    assert (problem.severity, problem.key, problem.line) == ("warning", FORMS[form], line)


@pytest.mark.parametrize(("form", "text", "line"), BROKEN)
@pytest.mark.parametrize("way", ["trust", "only"])
def test_consolidated_metadata_out_of_order_is_not_trusted(form, text, line, way):
    module = {"v2": v2, "v3": v3}[form]
    store = store_of(module.GroupSpec(members={}), form, **{FORMS[form]: text})
    with pytest.raises(SpecError) as error:
        read(store, consolidated=way)
    assert [(p.key, p.line) for p in error.value.problems] == [(FORMS[form], line)]


def test_faults_in_trusted_metadata_are_told_with_their_lines(name):
    tree = TREES[name]()
    document = tree.to_consolidated()
    if name == "v2":
        document["metadata"]["a/b/x/.zarray"]["shape"] = [-4]
        pointer = "/metadata/a~1b~1x~1.zarray/shape/0"
    else:
        document["consolidated_metadata"]["metadata"]["a/b/x"]["shape"] = [-4]
        pointer = "/consolidated_metadata/metadata/a~1b~1x/shape/0"
    text = json.dumps(document, indent=1)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if each.strip() == "-4")
    with pytest.raises(SpecError) as error:
        read(MemoryStore({FORMS[name]: text.encode()}), consolidated="trust")
    (problem,) = error.value.problems
    assert (problem.node, problem.key, problem.pointer, problem.line) == (
        "/a/b/x",
        FORMS[name],
        pointer,
        line,
    )


def test_nodes_below_an_array_in_trusted_metadata_are_told():
    document = tree_v2().to_consolidated()
    document["metadata"]["t/x/.zgroup"] = {"zarr_format": 2}
    with pytest.raises(
        SpecError, match="/t/x: expected only groups above a node, found the array /t above it"
    ):
        read(MemoryStore({".zmetadata": json.dumps(document).encode()}), consolidated="only")


def test_parents_that_trusted_metadata_lacks_are_groups():
    document = tree_v2().to_consolidated()
    del document["metadata"]["a/b/.zgroup"]
    store = MemoryStore({".zmetadata": json.dumps(document).encode()})
    assert read(store, consolidated="only") == tree_v2()


def test_entries_that_lead_out_of_the_store_are_not_followed(place):
    document = tree_v2().to_consolidated()
    document["metadata"]["../x/.zgroup"] = {"zarr_format": 2}
    problems = []
    assert (
        read(place(store_of(tree_v2(), "v2", **{".zmetadata": document})), on_warning=problems.append)
        == tree_v2()
    )
    assert [p.code for p in problems] == ["store/stale-consolidated"]


# --- by meaning -------------------------------------------------------------------------------------------


V2_ARRAY = {
    "zarr_format": 2, "shape": [4, 4], "chunks": [2, 2], "dtype": "<f4", "compressor": {"id": "zstd", "level": 3},
    "filters": None, "fill_value": 0.0, "order": "C",
}  # fmt: skip
V3_ARRAY = zom.v3.ArraySpec.build(shape=(4,), dtype="datetime64[s]", chunks=2).to_dict()


def consolidated_v2(own: dict, copy: dict, **attributes: dict) -> MemoryStore:
    metadata = {".zgroup": {"zarr_format": 2}, ".zattrs": {}, "a/.zarray": copy, **attributes}
    whole = {"zarr_consolidated_format": 1, "metadata": metadata}
    texts = {".zgroup": {"zarr_format": 2}, "a/.zarray": own, ".zmetadata": whole}
    return MemoryStore({key: json.dumps(value).encode() for key, value in texts.items()})


def consolidated_v3(own: dict, copy: dict) -> MemoryStore:
    group = {"zarr_format": 3, "node_type": "group"}
    block = {"kind": "inline", "must_understand": False, "metadata": {"a": copy}}
    texts = {"zarr.json": {**group, "consolidated_metadata": block}, "a/zarr.json": own}
    return MemoryStore({key: json.dumps(value).encode() for key, value in texts.items()})


def codes_of(store: MemoryStore) -> set[str]:
    """What a check and a validation say of the copy."""
    problems = [*zom.validate(store, conventions=(), data="keys").problems, *zom.validate(store)]
    return {each.code for each in problems if "consolidated" in each.code}


@pytest.mark.parametrize("change", [
    {"dimension_separator": "."}, {"compressor": {"id": "zstd", "level": 3, "checksum": False}}, {"fill_value": 0},
])  # fmt: skip
def test_a_v2_copy_in_other_words_is_not_stale(change):
    assert codes_of(consolidated_v2(V2_ARRAY, {**V2_ARRAY, **change}, **{"a/.zattrs": {}})) == set()
    assert codes_of(consolidated_v2({**V2_ARRAY, **change}, V2_ARRAY)) == set()


@pytest.mark.parametrize("change", [
    {"attributes": {}}, {"storage_transformers": []}, {"dimension_names": None}, {"dimension_names": [None]},
    {"fill_value": -(2**63)},
    {"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}},
])  # fmt: skip
def test_a_v3_copy_in_other_words_is_not_stale(change):
    assert codes_of(consolidated_v3(V3_ARRAY, {**V3_ARRAY, **change})) == set()
    assert codes_of(consolidated_v3({**V3_ARRAY, **change}, V3_ARRAY)) == set()


@pytest.mark.parametrize("change", [
    {"shape": [5, 4]}, {"fill_value": 1.0}, {"compressor": {"id": "zstd", "level": 4}}, {"dimension_separator": "/"},
    {"dtype": ">f4"}, {"fill_value": -0.0}, {"order": "F"},
])  # fmt: skip
def test_a_v2_copy_that_means_something_else_is_stale(change):
    assert codes_of(consolidated_v2(V2_ARRAY, {**V2_ARRAY, **change}))
    assert codes_of(consolidated_v2(V2_ARRAY, V2_ARRAY, **{"a/.zattrs": {"a": 1}}))


@pytest.mark.parametrize("change", [
    {"shape": [5]}, {"fill_value": 1}, {"attributes": {"a": None}}, {"dimension_names": ["x"]},
    {"storage_transformers": [{"name": "acme"}]}, {"data_type": "int64"}, {"acme": {"must_understand": False}},
])  # fmt: skip
def test_a_v3_copy_that_means_something_else_is_stale(change):
    assert codes_of(consolidated_v3(V3_ARRAY, {**V3_ARRAY, **change}))
