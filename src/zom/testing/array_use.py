"""Use an array with an extension in its document like a numpy array, and compare the two."""
# ruff: noqa: S101 - the checks are assertions

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

import zom
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.model.spec import Spec

__all__ = ["check_use", "document_of", "is_array", "same", "same_form"]


def same(left: Any, right: Any) -> bool:
    """Whether two arrays, or two pieces of data, are equal, bit for bit.

    >>> same(np.array([np.nan, -0.0]), np.array([np.nan, -0.0])), same(np.zeros(1), -np.zeros(1))
    (True, False)
    """
    if not is_array(left) or not is_array(right):
        return is_array(left) == is_array(right) and bytes(left) == bytes(right)
    if not same_form(left, right.shape, right.dtype):
        return False
    if left.dtype.hasobject or left.dtype.kind == "T":
        return bool((left == right).all())
    if left.dtype.kind == "V" and left.dtype.type is not np.void:
        # Elements of ml_dtypes have unused bits.
        return bool(left.astype(np.float64).tobytes() == right.astype(np.float64).tobytes())
    return bool(left.astype(right.dtype).tobytes() == right.tobytes())


def is_array(value: Any) -> bool:
    """Whether it is a numpy array, not bytes.

    >>> is_array(np.zeros(1)), is_array(b"")
    (True, False)
    """
    return isinstance(value, np.ndarray)


def same_form(array: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """Whether an array has this shape and type, in any byte order.

    >>> same_form(np.zeros(2, ">i2"), (2,), np.dtype("<i2"))
    True
    """
    return bool(array.shape == shape and array.dtype.newbyteorder("=") == dtype.newbyteorder("="))


def document_of(shape: tuple[int, ...], data_type: Any, **members: Any) -> dict[str, Any]:
    """The document of a v3 array, with `members` in place of the default ones.

    >>> document_of((4,), "int8", codecs=["bytes", "crc32c"])["codecs"]
    ['bytes', 'crc32c']
    """
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": data_type,
        "fill_value": 0,
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": [max(1, -(-length // 2)) for length in shape]},
        },
        "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        **members,
    }


def check_use(document: Mapping[str, Any], values: Any, *, lossy: bool = False) -> MemoryStore:
    """Write `values` to an array of the document, read them in parts, and change some; return the store.

    A lossy codec needn't return the written values, but must preserve values that it returned once.
    """
    report = zom.validate(document, level="lenient", conventions=())
    assert not report.of("error"), f"expected a valid document, found {[str(each) for each in report]}"
    spec: Spec = zom.parse(document)
    store = MemoryStore()
    array: Any = zom.create_array(store, spec, "a")
    values = np.asarray(values)
    array[...] = values
    kept = np.asarray(array[...])
    if lossy:
        array[...] = kept
    assert same(np.asarray(array[...]), kept if lossy else values), "expected the values that were written"
    stored = zom.read(store, "a")
    assert zom.parse(stored.to_dict()) == stored, "expected the stored document to read back unchanged"
    again: Any = zom.open(store, "a", mode="r+")
    for key in _keys(kept):
        assert same(np.asarray(again[key]), np.asarray(kept[key])), f"expected [{key}] as in numpy"
    if kept.ndim and kept.shape[0] > 2:
        again[1:-1] = kept[::-1][1:-1]
        kept[1:-1] = kept[::-1][1:-1].copy()
        assert lossy or same(np.asarray(again[...]), kept), "expected the write to change that part"
    pickle.loads(pickle.dumps(spec))  # noqa: S301 - our own bytes
    return store


def _keys(values: Any) -> list[Any]:
    if not values.ndim:
        return [()]
    slices = [slice(1, None), slice(None, None, 2), slice(0, 0)]
    return [*slices, 0, [0, -1], (Ellipsis, -1)] if values.size else slices
