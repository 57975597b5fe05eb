"""The `conditional` codec: codecs that are applied only to some chunks.

https://github.com/zarr-developers/zarr-extensions/pull/27
A header before each chunk has a bit for each codec, the lowest for the first: 1 if it was applied.
The writer decides when to apply a codec. zom skips a compressor that would not make the chunk smaller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from zom.codecs.conditional.coder import ConditionalCoder
from zom.codecs.stream_size import stream_before
from zom.extension.chain import check_byte_codecs
from zom.extension.codec import Bytes, Codec, codecs
from zom.extension.field import Interval, OrAbsent
from zom.extension.inner_codecs import HoldsCodecs, InnerCodecs
from zom.extension.link import parse_links
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Form
    from zom.extension.codec import Representation
    from zom.json.value import JSONDict

__all__ = ["ConditionalCodec", "ConditionalConfiguration", "conditional"]

HEADER = rule(
    "codec/conditional-header",
    "header_bits of the conditional codec are a multiple of 8, with a bit for each codec",
    source="zarr-extensions, conditional codec, configuration",
)


class ConditionalConfiguration(HoldsCodecs):
    """The codecs, and the number of header bits: by default the fewest bytes with a bit for each codec."""

    codecs: InnerCodecs
    header_bits: OrAbsent[Annotated[int, Interval(0, 65536)]] = None

    @property
    def header_bytes(self) -> int:
        """The size of the header in bytes.

        >>> ConditionalConfiguration(codecs=["crc32c"] * 9).header_bytes
        2
        """
        return (len(self.codecs) + 7) // 8 if self.header_bits is None else self.header_bits // 8

    def canonical(self) -> dict[str, Any]:
        """Return the members with all codecs in canonical form, and the number of header bits.

        >>> ConditionalConfiguration(codecs=["crc32c"]).canonical()
        {'codecs': [{'name': 'crc32c', 'configuration': {}}], 'header_bits': 8}
        """
        return {**super().canonical(), "header_bits": 8 * self.header_bytes}


class ConditionalCodec(Codec):
    """`conditional`: bytes -> bytes."""

    name = "conditional"
    kind = "bytes->bytes"
    configuration = ConditionalConfiguration

    def thread(
        self,
        configuration: ConditionalConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Bytes:
        """Return bytes of variable size."""
        del before
        inside = (*path, "configuration")
        bits, count = configuration.header_bits, len(configuration.codecs)
        if bits is not None and (bits % 8 or bits < count):
            wanted = f"a multiple of 8 from {count} on" if count else "a multiple of 8"
            faults.append(Fault(HEADER, (*inside, "header_bits"), wanted, show(bits)))
        check_byte_codecs(configuration.codecs, faults, (*inside, "codecs"))
        return Bytes()

    def bind(self, configuration: ConditionalConfiguration, before: Form, after: Form) -> ConditionalCoder:
        """Return a coder that binds each combination of codecs on first use."""
        del after
        stream = stream_before(before, self.name)
        links = parse_links(configuration.codecs, ("configuration", "codecs"))
        return ConditionalCoder(stream, links, configuration.header_bytes)

    def inspect(self, configuration: JSONDict, faults: list[Fault], path: Path) -> None:
        """Check the list of codecs."""
        if isinstance(configuration.get("codecs"), list):
            check_byte_codecs(configuration["codecs"], faults, (*path, "configuration", "codecs"))


conditional = codecs.register(ConditionalCodec())
"""The `conditional` codec."""
