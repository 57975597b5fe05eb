"""New arrays and groups by one call, on every kind of store and in every format."""

from __future__ import annotations

import errno
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.errors import (
    CodecError,
    ConflictError,
    NodeExists,
    NotFound,
    PathError,
    ReadOnlyError,
    SpecError,
    StoreNotFound,
)
from zom.stores.memory import MemoryStore
from zom.testing.faulty import FaultyStore

FORMATS = ["v2", "v3", "draft"]
VALUES = np.arange(12, dtype="int16").reshape(3, 4)


@pytest.fixture(params=["memory", "local", "zip", "sqlite"])
def place(request, tmp_path):
    if request.param == "memory":
        return f"memory://creation-{request.node.name}"
    return tmp_path / {"local": "x.zarr", "zip": "x.zip", "sqlite": "x.sqlite"}[request.param]


@pytest.fixture(params=FORMATS)
def form(request):
    return request.param


@pytest.fixture
def group(form):
    return zom.create_group("memory:", form=form)


# --- arrays ----------------------------------------------------------------------------------------------


def test_an_array_is_made_of_what_is_said_of_it(place, form):
    with zom.create_group(place, form=form) as root:
        array = root.create_array("a/b", shape=(3, 4), dtype="int16", chunks=(2, 2), attributes={"n": 1})
        array[:] = VALUES
        assert array.mode == "r+"
    with zom.open_group(place) as root:
        array = root["a/b"]
        assert (array.shape, array.dtype, array.chunks, array.attrs["n"]) == ((3, 4), "int16", (2, 2), 1)
        assert array.layout.family.form == form
        np.testing.assert_array_equal(array[:], VALUES)


def test_an_array_is_made_of_its_values(place, form):
    with zom.create_array(place, path="a", data=VALUES, chunks=(2, 2), form=form) as array:
        np.testing.assert_array_equal(array[:], VALUES)
    with zom.open_array(place, "a") as array:
        assert (array.dtype, array.chunks, array.layout.family.form) == ("int16", (2, 2), form)
        np.testing.assert_array_equal(array[:], VALUES)


def test_values_may_be_cast_to_another_type(group):
    array = group.create_array("a", data=VALUES, dtype="float32")
    assert array.dtype == "float32"
    np.testing.assert_array_equal(array[:], VALUES)


def test_an_array_has_the_format_of_the_hierarchy_that_it_lies_in(group, form):
    for array in [
        zom.create_array(group.store, path="a/b", shape=3, dtype="int8"),
        zom.create_array(group.store, path="a/c", data=VALUES),
        zom.zeros(3, store=group.store, path="a/d"),
    ]:
        assert array.layout.family.form == form
    assert zom.create_group(group.store, path="a/e").layout.family.form == form
    assert sorted(group["a"]) == ["b", "c", "d", "e"]


@pytest.mark.parametrize("facts", [{"shape": 3, "dtype": "int8"}, {"data": VALUES}], ids=["empty", "values"])
def test_a_node_that_is_there_is_in_the_way(group, facts):
    group.create_array("a", data=[1, 2])
    group.create_group("g/h")
    for path, found in [("a", "array"), ("g", "group")]:
        with pytest.raises(
            ConflictError, match=rf"/{path}: expected nothing, to create a node there, found .*{found}"
        ):
            group.create_array(path, **facts)
    with pytest.raises(
        ConflictError, match=r"expected a group, to contain /a/b, found .* array; choose another path"
    ):
        group.create_array("a/b", **facts)
    assert group["a"][:].tolist() == [1, 2]
    assert list(group["g"]) == ["h"]


