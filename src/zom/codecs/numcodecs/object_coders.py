"""Coders of the v2 object codecs json2, msgpack2 and vlen-array."""

from __future__ import annotations

import json  # json2 chunks are written by Python's own encoder
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from zom.codecs.numcodecs.object_lists import as_list, from_list
from zom.codecs.vlen import join_items, parse_items, place_of
from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Block, Coder
from zom.numpy_later import np
from zom.packages import import_package

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.codecs.numcodecs.objects import Json2Configuration, Msgpack2Configuration
    from zom.extension.bound import Array, Data

__all__ = ["Json2Coder", "Msgpack2Coder", "VlenArrayCoder"]


class Json2Coder(Coder[Any, Any]):
    """Elements as a JSON text.

    >>> from zom.codecs.numcodecs.objects import Json2Configuration
    >>> from zom.dtypes.object import ObjectType
    >>> coder = Json2Coder(Block((2,), ObjectType("json2"), None), Json2Configuration())
    >>> coder.encode(np.array(["a", None], object))
    b'["a",null,"|O",[2]]'
    """

    def __init__(self, block: Block, configuration: Json2Configuration) -> None:
        self._block = block
        self._encoding = configuration.encoding
        try:
            "".encode(self._encoding)
        except LookupError as cause:
            raise ExtensionError(f"json2: Python has no text encoding {self._encoding!r}") from cause
        indent = configuration.indent
        first, second = configuration.separators or ([",", ":"] if indent is None else [", ", ": "])
        self._writer = json.JSONEncoder(
            skipkeys=configuration.skipkeys,
            ensure_ascii=configuration.ensure_ascii,
            check_circular=configuration.check_circular,
            allow_nan=configuration.allow_nan,
            sort_keys=configuration.sort_keys,
            indent=indent,
            separators=(first, second),
        )
        self._reader = json.JSONDecoder(strict=configuration.strict)

    @override
    def encode(self, chunk: Array) -> Data:
        try:
            return self._written(as_list(chunk))
        except (TypeError, ValueError, RecursionError) as cause:
            raise _unwritable(chunk, self._written, "JSON", cause) from cause

    def _written(self, value: object) -> bytes:
        return self._writer.encode(value).encode(self._encoding)

    @override
    def decode(self, chunk: Data) -> Array:
        try:
            found: object = self._reader.decode(bytes(chunk).decode(self._encoding))
        except UnicodeError as cause:
            raise CodecError(f"the data is not text in {self._encoding}: {cause}") from cause
        except RecursionError as cause:
            raise CodecError("the JSON text is nested too deeply") from cause
        except ValueError as cause:
            raise CodecError(f"the data is not JSON: {cause}") from cause
        return from_list(found, self._block)


def msgpack() -> Any:
    """Return the package msgpack, or raise an ExtensionError that says how to install it."""
    try:
        return import_package("msgpack")
    except ImportError as cause:
        raise ExtensionError("msgpack2 needs the package msgpack: pip install msgpack") from cause


class Msgpack2Coder(Coder[Any, Any]):
    """Elements as a msgpack list."""

    def __init__(self, block: Block, configuration: Msgpack2Configuration) -> None:
        self._block = block
        self._library = msgpack()
        self._raw = configuration.raw
        self._writing = {
            "use_bin_type": configuration.use_bin_type,
            "use_single_float": configuration.use_single_float,
        }

    @override
    def encode(self, chunk: Array) -> Data:
        try:
            return self._written(as_list(chunk))
        except (TypeError, ValueError, OverflowError, RecursionError) as cause:
            raise _unwritable(chunk, self._written, "msgpack", cause) from cause

    def _written(self, value: object) -> bytes:
        return cast("bytes", self._library.packb(value, **self._writing))

    @override
    def decode(self, chunk: Data) -> Array:
        self._check(chunk)
        try:
            found: object = self._library.unpackb(chunk, raw=self._raw)
        except self._library.UnpackException as cause:
            raise _unreadable(cause) from cause
        except (ValueError, TypeError, RecursionError) as cause:
            raise _unreadable(cause) from cause
        return from_list(found, self._block)

    def _check(self, chunk: Data) -> None:
        """Raise CodecError unless `chunk` is exactly one value.

        msgpack allocates memory for the stated length of each list before it reads the items, which adds up
        for nested lists. Skipping allocates nothing, and stops at missing items.
        """
        size = len(chunk)
        reader: Any = self._library.Unpacker(max_buffer_size=max(size, 1))
        reader.feed(chunk)
        try:
            reader.skip()
        except self._library.OutOfData as cause:
            raise CodecError(f"truncated: the msgpack data continues after byte {size}") from cause
        except (self._library.UnpackException, ValueError, RecursionError) as cause:
            raise _unreadable(cause) from cause
        if reader.tell() != size:
            raise CodecError(f"trailing bytes: the msgpack data ends at byte {reader.tell()} of {size}")


