"""Whole hierarchies, read from stores: nothing is lost, nothing is left out silently."""

from __future__ import annotations

import json
import pickle
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_trees import LAYOUTS, TREES, Far, store_of, stored, tree_draft, tree_v2, tree_v3

import zom
from zom import v2, v3
from zom.errors import NotFound, SpecError, SpecWarning, StoreError
from zom.hierarchy.stored.read import read, read_tree
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.template.models import ArrayTemplate, GroupTemplate
from zom.testing.faulty import FaultyStore

GROUP_V3 = b'{"zarr_format": 3, "node_type": "group"}'
GROUP_V2 = b'{"zarr_format": 2}'


@pytest.fixture(params=["near", "far"])
def place(request):
    """What makes a store near or far: both must find the same."""
    return (lambda store: store) if request.param == "near" else Far


def quiet(problem):
    del problem


# --- what a spec wrote is what is read -------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_what_a_spec_wrote_reads_as_that_spec(name, place):
    tree = TREES[name]()
    assert read(place(store_of(tree, name)), on_warning=quiet) == tree


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("path", ["a", "/a/b/", "t", "empty"])
def test_a_part_of_a_hierarchy_is_read_by_its_path(name, path, place):
    tree = TREES[name]()
    path = path if path in tree else "/a/empty"
    assert read(place(store_of(tree, name)), path, on_warning=quiet) == tree.at(path)


@pytest.mark.parametrize("name", TREES)
def test_a_directory_is_read_by_its_path(name, tmp_path):
    tree = TREES[name]()
    with LocalStore(tmp_path) as store:
        store.set_many(stored(tree, name))
    assert read(tmp_path, on_warning=quiet) == tree
    assert read(str(tmp_path), "a", on_warning=quiet) == tree["a"]


def test_the_order_of_members_and_unknown_ones_survive(place):
    text = '{"node_type":"group","x":{"must_understand":false,"b":1,"a":1.0},"zarr_format":3,"attributes":{}}'
    store = place(MemoryStore({"zarr.json": GROUP_V3, "a/zarr.json": text.encode()}))
    assert read(store, depth=1)["a"].to_json() == text


def test_stored_members_that_are_called_as_words_of_the_model_survive(place):
    documents = {
        ".zgroup": {"zarr_format": 2, "members": 1, "attributes": 2, "_members": 3},
        ".zattrs": {"a": 1},
    }
    texts = {key: json.dumps(value).encode() for key, value in documents.items()}
    problems = []
    spec = read(place(MemoryStore(texts)), on_warning=problems.append)
    assert spec.members == {}
    assert spec.to_documents() == documents
    assert [problem.pointer for problem in problems] == ["/members", "/attributes", "/_members"]


names = st.text("abAB01._-é", min_size=1, max_size=4)
attributes = st.dictionaries(
    st.text(max_size=5),
    st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False) | st.none(),
    max_size=3,
)


def groups(module):
    arrays = st.builds(
        lambda shape, given: module.ArraySpec.build(shape=shape, dtype="int16", attributes=given),
        st.lists(st.integers(0, 9), max_size=3),
        attributes,
    )
    form = module.GroupSpec.family.form
    good = names.filter(lambda name: not any(_faults(name, form)))

    def group(children):
        return st.builds(
            lambda given, members: module.GroupSpec(attributes=given, members=members),
            attributes,
            st.dictionaries(good, children, max_size=3),
        )

    return group(st.recursive(arrays, group, max_leaves=8))


def _faults(name, form):
    from zom.paths import name_faults

    faults = []
    name_faults(name, form, faults)
    return faults


