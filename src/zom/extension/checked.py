"""Checks of what codecs of other packages return: an error describes each violation.

zom's own codecs are not checked here: their tests do that, and a check costs time for every chunk.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from typing_extensions import override

from zom.count import count_of
from zom.errors import CodecError
from zom.extension.answer import at_fault
from zom.extension.bound import Block, Coder, Stream
from zom.extension.codec import Bytes, Codec, Elements
from zom.extension.datatype import DataType
from zom.numpy_later import np
from zom.problems import cause_text, given_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.extension.bound import Array, Data, Form
    from zom.extension.codec import Representation

__all__ = ["DATA", "are_lengths", "as_data", "checked", "threaded_fault"]

DATA: Final = frozenset({bytes, bytearray, memoryview})
"""The types that need no conversion to bytes."""

_FLAGS: Final = ("plain", "verify", "is_view", "scatters", "is_slow", "allocates", "batches", "most")
_FILLING: Final = ("decode_into", "decode_rows", "decode_array_into")


def as_data(made: Any, method: str = "encode") -> Data:
    """Return the output of a codec as bytes, without copying; raise CodecError if it is not bytes.

    >>> as_data(b"ab"), as_data("ab")
    Traceback (most recent call last):
    zom.errors.CodecError: expected bytes from encode, found 'ab'
    """
    if type(made) not in DATA:
        try:
            made = memoryview(made)
        except TypeError:
            raise CodecError(f"expected bytes from {method}, found {given_text(made)}") from None
    if type(made) is memoryview and (made.itemsize != 1 or not made.c_contiguous):
        found = f"items of {made.itemsize} bytes" if made.itemsize != 1 else "a view with gaps"
        raise CodecError(f"expected contiguous bytes from {method}, found {found}")
    return cast("Data", made)


class Checked(Coder[Any, Any]):
    """A coder of another package: checks the shape and type of its arrays, and the length of its bytes."""

    def __init__(self, coder: Coder[Any, Any], before: Form, after: Form) -> None:
        self._coder, self._before = coder, before
        for name in _FLAGS:
            setattr(self, name, getattr(coder, name))
        # Use the coder's own methods if it overrides them.
        for name in _FILLING:
            if getattr(type(coder), name) is not getattr(Coder, name):
                setattr(self, name, partial(_fill, name, getattr(coder, name)))
        self._encodes_many = getattr(type(coder), "encode_rows") is not getattr(Coder, "encode_rows")  # noqa: B009
        is_longer_known = isinstance(after, Stream) and coder.most is not None
        self._after = Stream(after.nbytes, cast("int", coder.most)) if is_longer_known else after

    @override
    def encode(self, chunk: Any) -> Any:
        return _as_form(self._coder.encode(chunk), self._after, "encode")

    @override
    def decode(self, chunk: Any) -> Any:
        return _as_form(self._coder.decode(chunk), self._before, "decode")

    @override
    def encode_rows(self, rows: memoryview, count: int) -> list[Data]:
        if not self._encodes_many:
            return super().encode_rows(rows, count)
        given = cast("object", self._coder.encode_rows(rows, count))
        made = cast("list[object]", given) if isinstance(given, list) else []
        if not isinstance(given, list) or len(made) != count:
            raise CodecError(
                f"expected a list of {count_of(count, 'chunk')} from encode_rows, found {given_text(cast('object', given))}"
            )
        return [_as_form(each, self._after, "encode_rows") for each in made]


_MARKS: Final = (b"\x9e7y\xb9\x7fJ|\x15", b"a\xc8\x86F\x80\xb5\x83\xea")
"""Written to the end of memory before it is filled: a chunk may end in one of them, but not in both."""


def _fill(name: str, fill: Callable[[Any, Any], object], chunk: Any, target: Any) -> None:
    """Call a method that fills `target`; raise CodecError if it returns a value or leaves the end unfilled.

    Unfilled memory would hold whatever was there before, so the end of each chunk is checked.
    """
    ends = _ends(target, len(chunk) if name == "decode_rows" else 1)
    left_out: Any = True
    for mark in _MARKS:
        end = np.frombuffer(mark, np.uint8)[: 0 if ends is None else ends.shape[1]]
        if ends is not None:
            ends[...] = end
        given = fill(chunk, target)
        if given is not None:
            raise CodecError(f"expected {name} to fill its target and return None, found {given_text(given)}")
        left_out = False if ends is None else left_out & (ends == end).all(axis=1)
        if not np.any(left_out):
            return
    raise CodecError(f"expected {name} to fill its target, found an unchanged end")


def _ends(target: Any, count: int) -> Array | None:
    """Return a view of the last bytes of each chunk in `target`, or None if there are no bytes to check."""
    if isinstance(target, memoryview):
        target = cast("memoryview[int]", target)
        size = len(target)
        return np.frombuffer(target, np.uint8).reshape(count, size // count)[:, -8:] if size else None
    array = cast("Array", target)
    if not array.size or not array.itemsize or array.dtype.hasobject:
        return None
    last = array[(slice(-1, None),) * array.ndim] if array.ndim else array
    return last.reshape(1).view(np.uint8)[None, -8:]


def _as_form(made: Any, form: Form, method: str) -> Any:
    return _as_elements(made, form, method) if isinstance(form, Block) else _as_stream(made, form, method)


def _as_elements(made: Any, block: Block, method: str) -> Array:
    if not isinstance(made, (np.ndarray, np.generic)):
        raise CodecError(f"expected an array from {method}, found {given_text(made)}")
    given = np.asarray(cast("Array", made))  # numpy often returns a scalar for an array without dimensions
    # A different byte order is not a different type: the receiver of the array swaps the bytes.
    is_same = given.dtype == block.dtype or np.can_cast(given.dtype, block.dtype, "equiv")
    if given.shape != block.shape or not is_same:
        expected, found = f"{block.dtype} of shape {block.shape}", f"{given.dtype} of shape {given.shape}"
        raise CodecError(f"expected {expected} from {method}, found {found}")
    return given


def _as_stream(made: Any, stream: Stream, method: str) -> Data:
    data = as_data(made, method)
    length = data.nbytes if isinstance(data, memoryview) else len(data)
    if stream.nbytes is not None and length != stream.nbytes:
        raise CodecError(f"expected {stream.nbytes} bytes from {method}, found {length}")
    if length > stream.most:
        raise CodecError(f"expected up to {stream.most} bytes from {method}, found {length}")
    return data


def checked(codec: Codec, coder: Coder[Any, Any], before: Form, after: Form) -> Coder[Any, Any]:
    """Return `coder`, bound by a `codec` of another package, with checks of all that it returns.

    Raise ExtensionError if its attributes are invalid.
    """
    for name in _FLAGS:
        try:
            getattr(coder, name)
        except Exception as cause:  # a property may raise anything
            raise at_fault(f"{codec!r}", f"{name} of its coder raised {cause_text(cause)}") from cause
    most: object = coder.most
    if most is not None and not _is_count(most):
        found = given_text(most)
        raise at_fault(f"{codec!r}", f"expected an integer or None as most of its coder, found {found}")
    return Checked(coder, before, after)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def threaded_fault(codec: Codec, before: Representation, after: Representation | None) -> str | None:
    """Describe what is wrong with the return value of a codec's `thread`, or return None if it is valid.

    >>> import zom.codecs
    >>> from zom.extension.codec import codecs
    >>> threaded_fault(codecs["gzip"], Bytes(), Bytes(-1))
    'expected Bytes with a size from 0, or None, from thread, found Bytes(size=-1)'
    """
    words: str | None = None
    if isinstance(after, Bytes):
        if codec.kind == "array->array" and isinstance(before, Elements):
            words = "Elements or None"
        elif after.size is not None and not _is_count(after.size):
            words = "Bytes with a size from 0, or None,"
    elif isinstance(after, Elements):
        if codec.kind != "array->array":
            words = "Bytes"
        elif after.data_type is not None and not isinstance(cast("object", after.data_type), DataType):
            words = "Elements with a DataType, or None,"
        elif after.lengths is not None and not are_lengths(after.lengths):
            words = "Elements with a tuple of lengths for each dimension, or None,"
    return None if words is None else f"expected {words} from thread, found {given_text(after)}"


def are_lengths(lengths: object) -> bool:
    """Whether `lengths` is a tuple with a non-empty tuple of lengths for each dimension.

    >>> are_lengths(((3, 2), (4,))), are_lengths((3, 4))
    (True, False)
    """
    if not isinstance(lengths, tuple):
        return False
    for choices in cast("tuple[object, ...]", lengths):
        if not isinstance(choices, tuple) or not choices:
            return False
        if not all(map(_is_count, cast("tuple[object, ...]", choices))):
            return False
    return True