def _unreadable(cause: Exception) -> CodecError:
    return CodecError(f"the data is not msgpack: {type(cause).__name__} {cause}".rstrip())


def _unwritable(chunk: Array, written: Callable[[object], object], what: str, cause: Exception) -> CodecError:
    """Return the error for the first element that can't be written."""
    for index, item in enumerate(chunk.reshape(-1).tolist()):
        try:
            written(item)
        except (TypeError, ValueError, OverflowError, RecursionError) as found:
            where = place_of(index, chunk.shape)
            return CodecError(f"the {type(item).__name__} at {where} can't be written as {what}: {found}")
    return CodecError(f"the elements can't be written as {what}: {cause}")


class VlenArrayCoder(Coder[Any, Any]):
    r"""Elements that are one-dimensional arrays, each preceded by its length in bytes.

    >>> from zom.dtypes.object import ObjectType
    >>> coder = VlenArrayCoder(Block((1,), ObjectType("vlen-array"), None), np.dtype("<i2"))
    >>> coder.decode(b"\1\0\0\0\4\0\0\0\1\0\2\0")[0].tolist()
    [1, 2]
    """

    def __init__(self, block: Block, dtype: np.dtype[Any]) -> None:
        self._shape = block.shape
        self._dtype = dtype

    @override
    def encode(self, chunk: Array) -> Data:
        parts: list[bytes] = []
        for index, item in enumerate(chunk.reshape(-1).tolist()):
            try:
                parts.append(self._cast(item).tobytes())
            except (CodecError, TypeError, ValueError, OverflowError) as cause:
                reason = cause.reason if isinstance(cause, CodecError) else str(cause)
                raise CodecError(f"at {place_of(index, chunk.shape)}: {reason}") from cause
        return join_items(b"".join(parts), list(map(len, parts)), chunk.shape)

    def _cast(self, item: object) -> Array:
        if item is None:
            # Unwritten elements are null by default; numcodecs stores them as empty arrays.
            return np.empty(0, self._dtype)
        given: Array = np.asarray(item)
        expected = f"expected an array of one dimension and of type {self._dtype}"
        if given.ndim != 1:
            raise CodecError(f"{expected}, found {type(item).__name__} of {given.ndim} dimensions")
        if not given.size:
            return np.empty(0, self._dtype)
        if not np.can_cast(given.dtype, self._dtype, "same_kind"):
            raise CodecError(f"{expected}, found one of type {given.dtype}")
        made = given.astype(self._dtype)
        if self._dtype.kind in "iu" and not np.array_equal(made, given):
            raise CodecError(f"{expected}, found numbers outside its range")
        return made

    @override
    def decode(self, chunk: Data) -> Array:
        items = parse_items(chunk, self._shape)
        width = self._dtype.itemsize
        wrong = np.flatnonzero(items.lengths % width if width else items.lengths)
        if len(wrong):
            where = place_of(int(wrong[0]), self._shape)
            found = int(items.lengths[wrong[0]])
            raise CodecError(f"expected a multiple of {width} bytes at {where}, found {found}")
        made = np.empty(len(items.lengths), np.object_)
        for index, item in enumerate(items.each()):
            # Copy: elements may be changed and must not keep the chunk alive.
            array = np.frombuffer(item, self._dtype).copy()
            if self._dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
                where = place_of(index, self._shape)
                raise CodecError(f"expected 0 or 1 for each bool, found another byte at {where}")
            made[index] = array
        return made.reshape(self._shape)
