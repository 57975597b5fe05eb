"""What makes an array of itself, as dask's and xarray's arrays do, is asked for it once, whatever it is written to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import zom

VALUES = {
    "int8": np.array([1, 2, 3], "i8"),
    "float32": np.array([1.5, 2.5, np.nan], "f8"),
    "string": np.array(["a", "é", "日本"]),
    "fixed_length_utf32": np.array(["a", "é", "日本"], "T"),
    "null_terminated_bytes": np.array([b"a", b"b", b"cd"]),
    "numpy.datetime64": np.array(["2020-01-01", "2021-01-01", "NaT"], "M8[D]"),
    "struct": np.array([(1, "a"), (2, "b"), (3, "cd")], [("n", "i4"), ("t", "U2")]),
}
TYPES: dict[str, Any] = {
    "fixed_length_utf32": np.dtype("U2"),
    "null_terminated_bytes": np.dtype("S2"),
    "numpy.datetime64": np.dtype("M8[D]"),
    "struct": np.dtype([("n", "i2"), ("t", "U3")]),
}


@dataclass
class Lazy:
    """An array that is computed each time that it is asked for."""

    values: np.ndarray[Any, Any]
    asked: list[Any] = field(default_factory=list)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        self.asked.append(dtype)
        return self.values if dtype is None else self.values.astype(dtype)


def new(name: str) -> zom.Array:
    return zom.create_array("memory:", shape=(3,), dtype=TYPES.get(name, name), chunks=(2,))


@pytest.mark.parametrize("name", VALUES)
def test_an_array_like_is_computed_once(name: str) -> None:
    whole, appended = Lazy(VALUES[name]), Lazy(VALUES[name])
    array = new(name)
    array[:] = whole
    array.append(appended)
    expected = np.concatenate([VALUES[name]] * 2).astype(array.dtype)
    np.testing.assert_array_equal(array[:], expected)
    assert len(whole.asked) == len(appended.asked) == 1


@pytest.mark.parametrize("name", ["int8", "struct"])
def test_its_values_are_held_to_the_type_as_arrays_are(name: str) -> None:
    large = VALUES[name].copy()
    large[1 if name == "int8" else "n"] = 70_000
    array = new(name)
    with pytest.raises(zom.CodecError, match=r"expected numbers from .* found 70000"):
        array[:] = Lazy(large)
    assert not list(array.store.list("c/"))
