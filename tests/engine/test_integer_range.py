"""Numbers that integers of an array can't hold are refused, and nothing is written; those that fit are written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom.errors import CodecError
from zom.extension.element_memory import integer_bounds
from zom.stores.memory import MemoryStore

TYPES = [
    "int2",
    "uint2",
    "int4",
    "uint4",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
]
FIX = "choose a data type that holds it, or cast the values yourself: values.astype('int8')"


def new(dtype: object) -> zom.Array:
    return zom.create_array("memory:", shape=(3,), dtype=dtype, chunks=(2,))


@pytest.mark.parametrize("name", TYPES)
@settings(deadline=None)
@given(data=st.data())
def test_what_fits_is_written_and_nothing_else(name: str, data: st.DataObject) -> None:
    array = new(name)
    low, high = integer_bounds(array.dtype) or (0, 0)
    near = st.sampled_from([low - 1, low, high, high + 1, 0])
    values = data.draw(st.lists(near | st.integers(-(2**63), 2**64 - 1), min_size=3, max_size=3))
    forms = {"list": values, "objects": np.array(values, object)}
    for kind in ("i1", "u2", ">i4", "i8", "u8"):
        if all(np.iinfo(kind).min <= value <= np.iinfo(kind).max for value in values):
            forms[kind] = np.array(values, kind)
    wrong = [at for at, value in enumerate(values) if not low <= value <= high]
    for each in forms.values():
        if wrong:
            with pytest.raises(
                CodecError, match=rf"from {low} to {high} at \({wrong[0]}\), found {values[wrong[0]]};"
            ):
                array[:] = each
        else:
            array[:] = each
            assert array[:].astype(object).tolist() == values
    assert bool(list(array.store.list("c/"))) == (not wrong and any(values))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 128.0, -129.0, 1e300])
@pytest.mark.parametrize("kind", ["f2", "f4", ">f8", "list"])
def test_floating_point_numbers_that_are_no_integers_of_the_type_are_refused(value: float, kind: str) -> None:
    array = new("int8")
    with np.errstate(over="ignore"):
        values = [0, value, 1] if kind == "list" else np.array([0, value, 1], kind)
    with pytest.raises(CodecError) as caught:
        array[:] = values
    found = float(np.asarray(values)[1])
    url = array.store.url
    assert str(caught.value) == f"{url}: /: expected numbers from -128 to 127 at (1), found {found}; {FIX}"
    assert list(array.store.list()) == ["zarr.json"]


def test_fractions_are_cut_off_as_numpy_does() -> None:
    array = new("int8")
    array[:] = [127.9, -128.9, -0.5]
    assert array[:].tolist() == [127, -128, 0]


def test_fields_are_told() -> None:
    array = new([("a", "i4"), ("b", "i1")])
    with pytest.raises(CodecError, match=r"from -128 to 127 in the field 'b' at \(2\), found 300;"):
        array[:] = np.array([(1, 2), (70_000, 4), (5, 300)], [("a", "i4"), ("b", "i8")])
    with pytest.raises(
        CodecError, match=r"found one that it can't hold: .*300.*; choose a data type that holds it"
    ):
        array[:] = [(1, 2), (3, 4), (5, 300)]
    array["b"] = [1, 2, 3]
    with pytest.raises(CodecError, match=r"from -128 to 127 at \(0\), found 128;"):
        array["b"] = np.array([128, 0, 0])
    assert array["b"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("values", [[1, 300], np.array([1, 300]), np.array([1.0, np.nan])])
def test_an_array_is_not_made_of_values_that_do_not_fit(values: object) -> None:
    store = MemoryStore()
    with pytest.raises(CodecError, match="expected numbers from -128 to 127"):
        zom.create_array(store, data=values, dtype="int8")
    assert list(store.list()) == []


def test_other_ways_to_write_check_alike() -> None:
    array = new("int8")
    for write in (
        lambda: array.append(np.array([300])),
        lambda: array.oindex.__setitem__(([0, 2],), np.array([1, 300])),
        lambda: array.vindex.__setitem__(([0, 2],), np.int64(300)),
        lambda: array.__setitem__(1, 300),
    ):
        with pytest.raises(CodecError, match="from -128 to 127"):
            write()
    assert array.shape == (3,)
    assert list(array.store.list()) == ["zarr.json"]
