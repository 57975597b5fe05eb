"""Convert a chain of v3 codecs to the filters and the compressor of v2.

The order C or F, which v2 applies before the filters, is a transpose in v3. The byte order, which v2
states in the data type and each filter, is a parameter of the `bytes` codec in v3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.conversion.codecs import SHUFFLES, in_order
from zom.conversion.losses import (
    CODEC,
    CODEC_ORDER,
    CODEC_PARAMETER,
    CODEC_TYPE,
    TRANSPOSE,
    UNKNOWN_CODEC,
)
from zom.extension.codec import Codec, Elements, codecs
from zom.extension.configuration import parse_configuration
from zom.json.python_value import is_list
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.conversion.losses import Report
    from zom.extension.codec import Representation
    from zom.extension.datatype import ByteOrder
    from zom.extension.link import Link

__all__ = ["Filters"]

_COMPRESSORS = frozenset({"blosc", "bz2", "gzip", "lz4", "lzma", "pcodec", "zfpy", "zlib", "zstd"})
"""The codecs that v2 readers expect as compressor."""


class Filters:
    """The filters so far, and the form of a chunk after them.

    >>> from zom.conversion.losses import Report
    >>> from zom.extension.link import parse_links
    >>> from zom.extension.resolve import parse_v3
    >>> made = Filters(Elements(((4,),), parse_v3("int16", [])), 1, Report(()))
    >>> made.add_links(parse_links([{"name": "bytes", "configuration": {"endian": "big"}}, "numcodecs.bz2"]))
    >>> made.compressor, made.filters, made.endian
    ({'id': 'bz2', 'level': 1}, [], 'big')
    """

    def __init__(self, before: Elements, rank: int, report: Report) -> None:
        self.state: Representation = before
        self.rank = rank
        self.report = report
        self.filters: list[dict[str, Any]] = []
        self.compressor: dict[str, Any] | None = None
        self.order = "C"
        self.endian: ByteOrder = "little"
        self.endian_path: Path = ("codecs",)
        self.places: list[int] = list(range(rank))
        """The dimension of the array for each dimension of the filters' input."""
        self.transposed: Path = ("codecs",)
        """The path of the last transpose's order."""
        self.element_size = 1
        """The size of the elements that became bytes."""
        self.buffer_width = 1
        """The element size of the next codec's input, which v2 takes from the buffer."""

    def add_links(self, links: Iterable[Link]) -> None:
        """Add a whole chain."""
        for link in links:
            if link.codec is None or link.configuration is None:
                self.report.add(UNKNOWN_CODEC, link.path, "a codec that zom knows", show(link.written))
                continue
            self._take(link, link.codec, cast("Any", link.configuration))
        if self.rank > 1 and self.places == list(range(self.rank))[::-1]:
            self.order = "F"
        elif self.places != list(range(self.rank)):
            expected = "dimensions as they are, or reversed"
            self.report.add(TRANSPOSE, self.transposed, expected, show(self.places))
        self._settle()

    def _take(self, link: Link, codec: Codec, parsed: Any) -> None:
        if codec.name == "transpose":
            self._transpose(parsed.order, link.path)
        elif codec.name == "bytes":
            self.endian = parsed.endian or "little"
            self.endian_path = link.path
        else:
            old = self._old(codec)
            if old is None:
                self._refuse_codec(codec, link.path)
            else:
                self._append(old, codec, parsed, link.inside)
        if codec.kind == "array->bytes":
            data_type = self.state.data_type if isinstance(self.state, Elements) else None
            self.element_size = (data_type.itemsize or 1) if data_type is not None else 1
        self.buffer_width = self.element_size if codec.name == "bytes" else 1
        self.state = link.thread(self.state, []) or Elements(None, None)

    def _transpose(self, given: list[int] | str, path: Path) -> None:
        places = list(range(self.rank))
        order = given if is_list(given) else places if given == "C" else places[::-1]
        if order == places:
            return
        if self.filters:
            expected = "transpose before all other codecs, as in v2 the order applies before the filters"
            self.report.add(CODEC_ORDER, path, expected, f"transpose after {show(self.filters[-1]['id'])}")
            return
        self.places = [self.places[place] for place in order]
        self.transposed = (*path, "configuration", "order")

    def _old(self, codec: Codec) -> Codec | None:
        """Return the v2 codec that gives the same bytes, or None."""
        if codec.v2_id is not None:
            return codec
        if codec.name == "bitround":
            kind = (
                self.state.data_type.kind if isinstance(self.state, Elements) and self.state.data_type else ""
            )
            return codecs.of_v2("bitround") if kind == "float" else None
        if codec.name == "crc32c" or codec.name.startswith("numcodecs."):
            return codecs.of_v2(codec.name.removeprefix("numcodecs."))
        return None

    def _refuse_codec(self, codec: Codec, path: Path) -> None:
        expected = "a codec of v2"
        if codec.name == "sharding_indexed":
            expected = "chunks without shards, which v2 doesn't have"
        self.report.add(CODEC, path, expected, show(codec.name))

    def _append(self, old: Codec, codec: Codec, parsed: Any, inside: Path) -> None:
        members = self._configuration(old, codec, parsed, inside)
        faults: list[Fault] = []
        parse_configuration(old.v2_configuration, members, CODEC, faults, path=inside)
        for fault in faults:
            self.report.add(CODEC, fault.path, fault.expected, fault.found, fault.fix)
        self.filters.append({"id": old.v2_id, **members})

    def _configuration(self, old: Codec, codec: Codec, parsed: Any, inside: Path) -> dict[str, Any]:
        """Return the parameters without the id; their types get the byte order at the end."""
        match old.v2_id:
            case "crc32c" if codec.name == "crc32c":
                return {"location": "end"}
            case "blosc":
                return self._blosc(parsed, inside)
            case "gzip" if parsed.level is None:
                return {"level": 1}
            case "zstd":
                # tensorstore and zarrs reject `checksum` in v2. Without it zom writes checksums, too.
                return {"level": parsed.level or 0}
            case "shuffle":
                return {"elementsize": parsed.elementsize or self.element_size}
            case _:
                pass
        members = parsed.canonical()
        if codec.kind == "array->array":
            self._check_types(members, inside)
        if old.v2_id == "astype" and "decode_dtype" not in members:
            members["decode_dtype"] = self._stated(inside)
        return {k: v for k, v in members.items() if k != "location" or k in parsed.model_fields_set}

    def _blosc(self, parsed: Any, inside: Path) -> dict[str, Any]:
        shuffle = parsed.shuffle
        number = shuffle if isinstance(shuffle, int) else -1 if shuffle is None else SHUFFLES.index(shuffle)
        if number and parsed.typesize is not None and parsed.typesize != self.buffer_width:
            expected = f"{self.buffer_width}, the size of the elements, which v2 uses"
            fix = "new chunks are shuffled with that size"
            self.report.add(CODEC_PARAMETER, (*inside, "typesize"), expected, show(parsed.typesize), fix)
        members = {"cname": parsed.cname, "clevel": parsed.clevel}
        return {**members, "shuffle": number, "blocksize": parsed.blocksize}

    def _check_types(self, members: dict[str, Any], inside: Path) -> None:
        """Reject a big-endian type: v3 readers disagree on whether it means values or memory."""
        for name, value in members.items():
            if name in {"dtype", "astype", "encode_dtype", "decode_dtype"} and str(value)[:1] == ">":
                expected = "a little-endian type: readers disagree on other types in v3"
                self.report.add(CODEC_TYPE, (*inside, name), expected, show(value))

    def _stated(self, inside: Path) -> Any:
        data_type = self.state.data_type if isinstance(self.state, Elements) else None
        if data_type is None:
            self.report.add(CODEC_TYPE, (*inside, "decode_dtype"), "a data type", "nothing")
            return "|u1"
        return data_type.to_json("v2")

    def _settle(self) -> None:
        """Set the byte order of all types to that of the chunks, and move a last compressor to its place."""
        self.filters = [in_order(each, self.endian) for each in self.filters]
        if self.filters and self.filters[-1]["id"] in _COMPRESSORS:
            self.compressor = self.filters.pop()
