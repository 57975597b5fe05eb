"""The codec `shuffle`: first bytes of all elements, then second bytes; `numcodecs.shuffle` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.shuffle
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from typing_extensions import override

from zom.errors import CodecError, ExtensionError
from zom.extension.bound import Coder, Stream
from zom.extension.codec import Bytes, Codec, CodecKind, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.numpy_later import np
from zom.problems import Fault, Path, rule

if TYPE_CHECKING:
    from zom.extension.bound import Array, Data, Form

__all__ = ["ShuffleCoder", "ShuffleConfiguration", "ShuffleV2Configuration", "shuffle"]

_WIDE = 64

MULTIPLE = rule(
    "codec/shuffle-size",
    "the size of a shuffled chunk is a multiple of the element size",
    source="https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html",
)


ELEMENTSIZE = rule(
    "codec/shuffle-elementsize",
    "an element has at least one byte; numcodecs reads 0 as 1, netCDF-C as the size of the data type",
    source="https://numcodecs.readthedocs.io/en/stable/filter/shuffle.html",
    lenient="warning",
    schema=True,
)

# Documents with 0 can be read, but only arrays with elements of one byte.
Elementsize = Annotated[int, Interval(1, rule=ELEMENTSIZE)]


class ShuffleConfiguration(Configuration):
    """The size of an element in bytes; in v3 by default the size of the array's data type.

    >>> ShuffleConfiguration().elementsize is None
    True
    """

    elementsize: Elementsize | None = None


class ShuffleV2Configuration(Configuration):
    """The size of an element in bytes: in v2 by default 4, whatever the data type.

    >>> ShuffleV2Configuration().elementsize
    4
    """

    elementsize: Elementsize = 4


class Shuffle(Codec):
    """Shuffled bytes of unchanged size."""

    name = "numcodecs.shuffle"
    kind: ClassVar[CodecKind] = "bytes->bytes"
    configuration = ShuffleConfiguration
    v2_id = "shuffle"
    v2_configuration = ShuffleV2Configuration

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of unchanged size."""
        size = before.size if isinstance(before, Bytes) else None
        width: int | None = configuration.elementsize
        where = (*path, "configuration", "elementsize")
        if size is not None and width is not None and width > 0 and size % width:
            found = f"{width}, for a chunk of {size} bytes"
            faults.append(Fault(MULTIPLE, where, f"a divisor of {size}", found))
        return Bytes(size)

    def bind(
        self, configuration: ShuffleConfiguration | ShuffleV2Configuration, before: Form, after: Form
    ) -> Coder[Any, Any]:
        """Return a coder for the stated element size, in v3 by default that of the array's elements."""
        del after
        if not isinstance(before, Stream):
            raise ExtensionError("the shuffle codec expects bytes")
        width = before.width if configuration.elementsize is None else configuration.elementsize
        if width < 1 < before.width:
            # Metadata doesn't identify the writer, and the wrong choice would silently give wrong values.
            raise ExtensionError(
                f"the shuffle codec has an elementsize of {width}, which numcodecs reads as 1 and netCDF-C as {before.width}; "
                "write the one that the writer used"
            )
        return ShuffleCoder(before, max(1, width))


class ShuffleCoder(Coder[Any, Any]):
    """The first bytes of all elements, then their second bytes, and so on.

    numcodecs' own implementation is not used: it writes past its target if sizes don't match, holds the
    GIL, and is no faster.

    >>> bytes(ShuffleCoder(Stream(4, 4), 2).encode(b"aAbB"))
    b'abAB'
    """

    def __init__(self, before: Stream, width: int) -> None:
        self._nbytes = before.nbytes
        self._most = before.most
        self._width = width

    @override
    def encode(self, chunk: Data) -> Data:
        if self._width == 1 or not len(chunk):
            return chunk
        self._check(chunk, len(chunk))
        return np.frombuffer(chunk, np.uint8).reshape(-1, self._width).T.tobytes()

    @override
    def decode(self, chunk: Data) -> Data:
        size = len(chunk) if self._nbytes is None else self._nbytes
        self._check(chunk, size)
        if self._width == 1 or not size:
            return chunk
        made = np.empty(size, np.uint8)
        self._sort(chunk, made)
        return made.data

    @override
    def decode_into(self, chunk: Data, target: memoryview) -> None:
        self._check(chunk, len(target))
        if self._width == 1 or not len(target):
            target[:] = chunk
        else:
            self._sort(chunk, np.frombuffer(target, np.uint8))

    def _sort(self, chunk: Data, target: Array) -> None:
        elements = target.reshape(-1, self._width)
        parts = np.frombuffer(chunk, np.uint8).reshape(self._width, -1)
        if self._width > _WIDE:
            elements[...] = parts.T
            return
        # Copy one byte position at a time: numpy is several times slower with all at once.
        for index, part in enumerate(parts):
            elements[:, index] = part

    def _check(self, chunk: Data, size: int) -> None:
        if size > self._most:
            raise CodecError(f"expected at most {self._most} bytes, found {size}")
        if len(chunk) != size:
            raise CodecError(f"expected {size} bytes, found {len(chunk)}")
        if size % self._width:
            raise CodecError(f"expected a multiple of {self._width} bytes, found {size}")


shuffle = codecs.register(Shuffle())
