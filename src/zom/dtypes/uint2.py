"""The `uint2` data type: integers from 0 to 3, a byte each.

zarr-extensions, data type `uint2`. Stored in the lower 2 bits; the upper bits are ignored. v2 uses
the bare name.
"""

from __future__ import annotations

from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.extension.datatype import data_types

__all__ = ["uint2"]

uint2 = data_types.register(PlainFamily(IntType(2, signed=False)))
"""The family of `uint2`."""
