"""Creating one node: with its parents, exclusively, and with words for what is in the way."""

from __future__ import annotations

import multiprocessing
import re
import threading
from contextlib import suppress

import pytest

import zom
from zom.errors import ConflictError, PathError, ReadOnlyError, SpecError, StoreError
from zom.hierarchy.change.create import check_files, create_node
from zom.hierarchy.stored.open import read_node
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import ReadOnlyStore
from zom.testing.faulty import FaultyStore

MODULES = {"v2": zom.v2, "v3": zom.v3, "draft": zom.draft}
FORMS = pytest.mark.parametrize("form", MODULES)


def array_of(form, **attributes):
    return MODULES[form].ArraySpec.build(shape=(4,), dtype="int8", attributes=attributes)


def contents(store):
    return {key: store.get(key) for key in store.list()}


@FORMS
@pytest.mark.parametrize("path", ["", "a", "a/b/c"])
def test_a_created_array_reads_as_its_spec(form, path):
    store = MemoryStore()
    spec = array_of(form, n=1)
    create_node(store, spec, path)
    assert read_node(store, path).spec == spec


@FORMS
def test_a_created_group_reads_as_its_spec(form):
    store = MemoryStore()
    spec = MODULES[form].GroupSpec(attributes={"n": 1})
    create_node(store, spec, "a/b")
    assert read_node(store, "a/b").spec.attributes == {"n": 1}


@FORMS
def test_the_groups_above_are_made(form):
    store = MemoryStore()
    create_node(store, array_of(form), "a/b/c")
    assert [read_node(store, path).spec.kind for path in ("", "a", "a/b")] == ["group"] * 3


@FORMS
def test_the_groups_above_are_left_as_they_are(form):
    store = MemoryStore()
    create_node(store, MODULES[form].GroupSpec(attributes={"n": 1}), "a")
    before = contents(store)
    create_node(store, array_of(form), "a/b")
    after = contents(store)
    assert {key: after[key] for key in before} == before


@FORMS
@pytest.mark.parametrize("first", ["array", "group"])
@pytest.mark.parametrize("second", ["array", "group"])
@pytest.mark.parametrize("path", ["", "a/b"])
def test_a_node_that_is_there_is_never_written_over(form, first, second, path):
    kinds = {"array": array_of(form, n=1), "group": MODULES[form].GroupSpec(attributes={})}
    store = MemoryStore()
    create_node(store, kinds[first], path)
    before = contents(store)
    wanted = f"{'/a/b: ' if path else ''}expected nothing, to create a node there, found a {form} "
    with pytest.raises(ConflictError) as caught:
        create_node(store, kinds[second], path)
    assert str(caught.value).startswith(f"memory://: {caught.value.problems[0].key!r}: {wanted}")
    assert caught.value.problems[0].code == "plan/exists"
    assert contents(store) == before


@FORMS
def test_nothing_is_made_below_an_array(form):
    store = MemoryStore()
    create_node(store, array_of(form), "a")
    before = contents(store)
    with pytest.raises(ConflictError) as caught:
        create_node(store, array_of(form), "a/b/c")
    assert str(caught.value) == (
        f"memory://: {caught.value.problems[0].key!r}: /a: expected a group, to contain /a/b/c, "
        f"found a {form} array; choose another path"
    )
    assert contents(store) == before


@pytest.mark.parametrize(
    ("there", "wanted"), [("v2", "v3"), ("v3", "v2"), ("draft", "v3"), ("draft", "v2"), ("v3", "draft")]
)
def test_a_node_of_another_format_is_not_put_into_a_group(there, wanted):
    store = MemoryStore()
    create_node(store, MODULES[there].GroupSpec(attributes={}))
    before = contents(store)
    with pytest.raises(
        ConflictError,
        match=rf"^memory://: '[a-z./]+': expected a {wanted} group, to contain /a, found a {there}",
    ):
        create_node(store, array_of(wanted), "a")
    assert contents(store) == before


@pytest.mark.parametrize("kind", ["array", "group"])
def test_a_directory_with_other_files_is_not_made_a_node(kind):
    store = MemoryStore({"photos/1.jpg": b"1", "thesis.txt": b"2"})
    spec = array_of("v3") if kind == "array" else zom.v3.GroupSpec()
    wanted = (
        "memory://: expected nothing, to make it a node, found files that are not part of a Zarr hierarchy: "
        "'photos/1.jpg', 'thesis.txt'; choose another place, or move them away"
    )
    with pytest.raises(ConflictError, match=f"^{re.escape(wanted)}$"):
        create_node(store, spec)


