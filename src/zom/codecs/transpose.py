"""The `transpose` codec: reorder the dimensions of a chunk.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/codecs/transpose/index.html
The constants "C" and "F" were removed after the acceptance of ZEP 1, but some files have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from zom.errors import ExtensionError
from zom.extension.bound import Block, Coder
from zom.extension.codec import Codec, Elements, codecs
from zom.extension.configuration import Configuration
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Array, Form
    from zom.extension.codec import Representation

__all__ = ["TransposeCodec", "TransposeConfiguration", "transpose"]

_SOURCE = "zarr v3, transpose codec, configuration parameters"

ORDER = rule(
    "codec/transpose-order",
    "a transpose order is a permutation of the dimensions of the codec's input",
    source=_SOURCE,
)
ORDER_NAME = rule(
    "codec/transpose-order-name",
    'a transpose order is a list, no longer "C" or "F"',
    source="zarr v3, transpose codec, change log",
    lenient="warning",
    schema=True,
)


class TransposeConfiguration(Configuration):
    """The input dimension for each dimension of the result."""

    strict_schema: ClassVar[Mapping[str, Any]] = {
        "properties": {"order": {"type": "array", "items": {"type": "integer", "minimum": 0}}}
    }

    order: list[int] | Literal["C", "F"]


class TransposeCodec(Codec):
    """`transpose`: array -> array."""

    name = "transpose"
    kind = "array->array"
    sees_lengths = False
    configuration = TransposeConfiguration

    def thread(
        self,
        configuration: TransposeConfiguration,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return the elements with their dimensions in the new order."""
        if not isinstance(before, Elements):
            return None
        order: list[int] | None
        lengths = before.lengths
        here = (*path, "configuration", "order")
        if isinstance(configuration.order, str):
            order = None if lengths is None else _named_order(configuration.order, len(lengths))
            fix = None if order is None else f"write {show(order)}"
            found = show(configuration.order)
            faults.append(Fault(ORDER_NAME, here, "a list of dimensions", found, fix))
        else:
            order = configuration.order
            rank = len(order) if lengths is None else len(lengths)
            if sorted(order) != list(range(rank)):
                faults.append(Fault(ORDER, here, _wanted(rank), show(order)))
                order = None
        if order is None or lengths is None:
            return replace(before, lengths=None)
        return replace(before, lengths=tuple(lengths[place] for place in order))

    def bind(self, configuration: TransposeConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that returns views with the dimensions in the new order."""
        del after
        if not isinstance(before, Block):
            raise ExtensionError("the transpose codec expects elements")
        order = configuration.order
        return _Transposed(_named_order(order, len(before.shape)) if isinstance(order, str) else order)


class _Transposed(Coder[Any, Any]):
    """Chunks whose dimensions are stored in another order, without copies."""

    is_view = True

    def __init__(self, order: list[int]) -> None:
        self._order = tuple(order)
        self._back = tuple(order.index(dimension) for dimension in range(len(order)))

    def encode(self, chunk: Array) -> Array:
        """Return a view with the dimensions in the stored order."""
        return chunk.transpose(self._order)

    def decode(self, chunk: Array) -> Array:
        """Return a view with the dimensions in the array's order."""
        return chunk.transpose(self._back)


def _named_order(name: str, rank: int) -> list[int]:
    return list(range(rank)) if name == "C" else list(range(rank))[::-1]


def _wanted(rank: int) -> str:
    return f"a permutation of the dimensions 0 to {rank - 1}" if rank else "an empty list"


transpose = codecs.register(TransposeCodec())
"""The `transpose` codec."""
