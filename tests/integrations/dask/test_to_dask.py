"""Arrays as dask arrays."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import zom
from zom import v2, v3
from zom.errors import ExtensionError, StoreError
from zom.stores.memory import MemoryStore

da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
dask = pytest.importorskip("dask", reason="dask is not installed (pip install 'zom[dask]')")

VALUES = np.arange(10 * 12, dtype="i4").reshape(10, 12)


class CountingStore(MemoryStore):
    def __init__(self):
        super().__init__()
        self.chunks = []

    def _read_into(self, key, target):
        self.chunks.append(key)
        return super()._read_into(key, target)

    def _read(self, key, byte_range):
        self.chunks.append(key)
        return super()._read(key, byte_range)


def made(store="memory:", **facts):
    spec = v3.ArraySpec.build(**{"shape": (10, 12), "dtype": "int32", "chunks": (2, 3), **facts})
    array = zom.create_array(store, spec)
    array[...] = VALUES
    return array


@pytest.mark.parametrize("chunks", ["auto", "native", "shards", (4, 6), (5, -1), 3, {0: 4}, ((1, 9), (12,))])
@pytest.mark.parametrize("shards", [None, (4, 6)])
@pytest.mark.parametrize("scheduler", ["threads", "synchronous"])
def test_dask_computes_what_is_stored(chunks, shards, scheduler):
    found = made(shards=shards).to_dask(chunks)
    assert isinstance(found, da.Array)
    assert (found.shape, found.dtype) == (VALUES.shape, VALUES.dtype)
    np.testing.assert_array_equal(found.compute(scheduler=scheduler), VALUES)
    np.testing.assert_array_equal(found[3:8, ::-2].compute(scheduler=scheduler), VALUES[3:8, ::-2])


def test_native_chunks_are_the_smallest_that_can_be_read():
    assert made(shards=(4, 6)).to_dask("native").chunks == ((2,) * 5, (3,) * 4)


def test_chunks_by_shards_are_the_stored_objects():
    assert made(shards=(4, 6)).to_dask("shards").chunks == ((4, 4, 2), (6, 6))
    assert made().to_dask("shards").chunks == ((2,) * 5, (3,) * 4)


# A shard has 96 bytes, a chunk in it 24.
@pytest.mark.parametrize(
    ("size", "base"), [("1MiB", (4, 6)), ("200B", (4, 6)), ("90B", (2, 3)), ("20B", (2, 3))]
)
def test_auto_takes_whole_shards_or_else_whole_chunks(size, base):
    with dask.config.set({"array.chunk-size": size}):
        found = made(shards=(4, 6)).to_dask()
    for lengths, step in zip(found.chunks, base, strict=True):
        assert all(end % step == 0 for end in np.cumsum(lengths)[:-1])
    assert (found.npartitions == 1) == (size == "1MiB")


def test_chunks_of_several_lengths_stay_as_they_are():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 4, 5], 6]}}
    spec = v3.ArraySpec.build(shape=(10, 12), dtype="int32", chunks=(2, 3)).replace(chunk_grid=grid)
    array = zom.create_array("memory:", spec)
    array[...] = VALUES
    found = array.to_dask("native")
    assert found.chunks == ((1, 4, 5), (6, 6))
    np.testing.assert_array_equal(found, VALUES)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,)])
def test_any_shape_goes(shape):
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=shape, dtype="float32", fill_value=2))
    for way in ("auto", "native", "shards"):
        found = array.to_dask(way).compute()
        np.testing.assert_array_equal(found, np.full(shape, 2, "f4"), strict=True)


@pytest.mark.parametrize("build", [v2.ArraySpec.build, v3.ArraySpec.build])
def test_strings_are_read_chunk_by_chunk(build):
    dtype = "string" if build is v3.ArraySpec.build else np.dtypes.StringDType()
    array = zom.create_array("memory:", build(shape=(4,), dtype=dtype, chunks=(3,)))
    array[...] = ["a", "bb", "", "c" * 99]
    found = array.to_dask()
    assert found.chunks == ((3, 1),)
    assert found.compute().tolist() == ["a", "bb", "", "c" * 99]


def test_making_the_dask_array_reads_no_chunk():
    array = made(CountingStore())
    array.store.chunks.clear()
    found = array.to_dask("native")
    (found + 1).mean(axis=0)[2:]
    assert array.store.chunks == []


def test_each_chunk_is_read_once_and_only_where_it_is_wanted():
    array = made(CountingStore())
    array.store.chunks.clear()
    array.to_dask("native")[:2, :4].compute(scheduler="synchronous")
    assert sorted(array.store.chunks) == ["c/0/0", "c/0/1"]


def test_a_graph_holds_an_array_that_can_only_be_read(monkeypatch):
    array, given = made(), []
    monkeypatch.setattr(da, "from_array", lambda reader, *_, **__: given.append(reader))
    array.to_dask()
    assert (array.mode, given[0].mode) == ("r+", "r")


def test_a_graph_in_memory_is_not_sent_to_other_processes():
    with pytest.raises(StoreError, match="a store in memory belongs to its process"):
        pickle.dumps(made().to_dask())


def test_a_graph_on_a_directory_is_sent_to_other_processes(tmp_path):
    found = pickle.loads(pickle.dumps(made(tmp_path / "x.zarr").to_dask("native")))
    np.testing.assert_array_equal(found, VALUES)


def test_chunks_nobody_knows_are_refused():
    with pytest.raises(ValueError, match=r'chunks: expected "auto", "native", "shards", .* got .natve.'):
        made().to_dask("natve")


def test_dask_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.array", None)
    with pytest.raises(ExtensionError, match=r"dask is not installed; pip install 'zom\[dask\]'"):
        made().to_dask()


# --- tokens --------------------------------------------------------------------------------------------


def token(array):
    return dask.base.tokenize(array)


def test_one_array_has_one_token(tmp_path):
    array = made(tmp_path / "x.zarr")
    again = zom.open_array(tmp_path / "x.zarr")
    assert token(array) == token(again) == token(array.with_options(threads=2)) == token(array.as_reader())
    assert token(pickle.loads(pickle.dumps(array))) == token(array)
    assert array.to_dask().name == again.to_dask().name


def test_another_document_place_or_fill_gives_another_token(tmp_path):
    array = made(tmp_path / "x.zarr")
    before = token(array)
    others = [token(made(tmp_path / "y.zarr")), token(array.with_options(missing="error"))]
    array.attrs["units"] = "K"
    others.append(token(array))
    array.resize((8, 12))
    others.append(token(array))
    assert len({before, *others}) == 5


def test_dask_tokens_are_the_same_in_every_process(tmp_path):
    array = made(tmp_path / "x.zarr")
    code = f"import zom, dask.base; print(dask.base.tokenize(zom.open_array({str(tmp_path / 'x.zarr')!r})))"
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == token(array)


def test_one_name_of_a_bucket_at_two_endpoints_has_two_tokens():
    pytest.importorskip("obstore", reason="obstore is not installed (pip install 'zom[cloud]')")
    from zom.handles.handle import store_token
    from zom.stores.object import ObjectStore

    def opened(host, **more):
        return ObjectStore.from_url(
            "s3://b/x.zarr", endpoint=f"http://{host}:9000", skip_signature=True, **more
        )

    token = store_token(opened("one"))
    assert token != store_token(opened("two"))
    assert token == store_token(opened("one", read_only=True, concurrency=3))
    assert token == store_token(pickle.loads(pickle.dumps(opened("one"))))
    secret = opened("one", access_key_id="AKIA", secret_access_key="hush", pickle_credentials=True)
    assert "hush" not in store_token(secret)
    assert "AKIA" not in store_token(secret)


# --- arrays given to dask by others --------------------------------------------------------------------


def test_dask_takes_the_handle_itself():
    array = made(shards=(4, 6))
    np.testing.assert_array_equal(da.from_array(array), VALUES)
    np.testing.assert_array_equal(da.from_array(array, chunks=array.chunks), VALUES)


def test_dask_stores_into_a_handle_with_its_lock_where_chunks_are_not_aligned():
    array = made()
    da.store(da.from_array(VALUES + 1, chunks=(3, 5)), array, lock=True)
    np.testing.assert_array_equal(array, VALUES + 1)
