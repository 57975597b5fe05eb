"""Stores that were damaged on purpose, checked whole: documents, keys, chunks, and what was expected."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from stored_trees import TREES, Far, store_of, stored, tree_v2, tree_v3

import zom
from zom import draft, template, v2, v3
from zom.errors import NotFound, StoreError
from zom.hierarchy.check.document import is_document
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.zip import ZipStore
from zom.testing.logged import LoggedStore

GROUP = {"zarr_format": 3, "node_type": "group"}
FORMS = list(TREES)


def check(subject, data="keys", **choices):
    return zom.validate(subject, conventions=(), data=data, **choices).problems


def told(problems):
    """The problems, but for what every hierarchy of 2021 has: an entry point that the draft doesn't know."""
    return [problem for problem in problems if problem.code != "draft/2021-entry-point"]


def codes(problems):
    return [(problem.code, problem.node) for problem in told(problems) if problem.code != "chunk/missing"]


def full(name="v3"):
    """A sound store of two arrays, /a/b/x and /t, all of whose chunks are there."""
    store = store_of(TREES[name](), name)
    for path in ("a/b/x", "t"):
        array = zom.open_array(store, path, mode="r+")
        array[...] = np.arange(array.size).reshape(array.shape) + 1
    return store


def flip(store, key, place=-1):
    value = bytearray(store.get(key))
    value[place] ^= 1
    store.set(key, value)


def twice(text):
    """A document with a name that stands in it twice: readers take the last one, as they always did."""
    return text.replace(b"{", b'{"zarr_format": 3, ', 1)


def chunk_of(store, path, prefix=""):
    return next(key for key in sorted(store.list()) if re.search(rf"{path}/(c/?)?[0-9/.]+$", key))


# --- what is checked ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", ["none", "values", "keys", "index", "all"])
@pytest.mark.parametrize("name", FORMS)
def test_a_sound_store_has_no_problems(name, data):
    assert told(check(full(name), data)) == []


@pytest.mark.parametrize("name", FORMS)
def test_a_store_is_checked_below_a_path(name):
    store = full(name)
    assert told(check(store, "all", path="a")) == []
    assert told(check(store, "all", path="/t")) == []
    flip(store, chunk_of(store, "t"))
    assert told(check(store, "all", path="a")) == []
    assert codes(check(store, "all", path="t")) == [("chunk/undecodable", "/t")] or name != "v3"


def test_a_path_a_url_and_a_handle_name_a_store(tmp_path):
    root = zom.create_group(tmp_path / "a.zarr", v3.GroupSpec())
    array = root.create("t", v3.ArraySpec.build(shape=(4,), dtype="int8"))
    root.store.set("photo.jpg", b"")
    root.store.set("t/photo.jpg", b"")
    root.store.set("t/c/0", b"")
    whole = [("store/foreign-key", "/"), ("chunk/size", "/t"), ("chunk/foreign-key", "/t")]
    for subject in (
        tmp_path / "a.zarr",
        str(tmp_path / "a.zarr"),
        f"file://{tmp_path}/a.zarr",
        root,
        root.store,
    ):
        assert sorted(codes(check(subject))) == sorted(whole)
    assert sorted(codes(check(array))) == sorted(whole[1:])
    assert sorted(codes(check(root, path="t"))) == sorted(whole[1:])


def test_a_path_that_is_no_store_is_not_made(tmp_path):
    with pytest.raises((StoreError, NotFound)):
        check(str(tmp_path / "missing.zarr"))
    assert list(tmp_path.iterdir()) == []


def test_a_zip_file_is_checked(tmp_path):
    with ZipStore(tmp_path / "a.zip", mode="w") as store:
        store.set_many({key: full().get(key) for key in full().list()})
    assert check(tmp_path / "a.zip", "all") == ()


@pytest.mark.parametrize(
    "subject",
    [
        '{"zarr_format": 3, "node_type": "group"}',
        '\ufeff {"a": 1}',
        "[1]",
        '"a"',
        "",
        b"{}",
        b"x",
        {},
        [],
        None,
        1,
        v3.GroupSpec(),
    ],
    ids=str,
)
def test_a_document_is_told_from_a_path(subject):
    assert is_document(subject)
    assert zom.validate(subject).store is None


@pytest.mark.parametrize(
    "subject", ["a.zarr", "/data/{x}.zarr", "s3://bucket/[a]", "memory://a", "7", "null"]
)
def test_a_path_is_told_from_a_document(subject):
    assert not is_document(subject)


