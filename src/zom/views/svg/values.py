"""A small picture of an array's values: a reduced slice of its last two dimensions, as an inline PNG.

It reads a bounded amount: the first index of the leading dimensions, and elements at regular steps along the
last two, from at most `_CHUNKS` chunks of at most `_NBYTES` in total.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from zom.dataclass import dataclass
from zom.views.html.markup import text

if TYPE_CHECKING:
    from zom.handles.array import Array

__all__ = ["Slice", "picture", "png", "reduced"]

_PIXELS = 160
"""The most pixels along a side."""
_CHUNKS = 64
_NBYTES = 256 << 20
_ANCHORS = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))
"""Colours from low to high, after viridis; also distinct in greyscale."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of an array as numbers."""

    values: Any
    where: str
    """The selection that was read, in numpy notation."""


def reduced(array: Array) -> Slice | str:
    """Return a slice that is small enough for a picture, or the reason why there is none.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(2, 400, 4), dtype="int16"))
    >>> reduced(array).where, reduced(array).values.shape
    ('[0, ::3, ::1]', (134, 4))
    """
    data_type = array.dtype
    if data_type.kind not in "biufcmM":
        return f"elements of type {data_type} can't be drawn"
    if not array.size:
        return "the array has no elements"
    rows, columns = ((1, 1, *array.shape))[-2:]
    steps = [max(1, -(-length // _PIXELS)) for length in (rows, columns)]
    spans = [rows, columns]
    axes = array.plan.axes[-2:]
    sizes = [1] * (2 - len(axes)) + [max(axis.sizes) for axis in axes]
    each = prod(max(axis.sizes) for axis in array.plan.axes) * data_type.itemsize
    allowed = max(1, min(_CHUNKS, _NBYTES // max(each, 1)))
    if each > _NBYTES:
        return f"one chunk takes {each:,} bytes in memory, too many for a picture"
    while prod(-(-span // size) for span, size in zip(spans, sizes, strict=True)) > allowed:
        longest = max((0, 1), key=lambda at: spans[at] / sizes[at])
        spans[longest] = max(sizes[longest], spans[longest] // 2)
    steps = [max(1, -(-span // _PIXELS)) for span in spans]
    parts: list[Any] = [slice(0, span, step) for span, step in zip(spans, steps, strict=True)]
    rank = len(array.shape)
    key = (*[0] * (rank - 2), *parts[2 - min(rank, 2) :])
    values: Any = np.asarray(array[key]).reshape(
        [-(-span // step) for span, step in zip(spans, steps, strict=True)]
    )
    shown = [
        str(at) if isinstance(at, int) else _span(at, length)
        for at, length in zip(key, array.shape, strict=True)
    ]
    return Slice(values, f"[{', '.join(shown)}]")


def _span(part: slice, length: int) -> str:
    end = "" if part.stop == length else str(part.stop)
    return f":{end}:{part.step}"


def picture(part: Slice, name: str) -> str:
    """Return the slice as an image, with its range in words.

    >>> "from 0 to 3" in picture(Slice(np.arange(4).reshape(2, 2), "[:, :]"), "t")
    True
    """
    pixels, low, high = _scaled(part.values)
    if low is None:
        told = "no finite value"
    else:
        told = f"from {low:g} to {high:g}" if low != high else f"{low:g} everywhere"
    alt = f"{name}{part.where}: {told}"
    rows, columns = pixels.shape
    scale = max(1, min(8, 240 // max(rows, columns)))
    data = b64encode(png(pixels)).decode("ascii")
    image = f'<img alt="{text(alt)}" width={columns * scale} height={rows * scale} src="data:image/png;base64,{data}">'
    missing = ", elements without a number left out" if (pixels == 0).any() else ""
    return (
        f"<figure>{image}<figcaption><code>{text(part.where)}</code>, {text(told)}; "
        f"dark is low, light is high{missing}</figcaption></figure>"
    )


def _scaled(values: Any) -> tuple[Any, float | None, float | None]:
    """Return a palette index for each value, 0 for non-finite ones, and the range of values."""
    if values.dtype.kind in "mM":
        gone = np.isnat(values)
        numbers = np.where(gone, np.nan, values.astype("int64").astype("float64"))
    elif values.dtype.kind == "c":
        numbers = np.abs(values).astype("float64")
    else:
        numbers = values.astype("float64")
    finite = np.isfinite(numbers)
    if not finite.any():
        return np.zeros(numbers.shape, np.uint8), None, None
    low, high = float(numbers[finite].min()), float(numbers[finite].max())
    # Halves, because the full range may overflow.
    span = high / 2 - low / 2
    with np.errstate(all="ignore"):
        share = (numbers / 2 - low / 2) / span if span else np.full(numbers.shape, 0.5)
    pixels = np.where(finite, 1 + np.round(np.where(finite, share, 0) * 254), 0)
    return pixels.astype(np.uint8), low, high


def png(pixels: Any) -> bytes:
    r"""Return an image of 256 colours, the first of which is transparent.

    >>> png(np.zeros((2, 3), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    height, width = pixels.shape
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = pixels
    places = np.linspace(0, len(_ANCHORS) - 1, 255)
    channels = [np.interp(places, range(len(_ANCHORS)), [each[at] for each in _ANCHORS]) for at in range(3)]
    palette = b"\0\0\0" + np.round(np.stack(channels, 1)).astype(np.uint8).tobytes()
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette),
        (b"tRNS", b"\0"),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
