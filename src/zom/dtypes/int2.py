"""The `int2` data type: integers from -2 to 1, a byte each.

zarr-extensions, data type `int2`. Stored in the lower 2 bits; the upper bits are ignored. v2 uses
the bare name. A new data type takes one file with one registration, like this one.
"""

from __future__ import annotations

from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.extension.datatype import data_types

__all__ = ["int2"]

int2 = data_types.register(PlainFamily(IntType(2, signed=True)))
"""The family of `int2`."""
