"""A bound chain: all codecs of an array, or of a shard's inner chunks, ready for chunks of one shape.

All chunks are encoded and decoded here. The `thread` of each codec, which also checks documents, says
what it passes to the next. v2 and the draft have no array->bytes codec, so there the chain converts
elements to bytes, and bytes to elements, wherever a codec needs the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.errors import CodecError, ExtensionError, SpecError, UnknownName, ZomError
from zom.extension.answer import answer
from zom.extension.bound import Block, Coder, Stream
from zom.extension.checked import DATA, as_data, checked
from zom.extension.codec import Bytes, Elements, codecs
from zom.extension.raw import FromBytes, byte_view, raw
from zom.extension.resolve import parse_v3
from zom.numpy_later import np
from zom.problems import Fault, cause_text, pointer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NoReturn

    from zom.extension.bound import Array, Data, Form
    from zom.extension.codec import Codec
    from zom.extension.datatype import DataType
    from zom.extension.link import Link

__all__ = ["BoundChain", "bind_chain", "bind_streams", "unusable"]


def unusable(faults: Iterable[Fault]) -> SpecError:
    """Return the error for `faults`, without those that are only warnings at some level."""
    return SpecError(fault.problem() for fault in faults if fault.rule.lenient == "error")


class BoundChain:
    r"""All codecs of a chunk, bound.

    >>> import zom.codecs, zom.dtypes
    >>> from zom.extension.link import parse_links
    >>> from zom.extension.resolve import data_type
    >>> links = parse_links([{"name": "bytes", "configuration": {"endian": "big"}}])
    >>> chain = bind_chain(links, Block((2,), data_type("int16"), np.int16(0)))
    >>> bytes(chain.encode(np.array([1, 2], "<i2")))
    b'\x00\x01\x00\x02'
    """

    __slots__ = (
        "_array_decoders",
        "_byte_decoders",
        "_encoders",
        "_innermost",
        "_rows",
        "_scatters",
        "_serializer",
        "_stored_shape",
        "_views",
        "allocates",
        "batches",
        "block",
        "coders",
        "direct",
        "is_slow",
        "most",
        "moves_bytes",
        "names",
        "nbytes",
        "pivot",
        "plain",
        "serializer",
    )

    def __init__(
        self,
        blocks: tuple[Block, Block],
        coders: Sequence[tuple[str, Coder[Any, Any]]],
        pivot: int,
        out: Stream,
    ) -> None:
        self.block, stored = blocks
        block = self.block
        self._stored_shape = stored.shape
        self.names = tuple(name for name, _ in coders)
        self.coders = tuple(coder for _, coder in coders)
        self.pivot = pivot
        """The position of the codec that turns elements into bytes."""
        self.nbytes = out.nbytes
        """The size of an encoded chunk in bytes; None if it varies."""
        self.most = out.most
        """The maximum size of an encoded chunk in bytes."""
        self.serializer = coders[pivot][1]
        self._encoders: tuple[tuple[str, Callable[[Any], Any]], ...] = tuple((n, c.encode) for n, c in coders)
        self._serializer = (coders[pivot][0], coders[pivot][1].decode)
        self._array_decoders = tuple((n, c.decode) for n, c in reversed(coders[:pivot]))
        inner = list(coders[pivot + 1 :])
        self._byte_decoders = tuple((n, c.decode) for n, c in reversed(inner))
        views = all(coder.is_view for _, coder in coders[:pivot])
        plain = views and self.serializer.plain and block.nbytes
        self.plain = bool(plain)
        """Whether decoded bytes are the array's memory, so that `decode_into` needs no buffer."""
        self._scatters = views and self.serializer.scatters
        viewed = plain or self._scatters
        self._views = self._encoders[:pivot] if viewed else None
        self._rows: tuple[str, Coder[Any, Any]] = inner[0] if inner else coders[pivot]
        self._innermost = (inner[0][0], inner[0][1].decode_into) if plain and inner else None
        self.allocates = bool(inner) and inner[0][1].allocates
        """Whether `decode` costs less than `decode_into` for a chunk that is copied afterwards anyway."""
        self.batches = bool(inner) and inner[0][1].batches
        """Whether `decode_rows` does most of its work without holding the GIL."""
        self.is_slow = any(coder.is_slow for _, coder in inner)
        """Whether a few KiB justify another thread."""
        self.direct = bool(plain) and not inner and not coders[:pivot] and self.serializer.verify is None
        """Whether a stored chunk equals the array in memory byte for byte, so that reading needs no copy."""
        self.moves_bytes = bool(plain) and not pivot
        """Whether `decode_rows` works: decoded bytes are the array's memory, in the order of the array."""

    def encode(self, array: Array) -> Data:
        """Encode `array`, which has the shape and type of the block."""
        return self._encoded(array, self._encoders)

    def encode_by(self, encode: Callable[[Array], Data], array: Array) -> Data:
        """Encode `array` with `encode` instead of the chain's only codec, e.g. with several threads."""
        return self._encoded(array, ((self.names[0], encode),))

    def _encoded(self, array: Array, encoders: Iterable[tuple[str, Callable[[Any], Any]]]) -> Data:
        made: Any = array
        name = ""
        try:
            for name, encode in encoders:  # noqa: B007 - the error names the codec that failed
                made = encode(made)
            if type(made) not in DATA:
                made = as_data(made)
        except Exception as cause:  # noqa: BLE001 - libraries may raise anything
            self._fail(name, cause)
        return cast("Data", made)

    def encode_rows(self, rows: Array) -> list[Data]:
        """Encode each of `rows`, which are contiguous in memory.

        A CodecError does not say which row is invalid.
        """
        name, coder = self._rows
        try:
            made: list[Data] = coder.encode_rows(byte_view(rows), len(rows))
            for name, encode in self._encoders[self.pivot + 2 :]:  # noqa: B007
                made = [encode(each) for each in made]
            made = [as_data(each) for each in made]
        except Exception as cause:  # noqa: BLE001 - libraries may raise anything
            self._fail(name, cause)
        return made

    def decode(self, data: Data) -> Array:
        """Decode `data`; the result may be read-only and share memory with `data`."""
        made: Any = data
        name = ""
        try:
            for name, decode in self._byte_decoders:  # noqa: B007
                made = decode(made)
            name, decode = self._serializer
            made = decode(made)
            for name, decode in self._array_decoders:  # noqa: B007
                made = decode(made)
        except Exception as cause:  # noqa: BLE001 - libraries may raise anything
            self._fail(name, cause)
        return cast("Array", made)

    def scratch(self) -> Array:
        """Allocate memory for a chunk, laid out so that `decode_into` fills it without a copy."""
        if self._views is None:
            return np.empty(self.block.shape, self.block.dtype)
        made = np.empty(self._stored_shape, self.block.dtype)
        for _, decode in self._array_decoders:
            made = decode(made)
        return made

    def decode_into(self, data: Data, target: Array) -> None:
        """Decode `data` into `target`, which has the shape of the block."""
        if self._views is None:
            target[...] = self.decode(data)
            return
        place = self._view_of(target, self._views)
        in_place = place.flags.c_contiguous or self._scatters
        if not in_place or place.dtype != self.block.dtype:
            target[...] = self.decode(data)
            return
        name = ""
        made: Any = data
        try:
            if self._scatters:
                for name, decode in self._byte_decoders:  # noqa: B007
                    made = decode(made)
                name = self._serializer[0]
                self.serializer.decode_array_into(made, place)
            elif self._innermost is None:
                name = self._serializer[0]
                self.serializer.decode_into(made, byte_view(place))
            else:
                for name, decode in self._byte_decoders[:-1]:  # noqa: B007
                    made = decode(made)
                name, into = self._innermost
                into(made, byte_view(place))
            if self.serializer.verify is not None:
                name = self._serializer[0]
                self.serializer.verify(place)
        except Exception as cause:  # noqa: BLE001 - libraries may raise anything
            self._fail(name, cause)

    def _view_of(self, target: Array, views: tuple[tuple[str, Callable[[Any], Any]], ...]) -> Array:
        """Return `target` as seen after the array->array codecs: writing encoded data there decodes it."""
        name = ""
        try:
            for name, encode in views:  # noqa: B007 - the error names the codec that failed
                target = encode(target)
        except Exception as cause:  # noqa: BLE001 - libraries may raise anything
            self._fail(name, cause)
        return target

    def verify(self, array: Array) -> None:
        """Raise CodecError if `array`, filled by `decode_rows`, holds invalid elements."""
        if self.serializer.verify is not None:
            self.serializer.verify(array)

    def decode_rows(self, chunks: Sequence[Data], target: memoryview) -> None:
        """Decode `chunks` into consecutive parts of `target`.

        Call `verify` on the result. A CodecError does not say which chunk is invalid.
        """
        made: Any = chunks
        name = self._serializer[0]
        try:
            for name, decode in self._byte_decoders[:-1]:  # noqa: B007
                made = [decode(each) for each in made]
            name, coder = self._rows
            coder.decode_rows(made, target)
        except Exception as cause:  # noqa: BLE001 - libraries may raise anything
            self._fail(name, cause)

    def _fail(self, name: str, cause: Exception) -> NoReturn:
        if isinstance(cause, CodecError):
            if self._byte_decoders:
                cause.byte_range = None  # refers to decoded bytes, not to stored ones
            if cause.codec:
                raise cause
            raise CodecError(cause.reason, name) from cause
        # A MemoryError says nothing about the chunk.
        if isinstance(cause, (ZomError, MemoryError)):
            raise cause
        raise CodecError(cause_text(cause), name) from cause


