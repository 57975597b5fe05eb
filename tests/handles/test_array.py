"""Arrays as numpy users, and programs that hold handles, meet them."""

from __future__ import annotations

import asyncio
import pickle
import re

import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.errors import (
    MissingChunk,
    ReadOnlyError,
    SelectionError,
    StoreError,
)
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore


def made(store="memory:", **document):
    return zom.create_array(
        store, v3.ArraySpec.build(**{"shape": (4, 6), "dtype": "int16", "chunks": (2, 3), **document})
    )


@pytest.fixture
def array():
    array = made()
    array[...] = np.arange(24).reshape(4, 6)
    return array


def structs(dtype, shape=(4,), **document):
    found = {"zarr_format": 2, "shape": shape, "chunks": [3] * len(shape), "dtype": dtype, "compressor": None}
    found |= {"fill_value": None, "order": "C", "filters": None, **document}
    return zom.create_array("memory:", v2.ArraySpec.parse(found))


# --- fields ------------------------------------------------------------------------------------------


def test_a_field_of_an_array_without_dimensions_has_none():
    array = structs([["x", "<i2"], ["y", "<f4"]], shape=[])
    assert array["x", ...].shape == ()
    assert array["x"] == 0


def test_a_field_that_is_an_array_has_its_dimensions_last():
    array = structs([["x", "<i2", [2]], ["y", "|S1"]])
    array["x"] = [[1, 2], [3, 4], [5, 6], [7, 8]]
    array["y"] = b"q"
    assert array["x", 1:3].tolist() == [[3, 4], [5, 6]]
    assert array["x", -1].tolist() == [7, 8]
    array["x", 1:] = 0
    array["x", 0] = [9, 8]
    assert array["x"].tolist() == [[9, 8], [0, 0], [0, 0], [0, 0]]
    assert set(array["y"]) == {b"q"}


def test_a_field_that_is_an_array_is_read_into_memory():
    array = structs([["x", "<i2", [2]], ["y", "|S1"]])
    array["x"] = [1, 2]
    out = np.zeros((2, 2), "f8")
    assert array.read(("x", slice(2)), out=out) is out
    assert out.tolist() == [[1, 2], [1, 2]]


def test_values_that_do_not_fit_a_field_that_is_an_array_are_refused():
    array = structs([["x", "<i2", [2]]])
    with pytest.raises(
        SelectionError,
        match=re.escape("expected values of the shape (4, 2), or that broadcast to it, got (3,)"),
    ):
        array["x"] = [1, 2, 3]


def test_fields_that_are_not_there_are_named():
    array = structs([["x", "<i2"], ["y", "<f4"]])
    with pytest.raises(SelectionError, match="no field named 'z': it has 'x', 'y'"):
        array["z"]
    with pytest.raises(SelectionError, match="no field named 'z': its elements have no fields"):
        made()["z"]


def test_a_field_of_a_missing_chunk_keeps_the_fill_value_of_the_others():
    array = structs([["x", "<i2"], ["y", "<i2"]], fill_value="BwAJAA==")
    array["x", 1] = 5
    assert array[:].tolist() == [(7, 9), (5, 9), (7, 9), (7, 9)]


# --- memory of the caller's --------------------------------------------------------------------------


def test_out_may_have_any_order_of_memory(array):
    out = np.zeros((6, 4), "i2").T
    assert array.read(out=out) is out
    assert (out == array[...]).all()


def test_out_of_another_type_is_cast(array):
    out = np.zeros((4, 6), "f8")
    array.read(out=out)
    assert (out == array[...]).all()


@pytest.mark.parametrize(
    ("out", "text"),
    [
        (np.zeros((4, 5), "i2"), "out: expected the shape (4, 6), got (4, 5)"),
        (np.zeros((4, 6), "?"), "out: expected the type int16, got bool"),
        (
            np.broadcast_to(np.int16(0), (4, 6)),
            "out: expected a writable array, got a read-only one",
        ),
    ],
)
def test_out_that_does_not_fit_is_refused(array, out, text):
    with pytest.raises(SelectionError, match=re.escape(text)):
        array.read(out=out)


@pytest.mark.parametrize("out", [[1, 2], bytearray(48)])
def test_out_that_is_no_array_is_refused(array, out):
    with pytest.raises(
        TypeError, match=r"out: expected a numpy array, got (list|bytearray); see numpy\.frombuffer"
    ):
        array.read(out=out)


