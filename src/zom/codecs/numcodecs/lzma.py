"""The codec `lzma`: xz, the older .lzma, or raw streams; `numcodecs.lzma` in v3.

All numbers are constants of liblzma, as in Python's lzma module.

https://numcodecs.readthedocs.io/en/stable/compression/lzma.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.lzma
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from pydantic import Field, model_validator

from zom.codecs.numcodecs.compressors import Compressor
from zom.codecs.stream_size import stream_before
from zom.extension.codec import Bytes, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import WHOLE, ForEncoding, Interval
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from typing import Self

    from zom.extension.bound import ByteCoder, Form

__all__ = ["LzmaConfiguration", "LzmaV2Configuration", "lzma"]

DELTA = rule(
    "codec/lzma-delta",
    "an lzma codec has the members format, check, preset and filters",
    source="https://numcodecs.readthedocs.io/en/stable/compression/lzma.html",
    lenient="warning",
    strict="warning",
    closed="warning",
)

Preset = Annotated[int, Interval(0, 9)]
"""A compression preset of lzma."""
ExtremePreset = Annotated[int, Interval(2**31, 2**31 + 9)]
"""A preset with liblzma's "extreme" flag."""
_PRESETS: Final = [*range(10), *range(2**31, 2**31 + 10)]


class Filter(Configuration, extra="allow"):
    """One filter of liblzma: its id, and options that only liblzma checks.

    >>> Filter(id=3, dist=4).id
    3
    """

    id: Annotated[int, Interval(0)]


class LzmaConfiguration(Configuration):
    """The parameters of liblzma: a container, a check, and a preset or a chain of filters.

    >>> LzmaConfiguration(preset=6).format
    1
    """

    strict_schema: ClassVar[Mapping[str, Any]] = {
        # Each condition requires valid values: invalid ones have their own error already.
        "allOf": [
            {
                "if": {
                    "properties": {"filters": {"type": "array"}, "preset": {"enum": _PRESETS}},
                    "required": ["filters", "preset"],
                },
                "then": {"properties": {"preset": {"type": "null"}}},
            },
            {
                "if": {"properties": {"filters": {"type": "null"}}},
                "then": {"properties": {"format": {"not": {"const": 3}}}},
            },
            {
                "if": {
                    "properties": {"format": {"enum": [2, 3]}, "check": {"enum": [1, 4, 10]}},
                    "required": ["format", "check"],
                },
                "then": {"properties": {"check": {"enum": [-1, 0]}}},
            },
        ]
    }

    format: Annotated[Literal[1, 2, 3], WHOLE] = 1
    check: ForEncoding[Annotated[Literal[-1, 0, 1, 4, 10], WHOLE]] = -1
    preset: ForEncoding[Preset | ExtremePreset | None] = None
    filters: Annotated[list[Filter], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.preset is not None and self.filters is not None:
            raise ValueError("a preset or filters, not both")
        if self.format == 3 and self.filters is None:
            raise ValueError("filters, which format 3 (raw) requires")
        if self.format != 1 and self.check > 0:
            raise ValueError("a check only with format 1 (xz)")
        return self


class LzmaV2Configuration(LzmaConfiguration):
    """Like `LzmaConfiguration`, with the member `delta` that GDAL writes and numcodecs lacks.

    >>> LzmaV2Configuration(preset=6, delta=1).canonical()
    {'format': 1, 'check': -1, 'preset': 6}
    """

    delta: Annotated[int, Interval(1, 256)] | None = Field(default=None, exclude=True)


class Lzma(Compressor):
    """lzma; xz streams state their filters, so readers don't need GDAL's `delta`."""

    name = "numcodecs.lzma"
    v2_id = "lzma"
    draft_name = "lzma"
    configuration = LzmaConfiguration
    v2_configuration = LzmaV2Configuration

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size; add a warning for GDAL's member `delta`."""
        delta = getattr(configuration, "delta", None)
        if delta is not None:
            where = (*path, "configuration", "delta")
            fix = 'write "filters" instead'
            faults.append(Fault(DELTA, where, "no member delta", show(delta), fix))
        return super().thread(configuration, before, faults, path)

    def bind(self, configuration: LzmaConfiguration, before: Form, after: Form) -> ByteCoder:
        """Return a coder that uses Python's lzma."""
        del after
        from zom.codecs.numcodecs.lzma_streams import bind_lzma  # noqa: PLC0415 - Python may lack lzma

        filters = configuration.filters
        return bind_lzma(
            stream_before(before, self.name),
            format=configuration.format,
            check=configuration.check,
            preset=configuration.preset,
            filters=None if filters is None else [each.model_dump() for each in filters],
            delta=getattr(configuration, "delta", None),
        )


lzma = codecs.register(Lzma())
