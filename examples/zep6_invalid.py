"""The invalid half of the Python example of ZEP 6: an array without xarray's attribute.

mypy rejects this file, and so does zom when it runs.
"""

from __future__ import annotations

from zep6_valid import XArraySpec, XGroupSpec

from zom import SpecError

try:
    invalid = XGroupSpec(
        attributes={},
        members={
            "array_0": XArraySpec(
                shape=(10, 10),
                attributes={"foo": 10},
                dtype="|u1",
                chunks=(10, 10),
                compressor=None,
                filters=None,
                fill_value=0,
                order="C",
                dimension_separator="/",
            ),
        },
    )
except SpecError as error:
    print(error)
