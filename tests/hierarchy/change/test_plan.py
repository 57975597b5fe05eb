"""Plans: what becomes of each node, every conflict with words of its own, and nothing written."""

from __future__ import annotations

import json
import re

import pytest

import zom
from zom import v3
from zom.errors import ConflictError, ReadOnlyError, StoreError
from zom.stores.memory import MemoryStore
from zom.stores.wrap import ReadOnlyStore, WrapperStore

MODULES = {"v2": zom.v2, "v3": zom.v3, "draft": zom.draft}
FORMS = pytest.mark.parametrize("form", MODULES)


def array_of(form="v3", **changes):
    facts = {"shape": (4,), "dtype": "int8", "chunks": (2,), **changes}
    return MODULES[form].ArraySpec.build(**facts)


def tree_of(form="v3"):
    module = MODULES[form]
    return module.GroupSpec(
        attributes={"title": "t"},
        members={
            "a": array_of(form, attributes={"units": "K"}),
            "g": module.GroupSpec(attributes={"n": 1}, members={"b": array_of(form)}),
        },
    )


def contents(store):
    return {key: store.get(key) for key in store.list()}


def stored(spec, path="", *, fill=()):
    store = MemoryStore()
    zom.materialize(spec, store, path)
    for name in fill:
        zom.open_array(store, name, mode="r+")[...] = 7
    return store


def verbs(plan):
    return {action.path: action.verb for action in plan.actions}


def changed(spec, **members):
    """The tree with other members."""
    return spec.replace(members={**spec.members, **members})


# --- what is done ---------------------------------------------------------------------------------------


@FORMS
def test_in_an_empty_store_every_node_is_created(form):
    store = MemoryStore()
    plan = zom.plan(tree_of(form), store)
    assert set(verbs(plan).values()) == {"create"}
    assert not plan.is_empty
    assert contents(store) == {}


@FORMS
@pytest.mark.parametrize("on_conflict", ["refuse", "update", "replace"])
def test_what_is_there_already_is_kept(form, on_conflict):
    store = stored(tree_of(form))
    plan = zom.plan(tree_of(form), store, on_conflict=on_conflict)
    assert set(verbs(plan).values()) == {"keep"}
    assert plan.is_empty


def test_another_spelling_of_the_same_is_kept():
    store = stored(v3.GroupSpec(members={"a": array_of()}))
    document = json.loads(store.get("a/zarr.json"))
    document["chunk_key_encoding"] = {"name": "default"}
    document["codecs"][0] = "bytes"
    store.set("a/zarr.json", json.dumps(document).encode())
    assert zom.plan(v3.GroupSpec(members={"a": array_of()}), store).is_empty


def test_a_sharded_array_that_others_spelled_out_is_kept():
    spec = v3.ArraySpec.build(shape=(8,), dtype="int8", chunks=(2,), shards=(4,))
    store = stored(spec)
    document = json.loads(store.get("zarr.json"))
    document["codecs"][0]["configuration"]["index_location"] = "end"
    store.set("zarr.json", json.dumps(document).encode())
    assert zom.plan(spec, store).is_empty


@FORMS
def test_an_attribute_changes_one_document_and_no_chunk(form):
    store = stored(tree_of(form), fill=["a"])
    before = contents(store)
    spec = tree_of(form).replace(attributes={"title": "other"})
    plan = zom.plan(spec, store, on_conflict="update")
    assert verbs(plan) == {"/": "update attributes", "/a": "keep", "/g": "keep", "/g/b": "keep"}
    plan.apply()
    after = contents(store)
    (key,) = [key for key in after if after[key] != before[key]]
    assert key in {"zarr.json", ".zattrs", "meta/group.json"}
    assert zom.read(store) == spec


@FORMS
def test_attributes_that_are_not_given_stay_when_updated_and_go_when_replaced(form):
    store = stored(tree_of(form))
    bare = array_of(form).replace(attributes=zom.ABSENT) if form != "draft" else None
    if bare is None:
        pytest.skip("a draft array has attributes always")
    spec = changed(tree_of(form), a=bare)
    assert zom.plan(spec, store, on_conflict="update").is_empty
    assert verbs(zom.plan(spec, store, on_conflict="replace"))["/a"] == "update attributes"
    zom.materialize(spec, store, on_conflict="replace")
    assert zom.open(store, "a").attrs == {}


@FORMS
def test_empty_attributes_take_the_place_of_those_that_are_there(form):
    store = stored(tree_of(form))
    zom.materialize(tree_of(form).replace(attributes={}), store, on_conflict="update")
    assert zom.open(store).attrs == {}


