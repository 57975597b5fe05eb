"""What methods of extensions give, which registering can't see, is looked at where it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

import zom
from zom import v3
from zom.dtypes.int import IntType
from zom.errors import ExtensionError
from zom.extension import (
    Bytes,
    ChunkGrid,
    ChunkKeyEncoding,
    Codec,
    Configuration,
    DataTypeFamily,
    Interval,
    KeyForm,
    KeyWriter,
    NoConfiguration,
    chunk_grids,
    chunk_key_encodings,
    codecs,
    data_types,
)
from zom.extension.answer import answer
from zom.extension.resolve import parse_v3

pytestmark = pytest.mark.usefixtures("nothing_stays_registered")


class Wrong(Codec):
    kind = "bytes->bytes"

    def __init__(self, name, threaded, bound=None):
        self.name = name
        self.threaded, self.bound = threaded, bound

    def thread(self, configuration, before, faults, path):
        if isinstance(self.threaded, Exception):
            raise self.threaded
        return self.threaded

    def bind(self, configuration, before, after):
        return self.bound


class Keys(ChunkKeyEncoding):
    name = "answer-keys"

    def form(self, configuration):
        return "c/0"


class Grid(ChunkGrid):
    name = "answer-grid"

    def lengths(self, configuration, shape, faults, path):
        return [(4,)]

    def axes(self, configuration, shape):
        return ()


class Family(DataTypeFamily):
    name = "answer-type"
    given: Any = 5

    def from_v3(self, name, configuration, faults, path):
        return self.given

    def from_numpy(self, dtype):
        return None


def document(**changed):
    return {**v3.ArraySpec.build(shape=(4,), dtype="int8").to_dict(), **changed}


def write(changed):
    zom.create_array("memory:", zom.parse(document(**changed)))[:] = 1


HOW = "; correct it, or its package"


@pytest.mark.parametrize(
    ("codec", "told"),
    [
        (Wrong("answer-a", RuntimeError("no libfoo")), "thread raised RuntimeError: no libfoo"),
        (Wrong("answer-b", 3), "expected Bytes, Elements or None from thread, found 3"),
        (Wrong("answer-c", Bytes()), "expected a Coder from bind, found None"),
    ],
)
def test_a_codec_that_answers_something_else_is_named(codec, told):
    codecs.register(codec)
    with pytest.raises(ExtensionError) as caught:
        write({"codecs": ["bytes", codec.name]})
    assert str(caught.value).endswith(f"<codec {codec.name}>: {told}{HOW}")


@pytest.mark.parametrize(
    ("registry", "extension", "member", "told"),
    [
        (
            chunk_key_encodings,
            Keys(),
            "chunk_key_encoding",
            "<chunk key encoding answer-keys>: expected a KeyForm from form, found 'c/0'",
        ),
        (
            chunk_grids,
            Grid(),
            "chunk_grid",
            "<chunk grid answer-grid>: expected a tuple or None from lengths, found [(4,)]",
        ),
        (
            data_types,
            Family(),
            "data_type",
            "<data type answer-type>: expected a DataType or None from from_v3, found 5",
        ),
    ],
)
def test_each_other_kind_is_named_too(registry, extension, member, told):
    registry.register(extension)
    with pytest.raises(ExtensionError) as caught:
        write({member: {"name": extension.name}})
    assert str(caught.value).endswith(told + HOW)


def test_errors_of_zom_and_of_memory_stay_what_they_are():
    class Passing:
        def ask(self, error):
            raise error

    for error in (ExtensionError("as it is"), MemoryError(), RecursionError()):
        with pytest.raises(type(error)) as caught:
            answer(Passing(), "ask", (int,), "an integer", error)
        assert caught.value is error


def test_a_method_that_would_have_to_be_awaited_is_no_method():
    class Late(Wrong):
        async def thread(self, configuration, before, faults, path):
            return before

    with pytest.raises(ExtensionError, match=r"thread: expected a method thread\(.*\), found async thread\("):
        codecs.register(Late("answer-late", None))


def test_keys_and_grids_need_no_configuration_of_their_own():
    class Plain(ChunkKeyEncoding):
        name = "answer-plain"

        def form(self, configuration):
            return KeyForm("k", "-", "k", "")

    chunk_key_encodings.register(Plain())
    array = zom.create_array("memory:", zom.parse(document(chunk_key_encoding="answer-plain")), "a")
    array[:] = 1
    assert sorted(array.store.list("a/")) == ["a/k0", "a/zarr.json"]
    (problem,) = zom.validate(
        document(chunk_key_encoding={"name": "answer-plain", "configuration": {"x": 1}})
    )
    assert problem.pointer == "/chunk_key_encoding/configuration/x"


class Digits(Configuration):
    digits: Annotated[int, Interval(0, 9)]


@pytest.mark.parametrize(
    ("model", "spelled", "pointer", "expected"),
    [
        (Digits, {"digits": 10}, "/data_type/configuration/digits", "an integer from 0 to 9"),
        (Digits, None, "/data_type/configuration/digits", "an integer from 0 to 9"),
        (NoConfiguration, {"digits": 1}, "/data_type/configuration/digits", "no members"),
    ],
)
def test_a_type_is_asked_for_only_with_a_configuration_that_its_model_accepts(
    model, spelled, pointer, expected
):
    data_types.register(type("Asked", (Family,), {"configuration": model})())
    value = {"name": "answer-type", **({} if spelled is None else {"configuration": spelled})}
    (problem,) = zom.validate(document(data_type=value))
    assert (problem.code, problem.pointer, problem.expected) == ("data-type/configuration", pointer, expected)


def test_a_type_gets_its_configuration_as_its_model():
    class Asked(Family):
        configuration = Digits

        def from_v3(self, name, configuration, faults, path):
            assert configuration == Digits(digits=3)
            return IntType(8, signed=True)

    data_types.register(Asked())
    found = parse_v3({"name": "answer-type", "configuration": {"digits": 3}}, [])
    assert found.numpy() == np.dtype("int8")


def test_object_of_v3_is_a_name_that_nobody_knows():
    faults: list[Any] = []
    assert parse_v3({"name": "object", "configuration": {"x": 1}}, faults) is None
    assert faults == []


class Silent(Exception):
    """An error whose text can't be had."""

    def __str__(self) -> str:
        raise RuntimeError


