"""Direct calls of the zfp library in the package zfpy.

zfpy itself lacks the expert mode and doesn't report how many bytes a chunk took: for a truncated chunk,
zfp reads whatever memory follows it and returns values. Here zfp reads from a copy that is long enough for
any read, and the number of bytes read is compared with the size of the data.

https://zfp.readthedocs.io/en/release1.0.1/high-level-api.html
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zom.codecs.vlen import place_of
from zom.count import count_of
from zom.dataclass import dataclass
from zom.errors import CodecError, ExtensionError
from zom.numpy_later import np
from zom.packages import import_package

if TYPE_CHECKING:
    from collections.abc import Generator

    from zom.extension.bound import Array, Data

__all__ = ["TYPES", "Mode", "Zfp", "zfp_library"]

TYPES: Final = {"int32": 1, "int64": 2, "float32": 3, "float64": 4}
"""zfp's numbers of its supported types."""

_FULL_HEADER: Final = 7
_SHORTEST_HEADER: Final = 12
_LONGEST_HEADER: Final = 19
_MOST_BITS: Final = 2**15
# A minimum exponent below this means the reversible mode.
_LEAST_EXPONENT: Final = -1074
_HEADS: Final = {"int32": (0, 5), "int64": (0, 6), "float32": (9, 15), "float64": (12, 19)}
"""The header bits of a block, and of one in reversible mode: signs and exponents."""
# zfp reads words of up to eight bytes, and may have started one.
_SLACK: Final = 64

_pointer, _size, _uint, _double = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_double
_SIGNATURES: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "stream_open": (_pointer, (_pointer, _size)),
    "stream_close": (None, (_pointer,)),
    "zfp_stream_open": (_pointer, (_pointer,)),
    "zfp_stream_close": (None, (_pointer,)),
    "zfp_stream_set_bit_stream": (None, (_pointer, _pointer)),
    "zfp_stream_rewind": (None, (_pointer,)),
    "zfp_stream_set_reversible": (None, (_pointer,)),
    "zfp_stream_set_rate": (_double, (_pointer, _double, _uint, _uint, ctypes.c_int)),
    "zfp_stream_set_precision": (_uint, (_pointer, _uint)),
    "zfp_stream_set_accuracy": (_double, (_pointer, _double)),
    "zfp_stream_set_params": (ctypes.c_int, (_pointer, _uint, _uint, _uint, ctypes.c_int)),
    "zfp_stream_params": (None, (_pointer, _pointer, _pointer, _pointer, _pointer)),
    "zfp_stream_maximum_size": (_size, (_pointer, _pointer)),
    "zfp_field_1d": (_pointer, (_pointer, _uint, _size)),
    "zfp_field_2d": (_pointer, (_pointer, _uint, _size, _size)),
    "zfp_field_3d": (_pointer, (_pointer, _uint, _size, _size, _size)),
    "zfp_field_4d": (_pointer, (_pointer, _uint, _size, _size, _size, _size)),
    "zfp_field_alloc": (_pointer, ()),
    "zfp_field_free": (None, (_pointer,)),
    "zfp_field_type": (_uint, (_pointer,)),
    "zfp_field_size": (_size, (_pointer, _pointer)),
    "zfp_field_dimensionality": (_uint, (_pointer,)),
    "zfp_write_header": (_size, (_pointer, _pointer, _uint)),
    "zfp_read_header": (_size, (_pointer, _pointer, _uint)),
    "zfp_compress": (_size, (_pointer, _pointer)),
    "zfp_decompress": (_size, (_pointer, _pointer)),
}


@dataclass(frozen=True, slots=True)
class Mode:
    """One of zfp's modes: its name in the v3 zfp codec, and its parameters."""

    name: str = "reversible"
    numbers: tuple[float, ...] = ()


