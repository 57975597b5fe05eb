"""The suites of `zom.testing`, for an extension of each kind."""

from typing import ClassVar

import pytest
from zom_acme.bundle import BundleStore
from zom_acme.decimals import decimals
from zom_acme.dggs import dggs
from zom_acme.halves import halves
from zom_acme.int3 import int3
from zom_acme.offset import offset
from zom_acme.padded import padded
from zom_acme.rot import rot
from zom_acme.uuid import uuid

from zom import v3
from zom.testing.chunk_keys import ChunkKeySuite
from zom.testing.codecs import CodecSuite
from zom.testing.conventions import ConventionSuite
from zom.testing.dtypes import DataTypeSuite
from zom.testing.grids import GridSuite
from zom.testing.stores import StoreSuite


class TestInt3(DataTypeSuite):
    family = int3
    fills = (1, 0, -4, 3)
    wrong_fills = (4, -5, 1.5, "1", None)


class TestUuid(DataTypeSuite):
    family = uuid
    fills = ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000")
    wrong_fills = ("123E4567-e89b-12d3-a456-426614174000", "1", 0, None)


class TestRot(CodecSuite):
    codec = rot
    configurations = ({"by": 13}, {"by": 255})
    wrong_configurations = ({}, {"by": 256}, {"by": 0})


class TestHalves(CodecSuite):
    codec = halves
    data_types = ("uint16",)


class TestDecimals(CodecSuite):
    codec = decimals
    data_types = ("uint8", "int64")
    configurations = ({}, {"separator": ";"})
    wrong_configurations = ({"separator": "x"},)


class TestPadded(ChunkKeySuite):
    encoding = padded
    configurations = ({}, {"digits": 2})
    wrong_configurations = ({"digits": 0}, {"digits": "2"})


class TestOffset(GridSuite):
    grid = offset
    arrays = (
        ({"chunk_shape": [4], "first": [3]}, (10,)),
        ({"chunk_shape": [4, 2], "first": [4, 1]}, (9, 6)),
        ({"chunk_shape": [4], "first": [4]}, (2,)),
    )
    wrong_arrays = (
        ({"chunk_shape": [4], "first": [5]}, (10,)),
        ({"chunk_shape": [4, 4], "first": [4]}, (10,)),
    )


class TestBundleStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        return BundleStore(str(tmp_path / "a.bundle"))


def group(**about):
    cells = v3.ArraySpec.build(shape=(12,), dtype="uint64", dimension_names=("cells",))
    whole = {"name": "healpix", "refinement_level": 4, "spatial_dimension": "cells", **about}
    return v3.GroupSpec(attributes={"dggs": whole}, members={"cells": cells})


class TestDggs(ConventionSuite):
    convention = dggs
    good = (group(), group(coordinate="cells"))
    bad: ClassVar = {
        "dggs/name-lower": (group(name="HEALPix"),),
        "dggs/attributes": (group(refinement_level="4"),),
        "dggs/coordinate": (group(coordinate="cell"),),
        "dggs/dims": (
            group().replace(
                members={
                    name: v3.ArraySpec.build(shape=(length,), dtype="int8", dimension_names=("cells",))
                    for name, length in (("a", 3), ("b", 4))
                }
            ),
        ),
    }
