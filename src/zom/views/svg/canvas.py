"""The frame of a picture: its size, its title, and a description for screen readers."""

from __future__ import annotations

from zom.views.html.markup import text

__all__ = ["label", "number", "rect", "svg"]


def svg(body: str, width: float, height: float, *, title: str, description: str) -> str:
    """Return a picture; `body` is SVG.

    >>> print(svg("", 10, 20, title="a < b", description="A line."))
    <svg xmlns="http://www.w3.org/2000/svg" role=img width=10 height=20 viewBox="0 0 10 20"><title>a &lt; b</title><desc>A line.</desc></svg>
    """
    size = f'width={number(width)} height={number(height)} viewBox="0 0 {number(width)} {number(height)}"'
    names = f"<title>{text(title)}</title><desc>{text(description)}</desc>"
    # No ids, since several pictures in one notebook would have the same ones.
    return f'<svg xmlns="http://www.w3.org/2000/svg" role=img {size}>{names}{body}</svg>'


def number(value: float) -> str:
    """Format a coordinate, with one decimal if needed.

    >>> number(3.0), number(2.549)
    ('3', '2.5')
    """
    shown = f"{value:.1f}"
    return shown.removesuffix(".0")


def rect(x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle as part of a path.

    >>> rect(0, 0, 4, 2.5)
    'M0 0h4v2.5h-4z'
    """
    return f"M{number(x)} {number(y)}h{number(width)}v{number(height)}h{number(-width)}z"


def label(x: float, y: float, words: str, *, anchor: str = "start", turned: bool = False) -> str:
    """Return text at a point in the picture.

    >>> print(label(1, 2, "lat"))
    <text x=1 y=2 text-anchor=start>lat</text>
    """
    turn = f' transform="rotate(-90 {number(x)} {number(y)})"' if turned else ""
    return f"<text x={number(x)} y={number(y)} text-anchor={anchor}{turn}>{text(words)}</text>"
