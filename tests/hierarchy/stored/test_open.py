"""One node, opened by its path: which format it has, and what is said where there is none."""

from __future__ import annotations

import json
import re

import pytest
from stored_trees import TREES, Far, store_of, stored, tree_v2, tree_v3

import zom
from zom import v2, v3
from zom.errors import NotFound, SpecError, StoreError
from zom.hierarchy.journal.journal import Journal
from zom.hierarchy.stored.open import read_node
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.testing.faulty import FaultyStore
from zom.testing.logged import LoggedStore

GROUP_V3 = b'{"zarr_format": 3, "node_type": "group"}'
GROUP_V2 = b'{"zarr_format": 2}'
UNDONE = Journal(
    "/",
    "undo",
    writes={"x/zarr.json": b"{}", "zarr.json": b"{}"},
    old={"x/zarr.json": None, "zarr.json": None},
)
ARRAY_V2 = json.dumps(dict(v2.ArraySpec.build(shape=(3,), dtype="int8").document)).encode()


@pytest.fixture(params=["near", "far"])
def place(request):
    """What makes a store near or far: both must find the same."""
    return (lambda store: store) if request.param == "near" else Far


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("path", ["/", "/a", "/a/b", "/a/b/x", "/t"])
def test_a_node_is_found_as_it_was_stored(name, path, place):
    tree = TREES[name]()
    found = read_node(place(store_of(tree, name)), path)
    expected = tree.at(path)
    assert found.spec.document == expected.document
    assert (found.spec.kind, found.layout.name, found.path) == (expected.kind, name, path)


@pytest.mark.parametrize("name", TREES)
def test_the_texts_of_a_node_are_those_in_the_store(name, place):
    texts = stored(TREES[name](), name)
    found = read_node(place(MemoryStore(texts)), "t")
    assert set(found.documents()) == set(found.layout.keys("t", "array"))
    assert all(texts[key] == text for key, text in found.documents().items())


def test_the_members_of_a_group_are_not_known(place):
    assert read_node(place(store_of(tree_v3()))).spec.members is None


def test_a_document_is_kept_as_it_is_spelled(place):
    text = (
        b'{"node_type":"group","zz":{"must_understand":false},"zarr_format":3,"attributes":{"b":1,"a":1.0}}'
    )
    spec = read_node(place(MemoryStore({"zarr.json": text}))).spec
    assert spec.to_json() == text.decode()


def test_a_stored_member_called_members_is_kept_apart(place):
    text = b'{"zarr_format":3,"node_type":"group","members":{"must_understand":false}}'
    found = read_node(place(MemoryStore({"zarr.json": text})))
    assert found.spec.members is None
    assert found.spec.to_documents() == {"zarr.json": json.loads(text)}


# --- how many requests ----------------------------------------------------------------------------------


def test_a_node_of_a_far_store_takes_one_round_trip():
    store = LoggedStore(Far(store_of(tree_v2(), "v2")))
    read_node(store, "a/b/x")
    assert [call.verb for call in store.log.calls] == ["read"]
    documents = [f"a/b/x/{end}" for end in ("zarr.json", ".zarray", ".zgroup", ".zattrs")]
    journals = [f"{path}.zom.journal" for path in ("a/b/x/", "a/b/", "a/", "")]
    assert store.log.calls[0].keys == (*documents, *journals)


def test_a_node_of_v3_on_this_machine_takes_one_read_and_one_look_for_a_journal_a_level():
    store = LoggedStore(store_of(tree_v3()))
    read_node(store, "a/b/x")
    looks = [(f"{path}.zom.journal",) for path in ("a/b/x/", "a/b/", "a/", "")]
    assert [call.keys for call in store.log.calls] == [("a/b/x/zarr.json",), *looks]


def test_a_large_store_is_not_listed_to_open_a_node(tmp_path):
    with LocalStore(tmp_path) as inner:
        inner.set_many(stored(tree_v3()))
        store = LoggedStore(inner)
        read_node(store, "t")
        assert store.log.counts["list"] == 0


# --- several documents ----------------------------------------------------------------------------------


def test_v3_counts_where_v2_lies_beside_it():
    store = MemoryStore({"zarr.json": GROUP_V3, ".zgroup": GROUP_V2})
    assert read_node(store).layout.name == "v3"
    found = read_node(Far(store))
    assert found.layout.name == "v3"
    assert [(p.code, p.severity, p.node, p.key) for p in found.problems] == [
        ("store/two-formats", "warning", "/", ".zgroup")
    ]