def test_attributes_are_added_without_a_look_at_the_rest():
    store = stored(v3.GroupSpec(members={"a": array_of(attributes={"x": 1})}))
    zom.materialize(array_of(attributes={"x": 1, "y": [1.5, None]}), store, "a", on_conflict="update")
    assert zom.open(store, "a").attrs == {"x": 1, "y": [1.5, None]}


def test_names_of_dimensions_are_written_and_chunks_stay():
    store = stored(array_of(), fill=[""])
    spec = array_of(dimension_names=("x",))
    plan = zom.plan(spec, store, on_conflict="update")
    assert verbs(plan) == {"/": "rewrite document"}
    root = plan.apply()
    assert root.dimension_names == ("x",)
    assert root[...].tolist() == [7] * 4


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_how_hard_to_compress_is_no_change_of_what_is_stored(form):
    store = stored(array_of(form, compress="gzip"), fill=[""])
    text = "zarr.json" if form == "v3" else ".zarray"
    document = json.loads(store.get(text))
    codec = document["codecs"][1]["configuration"] if form == "v3" else document["compressor"]
    codec["level"] = 1 if codec["level"] != 1 else 2
    spec = zom.parse(json.dumps(document))
    plan = zom.plan(spec, store, on_conflict="update")
    assert verbs(plan) == {"/": "rewrite document"}
    assert plan.apply()[...].tolist() == [7] * 4


@FORMS
def test_a_smaller_shape_removes_the_chunks_beyond_it(form):
    store = stored(array_of(form, shape=(7,)), fill=[""])
    spec = array_of(form, shape=(3,))
    plan = zom.plan(spec, store, on_conflict="update")
    (action,) = plan.actions
    assert (action.verb, action.chunks) == ("resize", 2)
    assert plan.losses == (action,)
    assert plan.apply()[...].tolist() == [7] * 3
    assert (
        len(
            [
                key
                for key in store.list()
                if not key.endswith(("zarr.json", ".zarray", ".zattrs", "array.json"))
            ]
        )
        == 2
    )
    assert (
        zom.materialize(array_of(form, shape=(7,)), store, on_conflict="update")[...].tolist()
        == [7] * 3 + [0] * 4
    )


@FORMS
def test_a_larger_shape_keeps_all_chunks(form):
    store = stored(array_of(form), fill=[""])
    plan = zom.plan(array_of(form, shape=(9,)), store, on_conflict="update")
    assert [(a.verb, a.chunks) for a in plan.actions] == [("resize", 0)]
    assert plan.apply()[...].tolist() == [7] * 4 + [0] * 5


LAYOUTS = {
    "data type": {"dtype": "uint8"},
    "chunks": {"chunks": (4,)},
    "codecs": {"compress": None},
}


@FORMS
@pytest.mark.parametrize("what", LAYOUTS)
def test_another_layout_is_a_conflict_and_replaced_on_request(form, what):
    """D2, D3: old chunks under a new document read as other values, or not at all."""
    store = stored(array_of(form), fill=[""])
    before = contents(store)
    spec = array_of(form, **LAYOUTS[what])
    for on_conflict, wanted in {
        "refuse": "expected an array that means the same, found another: ",
        "update": "expected an array whose chunks can still be read, found another: ",
    }.items():
        plan = zom.plan(spec, store, on_conflict=on_conflict)
        assert str(plan.problems[0]).startswith(wanted)
        assert str(plan.problems[0]).endswith("; pass on_conflict='replace' to delete its chunks")
        with pytest.raises(ConflictError, match=re.escape(wanted)):
            plan.apply()
    assert contents(store) == before
    plan = zom.plan(spec, store, on_conflict="replace")
    assert [(a.verb, a.chunks) for a in plan.actions] == [("replace", 2)]
    root = plan.apply()
    assert root[...].tolist() == [root.fill_value] * 4
    assert root.spec == spec


@FORMS
def test_another_fill_value_keeps_the_chunks_where_all_are_stored(form):
    store = stored(array_of(form), fill=[""])
    zom.plan(array_of(form, fill_value=3), store, on_conflict="update").apply()
    assert zom.open(store)[...].tolist() == [7] * 4
    zom.plan(array_of(form, shape=(6,), fill_value=4), store, on_conflict="update").apply()
    assert zom.open(store)[...].tolist() == [7] * 4 + [4] * 2


