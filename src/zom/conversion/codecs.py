"""Convert the filters and the compressor of an older format to a chain of v3 codecs.

v2 gives each filter the memory of the chunk, in the byte order of its data type, flattened in the
order C or F. v3 codecs work by value: a transpose replaces the order F, the `bytes` codec states the
byte order at the end, and types in the configurations of filters lose theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.conversion.losses import (
    CODEC,
    CODEC_ORDER,
    CODEC_PARAMETER,
    CODEC_TYPE,
    MIXED_ORDER,
    UNKNOWN_CODEC,
    UNREGISTERED,
)
from zom.extension.codec import Bytes, Codec, Elements, codecs, v2_codecs
from zom.extension.configuration import parse_configuration
from zom.extension.registry import did_you_mean, near
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.conversion.losses import Report
    from zom.extension.codec import Representation
    from zom.extension.configuration import Configuration
    from zom.extension.datatype import ByteOrder, DataType
    from zom.extension.link import Link

__all__ = ["SHUFFLES", "Chain", "byte_orders", "definition", "in_order"]

SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
"""The v3 names of the shuffles that v2 numbers from 0."""

_MOST_TYPESIZE = 255
"""The largest element size in c-blosc, which treats larger ones as 1."""


def definition(name: str, configuration: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a codec as an object, which every version of v3 supports.

    >>> definition("bytes")
    {'name': 'bytes'}
    """
    made: dict[str, Any] = {"name": name}
    if configuration is not None:
        made["configuration"] = dict(configuration)
    return made


def byte_orders(data_type: DataType) -> set[ByteOrder]:
    """Return the byte orders in an element: two for a struct of both, none for single bytes.

    >>> from zom.extension.resolve import parse_v2
    >>> byte_orders(parse_v2([["x", "<f4"], ["y", "|u1"]], None, []))
    {'little'}
    """
    fields = getattr(data_type, "fields", None)
    if data_type.kind == "struct" and fields is not None:
        return set[Any]().union(*(byte_orders(field.data_type) for field in fields))
    return {data_type.order or "little"} if data_type.has_order else set()


