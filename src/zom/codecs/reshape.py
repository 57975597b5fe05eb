"""The `reshape` codec: the same elements in the same order, in another shape.

Zarr v3: https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/reshape
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from zom.count import count_of
from zom.errors import ExtensionError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import Interval
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Form
    from zom.extension.codec import Representation

__all__ = ["ReshapeCodec", "ReshapeConfiguration", "reshape"]

_SOURCE = "zarr-extensions, reshape codec, shape"

SIZE = rule(
    "codec/reshape-size",
    "each size is a positive integer, -1, or a list of input dimensions",
    source=_SOURCE,
    schema=True,
)
ONCE = rule("codec/reshape-once", "-1 occurs at most once", source=_SOURCE)
DIMENSIONS = rule(
    "codec/reshape-dimensions",
    "input dimensions exist, and increase over the whole shape",
    source=_SOURCE,
)
PRODUCT = rule(
    "codec/reshape-product",
    "the new shape has as many elements as the old one",
    source=_SOURCE,
)
ALIGNED = rule(
    "codec/reshape-aligned",
    "the number of elements before and after a size made of input dimensions stays the same",
    source=_SOURCE,
)

_MOST_CHOICES = 256

Lengths: TypeAlias = tuple[tuple[int, ...], ...]
"""The possible chunk lengths of each dimension."""


class ReshapeConfiguration(Configuration):
    """The new size of each dimension: a number, -1 for the remainder, or a list of input dimensions."""

    strict_schema: ClassVar[Mapping[str, Any]] = {
        "properties": {
            "shape": {
                "type": "array",
                "items": {
                    "if": {"type": "array"},
                    "then": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                    "else": {"type": "integer", "minimum": -1, "not": {"const": 0}},
                },
            }
        }
    }

    shape: list[Annotated[int, Interval(-1)] | list[Annotated[int, Interval(0)]]]


class ReshapeCodec(Codec):
    """`reshape`: array -> array."""

    name = "reshape"
    kind = "array->array"
    configuration = ReshapeConfiguration

    def thread(
        self,
        configuration: ReshapeConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return the elements in the new shape."""
        if not isinstance(before, Elements):
            return None
        here = (*path, "configuration", "shape")
        shape, lengths = configuration.shape, before.lengths
        found = len(faults)
        _check_sizes(shape, faults, here)
        _check_dimensions(shape, None if lengths is None else len(lengths), faults, here)
        if len(faults) > found or lengths is None:
            return replace(before, lengths=None)
        if before.count is None:
            return replace(before, lengths=_varying(shape, lengths))
        new = _fixed(shape, [choices[0] for choices in lengths], faults, here)
        return replace(before, lengths=None if new is None else tuple((size,) for size in new))

    def bind(self, configuration: ReshapeConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that reshapes to the shape of `after`."""
        del configuration
        if not isinstance(before, Block) or not isinstance(after, Block):
            raise ExtensionError("the reshape codec expects elements")
        return _Reshaped(before.shape, after.shape)


class _Reshaped(Coder[Any, Any]):
    """Chunks in another shape.

    `is_view` is False: for memory with gaps, such as a part of an array, `encode` returns a copy, and
    writing into it would be lost.
    """

    def __init__(self, before: tuple[int, ...], after: tuple[int, ...]) -> None:
        self._before = before
        self._after = after

    def encode(self, chunk: Array) -> Array:
        """Return the elements in the new shape."""
        return chunk.reshape(self._after)

    def decode(self, chunk: Array) -> Array:
        """Return the elements in their original shape."""
        return chunk.reshape(self._before)


def _check_sizes(shape: list[int | list[int]], faults: list[Fault], path: Path) -> None:
    left = False
    for place, size in enumerate(shape):
        if size == 0:
            expected = "a positive integer, -1, or a list of input dimensions"
            faults.append(Fault(SIZE, (*path, place), expected, "0"))
        elif size == -1:
            if left:
                faults.append(Fault(ONCE, (*path, place), "-1 at most once", "another -1"))
            left = True


def _check_dimensions(
    shape: list[int | list[int]],
    rank: int | None,
    faults: list[Fault],
    path: Path,
) -> None:
    last = -1
    for place, size in enumerate(shape):
        for index, dimension in enumerate(size if isinstance(size, list) else ()):
            here = (*path, place, index)
            if rank is not None and dimension >= rank:
                expected = f"a dimension below {rank}"
                faults.append(Fault(DIMENSIONS, here, expected, show(dimension)))
            elif dimension <= last:
                expected = f"a dimension after {last}"
                faults.append(Fault(DIMENSIONS, here, expected, show(dimension)))
            last = max(last, dimension)


def _fixed(shape: list[int | list[int]], old: list[int], faults: list[Fault], path: Path) -> list[int] | None:
    """Return the new shape of chunks that all have the shape `old`, or None if it is invalid."""
    new = [
        math.prod(old[dimension] for dimension in size) if isinstance(size, list) else size for size in shape
    ]
    total = math.prod(old)
    if -1 in new:
        others = math.prod(size for size in new if size != -1)
        if others == 0 or total % others:
            expected = f"sizes whose product divides {total}"
            faults.append(Fault(PRODUCT, path, expected, show(shape)))
            return None
        new[new.index(-1)] = total // others
    elif math.prod(new) != total:
        expected = f"a shape of {count_of(total, 'element')}"
        faults.append(
            Fault(PRODUCT, path, expected, f"{show(shape)}, of {count_of(math.prod(new), 'element')}")
        )
        return None
    for place, size in enumerate(shape):
        if isinstance(size, list) and size:
            before = math.prod(old[: size[0]])
            behind = math.prod(old[size[-1] + 1 :])
            if math.prod(new[:place]) != before or math.prod(new[place + 1 :]) != behind:
                expected = f"{count_of(before, 'element')} before and {behind} after"
                found = f"{math.prod(new[:place])} and {math.prod(new[place + 1 :])}"
                faults.append(Fault(ALIGNED, (*path, place), expected, found))
    return new


def _varying(shape: list[int | list[int]], lengths: Lengths) -> Lengths | None:
    """Return the new lengths of chunks of varying shape, or None if they are unknown or too many."""
    new: list[tuple[int, ...]] = []
    for size in shape:
        if not isinstance(size, list):
            if size == -1:
                return None
            new.append((size,))
            continue
        choices = [lengths[dimension] for dimension in size]
        if math.prod(map(len, choices)) > _MOST_CHOICES:
            return None
        new.append(tuple(sorted({math.prod(picked) for picked in itertools.product(*choices)})))
    return tuple(new)


reshape = codecs.register(ReshapeCodec())
"""The `reshape` codec."""
