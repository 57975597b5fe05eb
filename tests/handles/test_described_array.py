"""What arrays say of themselves, by the names that people of zarr-python look for."""

from __future__ import annotations

import numpy as np
import pytest

import zom
from zom import draft, v2, v3
from zom.errors import SelectionError

GZIP = {"name": "gzip", "configuration": {"level": 5}}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
TRANSPOSE = {"name": "transpose", "configuration": {"order": [1, 0]}}
ZLIB = {"id": "zlib", "level": 5}
DELTA = {"id": "delta", "dtype": "<i4"}
URI = "https://purl.org/zarr/spec/codecs"

ROLES = {
    "v3": (
        v3.ArraySpec.build(shape=(8, 8), dtype="int32", compress="gzip", order="F"),
        ((TRANSPOSE,), LITTLE, (GZIP,)),
    ),
    "shards": (
        v3.ArraySpec.build(
            shape=(8, 8), dtype="int32", chunks=(2, 2), shards=(4, 4), compress="gzip", order="F"
        ),
        ((TRANSPOSE,), LITTLE, (GZIP,)),
    ),
    "short names": (
        v3.ArraySpec.build(shape=(8,), dtype="uint8", codecs=["bytes"]),
        ((), {"name": "bytes"}, ()),
    ),
    "a name of nobody": (
        v3.ArraySpec.build(shape=(8,), dtype="uint8", codecs=["bytes", {"name": "house"}]),
        ((), {"name": "bytes"}, ({"name": "house"},)),
    ),
    "v2": (
        v2.ArraySpec.build(shape=(8,), dtype="int32", compress="zlib", filters=[DELTA]),
        ((DELTA,), None, (ZLIB,)),
    ),
    "v2 text": (
        v2.ArraySpec.build(shape=(8,), dtype="string", compress=None),
        (({"id": "vlen-utf8"},), None, ()),
    ),
    "draft": (
        draft.ArraySpec.build(shape=(8,), dtype=">i4"),
        (
            (),
            {"type": f"{URI}/endian/1.0", "configuration": {"endian": "big"}},
            ({"type": f"{URI}/gzip/1.0", "configuration": {"level": 5}},),
        ),
    ),
}


@pytest.mark.parametrize(("spec", "roles"), ROLES.values(), ids=ROLES)
def test_codecs_are_told_by_what_they_do(spec, roles):
    array = zom.create_array("memory:", spec, spelling="given")
    assert (array.filters, array.serializer, array.compressors) == roles


@pytest.mark.parametrize("module", [v2, v3, draft], ids=["v2", "v3", "draft"])
def test_stored_bytes_are_those_of_chunks_and_documents(module):
    spec = module.ArraySpec.build(shape=(8,), dtype="int32", chunks=(4,), attributes={"a": 1})
    array = zom.create_array("memory:", spec, "g/a")
    array[:] = np.arange(8)
    keys = [key for key in array.store.list() if "g/a" in key]
    assert array.stored().count == 2
    assert array.nbytes_stored() == sum(len(array.store.get(key)) for key in keys)


@pytest.mark.parametrize("module", [v2, v3, draft], ids=["v2", "v3", "draft"])
def test_one_dimension_is_resized_by_a_number(module):
    array = zom.create_array("memory:", module.ArraySpec.build(shape=(8,), dtype="int32", chunks=(4,)))
    array[:] = 1
    assert array.plan_resize(3).counts == {"resize": 1}
    array.resize(3)
    array.resize(np.int64(5))
    assert array[:].tolist() == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("shape", [5, -1, (5, 5, 5)])
def test_a_number_is_no_shape_of_two_dimensions(shape):
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(8, 8), dtype="int32"))
    with pytest.raises(SelectionError, match=r"^expected 2 lengths of 0 or more, got \("):
        array.resize(shape)


def test_the_metadata_is_the_spec():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(8,), dtype="int32"), "a")
    assert array.metadata is array.spec
    assert zom.open_group(array.store).metadata.to_dict()["node_type"] == "group"
