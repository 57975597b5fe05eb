"""The codec `delta`: the difference of each element to the one before; `numcodecs.delta` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/delta.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.delta (its text requires
`dtype`, its schema does not; no implementation works without it)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from zom.codecs.numcodecs.dtype import StatedType, recast, stated_type, typestr
from zom.codecs.numcodecs.filter import Filter, blocks_of, stored_fill
from zom.errors import ExtensionError
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration
from zom.numpy_later import np

if TYPE_CHECKING:
    from zom.extension.bound import Array, Coder, Form
    from zom.problems import Fault, Path

__all__ = ["DeltaConfiguration", "delta"]

# numpy adds booleans with "or", which is lossy, and can't add dates to dates: writers state int64 for
# them.
_KINDS = frozenset({"int", "uint", "float", "complex", "timedelta"})
_WORDS = "a type of numbers"


class DeltaConfiguration(Configuration):
    """The type of the elements, and the type of the differences, by default the same.

    >>> DeltaConfiguration(dtype="<i4").canonical()
    {'dtype': '<i4', 'astype': '<i4'}
    """

    dtype: StatedType
    astype: StatedType | None = None

    def canonical(self) -> dict[str, Any]:
        """Return both types, as typestrs."""
        dtype = typestr(self.dtype)
        return {"dtype": dtype, "astype": dtype if self.astype is None else typestr(self.astype)}


class Delta(Codec):
    """Differences, in a chunk of the same shape."""

    name = "numcodecs.delta"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = v2_configuration = DeltaConfiguration
    v2_id = "delta"

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the type of the differences."""
        if not isinstance(before, Elements):
            return None
        after = recast(before, configuration, faults, path, kinds=_KINDS, words=_WORDS)
        taken = stated_type(configuration.dtype, [], ())
        fill = stored_fill(before, taken, after.data_type, lambda array: array)
        # Only for zeros are all differences equal.
        return replace(after, fill=fill if fill is not None and not fill.tobytes().strip(b"\0") else None)

    def bind(self, configuration: DeltaConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a filter of differences and sums; integers wrap around, so that overflow is reversible."""
        block, stored = blocks_of(self.name, before, after)
        taken = stated_type(configuration.dtype, [], ()) or block.data_type
        if taken.kind not in _KINDS or stored.data_type.kind not in _KINDS:
            other = taken if taken.kind not in _KINDS else stored.data_type
            raise ExtensionError(f"delta adds {_WORDS}, and {other.name} would not decode to the same values")
        there, back = stored.dtype, taken.numpy()
        return Filter(
            block, taken, stored, lambda array: _differences(array, there), lambda array: _sums(array, back)
        )


def _differences(array: Array, dtype: np.dtype[Any]) -> Array:
    made: Array = np.empty(array.shape, dtype)
    made[:1] = array[:1]
    made[1:] = np.diff(array)
    return made


def _sums(array: Array, dtype: np.dtype[Any]) -> Array:
    made: Array = np.empty(array.shape, dtype)
    np.cumsum(array, out=made)
    return made


delta = codecs.register(Delta())
