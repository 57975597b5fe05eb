"""Plots of what the benchmarks measured, as SVG: lines over an axis of powers of ten."""

from __future__ import annotations

import math
from html import escape

DRAWN, HEIGHT, LEFT, TOP, BOTTOM = 410, 300, 56, 34, 44
_LETTER = 6.5
"""How wide a letter of a name is, about."""
_FONT = 'font-family="sans-serif" font-size="11"'
COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa7700", "#66ccee", "#aa3377", "#777777", "#222222")

Points = list[tuple[float, float]]


def lines(title: str, across: str, series: dict[str, Points], *, mark: float | None = None) -> str:
    """A plot of `series` by name; both axes are logarithmic, and a line is drawn at the height `mark`.

    >>> lines("a", "nodes", {"read": [(1, 1), (10, 2)]}).count("<circle")
    2
    """
    points = [point for each in series.values() for point in each if point[1] > 0]
    lefts, heights = [x for x, _ in points], [y for _, y in points] + ([] if mark is None else [mark])
    x_range = math.log10(min(lefts)), math.log10(max(lefts))
    y_range = math.floor(math.log10(min(heights))), math.ceil(math.log10(max(heights) * 1.01))

    width = DRAWN + 30 + round(_LETTER * max(map(len, series), default=0))

    def column(value: float) -> float:
        span = x_range[1] - x_range[0] or 1
        return LEFT + 14 + (math.log10(value) - x_range[0]) / span * (DRAWN - LEFT - 28)

    def row(value: float) -> float:
        span = y_range[1] - y_range[0] or 1
        return HEIGHT - BOTTOM - (math.log10(value) - y_range[0]) / span * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" {_FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="18" font-weight="bold">{escape(title)}</text>',
        f'<text x="{(DRAWN + LEFT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>',
    ]
    for power in range(y_range[0], y_range[1] + 1):
        parts += _rule(row(10.0**power), f"{10.0**power:g}", "#dddddd")
    if mark is not None:
        parts += _rule(row(mark), "", "#333333")
    for value in sorted(set(lefts)):
        label = f"{value:,.0f}" if value >= 1 else f"{value:g}"
        parts.append(
            f'<text x="{column(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{label}</text>'
        )
    for place, (name, found) in enumerate(series.items()):
        colour = COLOURS[place % len(COLOURS)]
        dash = ' stroke-dasharray="5 3"' if place >= len(COLOURS) else ""
        drawn = [(column(x), row(y)) for x, y in found if y > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in drawn]
        y = TOP + 6 + 15 * place
        parts.append(f'<text x="{DRAWN + 12}" y="{y}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _rule(y: float, label: str, shade: str) -> list[str]:
    return [
        f'<line x1="{LEFT}" x2="{DRAWN}" y1="{y:.1f}" y2="{y:.1f}" stroke="{shade}"/>',
        f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>',
    ]