@cache
def zfp_library() -> Any:
    """Return zfp's functions with their signatures; raise ExtensionError if they are not available."""
    try:
        package = import_package("zfpy")
    except ImportError as cause:
        raise ExtensionError("zfp needs the package zfpy: pip install zfpy==1.0.1") from cause
    home = Path(str(package.__file__))
    # A C extension module gives access to the libraries that it is linked to, except on Windows.
    for path in (home, *sorted((home.parent / "zfpy.libs").glob("*zfp*"))):
        try:
            library = ctypes.CDLL(str(path))
            for name, (result, arguments) in _SIGNATURES.items():
                function: Any = getattr(library, name)
                function.restype = result
                function.argtypes = arguments
        except (OSError, AttributeError):
            continue
        return library
    raise ExtensionError("zfp's functions aren't found in this build of zfpy: pip install zfpy==1.0.1")


class Zfp:
    """zfp for arrays of one shape and type, of one to four dimensions."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], mode: Mode) -> None:
        self._library = zfp_library()
        self._shape = shape or (1,)
        self._dtype = dtype
        self._type = TYPES[dtype.name]
        self._mode = mode
        with self._stream() as stream:
            self._set_mode(stream)

    def compress(self, array: Array, *, header: bool = False) -> bytes:
        """Compress a contiguous array."""
        library = self._library
        if not array.size:
            return b""
        self._check_finite(array)
        with self._stream() as stream, self._field(array) as field:
            self._set_mode(stream)
            self._least_bits(stream)
            room = np.empty(library.zfp_stream_maximum_size(stream, field) + _SLACK, np.uint8)
            with self._bits(stream, room):
                if header and not library.zfp_write_header(stream, field, _FULL_HEADER):
                    raise CodecError(f"zfp has no header for the shape {list(self._shape)}")
                size = library.zfp_compress(stream, field)
        if not size:
            raise CodecError("zfp can't compress this")
        return room[:size].tobytes()

    def _check_finite(self, array: Array) -> None:
        """Raise CodecError for non-finite values, which corrupt their block unless the mode is reversible."""
        if array.dtype.kind != "f" or self._mode.name == "reversible":
            return
        wrong = ~np.isfinite(array)
        if wrong.any():
            found = array.reshape(-1)[wrong.reshape(-1).argmax()]
            where = place_of(int(wrong.reshape(-1).argmax()), array.shape)
            raise CodecError(f"zfp supports {found} only in its reversible mode, found it at {where}")

    def decompress(self, data: Data, *, header: bool = False) -> Array:
        """Decompress `data`; raise CodecError unless exactly all bytes are used."""
        made: Array = np.zeros(self._shape, self._dtype)
        if not made.size:
            if len(data):
                raise CodecError(f"trailing bytes: no values take 0 bytes, found {len(data)}")
            return made
        with self._stream() as stream, self._field(made) as field:
            if header:
                self._check_header(stream, data)
            else:
                self._set_mode(stream)
            room = self._padded(stream, field, data)
            with self._bits(stream, room):
                if header:
                    self._read_header(stream)
                taken = self._library.zfp_decompress(stream, field)
        if not taken or taken > len(data):
            raise CodecError(f"truncated: the values take {taken} bytes, found {len(data)}")
        if taken < len(data):
            raise CodecError(f"trailing bytes: the values take {taken} bytes, found {len(data)}")
        return made

    def _least_bits(self, stream: Any) -> int:
        """Return the minimum bits of each block; raise CodecError if the mode allows too few.

        zfp reads the header of a block without checking the maximum; if the header is longer, the remaining
        number of bits underflows to a huge number.
        """
        minbits, maxbits, minexp = _uint(), _uint(), ctypes.c_int()
        refer = ctypes.byref
        self._library.zfp_stream_params(stream, refer(minbits), refer(maxbits), None, refer(minexp))
        plain, exact = _HEADS[self._dtype.name]
        head = exact if minexp.value < _LEAST_EXPONENT else plain
        if maxbits.value < max(head, 1):
            raise CodecError(
                f"expected at least {head} bits for each block of {self._dtype}, found {maxbits.value}"
            )
        return minbits.value

    def is_of(self, data: Data) -> bool:
        """Whether the header of `data` has this type and shape."""
        with self._stream() as stream:
            return self._header(stream, data) == (self._type, self._shape)

    def _padded(self, stream: Any, field: Any, data: Data) -> Array:
        """Return the data followed by zeros for all bytes that zfp may read past the end."""
        minbits = self._least_bits(stream)
        blocks = int(np.prod([-(-length // 4) for length in self._shape], dtype=object))
        if blocks * minbits > 8 * len(data):
            least = -(-blocks * minbits // 8)
            raise CodecError(f"truncated: {blocks} blocks take at least {least} bytes, found {len(data)}")
        most = int(self._library.zfp_stream_maximum_size(stream, field))
        if len(data) > most:
            raise CodecError(f"expected at most {most} bytes, found {len(data)}")
        room = np.zeros(most + _SLACK, np.uint8)
        room[: len(data)] = np.frombuffer(data, np.uint8)
        return room

    def _check_header(self, stream: Any, data: Data) -> None:
        """Set the mode of the stream from the header; raise CodecError if its type or shape differs."""
        kind, shape = self._header(stream, data)
        if (kind, shape) != (self._type, self._shape):
            names = {number: name for name, number in TYPES.items()}
            expected = f"{self._dtype.name} of shape {list(self._shape)}"
            raise CodecError(f"expected {expected}, found {names.get(kind)} of shape {list(shape)}")

    def _header(self, stream: Any, data: Data) -> tuple[int, tuple[int, ...]]:
        if len(data) < _SHORTEST_HEADER:
            least = _SHORTEST_HEADER
            raise CodecError(f"truncated: a header of zfp has at least {least} bytes, found {len(data)}")
        start = np.zeros(_SLACK, np.uint8)
        part = np.frombuffer(data, np.uint8)[:_LONGEST_HEADER]
        start[: len(part)] = part
        with self._bits(stream, start):
            return self._read_header(stream)

    def _read_header(self, stream: Any) -> tuple[int, tuple[int, ...]]:
        library = self._library
        field = library.zfp_field_alloc()
        try:
            if not library.zfp_read_header(stream, field, _FULL_HEADER):
                raise CodecError("expected a header of zfp, found none")
            sizes = (_size * 4)()
            library.zfp_field_size(field, sizes)
            shape = tuple(sizes[: library.zfp_field_dimensionality(field)])[::-1]
            return library.zfp_field_type(field), shape
        finally:
            library.zfp_field_free(field)

    def _set_mode(self, stream: Any) -> None:
        library, mode = self._library, self._mode
        if mode.name == "reversible":
            library.zfp_stream_set_reversible(stream)
        elif mode.name == "fixed_accuracy":
            library.zfp_stream_set_accuracy(stream, mode.numbers[0])
        elif mode.name == "fixed_precision":
            library.zfp_stream_set_precision(stream, int(min(mode.numbers[0], 64)))
        elif mode.name == "fixed_rate":
            rate, dimensions = mode.numbers[0], len(self._shape)
            if not 0 <= rate * 4**dimensions <= _MOST_BITS:
                raise ExtensionError(f"zfp has no rate of {rate} bits in {count_of(dimensions, 'dimension')}")
            library.zfp_stream_set_rate(stream, rate, self._type, dimensions, 0)
        else:
            minbits, maxbits, maxprec, minexp = map(int, mode.numbers)
            bits = (min(minbits, _MOST_BITS), min(maxbits, _MOST_BITS))
            lowest = min(max(minexp, -(2**15)), 2**15)
            if not library.zfp_stream_set_params(stream, *bits, min(maxprec, 2**16), lowest):
                raise ExtensionError("zfp rejects the parameters of the expert mode")

    @contextmanager
    def _stream(self) -> Generator[Any, None, None]:
        stream = self._library.zfp_stream_open(None)
        try:
            yield stream
        finally:
            self._library.zfp_stream_close(stream)

    @contextmanager
    def _field(self, array: Array) -> Generator[Any, None, None]:
        make = getattr(self._library, f"zfp_field_{len(self._shape)}d")
        field = make(array.ctypes.data, self._type, *reversed(self._shape))
        try:
            yield field
        finally:
            self._library.zfp_field_free(field)

    @contextmanager
    def _bits(self, stream: Any, room: Array) -> Generator[None, None, None]:
        bits = self._library.stream_open(room.ctypes.data, room.nbytes)
        try:
            self._library.zfp_stream_set_bit_stream(stream, bits)
            self._library.zfp_stream_rewind(stream)
            yield
        finally:
            self._library.stream_close(bits)