@FORMS
@pytest.mark.parametrize("shape", [(4,), (6,)])
def test_another_fill_value_is_a_conflict_where_it_would_be_seen(form, shape):
    """What was never written, or was the old fill value and so was not stored, would read as another."""
    store = stored(array_of(form))
    zom.open(store, mode="r+")[0] = 7
    before, spec = contents(store), array_of(form, shape=shape, fill_value=3)
    problem = zom.plan(spec, store, on_conflict="update").problems[0]
    assert "expected the fill value that missing chunks have, found another, and 1 chunk not stored" in str(
        problem
    )
    with pytest.raises(ConflictError, match="missing chunks will read as the new fill value"):
        zom.materialize(spec, store)
    assert contents(store) == before
    plan = zom.plan(spec, store, on_conflict="replace")
    assert "(missing chunks will read as the new fill value: 1 chunk not stored)" in str(plan)
    assert plan.apply()[...].tolist() == [7, 0, *[3] * (shape[0] - 2)]


def test_a_shard_may_lack_chunks_that_a_new_fill_value_would_change():
    store = stored(v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(1,), shards=(4,)), fill=[""])
    spec = v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(1,), shards=(4,), fill_value=3)
    assert "shards may lack chunks" in str(zom.plan(spec, store, on_conflict="update").problems[0])
    assert zom.materialize(spec, store, on_conflict="replace")[...].tolist() == [7] * 4


def test_a_fill_value_is_meant_bit_by_bit():
    store = stored(v3.ArraySpec.build(shape=(4,), dtype="float32", fill_value=0.0))
    spec = v3.ArraySpec.build(shape=(4,), dtype="float32", fill_value=-0.0)
    assert zom.plan(spec, store, on_conflict="update").problems
    assert verbs(zom.plan(spec, store, on_conflict="replace")) == {"/": "rewrite document"}


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
SHARD = {"chunk_shape": [1, 2], "index_codecs": [LITTLE, "crc32c"]}


def sharded(*codecs, **more):
    return [{"name": "sharding_indexed", "configuration": {**SHARD, "codecs": list(codecs), **more}}]


