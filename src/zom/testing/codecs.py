"""Tests for every codec: subclass `CodecSuite`, and name the codec and its valid inputs.

class TestRot(CodecSuite):
    codec = rot
    configurations = ({"by": 13},)
    wrong_configurations = ({}, {"by": 256})
"""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import override

from zom.extension import Block, Bytes, Codec, Elements, Form, Stream, codecs
from zom.extension.resolve import data_type
from zom.testing.array_use import check_use, document_of, is_array, same, same_form
from zom.testing.configurations import ConfigurationSuite, read_configuration
from zom.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.problems import Fault

__all__ = ["CodecSuite"]

_SETTINGS = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)


class CodecSuite(ConfigurationSuite):
    """Tests of a codec; set `codec`, and its inputs if it doesn't support all."""

    codec: ClassVar[Codec]
    data_types: ClassVar[Sequence[str]] = ("uint8", "int16", "float64")
    """Data types of input elements, for codecs of elements."""
    shapes: ClassVar[Sequence[tuple[int, ...]]] = ((), (1,), (6,), (2, 3))
    """Shapes of input chunks."""
    streams: ClassVar[Sequence[bytes]] = (b"", b"\0", b"abc" * 50, bytes(range(256)) * 8)
    """Input bytes, for codecs of bytes."""
    lossy: ClassVar[bool] = False
    """Whether encoding and decoding may change elements; a second round must not."""
    chain: ClassVar[Sequence[Any]] = ({"name": "bytes", "configuration": {"endian": "little"}},)
    """The codecs after an array->array codec, and before a bytes->bytes codec, in an array."""

    @override
    def extension(self) -> Codec:
        return self.codec

    @override
    def registry(self) -> Any:
        return codecs

    # --- inputs ------------------------------------------------------------------------------------

    def elements(self, kind: str, shape: tuple[int, ...], raw: bytes) -> Any:
        """An input chunk made of random bytes; override it if the codec supports only some values."""
        dtype = data_type(kind).numpy()
        size = int(np.prod(shape, dtype=int)) * dtype.itemsize
        whole = (raw * (size // len(raw) + 1))[:size] if size else b""
        made = np.frombuffer(whole, dtype).reshape(shape).copy()
        return np.nan_to_num(made) if self.lossy and dtype.kind in "fc" else made

    def _forms(self) -> Iterator[tuple[Any, Form, Form, Any]]:
        """Each configuration with the forms before and after, and chunks to encode."""
        for value in self.configurations:
            made, faults = read_configuration(self.codec.configuration, value)
            assert not faults, f"{value}: {faults}"
            for before, taken, chunk in self._inputs():
                found: list[Fault] = []
                after = self.codec.thread(made, taken, found, ("codecs", 0))
                told = [str(fault.problem()) for fault in found]
                how = "set `data_types` and `shapes` to values that the codec supports"
                assert not found, f"{value}, {before}: expected no fault, found {told}; {how}"
                assert after is not None, f"{value}, {before}: expected `thread` to return the output form"
                yield made, before, self._form(after, before), chunk

    def _inputs(self) -> Iterator[tuple[Form, Any, Any]]:
        if self.codec.kind == "bytes->bytes":
            for data in self.streams:
                yield Stream(len(data), len(data)), Bytes(len(data)), data
            return
        # The last ones are all ones, and the least and greatest integers.
        patterns = (bytes(range(1, 252)), b"\xff", b"\0" * 7 + b"\x80", b"\xff" * 7 + b"\x7f")
        for kind, shape, raw in product(self.data_types, self.shapes, patterns):
            made = data_type(kind)
            block = Block(shape, made, made.default())
            taken = Elements(tuple((length,) for length in shape), made, made.default())
            yield block, taken, self.elements(kind, shape, raw)

    @staticmethod
    def _form(after: Any, before: Form) -> Form:
        if isinstance(after, Bytes):
            room = before.nbytes or 0
            return Stream(after.size, (1 << 16) + 64 * room if after.size is None else after.size)
        assert after.lengths is not None, "expected `thread` to return the shape"
        assert after.data_type is not None, "expected `thread` to return the data type"
        assert all(len(choices) == 1 for choices in after.lengths), (
            "expected one shape for chunks of one shape"
        )
        return Block(tuple(choices[0] for choices in after.lengths), after.data_type, after.fill)

    # --- promises ----------------------------------------------------------------------------------

    @override
    def faults_of(self, value: Any) -> list[Fault]:
        made, faults = read_configuration(self.codec.configuration, value)
        if made is not None:
            for _, taken, _ in self._inputs():
                found: list[Fault] = []
                self.codec.thread(made, taken, found, ("codecs", 0))
                assert all(each.path[:2] == ("codecs", 0) for each in found), (
                    f"expected faults below the path: {found}"
                )
                faults += found
        return faults

    def test_what_is_not_known_is_no_fault(self) -> None:
        """An unknown codec may come before it: `thread` gets no shape, type or size."""
        for value in self.configurations:
            made, _ = read_configuration(self.codec.configuration, value)
            found: list[Fault] = []
            self.codec.thread(
                made, Bytes() if self.codec.kind == "bytes->bytes" else Elements(None, None), found, ()
            )
            assert not found, f"expected no fault for an unknown input, found {found}"

    def test_what_was_encoded_is_decoded(self) -> None:
        for made, before, after, chunk in self._forms():
            coder: Any = self.codec.bind(made, before, after)
            decoded = coder.decode(coder.encode(chunk))
            wanted = coder.decode(coder.encode(decoded)) if self.lossy else chunk
            assert same(decoded, wanted), f"{made}, {before}: expected {wanted!r}, found {decoded!r}"

    def test_thread_says_what_comes_out(self) -> None:
        for made, before, after, chunk in self._forms():
            coder: Any = self.codec.bind(made, before, after)
            found = coder.encode(chunk)
            if isinstance(after, Block):
                expected = f"{after.dtype} of the shape {after.shape}"
                assert same_form(found, after.shape, after.dtype), (
                    f"{made}: expected {expected}, found {found!r}"
                )
                continue
            size = memoryview(found).nbytes
            assert after.nbytes in {None, size}, f"{made}: expected {after.nbytes} bytes, found {size}"
            most = after.most if coder.most is None else coder.most
            assert size <= most, f"{made}: expected at most {most} bytes, found {size}"

    def test_a_chunk_stays_as_it_is(self) -> None:
        """Chunks may be read-only, and in any kind of memory; neither encoding nor decoding changes them."""
        for made, before, after, chunk in self._forms():
            coder: Any = self.codec.bind(made, before, after)
            frozen = _frozen(chunk)
            stored = coder.encode(frozen)
            assert same(_plain(frozen), chunk), "expected encoding not to change the chunk"
            kept = stored.copy() if is_array(stored) else bytes(stored)
            for form in _sorts_of(kept):
                decoded = coder.decode(form)
                assert same(_plain(form), kept), "expected decoding not to change the stored data"
                again = coder.decode(coder.encode(decoded)) if self.lossy else decoded
                assert same(again, decoded if self.lossy else chunk), (
                    f"{made}: expected the chunk when decoding {type(form)}"
                )

    def test_memory_in_any_order_is_encoded(self) -> None:
        """A chunk at an edge is a part of a larger array, and one in Fortran order is transposed."""
        for made, before, after, chunk in self._forms():
            if is_array(chunk) and chunk.ndim:
                coder: Any = self.codec.bind(made, before, after)
                wide = np.repeat(chunk, 2, axis=-1)[..., ::2]
                for other in (np.asfortranarray(chunk), wide, chunk[::-1].copy()[::-1]):
                    found = coder.encode(other)
                    assert same(_plain(found), _plain(coder.encode(chunk))), (
                        f"{made}: expected the same result for any memory layout"
                    )

    def test_rows_are_as_one_by_one(self) -> None:
        """Small chunks are encoded and decoded many at once, with the same results."""
        if self.codec.kind != "bytes->bytes":
            return
        for made, before, after, chunk in self._forms():
            coder: Any = self.codec.bind(made, before, after)
            for count in (1, 3) if chunk else ():
                chunks = [chunk[place:] + chunk[:place] for place in range(count)]
                stored = coder.encode_rows(memoryview(b"".join(chunks)), count)
                assert type(stored) is list, f"{made}: expected a list from encode_rows, found {stored!r}"
                found = [bytes(each) for each in cast("list[Any]", stored)]
                assert found == [bytes(coder.encode(each)) for each in chunks], (
                    f"{made}: expected encode_rows to return the results of encode, found {found!r}"
                )
                # Old content shows which bytes are not filled.
                target = bytearray(b"\xa5" * len(chunk) * count)
                given = coder.decode_rows(found, memoryview(target))
                assert given is None, f"{made}: expected None from decode_rows, found {given!r}"
                parts = [bytes(coder.decode(each)) for each in found]
                assert bytes(target) == b"".join(parts), (
                    f"{made}: expected decode_rows to fill its target with the results of decode"
                )

    def test_threads_share_a_coder(self) -> None:
        with Threads(4) as pool:
            for made, before, after, chunk in self._forms():
                coder: Any = self.codec.bind(made, before, after)
                wanted = coder.decode(coder.encode(chunk))
                turns = [pool.submit(_there_and_back, coder, chunk) for _ in range(16)]
                assert all(same(each.result(), wanted) for each in turns), (
                    f"{made}: expected the same result in each thread"
                )

    @_SETTINGS
    @given(st.data())
    def test_damaged_data_is_refused_or_of_the_right_form(self, data: st.DataObject) -> None:
        """Data may be truncated, longer, or arbitrary: decoding raises, or returns a chunk of the form."""
        if self.codec.kind == "array->array":
            return
        made, before, after, chunk = data.draw(st.sampled_from(list(self._forms())))
        coder: Any = self.codec.bind(made, before, after)
        stored = bytearray(coder.encode(chunk))
        place = data.draw(st.integers(0, len(stored)))
        how = data.draw(st.sampled_from(["cut", "longer", "changed", "other"]))
        if how == "cut":
            stored = stored[:place]
        elif how == "longer":
            stored += data.draw(st.binary(min_size=1, max_size=9))
        elif how == "changed" and place < len(stored):
            stored[place] ^= data.draw(st.integers(1, 255))
        else:
            stored = bytearray(data.draw(st.binary(max_size=40)))
        try:
            found = coder.decode(bytes(stored))
        except Exception:  # noqa: BLE001 - any: the chain converts it to a CodecError
            return
        if isinstance(before, Block):
            assert same_form(found, before.shape, before.dtype), f"{made}: found {found!r}"
        elif before.nbytes is not None:
            size = memoryview(found).nbytes
            assert size <= before.most or size <= len(stored), (
                f"{made}: decoded {len(stored)} bytes to {size}"
            )

    def test_arrays_with_it_are_written_and_read(self) -> None:
        """Whole and in parts, with chunks and with shards."""
        shapes = (
            ((6,), (2, 3)) if self.codec.kind == "bytes->bytes" else [shape for shape in self.shapes if shape]
        )
        for value, kind, chunk in product(self.configurations, self._array_types(), shapes):
            links = self._links(value)
            shape = tuple(2 * length for length in chunk)
            values = self.elements(kind, shape, bytes(range(1, 252)))
            made = data_type(kind)
            fill = made.fill_json(made.default(), "v3")
            check_use(
                document_of(shape, made.to_v3(), fill_value=fill, codecs=links), values, lossy=self.lossy
            )
            shards = {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": [*chunk],
                    "codecs": links,
                    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
                },
            }
            grid = {"name": "regular", "configuration": {"chunk_shape": [*shape]}}
            document = document_of(shape, made.to_v3(), fill_value=fill, codecs=[shards], chunk_grid=grid)
            check_use(document, values, lossy=self.lossy)

    def _array_types(self) -> Sequence[str]:
        return ("uint8", "float64") if self.codec.kind == "bytes->bytes" else self.data_types

    def _links(self, value: Any) -> list[Any]:
        link = {"name": self.codec.name, "configuration": dict(value)} if value else {"name": self.codec.name}
        if self.codec.kind == "array->bytes":
            return [link]
        return [link, *self.chain] if self.codec.kind == "array->array" else [*self.chain, link]


def _plain(chunk: Any) -> Any:
    return chunk if is_array(chunk) else bytes(chunk)


def _frozen(chunk: Any) -> Any:
    if not is_array(chunk):
        return memoryview(bytes(chunk))
    made = chunk.copy()
    made.flags.writeable = False
    return made


def _there_and_back(coder: Any, chunk: Any) -> Any:
    return coder.decode(coder.encode(chunk))


def _sorts_of(stored: Any) -> Iterator[Any]:
    if is_array(stored):
        yield stored.copy()
        yield _frozen(stored)
        return
    yield bytes(stored)
    yield bytearray(stored)
    yield memoryview(bytes(stored))