def test_documents_are_checked_without_the_choices_for_stores():
    for choice in ({"data": "all"}, {"path": "a"}, {"form": "v3"}, {"executor": object()}):
        with pytest.raises(
            TypeError, match="`path`, `form`, `data` and `executor` are for stores, not for a single document"
        ):
            zom.validate("{}", **choice)


def test_a_document_is_compared_with_a_spec_and_a_template():
    spec = tree_v3()
    wanted = spec.replace(attributes={"title": "?"})
    shape = template.GroupTemplate(members={"zz": template.ArrayTemplate()})
    for subject in (spec, spec.to_dict(), spec.to_json()):
        assert zom.validate(subject, conventions=(), like=spec).ok
        report = zom.validate(subject, conventions=(), like=wanted)
        assert {(each.code, each.node, each.pointer) for each in report} == {
            ("store/differs", "/", "/attributes/title")
        }
        assert "template/missing-member" in {
            each.code for each in zom.validate(subject, conventions=(), like=shape)
        }


@pytest.mark.parametrize(
    "document",
    [
        {"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}},
        {
            "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0",
            "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
            "metadata_key_suffix": ".json",
            "extensions": [],
        },
    ],
    ids=["consolidated", "entry-point"],
)
def test_a_document_that_holds_no_hierarchy_is_not_compared(document):
    before = len(zom.validate(document, conventions=()))
    (problem,) = zom.validate(document, conventions=(), like=v3.GroupSpec()).problems[before:]
    assert str(problem) == (
        "expected a hierarchy in one document, to compare it, found a document of a store; compare the store"
    )


def test_the_level_holds_for_documents_and_stores():
    document = v3.ArraySpec.build(shape=(4,), dtype="int8").replace(
        codecs=["bytes", {"name": "org.example.x"}]
    )
    store = store_of(v3.GroupSpec(members={"a": document}))
    for subject in (document, store):
        closed = {each.code for each in zom.validate(subject, conventions=(), level="closed")}
        assert "codec/unknown" in closed - {each.code for each in zom.validate(subject, conventions=())}


def test_data_that_is_no_choice_is_refused():
    with pytest.raises(
        ValueError, match="data: expected 'none', 'values', 'keys', 'index' or 'all', got 'some'"
    ):
        check(full(), "some")


def test_where_there_is_no_node_there_is_nothing_to_check():
    with pytest.raises(NotFound, match="expected a node at /x"):
        check(full(), path="x")


# --- documents ---------------------------------------------------------------------------------------------


def test_all_problems_of_all_documents_are_told_and_keys_are_checked_all_the_same():
    store = full()
    store.set("a/zarr.json", json.dumps({**GROUP, "x": 1}).encode())
    store.set("a/empty/zarr.json", b"{")
    store.set("a/b/photo.jpg", b"")
    store.set("t/c/7/7", b"")
    found = codes(check(store))
    assert ("v3/unknown-member", "/a") in found
    assert ("json/syntax", "/a/empty") in found
    assert ("store/foreign-key", "/a/b") in found
    assert ("chunk/outside-grid", "/t") in found
    assert len(found) == 4


def test_chunks_of_an_array_whose_document_is_broken_are_not_judged():
    store = full()
    store.set("t/zarr.json", b"{")
    flip(store, chunk_of(store, "a/b/x"))
    found = codes(check(store, "all"))
    assert [code for code, node in found if node == "/t"] == ["json/syntax"]
    assert ("chunk/undecodable", "/a/b/x") in found


def test_an_array_with_a_fault_that_readers_forgive_is_checked():
    store = full()
    store.set("t/zarr.json", twice(store.get("t/zarr.json")))
    flip(store, chunk_of(store, "t"))
    assert codes(check(store, "all")) == [
        ("json/duplicate-key", "/t"),
        ("chunk/undecodable", "/t"),
    ]


def test_consolidated_metadata_that_is_stale_is_told():
    store = MemoryStore({".zmetadata": json.dumps(tree_v2().to_consolidated()).encode(), **stored(tree_v2())})
    assert codes(check(store)) == []
    store.set("t/.zattrs", b'{"units": "F"}')
    assert codes(check(store)) == [("store/stale-consolidated", "/t")]


def test_v2_and_v3_side_by_side_are_told_once():
    store = full()
    store.set(".zgroup", b'{"zarr_format": 2}')
    store.set(".zattrs", b"{}")
    store.set("t/.zarray", b"{}")
    store.set("t/.zattrs", b"{}")
    found = codes(check(store))
    assert sorted(found) == [("store/two-formats", "/"), ("store/two-formats", "/t")]


def test_attributes_without_a_node_are_told():
    store = full()
    store.set("a/.zattrs", b"{}")
    assert codes(check(store)) == [("store/loose-document", "/a")]


def test_a_node_of_another_format_is_told_and_its_chunks_are_not_called_foreign():
    store = full()
    store.set_many({"old/.zarray": b"{}", "old/.zattrs": b"{}", "old/0.0": b"1", "old/0.1": b"1"})
    assert codes(check(store)) == [("store/mixed-formats", "/old")]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("name", ["v2", "v3"])
def test_a_group_without_a_document_is_told_and_the_chunks_below_are_not_called_foreign(name, order):
    """The group above it has no document."""
    module, base = (v2, full("v2")) if name == "v2" else (v3, full())
    array = zom.create_array(MemoryStore(), module.ArraySpec.build(shape=(4,), dtype="int8"), "x/y")
    array[:] = 1
    values = {key: base.get(key) for key in base.list()}
    lost = {key: array.store.get(key) for key in array.store.list() if key.startswith("x/y/")}
    items = [*values.items(), *lost.items()][::order]
    problems = check(MemoryStore(dict(items)), "all")
    assert codes(problems) == [("store/missing-group", "/x")]
    (problem,) = problems
    assert problem.severity == "error"
    assert str(problem) == (
        "/x: expected a document, which every group has, found none, above /x/y; create the group with "
        "zom.create_group"
    )
    assert [p.severity for p in check(MemoryStore(dict(items)), level="lenient")] == ["warning"]


def test_a_node_below_an_array_is_told():
    store = full()
    store.set("t/inner/zarr.json", json.dumps(GROUP).encode())
    assert codes(check(store)) == [("tree/below-array", "/t/inner")]


def test_a_draft_node_below_an_array_is_told():
    store = full("draft")
    store.set("meta/t/inner.array.json", b"{}")
    assert codes(check(store)) == [("tree/below-array", "/t/inner")]


def test_a_change_that_did_not_end_is_told():
    store = full()
    store.set("a/.zom.journal", b"{}")
    store.set("t/.zom.journal", b"{}")
    found = codes(check(store))
    assert sorted(found) == [("store/unfinished-change", "/a"), ("store/unfinished-change", "/t")]


# --- keys and chunks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMS)
def test_foreign_files_are_notes_in_every_format(name):
    store = full(name)
    keys = ["photo.jpg", "holiday/photo.jpg", "a/photo.jpg", "holiday/deep/er.txt"]
    store.set_many(dict.fromkeys(keys, b""))
    problems = told(check(store))
    assert {problem.key for problem in problems} == set(keys)
    assert {(problem.code, problem.severity) for problem in problems} == {("store/foreign-key", "note")}
    if not name.startswith("draft"):
        assert {problem.key: problem.node for problem in problems}["a/photo.jpg"] == "/a"


@pytest.mark.parametrize("name", ["v2", "v3"])
def test_files_in_a_directory_that_is_no_node_are_limited_together(name):
    store = full(name)
    store.set_many({f"d{number}/{name}": b"" for number in range(3) for name in "abcdef"})
    problems = check(store, limit=5)
    assert len(problems) == 6
    assert problems[5].found == "13 more"
    assert len(check(store, limit=None)) == 18


@pytest.mark.parametrize("name", FORMS)
def test_damage_of_every_kind_is_found_in_every_format(name):
    store = full(name)
    first = chunk_of(store, "a/b/x")
    prefix = "data/root/" if name == "draft 2021" else "data/" if name == "draft" else ""
    store.set(first, b"")
    store.set(f"{prefix}t/x.txt", b"")
    found = codes(check(store, "all"))
    assert sorted(found) == [("chunk/foreign-key", "/t"), ("chunk/size", "/a/b/x")]


def test_an_array_of_an_unknown_type_is_told_and_its_keys_are_not_judged():
    store = full()
    document = json.loads(store.get("t/zarr.json"))
    store.set("t/zarr.json", json.dumps({**document, "data_type": "org.example.q"}).encode())
    (problem,) = [each for each in check(store, "all") if each.severity != "note"]
    assert (problem.code, problem.node, problem.key) == ("chunk/not-checked", "/t", "t/zarr.json")


def test_one_listing_is_enough():
    store = LoggedStore(full())
    check(store)
    lists = [call for call in store.log.calls if call.verb == "list"]
    assert (
        sum(call.keys == ("",) for call in lists) == 2
    )  # one level for the nodes, and everything for the keys
    read = [key for call in store.log.calls if call.verb in {"read", "open"} for key in call.keys]
    assert {key.rpartition("/")[2] for key in read} <= {
        "zarr.json",
        ".zarray",
        ".zgroup",
        ".zattrs",
        ".zmetadata",
    }


def test_progress_is_told():
    store = full()
    calls = []
    check(store, "all", progress=lambda *numbers: calls.append(numbers))
    assert calls == [(1, 2), (2, 2)]
    array = zom.create_array(MemoryStore(), v3.ArraySpec.build(shape=(2000,), dtype="int8", chunks=(1,)))
    array[:] = 1
    calls.clear()
    check(array, progress=lambda *numbers: calls.append(numbers))
    assert calls == [(1000, 0), (2000, 0)]


# --- stores that can't be listed -------------------------------------------------------------------------------


def test_without_a_listing_chunks_are_checked_by_their_keys():
    store = full()
    flip(store, chunk_of(store, "t"))
    far = Far(store, listable=False)
    problems = check(far, "all", like=tree_v3())
    assert codes(problems) == [("store/unlisted", "/"), ("chunk/undecodable", "/t")]
    with pytest.raises(StoreError, match="this store can't list its keys"):
        check(far)


# --- what was expected -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMS)
def test_a_store_is_what_its_spec_says(name):
    assert told(check(full(name), like=TREES[name]())) == []


def test_what_differs_from_a_spec_is_told():
    store = full()
    wanted = tree_v3()
    members = {**wanted.members, "more": v3.GroupSpec(members={})}
    members["t"] = wanted["t"].replace(attributes={"units": "F"})
    del members["a"]
    problems = check(store, like=wanted.replace(members=members))
    assert {(problem.code, problem.severity) for problem in problems} == {("store/differs", "error")}
    texts = {problem.node: str(problem) for problem in problems}
    assert texts["/t"] == '/t: attributes.units: expected "F", found "K"'
    assert texts["/more"] == "/more: expected a node, as in the spec, found none"
    assert texts["/a"] == "/a: expected none, as in the spec, found a node"


def test_what_differs_below_a_path_is_told_by_its_path_in_the_store():
    store = full()
    wanted = tree_v3()["a"].replace(attributes={"n": 1})
    (problem,) = check(store, like=wanted, path="a")
    assert (problem.node, problem.pointer) == ("/a", "/attributes/n")


def test_what_does_not_fit_a_template_is_told():
    store = full()
    fits = template.GroupTemplate(members={"t": template.ArrayTemplate(rank=2)}, open=True)
    assert check(store, like=fits) == ()
    problems = check(store, like=fits.replace(members={"t": template.ArrayTemplate(rank=3)}))
    assert [problem.node for problem in problems] == ["/t"]
    problems = check(store, like=template.GroupTemplate(members={"zz": template.ArrayTemplate()}), path="a")
    assert {problem.node.split("/")[1] for problem in problems} == {"a"}
    assert any(problem.code == "template/missing-member" for problem in problems)


def test_a_store_with_a_fault_that_readers_forgive_is_compared():
    store = full()
    store.set("a/zarr.json", twice(json.dumps({**GROUP, "attributes": {"n": 1}}).encode()))
    found = codes(check(store, like=tree_v3()))
    assert found == [("json/duplicate-key", "/a"), ("store/differs", "/a")]


# --- many ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_keys_take_little_memory(tmp_path):
    import tracemalloc

    array = zom.create_array(
        LocalStore(tmp_path), v3.ArraySpec.build(shape=(10**6,), dtype="int8", chunks=(1,))
    )

    class Many(MemoryStore):
        def _sizes(self, prefix):
            yield from super()._sizes(prefix)
            for number in range(50_000):
                yield f"c/{number}", 14
                yield f"x{number}", 1

    store = Many({"zarr.json": array.store.get("zarr.json")})
    check(store, limit=10)
    tracemalloc.start()
    problems = check(store, limit=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    assert problems[-1].code in {"chunk/missing", "check/more"}


def test_the_rules_are_published():
    known = zom.rules()
    assert {"chunk/undecodable", "chunk/other-key", "store/unreached-node", "check/more"} <= known.keys()


def test_a_draft_in_a_part_of_a_store_is_checked():
    store = MemoryStore(stored(TREES["draft"](), path="deep/er"))
    store.set("photo.jpg", b"")
    store.set("deep/er/photo.jpg", b"")
    problems = check(store, path="deep/er")
    assert {problem.key for problem in problems if problem.code == "store/foreign-key"} == {
        "deep/er/photo.jpg"
    }
    assert draft.GroupSpec is type(zom.read(store, "deep/er"))