@pytest.mark.parametrize("facts", [{"shape": 3, "dtype": "int8"}, {"data": VALUES}], ids=["empty", "values"])
@pytest.mark.parametrize("old", ["array", "group"])
def test_overwriting_takes_the_place_of_all_that_is_there(place, form, facts, old):
    with zom.create_group(place, form=form) as root:
        if old == "array":
            root.create_array("x", data=np.ones((50, 3)), chunks=(7, 2))
        else:
            root.create_array("x/y/z", data=[1])
        root.create_array("other", data=[5])
    with zom.open_group(place, mode="r+") as root:
        root.create_array("x", overwrite=True, **facts)
    with zom.open_group(place) as root:
        assert sorted(root) == ["other", "x"]
        assert root["x"][...].tolist() == (VALUES.tolist() if "data" in facts else [0, 0, 0])
        assert root["other"][:].tolist() == [5]
        assert not zom.validate(root.store).problems


def replacing(root):
    root["a"] = np.ones((3, 3))


@pytest.mark.parametrize("mishap", ["fail", "fail after"])
def test_what_fails_while_an_array_is_replaced_leaves_the_old_one_or_the_new_one(mishap):
    def begun():
        inner = MemoryStore()
        zom.create_group(inner)["a"] = np.arange(10)
        return inner

    whole = FaultyStore(begun())
    replacing(zom.open_group(whole, mode="r+"))
    for number in range(len(whole.operations)):
        inner = begun()
        try:
            replacing(zom.open_group(FaultyStore(inner, {number: mishap}), mode="r+"))
        except zom.ZomError:
            pass
        else:
            assert zom.load(inner, "a").shape == (3, 3)
        assert zom.load(inner, "a").tolist() in ([*range(10)], np.ones((3, 3)).tolist()), number
        zom.repair(inner)
        assert not zom.check(inner).problems, number
        replacing(zom.open_group(inner, mode="r+"))
        assert zom.load(inner, "a").shape == (3, 3)
    assert number > 10


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, "expected a spec, or shape= and dtype=, or data=, got none of them"),
        ({"shape": 3}, "expected a spec, or shape= and dtype=, or data=, got none of them"),
        (
            {"spec": v3.ArraySpec.build(shape=3, dtype="int8"), "chunks": 2},
            "expected a spec or arguments that describe the array, got both: a spec and chunks",
        ),
        (
            {"spec": v3.GroupSpec()},
            "expected the spec of an array, found one of a group; see zom.create_group",
        ),
        (
            {"shape": 3, "dtype": "int8", "compressors": None},
            "unknown argument 'compressors'; pass compress=",
        ),
        (
            {"shape": 3, "dtype": "int8", "zarr_format": 2},
            'unknown argument \'zarr_format\'; pass form="v2" or form="v3"',
        ),
        (
            {"data": {"a": 1}},
            "expected values that numpy can convert to an array, found dict; create a group from it with GroupSpec.from_tree and zom.materialize",
        ),
        (
            {"data": [[1], [2, 3]]},
            "expected values that numpy can convert to an array, found list: setting an array element with a sequence",
        ),
    ],
)
def test_what_an_array_can_not_be_made_of_is_told(facts, text):
    store = MemoryStore()
    with pytest.raises(TypeError) as caught:
        zom.create_array(store, **facts)
    assert str(caught.value).startswith(text)
    assert not list(store.list())


def test_a_format_that_nobody_knows_is_told():
    with pytest.raises(ValueError, match=r"^form: expected one of 'v2', 'v3', 'draft', got 'v4'$"):
        zom.create_group("memory:", form="v4")


def test_an_argument_that_a_format_lacks_is_told():
    with pytest.raises(TypeError, match="shards"):
        zom.create_array("memory:", shape=3, dtype="int8", shards=3, form="v2")


def test_objects_without_a_type_are_refused():
    with pytest.raises(
        SpecError, match=r"expected elements that are all str or all bytes, found .*; name the dtype"
    ):
        zom.create_array("memory:", data=np.array([1, "a", None], dtype=object))


# --- groups ----------------------------------------------------------------------------------------------


