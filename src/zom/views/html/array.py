"""The view of one array: a table of its facts, a picture of its grid, its attributes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from zom.formats.facts import array_facts
from zom.formats.resolve import resolve
from zom.json.python_value import is_dict
from zom.problems import one_line, show
from zom.views.html.markup import attributes_html, count, cut, size, table, text
from zom.views.svg.grid import chunk_grid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.formats.resolved import Lengths, ResolvedArray
    from zom.hierarchy.stored.chunks import StoredChunks
    from zom.model.spec import Spec

__all__ = ["array_panel", "array_summary", "fact_table"]

_ROOM = 300
"""The most characters of a fact."""


def fact_table(facts: Iterable[tuple[str, str]], caption: str) -> str:
    """Return a table of names and facts, given as text; empty facts are left out.

    >>> print(fact_table([("type", "int8"), ("fill", "")], "The array"))
    <div class=card tabindex=0 role=region aria-label="The array"><table><tbody>
    <tr><th scope=row>type<td class=fact>int8
    </tbody></table></div>
    """
    rows = [
        f"<tr><th scope=row>{text(name)}<td class=fact>{text(cut(fact, _ROOM))}"
        for name, fact in facts
        if fact
    ]
    return table([], rows, caption)


def array_summary(spec: Spec) -> str:
    """Return the facts of an array on one line, as HTML.

    >>> from zom import v3
    >>> print(array_summary(v3.ArraySpec.build(shape=(4,), dtype="int8")))
    int8 <i>(4) 4 zstd</i> <small>4 B</small>
    """
    facts = array_facts(spec)
    said = " ".join(cut(fact, 100) for fact in (facts.shape, facts.chunks, facts.codecs))
    return f"{text(cut(facts.type, 60))} <i>{text(said)}</i> <small>{size(facts.size)}</small>"


def array_panel(spec: Spec, stored: StoredChunks | None = None, *, with_attributes: bool = True) -> str:
    """Return the table, the grid and the attributes of an array, as HTML.

    >>> from zom import v3
    >>> panel = array_panel(v3.ArraySpec.build(shape=(4, 6), dtype="int8", chunks=(2, 3)))
    >>> "4 chunks" in panel, "6 B each" in panel
    (True, True)
    """
    attributes = spec.document.get("attributes") if with_attributes else None
    said = attributes_html(attributes) if is_dict(attributes) else ""
    picture = chunk_grid(spec, stored)
    parts = [
        fact_table(array_facts_of(spec, stored), "The array"),
        picture and f"<div>{picture}</div>",
        said and f"<div>{said}</div>",
    ]
    return f"<div class=panel>{''.join(parts)}</div>"


def array_facts_of(spec: Spec, stored: StoredChunks | None = None) -> list[tuple[str, str]]:
    """Return the rows of an array's table.

    >>> from zom import v3
    >>> dict(array_facts_of(v3.ArraySpec.build(shape=(4, 6), dtype="int8", chunks=(2, 3))))["chunks"]
    '2×3, 4 chunks, 6 B each'
    """
    view, facts = resolve(spec), array_facts(spec)
    chunks, _, shards = facts.chunks.partition(" in shards ")
    pieces = _pieces(view)
    unit = "shard" if view.sharded else "chunk"
    held = None if pieces is None else count(pieces, unit)
    rows = [
        ("format", view.form),
        ("type", facts.type),
        ("shape", facts.shape),
        ("chunks", _said(chunks, None if view.sharded else held, _each(view, view.chunks))),
        ("shards", _said(shards, held, _each(view, view.shards)) if shards else ""),
        ("codecs", " → ".join(one_line(codec.name) for codec in view.codecs)),
        ("fill value", show(view.fill_value, 60) if view.fill_value is not None else ""),
        ("in memory", size(facts.size)),
    ]
    if stored is not None:
        ratio = f", ratio {stored.ratio:.2f}" if stored.ratio is not None else ""
        rows.append(
            ("stored", f"{stored.count:,} of {count(stored.total, unit)}, {size(stored.nbytes)}{ratio}")
        )
        if stored.inner_total is not None:
            rows.append(("in shards", f"{stored.inner_count:,} of {count(stored.inner_total, 'chunk')}"))
    return rows


def _said(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def _pieces(view: ResolvedArray) -> int | None:
    """Return the number of stored objects once everything is written, or None if unknown."""
    if view.encoding.axes is None:
        return None
    return prod(axis.count for axis in view.encoding.axes(view.shape))


def _each(view: ResolvedArray, lengths: Lengths | None) -> str | None:
    """Return the size of each chunk or shard, or None if sizes differ or are unknown."""
    itemsize = None if view.data_type is None else view.data_type.itemsize
    if itemsize is None or lengths is None or any(len(choices) != 1 for choices in lengths):
        return None
    return f"{size(prod(choices[0] for choices in lengths) * itemsize)} each"
