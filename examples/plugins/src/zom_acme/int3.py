"""The `int3` data type: integers from -4 to 3, one byte each."""

from __future__ import annotations

from zom.dtypes.element import PlainFamily
from zom.dtypes.int import IntType
from zom.extension import data_types

__all__ = ["int3"]

int3 = data_types.register(PlainFamily(IntType(3, signed=True), is_registered=False))
"""The family of `int3`."""