def test_the_format_that_is_asked_for_counts(place):
    store = MemoryStore({"zarr.json": GROUP_V3, ".zgroup": GROUP_V2})
    found = read_node(place(store), form="v2")
    assert (found.layout.name, found.problems) == ("v2", ())


def test_the_array_counts_where_a_group_lies_beside_it(place):
    store = place(MemoryStore({"a/.zarray": ARRAY_V2, "a/.zgroup": GROUP_V2}))
    assert read_node(store, "a").spec.kind == "array"


def test_an_array_beside_a_group_is_told_of_where_it_is_seen():
    store = Far(MemoryStore({"a/.zarray": ARRAY_V2, "a/.zgroup": GROUP_V2}))
    assert [(p.code, p.key) for p in read_node(store, "a").problems] == [("store/two-kinds", "a/.zgroup")]
    with pytest.raises(SpecError, match="expected an array or a group, found the documents of both"):
        read_node(store, "a", level="strict")


def test_a_node_below_no_group_can_be_opened(place):
    store = place(MemoryStore({"foo/bar/.zarray": ARRAY_V2}))
    assert read_node(store, "foo/bar").spec.shape == (3,)
    above = read_node(store, "foo")
    assert (above.spec.kind, dict(above.documents())) == ("group", {})
    assert [problem.code for problem in above.problems] == ["store/missing-group"]


def test_a_path_with_nodes_below_it_is_a_group_in_the_draft(place):
    found = read_node(place(store_of(TREES["draft"](), "draft")), "a")
    assert (found.spec.kind, dict(found.documents())) == ("group", {})


@pytest.mark.parametrize("name", ["draft", "draft 2021"])
def test_a_draft_hierarchy_in_a_part_of_a_store_is_found(name, place):
    texts = stored(TREES[name](), name, path="old/x.zr3")
    found = read_node(place(MemoryStore(texts)), "old/x.zr3/a/b/x")
    assert found.spec.kind == "array"
    assert found.layout.chunk_prefix(found.path).startswith("old/x.zr3/data/")
    assert read_node(place(MemoryStore(texts)), "old/x.zr3").spec.attributes == {"title": "a"}


# --- nothing there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/a/emptyy", "nothing; /a is a group with 'b', 'empty'; did you mean 'empty'?"),
        ("/a/zzz", "nothing; /a is a group with 'b', 'empty'"),
        ("/a/empty/x", "nothing; /a/empty is a group without members"),
        ("/t/x", "nothing; /t is an array, which has no members"),
        ("/zzz/y/x", "nothing; / is a group with 'a', 't'"),
    ],
)
def test_a_missing_node_is_told_with_what_is_there_instead(path, found, place):
    store = LoggedStore(place(store_of(tree_v3())))
    with pytest.raises(NotFound) as error:
        read_node(store, path)
    assert str(error.value) == f"memory://: expected a node at {path}, found {found}"
    assert store.log.counts["list"] <= 2


@pytest.mark.parametrize(
    ("keys", "path", "found"),
    [
        ({}, "", "nothing: the store is empty"),
        ({}, "a", "nothing: the store is empty"),
        ({"data/readme": b""}, "", "no document at the path; the store contains 'data/'"),
        ({"x/.zarray": ARRAY_V2}, "y", "no document at the path or above it; the store contains 'x/'"),
        ({"x/a/readme": b""}, "x", "no document at the path or above it below 'x'; the store contains 'x/'"),
        (
            {".zom.journal": UNDONE.text(), "x/zarr.json": b"{}"},
            "",
            "a change that is running or was interrupted: zom.repair finishes or undoes it",
        ),
        (
            {".zom.copy": b"{}", "x/c/0": b""},
            "",
            "a copy that is running or was interrupted: repeat the same copy to finish it, or remove its remains with zom.repair",
        ),
        (
            {".zgroup": GROUP_V2, "x/a/readme": b""},
            "x",
            "nothing; / is a group, in which 'x' has no document of its own",
        ),
    ],
)
def test_a_store_without_such_a_node_is_told_with_what_lies_in_it(keys, path, found):
    with pytest.raises(NotFound) as error:
        read_node(MemoryStore(keys), path)
    assert str(error.value).endswith(f"found {found}")


