"""Tests for every data type: subclass `DataTypeSuite`, and name the family and fill values.

class TestInt3(DataTypeSuite):
    family = int3
    fills = (0, -4, 3)
    wrong_fills = (4, 1.5, "1", None)
"""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import override

from zom.errors import CodecError, ConversionError, SpecError
from zom.extension import DataType, DataTypeFamily, data_types
from zom.extension.resolve import parse_draft, parse_v2, parse_v3
from zom.json.value import freeze, thaw
from zom.testing.array_use import check_use, document_of, same
from zom.testing.configurations import ConfigurationSuite
from zom.testing.json_values import json_values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zom.problems import Fault

__all__ = ["DataTypeSuite"]

_SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)


def _of_v2(value: Any) -> DataType | None:
    return parse_v2(value, None, [])


def _of_v3(value: Any) -> DataType | None:
    return parse_v3(value, [])


def _of_draft(value: Any) -> DataType | None:
    return parse_draft(value, [])


class DataTypeSuite(ConfigurationSuite):
    """Tests of a data type; set `family`, fill values, and types if `family.examples()` has none."""

    family: ClassVar[DataTypeFamily]
    types: ClassVar[Sequence[DataType]] = ()
    """The concrete types to test; by default those of `family.examples()`."""
    fills: ClassVar[Sequence[Any]]
    """Fill values of the first type as in v3 documents; also used as stored elements."""
    wrong_fills: ClassVar[Sequence[Any]] = (None, {}, [[]])
    """Invalid fill values."""
    codecs: ClassVar[Sequence[Any]] = ({"name": "bytes", "configuration": {"endian": "little"}},)
    """The codecs that store such elements."""

    @override
    def extension(self) -> DataTypeFamily:
        return self.family

    @override
    def registry(self) -> Any:
        return data_types

    @property
    def first(self) -> DataType:
        """The type of the fill values."""
        return self._all()[0]

    def _all(self) -> list[DataType]:
        found = [*self.types] or [*self.family.examples()]
        assert found, "set `types`, or give some in `family.examples()`"
        return found

    def _scalar(self, value: Any) -> Any:
        faults: list[Fault] = []
        made = self.first.parse_fill(freeze(value, []), "v3", faults)
        assert made is not None, f"{value!r}: expected a scalar, found {faults}"
        assert not faults, f"{value!r}: expected no fault, found {faults}"
        return made

    def _elements(self) -> Any:
        made = np.zeros(len(self.fills), self.first.numpy())
        for place, value in enumerate(self.fills):
            made[place] = self._scalar(value)
        return np.resize(made, 6)

    # --- names -------------------------------------------------------------------------------------

    def test_a_type_is_read_from_the_document_that_it_writes(self) -> None:
        readers: dict[Any, Callable[[Any], DataType | None]] = {
            "v2": _of_v2,
            "v3": _of_v3,
            "draft": _of_draft,
        }
        for made in self._all():
            for form, parse in readers.items():
                try:
                    spelled = made.to_json(form)
                except ConversionError:
                    assert form != "v3", f"{made.name}: expected a spelling in v3"
                    continue
                json.dumps(thaw(spelled) if isinstance(spelled, (dict, list)) else spelled)
                found = parse(freeze(spelled, []))
                assert found is not None, f"{form}: expected {spelled!r} to be read"
                same_type = found.name == made.name if form == "v3" else found.numpy() == made.numpy()
                assert same_type, f"{form}: expected {made!r}, found {found!r}"

    def test_types_are_values(self) -> None:
        for made in self._all():
            again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own bytes
            assert (again, hash(again)) == (made, hash(made)), (
                "expected types that are equal by value, with a hash"
            )
            assert made.name
            assert made.itemsize is None or (isinstance(made.itemsize, int) and made.itemsize >= 0)
            assert isinstance(made.numpy(), np.dtype)
            claimed = self.family.from_numpy(made.numpy())
            assert claimed is None or claimed.numpy() == made.numpy()

    # --- fill values -------------------------------------------------------------------------------

    def test_fill_values_are_written_as_they_were_read(self) -> None:
        for value in (*self.fills, self.first.fill_json(self.first.default(), "v3")):
            made = self._scalar(value)
            spelled = self.first.fill_json(made, "v3")
            again = self._scalar(spelled)
            assert same(self._cell(again), self._cell(made)), f"{value!r}: expected {made!r}, found {again!r}"
            assert self.first.fill_json(again, "v3") == spelled, f"{value!r}: expected one spelling"
            assert json.loads(json.dumps(spelled)) == spelled

    def _cell(self, scalar: Any) -> Any:
        made = np.zeros((), self.first.numpy())
        made[()] = scalar
        return made

    def test_wrong_fill_values_are_faults(self) -> None:
        for value in self.wrong_fills:
            faults: list[Fault] = []
            self.first.parse_fill(freeze(value, []), "v3", faults, ("fill_value",))
            assert faults, f"expected a fault for {value!r}"
            assert all(fault.path[:1] == ("fill_value",) for fault in faults), f"expected the path: {faults}"

    @_SETTINGS
    @given(json_values())
    def test_any_json_is_a_scalar_or_a_fault(self, value: Any) -> None:
        forms: tuple[Literal["v2", "v3", "draft"], ...] = ("v2", "v3", "draft")
        for form in forms:
            faults: list[Fault] = []
            made = self.first.parse_fill(freeze(value, []), form, faults)
            # In v2, null means that there is no fill value.
            said = faults or made is not None or (form != "v3" and value is None)
            assert said, f"{form}: expected a scalar for {value!r}, or a fault"
            if self.first.is_plain_fill(freeze(value, []), form):
                assert made is not None, f"{form}: is_plain_fill accepts {value!r}, but parse_fill doesn't"
                assert not faults, (
                    f"{form}: expected no fault of {value!r}, which is_plain_fill accepts: {faults}"
                )

    def test_the_schema_takes_what_is_read(self) -> None:
        from jsonschema import (  # noqa: PLC0415 - slow to import
            Draft202012Validator,
        )

        schema = self.first.fill_schema("v3")
        Draft202012Validator.check_schema(schema)
        validator: Any = Draft202012Validator(schema)
        for value in self.fills:
            assert validator.is_valid(value), f"expected the schema to accept {value!r}"
        for value in self.wrong_fills if schema else ():
            assert not validator.is_valid(value), f"expected the schema to reject {value!r}"

    def test_a_cast_takes_elements_and_nothing_else(self) -> None:
        for value in self.fills:
            made = self._scalar(value)
            assert same(self._cell(self.first.cast(made)), self._cell(made)), (
                f"expected {made!r} to stay unchanged"
            )
        for value in (object(), object):
            try:
                made = self.first.cast(value)
            except SpecError:
                continue
            raise AssertionError(f"{value!r}: expected a SpecError, found {made!r}")

    # --- elements ----------------------------------------------------------------------------------

    def test_arrays_of_it_are_written_and_read(self) -> None:
        values, spelled, fill = self._elements(), self.first.to_v3(), self.fills[0]
        links = [*self.codecs]
        store = check_use(document_of((6,), spelled, fill_value=fill, codecs=links), values)
        if self.first.itemsize is not None:
            size = len(store.get("a/c/0") or store.get("a/c/1") or b"")
            assert size in {0, 3 * self.first.itemsize}, (
                f"expected 3 elements of {self.first.itemsize} bytes, found {size}"
            )
        check_use(document_of((2, 3), spelled, fill_value=fill, codecs=links), values.reshape(2, 3))
        check_use(document_of((), spelled, fill_value=fill, codecs=links), values.reshape(-1)[1])
        shards = {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [1],
                "codecs": links,
                "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            },
        }
        check_use(document_of((6,), spelled, fill_value=fill, codecs=[shards]), values)
        if self.first.has_order:
            big = [{"name": "bytes", "configuration": {"endian": "big"}}]
            check_use(document_of((6,), spelled, fill_value=fill, codecs=big), values)

    def test_chunks_of_the_fill_value_are_not_stored(self) -> None:
        document = document_of((6,), self.first.to_v3(), fill_value=self.fills[0], codecs=[*self.codecs])
        store = check_use(document, np.resize(self._elements()[:1], 6))
        assert [key for key in store.list() if "/c/" in key] == []

    @_SETTINGS
    @given(st.data())
    def test_packed_bytes_are_elements_or_refused(self, data: st.DataObject) -> None:
        """If chunks and memory differ in their bytes, any bytes load as elements, or raise CodecError."""
        made = self.first
        if not made.is_packed or made.itemsize is None:
            return
        raw = data.draw(st.binary(min_size=3 * made.itemsize, max_size=3 * made.itemsize))
        stored = np.frombuffer(raw, np.uint8).reshape(3, made.itemsize)
        try:
            elements = made.load(stored, "little")
        except CodecError:
            return
        assert (elements.shape, elements.dtype) == ((3,), made.numpy()), (
            f"expected 3 elements, found {elements!r}"
        )
        again = made.load(made.dump(elements, "little"), "little")
        assert same(again, elements), f"expected {elements!r}, found {again!r}"