def test_chunks_without_a_document_are_not_taken_for_a_new_arrays():
    store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "a/c/0": b"old"})
    with pytest.raises(ConflictError, match=r"/a: expected nothing, to make it a node, found .* 'a/c/0'"):
        create_node(store, array_of("v3"), "a")


def test_an_array_is_not_put_above_nodes():
    store = MemoryStore({"a/b/zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    with pytest.raises(
        ConflictError, match=r"expected nothing below a new array, found nodes below it: 'a/b/z"
    ):
        create_node(store, array_of("v3"), "a")


def test_a_document_that_is_not_json_is_not_written_over():
    store = MemoryStore({"zarr.json": b"{"})
    with pytest.raises(ConflictError, match="found a v3 document that cannot be read"):
        create_node(store, array_of("v3"))
    with pytest.raises(ConflictError, match="found a v3 document that cannot be read"):
        create_node(store, array_of("v3"), "a")
    assert contents(store) == {"zarr.json": b"{"}


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_a_document_of_an_unknown_format_is_in_the_way(form):
    text = b'{"zarr_format": "https://example.org/other"}'
    store = MemoryStore({"zarr.json": text})
    with pytest.raises(ConflictError, match="found a v3 document that cannot be read; correct the document"):
        create_node(store, array_of(form), "a")
    assert contents(store) == {"zarr.json": text}


def test_a_store_that_is_read_only_is_told():
    with pytest.raises(
        ReadOnlyError,
        match=r"^memory://: cannot create 'a': the store is read-only; open it for writing, or choose a writable store$",
    ):
        create_node(ReadOnlyStore(MemoryStore()), array_of("v3"), "a")


@pytest.mark.parametrize(
    ("form", "name"), [("v3", "__a"), ("v3", "zarr.json"), ("v2", ".zarray"), ("draft", "ä")]
)
def test_a_name_that_the_format_forbids_is_told(form, name):
    store = MemoryStore()
    with pytest.raises(PathError, match=rf"^/a/{name}: expected a.* name "):
        create_node(store, array_of(form), f"a/{name}")
    assert contents(store) == {}


def test_a_group_with_members_is_left_to_materialize():
    spec = zom.v3.GroupSpec(members={"a": zom.v3.GroupSpec()})
    with pytest.raises(
        TypeError,
        match=r"^/: expected an array, or .*; zom\.materialize\(spec, store, path\) creates a group with members$",
    ):
        create_node(MemoryStore(), spec)


@pytest.mark.parametrize("found", [{"zarr_format": 3, "node_type": "group"}, "group"])
def test_what_is_no_spec_is_told(found):
    group = zom.create_group("memory:", zom.v3.GroupSpec())
    for create in [
        lambda: zom.create_array("memory:", found),
        lambda: zom.create_group("memory:", found),
        lambda: group.create("a", found),
    ]:
        with pytest.raises(
            TypeError,
            match=r"^expected a spec, got a (dict|str); .*zom\.parse (makes a spec )?from (a|the text of a) document",
        ):
            create()


def test_an_array_is_no_group_and_a_group_no_array():
    with pytest.raises(TypeError, match=r"^expected the spec of an array, found one of a group"):
        zom.create_array("memory:", zom.v3.GroupSpec())
    with pytest.raises(TypeError, match=r"^expected the spec of a group, found one of an array"):
        zom.create_group("memory:", array_of("v3"))


@FORMS
def test_a_creation_that_fails_leaves_no_node_or_a_whole_one(form):
    spec = array_of(form, n=1)
    count = 0
    while True:
        inner = MemoryStore()
        store = FaultyStore(inner, {count: "fail"})
        try:
            create_node(store, spec, "a/b")
        except zom.StoreError:
            if [key for key in inner.list() if "a/b" in key] not in ([], ["a/b/.zattrs"]):
                assert read_node(inner, "a/b").spec == spec
        else:
            break
        count += 1
    assert count > 3
    assert read_node(inner, "a/b").spec == spec


def race(make):
    """How many of eight threads `make` something, and what the others are told."""
    barrier, won, told = threading.Barrier(8), [], []

    def run(number):
        barrier.wait()
        try:
            make(number)
        except ConflictError as error:
            told.append(error)
        else:
            won.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return won, told


@FORMS
@pytest.mark.parametrize("on_disk", [False, True])
def test_of_eight_threads_one_creates_the_array(form, on_disk, tmp_path):
    for number in range(10):
        store = LocalStore(tmp_path / str(number)) if on_disk else MemoryStore()
        won, told = race(lambda n, store=store: create_node(store, array_of(form, n=n), "a/b"))
        assert len(won) == 1
        assert len(told) == 7
        assert read_node(store, "a/b").spec.attributes == {"n": won[0]}


@FORMS
def test_arrays_beside_each_other_are_created_at_once(form, tmp_path):
    store = LocalStore(tmp_path)
    won, told = race(lambda n: create_node(store, array_of(form), f"a/{n}"))
    assert (len(won), told) == (8, [])


def test_a_change_that_begins_meanwhile_is_waited_for_and_no_foreign_file():
    store = MemoryStore({"a/.zom.journal": b"{}", "a/meta/x.array.json": b"{}"})
    with pytest.raises(ConflictError, match=r"a/\.zom\.journal.*no change under way") as caught:
        check_files(store, "a/", "/a", "group")
    assert [problem.code for problem in caught.value.problems] == ["plan/busy"]
    # One below it says that a hierarchy is there.
    check_files(
        MemoryStore({"a/b/.zom.journal": b"{}", "a/b/.zom.new/zarr.json": b"{}"}), "a/", "/a", "group"
    )


@pytest.mark.parametrize("name", ["zarr.json", ".zarray", ".zgroup"])
def test_a_node_that_is_made_meanwhile_is_read_again(name):
    store = MemoryStore({f"a/{name}": b"{}", "a/c/0": b""})
    with pytest.raises(
        ConflictError, match=r"/a: expected nothing, found .* another process wrote meanwhile"
    ) as caught:
        check_files(store, "a/", "/a", "array")
    assert [problem.code for problem in caught.value.problems] == ["plan/changed"]


def create_in_process(place, number, won):
    store = LocalStore(place)
    try:
        create_node(store, array_of("v2", n=number), "a/b")
    except ConflictError:
        return
    won.put(number)


def test_of_eight_processes_one_creates_the_array(tmp_path):
    context = multiprocessing.get_context("fork")
    for attempt in range(5):
        won = context.Queue()
        place = tmp_path / str(attempt)
        processes = [
            context.Process(target=create_in_process, args=(place, number, won)) for number in range(8)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            assert process.exitcode == 0
        winner = won.get(timeout=10)
        assert won.empty()
        assert read_node(LocalStore(place), "a/b").spec.attributes == {"n": winner}


@FORMS
@pytest.mark.parametrize("mishap", ["fail", "fail after"])
@pytest.mark.parametrize("path", ["n", "a/b/c", "g/b/c"])
def test_a_creation_that_is_killed_anywhere_is_undone_or_finished_by_a_repair(form, mishap, path):
    """Attributes of v2 lie in a document of their own, and groups above may be missing."""
    module = MODULES[form]
    spec = module.GroupSpec(attributes={"n": 1})
    before = MemoryStore()
    create_node(before, module.GroupSpec(attributes={}), "g")
    old = contents(before)
    create_node(before, spec, path)
    new = contents(before)
    ends = []
    for number in range(200):
        inner = MemoryStore(dict(old))
        mishaps = {number: mishap, **dict.fromkeys(range(number + 1, 999), "fail")}
        store = FaultyStore(inner, mishaps)
        with suppress(StoreError):
            create_node(store, spec, path)
        done = number >= len(store.operations)
        zom.repair(inner)
        assert contents(inner) in (old, new)
        ends.append(contents(inner) == new)
        if done:
            break
    assert set(ends) == {False, True}


@FORMS
def test_a_journal_that_the_client_wrote_twice_is_its_own(form):
    """A put that is repeated after a lost answer finds what it wrote itself."""
    for number in range(60):
        inner = MemoryStore()
        store = FaultyStore(inner, {number: "duplicate"})
        spec = MODULES[form].GroupSpec(attributes={"n": 1}, members={"a": array_of(form)})
        zom.materialize(spec, store)
        assert zom.read(inner) == spec
        assert not [key for key in inner.list() if ".zom." in key]
        if number >= len(store.operations):
            return
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize(
    "make",
    [
        lambda store, large: zom.create_group(store, attributes=large),
        lambda store, large: zom.create_array(store, shape=(2,), dtype="int8", attributes=large),
        lambda store, large: zom.create_array(store, data=[1, 2], attributes=large),
        lambda store, large: zom.create_array(store, data=[1, 2], attributes=large, overwrite=True),
        lambda store, large: zom.materialize(zom.v3.GroupSpec(attributes=large), store),
    ],
)
def test_a_document_that_could_not_be_read_again_is_not_written(make):
    store = MemoryStore()
    with pytest.raises(
        SpecError,
        match=r"'zarr\.json': expected at most 16777216 bytes, found \d+ bytes; store large data as an array",
    ):
        make(store, {"x": "a" * (1 << 24)})
    assert list(store.list()) == []