def test_a_node_of_another_format_than_asked_for_is_told():
    message = r"^memory://: expected a v2 node at /a, found a v3 group; leave out form$"
    with pytest.raises(NotFound, match=message):
        read_node(store_of(tree_v3()), "a", form="v2")


def test_a_missing_node_of_a_store_that_cant_be_listed_is_told():
    store = Far(store_of(tree_v3()), listable=False)
    with pytest.raises(NotFound, match=r"found nothing; the nearest node above is the group /a$"):
        read_node(store, "a/zz")
    assert store.listed == []


@pytest.mark.parametrize("path", ["a", "a/b/x", "", "nowhere"])
def test_a_store_that_fails_never_reads_as_missing(path):
    for far in (False, True):
        inner = store_of(tree_v2(), "v2")
        counted = FaultyStore(Far(inner) if far else inner)
        try:
            read_node(counted, path)
        except NotFound:
            assert path == "nowhere"
        for number in range(len(counted.operations)):
            store = FaultyStore(Far(inner) if far else inner, {number: "fail"})
            with pytest.raises(StoreError, match="input/output error"):
                read_node(store, path)


# --- documents with faults ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "key", "line", "pointer", "found"),
    [
        ({"zarr.json": b'{"zarr_format": 3,\n'}, "zarr.json", 2, "", "the end"),
        ({"zarr.json": b""}, "zarr.json", 1, "", "the end of the text"),
        ({"zarr.json": b"[1]"}, "zarr.json", 1, "", "[1]"),
        ({"zarr.json": b'{"zarr_format": 3,\n "node_type": "grp"}'}, "zarr.json", 2, "/node_type", '"grp"'),
        ({".zgroup": GROUP_V2, ".zattrs": b""}, ".zattrs", 1, "", "the end of the text"),
        ({".zgroup": GROUP_V2, ".zattrs": b"[1]"}, ".zattrs", 1, "", "[1]"),
        ({".zgroup": GROUP_V2, ".zattrs": b"null"}, ".zattrs", 1, "", "null"),
        ({".zgroup": GROUP_V2, ".zattrs": b'{"a": tru}'}, ".zattrs", 1, "", '"t"'),
        ({".zgroup": b'{\n"zarr_format": 3}'}, ".zgroup", 2, "/zarr_format", "3"),
        ({".zarray": b'{"zarr_format": 2}'}, ".zarray", 1, "", "a group"),
        ({".zgroup": ARRAY_V2}, ".zgroup", 1, "", "an array"),
    ],
)
def test_a_document_with_faults_is_told_with_key_and_line(keys, key, line, pointer, found, place):
    with pytest.raises(SpecError) as error:
        read_node(place(MemoryStore(keys)), level="strict")
    problem = error.value.problems[0]
    assert (problem.key, problem.line, problem.pointer) == (key, line, pointer)
    assert found in problem.found
    assert str(error.value).startswith("memory://: ")


def test_an_entry_point_with_faults_is_told(place):
    text = (
        b'{"zarr_format": "https://purl.org/zarr/spec/core/3.0",\n "metadata_encoding": 5, "extensions": []}'
    )
    with pytest.raises(SpecError) as error:
        read_node(place(MemoryStore({"zarr.json": text, "meta/a.array.json": b"{}"})), "a")
    assert [(p.key, p.line, p.pointer) for p in error.value.problems] == [
        ("zarr.json", 2, "/metadata_encoding")
    ]


def test_a_document_beyond_the_limit_is_refused():
    text = b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": "%s"}}' % (b"x" * 5000)
    with pytest.raises(SpecError) as error:
        read_node(MemoryStore({"zarr.json": text}), limits=zom.Limits(document_bytes=1000))
    assert "expected at most 1000 bytes, found 5065 bytes; raise zom.Limits(document_bytes=...)" in str(
        error.value
    )


def test_a_document_with_consolidated_metadata_may_be_as_long_as_a_hierarchy():
    tree = v3.GroupSpec(members={f"g{i}": v3.GroupSpec(members={}) for i in range(30)})
    text = json.dumps(tree.to_consolidated()).encode()
    found = read_node(MemoryStore({"zarr.json": text}), limits=zom.Limits(document_bytes=1000))
    assert found.spec.to_documents() == {"zarr.json": json.loads(text)}


