"""What codecs of other packages give for a chunk is looked at, and nothing is stored that can't be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zom
from zom import v3
from zom.dtypes.int import IntType
from zom.errors import ChunkError, CodecError, ExtensionError
from zom.extension import Bytes, Codec, Coder, Elements, Stream, codecs
from zom.extension.checked import checked

pytestmark = pytest.mark.usefixtures("nothing_stays_registered")

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CHAINS = {
    "array->array": ["odd", LITTLE],
    "array->bytes": ["odd"],
    "bytes->bytes": [LITTLE, "odd"],
}
WRONG_ARRAY = [
    (None, "an array", "None"),
    ("text", "an array", "'text'"),
    (np.zeros((99,), "<i2"), "int16 of shape (3, 4)", "int16 of shape (99,)"),
    (np.zeros((), "<i2"), "int16 of shape (3, 4)", "int16 of shape ()"),
    (np.zeros((3, 4), "f4"), "int16 of shape (3, 4)", "float32 of shape (3, 4)"),
    (np.zeros((3, 4), object), "int16 of shape (3, 4)", "object of shape (3, 4)"),
]
WRONG_BYTES = [
    (None, "bytes", "None"),
    ("text", "bytes", "'text'"),
    (b"ab", "24 bytes", "2"),
    (b"x" * 999, "24 bytes", "999"),
]


class Odd(Codec):
    """Gives back what goes in, except where a test says."""

    name = "odd"

    def __init__(self, kind: Any, *, size: Any = 24, most: Any = None, threaded: Any = "right", **given: Any):
        self.kind, self.size, self.most, self.threaded, self.given = kind, size, most, threaded, given

    def thread(self, configuration, before, faults, path):
        if self.threaded != "right":
            return self.threaded
        return before if self.kind == "array->array" else Bytes(self.size)

    def bind(self, configuration, before, after):
        given, is_serial = self.given, self.kind == "array->bytes"

        class Giving(Coder[Any, Any]):
            most = self.most

            def encode(self, chunk):
                return given["encode"] if "encode" in given else chunk.tobytes() if is_serial else chunk

            def decode(self, chunk):
                if "decode" in given:
                    return given["decode"]
                return np.frombuffer(chunk, "<i2").reshape(3, 4) if is_serial else chunk

        if "encode_rows" in given:
            Giving.encode_rows = lambda self, rows, count: given["encode_rows"]  # type: ignore[method-assign]
        return Giving()


def array(codec: Odd, *, is_sharded: bool = False) -> zom.Array[Any]:
    codecs.register(codec)
    document = v3.ArraySpec.build(shape=(6, 4), dtype="int16", chunks=(3, 4)).to_dict()
    document["codecs"] = CHAINS[codec.kind]
    if is_sharded:
        shards = {"chunk_shape": [3, 4], "codecs": CHAINS[codec.kind], "index_codecs": [LITTLE]}
        document["codecs"] = [{"name": "sharding_indexed", "configuration": shards}]
        document["chunk_grid"]["configuration"]["chunk_shape"] = [6, 4]
    return zom.create_array("memory:", zom.parse(document), "a")


def cases(kinds: tuple[str, ...], wrong: list[tuple[Any, str, str]]) -> list[Any]:
    return [(kind, *case) for kind in kinds for case in wrong]


@pytest.mark.parametrize("is_sharded", [False, True])
@pytest.mark.parametrize(
    ("kind", "given", "expected", "found"),
    cases(("array->array",), WRONG_ARRAY) + cases(("array->bytes", "bytes->bytes"), WRONG_BYTES),
)
def test_what_encode_gives_is_stored_only_as_promised(kind, given, expected, found, is_sharded):
    made = array(Odd(kind, encode=given), is_sharded=is_sharded)
    with pytest.raises(ChunkError) as caught:
        made[:] = 7
    assert f": odd: expected {expected} from encode, found {found};" in str(caught.value)
    assert sorted(made.store.list("a/")) == ["a/zarr.json"]


@pytest.mark.parametrize("is_sharded", [False, True])
@pytest.mark.parametrize(
    ("kind", "given", "expected", "found"),
    cases(("array->array", "array->bytes"), WRONG_ARRAY) + cases(("bytes->bytes",), WRONG_BYTES),
)
def test_what_decode_gives_is_the_chunk_or_an_error(kind, given, expected, found, is_sharded):
    made = array(Odd(kind, decode=given), is_sharded=is_sharded)
    made[:] = 7
    for key in (slice(None), (1, slice(1, 3))):
        with pytest.raises(ChunkError) as caught:
            made[key]
        assert f"odd: expected {expected} from decode, found {found}" in str(caught.value)


@pytest.mark.parametrize("kind", ["array->array", "array->bytes"])
def test_elements_in_the_other_order_of_bytes_are_the_same_elements(kind):
    made = array(Odd(kind, decode=np.full((3, 4), 7, ">i2")))
    made[:] = 7
    assert (made[:] == 7).all()


def test_no_chunk_is_longer_than_its_coder_says():
    made = array(Odd("bytes->bytes", size=None, most=10))
    with pytest.raises(ChunkError, match="odd: expected up to 10 bytes from encode, found 24"):
        made[:] = 7


@pytest.mark.parametrize("most", [-1, "many", True, 2.0])
def test_the_most_that_a_coder_says_is_a_number(most):
    made = array(Odd("bytes->bytes", most=most))
    with pytest.raises(ExtensionError, match="<codec odd>: expected an integer or None as most of its coder"):
        made[:] = 7


def test_a_most_that_raises_names_its_codec():
    class Raising(Odd):
        def bind(self, configuration, before, after):
            found = super().bind(configuration, before, after)
            type(found).most = property(lambda _: 1 // 0)
            return found

    made = array(Raising("bytes->bytes"))
    with pytest.raises(ExtensionError, match="<codec odd>: most of its coder raised ZeroDivisionError: "):
        made[:] = 7


@pytest.mark.parametrize("given", [None, [], [b"a"], (b"x" for _ in range(2))])
def test_as_many_chunks_are_encoded_as_are_given(given):
    """Chunks that are encoded many at once; what fails is encoded one by one, which tells the chunk."""
    made = array(Odd("bytes->bytes", encode_rows=given), is_sharded=True)
    made[:] = 7
    assert (made[:] == 7).all()


def test_an_inner_chunk_of_no_bytes_is_refused_when_it_is_written():
    made = array(Odd("bytes->bytes", size=None, encode=b""), is_sharded=True)
    with pytest.raises(ChunkError) as caught:
        made[:] = 7
    told = "inner chunk (0, 0): bytes, odd: expected at least one byte from encode, found none"
    assert told in str(caught.value)
    assert sorted(made.store.list("a/")) == ["a/zarr.json"]


@pytest.mark.parametrize(
    ("kind", "threaded", "words"),
    [
        ("array->array", Bytes(), "Elements or None"),
        ("array->bytes", Elements(None, None), "Bytes"),
        ("bytes->bytes", Elements(None, None), "Bytes"),
        ("bytes->bytes", Bytes(-1), "Bytes with a size from 0, or None,"),
        ("bytes->bytes", Bytes("2"), "Bytes with a size from 0, or None,"),  # type: ignore[arg-type]
        ("array->array", Elements(None, "int8"), "Elements with a DataType, or None,"),  # type: ignore[arg-type]
        *(
            ("array->array", Elements(lengths, IntType(8, signed=True)), "Elements with a tuple of lengths")
            for lengths in ("ab", (3, 4), ((3,), ()), ((-3,), (4,)), [(3,), (4,)])
        ),
    ],
)
def test_what_thread_gives_is_looked_at_when_a_document_is_checked(kind, threaded, words):
    codecs.register(Odd(kind, threaded=threaded))
    document = v3.ArraySpec.build(shape=(3, 4), dtype="int16").to_dict()
    with pytest.raises(ExtensionError) as caught:
        zom.validate({**document, "codecs": CHAINS[kind]})
    assert str(caught.value).startswith(f"<codec odd>: expected {words}")
    assert str(caught.value).endswith("; correct it, or its package")


def test_a_chain_that_changes_the_shape_decodes_no_memory_that_nobody_wrote():
    """Memory for chunks is made by codecs that give views, and by no other."""
    seen = []

    class Looking(Odd):
        def bind(self, configuration, before, after):
            coder = super().bind(configuration, before, after)
            decode = coder.decode
            coder.decode = lambda chunk: seen.append(chunk.copy()) or decode(chunk)
            return coder

    made = array(Looking("array->array"))
    made[:] = 7
    assert (made[1, 1:3] == 7).all()
    assert seen
    assert all((chunk == 7).all() for chunk in seen)


def test_a_scalar_of_numpy_is_an_array_without_dimensions():
    class Adding(Odd):
        def bind(self, configuration, before, after):
            coder = super().bind(configuration, before, after)
            coder.encode = lambda chunk: chunk + np.int16(1)
            coder.decode = lambda chunk: chunk - np.int16(1)
            return coder

    codecs.register(Adding("array->array"))
    document = v3.ArraySpec.build(shape=(), dtype="int16").to_dict()
    made = zom.create_array("memory:", zom.parse({**document, "codecs": CHAINS["array->array"]}), "a")
    made[...] = 7
    assert made[()] == 7
    assert made.store.get("a/c") == b"\x08\x00"


@pytest.mark.parametrize("name", ["decode_into", "decode_rows", "decode_array_into"])
def test_what_fills_a_target_gives_nothing(name):
    def fill(self, chunk, target):
        target[:] = b"ab" if isinstance(target, memoryview) else 1
        return chunk

    coder = type(
        "Filling", (Coder,), {"encode": lambda _, chunk: chunk, "decode": lambda _, chunk: chunk, name: fill}
    )()
    looked_at = checked(Odd("bytes->bytes"), coder, Stream(2, 2), Stream(2, 2))
    told = f"expected {name} to fill its target and return None, found b'ab'"
    with pytest.raises(CodecError, match=f"^{told}$"):
        getattr(looked_at, name)(
            b"ab", np.zeros(2, "u1") if name == "decode_array_into" else memoryview(bytearray(2))
        )


def shortening(name, left):
    """A coder that leaves out the last bytes or elements of what it fills: `left` of each chunk."""

    def fill(self, chunk, target):
        rows = len(chunk) if name == "decode_rows" else 1
        view = (
            np.frombuffer(target, "u1").reshape(rows, -1) if isinstance(target, memoryview) else target[None]
        )
        made = (
            np.stack([np.frombuffer(each, view.dtype) for each in chunk]) if name == "decode_rows" else chunk
        )
        made = np.frombuffer(made, view.dtype)[None] if isinstance(made, bytes) else made
        view[:, : view.shape[1] - left] = np.asarray(made).reshape(view.shape)[:, : view.shape[1] - left]

    return type(
        "Short", (Coder,), {"encode": lambda _, chunk: chunk, "decode": lambda _, chunk: chunk, name: fill}
    )()


ENDS = (b"\x9e7y\xb9\x7fJ|\x15", b"a\xc8\x86F\x80\xb5\x83\xea", b"\0" * 8)
"""Ends of data: those that zom itself puts there first are among them, as nothing keeps data from ending so."""


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 4096])
@pytest.mark.parametrize("name", ["decode_into", "decode_rows", "decode_array_into"])
def test_a_target_whose_end_is_not_filled_is_no_data(name, size, end):
    data = (b"x" * size + end)[-size:]
    chunk = [b"y" * size, data] if name == "decode_rows" else data

    def filled(left):
        looked_at = checked(
            Odd("bytes->bytes"), shortening(name, left), Stream(size, size), Stream(size, size)
        )
        target = np.full(size * (2 if name == "decode_rows" else 1), 3, "u1")
        getattr(looked_at, name)(chunk, target if name == "decode_array_into" else memoryview(target))
        return target.tobytes()

    assert filled(0) == (b"".join(chunk) if name == "decode_rows" else data)
    for left in {min(size, 8), size}:
        with pytest.raises(CodecError, match=f"^expected {name} to fill its target, found an unchanged end$"):
            filled(left)


@pytest.mark.parametrize("size", [1, 2, 8, 9])
def test_chunks_that_end_in_all_sorts_of_bytes_are_data(size):
    chunks = [(b"x" * size + end)[-size:] for end in ENDS for _ in range(3)]
    looked_at = checked(
        Odd("bytes->bytes"), shortening("decode_rows", 0), Stream(size, size), Stream(size, size)
    )
    target = bytearray(size * len(chunks))
    looked_at.decode_rows(chunks, memoryview(target))
    assert target == b"".join(chunks)