def test_a_group_is_made_with_attributes(place, form):
    with zom.create_group(place, attributes={"n": 1}, form=form) as root:
        assert root.create_group("a/b", attributes={"m": 2}).path == "/a/b"
    with zom.open_group(place) as root:
        assert (root.attrs["n"], root["a/b"].attrs["m"], root.layout.family.form) == (1, 2, form)


def test_a_group_that_overwrites_is_empty(group):
    group.create_array("a/b/c", data=[1])
    group.create_array("other", data=[2])
    assert not list(group.create_group("a", overwrite=True))
    assert sorted(group) == ["a", "other"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"spec": v3.ArraySpec.build(shape=3, dtype="int8")},
            "expected the spec of a group, found one of an array; see zom.create_array",
        ),
        ({"spec": v3.GroupSpec(), "attributes": {}}, "expected a spec, or attributes=, got both"),
        ({"spec": {"a": 1}}, "expected a spec, got a dict; zom.parse makes a spec from a document"),
    ],
)
def test_what_a_group_can_not_be_made_of_is_told(given, text):
    with pytest.raises(TypeError) as caught:
        zom.create_group("memory:", **given)
    assert str(caught.value) == text


def test_a_group_makes_nothing_in_its_own_place(group):
    for path in ["", "/"]:
        for act in [
            lambda path=path: group.create_array(path, shape=3, dtype="int8"),
            lambda path=path: group.create_group(path, overwrite=True),
            lambda path=path: group.__setitem__(path, [1]),
        ]:
            with pytest.raises(PathError, match=r"expected the path of a node below /$"):
                act()
        assert group.require_group(path) is group
    assert not list(group)


# --- what is required ------------------------------------------------------------------------------------


def test_what_is_required_is_made_once(group):
    assert group.require_group("g/h").path == "/g/h"
    group.require_group("g").attrs["n"] = 1
    assert group.require_group("g", attributes={"n": 2}).attrs["n"] == 1
    made = group.require_array("a", shape=(4,), dtype="int16", chunks=(2,))
    made[:] = [1, 2, 3, 4]
    for facts in [{"dtype": "int16"}, {"dtype": np.dtype(">i2")}, {}, {"dtype": "int16", "chunks": 4}]:
        assert group.require_array("a", shape=4, **facts)[:].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (
            lambda g: g.require_array("a", shape=(5,), dtype="int16"),
            "/a: expected the shape (5,), found (4,); open it as it is, or replace it with create_array(..., overwrite=True)",
        ),
        (
            lambda g: g.require_array("a", shape=4, dtype="int32"),
            "/a: expected the data type int32, found int16; open it as it is, or replace it with create_array(..., overwrite=True)",
        ),
        (lambda g: g.require_group("a"), "/a: expected a group, found an array; choose another name"),
        (
            lambda g: g.require_array("g", shape=4, dtype="int16"),
            "/g: expected an array, found a group; choose another name",
        ),
    ],
)
def test_what_is_there_and_differs_from_what_is_required_is_a_conflict(group, act, text):
    group.create_array("a", shape=(4,), dtype="int16")
    group.create_group("g")
    with pytest.raises(ConflictError) as caught:
        act(group)
    assert str(caught.value) == f"memory://: {text}"


# --- a group as a mapping that is written to -------------------------------------------------------------

KINDS = {
    "array": (VALUES, "int16"),
    "list": ([[1, 2], [3, 4]], "int64"),
    "number": (5, "int64"),
    "scalar": (np.float32(1.5), "float32"),
    "bool": (True, "bool"),
    "text": (np.array(["a", "bc"]), "<U2"),
    "dates": (np.array(["2020-01-01"], "M8[D]"), "M8[D]"),
    "nothing": (np.zeros((0, 3), "int8"), "int8"),
    "Fortran": (np.asfortranarray(VALUES), "int16"),
    "range": (range(3), "int64"),
}


