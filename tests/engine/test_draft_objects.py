"""Objects in drafts of 2021, whose codec was the first of the filters in the attributes."""

import json

import numcodecs
import numpy as np
import pytest

import zom
from zom.stores.memory import MemoryStore

ENTRY = {
    "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_key_suffix": ".json",
    "extensions": [],
}


def store_of(codec: str, fill: object, chunk: bytes | None) -> MemoryStore:
    """As zarr-python 2 wrote it: `meta/root/a.array.json`, and one chunk of two elements."""
    document = {
        "shape": [2],
        "data_type": {"extension": "TODO: object array protocol URL", "type": "|O", "fallback": None},
        "chunk_grid": {"type": "regular", "chunk_shape": [2], "separator": "/"},
        "chunk_memory_layout": "C",
        "fill_value": fill,
        "extensions": [],
        "attributes": {"filters": [{"id": codec}]},
    }
    texts = {"zarr.json": ENTRY, "meta/root/a.array.json": document}
    store = MemoryStore({key: json.dumps(text).encode() for key, text in texts.items()})
    if chunk is not None:
        store.set("data/root/a/c0", chunk)
    return store


def objects(*items: object) -> "np.ndarray[tuple[int], np.dtype[np.object_]]":
    made = np.empty(len(items), object)
    made[:] = items
    return made


@pytest.mark.parametrize(
    ("codec", "items"),
    [(numcodecs.VLenUTF8(), ("naïve", "")), (numcodecs.VLenBytes(), (b"\xff\0", b""))],
    ids=["vlen-utf8", "vlen-bytes"],
)
def test_texts_and_bytes_of_2021_read_back(codec, items):
    store = store_of(codec.codec_id, 0, bytes(codec.encode(objects(*items))))
    assert zom.open_array(store, "a")[...].tolist() == list(items)


def test_a_missing_chunk_of_texts_of_2021_reads_as_empty_texts_where_the_fill_value_is_0():
    assert zom.open_array(store_of("vlen-utf8", 0, None), "a")[...].tolist() == ["", ""]


def test_a_text_can_be_written_into_an_array_of_2021():
    store = store_of("vlen-utf8", "", None)
    zom.open_array(store, "a", mode="r+")[1] = "日本"
    chunk = store.get("data/root/a/c0")
    assert numcodecs.VLenUTF8().decode(chunk).tolist() == ["", "日本"]
