"""The `uint4` data type: integers from 0 to 15, a byte each.

zarr-extensions, data type `uint4`. Stored in the lower 4 bits; the upper bits are ignored. v2 uses
the bare name.
"""

from __future__ import annotations

from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.extension.datatype import data_types

__all__ = ["uint4"]

uint4 = data_types.register(PlainFamily(IntType(4, signed=False)))
"""The family of `uint4`."""
