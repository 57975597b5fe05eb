"""Values for whole arrays: made the same in every run, kept in files, compared bit for bit.

Every Python of the interop checks imports this module, so that it uses nothing but numpy 1.24.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

Array = Any

TEXTS = ("", "a", "naïve", "Zürich", "日本", "🜁𐍈", "a\nb", '"\\', " ", "longer than others")
BYTES = (b"", b"\0", b"\xff\xfe", b"abc", b"\0\0\1", bytes(range(20)))
JSON_VALUES = ("é", 1, -2.5, True, [1, [2]], {"a": None, "b": "ü"}, "", [])
LABELS = ("low", "højde", "top")


def make(dtype: Any, shape: tuple[int, ...], name: str, kind: str = "any") -> Array:
    """Values of a data type, of all bits or, where `kind` is "tame", of small whole numbers.

    Of objects, `kind` says what they are: texts, bytes, json, labels or arrays.
    """
    random = np.random.default_rng(zlib.crc32(name.encode()))
    count = int(np.prod(shape, dtype=int))
    if kind in {"texts", "bytes", "json", "labels", "arrays"}:
        return _objects(random, count, kind, dtype).reshape(shape)
    return _flat(random, np.dtype(dtype), count, kind).reshape(shape)


def _objects(random: Any, count: int, kind: str, dtype: Any) -> Array:
    made = np.empty(count, object)
    pool: Any = {"texts": TEXTS, "bytes": BYTES, "json": JSON_VALUES, "labels": LABELS}.get(kind)
    for index in range(count):
        if pool is None:
            made[index] = random.integers(-9, 9, int(random.integers(0, 4))).astype("<i4")
        else:
            made[index] = pool[int(random.integers(len(pool)))]
    return made.astype(dtype) if np.dtype(dtype).kind == "T" else made


def _flat(random: Any, dtype: Any, count: int, kind: str) -> Array:
    if dtype.names is not None:
        made = np.zeros(count, dtype)
        for name in dtype.names:
            base, shape = dtype[name].base, dtype[name].shape
            made[name] = _flat(random, base, count * int(np.prod(shape, dtype=int)), kind).reshape(
                (count, *shape)
            )
        return made
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(bool)
    if dtype.kind in "SU":
        pool = np.array(TEXTS) if dtype.kind == "U" else np.array([b"", b"ab", b"\xff\0\1", b"abcdefgh"])
        return pool[random.integers(0, len(pool), count)].astype(dtype)
    if kind == "tame":
        low = 0 if dtype.kind == "u" else -50
        return random.integers(low, 50, count).astype(dtype)
    bits = narrow(dtype)
    raw = np.frombuffer(random.bytes(count * dtype.itemsize), "u1").copy()
    made = (raw & ((1 << bits) - 1) if bits else raw).view(dtype)
    special = _special(dtype)
    made[: len(special)] = special[:count]
    return made


def _special(dtype: Any) -> Array:
    """Values that get lost easily."""
    plain = dtype.newbyteorder("=")
    if plain.kind == "f" and plain.itemsize in {2, 4, 8}:
        # -0.0, an infinity, a NaN with a payload, one that signals, the least number there is
        words = {2: (0x8000, 0xFC00, 0x7E55, 0x7C01, 1), 4: (1 << 31, 0xFF800000, 0x7FC00055, 0x7F800001, 1)}
        wide = (1 << 63, 0xFFF << 52, 0x7FF8000000000055, 0x7FF0000000000001, 1)
        return np.array(words.get(plain.itemsize, wide), f"u{plain.itemsize}").view(plain).astype(dtype)
    if plain.kind == "c":
        part = np.dtype(f"f{plain.itemsize // 2}")
        return np.repeat(_special(part), 2)[1:-1].view(plain).astype(dtype)
    if plain.kind in "Mm":
        return np.array([-(2**63), -1, 0, 2**63 - 1], "i8").view(plain).astype(dtype)
    if plain.kind in "iu":
        limits = np.iinfo(plain)
        return np.array([limits.min, limits.max], plain).astype(dtype)
    return np.empty(0, dtype)


def narrow(dtype: Any) -> int:
    """How many bits of its byte an element of less than a byte has; 0 for all others."""
    return {"int2": 2, "uint2": 2, "int4": 4, "uint4": 4}.get(dtype.name) or (
        int(dtype.name[5]) if dtype.name.startswith(("float4_", "float6_")) else 0
    )


# --- files -----------------------------------------------------------------------------------------------


def save(stem: str, values: Array) -> None:
    """Keep values in `stem`.npy, or in `stem`.json where they are objects."""
    values = np.asarray(values)
    for end in (".npy", ".json"):
        Path(stem + end).unlink(missing_ok=True)
    if values.dtype.kind in "OT":
        kept = {"shape": values.shape, "items": [_told(item) for item in values.ravel()]}
        Path(stem + ".json").write_text(json.dumps(kept), encoding="utf-8")
        return
    flat = np.ascontiguousarray(values).reshape(values.shape)
    own = _foreign(flat.dtype)
    # numpy's files don't know the types of others.
    np.save(
        stem + ".npy",
        flat.view("u1" if flat.dtype.itemsize == 1 else f"V{flat.dtype.itemsize}") if own else flat,
    )


def load(stem: str, dtype: Any) -> Array:
    """What was kept, as `dtype`."""
    if Path(stem + ".json").exists():
        kept = json.loads(Path(stem + ".json").read_text(encoding="utf-8"))
        made = np.empty(len(kept["items"]), object)
        for index, item in enumerate(kept["items"]):
            made[index] = _meant(item)
        return made.reshape(kept["shape"])
    found = np.load(stem + ".npy")
    own = dtype is not None and _foreign(np.dtype(dtype))
    return found.view(dtype) if own and found.dtype.itemsize == np.dtype(dtype).itemsize else found


def _foreign(dtype: Any) -> bool:
    """Whether it is a type that was added to numpy, or bare bytes."""
    return dtype.isbuiltin == 2 or (dtype.kind == "V" and dtype.names is None)


def _told(item: Any) -> list[Any]:
    if isinstance(item, bytes):
        return ["bytes", item.hex()]
    if isinstance(item, np.ndarray):
        return ["array", item.dtype.str, item.tobytes().hex()]
    return ["json", str(item) if isinstance(item, str) else item]


def _meant(item: list[Any]) -> Any:
    if item[0] == "bytes":
        return bytes.fromhex(item[1])
    if item[0] == "array":
        return np.frombuffer(bytes.fromhex(item[2]), item[1])
    return item[1]


# --- comparison ------------------------------------------------------------------------------------------


def difference(found: Array, expected: Array) -> str | None:
    """What tells two arrays apart, bit for bit but for the byte order; None where nothing does."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    one, two = _bits(found, expected.dtype), _bits(expected, expected.dtype)
    if one == two:
        return None
    if isinstance(one, list) and isinstance(two, list):
        place = next(index for index, (a, b) in enumerate(zip(one, two)) if a != b)  # noqa: B905 - as long
        return f"element {place} is {one[place]!r}, expected {two[place]!r}"
    if isinstance(one, bytes) and isinstance(two, bytes) and len(one) == len(two):
        place = next(index for index, (a, b) in enumerate(zip(one, two)) if a != b)  # noqa: B905
        size = max(len(two) // max(expected.size, 1), 1)
        start = place // size * size
        return f"element {start // size} is {one[start : start + size].hex()}, expected {two[start : start + size].hex()}"
    return f"{found.dtype}, expected {expected.dtype}"


def _bits(values: Array, dtype: Any) -> list[Any] | bytes:
    if values.dtype.kind in "OT":
        return [_told(item) for item in values.ravel()]
    if dtype.kind in "SU" and values.dtype.kind == dtype.kind:
        return [item if isinstance(item, bytes) else str(item) for item in values.ravel().tolist()]
    if dtype.names is not None and values.dtype.names is not None:
        return b"".join(
            part if isinstance(part := _bits(values[name], dtype[name].base), bytes) else repr(part).encode()
            for name in dtype.names
        )
    bits = narrow(dtype)
    if values.dtype.itemsize != dtype.itemsize:
        return b"".join((b"of another size: ", values.tobytes()))
    flat = np.ascontiguousarray(values)
    if not _foreign(values.dtype) and values.dtype.names is None:
        flat = flat.astype(values.dtype.newbyteorder("<"))
    if bits:
        return (np.frombuffer(flat.tobytes(), "u1") & ((1 << bits) - 1)).tobytes()
    return flat.tobytes()
