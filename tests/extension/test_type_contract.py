"""Data types of other packages are looked at whole: when they are registered, and when a document first names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import zom
from zom import v3
from zom.dtypes.int import IntType
from zom.errors import ChunkError, ExtensionError
from zom.extension import DataType, DataTypeFamily, data_types

pytestmark = pytest.mark.usefixtures("nothing_stays_registered")


@dataclass(frozen=True)
class Tone(DataType):
    """Integers of one byte in memory and two in a chunk."""

    name = "tone"
    kind = "uint"
    itemsize = 2
    is_packed = True

    def numpy(self):
        return np.dtype("uint8")

    def to_v3(self):
        return "tone"

    def parse_fill(self, value, form, faults, path=()):
        return np.uint8(value)

    def fill_json(self, scalar, form):
        return int(scalar)

    def default(self):
        return np.uint8(0)

    def cast(self, value):
        return np.uint8(value)

    def dump(self, elements, order):
        return np.repeat(elements[..., np.newaxis], 2, -1)

    def load(self, stored, order):
        return stored[..., 0].copy()


class Tones(DataTypeFamily):
    name = "tone"
    registered = False
    has_examples = True

    def __init__(self, made: Any = Tone()):
        self.made = made

    def from_v3(self, name, configuration, faults, path):
        return self.made

    def from_v2(self, dtype, object_codec, faults, path):
        return self.made if dtype == "tone" else None

    def from_numpy(self, dtype):
        return None

    def examples(self):
        return (self.made,) if self.has_examples else ()


class Unlisted(Tones):
    has_examples = False


def raising(*arguments, **named):
    raise ValueError("not so")


def with_(**members):
    return type("Broken", (Tone,), members)()


def document(**changed):
    return {**v3.ArraySpec.build(shape=(4,), dtype="uint8").to_dict(), "data_type": "tone", **changed}


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"name": 3}, "name: expected a name in the form that documents use, found 3"),
    ({"kind": "colour"}, "kind: expected one of bool, int, "),
    ({"kind": property(raising)}, "kind: expected one of bool, int, "),
    ({"itemsize": "2"}, "itemsize: expected an integer from 0, or None, found '2'"),
    ({"itemsize": True}, "itemsize: expected an integer from 0, or None, found True"),
    ({"is_packed": None}, "is_packed: expected true or false, found None"),
    ({"has_order": 1}, "has_order: expected true or false, found 1"),
    ({"order": "big-endian"}, "order: expected 'little', 'big' or None, found 'big-endian'"),
    ({"numpy": lambda self: "uint8"}, "numpy: expected a numpy.dtype, found 'uint8'"),
    ({"numpy": raising}, "numpy: expected a numpy.dtype, found ValueError: not so"),
    ({"to_v3": lambda self: {}}, "to_v3: expected a name, or an object with a name, found {}"),
    ({"fill_schema": lambda self, form: None}, "fill_schema: expected a JSON Schema, as a dict, found None"),
    ({"default": lambda self: "loud"}, "default: expected a scalar of numpy(), found ValueError: "),
    ({"default": raising}, "default: expected a scalar of numpy(), found ValueError: not so"),
    ({"parse_fill": lambda *_: None}, "parse_fill: expected the scalar of fill_json, and no fault, found "),
    ({"fill_json": lambda *_: 1}, "parse_fill: expected the scalar of fill_json, and no fault, found "),
    ({"cast": lambda *_: 9}, "cast: expected an unchanged default, found False"),
    ({"cast": raising}, "cast: expected an unchanged default, found ValueError: not so"),
    ({"__hash__": None}, "hash: expected an integer: types are values, found TypeError: "),
    ({"dump": lambda *_: None}, "dump: expected uint8 of shape (2, 2), found None"),
    ({"dump": raising}, "dump: expected uint8 of shape (2, 2), found ValueError: not so"),
    ({"load": lambda self, stored, order: stored}, "load: expected uint8 of shape (2,), found array("),
]


@pytest.mark.parametrize(("members", "told"), BROKEN)
def test_a_type_that_breaks_its_contract_is_refused_with_its_family(members, told):
    with pytest.raises(ExtensionError) as caught:
        data_types.register(Tones(with_(**members)))
    start = "<data type tone> can't be registered as a data type: examples: Broken: "
    assert str(caught.value).startswith(start)
    assert told in str(caught.value)
    assert data_types.known("tone") is None


@pytest.mark.parametrize(("members", "told"), BROKEN)
def test_a_type_that_is_no_example_is_refused_when_a_document_names_it(members, told):
    data_types.register(Unlisted(with_(**members)))
    with pytest.raises(ExtensionError) as caught:
        zom.validate(document())
    assert str(caught.value).startswith("<data type tone>: from_v3 returned an invalid type: ")
    assert told in str(caught.value)
    assert str(caught.value).endswith("; correct it, or its package")


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(ExtensionError) as caught:
        data_types.register(Tones(with_(kind="colour", itemsize=-1, default=raising)))
    assert [word in str(caught.value) for word in ("kind: ", "itemsize: ", "default: ")] == [True] * 3


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"fill_schema": lambda self, form: []}, "fill_schema: expected a JSON Schema, as a dict, found []"),
        ({"name_patterns": "a"}, "name_patterns: expected two regular expressions, or None, found 'a'"),
        ({"claims": lambda self, name: 1}, "claims: expected true or false"),
        ({"claims": raising}, "claims or examples raised ValueError: not so"),
        ({"examples": lambda self: (5,)}, "examples: expected data types, found 5"),
        ({"examples": lambda self: None}, "examples raised TypeError: "),
    ],
)
def test_what_a_family_says_is_looked_at_when_it_is_registered(members, told):
    with pytest.raises(ExtensionError, match="can't be registered as a data type: ") as caught:
        data_types.register(type("Family", (Tones,), members)())
    assert told in str(caught.value)


@pytest.mark.parametrize("given", [5, with_(kind="colour")])
def test_types_of_v2_and_of_numpy_are_looked_at_too(given):
    class Everywhere(Unlisted):
        def from_numpy(self, dtype):
            return self.made if dtype == np.dtype("longdouble") else None

    data_types.register(Everywhere(given))
    v2 = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "tone", "compressor": None}
    with pytest.raises(ExtensionError, match=r"<data type tone>: .*from_v2"):
        zom.validate({**v2, "filters": None, "order": "C", "fill_value": 0})
    with pytest.raises(ExtensionError, match=r"<data type tone>: .*from_numpy"):
        v3.ArraySpec.build(shape=(2,), dtype=np.dtype("longdouble"))


def test_a_type_that_keeps_it_is_stored():
    data_types.register(Tones())
    array = zom.create_array("memory:", zom.parse(document(codecs=["bytes"])), "a")
    array[:] = [1, 2, 3, 4]
    assert array[1:3].tolist() == [2, 3]


def test_a_fill_value_that_makes_a_type_raise_names_the_type():
    data_types.register(Tones())
    told = (
        "<data type tone>: the fill value {} raised ValueError: invalid literal for int() with base 10: 'x'"
    )
    with pytest.raises(ExtensionError) as caught:
        zom.validate(document(fill_value="x"))
    assert str(caught.value) == told.format('"x"') + "; correct it, or its package"
    with pytest.raises(ExtensionError) as caught:
        v3.ArraySpec.build(shape=(4,), dtype="tone", fill_value="x")
    assert str(caught.value) == told.format("'x'") + "; correct it, or its package"


@pytest.mark.parametrize(
    ("give", "told"),
    [
        (raising, "tone: {} raised ValueError: not so"),
        (lambda *_: None, "tone: expected uint8 of shape {} from {}, found None"),
        (lambda *_: np.zeros(9), "tone: expected uint8 of shape {} from {}, found float64 of shape (9,)"),
    ],
)
@pytest.mark.parametrize(("method", "shape"), [("dump", "(4, 2)"), ("load", "(4,)")])
def test_elements_that_a_type_can_not_turn_into_bytes_name_the_type(method, shape, give, told):
    """Registration sees the default only; some other element may be what a type fails at."""

    class Later(Tone):
        def dump(self, elements, order):
            broken = method == "dump" and elements.any()
            return give() if broken else super().dump(elements, order)

        def load(self, stored, order):
            broken = method == "load" and stored.any()
            return give() if broken else super().load(stored, order)

    data_types.register(Tones(Later()))
    array = zom.create_array("memory:", zom.parse(document(codecs=["bytes"])), "a")

    def use():
        array[:] = 7
        return array[:]

    with pytest.raises(ChunkError) as caught:
        use()
    words = told.format(method) if give is raising else told.format(shape, method)
    assert f"bytes: {words};" in str(caught.value)


def test_zoms_own_types_keep_the_contract():
    from zom.extension.type_contract import type_faults

    wrong = {
        repr(made): faults
        for family in data_types.own()
        for made in family.examples()
        if (faults := type_faults(made))
    }
    assert wrong == {}
    assert type_faults(IntType(5, signed=False)) == []