class Chain:
    """The codecs so far, and the form of a chunk after them.

    >>> from zom.conversion.losses import Report
    >>> from zom.extension.resolve import parse_v2
    >>> from zom.formats.v2_definition import parse_v2_codec
    >>> chain = Chain(Elements(((4,),), parse_v2(">i2", None, [])), Report(()))
    >>> chain.add_filter(parse_v2_codec({"id": "zlib", "level": 1}, ("compressor",)))
    >>> chain.end()
    >>> [codec["name"] for codec in chain.codecs]
    ['bytes', 'numcodecs.zlib']
    """

    __slots__ = ("codecs", "report", "state", "type_path")

    def __init__(self, before: Elements, report: Report, type_path: Path = ("dtype",)) -> None:
        self.codecs: list[dict[str, Any]] = []
        self.state: Representation = before
        self.report = report
        self.type_path = type_path

    def end(self, order: ByteOrder | None = None) -> None:
        """Convert elements to bytes, in their own byte order unless `order` is given."""
        if isinstance(self.state, Bytes):
            return
        data_type = self.state.data_type
        stated = byte_orders(data_type) if data_type is not None else set[Any]()
        if len(stated) > 1 and order is None:
            found = "big and little endian fields"
            self.report.add(MIXED_ORDER, self.type_path, "fields of one byte order", found)
        endian = (order or stated.pop()) if stated else None
        self.codecs.append(definition("bytes", {"endian": endian} if endian else None))
        self.state = Bytes()

    def add(
        self, codec: Codec, definitions: Iterable[dict[str, Any]], after: Representation, path: Path
    ) -> None:
        """Append the v3 codecs for one codec; report an error if v3 forbids it at this position."""
        if codec.kind == "bytes->bytes":
            self.end()
        elif isinstance(self.state, Bytes):
            expected = "codecs of elements before codecs of bytes"
            self.report.add(CODEC_ORDER, path, expected, f"{show(codec.name)}, an {codec.kind} codec")
            return
        self.codecs.extend(definitions)
        self.state = after

    def add_order(self, link: Link) -> None:
        """Append the codec that orders the dimensions as in memory; it must be the first."""
        order: list[int] = cast("Any", link.configuration).order
        self.codecs.append(definition(link.name, {"order": order}))
        self.state = link.thread(self.state, []) or Elements(None, None)

    def add_filter(self, link: Link) -> None:
        """Append the v3 codecs for a filter or compressor of numcodecs."""
        codec, parsed = link.codec, link.configuration
        if codec is None:
            fix = did_you_mean(near(link.name, v2_codecs()))
            self.report.add(UNKNOWN_CODEC, link.path, "a codec that zom knows", show(link.name), fix)
            # Its output is unknown, so don't report the codecs after it.
            self.state = Elements(None, None)
            return
        if parsed is None:
            self._refuse(CODEC, link.faults)
            return
        before = self._before(codec)
        # GDAL writes words for numbers. The converted configuration has numbers, so don't reject them.
        plain = parse_configuration(codec.v2_configuration, parsed.canonical(), CODEC, []) or parsed
        faults: list[Fault] = []
        after = link._replace(configuration=plain).thread(before, faults)
        self._refuse(CODEC_TYPE, faults)
        made = self._translated(codec, parsed, link)
        for each in made:
            self._check_target(each, link)
        if not codec.registered:
            self.report.add(
                UNREGISTERED, link.path, "a codec with a registered v3 name", show(made[0]["name"])
            )
        self.add(codec, made, after or Elements(None, None), link.path)

    def _refuse(self, rule_: Any, faults: Iterable[Fault]) -> None:
        for fault in faults:
            if fault.rule.strict == "error":
                self.report.add(rule_, fault.path, fault.expected, fault.found, fault.fix)

    def _before(self, codec: Codec) -> Representation:
        """Return the codec's input: v2 passes bytes for elements, and elements for bytes, unchanged."""
        if codec.kind != "bytes->bytes":
            return self.state if isinstance(self.state, Elements) else Elements(None, None)
        if isinstance(self.state, Bytes):
            return self.state
        count, data_type = self.state.count, self.state.data_type
        width = None if data_type is None else data_type.itemsize
        return Bytes(None if count is None or width is None else count * width)

    @property
    def width(self) -> int:
        """The element size of the next codec's input, as in its buffer: 1 for bytes."""
        data_type = self.state.data_type if isinstance(self.state, Elements) else None
        return (data_type.itemsize or 1) if data_type is not None else 1

    def _translated(self, codec: Codec, parsed: Configuration, link: Link) -> list[dict[str, Any]]:
        """Return the v3 codecs that give the same bytes: one, unless v3's own does half of the work."""
        facts = cast("Any", parsed)
        match codec.v2_id:
            case "crc32c" if facts.location == "end":
                return [definition("crc32c")]
            case "quantize":
                return _quantize(codec.name, parsed.canonical())
            case "blosc":
                return [definition(codec.name, self._blosc(facts))]
            case "gzip":
                # -1 is zlib's default, which is 6; v3 has no -1.
                return [definition(codec.name, {"level": 6 if facts.level == -1 else facts.level})]
            case "zstd" if "checksum" not in parsed.model_fields_set:
                # zom writes v2 chunks with a checksum, unless the document says otherwise.
                return [definition(codec.name, {"level": facts.level, "checksum": True})]
            case "lzma" if facts.delta is not None:
                path = (*link.inside, "delta")
                found = show(facts.delta)
                self.report.add(CODEC_PARAMETER, path, "no member delta", found, "it is dropped")
            case _:
                pass
        members = (
            parsed.canonical() if codec.kind != "array->array" else in_order(parsed.canonical(), "little")
        )
        # Some versions of numcodecs reject an explicit default.
        kept = {k: v for k, v in members.items() if k != "location" or k in parsed.model_fields_set}
        return [definition(codec.name, kept)]

    def _blosc(self, parsed: Any) -> dict[str, Any]:
        """Return the configuration with the shuffle's name and the element size, in v2 that of the buffer."""
        shuffle = parsed.shuffle if parsed.shuffle >= 0 else (2 if self.width == 1 else 1)
        typesize = parsed.typesize or self.width
        return {
            "cname": parsed.cname,
            "clevel": parsed.clevel,
            "shuffle": SHUFFLES[shuffle],
            "typesize": typesize if typesize <= _MOST_TYPESIZE else 1,
            "blocksize": parsed.blocksize,
        }

    def _check_target(self, made: dict[str, Any], link: Link) -> None:
        """Reject parameters that the v3 codec doesn't support."""
        codec = codecs.find(made["name"])
        if codec is not None:
            faults: list[Fault] = []
            inner = made.get("configuration", {})
            parse_configuration(codec.configuration, inner, CODEC, faults, path=link.inside)
            self._refuse(CODEC, faults)


def _quantize(name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return `quantize`, followed by `astype` if v2 stores another type.

    For v3 readers, `quantize` keeps the type.
    """
    types = in_order(parameters, "little")
    kept, stored = types["dtype"], types["astype"]
    first = definition(name, {"digits": types["digits"], "dtype": kept, "astype": kept})
    if kept == stored:
        return [first]
    return [first, definition("numcodecs.astype", {"encode_dtype": stored, "decode_dtype": kept})]


_TYPES = ("dtype", "astype", "encode_dtype", "decode_dtype")


def in_order(configuration: Mapping[str, Any], order: ByteOrder) -> dict[str, Any]:
    """Return a configuration whose types have one byte order; stored values stay the same.

    >>> in_order({"dtype": ">i4", "astype": "|u1"}, "little")
    {'dtype': '<i4', 'astype': '|u1'}
    """
    mark, other = ("<", ">") if order == "little" else (">", "<")
    made = dict(configuration)
    for name in _TYPES:
        if isinstance(made.get(name), str):
            made[name] = made[name].replace(other, mark)
    return made
