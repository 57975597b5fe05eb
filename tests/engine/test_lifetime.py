"""What is read lives no longer than its user wants."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import zom
from zom import v3

KINDS = {
    "plain": {},
    "direct": {"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]},
    "shards": {"shards": (8, 8)},
}


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_memory_that_was_read_into_is_free_as_soon_as_it_is_let_go(kind, threads):
    spec = v3.ArraySpec.build(shape=(16, 16), dtype="int32", chunks=(4, 4), **KINDS[kind])
    array = zom.create_array("memory:", spec).with_options(threads=threads)
    array[...] = np.arange(256).reshape(16, 16)
    gc.collect()
    gc.disable()
    try:
        out = np.empty((16, 16), "i4")
        seen = weakref.ref(out)
        array.read(out=out)
        assert out[15, 15] == 255
        del out
        assert seen() is None
    finally:
        gc.enable()
