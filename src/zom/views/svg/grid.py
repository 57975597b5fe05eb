"""The chunks of an array as a picture: the last two dimensions as a grid, the others as stacked sheets.

Shards have thick lines, their inner chunks thin ones. If the stored chunks are known, they are filled and
missing ones are hollow. The picture has a bounded number of cells: in a larger grid a cell stands for several
chunks, and its opacity shows the share of stored ones.
"""

from __future__ import annotations

from itertools import groupby
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from zom.dataclass import dataclass
from zom.formats.resolve import resolve
from zom.views.html.markup import count, cut
from zom.views.svg.canvas import label, number, rect, svg

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from zom.extension.axis import Axis
    from zom.formats.resolved import ResolvedArray
    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.spec import Spec

__all__ = ["chunk_grid", "coverage"]

_CELLS = 16
"""The most cells of a sheet along a dimension."""
_MAP_CELLS = 48
"""The most cells along a dimension in a map of the stored chunks."""
_SHEETS = 4
_SIDE = 150.0
"""The longer side of a sheet, in pixels."""
_LEAST = 28.0
"""The minimum length of the shorter side, in pixels."""
_STEP = 13.0
"""The offset between sheets, in pixels."""
_SHADES = 4
"""The number of opacity steps for the share of stored chunks."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A dimension of the picture."""

    name: str
    length: int
    """The number of elements, or of chunks in a map without an array."""
    chunks: int
    edges: tuple[float, ...]
    """The boundaries of its cells, from 0 to 1."""
    inner: tuple[float, ...] = ()
    """The starts of inner chunks of shards, if there are few enough to draw."""

    @property
    def cells(self) -> int:
        """The number of cells to draw."""
        return len(self.edges) - 1


def chunk_grid(spec: Spec, stored: StoredChunks | None = None) -> str:
    """Return the grid of an array, or an empty string if there is none to draw.

    >>> from zom import v3
    >>> picture = chunk_grid(v3.ArraySpec.build(shape=(48, 181), dtype="int8", chunks=(24, 91)))
    >>> "4 chunks, 2 by 2" in picture
    True
    """
    view = resolve(spec)
    axes = None if view.encoding.axes is None else view.encoding.axes(view.shape)
    if axes is None or 0 in view.shape:
        return ""
    lines = [_line(view, axis, place) for place, axis in enumerate(axes)]
    flat = _pad(lines)
    sheets = min(prod(line.chunks for line in flat[:-2]), _SHEETS)
    shares = None if stored is None else _shares(stored.places, stored.grid, sheets, *flat[-2:])
    return _picture(lines, "shard" if view.sharded else "chunk", view, stored, shares)


def _pad(lines: Sequence[_Line]) -> list[_Line]:
    """Pad to at least two dimensions."""
    return [_Line("", 1, 1, (0.0, 1.0))] * (2 - len(lines)) + list(lines)


def coverage(stored: StoredChunks, *, names: Sequence[str | None] | None = None) -> str:
    """Return a map of the stored chunks, along the two dimensions with the most chunks.

    Chunks that differ in the other dimensions share a cell.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4, 6), dtype="int16", chunks=(2, 3)))
    >>> array[2:, :3] = 7
    >>> "1 of 4 chunks is stored" in coverage(array.stored())
    True
    """
    if not stored.total:
        return ""
    known = names or [None] * len(stored.grid)
    lines = [
        _Line(name or f"dimension {place}", chunks, chunks, _even(min(chunks, _MAP_CELLS)))
        for place, (name, chunks) in enumerate(zip(known, stored.grid, strict=True))
    ]
    order = sorted(range(len(lines)), key=lambda place: stored.grid[place])
    # The dimension with the most chunks is horizontal; of two equal ones, the last is.
    unit = "shard" if stored.inner_total is not None else "chunk"
    places = stored.places[:, order] if lines else stored.places
    grid = tuple(stored.grid[place] for place in order)
    shares = _shares(places, grid, 1, *_pad([lines[place] for place in order])[-2:])
    return _picture([lines[place] for place in order], unit, None, stored, shares)


def _line(view: ResolvedArray, axis: Axis, place: int) -> _Line:
    name = view.names[place] if view.names is not None else None
    if axis.count > _CELLS:
        return _Line(name or "", axis.length, axis.count, _even(_CELLS))
    starts = [axis.start(number) for number in range(axis.count)]
    edges = (*(start / axis.length for start in starts), 1.0)
    inner: tuple[float, ...] = ()
    sizes = view.chunks[place] if view.sharded and view.chunks is not None else ()
    if len(sizes) == 1 and axis.length <= 2 * _CELLS * sizes[0]:
        ends = [*starts[1:], axis.length]
        found = [at for start, end in zip(starts, ends, strict=True) for at in range(start, end, sizes[0])]
        inner = tuple(sorted({at / axis.length for at in found} - set(edges)))
    return _Line(name or "", axis.length, axis.count, edges, inner)


def _even(cells: int) -> tuple[float, ...]:
    return tuple(place / cells for place in range(cells + 1))