_SLACK = 1 << 16


def bind_chain(links: Iterable[Link], block: Block, *, limit: int = 1 << 30) -> BoundChain:
    """Bind `links` for chunks like `block`; raise `UnknownName` for an unregistered codec.

    The output of a codec without fixed size has at most `limit` bytes, or the size of its input if larger.
    """
    state: Form = block
    coders: list[tuple[str, Coder[Any, Any]]] = []
    pivot: int | None = None
    stored = block
    for link in links:
        codec = link.codec
        if codec is None or link.configuration is None:
            raise _refusal(link)
        if codec.kind == "bytes->bytes" and isinstance(state, Block):
            stored, pivot = (state, len(coders)) if pivot is None else (stored, pivot)
            coders.append(("bytes", raw(state)))
            state = _as_stream(state)
        elif codec.kind != "bytes->bytes" and isinstance(state, Stream):
            coders.append(("bytes", FromBytes()))
            state = _as_block(state, codec)
        if pivot is None and isinstance(state, Block):
            stored = state
            pivot = len(coders) if codec.kind == "array->bytes" else None
        after = _after(link, codec, state, limit)
        coder = _coder(codec, link.configuration, state, after)
        coders.append((codec.name, coder))
        if isinstance(after, Stream) and coder.most is not None:
            after = replace(after, most=coder.most)
        state = after
    if isinstance(state, Block):
        stored, pivot = (state, len(coders)) if pivot is None else (stored, pivot)
        coders.append(("bytes", raw(state)))
        state = _as_stream(state)
    assert pivot is not None  # noqa: S101 - the state is a stream by now
    return BoundChain((block, stored), coders, pivot, state)


