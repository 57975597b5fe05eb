"""The sizes of the arrays of a hierarchy: a bar for each of the largest, in memory and as stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from zom.formats.facts import array_facts, byte_text
from zom.model.tree import walk
from zom.views.html.markup import count, cut
from zom.views.svg.canvas import label, rect, svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.model.spec import Spec

__all__ = ["Measured", "measured", "size_plot"]

_BARS = 12
"""The most arrays with their own bar."""
_WIDE, _HIGH = 360.0, 30.0


class Measured(NamedTuple):
    """An array and its size."""

    path: str
    nbytes: int
    """Bytes in memory."""
    stored: int | None = None
    """Bytes in the store, or None if unknown."""


def measured(spec: Spec, stored: Mapping[str, int] | None = None) -> list[Measured]:
    """Return the arrays with a known size, the largest first; `stored` has bytes in the store by path.

    >>> from zom import v3
    >>> measured(v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(4,), dtype="int16")}))
    [Measured(path='/t', nbytes=8, stored=None)]
    """
    known = stored or {}
    found = [
        Measured(path, size, known.get(path))
        for path, node in walk(spec)
        if node.kind == "array" and (size := array_facts(node).size) is not None
    ]
    return sorted(found, key=lambda each: (-each.nbytes, each.path))


def size_plot(arrays: Sequence[Measured]) -> str:
    """Draw a bar for each array, largest first; the rest share one. Without arrays, return an empty string.

    >>> "2.0 KiB" in size_plot([Measured("/t", 2048)])
    True
    """
    shown = list(arrays[:_BARS])
    rest = arrays[_BARS:]
    if rest:
        known = [each.stored for each in rest if each.stored is not None]
        total = sum(each.nbytes for each in rest)
        shown.append(Measured(f"{count(len(rest), 'more array')}", total, sum(known) if known else None))
    if not shown:
        return ""
    most = max(1, *(max(each.nbytes, each.stored or 0) for each in shown))
    parts: list[str] = []
    for row, each in enumerate(shown):
        top = row * _HIGH
        words = byte_text(each.nbytes)
        if each.stored is not None:
            ratio = f", ratio {each.nbytes / each.stored:.1f}" if each.stored else ""
            words = f"{byte_text(each.stored)} stored of {words}{ratio}"
        # The end of a name is the most informative part.
        name = each.path if len(each.path) <= 34 else f"…{each.path[-33:]}"
        parts.append(label(0, top + 11, name).replace("<text ", "<text class=ink ", 1))
        parts.append(label(_WIDE, top + 11, words, anchor="end"))
        bars = {"raw": each.nbytes, "bar": each.stored} if each.stored is not None else {"bar": each.nbytes}
        for style, size in bars.items():
            if size:
                wide = max(_WIDE * size / most - 2, 1.0)
                parts.append(f'<path class={style} d="{rect(1, top + 15, wide, 8)}"/>')
    total = sum(each.nbytes for each in arrays)
    title = f"{count(len(arrays), 'array')}, {byte_text(total)} in memory"
    largest = ", ".join(f"{cut(each.path, 60)} {byte_text(each.nbytes)}" for each in shown[:3])
    legend = (
        "; solid bars are bytes stored, dashed outlines bytes in memory"
        if any(each.stored is not None for each in shown)
        else ""
    )
    return svg(
        "".join(parts), _WIDE, len(shown) * _HIGH, title=title, description=f"{title}: {largest}{legend}"
    )
