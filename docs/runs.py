"""What runs: every codec and data type of the registries, asked to write and read a chunk.

The pages codecs.md and data-types.md show it. What only needs a package that isn't installed here counts as
running: the error names the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from zom.errors import ExtensionError, ZomError
from zom.extension.bound import Block
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type, parse_v2

if TYPE_CHECKING:
    from zom.extension.codec import Codec
    from zom.extension.datatype import DataType

__all__ = ["codec_runs", "type_runs"]

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "bitround": {"keepbits": 3},
    "blosc": {"cname": "lz4", "clevel": 5, "shuffle": "noshuffle", "blocksize": 0},
    "bytes": {"endian": "little"},
    "cast_value": {"data_type": "float64"},
    "conditional": {"codecs": [GZIP]},
    "gzip": {"level": 1},
    "n5_default": {
        "codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            {"name": "bytes", "configuration": {"endian": "big"}},
        ]
    },
    "numcodecs.astype": {"encode_dtype": "<f8", "decode_dtype": "<f4"},
    "numcodecs.bitround": {"keepbits": 3},
    "numcodecs.categorize": {"labels": ["a", "b"], "dtype": "|O", "astype": "|u1"},
    "numcodecs.delta": {"dtype": "<f4"},
    "numcodecs.fixedscaleoffset": {"offset": 0, "scale": 1, "dtype": "<f4"},
    "numcodecs.quantize": {"digits": 2, "dtype": "<f4"},
    "numcodecs.vlen-array": {"dtype": "<i4"},
    "reshape": {"shape": [[0, 1]]},
    "sharding_indexed": {
        "chunk_shape": [1, 2],
        "codecs": [LITTLE],
        "index_codecs": [LITTLE, {"name": "crc32c"}],
    },
    "transpose": {"order": [1, 0]},
    "zfp": {"mode": "reversible"},
    "zstd": {"level": 1},
}
OBJECTS: dict[str, Any] = {"numcodecs.vlen-array": np.array([1, 2], "i4"), "vlen-bytes": b"a"}


def codec_runs(codec: Codec) -> bool:
    """Whether a chunk comes back through the codec; for types that it is for, one is enough."""
    return any(_runs(codec, kind) for kind in ("float32", "bool", "string", "bytes", "objects"))


def type_runs(kind: DataType) -> bool:
    """Whether an array of the type comes back."""
    if kind.object_codec is not None or kind.itemsize is None:
        return True  # their codecs tell
    try:
        return _round_trip(parse_links([LITTLE]), kind, kind.default())
    except ExtensionError as error:
        return _needs_package(error)


def _runs(codec: Codec, name: str) -> bool:
    if name == "objects":
        if not codec.holds_objects:
            return False
        kind: Any = data_type("string" if codec.name == "vlen-utf8" else "bytes")
        if codec.name not in {"vlen-utf8", "vlen-bytes"}:
            kind = parse_v2("|O", codec.v2_id, [])
        value = OBJECTS.get(codec.name, "a")
    else:
        kind = data_type(name)
        value = kind.default()
    given = CONFIGURATIONS.get(codec.name, {})
    (link,) = parse_links([{"name": codec.name, "configuration": given}])
    after = [] if name == "objects" or codec.kind == "array->bytes" else parse_links([LITTLE])
    links = [*after, link] if codec.kind == "bytes->bytes" else [link, *after]
    try:
        return _round_trip(links, kind, value)
    except ExtensionError as error:
        return _needs_package(error)
    except ZomError:
        return False


def _needs_package(error: ExtensionError) -> bool:
    return "pip install" in str(error)


def _round_trip(links: Any, kind: DataType, value: Any) -> bool:
    block = Block((2, 2), kind, kind.default())
    chunk: Any = np.empty(block.shape, block.dtype)
    for place in np.ndindex(2, 2):
        chunk[place] = value
    chain = bind_chain(links, block)
    made = np.empty(block.shape, block.dtype)
    chain.decode_into(chain.encode(chunk), made)
    if made.dtype.hasobject or made.dtype.kind == "T":
        return all(np.array_equal(one, other) for one, other in zip(made.flat, chunk.flat, strict=True))
    return made.tobytes() == chunk.tobytes()
