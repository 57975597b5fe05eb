"""Templates: a satellite product, as Python classes and as the equivalent document.

Run it: python examples/template.py
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the classes are evaluated
from typing import Annotated

from typing_extensions import TypedDict

from zom import template, v3
from zom.template import ArrayClass, ArrayTemplate, GroupClass, Pattern


class ProductAttributes(TypedDict):
    platform: str
    cloud_cover: float


class Band(ArrayClass, rank=2, dtype="uint16", dimension_names=["y", "x"], chunks={"y": [256, 512]}):
    """Reflectance of one band."""


class Resolution(GroupClass, same_length=True):
    """All bands of one resolution, with equal shapes."""

    b02: Band
    b03: Band
    mask: Annotated[Band, ArrayTemplate(dtype="bool")] | None


class Product(GroupClass, open=False):
    """A product: from one to ten resolutions, r10m, r20m and so on."""

    attributes: ProductAttributes
    resolutions: Annotated[Mapping[str, Resolution], Pattern(pattern="r[0-9]+m", min_count=1, max_count=10)]


def band(length: int, dtype: str = "uint16") -> v3.ArraySpec:
    chunks = (min(512, length), min(512, length))
    return v3.ArraySpec.build(shape=(length, length), dtype=dtype, chunks=chunks, dimension_names=("y", "x"))


good = v3.GroupSpec(
    attributes={"platform": "sentinel-2a", "cloud_cover": 3.5},
    members={
        "r10m": v3.GroupSpec(members={"b02": band(10980), "b03": band(10980), "mask": band(10980, "bool")}),
        "r20m": v3.GroupSpec(members={"b02": band(5490), "b03": band(5490)}),
    },
)
assert Product.check(good) == ()

bad = v3.GroupSpec(
    attributes={"platform": "sentinel-2a"},
    members={
        "r10m": v3.GroupSpec(members={"b02": band(10980), "bo3": band(10980)}),
        "r20m": v3.GroupSpec(members={"b02": band(5490, "float32"), "b03": band(2745)}),
        "r60": v3.GroupSpec(members={}),
    },
)
for problem in Product.check(bad):
    print(problem.pointer, "--", problem)

# The same template as a document, for people who don't write Python.
text = Product.template.to_json(indent=2)
assert template.parse(text) == Product.template

# Infer a template from valid products.
inferred = template.infer(good)
print(inferred.to_json(indent=2))
assert inferred.check(good) == ()