SAME_V3 = {
    "endian of one byte": ({"codecs": ["bytes"]}, {"codecs": [LITTLE]}),
    "other endian of one byte": (
        {"codecs": ["bytes"]},
        {"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]},
    ),
    "in a shard": (
        {"codecs": sharded("bytes")},
        {"codecs": sharded({**LITTLE, "must_understand": True}, index_location="end")},
    ),
    "level in a shard": (
        {"codecs": sharded("bytes", {"name": "gzip", "configuration": {"level": 1}})},
        {"codecs": sharded("bytes", {"name": "gzip", "configuration": {"level": 9}})},
    ),
    "name of numcodecs": (
        {"codecs": ["bytes", {"name": "zstd", "configuration": {"level": 1, "checksum": False}}]},
        {"codecs": ["bytes", {"name": "numcodecs.zstd", "configuration": {"level": 3}}]},
    ),
    "no transposition": (
        {"codecs": ["bytes"]},
        {"codecs": [{"name": "transpose", "configuration": {"order": [0, 1]}}, "bytes"]},
    ),
    "default keys": (
        {"codecs": ["bytes"]},
        {
            "codecs": ["bytes"],
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "storage_transformers": [],
        },
    ),
    "edges of one length": (
        {"codecs": ["bytes"]},
        {
            "codecs": ["bytes"],
            "chunk_grid": {
                "name": "rectilinear",
                "configuration": {"kind": "inline", "chunk_shapes": [2, [[2, 2]]]},
            },
        },
    ),
}


@pytest.mark.parametrize("what", SAME_V3)
def test_chunks_stay_where_another_document_means_the_same(what):
    """Issue 12: a byte order that one byte can't have, beside none, removed all chunks."""
    base = v3.ArraySpec.build(shape=(4, 4), dtype="uint8", chunks=(2, 2))
    old, new = (base.replace(**members) for members in SAME_V3[what])
    values = [[4 * row + column for column in range(4)] for row in range(4)]
    for before, after in [(old, new), (new, old)]:
        store = MemoryStore()
        zom.create_array(store, before)[...] = values
        chunks = {key: value for key, value in contents(store).items() if key != "zarr.json"}
        plan = zom.plan(after, store, on_conflict="replace")
        assert verbs(plan)["/"] in {"keep", "rewrite document"}
        assert plan.apply()[...].tolist() == values
        assert {key: store.get(key) for key in store.list() if key != "zarr.json"} == chunks
        assert not zom.plan(after, store, on_conflict="update").problems


@pytest.mark.parametrize(
    ("form", "changes"),
    [
        ("v2", {"order": "F"}),
        ("v2", {"dimension_separator": "/"}),
        ("v2", {"dtype": "<i1"}),
        ("v2", {"compressor": {"id": "zstd", "level": 7}}),
        ("draft", {"chunk_memory_layout": "F"}),
    ],
)
def test_chunks_stay_where_one_dimension_leaves_no_choice(form, changes):
    store = stored(array_of(form), fill=[""])
    plan = zom.plan(array_of(form).replace(**changes), store, on_conflict="replace")
    assert verbs(plan)["/"] in {"keep", "rewrite document"}
    assert plan.apply()[...].tolist() == [7] * 4


DIFFERENT = {
    "endian": ({"data_type": "uint16"}, [LITTLE], [{"name": "bytes", "configuration": {"endian": "big"}}]),
    "transposition": ({}, ["bytes"], [{"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"]),
    "checksum": ({}, ["bytes"], ["bytes", "crc32c"]),
    "index of a shard": ({}, sharded("bytes"), sharded("bytes", index_location="start")),
    "chunks of a shard": ({}, sharded("bytes"), sharded("bytes", chunk_shape=[2, 1])),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_chunks_that_mean_something_else_are_a_conflict(what):
    members, old, new = DIFFERENT[what]
    base = v3.ArraySpec.build(shape=(4, 4), dtype=members.get("data_type", "uint8"), chunks=(2, 2))
    store = stored(base.replace(codecs=old), fill=[""])
    assert verbs(zom.plan(base.replace(codecs=new), store, on_conflict="replace")) == {"/": "replace"}
    assert zom.plan(base.replace(codecs=new), store, on_conflict="update").problems


# --- the tree around it -----------------------------------------------------------------------------------


@FORMS
def test_data_of_members_that_stay_the_same_stays(form):
    """D6: a change of the group's attributes removed the data of its members."""
    store = stored(tree_of(form), fill=["a", "g/b"])
    zom.materialize(tree_of(form).replace(attributes={}), store, on_conflict="replace")
    assert zom.open(store, "a")[...].tolist() == zom.open(store, "g/b")[...].tolist() == [7] * 4


@FORMS
def test_all_conflicts_are_found_before_anything_is_written(form):
    """D7: a conflict of the second member was found when the first was written."""
    store = MemoryStore()
    zom.create_array(store, array_of(form, dtype="uint8"), "g/b")
    zom.create_array(store, array_of(form, dtype="uint8"), "a")
    before = contents(store)
    plan = zom.plan(tree_of(form), store)
    assert {problem.node for problem in plan.problems} >= {"/a", "/g/b"}
    with pytest.raises(ConflictError, match=r"problems\n"):
        plan.apply()
    assert contents(store) == before


@FORMS
@pytest.mark.parametrize("on_conflict", ["refuse", "update"])
def test_an_array_is_not_put_in_the_place_of_a_group(form, on_conflict):
    """D4: an array over a group with children left them below it."""
    store = stored(tree_of(form))
    before = contents(store)
    spec = changed(tree_of(form), g=array_of(form))
    plan = zom.plan(spec, store, on_conflict=on_conflict)
    told = [str(problem) for problem in plan.problems]
    assert (
        f"/g: expected an array, or nothing, found a {form} group; pass on_conflict='replace' to delete it"
        in told
    )
    assert (
        f"/g/b: expected nothing below /g, which will be an array, found a {form} array; pass "
        "on_conflict='replace' to delete it"
    ) in told
    with pytest.raises(ConflictError):
        plan.apply()
    assert contents(store) == before


def test_what_lies_below_a_group_that_changes_its_format_is_told():
    store = stored(tree_of("v2"))
    told = [str(problem) for problem in zom.plan(zom.v3.GroupSpec(), store).problems]
    assert (
        "/a: expected nothing below /, which will be a v3 group, found a v2 array; pass "
        "on_conflict='replace' to delete it"
    ) in told


@FORMS
def test_an_array_replaces_a_group_and_all_below_it(form):
    store = stored(tree_of(form), fill=["g/b"])
    spec = changed(tree_of(form), g=array_of(form))
    plan = zom.plan(spec, store, on_conflict="replace")
    assert verbs(plan)["/g"] == "replace"
    assert (verbs(plan)["/g/b"], plan.losses[-1].chunks) == ("delete", 2)
    plan.apply()
    assert zom.read(store) == spec
    assert not [key for key in store.list() if "g/b" in key]


@FORMS
def test_a_group_replaces_an_array(form):
    store = stored(tree_of(form), fill=["a"])
    spec = changed(tree_of(form), a=MODULES[form].GroupSpec(attributes={}, members={}))
    assert f"/a: expected a group, or nothing, found a {form} array; pass" in str(
        zom.plan(spec, store).problems[0]
    )
    zom.materialize(spec, store, on_conflict="replace")
    assert zom.read(store) == spec


@pytest.mark.parametrize(("there", "wanted"), [("v2", "v3"), ("v3", "v2")])
def test_documents_of_two_formats_do_not_lie_side_by_side(there, wanted):
    """D5: a v3 group over a v2 group left both."""
    store = stored(tree_of(there), fill=["a", "g/b"])
    before = contents(store)
    for on_conflict in ("refuse", "update"):
        plan = zom.plan(tree_of(wanted), store, on_conflict=on_conflict)
        told = f"expected a {wanted} group, or nothing, found a {there} group; pass on_conflict='replace' to delete it"
        assert str(plan.problems[0]) == told
        with pytest.raises(ConflictError):
            plan.apply()
    assert contents(store) == before
    zom.materialize(tree_of(wanted), store, on_conflict="replace")
    assert zom.read(store, form=wanted) == tree_of(wanted)
    ends = {key.rpartition("/")[2] for key in store.list()}
    assert ends <= ({"zarr.json"} if wanted == "v3" else {".zarray", ".zattrs", ".zgroup"})


def test_nodes_of_the_other_format_below_go_with_their_group():
    store = stored(changed(tree_of("v2"), more=array_of("v2")), fill=["more"])
    plan = zom.plan(tree_of("v3"), store, on_conflict="replace")
    assert verbs(plan)["/more"] == "delete"
    plan.apply()
    assert zom.read(store) == tree_of("v3")
    assert not [key for key in store.list() if "more" in key]


def test_chunks_that_both_formats_share_stay_with_the_array_that_stays():
    spec = v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,), compress=None)
    document = {**spec.to_dict(), "chunk_key_encoding": {"name": "v2"}, "codecs": [{"name": "bytes"}]}
    spec = zom.parse(document)
    store = stored(spec, fill=[""])
    old = zom.v2.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,), compress=None)
    store.set(".zarray", json.dumps(old.to_documents()[".zarray"]).encode())
    plan = zom.plan(spec, store, on_conflict="replace")
    assert verbs(plan) == {"/": "rewrite document"}
    assert plan.apply()[...].tolist() == [7] * 4
    assert store.get(".zarray") is None