@pytest.mark.parametrize("kind", [object, str])
def test_values_that_can_not_be_cast_leave_every_chunk_as_it_was(array, kind):
    values = np.full((4, 6), 9, kind)
    values[3, 5] = "x"
    with pytest.raises(ValueError, match="invalid literal"):
        array[...] = values
    assert array[...].tolist() == np.arange(24).reshape(4, 6).tolist()


# --- what an array is to Python ----------------------------------------------------------------------


def test_iteration_gives_the_parts_along_the_first_dimension_and_reads_each_chunk_once():
    store = LoggedStore(MemoryStore())
    array = made(store)
    array[...] = np.arange(24).reshape(4, 6)
    before = store.log.counts["read"] + store.log.counts["open"]
    rows = list(array)
    assert store.log.counts["read"] + store.log.counts["open"] == before + 4
    assert [row.tolist() for row in rows] == array[...].tolist()


def test_len_is_that_of_the_first_dimension(array):
    assert len(array) == 4


def test_an_array_without_dimensions_has_no_length_and_no_parts():
    array = made(shape=(), chunks=())
    with pytest.raises(TypeError, match="len\\(\\) of an array without dimensions"):
        len(array)
    with pytest.raises(TypeError, match="without dimensions can't be iterated"):
        iter(array).__next__()


def test_numpy_takes_an_array(array):
    assert np.asarray(array).dtype == np.int16
    assert np.asarray(array, "f4").sum() == 276
    assert np.add(array, 1)[0, 0] == 1
    with pytest.raises(ValueError, match="expected copy=None or True, got copy=False"):
        np.array(array, copy=False)


def test_only_a_single_element_is_true_or_false(array):
    single = made(shape=(1,), chunks=(1,))
    assert not single
    single[0] = 3
    assert single
    with pytest.raises(ValueError, match="is ambiguous unless it has exactly one element"):
        bool(array)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(made(shape=(0,), chunks=(1,)))


# --- copies of the handle ----------------------------------------------------------------------------


def test_a_pickled_array_reads_and_writes_the_same_store(tmp_path):
    array = made(tmp_path).with_options(write_empty_chunks=True)
    array[0, 0] = 5
    copy = pickle.loads(pickle.dumps(array))
    assert copy[0, 0] == 5
    copy[0, 1] = 6
    assert array[0, 1] == 6
    assert copy.mode == "r+"
    assert copy.spec == array.spec


def test_a_pickled_array_that_is_read_only_stays_so(tmp_path):
    made(tmp_path)
    copy = pickle.loads(pickle.dumps(zom.open_array(tmp_path)))
    with pytest.raises(ReadOnlyError, match='open it with mode="r\\+"'):
        copy[0] = 1


def test_a_pickled_array_keeps_its_options(tmp_path):
    copy = pickle.loads(pickle.dumps(made(tmp_path).with_options(missing="error")))
    with pytest.raises(MissingChunk):
        copy[0]


def test_a_pickled_array_holds_no_chunks_plan_or_lock(tmp_path):
    array = made(tmp_path, shape=(100, 100))
    size = len(pickle.dumps(array))
    array[...] = 7
    assert len(pickle.dumps(array)) <= size + 100


def test_an_array_in_a_zip_is_pickled(tmp_path):
    array = made(tmp_path / "a.zip")
    array[...] = 7
    array.store.close()
    opened = zom.open_array(tmp_path / "a.zip")
    assert pickle.loads(pickle.dumps(opened))[1, 1] == 7


def test_an_array_in_memory_can_not_be_pickled(array):
    with pytest.raises(StoreError, match="a store in memory belongs to its process"):
        pickle.dumps(array)


def test_arrays_are_told_apart_for_dask(tmp_path, array):
    first, again, other = made(tmp_path / "a"), zom.open_array(tmp_path / "a"), made(tmp_path / "b")
    assert first.__dask_tokenize__() == again.__dask_tokenize__() != other.__dask_tokenize__()


def test_two_stores_in_memory_are_told_apart_for_dask():
    assert made().__dask_tokenize__() != made().__dask_tokenize__()


def test_with_options_leaves_the_array_as_it_is(array):
    array.with_options(missing="error", threads=3)
    other = made()
    other.with_options(missing="error")
    assert other[0, 0] == 0