def test_an_error_without_a_text_is_told_by_its_name():
    codecs.register(Wrong("answer-silent", Silent()))
    with pytest.raises(ExtensionError) as caught:
        write({"codecs": ["bytes", "answer-silent"]})
    assert str(caught.value).endswith(f"<codec answer-silent>: thread raised Silent{HOW}")


def test_an_answer_whose_repr_raises_is_told_by_its_type():
    class Hidden:
        def __repr__(self) -> str:
            raise RuntimeError

    codecs.register(Wrong("answer-hidden", Hidden()))
    with pytest.raises(ExtensionError, match="from thread, found one of Hidden; correct it"):
        write({"codecs": ["bytes", "answer-hidden"]})


def raising(*arguments):
    raise ValueError("not so")


@dataclass(frozen=True)
class Plainly(KeyWriter):
    """`k-0`: its methods are those that a test gives."""

    def key(self, coords):
        return "-".join(["k", *map(str, coords)])

    def coords(self, key, rank):
        numbers = key.split("-")[1:]
        return tuple(map(int, numbers)) if len(numbers) == rank and key[0] == "k" else None


def keyed(**methods):
    class Written(ChunkKeyEncoding):
        name = "answer-written"

        def form(self, configuration):
            return KeyForm.written_by(type("Broken", (Plainly,), methods)())

    chunk_key_encodings.register(Written())
    return zom.create_array("memory:", zom.parse(document(chunk_key_encoding="answer-written")), "a")


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ({"key": raising}, "key raised ValueError: not so"),
        ({"key": lambda *_: None}, "expected a string from key, found None"),
        ({"key": lambda *_: ""}, "expected a string from key, found ''"),
        ({"key": lambda *_: "k-9"}, "expected (0,) from coords of its key 'k-9', found (9,)"),
        ({"key": lambda *_: "other"}, "expected (0,) from coords of its key 'other', found None"),
        ({"coords": raising}, "coords raised ValueError: not so"),
        ({"coords": lambda *_: "0"}, "expected a tuple of integers or None from coords, found '0'"),
        ({"coords": lambda *_: ("0",)}, "expected a tuple of integers or None from coords, found ('0',)"),
    ],
)
def test_a_key_that_does_not_tell_its_chunk_is_never_written(methods, told):
    """Two chunks could have one key, and the second would be written over the first."""
    array = keyed(**methods)
    with pytest.raises(ExtensionError) as caught:
        array[:] = 1
    assert str(caught.value).endswith(f"<chunk key encoding answer-written>: {told}{HOW}")
    assert [*array.store.list("a/")] == ["a/zarr.json"]


def test_a_writer_that_tells_its_keys_is_used():
    array = keyed()
    array[:] = 1
    assert array.store.get("a/k-0") is not None
    assert array[1:3].tolist() == [1, 1]


@pytest.mark.parametrize("given", [(4,), ((),), (("4",),), ((-4,),)])
def test_lengths_of_a_grid_are_numbers_for_each_dimension(given):
    class Lengths(Grid):
        def lengths(self, configuration, shape, faults, path):
            return given

    chunk_grids.register(Lengths())
    with pytest.raises(ExtensionError) as caught:
        zom.validate(document(chunk_grid={"name": "answer-grid"}))
    told = f"expected lengths to return a tuple of lengths for each dimension, found {given!r}"
    assert str(caught.value) == f"<chunk grid answer-grid>: {told}{HOW}"


def test_of_two_with_one_name_the_first_stays_and_its_module_is_named():
    first = codecs.register(Wrong("answer-twice", None, None))
    with pytest.raises(ExtensionError) as caught:
        codecs.register(Wrong("answer-twice", None, None))
    told = "a codec named 'answer-twice' is registered already: <codec answer-twice>, by "
    assert str(caught.value) == f"{told}{__name__}"
    assert codecs["answer-twice"] is first
