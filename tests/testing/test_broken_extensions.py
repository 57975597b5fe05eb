"""Each suite of `zom.testing` fails on an extension that breaks a promise: one for each promise, and all promises."""

from __future__ import annotations

import inspect
import itertools
import threading
import time
from typing import ClassVar

import numpy as np
import pytest

from zom import v3
from zom.conventions import Attributes, CheckedRule, Convention, conventions, pattern
from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.extension import (
    Bytes,
    ChunkKeyEncoding,
    Codec,
    Coder,
    Configuration,
    Fault,
    KeyForm,
    KeyWriter,
    chunk_grids,
    chunk_key_encodings,
    codecs,
    data_types,
    rule,
)
from zom.grids.regular import RegularGrid
from zom.testing.chunk_keys import ChunkKeySuite
from zom.testing.codecs import CodecSuite
from zom.testing.conventions import ConventionSuite
from zom.testing.dtypes import DataTypeSuite
from zom.testing.grids import GridSuite

WRONG = rule("testing/wrong", "nothing is wrong", source="tests")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """What a test registers is forgotten."""
    from zom.extension import registry

    for each in (codecs, data_types, chunk_grids, chunk_key_encodings, conventions):
        each.own()
        for name in ("_all", "_by_name", "_modules"):
            monkeypatch.setattr(each, name, getattr(each, name).copy())
    yield
    registry._revision[0] += 1


def names_of(suite):
    return {name for name, _ in inspect.getmembers(suite, inspect.isfunction) if name.startswith("test_")}


def run(suite, name):
    method = getattr(suite(), name)
    method()


# --- codecs --------------------------------------------------------------------------------------------------


class Plain(Coder):
    def encode(self, chunk):
        return bytes(chunk)

    decode = encode


class Settings(Configuration):
    by: int = 1


class Sound(Codec):
    """A codec that does nothing, and nothing wrong."""

    name = "example.sound"
    kind = "bytes->bytes"
    configuration = Settings
    registered = False
    coder: ClassVar = Plain

    def thread(self, configuration, before, faults, path):
        return before

    def bind(self, configuration, before, after):
        return self.coder()


class Adding(Plain):
    def encode(self, chunk):
        return bytes(chunk) + b"!"


class Longer(Plain):
    def decode(self, chunk):
        return bytes(chunk) + b"!" * 100


class Spoiling(Plain):
    def decode(self, chunk):
        if isinstance(chunk, bytearray) and chunk:
            chunk[0] ^= 1
        return bytes(chunk)


class Forgetful(Plain):
    """Keeps what it was given last between calls."""

    last = b""

    def encode(self, chunk):
        self.last = bytes(chunk)
        return b"0" * len(self.last)

    def decode(self, chunk):
        kept = self.last
        time.sleep(0.0005)
        if kept is not self.last:
            return b"another thread's"
        return kept


class Counting(Plain):
    """Gives the same to one thread only."""

    def __init__(self):
        self._home = threading.get_ident()

    def decode(self, chunk):
        return bytes(chunk) if threading.get_ident() == self._home else b"?"


class Idle(Plain):
    def decode_rows(self, chunks, target):
        pass


class Answering(Plain):
    def decode_rows(self, chunks, target):
        super().decode_rows(chunks, target)
        return chunks


class Losing(Plain):
    def encode_rows(self, rows, count):
        return super().encode_rows(rows, count)[:2]


class Unreadable(Settings):
    def canonical(self):
        return {"by": self.by + 1}


class Serial(Codec):
    """array -> bytes, as memory has it."""

    name = "example.serial"
    kind = "array->bytes"
    registered = False

    def thread(self, configuration, before, faults, path):
        return Bytes()

    def bind(self, configuration, before, after):
        class Memory(Coder):
            def encode(self, chunk):
                # Wrong of a chunk that lies in memory in another order.
                return bytes(
                    memoryview(chunk.T if chunk.flags.f_contiguous and chunk.ndim > 1 else chunk.copy()).cast(
                        "B"
                    )
                )

            def decode(self, chunk):
                return np.frombuffer(chunk, before.dtype).reshape(before.shape)

        return Memory()