@pytest.mark.parametrize(("values", "dtype"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("module", [v2, v3], ids=["v2", "v3"])
def test_values_that_are_assigned_become_an_array(module, values, dtype):
    group = zom.create_group("memory:", module.GroupSpec())
    group["a/b"] = values
    assert group["a/b"].dtype == dtype
    np.testing.assert_array_equal(group["a/b"][...], np.asarray(values))


def test_values_take_the_place_of_an_array(group):
    group["a"] = VALUES
    group["a"].attrs["old"] = 1
    group["a"] = [1.5]
    assert group["a"][:].tolist() == [1.5]
    assert not group["a"].attrs
    assert not zom.check(group.store).problems


def test_values_do_not_take_the_place_of_a_group(group):
    group["g/a"] = [1]
    with pytest.raises(ConflictError, match="/g: expected an array, found a group; choose another name"):
        group["g"] = [2]
    assert group["g/a"][:].tolist() == [1]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (v3.GroupSpec(), "found a spec; create(path, spec) creates its node"),
        (None, "found NoneType; pass a list or a numpy array"),
        ({1, 2}, "found set; pass a list or a numpy array"),
        ({"a": [1]}, "found dict; create a group from it with GroupSpec.from_tree and zom.materialize"),
        (zom.zeros(3), "found Array, which is stored; zom.copy(array, store, target_path=...) copies it"),
    ],
    ids=["spec", "None", "set", "dict", "handle"],
)
def test_what_is_no_values_is_not_assigned(group, value, text):
    with pytest.raises(TypeError) as caught:
        group["a"] = value
    assert str(caught.value) == f"expected values that numpy can convert to an array, {text}"
    assert not list(group)


def test_what_is_deleted_is_gone(group):
    group["a"] = VALUES
    group["g/b"] = VALUES
    del group["a"]
    del group["g"]
    assert not list(group)
    with pytest.raises(KeyError):
        del group["a"]


def test_a_group_that_is_read_only_makes_and_deletes_nothing(group):
    group["a"] = [1]
    reading = zom.open_group(group.store)
    for act in [
        lambda: reading.create_array("b", shape=3, dtype="int8"),
        lambda: reading.create_array("b", data=[1]),
        lambda: reading.create_group("b"),
        lambda: reading.require_group("b"),
        lambda: reading.require_array("a", shape=1),
        lambda: reading.__setitem__("a", [2]),
        lambda: reading.__delitem__("a"),
    ]:
        with pytest.raises(ReadOnlyError, match=r'open it with mode="r\+"'):
            act()
    assert zom.load(group.store) == {"a": [1]}


# --- modes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("verb", ["open", "open_group", "open_array"])
def test_what_is_not_there_is_not_made_by_a_mode_for_what_is_there(tmp_path, verb, mode):
    with pytest.raises(FileNotFoundError):
        getattr(zom, verb)(tmp_path / "x.zarr", mode=mode)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mode", ["a", "w", "w-"])
def test_a_mode_that_makes_things_makes_them(place, form, mode):
    with zom.open_group(place, mode=mode, form=form, attributes={"n": 1}) as root:
        assert (root.mode, root.attrs["n"], root.layout.family.form) == ("r+", 1, form)
    with zom.open_array(place, "a", mode=mode, shape=(3,), dtype="int8") as array:
        array[:] = 7
    with zom.open(place, "b", mode=mode, data=[1, 2]):
        pass
    with zom.open(place, "g", mode=mode):
        pass
    with zom.open(place) as root:
        assert {name: type(node).__name__ for name, node in root.items()} == {
            "a": "Array",
            "b": "Array",
            "g": "Group",
        }
        assert root["a"][:].tolist() == [7, 7, 7]


def test_a_opens_what_is_there(place):
    zom.save(place, a=VALUES)
    with zom.open_group(place, mode="a") as root:
        root.attrs["n"] = 1
        assert root.mode == "r+"
    with zom.open_array(place, "a", mode="a", shape=(1,), dtype="int8") as array:
        assert array.shape == (3, 4)