def _picture(
    lines: Sequence[_Line], unit: str, view: ResolvedArray | None, stored: StoredChunks | None, shares: Any
) -> str:
    *leading, high, wide = _pad(lines)
    layers = prod(line.chunks for line in leading)
    sheets = min(layers, _SHEETS) if view is not None else 1
    width, height = _sides(high, wide)
    left, top = 20.0, 18.0
    shift = _STEP * (sheets - 1)
    parts: list[str] = []
    for sheet in reversed(range(sheets)):
        at = (left + _STEP * sheet, top + shift - _STEP * sheet)
        parts.append(_sheet(at, (width, height), high, wide, None if shares is None else shares[sheet]))
    parts.append(label(left + width / 2, top + shift + height + 13, _said(wide), anchor="middle"))
    if len(lines) > 1 and (view is not None or high.length > 1):
        middle = top + shift + height / 2
        parts.append(label(left - 7, middle, _said(high), anchor="middle", turned=True))
    if leading and view is not None:
        # The label is above the sheets, each of which stands for some of the chunks along these dimensions.
        parts.append(label(left, top - 6, cut(", ".join(map(_said, leading)), 40)))
    words = _words(lines, unit, view, stored)
    room = max(left + width + shift + 8, 120.0)
    return svg(
        "".join(parts), room, top + shift + height + 20, title=words.partition(";")[0], description=words
    )


def _said(line: _Line) -> str:
    return cut(f"{line.name} {line.length:,}".strip(), 26)


def _sides(high: _Line, wide: _Line) -> tuple[float, float]:
    """Return the width and height of a sheet, in proportion to its lengths, with a minimum for each."""
    longest = max(high.length, wide.length)
    if high.length == 1:
        return (_SIDE if wide.length > 1 else _LEAST), _LEAST
    return max(_SIDE * wide.length / longest, _LEAST), max(_SIDE * high.length / longest, _LEAST)


def _sheet(at: tuple[float, float], size: tuple[float, float], high: _Line, wide: _Line, shares: Any) -> str:
    (x, y), (width, height) = at, size
    parts = [f'<path class=o d="{rect(x, y, width, height)}"/>']
    if shares is not None:
        parts += _filled(at, size, high, wide, shares)
    inner = [f"M{number(x + width * edge)} {number(y)}v{number(height)}" for edge in wide.inner]
    inner += [f"M{number(x)} {number(y + height * edge)}h{number(width)}" for edge in high.inner]
    if inner:
        parts.append(f'<path class=i d="{"".join(inner)}"/>')
    lines = [f"M{number(x + width * edge)} {number(y)}v{number(height)}" for edge in wide.edges[1:-1]]
    lines += [f"M{number(x)} {number(y + height * edge)}h{number(width)}" for edge in high.edges[1:-1]]
    if lines:
        parts.append(f'<path class=b d="{"".join(lines)}"/>')
    return "".join(parts)


def _filled(
    at: tuple[float, float], size: tuple[float, float], high: _Line, wide: _Line, shares: Any
) -> list[str]:
    """Draw the cells with stored chunks; neighbours in a row with the same shade share a rectangle."""
    paths: dict[int, list[str]] = {}
    for row, steps in enumerate(np.ceil(shares * _SHADES).astype(int).tolist()):
        column = 0
        for shade, run in groupby(steps):
            last = column + len(list(run))
            if shade:
                x, y = at[0] + size[0] * wide.edges[column], at[1] + size[1] * high.edges[row]
                across = size[0] * (wide.edges[last] - wide.edges[column])
                down = size[1] * (high.edges[row + 1] - high.edges[row])
                paths.setdefault(shade, []).append(rect(x, y, across, down))
            column = last
    return [
        f'<path class=f opacity={number(shade / _SHADES + 0.04)} d="{"".join(parts)}"/>'
        for shade, parts in sorted(paths.items())
    ]


def _shares(places: Any, grid: tuple[int, ...], sheets: int, high: _Line, wide: _Line) -> Any:
    """Return the share of stored chunks in each cell, by sheet, row and column."""
    missing = 2 - len(grid)
    if missing > 0:
        grid = (*[1] * missing, *grid)
        places = np.hstack([np.zeros((len(places), missing), np.int64), places])
    layers = prod(grid[:-2])
    layer: Any = np.zeros(len(places))
    for axis, length in enumerate(grid[:-2]):
        layer = layer * length + places[:, axis]
    found = np.zeros((sheets, high.cells, wide.cells))
    columns = (
        (layer * (sheets / layers)).astype(int),
        places[:, -2] * high.cells // grid[-2],
        places[:, -1] * wide.cells // grid[-1],
    )
    np.add.at(found, columns, 1)
    of = [_per_cell(layers, sheets), _per_cell(grid[-2], high.cells), _per_cell(grid[-1], wide.cells)]
    shares = found / (of[0][:, None, None] * of[1][None, :, None] * of[2][None, None, :])
    # Only complete cells look complete.
    return np.where(shares >= 1, 1.0, np.minimum(shares, 1 - 1 / _SHADES))


def _per_cell(chunks: int, cells: int) -> Any:
    """Return the number of chunks in each cell: the whole numbers between its ends."""
    edges = [-(-place * chunks // cells) for place in range(cells + 1)]
    return np.diff(np.array(edges, float))


def _words(lines: Sequence[_Line], unit: str, view: ResolvedArray | None, stored: StoredChunks | None) -> str:
    total = prod(line.chunks for line in lines)
    by = " by ".join(f"{line.chunks:,}" for line in lines)
    if stored is not None:
        verb = "is" if stored.count == 1 else "are"
        first = f"{stored.count:,} of {count(stored.total, unit)} {verb} stored"
        words = [
            first,
            f"the grid is {by}" if len(lines) > 1 else "",
            "filled cells are stored, hollow ones are not",
        ]
    else:
        words = [f"{count(total, unit)}{f', {by}' if len(lines) > 1 else ''}"]
    if any(line.chunks > line.cells for line in lines[-2:]):
        words.append(f"each cell represents several {unit}s")
    if view is not None and view.sharded:
        words.append("thick lines separate shards, thin lines the chunks inside")
    return "; ".join(word for word in words if word)