@pytest.mark.parametrize(
    ("there", "wanted"), [("draft", "v3"), ("draft", "v2"), ("v2", "draft"), ("v3", "draft")]
)
def test_a_draft_hierarchy_is_not_mixed_with_others(there, wanted):
    store = stored(tree_of(there))
    for on_conflict in ("refuse", "update", "replace"):
        plan = zom.plan(tree_of(wanted), store, on_conflict=on_conflict)
        assert plan.problems[0].code == "plan/other-format"
        assert str(plan.problems[0]).endswith("; choose another place")


@FORMS
def test_siblings_and_members_that_the_spec_does_not_know_stay(form):
    store = stored(changed(tree_of(form), more=array_of(form)), fill=["more"])
    plan = zom.plan(tree_of(form), store, on_conflict="replace")
    assert plan.is_empty
    zom.materialize(array_of(form, shape=(2,)), store, "a", on_conflict="update")
    assert zom.open(store, "more")[...].tolist() == [7] * 4


@FORMS
def test_what_the_spec_does_not_know_is_pruned_on_request(form):
    store = stored(changed(tree_of(form), more=array_of(form)), fill=["more"])
    plan = zom.plan(tree_of(form), store, prune=True)
    assert (verbs(plan)["/more"], plan.losses[0].chunks) == ("delete", 2)
    plan.apply()
    assert zom.read(store) == tree_of(form)
    assert not [key for key in store.list() if "more" in key]


def test_a_group_of_the_draft_stays_when_all_below_it_is_pruned():
    """Without a document, it was there only as long as something lay below it."""
    draft = zom.draft
    store = stored(draft.GroupSpec(members={"g": draft.GroupSpec(members={"a": array_of("draft")})}))
    spec = draft.GroupSpec(members={"g": draft.GroupSpec(members={})})
    zom.materialize(spec, store, prune=True)
    assert list(zom.read(store).members) == ["g"]
    assert zom.plan(spec, store, prune=True).is_empty


def test_a_group_of_the_draft_stays_when_it_replaces_an_array():
    draft = zom.draft
    store = stored(draft.GroupSpec(members={"g": array_of("draft")}))
    spec = draft.GroupSpec(members={"g": draft.GroupSpec(members={})})
    zom.materialize(spec, store, on_conflict="replace")
    assert list(zom.read(store).members) == ["g"]


@FORMS
def test_groups_whose_members_are_not_known_are_not_pruned(form):
    store = stored(tree_of(form))
    group = MODULES[form].GroupSpec(attributes={"n": 1})
    assert group.members is None
    assert zom.plan(group, store, "g", prune=True).is_empty


