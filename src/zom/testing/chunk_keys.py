"""Tests for every chunk key encoding: subclass `ChunkKeySuite` and name the encoding.

class TestPadded(ChunkKeySuite):
    encoding = padded
    configurations = ({}, {"digits": 2})
    wrong_configurations = ({"digits": 0},)
"""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

import pickle
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import override

from zom.extension import ChunkKeyEncoding, KeyForm, chunk_key_encodings
from zom.paths import check_stored_key
from zom.testing.array_use import check_use, document_of
from zom.testing.configurations import ConfigurationSuite, read_configuration

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ChunkKeySuite"]

_SETTINGS = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)


class ChunkKeySuite(ConfigurationSuite):
    """Tests of a chunk key encoding; set `encoding`, and configurations if it has any."""

    encoding: ClassVar[ChunkKeyEncoding]

    @override
    def extension(self) -> ChunkKeyEncoding:
        return self.encoding

    @override
    def registry(self) -> Any:
        return chunk_key_encodings

    def _forms(self) -> Iterator[KeyForm]:
        for value in self.configurations:
            made, faults = read_configuration(self.encoding.configuration, value)
            assert not faults, f"{value}: {faults}"
            yield self.encoding.form(made)

    def test_forms_are_values(self) -> None:
        for left, right in zip(self._forms(), self._forms(), strict=True):
            assert (left, hash(left)) == (right, hash(right)), (
                "expected forms that are equal by value, with a hash"
            )
            assert pickle.loads(pickle.dumps(left)) == left  # noqa: S301 - our own bytes

    def test_every_chunk_has_a_key_of_its_own(self) -> None:
        """No key leads out of the array, is that of a document, or is below another."""
        for form, rank in product(self._forms(), range(4)):
            places = (
                [*product(range(11), repeat=rank)] if rank < 3 else [*product((0, 1, 10, 11, 101), repeat=3)]
            )
            keys = [form.key(place) for place in places]
            assert len({*keys}) == len(keys), f"expected a key for each chunk of {rank} dimensions"
            assert not {*keys} & {"zarr.json", ".zarray", ".zattrs", ".zgroup"}, (
                "expected no key of a document"
            )
            assert all(check_stored_key(key) == key for key in keys)
            above = {key[:place] for key in keys for place, letter in enumerate(key) if letter == "/"}
            assert not above & {*keys}, f"expected no key below another: {sorted(above & {*keys})[:3]}"

    @_SETTINGS
    @given(st.data())
    def test_a_key_tells_its_chunk(self, data: st.DataObject) -> None:
        form = data.draw(st.sampled_from([*self._forms()]))
        place = data.draw(st.lists(st.integers(0, 10**12) | st.integers(0, 12), max_size=5).map(tuple))
        key = form.key(place)
        assert form.coords(key, len(place)) == place, f"expected {place} of {key!r}"
        for rank in {0, len(place) + 1, max(0, len(place) - 1)} - {len(place)}:
            found = form.coords(key, rank)
            assert found is None or form.key(found) == key, f"{key!r}: expected no chunk of {rank} dimensions"

    @_SETTINGS
    @given(st.data())
    def test_other_texts_are_no_keys(self, data: st.DataObject) -> None:
        """A directory has other keys, too: only the key of a chunk may be read as that chunk."""
        form = data.draw(st.sampled_from([*self._forms()]))
        place = data.draw(st.lists(st.integers(0, 120), max_size=3).map(tuple))
        key = form.key(place)
        cut = data.draw(st.integers(0, len(key)))
        inserted = data.draw(st.sampled_from(["", "0", "1", "/", ".", "c", "-1", "\u0661", "x", "9" * 30]))
        text = key[:cut] + inserted + key[data.draw(st.integers(cut, len(key))) :]
        for rank in range(4):
            found = form.coords(text, rank)
            assert found is None or (len(found) == rank and form.key(found) == text), (
                f"{text!r} was read as {found}"
            )

    def test_arrays_with_it_are_written_and_read(self) -> None:
        for value, shape in product(self.configurations, ((), (6,), (4, 6))):
            spelled = {"name": self.encoding.name, **({"configuration": dict(value)} if value else {})}
            values = np.arange(1, 1 + int(np.prod(shape, dtype=int)), dtype="uint16").reshape(shape)
            document = document_of(shape, "uint16", chunk_key_encoding=spelled)
            store = check_use(document, values)
            made, _ = read_configuration(self.encoding.configuration, value)
            form = self.encoding.form(made)
            keys = {f"a/{form.key(place)}" for place in product(range(2), repeat=len(shape))}
            found = {*store.list("a/")} - {"a/zarr.json"}
            assert found == keys, f"expected chunks under {sorted(keys)}, found {sorted(found)}"