def test_w_takes_the_place_of_all_that_is_there(place):
    zom.save(place, a=VALUES, b=VALUES)
    with zom.open_group(place, mode="w") as root:
        assert not list(root)
    with zom.open_group(place, mode="r") as root:
        assert not list(root)


def test_w_keeps_files_that_are_no_zarrs(tmp_path):
    (tmp_path / "x.zarr").mkdir()
    (tmp_path / "x.zarr" / "photo.jpg").write_bytes(b"...")
    with pytest.raises(ConflictError, match=r"files that are not part of a Zarr hierarchy: 'photo\.jpg'"):
        zom.open_group(tmp_path / "x.zarr", mode="w")
    assert (tmp_path / "x.zarr" / "photo.jpg").read_bytes() == b"..."


@pytest.mark.parametrize("verb", ["open", "open_group"])
def test_w_minus_refuses_what_is_there(place, verb):
    zom.save(place, a=VALUES)
    with pytest.raises(
        FileExistsError, match=r"expected nothing, to create a node there, found a v3 group"
    ) as caught:
        getattr(zom, verb)(place, mode="w-")
    assert type(caught.value) is NodeExists
    assert caught.value.errno == errno.EEXIST
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.problems) == (NodeExists, str(caught.value), caught.value.problems)
    np.testing.assert_array_equal(zom.load(place, "a"), VALUES)


def test_a_mode_that_nobody_knows_is_told():
    with pytest.raises(ValueError, match=r"^mode: expected one of 'r', 'r\+', 'a', 'w', 'w-', got 'rw'$"):
        zom.open("memory:", mode="rw")


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_facts_of_a_new_node_are_refused_where_none_is_made(mode):
    with pytest.raises(
        TypeError,
        match=rf"^unknown argument shape with mode='{mode[0]}\+?'; only the modes a, w and w- create a node$",
    ):
        zom.open_array("memory:", mode=mode, shape=3)


@pytest.mark.parametrize("mode", ["a", "w", "w-", "r+"])
def test_a_store_that_is_read_only_is_not_opened_to_write(mode):
    store = MemoryStore()
    zom.create_group(store)
    with pytest.raises((ReadOnlyError, ConflictError)) as caught:
        zom.open_group(zom.store(store, read_only=True), mode=mode)
    assert mode == "w-" or isinstance(caught.value, ReadOnlyError)
    assert list(store.list()) == ["zarr.json"]


def test_a_handle_closes_its_store(tmp_path):
    with zom.create_group(tmp_path / "x.zip") as root:
        root["a"] = VALUES
        assert not (tmp_path / "x.zip").exists()
    np.testing.assert_array_equal(zom.load(tmp_path / "x.zip", "a"), VALUES)


def test_a_block_that_fails_leaves_no_half_written_archive(tmp_path):
    def fail(root):
        with root:
            root["a"] = VALUES
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail(zom.create_group(tmp_path / "x.zip"))
    assert not (tmp_path / "x.zip").exists()


# --- one-liners ------------------------------------------------------------------------------------------


def test_arrays_of_one_value_store_nothing(form):
    for array, values in [
        (zom.zeros((2, 3), form=form), np.zeros((2, 3))),
        (zom.ones((2, 3), "int8", form=form), np.ones((2, 3), "int8")),
        (zom.full(3, 2.5, form=form), np.full(3, 2.5)),
        (zom.full((3,), 7, "uint8", form=form), np.full(3, 7, "uint8")),
        (zom.empty((2,), "int8", form=form), np.zeros(2, "int8")),
    ]:
        assert (array.dtype, array.shape, array.stored().count) == (values.dtype, values.shape, 0)
        np.testing.assert_array_equal(array[...], values)