@FORMS
def test_a_node_deep_in_a_store_gets_its_groups_above(form):
    """D25: the parent group was not created."""
    store = MemoryStore()
    zom.materialize(tree_of(form), store, "x/y")
    assert zom.read(store)["x"]["y"] == tree_of(form)


@FORMS
def test_nothing_is_planned_below_an_array(form):
    store = stored(array_of(form), "a")
    plan = zom.plan(tree_of(form), store, "a/x", on_conflict="replace")
    told = f"/a: expected a {form} group, to contain /a/x, found a {form} array; choose another path"
    assert str(plan.problems[0]) == told


@pytest.mark.parametrize(("there", "wanted"), [("v2", "v3"), ("v3", "v2")])
def test_nothing_is_planned_below_a_group_of_another_format(there, wanted):
    store = stored(tree_of(there))
    plan = zom.plan(array_of(wanted), store, "x", on_conflict="replace")
    told = f"expected a {wanted} group, to contain /x, found a {there} group; choose another place, or convert the hierarchy"
    assert str(plan.problems[0]) == told


# --- what is not Zarr's -----------------------------------------------------------------------------------


@pytest.mark.parametrize("on_conflict", ["refuse", "update", "replace"])
@FORMS
def test_a_directory_with_other_files_is_never_made_a_hierarchy(form, on_conflict):
    store = MemoryStore({"photos/1.jpg": b"1", "thesis.txt": b"2"})
    plan = zom.plan(tree_of(form), store, on_conflict=on_conflict, prune=True)
    assert str(plan.problems[0]) == (
        "expected nothing, to make it a node, found files that are not part of a Zarr hierarchy: 'photos/1.jpg', "
        "'thesis.txt'; choose another place, or move them away"
    )
    with pytest.raises(ConflictError):
        plan.apply()
    assert contents(store) == {"photos/1.jpg": b"1", "thesis.txt": b"2"}


@pytest.mark.parametrize("on_conflict", ["refuse", "update", "replace"])
def test_chunks_of_a_node_that_is_gone_are_not_taken_for_a_new_ones(on_conflict):
    store = stored(v3.GroupSpec(members={}))
    store.set("a/c/0", b"old")
    spec = v3.GroupSpec(members={"a": array_of()})
    plan = zom.plan(spec, store, on_conflict=on_conflict)
    assert str(plan.problems[0]).startswith(
        "/a: expected nothing, to make it a node, found files that are not"
    )


def test_foreign_files_of_a_node_that_goes_are_kept_and_told():
    store = stored(tree_of(), fill=["a", "g/b"])
    store.set("a/notes.txt", b"1")
    store.set("g/readme.md", b"2")
    plan = zom.plan(v3.GroupSpec(attributes={"title": "t"}, members={}), store, prune=True)
    assert plan.foreign == ("a/notes.txt", "g/readme.md")
    assert "not Zarr's, and left alone: 'a/notes.txt', 'g/readme.md'" in str(plan)
    plan.apply()
    assert sorted(store.list()) == ["a/notes.txt", "g/readme.md", "zarr.json"]


def test_a_foreign_file_in_the_place_of_a_chunk_is_a_conflict():
    store = stored(v3.GroupSpec(members={"a": v3.GroupSpec(members={})}))
    store.set("a/c/0", b"not a chunk")
    plan = zom.plan(v3.GroupSpec(members={"a": array_of()}), store, on_conflict="replace")
    told = "/a: expected no files at the keys of chunks, found 'a/c/0', which would be read as chunks; move them away"
    assert str(plan.problems[0]) == told


def test_attributes_without_a_node_do_not_become_the_new_nodes():
    store = MemoryStore({".zattrs": b'{"old": 1}'})
    plan = zom.plan(zom.v2.GroupSpec(members={}), store)
    assert str(plan.problems[0]) == (
        "expected nothing, to make it a node, found '.zattrs', a document without a node; delete it, or pass "
        "on_conflict='replace'"
    )
    assert zom.materialize(zom.v2.GroupSpec(members={}), store, on_conflict="replace").attrs == {}


def test_a_document_that_is_not_json_is_a_conflict_and_replaced_on_request():
    store = MemoryStore({"zarr.json": b"{"})
    plan = zom.plan(array_of(), store)
    assert str(plan.problems[0]) == (
        "expected a document that can be read, found a v3 document that cannot be read; correct it, or pass "
        "on_conflict='replace'"
    )
    zom.materialize(array_of(), store, on_conflict="replace")
    assert zom.read(store) == array_of()


