"""Bound chains: what a codec gives that is no bytes is told by its name, and nothing is written."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import v3
from zom.errors import ChunkError
from zom.extension.bound import Coder
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.configuration import Configuration
from zom.stores.memory import MemoryStore

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GIVEN = {
    "text": ("words", "expected bytes from encode, found 'words'"),
    "nothing": (None, "expected bytes from encode, found None"),
    "a number": (7, "expected bytes from encode, found 7"),
    "a list": ([1, 2], "expected bytes from encode, found [1, 2]"),
    "floats": (np.zeros(2), "expected contiguous bytes from encode, found items of 8 bytes"),
    "every second byte": (
        np.zeros(8, "u1")[::2],
        "expected contiguous bytes from encode, found a view with gaps",
    ),
}


class Answering(Coder):
    def __init__(self, codec):
        self.codec = codec

    def encode(self, chunk):
        return self.codec.give(bytes(chunk))

    def decode(self, chunk):
        return chunk


class Odd(Codec):
    """Gives whatever it was told to."""

    name = "bound-chain-odd"
    kind = "bytes->bytes"
    sees_lengths = False
    configuration = Configuration
    give = bytes

    def thread(self, configuration, before, faults, path):
        return Bytes()

    def bind(self, configuration, before, after):
        return Answering(self)


@pytest.fixture
def odd(nothing_stays_registered):
    return codecs.register(Odd())


@pytest.mark.parametrize("place", ["in a chunk", "in a shard"])
@pytest.mark.parametrize("given", GIVEN)
def test_what_is_no_bytes_is_told_by_the_codec(monkeypatch, odd, given, place):
    chain = [LITTLE, {"name": "bound-chain-odd"}]
    shards = {"shards": (8,)} if place == "in a shard" else {}
    spec = v3.ArraySpec.build(shape=(16,), dtype="int16", chunks=(2,), codecs=chain, **shards)
    answer, told = GIVEN[given]
    monkeypatch.setattr(odd, "give", lambda _: answer)
    store = MemoryStore()
    array = zom.create_array(store, spec)
    with pytest.raises(ChunkError) as caught:
        array[...] = np.arange(16)
    assert f"bound-chain-odd: {told}" in str(caught.value)
    assert [key for key in store.list("") if key != "zarr.json"] == []


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, "u1")])
def test_bytes_may_lie_anywhere(monkeypatch, odd, kind):
    monkeypatch.setattr(odd, "give", kind)
    spec = v3.ArraySpec.build(
        shape=(16,), dtype="int16", chunks=(2,), codecs=[LITTLE, {"name": "bound-chain-odd"}]
    )
    array = zom.create_array(MemoryStore(), spec)
    array[...] = np.arange(16)
    assert array[...].tolist() == list(range(16))