def test_what_is_tolerated_is_told():
    text = b'{"zarr_format": 3, "node_type": "group",\n "attributes": null}'
    (problem,) = read_node(MemoryStore({"a/zarr.json": text}), "a").problems
    assert (problem.severity, problem.node, problem.key, problem.line) == ("warning", "/a", "a/zarr.json", 2)


# --- what is odd, and what is too much ------------------------------------------------------------------


def odd_document(**members):
    base = zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,), compress=None).to_dict()
    return json.dumps({**base, **members})


ODD_DOCUMENTS = {
    "json/duplicate-key": odd_document()[:-1] + ', "attributes": {"a": 1, "a": 2}}',
    "json/bom": "\ufeff" + odd_document(),
    "json/not-finite": odd_document(attributes={"a": float("nan")}),
    "fill-value/null": odd_document(fill_value=None),
}


@pytest.mark.parametrize("code", ODD_DOCUMENTS)
def test_opening_warns_as_a_check_does(code):
    store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    store.set("a/zarr.json", ODD_DOCUMENTS[code].encode())
    (told,) = (
        each
        for each in zom.validate(store, conventions=(), data="keys", level="lenient").problems
        if each.severity == "warning"
    )
    assert told.code == code
    for work in (
        lambda: zom.open(store, "a"),
        lambda: zom.open_array(store, "a"),
        lambda: zom.open(store)["a"],
    ):
        with pytest.warns(zom.SpecWarning, match=re.escape(str(told))) as caught:
            work()
        assert [each.filename for each in caught] == [__file__]
    seen = []
    zom.open(store, "a", on_warning=seen.append)
    assert [each.code for each in seen] == [code]
    assert "a" in zom.open(store)


def test_an_array_of_more_dimensions_than_the_limit_is_refused_when_it_is_opened():
    spec = zom.v3.ArraySpec.build(shape=(1,) * 65, dtype="int8", chunks=(1,) * 65)
    store = MemoryStore({"a/zarr.json": spec.to_json(indent=2).encode()})
    with pytest.raises(zom.SpecError) as caught:
        zom.open(store, "a")
    (problem,) = caught.value.problems
    assert (problem.code, problem.node, problem.key, problem.pointer) == (
        "array/rank",
        "/a",
        "a/zarr.json",
        "/shape",
    )
    told = "shape: expected at most 64 dimensions, found 65 (line 4, column 12); open it as a spec, with zom.read"
    assert told in str(problem)
    assert zom.read(store, "a") == spec
    other = MemoryStore()
    zom.create_array(other, zom.v3.ArraySpec.build(shape=(2, 2), dtype="int8"), "b")
    with pytest.raises(zom.SpecError, match="expected at most 1 dimension, found 2"):
        zom.open(other, "b", limits=zom.Limits(rank=1))


def test_an_attribute_makes_the_document_of_an_implicit_group():
    store = MemoryStore()
    zom.create_array(store, zom.draft.ArraySpec.build(shape=(4,), dtype="int8"), "g/a")
    group = zom.open_group(store, "g", mode="r+")
    group.attrs["title"] = "x"
    group.attrs["n"] = 1
    assert dict(zom.open(store, "g").attrs) == {"title": "x", "n": 1}
    assert list(zom.open(store, "g")) == ["a"]
    store.delete("meta/g.group.json")
    with pytest.raises(zom.NotFound, match="its document has been deleted"):
        group.attrs["n"] = 2


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ([], "expected an object, found []"),
        (
            {"kind": "inline", "must_understand": True, "metadata": {}},
            "must_understand: expected false, found true",
        ),
        ({"kind": "x", "must_understand": False, "metadata": {}}, 'kind: expected "inline", found "x"'),
        (
            {"kind": "inline", "must_understand": False, "metadata": {"x": 1}},
            "metadata.x: expected an object, found 1",
        ),
    ],
)
def test_consolidated_metadata_at_fault_hides_no_group(block: object, expected: str) -> None:
    document = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": block}
    text = json.dumps(document).encode()
    store = MemoryStore({"zarr.json": text, "g/zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    with pytest.warns(zom.SpecWarning, match=re.escape(expected)):
        group = zom.open_group(store, mode="r+")
    assert list(group) == ["g"]
    group.attrs["a"] = 1
    stored = json.loads(store.get("zarr.json") or b"")
    assert stored == {**document, "attributes": {"a": 1}}
    with pytest.raises(zom.SpecError, match=re.escape(expected)):
        zom.open_group(store, level="strict")
