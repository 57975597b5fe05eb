"""The Python example of ZEP 6, repaired: a hierarchy in which xarray's attribute is part of the type.

mypy accepts this file. See zep6_invalid.py for the one that it rejects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from zom.v2 import ArraySpec, GroupSpec


@dataclass(frozen=True)
class XAttrs:
    """The attributes that xarray needs."""

    _ARRAY_DIMENSIONS: list[str]


XArraySpec: TypeAlias = ArraySpec[XAttrs]
XGroupSpec: TypeAlias = GroupSpec[Any, XArraySpec | GroupSpec[Any, Any]]

valid = XGroupSpec(
    attributes={},
    members={
        "array_0": XArraySpec(
            shape=(10, 10),
            attributes=XAttrs(_ARRAY_DIMENSIONS=["a", "b"]),
            dtype="|u1",
            chunks=(10, 10),
            compressor=None,
            filters=None,
            fill_value=0,
            order="C",
            dimension_separator=".",
        ),
    },
)

if __name__ == "__main__":
    print(valid.to_json(indent=2))