def bind_streams(links: Iterable[Link], before: Stream, *, limit: int = 1 << 30) -> list[Coder[Data, Data]]:
    """Bind a chain of bytes->bytes codecs."""
    made: list[Coder[Data, Data]] = []
    state = before
    for link in links:
        if link.codec is None or link.configuration is None:
            raise _refusal(link)
        after = cast("Stream", _after(link, link.codec, state, limit))
        made.append(_coder(link.codec, link.configuration, state, after))
        state = after
    return made


def _coder(codec: Codec, configuration: object, before: Form, after: Form) -> Coder[Any, Any]:
    words = "a Coder"
    made: Coder[Any, Any] = answer(codec, "bind", (Coder,), words, configuration, before, after)
    return made if codecs.is_own(codec) else checked(codec, made, before, after)


def _refusal(link: Link) -> UnknownName | SpecError:
    """Return the error for a codec that can't be bound."""
    if link.faults and (link.codec is not None or not link.name):
        return unusable(link.faults)
    message = f"{pointer_of(link.path)}: no codec named {link.name!r} is registered"
    return codecs.unknown(message, link.name)


def _as_stream(block: Block) -> Stream:
    size = cast("int", block.nbytes)  # Raw raises if it is None
    return Stream(size, size, block.data_type.itemsize or 1)


def _as_block(stream: Stream, codec: Codec) -> Block:
    if stream.nbytes is None:
        message = f"{codec.name} expects elements, but the codec before it gives bytes of variable size"
        raise ExtensionError(message)
    uint8 = cast("DataType", parse_v3("uint8", []))
    return Block((stream.nbytes,), uint8, np.uint8(0))


def _after(link: Link, codec: Codec, before: Form, limit: int) -> Form:
    """Return the form that the codec makes of `before`, according to its `thread`."""
    faults: list[Fault] = []
    if isinstance(before, Stream):
        made = link.thread(Bytes(before.nbytes), faults)
    else:
        lengths = tuple((length,) for length in before.shape)
        elements = Elements(lengths, before.data_type, before.fill)
        made = link.thread(elements, faults)
    if any(fault.rule.lenient == "error" for fault in faults):
        raise unusable(faults)
    if isinstance(made, Elements):
        if made.lengths is None or made.data_type is None:
            raise ExtensionError(f"{codec.name}: the shape or the data type of its output is unknown")
        return Block(tuple(choices[0] for choices in made.lengths), made.data_type, made.fill)
    if made is None:
        raise ExtensionError(f"{codec.name}: its output is unknown")
    if made.size is not None:
        most = made.size
    else:
        known = before.nbytes if isinstance(before, Block) else before.most
        # No known compressor produces more than this.
        most = limit if known is None else min(max(limit, known), 2 * known + _SLACK)
    width = before.width if isinstance(before, Stream) else before.data_type.itemsize or 1
    return Stream(made.size, most, width)