class Gaps(Serial):
    def bind(self, configuration, before, after):
        class Memory(Coder):
            def encode(self, chunk):
                return chunk.tobytes(order="A")

            def decode(self, chunk):
                return np.frombuffer(chunk, before.dtype).reshape(before.shape)

        return Memory()


class Trusting(Serial):
    """Decodes to as many elements as there are bytes."""

    def bind(self, configuration, before, after):
        class Memory(Coder):
            def encode(self, chunk):
                return chunk.tobytes()

            def decode(self, chunk):
                whole = np.frombuffer(
                    bytes(chunk)[: len(chunk) // before.dtype.itemsize * before.dtype.itemsize], before.dtype
                )
                return whole.reshape(before.shape) if whole.size == before.count else whole

        return Memory()


def codec(base=Sound, register=True, **members):
    made = type("Broken", (base,), {"__module__": __name__, **members})()
    if register:
        codecs.register(made)
    return made


def codec_suite(make, **members):
    return lambda: type("Suite", (CodecSuite,), {"codec": make(), **members})


def told(self, configuration, before, faults, path):
    faults.append(Fault(WRONG, path, "a", "b"))
    return before


def strange(self, configuration, before, faults, path):
    if configuration.by == 2:
        faults.append(Fault(WRONG, ("elsewhere",), "a", "b"))
    return before


CODECS = {
    "test_it_is_registered_and_keeps_the_contract": [
        codec_suite(lambda: codec(register=False)),
        codec_suite(lambda: codec(register=False, kind="bytes")),
    ],
    "test_configurations_are_read_and_written_back": [
        codec_suite(codec, configurations=({"by": "x"},)),
        codec_suite(lambda: codec(configuration=Unreadable)),
    ],
    "test_wrong_configurations_are_faults": [
        codec_suite(codec, wrong_configurations=({"by": 7},)),
        codec_suite(lambda: codec(thread=strange), wrong_configurations=({"by": 2},)),
    ],
    "test_what_is_not_known_is_no_fault": [codec_suite(lambda: codec(thread=told))],
    "test_what_was_encoded_is_decoded": [
        codec_suite(lambda: codec(coder=Adding)),
        codec_suite(lambda: codec(coder=Longer)),
    ],
    "test_thread_says_what_comes_out": [
        codec_suite(lambda: codec(coder=Adding)),
        codec_suite(lambda: codec(Serial, thread=lambda self, *_: Bytes(3))),
    ],
    "test_a_chunk_stays_as_it_is": [codec_suite(lambda: codec(coder=Spoiling))],
    "test_memory_in_any_order_is_encoded": [
        codec_suite(lambda: codec(Gaps)),
        codec_suite(lambda: codec(Serial)),
    ],
    "test_rows_are_as_one_by_one": [
        codec_suite(lambda: codec(coder=Idle)),
        codec_suite(lambda: codec(coder=Answering)),
        codec_suite(lambda: codec(coder=Losing)),
    ],
    "test_threads_share_a_coder": [codec_suite(lambda: codec(coder=Counting))],
    "test_damaged_data_is_refused_or_of_the_right_form": [
        codec_suite(lambda: codec(Trusting)),
        codec_suite(lambda: codec(coder=Longer, thread=lambda self, c, before, *_: before)),
    ],
    "test_arrays_with_it_are_written_and_read": [
        codec_suite(lambda: codec(coder=Forgetful)),
        codec_suite(lambda: codec(coder=Longer)),
    ],
}


# --- data types ----------------------------------------------------------------------------------------------


def family(base=IntType, register=True, **members):
    kind = type(
        "Kind", (base,), {"name": property(lambda self: "example.five"), "__module__": __name__, **members}
    )
    globals()["Kind"] = kind  # pickle looks it up
    made = PlainFamily(kind(5, signed=True), is_registered=False)
    if register:
        data_types.register(made)
    return made


def type_suite(make=family, **members):
    return lambda: type(
        "Suite", (DataTypeSuite,), {"family": make(), "fills": (1, 0, -4), "wrong_fills": ("x",), **members}
    )


ALTERNATING = itertools.cycle((1, 2))


def unhashable(self):
    raise TypeError("no hash")


TYPES = {
    "test_it_is_registered_and_keeps_the_contract": [type_suite(lambda: family(register=False))],
    "test_configurations_are_read_and_written_back": [type_suite(configurations=({"a": 1},))],
    "test_wrong_configurations_are_faults": [type_suite(wrong_configurations=({},))],
    "test_a_type_is_read_from_the_document_that_it_writes": [
        type_suite(lambda: family(to_v3=lambda self: "int8")),
        type_suite(lambda: family(to_v3=lambda self: "example.other")),
    ],
    "test_types_are_values": [
        type_suite(lambda: family(__hash__=unhashable)),
        type_suite(lambda: family(__eq__=lambda self, other: False, __hash__=lambda self: 1)),
        type_suite(lambda: family(itemsize="1")),
    ],
    "test_fill_values_are_written_as_they_were_read": [
        type_suite(lambda: family(fill_json=lambda self, scalar, form: 3)),
        type_suite(fills=("x",)),
    ],
    "test_wrong_fill_values_are_faults": [type_suite(wrong_fills=(3,))],
    "test_any_json_is_a_scalar_or_a_fault": [
        type_suite(lambda: family(parse_fill=lambda self, value, form, faults, path=(): None)),
        type_suite(lambda: family(parse_fill=lambda self, value, form, faults, path=(): value["x"])),
    ],
    "test_the_schema_takes_what_is_read": [
        type_suite(lambda: family(fill_schema=lambda self, form: {"type": "string"})),
        type_suite(lambda: family(fill_schema=lambda self, form: {"type": ["string", "integer"]})),
        type_suite(lambda: family(fill_schema=lambda self, form: {"type": "text"})),
    ],
    "test_a_cast_takes_elements_and_nothing_else": [
        type_suite(lambda: family(cast=lambda self, value: value)),
        type_suite(lambda: family(cast=lambda self, value: np.int8(7))),
    ],
    "test_arrays_of_it_are_written_and_read": [
        type_suite(
            lambda: family(dump=lambda self, elements, order: np.zeros((*elements.shape, 1), np.uint8))
        ),
        type_suite(lambda: family(dump=lambda self, elements, order: elements.view(np.uint8))),
        type_suite(lambda: family(load=lambda self, stored, order: stored[..., 0])),
    ],
    "test_chunks_of_the_fill_value_are_not_stored": [
        type_suite(
            lambda: family(parse_fill=lambda self, value, form, faults, path=(): np.int8(next(ALTERNATING)))
        )
    ],
    "test_packed_bytes_are_elements_or_refused": [
        type_suite(lambda: family(load=lambda self, stored, order: stored[..., 0])),
        type_suite(lambda: family(load=lambda self, stored, order: stored[..., 0].view(np.int8)[:1])),
    ],
}


# --- chunk keys ----------------------------------------------------------------------------------------------


class Writer(KeyWriter):
    def key(self, coords):
        return ".".join(["k", *map(str, coords)])

    def coords(self, key, rank):
        parts = key.split(".")
        numbers = parts[1:]
        if (
            parts[0] != "k"
            or len(numbers) != rank
            or not all(each.isascii() and each.isdigit() for each in numbers)
        ):
            return None
        found = tuple(map(int, numbers))
        return found if self.key(found) == key else None

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return 1


class Keys(ChunkKeyEncoding):
    name = "example.keys"
    configuration = Settings
    registered = False
    writer: ClassVar = Writer

    def form(self, configuration):
        return KeyForm.written_by(self.writer())


def writer(**members):
    made = type("BrokenWriter", (Writer,), {"__module__": __name__, "__hash__": lambda self: 1, **members})
    globals()["BrokenWriter"] = made
    return made


def key_suite(register=True, members=None, **written):
    def make():
        broken = type("Broken", (Keys,), {"writer": writer(**written)})()
        if register:
            chunk_key_encodings.register(broken)
        return type("Suite", (ChunkKeySuite,), {"encoding": broken, **(members or {})})

    return make


KEYS = {
    "test_it_is_registered_and_keeps_the_contract": [key_suite(register=False)],
    "test_configurations_are_read_and_written_back": [key_suite(members={"configurations": ({"by": "x"},)})],
    "test_wrong_configurations_are_faults": [key_suite(members={"wrong_configurations": ({"by": 2},)})],
    "test_forms_are_values": [
        key_suite(__eq__=lambda self, other: False),
        key_suite(__hash__=None),
        key_suite(__reduce__=lambda self: 1 / 0),
    ],
    "test_every_chunk_has_a_key_of_its_own": [
        key_suite(key=lambda self, coords: "".join(map(str, coords)) or "k"),
        key_suite(key=lambda self, coords: "/".join(["k", *map(str, coords)]) if coords != (1,) else "k/0/x"),
        key_suite(key=lambda self, coords: "zarr.json" if not coords else Writer.key(self, coords)),
        key_suite(key=lambda self, coords: "/".join(["..", *map(str, coords)])),
    ],
    "test_a_key_tells_its_chunk": [
        key_suite(coords=lambda self, key, rank: None),
        key_suite(coords=lambda self, key, rank: (0,) * rank),
    ],
    "test_other_texts_are_no_keys": [
        key_suite(
            coords=lambda self, key, rank: (
                tuple(int(each or 0) for each in key.split(".")[1:] if each.isascii() and each.isdigit())
                or None
            )
        ),
        key_suite(coords=lambda self, key, rank: (0,) * rank),
    ],
    "test_arrays_with_it_are_written_and_read": [
        key_suite(key=lambda self, coords: "k"),
        key_suite(key=lambda self, coords: "k.0" if coords else "k"),
    ],
}


# --- grids ---------------------------------------------------------------------------------------------------


def grid_suite(register=True, members=None, **broken):
    def make():
        made = type("Broken", (RegularGrid,), {"name": "example.grid", "registered": False, **broken})()
        if register:
            chunk_grids.register(made)
        arrays = (({"chunk_shape": [4]}, (10,)), ({"chunk_shape": [4, 3]}, (8, 7)))
        return type("Suite", (GridSuite,), {"grid": made, "arrays": arrays, **(members or {})})

    return make


def axes_of(change):
    return lambda self, configuration, shape: tuple(map(change, RegularGrid.axes(self, configuration, shape)))


def shifted(axis):
    made = type(axis)(axis.length, axis.regular)
    object.__setattr__(made, "count", max(0, axis.count - 1))
    return made


GRIDS = {
    "test_it_is_registered_and_keeps_the_contract": [grid_suite(register=False)],
    "test_configurations_are_read_and_written_back": [
        grid_suite(members={"arrays": (({"chunk_shape": ["x"]}, (3,)),)})
    ],
    "test_wrong_configurations_are_faults": [
        grid_suite(members={"wrong_arrays": (({"chunk_shape": [4]}, (10,)),)}),
        grid_suite(
            members={"wrong_arrays": (({"chunk_shape": [4, 4]}, (10,)),)},
            lengths=lambda self, c, shape, faults, path: faults.append(Fault(WRONG, (), "a", "b")),
        ),
    ],
    "test_lengths_are_those_of_the_chunks": [
        grid_suite(lengths=lambda self, c, shape, faults, path: None),
        grid_suite(lengths=lambda self, c, shape, faults, path: ((1,),) * len(shape)),
        grid_suite(lengths=lambda self, c, shape, faults, path: ((4, 3),)),
    ],
    "test_chunks_cover_the_array": [
        grid_suite(axes=axes_of(shifted)),
        grid_suite(axes=axes_of(lambda axis: type(axis)(axis.length + 1, axis.regular))),
    ],
    "test_a_shape_that_is_not_known_is_no_fault": [
        grid_suite(lengths=lambda self, c, shape, faults, path: ((1,),) * len(shape)),
        grid_suite(lengths=lambda self, c, shape, faults, path: faults.append(Fault(WRONG, path, "a", "b"))),
    ],
    "test_lengths_see_what_they_say": [
        grid_suite(
            sees_lengths=False, lengths=lambda self, c, shape, faults, path: tuple((each,) for each in shape)
        ),
    ],
    "test_arrays_with_it_are_written_and_read": [
        grid_suite(axes=axes_of(shifted)),
        grid_suite(lengths=lambda self, c, shape, faults, path: faults.append(Fault(WRONG, path, "a", "b"))),
    ],
}


# --- conventions ---------------------------------------------------------------------------------------------


class Title(Attributes, key="example_title"):
    text: str


NAMED = CheckedRule("text", pattern("[a-z]+", at="example_title.text"), must="the text is in lower case")


def titled(text):
    return v3.GroupSpec(attributes={"example_title": {"text": text}}, members={})


def convention_suite(register=True, rules=(NAMED,), members=None, **facts):
    def make():
        made = Convention("example", attributes=Title, rules=rules, **facts)
        if register:
            conventions.register(made)
        table = {"example/text": (titled("A"),), "example/attributes": (titled(1),)}
        return type(
            "Suite",
            (ConventionSuite,),
            {"convention": made, "good": (titled("a"),), "bad": table, **(members or {})},
        )

    return make


CONVENTIONS = {
    "test_it_is_registered_and_keeps_the_contract": [convention_suite(register=False)],
    "test_it_is_found_at_what_keeps_it": [
        convention_suite(detect=lambda node: None),
        convention_suite(members={"good": ()}),
    ],
    "test_what_keeps_it_has_no_finding": [convention_suite(members={"good": (titled("A"),)})],
    "test_a_mistake_is_one_finding": [
        convention_suite(members={"bad": {"example/text": (titled("a"),)}}),
    ],
    "test_every_rule_is_shown_broken": [convention_suite(members={"bad": {}})],
    "test_what_is_not_its_own_is_not_judged": [convention_suite(detect=lambda node: "it is there")],
    "test_its_schema_takes_what_keeps_it": [
        convention_suite(members={"good": (titled(1),)}),
    ],
    "test_every_rule_has_a_sentence": [
        convention_suite(
            rules=(CheckedRule("text", pattern("[a-z]+", at="example_title.text"), must="It ends."),)
        ),
    ],
}

# --- all of them ---------------------------------------------------------------------------------------------

TABLES = {
    CodecSuite: CODECS,
    DataTypeSuite: TYPES,
    ChunkKeySuite: KEYS,
    GridSuite: GRIDS,
    ConventionSuite: CONVENTIONS,
}

SOUND = {
    CodecSuite: codec_suite(codec),
    DataTypeSuite: type_suite(),
    ChunkKeySuite: key_suite(),
    GridSuite: grid_suite(),
    ConventionSuite: convention_suite(),
}


@pytest.mark.parametrize("suite", TABLES, ids=lambda suite: suite.__name__)
def test_every_promise_is_broken_by_something(suite):
    assert {*TABLES[suite]} == names_of(suite)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "make"),
    [
        pytest.param(name, make, id=f"{suite.__name__}-{name}-{number}")
        for suite, table in TABLES.items()
        for name, makers in table.items()
        for number, make in enumerate(makers)
    ],
)
def test_a_broken_extension_fails(name, make):
    with pytest.raises(Exception):  # noqa: B017 - most are assertions; some are raised by the extension
        run(make(), name)


@pytest.mark.slow
@pytest.mark.parametrize("suite", SOUND, ids=lambda suite: suite.__name__)
def test_a_sound_extension_passes(suite):
    made = SOUND[suite]()
    for name in names_of(suite):
        run(made, name)


def test_suites_say_what_to_set_where_an_extension_takes_less_than_they_give():
    def wants_a_dimension(self, configuration, before, faults, path):
        if before.lengths == ():
            faults.append(Fault(WRONG, path, "a dimension", "none"))
        return before

    made = codec(kind="array->array", thread=wants_a_dimension)
    told = (
        r"expected a dimension, found none.*; set `data_types` and `shapes` to values that the codec supports"
    )
    with pytest.raises(AssertionError, match=told):
        run(codec_suite(lambda: made)(), "test_thread_says_what_comes_out")


def test_suites_say_that_a_model_needs_configurations():
    class By(Configuration):
        by: int

    made = codec(configuration=By)
    told = r"\{\}: \['.*by: .*; set `configurations` to values that the model accepts"
    with pytest.raises(AssertionError, match=told):
        run(codec_suite(lambda: made)(), "test_configurations_are_read_and_written_back")