def test_what_lies_by_a_document_that_is_not_json_stays():
    store = MemoryStore({"zarr.json": b"{", "c/0": b"1"})
    plan = zom.plan(array_of(), store, on_conflict="replace")
    assert plan.problems[0].code == "plan/unknown-chunks"


def test_an_array_whose_chunks_nobody_knows_is_not_replaced():
    document = {**array_of().to_dict(), "chunk_key_encoding": {"name": "x-unknown"}}
    store = MemoryStore({"zarr.json": json.dumps(document).encode(), "chunk-0": b"1"})
    plan = zom.plan(array_of(), store, on_conflict="replace")
    assert str(plan.problems[0]) == "expected known chunk keys, found 'chunk-0'; delete them"


# --- stores -----------------------------------------------------------------------------------------------


def test_a_plan_for_a_store_that_is_read_only_is_made_and_not_applied():
    plan = zom.plan(tree_of(), ReadOnlyStore(MemoryStore()))
    with pytest.raises(
        ReadOnlyError,
        match=r"^memory://: cannot write: the store is read-only; open it for writing, or choose a writable store$",
    ):
        plan.apply()


class Unlisted(WrapperStore):
    """A store that can't be listed."""

    def __init__(self, inner):
        from dataclasses import replace

        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, listable=False)

    def _keys(self, prefix):
        raise StoreError(self.url, prefix, "list", "this store can't be listed")


def test_a_store_that_cannot_be_listed_is_looked_at_key_by_key():
    inner = MemoryStore()
    store = Unlisted(inner)
    zom.materialize(tree_of(), store)
    assert zom.read(inner) == tree_of()
    assert zom.plan(tree_of(), store).is_empty
    zom.materialize(tree_of().replace(attributes={}), store, on_conflict="update")
    assert zom.open(store).attrs == {}


def test_nothing_is_removed_from_a_store_that_cannot_be_listed():
    store = Unlisted(stored(tree_of()))
    plan = zom.plan(changed(tree_of(), a=array_of(dtype="uint8")), store, on_conflict="replace")
    assert (
        str(plan.problems[0]) == "/a: expected a store that lists its keys, to remove chunks, found memory://"
    )


@pytest.mark.parametrize("name", ["__a", "zarr.json"])
def test_a_path_that_the_format_forbids_is_told(name):
    with pytest.raises(zom.PathError, match=f"^/{name}: expected a"):
        zom.plan(array_of(), MemoryStore(), name)


def test_a_name_that_no_key_can_hold_is_told_before_anything_is_written():
    """R15: what is valid and can't be written is a conflict, not a failure halfway."""
    store = MemoryStore()
    plan = zom.plan(
        v3.GroupSpec(members={"a\\b": v3.GroupSpec(), ".zom-x": array_of(), "c": array_of()}), store
    )
    assert [str(problem) for problem in plan.problems] == [
        "/.zom-x: expected a name that can be part of a store key, found '.zom-x'; choose another name",
        "/a\\b: expected a name that can be part of a store key, found 'a\\\\b'; choose another name",
    ]
    with pytest.raises(zom.PathError, match="found a backslash in it"):
        zom.plan(array_of(), store, "a\\b")


def test_a_v2_node_does_not_take_the_key_of_a_v3_document():
    """R15: v2 allows the name, but no reader of both formats could open the group."""
    spec = zom.v2.GroupSpec(members={"zarr.json": array_of("v2"), "a": array_of("v2")})
    for path, told in [("", "/zarr.json"), ("g", "/g/zarr.json")]:
        plan = zom.plan(spec, MemoryStore(), path)
        assert [str(problem) for problem in plan.problems] == [
            f"{told}: expected a name other than the key of a v3 document, found 'zarr.json'; choose another name"
        ]


def test_what_a_copy_left_half_done_is_no_part_of_a_new_hierarchy():
    source, target = stored(tree_of(), fill=["a", "g/b"]), MemoryStore()
    spec = tree_of().replace(members={**tree_of().members, "z": array_of(chunks=(4,))})
    zom.materialize(array_of(), source, "z")
    source.set("z/c/1", b"damaged")
    with pytest.raises(zom.ChunkError):
        zom.copy(source, target, spec)
    before = contents(target)
    assert "zarr.json" not in before
    assert any(key.endswith("/zarr.json") for key in before)
    with pytest.raises(
        ConflictError, match=r"expected no copy under way, .*; repeat the same copy to finish it"
    ):
        zom.materialize(array_of(), target, "other", on_conflict="replace")
    with pytest.raises(ConflictError, match="expected no copy under way"):
        zom.materialize(v3.GroupSpec(), target)
    assert contents(target) == before


