"""Templates: what a spec describes, as xarray opens a store in which nothing is written yet."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

import zom
from zom import draft, v2, v3
from zom.errors import SpecError

xr = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")

FORMATS = pytest.mark.parametrize("module", [v2, v3, draft], ids=lambda module: module.__name__)


def climate(module, days=10, cells=20):
    build = module.ArraySpec.build
    time = {"units": "days since 2000-01-01", "calendar": "standard"}
    return module.GroupSpec(
        attributes={"title": "planned"},
        members={
            "t2m": build(
                shape=(days, cells),
                dtype="float32",
                chunks=(5, 10),
                fill_value=np.nan,
                dimension_names=["time", "x"],
            ),
            "time": build(
                shape=(days,), dtype="int64", fill_value=0, dimension_names=["time"], attributes=time
            ),
        },
    )


@FORMATS
def test_a_template_is_what_an_empty_store_opens_as(module):
    ds = climate(module).to_xarray()
    assert dict(ds.sizes) == {"time": 10, "x": 20}
    assert ds.attrs == {"title": "planned"}
    assert np.isnan(ds.t2m.values).all()
    assert ds.t2m.dtype == np.float32
    assert list(ds.coords) == ["time"]
    if module is not v2:  # there the fill value stands for a missing date
        assert (ds.time.values == np.datetime64("2000-01-01")).all()


@FORMATS
def test_a_template_takes_no_memory(module):
    climate(module).to_xarray()  # loads what it needs
    tracemalloc.start()
    try:
        ds = climate(module, days=10**6, cells=10**6).to_xarray()
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert used < 4_000_000
    assert ds.t2m.nbytes == 4 * 10**12
    assert np.isnan(ds.t2m[10**6 - 1, -1])


@FORMATS
def test_groups_within_make_a_tree(module):
    inner = climate(module)
    tree = zom.xarray.template(
        module.GroupSpec(members={"a": module.GroupSpec(members={"b": inner}), "c": inner})
    )
    assert isinstance(tree, xr.DataTree)
    assert sorted(tree.groups) == ["/", "/a", "/a/b", "/c"]
    assert tree["a/b"].t2m.shape == (10, 20)


def test_a_template_may_be_made_of_dask_arrays():
    pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
    assert climate(v3).to_xarray(chunks={}).t2m.chunks == ((5, 5), (10, 10))


@pytest.mark.parametrize("number", [2, 3])
def test_a_dataset_and_its_template_have_the_same_spec(number):
    ds = xr.Dataset(
        {
            "a": (
                ("y", "x"),
                np.ones((4, 6)),
                {"units": "m"},
                {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1},
            )
        },
        {"x": np.arange(6.0), "label": ("x", list("abcdef"))},
    )
    spec = zom.xarray.to_spec(ds, zarr_format=number)
    assert spec.like(zom.xarray.to_spec(spec.to_xarray(), zarr_format=number))


def test_a_template_is_of_a_group_whose_members_are_known():
    with pytest.raises(SpecError, match=r"spec: expected the spec of a group, found .*the spec of an array"):
        zom.xarray.template(v3.ArraySpec.build(shape=(3,), dtype="int8"))
    with pytest.raises(SpecError, match=r"spec: expected a group with known members, found .*members=None"):
        zom.xarray.template(v3.GroupSpec())


def test_missing_xarray_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(zom.ExtensionError, match=r"xarray is not installed; pip install 'zom\[xarray\]'"):
        climate(v3).to_xarray()
