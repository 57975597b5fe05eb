from __future__ import annotations

import numpy as np
import pytest

import zom.codecs
import zom.dtypes
from zom.errors import ExtensionError
from zom.extension.bound import Block, Stream
from zom.extension.bound_chain import bind_chain
from zom.extension.link import parse_links
from zom.extension.resolve import data_type

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def bound(name, configuration, shape):
    links = parse_links([{"name": name, "configuration": configuration}, LITTLE])
    return bind_chain(links, Block(shape, data_type("int32"), None))


def numbers(shape):
    return np.arange(np.prod(shape), dtype="i4").reshape(shape)


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
def test_a_transposed_chunk_is_stored_in_the_new_order(order):
    array = numbers((2, 3, 4))
    chain = bound("transpose", {"order": order}, array.shape)
    assert bytes(chain.encode(array)) == array.transpose(order).tobytes()
    assert (chain.decode(chain.encode(array)) == array).all()


@pytest.mark.parametrize(("name", "axes"), [("C", (0, 1, 2)), ("F", (2, 1, 0))])
def test_the_old_names_of_orders_still_work(name, axes):
    array = numbers((2, 3, 4))
    assert (
        bytes(bound("transpose", {"order": name}, array.shape).encode(array))
        == array.transpose(axes).tobytes()
    )


def test_a_chunk_without_dimensions_is_transposed():
    array = np.array(7, "i4")
    chain = bound("transpose", {"order": []}, ())
    assert chain.decode(chain.encode(array)) == 7


def test_what_is_put_into_a_transposed_view_is_in_the_chunk():
    array = numbers((2, 3))
    coder = bound("transpose", {"order": [1, 0]}, array.shape).coders[0]
    assert coder.is_view
    coder.encode(array)[2, 1] = -1
    assert array[1, 2] == -1


def test_a_transposed_chunk_is_decoded_in_place():
    array = numbers((2, 3))
    chain = bound("transpose", {"order": [1, 0]}, array.shape)
    target = np.zeros((2, 3), "i4", order="F")
    chain.decode_into(array.T.tobytes(), target)
    assert (target == array).all()


@pytest.mark.parametrize("shape", [[24], [4, 6], [[0], -1], [2, 2, 2, 3], [[0, 1], [2]], [-1]])
def test_a_reshaped_chunk_keeps_its_elements_in_order(shape):
    array = numbers((2, 3, 4))
    chain = bound("reshape", {"shape": shape}, array.shape)
    assert bytes(chain.encode(array)) == array.tobytes()
    assert (chain.decode(array.tobytes()) == array).all()
    assert chain.coders[0].encode(array).size == 24


def test_a_reshaped_chunk_is_decoded_into_memory_with_gaps():
    array = numbers((2, 3, 4))
    target = np.zeros((4, 6, 8), "i4")[::2, ::2, ::2]
    bound("reshape", {"shape": [-1]}, array.shape).decode_into(array.tobytes(), target)
    assert (target == array).all()


def test_a_transposed_chunk_can_be_reshaped():
    array = numbers((2, 3, 4))
    codecs = [
        {"name": "transpose", "configuration": {"order": [2, 1, 0]}},
        {"name": "reshape", "configuration": {"shape": [6, 4]}},
        LITTLE,
    ]
    chain = bind_chain(parse_links(codecs), Block(array.shape, data_type("int32"), None))
    assert bytes(chain.encode(array)) == array.T.tobytes()
    target = np.zeros_like(array)
    chain.decode_into(array.T.tobytes(), target)
    assert (target == array).all()


@pytest.mark.parametrize(
    "name", ["transpose", "reshape", "cast_value", "scale_offset", "bitround", "packbits"]
)
def test_codecs_of_arrays_want_elements(name):
    codec = zom.codecs.bytes.codecs[name]
    with pytest.raises(ExtensionError, match=f"the {name} codec expects"):
        codec.bind(None, Stream(4, 4), Stream(4, 4))