@pytest.mark.slow
@pytest.mark.parametrize("module", [v2, v3], ids=["v2", "v3"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_hierarchy_reads_as_it_was_written(module, data):
    tree = data.draw(groups(module))
    store = store_of(tree)
    assert read(store, on_warning=quiet) == tree
    assert read(Far(store, parallel=data.draw(st.integers(2, 9))), on_warning=quiet) == tree


def test_a_thousand_levels_are_read(place):
    texts = {"a/" * depth + "zarr.json": GROUP_V3 for depth in range(1000)}
    assert len(list(read(place(MemoryStore(texts))).walk())) == 1000


# --- how deep ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("depth", range(5))
def test_below_the_depth_members_are_not_known(name, depth, place):
    tree = TREES[name]()
    found = read(place(store_of(tree, name)), depth=depth, on_warning=quiet)
    levels = {path: path.count("/") if path != "/" else 0 for path, _ in tree.walk()}
    assert {path for path, _ in found.walk()} == {path for path, level in levels.items() if level <= depth}
    for path, node in found.walk():
        if node.kind == "group":
            assert (node.members is None) == (levels[path] == depth)


def test_a_depth_below_zero_is_refused():
    with pytest.raises(ValueError, match=r"^depth: expected None or a number from 0 on, got -1$"):
        read(MemoryStore(), depth=-1)


def test_another_way_with_consolidated_metadata_is_refused():
    with pytest.raises(
        ValueError, match=r"^consolidated: expected 'verify', 'trust', 'ignore' or 'only', got 'yes'$"
    ):
        read(MemoryStore(), consolidated="yes")


# --- what is no node ----------------------------------------------------------------------------------------


def test_foreign_files_and_directories_are_no_nodes(place):
    foreign = {
        "readme.md": b"",
        "photos/1.jpg": b"",
        "__x/zarr.txt": b"",
        "t/c/0/0": b"12",
        "a/notes/n.txt": b"",
    }
    store = store_of(tree_v3())
    store.set_many(foreign)
    assert read(place(store)) == tree_v3()


def test_what_lies_in_an_array_is_not_looked_at(place):
    store = store_of(tree_v3(), None, **{"t/zz/zarr.json": b"oops"})
    assert read(place(store)) == tree_v3()


def test_attributes_alone_are_no_node_of_v2(place):
    store = store_of(tree_v2(), "v2", **{"z/.zattrs": {"a": 1}})
    assert read(place(store)) == tree_v2()


def test_a_path_without_a_document_is_a_group_in_v2_where_nodes_lie_below(place):
    store = store_of(tree_v2(), "v2", **{"z/x/.zgroup": {"zarr_format": 2}})
    with pytest.warns(SpecWarning, match=r"/z: expected a document, which every group has"):
        found = read(place(store))
    assert list(found["z"].members) == ["x"]
    assert found.replace(members={name: found[name] for name in tree_v2().members}) == tree_v2()


def test_a_path_with_nodes_below_it_is_a_group_in_the_draft(place):
    found = read(place(store_of(tree_draft(), "draft")))
    assert found["a"].to_documents() == {}
    assert found["a/b"].to_documents() != {}


def test_an_empty_draft_hierarchy_is_a_group(place):
    store = store_of(zom.draft.GroupSpec(members={}), "draft")
    assert read(place(store)) == zom.draft.GroupSpec(members={})


def test_the_group_consolidated_that_zarr_python_2_leaves_is_a_node(place):
    store = store_of(
        tree_draft(),
        "draft 2021",
        **{"meta/root/consolidated/.zmetadata": {}, "meta/root/consolidated.group.json": {"attributes": {}}},
    )
    assert read(place(store), on_warning=quiet)["consolidated"].members == {}


def test_a_missing_root_is_not_found(tmp_path):
    with pytest.raises(NotFound, match=r"expected a node at /, found nothing: the store is empty$"):
        read(tmp_path)


# --- mixtures -------------------------------------------------------------------------------------------------

MIXTURES = [
    ({"zarr.json": GROUP_V3, "old/.zgroup": GROUP_V2}, "/old", "old/.zgroup", "a v3 node", "a v2 node"),
    ({".zgroup": GROUP_V2, "new/zarr.json": GROUP_V3}, "/new", "new/zarr.json", "a v2 node", "a v3 node"),
    (
        {"zarr.json": GROUP_V3, "d/zarr.json": stored(tree_draft(), "draft")["zarr.json"]},
        "/d",
        "d/zarr.json",
        "a v3 node",
        "a draft hierarchy",
    ),
]


@pytest.mark.parametrize(("keys", "node", "key", "wanted", "found"), MIXTURES)
def test_a_node_of_another_format_is_left_out_with_a_warning(keys, node, key, wanted, found, place):
    problems = []
    spec = read(place(MemoryStore(keys)), on_warning=problems.append)
    assert spec.members == {}
    (problem,) = problems
    assert (problem.code, problem.severity, problem.node, problem.key) == (
        "store/mixed-formats",
        "warning",
        node,
        key,
    )
    assert problem.expected == f"{wanted}, like the group above it"
    assert problem.found == f"{found}, which was left out"


@pytest.mark.parametrize(("keys", "node", "key", "wanted", "found"), MIXTURES)
def test_a_node_of_another_format_is_an_error_at_the_strict_level(keys, node, key, wanted, found, place):
    with pytest.raises(SpecError, match=f"{node}: expected {wanted}"):
        read(place(MemoryStore(keys)), level="strict")
    del key, found


def test_groups_of_both_formats_side_by_side_read_as_v3_with_a_warning(place):
    store = MemoryStore(
        {"zarr.json": GROUP_V3, ".zgroup": GROUP_V2, "a/zarr.json": GROUP_V3, "a/.zgroup": GROUP_V2}
    )
    problems = []
    spec = read(place(store), on_warning=problems.append)
    assert (spec.family.form, list(spec.members)) == ("v3", ["a"])
    assert [(p.code, p.node) for p in problems] == [("store/two-formats", "/"), ("store/two-formats", "/a")]


def test_the_format_that_is_asked_for_is_read(place):
    store = MemoryStore(
        {"zarr.json": GROUP_V3, ".zgroup": GROUP_V2, "a/zarr.json": GROUP_V3, "b/.zgroup": GROUP_V2}
    )
    assert list(read(place(store), form="v2", on_warning=quiet).members) == ["b"]


def test_arrays_and_groups_in_one_place_of_the_draft_read_as_the_array(place):
    store = store_of(tree_draft(), "draft", **{"meta/t.group.json": {"attributes": {}}})
    problems = []
    assert read(place(store), on_warning=problems.append) == tree_draft()
    assert [(p.code, p.key) for p in problems] == [("store/two-kinds", "meta/t.group.json")]


# --- documents with faults --------------------------------------------------------------------------------------


def broken():
    texts = stored(tree_v2())
    array = json.loads(texts["a/b/x/.zarray"])
    texts["a/b/x/.zarray"] = json.dumps({**array, "chunks": [-1]}, indent=1).encode()
    texts["a/empty/.zgroup"] = b'{"zarr_format": 2'
    texts["t/.zattrs"] = b"[]"
    return texts


def test_the_problems_of_all_documents_are_told_at_once(place):
    with pytest.raises(SpecError) as error:
        read(place(MemoryStore(broken())))
    places = {(p.node, p.key, p.pointer) for p in error.value.problems if p.severity == "error"}
    assert places == {
        ("/a/b/x", "a/b/x/.zarray", "/chunks/0"),
        ("/a/empty", "a/empty/.zgroup", ""),
        ("/t", "t/.zattrs", ""),
    }
    assert all(problem.line is not None for problem in error.value.problems)
    assert str(error.value).startswith("memory://: 3 problems\n")


def test_a_problem_names_the_node_from_the_root_of_the_store(place):
    with pytest.raises(SpecError) as error:
        read(place(MemoryStore(broken())), "a/b")
    assert {p.node for p in error.value.problems} == {"/a/b/x"}


def test_a_name_that_the_format_forbids_is_told(place):
    store = MemoryStore({"zarr.json": GROUP_V3, ".../zarr.json": GROUP_V3})
    told = []
    assert [path for path, _ in read(place(store), on_warning=told.append).walk()] == ["/", "/..."]
    assert [(p.code, p.severity, p.node, p.key) for p in told] == [
        ("v3/node-name", "warning", "/...", ".../zarr.json")
    ]
    with pytest.raises(SpecError, match=r"/\.\.\.: expected a name that is not only periods"):
        read(place(store), level="strict")


def test_warnings_of_one_rule_are_one_warning():
    text = b'{"zarr_format": 3, "node_type": "group", "attributes": null}'
    store = MemoryStore({f"g{i:02}/zarr.json": text for i in range(30)} | {"zarr.json": GROUP_V3})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        read(store)
    (told,) = found
    assert told.category is SpecWarning
    assert told.filename == __file__
    lines = str(told.message).splitlines()
    assert lines[0] == "memory://: 30 warnings of v3/null-attributes"
    assert lines[1].startswith("  /g00: attributes: expected an object, found null")
    assert lines[-1] == "  ... and 20 more"


def test_problems_are_kept_where_the_whole_is_asked_for():
    text = b'{"zarr_format": 3, "node_type": "group", "attributes": null}'
    tree = read_tree(MemoryStore({"zarr.json": text}))
    assert [problem.key for problem in tree.problems] == ["zarr.json"]


@pytest.mark.parametrize("name", TREES)
def test_all_documents_can_be_had_as_they_were_stored(name, place):
    texts = stored(TREES[name](), name)
    tree = read_tree(place(MemoryStore(texts)))
    assert tree.documents() == {
        key: text for key, text in texts.items() if key != "zarr.json" or name == "v3"
    }
    assert tree.layout.name == LAYOUTS[name].name


# --- stores that fail ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("mishap", ["fail", "shorten", "delay", "duplicate"])
def test_whichever_operation_goes_wrong_all_is_read_or_an_error_raised(name, mishap, place):
    tree = TREES[name]()
    inner = store_of(tree, name)
    counted = FaultyStore(place(inner))
    read(counted, on_warning=quiet)
    for number in range(len(counted.operations)):
        store = FaultyStore(place(inner), {number: mishap}, delay=0)
        try:
            assert read(store, on_warning=quiet) == tree
        except (StoreError, SpecError):
            assert mishap in {"fail", "shorten"}


@pytest.mark.parametrize("name", TREES)
def test_whichever_operation_fails_on_this_machine_is_an_error(name):
    inner = store_of(TREES[name](), name)
    counted = FaultyStore(inner)
    read(counted, on_warning=quiet)
    for number in range(len(counted.operations)):
        with pytest.raises(StoreError, match="input/output error"):
            read(FaultyStore(inner, {number: "fail"}), on_warning=quiet)


class Vanishing(Far):
    """What was listed is gone when it is read."""

    def _read_many(self, requests):
        return [
            None if key == "meta/t.array.json" else value
            for (key, _), value in zip(requests, super()._read_many(requests), strict=True)
        ]


def test_a_document_that_was_listed_and_is_gone_is_an_error():
    message = r"cannot read 'meta/t\.array\.json' of /t: it was listed and then deleted: the hierarchy changes while it is "
    with pytest.raises(StoreError, match=message):
        read(Vanishing(store_of(tree_draft(), "draft")))


# --- how many requests -----------------------------------------------------------------------------------------------


def rounds(monkeypatch):
    """The round trips of every reading from now on."""
    from zom.hierarchy.stored.source import Source

    counts = []
    close = Source.close
    monkeypatch.setattr(Source, "close", lambda self: (counts.append(self.rounds), close(self)))
    return counts


def deep(module, depth, width=2):
    node = module.ArraySpec.build(shape=(3,), dtype="int8")
    for _ in range(depth):
        node = module.GroupSpec(members={f"m{i}": node for i in range(width)})
    return node


@pytest.mark.parametrize("depth", range(5))
def test_v3_takes_two_round_trips_more_than_levels(depth, monkeypatch):
    counts = rounds(monkeypatch)
    tree = deep(v3, depth)
    assert read(Far(store_of(tree)), consolidated="ignore") == tree
    assert counts == [depth + 2 if depth else 1]


@pytest.mark.parametrize(("name", "trips"), [("draft", 5), ("draft 2021", 6)])
def test_the_draft_takes_few_round_trips_more_than_levels(name, trips, monkeypatch):
    counts = rounds(monkeypatch)
    read(Far(store_of(tree_draft(), name)), on_warning=quiet)
    assert counts == [trips]  # that of 2021 has consolidated metadata to compare


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_v2_lists_groups_only_at_the_cost_of_round_trips(depth, monkeypatch):
    counts = rounds(monkeypatch)
    store = Far(store_of(deep(v2, depth)))
    read(store, consolidated="ignore")
    assert counts == [2 * depth + 1]
    assert len(store.listed) == sum(2**level for level in range(depth))


def test_a_level_wider_than_the_store_works_on_at_once_is_not_listed_at_a_guess(monkeypatch):
    counts = rounds(monkeypatch)
    store = Far(store_of(deep(v3, 1, width=100)), parallel=8)
    read(store)
    assert (counts, store.listed) == ([3], [""])


def test_a_store_on_this_machine_is_asked_for_nothing_twice():
    tree = tree_v3()
    store = FaultyStore(store_of(tree))
    read(store)
    assert len(store.operations) == len(set(store.operations)) == 6 + 4


def test_no_thread_is_left_behind():
    import threading

    read(Far(store_of(deep(v3, 2))))
    waiting = [t for t in threading.enumerate() if t.name.startswith("zom-list")]
    for thread in waiting:
        thread.join(10)
    assert not any(thread.is_alive() for thread in waiting)


# --- stores that can't be listed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TREES)
def test_a_store_that_cant_be_listed_is_read_by_the_paths_of_a_spec(name):
    tree = TREES[name]()
    store = Far(store_of(tree, name), listable=False)
    assert read(store, like=tree, on_warning=quiet) == tree
    assert store.listed == []


def test_members_that_a_spec_names_and_the_store_lacks_are_not_there():
    like = tree_v3().replace(members={**tree_v3().members, "more": v3.GroupSpec(members={})})
    assert read(Far(store_of(tree_v3()), listable=False), like=like) == tree_v3()


def test_a_store_that_cant_be_listed_is_read_by_the_paths_of_a_template():
    like = GroupTemplate(members={"t": ArrayTemplate(), "a": GroupTemplate(members={"b": GroupTemplate()})})
    found = read(Far(store_of(tree_v3()), listable=False), like=like)
    assert sorted(path for path, _ in found.walk()) == ["/", "/a", "/a/b", "/t"]


def test_a_store_that_cant_be_listed_gives_a_node_alone():
    store = Far(store_of(tree_v3()), listable=False)
    assert read(store, depth=0).members is None
    assert read(store, "t") == tree_v3()["t"]


def test_a_store_that_cant_be_listed_says_what_to_do():
    with pytest.raises(StoreError) as error:
        read(Far(store_of(tree_v3()), listable=False))
    assert str(error.value) == (
        "memory://: cannot list: this store can't list its keys, and has no consolidated metadata here; "
        "pass the expected nodes as like=spec or like=template, or read the node alone with depth=0"
    )


def test_a_spec_that_was_read_is_one_like_any_other():
    found = read(store_of(tree_v3()))
    assert pickle.loads(pickle.dumps(found)) == found
    assert zom.parse(found.to_json()) == tree_v3()