def test_array_holds_its_values(place):
    with zom.array(VALUES, store=place, path="a", chunks=(1, 4)) as array:
        assert array.stored().count == 3
    np.testing.assert_array_equal(zom.load(place, "a"), VALUES)


def test_what_is_saved_is_loaded(place, form):
    zom.save(place, VALUES, form=form)
    np.testing.assert_array_equal(zom.load(place), VALUES)


def test_several_arrays_are_saved_as_a_group(place, form):
    zom.save(place, VALUES, [1, 2], x=5, form=form)
    found = zom.load(place)
    assert sorted(found) == ["arr_0", "arr_1", "x"]
    np.testing.assert_array_equal(found["arr_0"], VALUES)
    assert (found["arr_1"].tolist(), found["x"].tolist()) == ([1, 2], 5)


def test_saving_again_takes_the_place_only_where_that_is_asked_for(place):
    zom.save(place, a=VALUES, b=VALUES)
    with pytest.raises(ConflictError, match="expected nothing, to create a node there"):
        zom.save(place, a=[1])
    zom.save(place, a=[1], overwrite=True)
    assert zom.load(place) == {"a": [1]}


def test_nothing_is_not_saved():
    with pytest.raises(TypeError, match=r"^expected at least one array to save, got none$"):
        zom.save("memory:")


def test_groups_in_groups_are_loaded(group):
    group["a/b"] = [1]
    group["c"] = [2]
    assert zom.load(group.store) == {"a": {"b": [1]}, "c": [2]}


def test_what_is_broken_is_not_loaded_as_less():
    group = zom.create_group("memory:")
    group["a"] = [1]
    group.store.set("bad/zarr.json", b"{")
    with pytest.raises(SpecError, match="bad"):
        zom.load(group.store)


def test_what_is_not_there_is_not_loaded(tmp_path):
    with pytest.raises(StoreNotFound):
        zom.load(tmp_path / "x.zarr")
    with pytest.raises(NotFound):
        zom.load("memory:", "a")


# --- several at once -------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [False, True], ids=["empty", "values"])
def test_of_threads_that_create_one_array_one_succeeds(tmp_path, data):
    root = zom.create_group(tmp_path / "x.zarr")
    start, made, refused = threading.Barrier(4), [], []

    def create(number):
        facts = {"data": np.full(5, number)} if data else {"shape": 5, "dtype": "int64", "fill_value": number}
        start.wait()
        try:
            made.append((number, root.create_array("g/a", **facts)))
        except ConflictError as error:
            refused.append(error.problems[0].code)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), refused) == (1, ["plan/exists"] * 3)
    assert zom.load(tmp_path / "x.zarr", "g/a").tolist() == [made[0][0]] * 5


CREATE = """
import sys, zom
number = int(sys.argv[2])
root = zom.open_group(sys.argv[1], mode="a")
while input() != "go": pass
try:
    root.create_array("a", data=[number] * 1000, chunks=(10,))
    print("made", number)
except zom.ConflictError as error:
    print("refused", error.problems[0].code)
print(root.require_array("b", shape=(3,), dtype="int8").shape, root.require_group("g").path)
root["c"] = [number] * 100
print(set(root["c"][:]) <= {0, 1, 2})
"""


def test_of_processes_that_create_one_array_one_succeeds(tmp_path):
    place = str(tmp_path / "x.zarr")
    zom.create_group(place)
    command = [sys.executable, "-c", CREATE, place]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([*command, str(number)], **pipes) for number in range(3)]
    done = [process.communicate("go\n", timeout=120) for process in processes]
    assert [err for _, err in done] == ["", "", ""]
    said = [out.splitlines() for out, _ in done]
    (winner,) = (lines[0].split()[1] for lines in said if lines[0].startswith("made"))
    assert sorted(lines[0] for lines in said) == [f"made {winner}", *["refused plan/exists"] * 2]
    assert [lines[1:] for lines in said] == [["(3,) /g", "True"]] * 3
    assert set(zom.load(place, "a").tolist()) == {int(winner)}
    assert not zom.check(place).problems


