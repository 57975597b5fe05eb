"""The `int4` data type: integers from -8 to 7, a byte each.

zarr-extensions, data type `int4`. Stored in the lower 4 bits; the upper bits are ignored. v2 uses
the bare name.
"""

from __future__ import annotations

from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.extension.datatype import data_types

__all__ = ["int4"]

int4 = data_types.register(PlainFamily(IntType(4, signed=True)))
"""The family of `int4`."""
