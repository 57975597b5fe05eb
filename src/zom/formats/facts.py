"""Facts about one node as short texts: type, shape, chunks, codecs, attributes.

The facts come from `zom.formats.resolve`, so v2 and v3 arrays look alike.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.formats.resolve import resolve
from zom.problems import one_line, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.formats.resolved import Lengths, ResolvedArray
    from zom.model.spec import Spec

__all__ = ["ArrayFacts", "array_facts", "attribute_texts", "byte_text"]

# The plain codecs from elements to bytes: every array has one, so they are not shown.
_PLAIN_CODECS = frozenset({"bytes", "sharding_indexed"})


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """One array in words; an unknown fact is a question mark."""

    type: str
    shape: str
    chunks: str
    codecs: str
    size: int | None
    """Bytes of all elements before encoding; None for variable-length elements."""


def array_facts(spec: Spec) -> ArrayFacts:
    """Return the facts of the array `spec`.

    >>> from zom import v3
    >>> facts = array_facts(v3.ArraySpec.build(shape=(48, 9), dtype="float32", chunks=(24, 9)))
    >>> facts.type, facts.shape, facts.chunks, facts.codecs, facts.size
    ('float32', '(48, 9)', '24×9', 'zstd', 1728)
    """
    view = resolve(spec)
    names = [codec.name for codec in view.codecs if codec.name not in _PLAIN_CODECS]
    itemsize = view.data_type.itemsize if view.data_type is not None else None
    return ArrayFacts(
        type=_type_text(view),
        shape=_shape_text(view),
        chunks=_chunk_text(view),
        codecs=one_line(" ".join(names)) or "uncompressed",
        size=None if itemsize is None else math.prod(view.shape) * itemsize,
    )


def _type_text(view: ResolvedArray) -> str:
    if view.data_type is None:
        return one_line(view.type_name or "?")
    configuration: Any = view.data_type.to_json("v3") if view.form == "v3" else None
    unit = ""
    if isinstance(configuration, dict):
        inner = cast("dict[str, Any]", configuration).get("configuration")
        if isinstance(inner, dict) and "unit" in inner:
            unit = f"[{cast('dict[str, Any]', inner)['unit']}]"
    order = " big-endian" if view.data_type.order == "big" else ""
    return f"{view.data_type.name}{unit}{order}"


def _shape_text(view: ResolvedArray) -> str:
    if not view.shape:
        return "scalar"
    names = view.names or (None,) * len(view.shape)
    pairs = zip(names, view.shape, strict=True)
    inner = ", ".join(str(length) if name is None else f"{one_line(name)}={length}" for name, length in pairs)
    return f"({inner})"


def _chunk_text(view: ResolvedArray) -> str:
    if view.chunks is None:
        return "?"
    if not view.chunks:
        return "one"
    text = _lengths_text(view.chunks)
    if not view.sharded:
        return text
    return f"{text} in shards {'?' if view.shards is None else _lengths_text(view.shards)}"


def _lengths_text(lengths: Lengths) -> str:
    return "×".join(_length_text(choices) for choices in lengths)


def _length_text(choices: tuple[int, ...]) -> str:
    if len(choices) <= 1:
        return str(choices[0]) if choices else "?"
    return f"({min(choices)}…{max(choices)})"


def attribute_texts(attributes: Mapping[str, Any], room: int) -> str:
    """Return as many first attributes as fit into `room`, and the number of the others.

    >>> attribute_texts({"title": "a", "history": "b" * 90, "n": 1}, 40)
    'title="a" and 2 more attributes'
    """
    shown: list[str] = []
    for name, value in attributes.items():
        text = f"{one_line(name)}={show(value, room)}"
        if isinstance(value, (dict, list)) or len(text) > room:
            break
        shown.append(text)
        room -= len(text) + 1
    more = len(attributes) - len(shown)
    if more:
        plural = "" if more == 1 else "s"
        shown.append(f"and {more} more attribute{plural}" if shown else f"{more} attribute{plural}")
    return " ".join(shown)


def byte_text(size: int) -> str:
    """Return a number of bytes in a readable unit.

    >>> byte_text(999), byte_text(12_500_000), byte_text(2**60)
    ('999 B', '11.9 MiB', '1.0 EiB')
    """
    if size < 1024:
        return f"{size} B"
    step = min((size.bit_length() - 1) // 10, 6)
    return f"{size / (1 << 10 * step):.1f} {'KMGTPE'[step - 1]}iB"
