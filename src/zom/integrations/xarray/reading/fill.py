"""The attribute `_FillValue` in xarray's JSON encoding, if the fill value is not a missing value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from xarray.backends.zarr import FillValueCoder

from zom.errors import SpecError
from zom.problems import Problem, pointer_of, show

if TYPE_CHECKING:
    import numpy as np

    from zom.handles.array import Array

__all__ = ["missing_value"]

_PLACE: Final = ("attributes", "_FillValue")


def missing_value(array: Array, dtype: np.dtype[Any], value: Any) -> Any:
    """Decode the attribute `_FillValue` of `array`; raise SpecError if it isn't in xarray's encoding.

    >>> import numpy as np, zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(4,), dtype="float64"))
    >>> missing_value(array, array.dtype, "AAAAAAAA+H8=")
    nan
    """
    coder: Any = FillValueCoder
    try:
        return coder.decode(value, dtype)
    except (TypeError, ValueError, AssertionError) as cause:  # xarray of 2024 asserts
        expected = f"a fill value of {dtype} in xarray's form, with floats in base64"
        fix = f"write it in this form, or leave out the array: drop_variables=[{array.name!r}]"
        where = (array.path, pointer_of(_PLACE), _PLACE)
        # The code is that of the convention's rule, so that `zom explain` covers it.
        problem = Problem("xarray/fill-value-attr", "error", *where, expected, show(value), fix)
        raise SpecError([problem], array.store.url) from cause