def test_unknown_options_are_refused(array):
    with pytest.raises(TypeError, match="nope"):
        array.with_options(nope=1)


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"missing": "errors"}, 'missing: expected "fill" or "error", got \'errors\''),
        ({"threads": 0}, "threads: expected a number from 1, or None, got 0"),
        ({"threads": "2"}, "threads: expected a number from 1, or None, got '2'"),
    ],
)
def test_options_that_mean_nothing_are_refused(array, option, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        array.with_options(**option)


# --- asyncio -----------------------------------------------------------------------------------------


def test_aget_and_aset_are_reading_and_writing(array):
    async def both():
        await array.aset((0, slice(2)), 9)
        return await array.aget((0, slice(3)))

    assert asyncio.run(both()).tolist() == [9, 9, 2]


# --- fill values -------------------------------------------------------------------------------------


def with_fill(dtype, fill):
    return zom.create_array("memory:", made(dtype=dtype).spec.replace(fill_value=fill))


@pytest.mark.parametrize(
    ("dtype", "fill", "bits"),
    [
        ("float32", "0x7fc12345", "7fc12345"),
        ("float32", "0xff800001", "ff800001"),
        ("float64", "0x7ff0000000000001", "7ff0000000000001"),
        ("float64", -0.0, "8000000000000000"),
        ("float16", "0x7e01", "7e01"),
    ],
)
def test_a_missing_chunk_is_the_fill_value_bit_for_bit(dtype, fill, bits):
    array = with_fill(dtype, fill)
    for found in [array[...], array[1:3, ::2], array.oindex[[0, 3], [5]], array.vindex[[0, 3], [5, 0]]]:
        assert {element.tobytes()[::-1].hex() for element in found.reshape(-1)} == {bits}


def test_a_chunk_that_is_not_there_is_an_error_where_that_is_asked_for(array):
    array.store.delete("c/1/1")
    with pytest.raises(MissingChunk, match="memory://: cannot read chunk 'c/1/1' of /: it is missing"):
        array.with_options(missing="error")[3, 5]
    assert array[3, 5] == 0


@pytest.mark.parametrize("fill", [0.0, -0.0, "NaN"])
def test_chunks_that_are_all_fill_value_bit_for_bit_are_not_written(fill):
    array = with_fill("float32", fill)
    array[...] = np.float32(float(fill))
    assert array.store.get("c/0/0") is None


def test_a_zero_of_the_other_sign_is_written():
    array = made(dtype="float32", fill_value=0.0)
    array[...] = -0.0
    assert np.signbit(array[...]).all()


def test_chunks_that_become_fill_are_taken_away(array):
    array[:2, :3] = 0
    assert array.store.get("c/0/0") is None


def test_chunks_that_become_fill_by_parts_are_taken_away(tmp_path):
    array = made(tmp_path)
    array[...] = 1
    array[0, :3] = 0
    array[1, :3] = 0
    assert array.store.get("c/0/0") is None
    assert array.store.get("c/0/1") is not None


def test_empty_chunks_are_written_where_that_is_asked_for(array):
    other = array.with_options(write_empty_chunks=True)
    other[:2, :3] = 0
    assert array.store.get("c/0/0") is not None


# --- resize and append -------------------------------------------------------------------------------


def test_what_was_cut_off_does_not_come_back(array):
    array.resize((1, 4))
    array.resize((4, 6))
    assert array[0].tolist() == [0, 1, 2, 3, 0, 0]
    assert not array[1:].any()


def test_resizing_looks_at_the_document_first(array):
    other = zom.open_array(array.store, mode="r+")
    other.resize((8, 6))
    array.resize((8, 3))
    assert zom.open_array(array.store).shape == (8, 3)


def test_append_looks_at_the_document_first(array):
    other = zom.open_array(array.store, mode="r+")
    other.append(np.ones((1, 6)))
    assert array.append(np.full((1, 6), 2)) == (6, 6)
    assert zom.open_array(array.store)[4:].tolist() == [[1] * 6, [2] * 6]


@pytest.mark.parametrize(
    ("data", "axis", "text"),
    [
        (np.ones((1, 5)), 0, "data of shape (1, 5) can't be appended to (4, 6) along axis 0"),
        (np.ones(6), 0, "data of shape (6,) can't be appended to (4, 6) along axis 0"),
        (np.ones((1, 6)), 2, "axis 2 is out of bounds: the array has 2 dimensions"),
    ],
)
def test_data_that_does_not_fit_behind_is_refused(array, data, axis, text):
    with pytest.raises(SelectionError, match=re.escape(text)):
        array.append(data, axis=axis)
    assert zom.open_array(array.store).shape == (4, 6)


@pytest.mark.parametrize("shape", [(4,), (4, -1), (4, 6, 1)])
def test_shapes_that_do_not_fit_are_refused(array, shape):
    with pytest.raises(SelectionError, match="expected 2 lengths of 0 or more, got"):
        array.resize(shape)


def test_a_read_only_array_is_not_changed(array):
    other = zom.open_array(array.store)
    for act in [
        lambda: other.__setitem__(0, 1),
        lambda: other.oindex.__setitem__(0, 1),
        lambda: other.resize((1, 1)),
        lambda: other.append(np.ones((1, 6))),
        lambda: other.attrs.update(a=1),
    ]:
        with pytest.raises(ReadOnlyError, match='it is open for reading only: open it with mode="r\\+"'):
            act()
    assert (other[...] == array[...]).all()


def test_a_handle_that_knows_the_old_shape_keeps_rows_that_others_appended(tmp_path):
    # The chunk at the edge is whole to the one handle, and not to the other.
    spec = v3.ArraySpec.build(shape=(5,), dtype="int8", chunks=(4,))
    first = zom.create_array(tmp_path / "a.zarr", spec)
    first[:] = 1
    second = zom.open_array(tmp_path / "a.zarr", mode="r+")
    second.append([7, 8, 9])
    first[4:5] = 2
    assert zom.open_array(tmp_path / "a.zarr")[:].tolist() == [1, 1, 1, 1, 2, 7, 8, 9]


def test_a_damaged_chunk_at_the_edge_is_mended_by_writing_all_of_it():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(5,), dtype="int8", chunks=(4,)))
    array[:] = 1
    array.store.set("c/1", b"damaged")
    with pytest.raises(zom.ChunkError):
        _ = array[4]
    array[4:] = 3
    assert array[:].tolist() == [1, 1, 1, 1, 3]


