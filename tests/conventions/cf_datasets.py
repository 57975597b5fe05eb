"""Datasets of CF with values, for tests of rules that ask for these."""

from __future__ import annotations

import numpy as np

import zom
from zom import v3


def dataset(arrays, **more):
    """A dataset of CF: arrays by name, of values, dimensions and attributes."""
    members = {
        name: v3.ArraySpec.build(
            shape=np.shape(values), dtype=dtype, dimension_names=dims, attributes=attributes, **more
        )
        for name, (values, dtype, dims, attributes) in arrays.items()
    }
    root = zom.materialize(v3.GroupSpec(attributes={"Conventions": "CF-1.12"}, members=members), "memory:")
    for name, (values, *_) in arrays.items():
        root[name][...] = values
    return root.store