# --- values that are no plain values ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [np.ma.array([7, 8], mask=[0, 1]), np.ma.array([("a", 1)], "U1,i4", mask=[(0, 1)])]
)
def test_what_is_masked_is_not_written(values):
    group = zom.create_group("memory:")
    with pytest.raises(
        TypeError, match=r"found masked elements, which Zarr doesn't support; pass values\.filled"
    ):
        group["a"] = values
    assert list(group) == []
    array = group.create_array("a", data=values.data)
    with pytest.raises(
        CodecError, match=r"/a: expected values without a mask, found masked ones; pass values\.filled"
    ):
        array[:] = values
    assert np.array_equal(array[:], values.data)
    group["b"] = array[:] = np.ma.array(values.data)
    assert np.array_equal(group["b"][:], values.data)
    assert group["b"].fill_value == array.fill_value


def test_an_error_of_values_that_take_the_place_of_others_names_the_place(place, form):
    with zom.create_group(place, form=form) as group:
        group["g/a"] = np.array(["a"])
        with pytest.raises(CodecError) as caught:
            group.create_array("g/a", data=np.array(["b", "long"]), dtype="U1", overwrite=True)
        assert str(caught.value).startswith(
            f"{group.store.url}: /g/a: expected text of at most 1 characters at (1)"
        )
        assert group["g/a"][:].tolist() == ["a"]


@pytest.mark.parametrize("name", ["zarr.json", "__a", "a\nb", "\ud800"])
@pytest.mark.parametrize("facts", [{"data": [1]}, {"shape": 1, "dtype": "int8", "overwrite": True}])
def test_a_name_that_no_node_may_have_is_refused_before_anything_is_read(place, name, facts):
    with zom.create_group(place) as group:
        before = sorted(group.store.list())
        with pytest.raises(PathError, match=r"expected (a|another) name"):
            group.create_array(name, **facts)
        assert sorted(group.store.list()) == before


def test_a_name_is_saved_once(tmp_path):
    with pytest.raises(TypeError, match="arr_1: expected one array of this name, got an unnamed one, too"):
        zom.save(tmp_path / "x.zarr", [1], [2], arr_1=[3])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "complex64", "M8[s]", "m8[ns]"])
def test_zeros_and_ones_are_those_of_numpy(dtype):
    for ours, theirs in [(zom.zeros, np.zeros), (zom.ones, np.ones)]:
        if theirs is np.ones and dtype in {"M8[s]", "m8[ns]"}:
            expected = np.array([1, 1], dtype)
        else:
            expected = theirs(2, dtype)
        assert np.array_equal(ours(2, dtype)[:], expected)


def test_zeros_have_no_other_value():
    with pytest.raises(TypeError, match=r"unknown argument 'fill_value'; see zom\.full"):
        zom.zeros(2, fill_value=9)
    assert zom.empty(2, fill_value=9)[:].tolist() == [9, 9]


@pytest.mark.parametrize("value", [np.array((1, 2.5), "i4,f8"), np.array(3), np.array("x")])
def test_full_takes_arrays_of_one_value(value):
    assert np.array_equal(zom.full(2, value)[:], np.array([value, value]))


def test_require_array_refuses_what_it_does_not_know_where_an_array_is_too():
    group = zom.create_group("memory:")
    for _ in range(2):
        with pytest.raises(TypeError, match=r"^unknown argument 'compressors'; pass compress=$"):
            group.require_array("a", shape=2, dtype="int8", compressors=None)
        with pytest.raises(
            TypeError, match=r"^unknown argument 'foo'; expected some of shape, dtype, chunks, "
        ):
            group.require_array("a", shape=2, dtype="int8", foo=1)
        group.require_array("a", shape=2, dtype="int8")