def test_an_unknown_way_with_conflicts_is_told():
    with pytest.raises(
        ValueError, match=r"^on_conflict: expected one of 'refuse', 'update', 'replace', got 'w'$"
    ):
        zom.plan(array_of(), MemoryStore(), on_conflict="w")


# --- how it is shown --------------------------------------------------------------------------------------


def test_a_plan_as_text():
    store = stored(tree_of(), fill=["a"])
    spec = changed(tree_of(), a=array_of(shape=(1,)), n=v3.GroupSpec(attributes={"x": 1}))
    assert str(zom.plan(spec, store, on_conflict="replace", prune=True)) == (
        "memory://: 1 to create, 1 to resize, 3 to keep, 1 chunk to remove\n"
        '  ~ /a  array  resize: shape[0]: 4 -> 1; - attributes.units: "K"; 1 chunk removed\n'
        "  + /n  group  create"
    )


def test_a_plan_as_json():
    store = stored(array_of(), fill=[""])
    facts = json.loads(zom.plan(array_of(dtype="uint8"), store).to_json())
    assert facts["actions"][0]["action"] == "replace"
    assert facts["actions"][0]["chunks_removed"] == 2
    assert facts["actions"][0]["changes"][0]["pointer"] == "/data_type"
    assert facts["problems"][0]["code"] == "plan/exists"


@pytest.mark.parametrize("old", ["v2", "v3"])
@pytest.mark.parametrize("new", ["v2 array", "v3 array", "v2 group", "v3 group"])
def test_a_replacement_that_drops_consolidated_metadata_says_so(old, new):
    """An array in the place of a group got the group's block, and no reader takes that."""
    store = MemoryStore()
    zom.materialize(tree_of(old), store)
    zom.consolidate(store)
    form, kind = new.split()
    spec = array_of(form) if kind == "array" else tree_of(form)
    plan = zom.plan(spec, store, on_conflict="replace")
    if new == f"{old} group":
        assert (plan.dropped, plan.is_empty) == ((), True)
        return
    assert plan.dropped == ("/",)
    assert "  - /: consolidated metadata is deleted" in str(plan)
    assert plan.to_dict()["consolidated_metadata_dropped"] == ["/"]
    plan.apply()
    assert zom.read(store, level="strict") == spec
    assert not any("consolidated" in store.get(key).decode(errors="replace") for key in store.list())


def test_a_drop_of_consolidated_metadata_is_told():
    store = MemoryStore()
    zom.materialize(tree_of(), store)
    zom.consolidate(store)
    assert zom.plan_consolidate(store, drop=True).dropped == ("/",)
    assert zom.plan_delete(store, whole=True).dropped == ()


def test_two_plans_for_the_same_are_equal():
    store = stored(tree_of())
    spec = tree_of().replace(attributes={})
    assert zom.plan(spec, store, on_conflict="update") == zom.plan(spec, store, on_conflict="update")
    assert zom.plan(spec, store, on_conflict="update") != zom.plan(spec, store, on_conflict="replace")


def test_a_plan_of_many_nodes_is_shown_in_part():
    spec = v3.GroupSpec(members={f"g{n}": v3.GroupSpec() for n in range(300)})
    text = str(zom.plan(spec, MemoryStore()))
    assert text.endswith("... and 101 more")


@pytest.mark.parametrize("name", ["x.zarr", "x.zip", "x.sqlite", "x.db"])
def test_a_plan_for_a_place_that_is_not_there_makes_nothing(name, tmp_path):
    place = tmp_path / name
    planned = zom.plan(tree_of("v3"), place)
    assert list(tmp_path.iterdir()) == []
    assert planned.counts["create"] > 1
    zom.copy(MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'}), place, dry_run=True)
    assert list(tmp_path.iterdir()) == []
    planned.apply()
    planned.store.close()
    assert zom.read(place) == tree_of("v3")
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x.zip", "x.sqlite"])
def test_a_file_that_is_made_later_is_not_made_by_reading_or_closing(name, tmp_path):
    store = zom.plan(v3.GroupSpec(), tmp_path / name).store
    assert (store.get("a"), list(store.list()), store.list_dir("").keys) == (None, [], [])
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.set("a", b"1")
    assert list(tmp_path.iterdir()) == []


def test_a_zip_file_that_another_has_made_since_is_not_replaced(tmp_path):
    planned = zom.plan(v3.GroupSpec(attributes={"n": 1}), tmp_path / "x.zip")
    with zom.store(tmp_path / "x.zip") as other:
        other.set("zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"n": 2}}')
    planned.apply()
    with pytest.raises(StoreError, match="another writer has created the file"):
        planned.store.close()
    assert zom.read(tmp_path / "x.zip").attributes == {"n": 2}
