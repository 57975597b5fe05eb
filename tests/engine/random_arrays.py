"""Arrays of every format at random, with all that their documents can say about chunks, and keys for them."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
from hypothesis import strategies as st

from zom import draft, v2, v3

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
ENTRY_2021 = json.dumps(
    {
        "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0",
        "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
        "metadata_key_suffix": ".json",
        "extensions": [],
    }
).encode()
"""The entry point of a hierarchy in the form in which software wrote the draft."""

BIG = {"name": "bytes", "configuration": {"endian": "big"}}
CRC = {"name": "crc32c"}

V3_TYPES = [
    ("bool", False),
    ("int8", -3),
    ("uint16", 7),
    ("int32", 0),
    ("uint64", 2**64 - 1),
    ("float16", "0x7e01"),
    ("float32", "0x7fc00123"),
    ("float32", -0.0),
    ("float64", "NaN"),
    ("complex64", [1.0, "NaN"]),
    ("string", "é"),
    ("bytes", [1, 2]),
    ("r24", [1, 2, 3]),
    ({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}, "NaT"),
    ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "a"),
    (
        {
            "name": "struct",
            "configuration": {
                "fields": [{"name": "x", "data_type": "int16"}, {"name": "y", "data_type": "float32"}]
            },
        },
        {"x": 1, "y": "NaN"},
    ),
]

V2_TYPES = [
    ("|b1", True),
    ("<i2", -1),
    (">i4", 0),
    (">u8", None),
    ("<f4", "NaN"),
    (">f8", -0.0),
    (">c8", [0.0, 1.0]),
    ("|S3", "YWIA"),
    (">U2", "b"),
    ("|V3", "AQID"),
    ("<M8[ns]", -(2**63)),
    ([["x", "<i2"], ["y", ">f4"]], None),
    ([["x", "<i2", [2]], ["y", "|S2"]], None),
    ("|O utf8", "x"),
    ("|O bytes", None),
]

DRAFT_TYPES = [
    ("bool", True),
    ("int8", -3),
    ("uint32", 9),
    ("float32", "NaN"),
    ("float64", "-Infinity"),
    (">i2", 0),
]


@st.composite
def shapes(draw, most_rank=3):
    """A shape, and the lengths of chunks along each dimension."""
    rank = draw(st.sampled_from([2, 1, 3, 0, 2])) if most_rank > 2 else draw(st.integers(0, most_rank))
    shape = [draw(st.sampled_from([5, 7, 3, 8, 1, 0, 6])) for _ in range(rank)]
    return shape, [draw(st.sampled_from([2, 3, 4, 1, 6, 9])) for _ in range(rank)]


@st.composite
def specs(draw):
    """The spec of an array."""
    return draw(draw(st.sampled_from([v3_specs, v3_specs, v2_specs, draft_specs]))())


@st.composite
def v2_specs(draw):
    shape, chunks = draw(shapes())
    dtype, fill = draw(st.sampled_from(V2_TYPES))
    filters = None
    if isinstance(dtype, str) and dtype.startswith("|O"):
        filters = [{"id": f"vlen-{dtype.partition(' ')[2]}"}]
        dtype = "|O"
    elif isinstance(dtype, str) and dtype[1] in "iu" and draw(st.booleans()):
        filters = [{"id": "delta", "dtype": dtype}]
    compressors = [None, {"id": "zlib", "level": 1}, {"id": "zstd", "level": 1}, {"id": "crc32c"}]
    document = {
        "zarr_format": 2,
        "shape": shape,
        "chunks": chunks,
        "dtype": dtype,
        "compressor": draw(st.sampled_from(compressors)),
        "fill_value": fill,
        "order": draw(st.sampled_from("CF")),
        "filters": filters,
        "dimension_separator": draw(st.sampled_from("./")),
    }
    return v2.ArraySpec.parse(document)


@st.composite
def v3_specs(draw):
    shape, chunks = draw(shapes())
    data_type, fill = draw(st.sampled_from(V3_TYPES))
    grid = {"name": "regular", "configuration": {"chunk_shape": chunks}}
    shards = draw(st.integers(0, 2))
    inner = [draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0])) for size in chunks]
    if not shards and shape and draw(st.integers(0, 2)) == 0:
        lengths = [draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)) for _ in shape]
        edges = [[*some, [draw(st.integers(1, 3)), 12]] for some in lengths]
        grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": edges}}
        chunks = None
    codecs = draw(_codecs(data_type, len(shape)))
    for _ in range(shards):
        chain = draw(_sharding(codecs, inner))
        codecs = [chain]
        inner = [draw(st.sampled_from(_multiples(a, b))) for a, b in zip(inner, chunks, strict=True)]
    if shards and draw(st.integers(0, 4)) == 0:
        codecs = draw(st.sampled_from([[*codecs, CRC], draw(_transposed(codecs[0], len(shape)))]))
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": data_type,
        "chunk_grid": grid,
        "chunk_key_encoding": {"name": draw(st.sampled_from(["default", "v2"]))},
        "fill_value": fill,
        "codecs": codecs,
    }
    return v3.ArraySpec.parse(document)


def _multiples(small, large):
    return [n for n in range(small, large + 1, small) if large % n == 0]


@st.composite
def _codecs(draw, data_type, rank):
    chain = []
    if rank > 1 and draw(st.integers(0, 2)) == 0:
        order = draw(st.permutations(range(rank)))
        # A transpose that is its own shape: chunks of shards need not be square.
        chain.append({"name": "transpose", "configuration": {"order": list(order)}})
    if data_type in ("string", "bytes"):
        chain.append({"name": "vlen-utf8" if data_type == "string" else "vlen-bytes"})
    else:
        chain.append(draw(st.sampled_from([LITTLE, BIG])))
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    zstd = {"name": "zstd", "configuration": {"level": 1, "checksum": True}}
    return [*chain, *draw(st.sampled_from([[], [CRC], [gzip], [zstd, CRC]]))]


@st.composite
def _transposed(draw, chain, rank):
    """A transpose before shards, which cut what it gives: only whole chunks can be read then."""
    order = list(draw(st.permutations(range(rank))))
    configuration = chain["configuration"]
    if configuration["codecs"][0]["name"] == "sharding_indexed":
        return [chain]
    inner = [configuration["chunk_shape"][axis] for axis in order]
    return [
        {"name": "transpose", "configuration": {"order": order}},
        {**chain, "configuration": {**configuration, "chunk_shape": inner}},
    ]


@st.composite
def _sharding(draw, codecs, inner):
    configuration = {
        "chunk_shape": inner,
        "codecs": codecs,
        "index_codecs": [LITTLE, CRC],
        "index_location": draw(st.sampled_from(["start", "end"])),
    }
    return {"name": "sharding_indexed", "configuration": configuration}


@st.composite
def draft_specs(draw):
    shape, chunks = draw(shapes())
    data_type, fill = draw(st.sampled_from(DRAFT_TYPES))
    gzip = {"type": "https://purl.org/zarr/spec/codecs/gzip/1.0", "configuration": {"level": 1}}
    document = {
        "shape": shape,
        "data_type": data_type,
        "chunk_grid": {"type": "regular", "chunk_shape": chunks, "separator": draw(st.sampled_from("./"))},
        "chunk_memory_layout": draw(st.sampled_from("CF")),
        "fill_value": fill,
        "extensions": [],
        "attributes": {},
    }
    if draw(st.booleans()):
        document["codecs"] = draw(st.sampled_from([[], [gzip]]))
    else:
        document["compressor"] = {
            "codec": "https://purl.org/zarr/spec/codec/zlib/1.0",
            "configuration": {"level": 1},
        }
    if draw(st.booleans()):
        document["storage_transformers"] = [
            {
                "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
                "type": "indexed",
                "configuration": {"chunks_per_shard": [draw(st.integers(1, 3)) for _ in shape]},
            }
        ]
    with warnings.catch_warnings():
        # The form of 2021 is not that of the text.
        warnings.simplefilter("ignore")
        return draft.ArraySpec.parse(document, level="lenient")


def is_2021(spec):
    """Whether it is an array of the draft as software wrote it in 2021."""
    return spec.family.form == "draft" and "compressor" in spec.document


# --- values ------------------------------------------------------------------------------------------


def values(seed, dtype, shape, fill):
    """Elements of the type, of which many are the fill value, and others differ from it by a bit."""
    rng = np.random.default_rng(seed)
    made = np.full(shape, fill, dtype)
    if seed % 5 == 0:
        return made
    flat = made.reshape(-1)
    for place in np.flatnonzero(rng.random(math.prod(shape)) < (1.0 if seed % 2 else 0.3)):
        flat[place] = _element(rng, dtype)
    return made


def _element(rng, dtype):
    if dtype.kind == "O":
        return [b"", b"a\0", bytes(rng.bytes(40))][rng.integers(3)]
    if dtype.kind in "UT":
        return ["", "b", "é\N{SNOWMAN}"][rng.integers(3)]
    if dtype.kind == "S":
        return [b"", b"xy", b"z"][rng.integers(3)]
    raw = rng.bytes(dtype.itemsize)
    if dtype.kind == "b":
        return bool(raw[0] & 1)
    if dtype.names and any(dtype[name].kind in "SU" for name in dtype.names):
        raw = bytes(byte & 127 for byte in raw)
    return np.frombuffer(raw, dtype)[0]


def same(found, wanted):
    """Whether two arrays hold the same elements, bit for bit."""
    if not isinstance(found, np.ndarray):
        # numpy's single elements are of the machine's byte order.
        assert not wanted.shape
        found = np.asarray(found, wanted.dtype)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return False
    if found.dtype.kind in "OT":
        return bool((found == wanted).all())
    return found.tobytes() == wanted.tobytes()