def test_limits_hold_for_chunks_too():
    codecs = ["vlen-utf8", {"name": "zstd", "configuration": {"level": 1}}]
    spec = v3.ArraySpec.build(shape=(2,), dtype="string", codecs=codecs)
    array = zom.create_array("memory:", spec)
    array[:] = "x" * 1000
    small = zom.open_array(array.store, limits=zom.Limits(chunk_bytes=500))
    with pytest.raises(zom.ChunkError, match="expected at most 500 bytes"):
        _ = small[:]
    with pytest.raises(zom.ChunkError, match="expected at most 500 bytes"):
        _ = small.with_options(threads=2)[0]


def test_no_bit_of_a_new_v2_array_flips_unseen():
    array = zom.create_array("memory:", v2.ArraySpec.build(shape=(40,), dtype="<i4"))
    values = np.arange(40) % 7
    array[:] = values
    sound = array.store.get("0")
    silent = 0
    for place in range(8 * len(sound)):
        damaged = bytearray(sound)
        damaged[place // 8] ^= 1 << place % 8
        array.store.set("0", damaged)
        try:
            silent += not (array[:] == values).all()
        except zom.ChunkError:
            continue
    assert silent == 0


def test_a_v2_document_may_say_that_there_are_no_checksums():
    spec = v2.ArraySpec.build(shape=(40,), dtype="<i4")
    silent = spec.replace(compressor={"id": "zstd", "level": 3, "checksum": False})
    sizes = []
    for each in (spec, silent):
        array = zom.create_array("memory:", each)
        array[:] = np.arange(40)
        sizes.append(len(array.store.get("0")))
    assert sizes[0] == sizes[1] + 4


# --- handles whose array others have changed -------------------------------------------------------------


def stale(module=zom.v3, shape=(4,), **more):
    """A store, and two handles of the array in it."""
    store = MemoryStore()
    spec = module.ArraySpec.build(shape=shape, dtype="int8", chunks=(3,), **more)
    return store, zom.create_array(store, spec), zom.open_array(store, mode="r+")


WRITES = {
    "a region": lambda array: array.__setitem__(slice(2, 4), 1),
    "all": lambda array: array.__setitem__(..., 1),
    "inside": lambda array: array.__setitem__(0, 1),
    "oindex": lambda array: array.oindex.__setitem__([3], 1),
    "vindex": lambda array: array.vindex.__setitem__([3], 1),
    "blocks": lambda array: array.blocks.__setitem__(1, 1),
}


@pytest.mark.parametrize("module", [zom.v2, zom.v3, zom.draft])
@pytest.mark.parametrize("write", WRITES)
def test_a_stale_handle_does_not_write_beyond_an_array_that_was_cut(module, write):
    """Issue 12: the chunk came back, and showed its values when the array grew again."""
    store, array, other = stale(module)
    array[:] = 7
    other.resize((2,))
    before = {key: store.get(key) for key in store.list()}
    for _ in range(2):
        with pytest.raises(
            zom.ConcurrentWriteError, match=r"since it was opened: shape\[0\]: 4 -> 2; call refresh"
        ):
            WRITES[write](array)
    assert {key: store.get(key) for key in store.list()} == before
    array.refresh()
    array[:] = 1
    assert other[:].tolist() == [1, 1]


def test_a_handle_that_has_written_before_sees_that_the_array_was_cut():
    _, array, other = stale()
    array[3] = 7
    array[3] = 8
    other.resize((1,))
    with pytest.raises(zom.ConcurrentWriteError) as caught:
        array[3] = 9
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_stale_handle_keeps_what_others_appended():
    """A chunk that the handle takes for the last holds elements of others now."""
    _, array, other = stale()
    other.append([5, 6])
    array[0:4] = 1
    assert other[:].tolist() == [1, 1, 1, 1, 5, 6]
    assert array.shape == (6,)


def test_a_stale_handle_does_not_write_into_another_array():
    store, array, _ = stale()
    spec = zom.v3.ArraySpec.build(shape=(4,), dtype="int16", chunks=(3,))
    zom.materialize(spec, store, on_conflict="replace")
    with pytest.raises(zom.ConcurrentWriteError, match='data_type: "int8" -> "int16"'):
        array[:] = 1
    zom.delete(store, whole=True)
    with pytest.raises(zom.NotFound, match="its document has been deleted since it was opened"):
        array[:] = 1
    assert list(store.list()) == []


def test_a_stale_handle_takes_over_what_says_the_same_of_chunks():
    store, array, other = stale()
    other.attrs["units"] = "K"
    array[:] = 0
    assert array.attrs["units"] == "K"
    zom.materialize(other.spec.replace(fill_value=5), store, on_conflict="replace")
    array[0] = 5
    assert other[:].tolist() == [5, 0, 0, 0] or zom.open(store)[:].tolist()[0] == 5


def test_a_write_reads_one_small_document_more():
    store = LoggedStore(MemoryStore())
    array = zom.create_array(store, zom.v3.ArraySpec.build(shape=(4,), dtype="int8", chunks=(4,)))
    array[:] = 1
    store.log.calls.clear()
    array[:] = 2
    assert [(call.verb, call.keys) for call in store.log.calls if call.verb != "lock"] == [
        ("read", ("zarr.json",)),
        ("write", ("c/0",)),
    ]


@pytest.mark.parametrize("module", [zom.v2, zom.v3, zom.draft])
@pytest.mark.parametrize("shape", [(0,), (1,), (2,), (3,), (9,)])
def test_a_plan_of_a_resize_says_what_a_resize_does(module, shape):
    def made():
        store = MemoryStore()
        array = zom.create_array(store, module.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,)), "g/a")
        array[:] = 7
        return store, array

    store, array = made()
    plan = array.plan_resize(shape)
    assert (array.shape, plan.actions[0].verb) == ((4,), "resize")
    other, theirs = made()
    before = len(list(other.list()))
    theirs.resize(shape)
    assert before - len(list(other.list())) == plan.actions[0].chunks
    plan.apply()
    assert {key: store.get(key) for key in store.list()} == {key: other.get(key) for key in other.list()}
    assert array.plan_resize(shape).is_empty


def test_a_plan_of_a_resize_checks_the_shape_and_what_others_did():
    _, array, other = stale()
    with pytest.raises(zom.SelectionError, match="expected 1 length of 0 or more"):
        array.plan_resize((1, 2))
    other.resize((9,))
    assert "shape[0]: 9 -> 3" in str(array.plan_resize((3,)))
