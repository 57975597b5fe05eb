"""Pyramids: the values of their levels, what is said of them, and what is in the way."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom import v2, v3
from zom.conventions import ome
from zom.errors import ConflictError, SelectionError
from zom.pyramids.blocks import reduced
from zom.pyramids.method import METHODS

CONVENTIONS = ("ome/0.4", "ome/0.5", "ome/0.6", "multiscales")
METHOD_NAMES = tuple(METHODS)


def pixels(shape, dtype="u2", seed=0):
    return np.random.default_rng(seed).integers(0, 200, shape).astype(dtype)


def check_levels(group, values, factors, method, count):
    """Each level has the values that its method gives of the level before."""
    for level in range(count):
        np.testing.assert_array_equal(group[str(level)][...], values)
        values = reduced(values, factors, METHODS[method])


def entry_of(group, convention="ome/0.5"):
    holder = group.attrs if convention == "ome/0.4" else group.attrs["ome"]
    return holder["multiscales"][0]


def placed(group, convention="ome/0.5"):
    """The scale and the translation of each level."""
    found = []
    for dataset in entry_of(group, convention)["datasets"]:
        steps = dataset["coordinateTransformations"]
        steps = steps[0].get("transformations", steps)
        numbers = {step["type"]: step[step["type"]] for step in steps}
        found.append((numbers["scale"], numbers.get("translation")))
    return found


# --- values and metadata ----------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_levels_have_the_values_of_their_method_and_no_finding(convention, method):
    values = pixels((2, 37, 50))
    group = zom.pyramid(
        values, "memory:", axes="cyx", method=method, levels=3, convention=convention, chunks=(1, 8, 16)
    )
    check_levels(group, values, (1, 2, 2), method, 3)
    report = zom.validate(group.store, conventions=[convention], level="strict", profile="full")
    assert [f"{each.code} {each}" for each in report.of("error")] == []
    assert report.checked > 10


@pytest.mark.parametrize("convention", CONVENTIONS[:3])
def test_a_mean_stands_in_the_middle_of_its_block(convention):
    group = zom.pyramid(
        pixels((12, 18)),
        "memory:",
        convention=convention,
        levels=3,
        factors={"y": 2, "x": 3},
        scale={"y": 0.5, "x": 0.25},
        translation={"x": 10},
    )
    assert placed(group, convention) == [
        ([0.5, 0.25], [0.0, 10.0]),
        ([1.0, 0.75], [0.25, 10.25]),
        ([2.0, 2.25], [0.75, 11.0]),
    ]


@pytest.mark.parametrize("convention", CONVENTIONS[:3])
def test_the_first_element_of_a_block_stays_where_it_is(convention):
    group = zom.pyramid(
        pixels((12, 18)), "memory:", convention=convention, levels=3, method="stride", scale=(0.5, 0.5)
    )
    assert placed(group, convention) == [([0.5, 0.5], None), ([1.0, 1.0], None), ([2.0, 2.0], None)]


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_ramp_keeps_its_place_in_space(method):
    """The value of an element is where it is: so must be, with mean, median and stride, that of each level."""
    ramp = np.arange(64.0) * 0.5 + 3
    values = np.broadcast_to(ramp, (4, 64)).copy()
    group = zom.pyramid(values, "memory:", levels=4, method=method, scale=(1, 0.5), translation=(0, 3))
    if method in {"mean", "median", "stride"}:
        for level, (scale, translation) in enumerate(placed(group)):
            row = group[str(level)][0]
            np.testing.assert_allclose(row, translation[1] + scale[1] * np.arange(len(row)))


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_the_metadata_says_what_was_done(method):
    group = zom.pyramid(pixels((9, 9)), "memory:", levels=3, method=method, factors=[{"x": 2}, {"y": 3}])
    entry = entry_of(group)
    assert entry["type"] == method
    assert entry["metadata"]["method"] == "zom.pyramid"
    assert entry["metadata"]["kwargs"] == {"method": method, "factors": [{"x": 2}, {"y": 3}]}
    assert METHODS[method].words in entry["metadata"]["description"]


@pytest.mark.parametrize(
    ("method", "name", "moved"),
    [
        ("mean", "average", 0.5),
        ("median", "med", 0.5),
        ("mode", "mode", 0.5),
        ("max", "max", 0.5),
        ("min", "min", 0.5),
        ("stride", "stride", 0.0),
    ],
)
def test_the_convention_multiscales_says_from_what_and_how(method, name, moved):
    group = zom.pyramid(
        pixels((4, 9, 9)),
        "memory:",
        axes=["band", "lat", "lon"],
        method=method,
        levels=3,
        convention="multiscales",
    )
    said = group.attrs["multiscales"]
    assert said["resampling_method"] == name
    assert said["layout"][2] == {
        "asset": "2",
        "derived_from": "1",
        "transform": {"scale": [1.0, 2.0, 2.0], "translation": [0.0, moved, moved]},
    }
    assert group["2"].dimension_names == ("band", "lat", "lon")


def test_an_axis_shorter_than_its_factor_becomes_one_element():
    values = pixels((3, 40))
    group = zom.pyramid(values, "memory:", factors=4, levels=3)
    assert [group[name].shape for name in "012"] == [(3, 40), (1, 10), (1, 3)]
    assert placed(group)[2] == ([3.0, 16.0], [1.0, 7.5])
    assert int(group["1"][0, 0]) == round(int(values[:, :4].sum()) / 12)


def test_levels_end_where_no_axis_is_longer_than_1024():
    group = zom.pyramid(np.zeros((2, 2500, 1025), "u1"), "memory:", axes="cyx")
    assert [group[name].shape for name in group] == [(2, 2500, 1025), (2, 1250, 513), (2, 625, 257)]


@st.composite
def cases(draw):
    rank = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(1, 23)) for _ in range(rank))
    lengths = tuple(draw(st.integers(1, 9)) for _ in range(rank))
    factors = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    return {
        "shape": shape,
        "chunks": lengths,
        "factors": factors if max(factors) > 1 else (2, *factors[1:]),
        "shards": draw(st.sampled_from([None, 1, 2])),
        "memory": draw(st.sampled_from([1, 100, 1 << 20])),
        "jobs": draw(st.integers(1, 3)),
        "method": draw(st.sampled_from(METHOD_NAMES)),
        "dtype": draw(st.sampled_from(["u1", "i8", "f4"])),
    }


@settings(max_examples=40, deadline=None)  # many chunks take their time
@given(cases())
def test_neither_chunks_nor_shards_nor_memory_nor_threads_change_the_values(case):
    values = pixels(case["shape"], case["dtype"])
    names = [f"axis{number}" for number in range(values.ndim)]
    times = case["shards"]
    shards = None if times is None else [length * times for length in case["chunks"]]
    group = zom.pyramid(
        values,
        "memory:",
        axes=names,
        convention="multiscales",
        levels=3,
        chunks=case["chunks"],
        shards=shards,
        factors=case["factors"],
        method=case["method"],
        memory=case["memory"],
        jobs=case["jobs"],
    )
    for level in itertools.count():
        np.testing.assert_array_equal(group[str(level)][...], values)
        if str(level + 1) not in group:
            break
        factors = [min(f, n) for f, n in zip(case["factors"], values.shape, strict=True)]
        values = reduced(values, factors, METHODS[case["method"]])
    assert level == 2 or max(values.shape[i] for i, f in enumerate(case["factors"]) if f > 1) == 1


# --- sources ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["same chunks", "other chunks", "v2", "big-endian"])
def test_an_array_of_another_store_is_copied_and_reduced(kind):
    values = pixels((20, 30), ">u2" if kind == "big-endian" else "u2")
    build = v2.ArraySpec.build if kind in {"v2", "big-endian"} else v3.ArraySpec.build
    spec = build(shape=values.shape, dtype=values.dtype, chunks=(8, 8) if kind == "same chunks" else (5, 7))
    image = zom.create_array("memory:", spec, "raw")
    image[...] = values
    group = zom.pyramid(image, "memory:", axes="yx", levels=2, chunks=(8, 8))
    check_levels(group, values.astype("u2"), (2, 2), "mean", 2)


def test_the_names_of_dimensions_are_the_axes():
    spec = v3.ArraySpec.build(shape=(2, 8, 8), dtype="u1", dimension_names=("t", "y", "x"))
    group = zom.pyramid(zom.create_array("memory:", spec), "memory:", levels=2)
    assert [axis["type"] for axis in entry_of(group)["axes"]] == ["time", "space", "space"]
    assert group["1"].shape == (2, 4, 4)


@pytest.mark.parametrize("chunks", [(8, 8), (5, 30), ((20,), (7, 13, 10))])
def test_a_dask_array_is_computed_once(chunks):
    da = pytest.importorskip("dask.array", reason="dask is not installed (pip install 'zom[dask]')")
    values, calls = pixels((20, 30)), []

    def seen(block):
        calls.append(block.shape)
        return block

    image = da.from_array(values, chunks=chunks).map_blocks(seen, dtype=values.dtype, meta=values[:0, :0])
    count = image.npartitions
    group = zom.pyramid(image, "memory:", levels=3, chunks=(8, 8), method="max")
    check_levels(group, values, (2, 2), "max", 3)
    assert len(calls) == count


def test_xarray_names_the_axes_and_gives_its_data():
    xarray = pytest.importorskip("xarray", reason="xarray is not installed (pip install 'zom[xarray]')")
    values = pixels((3, 8, 8))
    image = xarray.DataArray(values, dims=("c", "y", "x"))
    group = zom.pyramid(image, "memory:", levels=2)
    check_levels(group, values, (1, 2, 2), "mean", 2)


def test_what_is_read_by_a_key_is_read_in_regions():
    values = pixels((64, 48))

    class Lazy:
        shape, dtype = values.shape, values.dtype
        largest = 0

        def __getitem__(self, key):
            found = values[key]
            Lazy.largest = max(Lazy.largest, found.nbytes)
            return found

    group = zom.pyramid(Lazy(), "memory:", levels=2, chunks=(8, 8), memory=1024)
    check_levels(group, values, (2, 2), "mean", 2)
    assert Lazy.largest <= 1024


def test_labels_keep_their_values():
    labels = np.repeat(np.repeat(pixels((9, 9), "u4") * 1000, 4, 0), 4, 1)
    group = zom.pyramid(labels, "memory:", levels=4, method="mode")
    for level in "0123":
        assert set(np.unique(group[level][...])) <= set(np.unique(labels))


@pytest.mark.parametrize("name", ["int4", "uint2", "bfloat16", "float8_e4m3"])
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_narrow_numbers_are_computed_in_wide_ones(name, method):
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed (pip install 'zom[codecs]')")
    image = zom.create_array("memory:", v3.ArraySpec.build(shape=(6, 9), dtype=name, chunks=(2, 4)))
    values = pixels((6, 9)) % 4
    image[...] = values
    group = zom.pyramid(image, "memory:", levels=2, method=method)
    wide = values.astype("i1" if "int" in name else "f8")
    expected = reduced(wide, (2, 2), METHODS[method]).astype(image.dtype)
    assert group["1"].dtype == image.dtype
    np.testing.assert_array_equal(group["1"][...].astype("f4"), expected.astype("f4"))


@pytest.mark.parametrize(
    ("dtype", "kind"), [("string", object), ("r16", "V2"), ("U3", "U3"), ("complex64", "c8")]
)
def test_elements_of_every_type_have_a_first(dtype, kind):
    image = zom.create_array("memory:", v3.ArraySpec.build(shape=(6, 9), dtype=dtype, chunks=(2, 4)))
    if kind != "V2":
        image[...] = pixels((6, 9)).astype("U3").astype(kind)
    group = zom.pyramid(image, "memory:", levels=2, method="stride")
    np.testing.assert_array_equal(group["1"][...], image[...][::2, ::2])


# --- missing chunks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fill", [0, 7])
def test_missing_chunks_stay_missing_and_read_as_the_fill_value(fill):
    spec = v3.ArraySpec.build(shape=(64, 64), dtype="u2", chunks=(8, 8), fill_value=fill)
    image = zom.create_array("memory:", spec)
    image[8:16, 40:48] = 100
    group = zom.pyramid(image, "memory:", levels=4, chunks=(8, 8))
    assert [group[name].stored().count for name in "0123"] == [1, 1, 1, 1]
    assert [group[name].fill_value for name in "0123"] == [fill] * 4
    check_levels(group, image[...], (2, 2), "mean", 4)


def test_an_image_of_two_terabytes_with_few_chunks_takes_as_long_as_these(tmp_path):
    spec = v3.ArraySpec.build(
        shape=(1_000_000, 1_000_000), dtype="u2", chunks=(256, 256), dimension_names=("y", "x")
    )
    image = zom.create_group(tmp_path, v3.GroupSpec()).create("0", spec)
    image[1024:1124, 1024:1124] = 9
    image[999_990:, 500_000] = 5
    group = zom.pyramid(image, method="max")
    levels = [group[str(number)] for number in range(11)]
    assert [level.stored().count for level in levels] == [2] * 11
    assert [int(level[...].max()) for level in levels[9:]] == [9, 9]
    assert not list(zom.validate(tmp_path, conventions=["ome/0.5"]))


def test_nan_is_a_fill_value_too():
    spec = v3.ArraySpec.build(shape=(32, 32), dtype="f4", chunks=(8, 8), fill_value=float("nan"))
    image = zom.create_array("memory:", spec)
    image[:8, :8] = 1.5
    group = zom.pyramid(image, "memory:", levels=2, chunks=(8, 8))
    assert group["1"].stored().count == 1
    assert np.isnan(group["1"][4:]).all()
    assert (group["1"][:4, :4] == 1.5).all()


# --- level 0 that is there --------------------------------------------------------------------------------


def image_in(store, version="0.5", **options):
    root = zom.materialize(ome.image("yx", (40, 60), levels=1, version=version, **options), store)
    values = pixels((40, 60))
    root["0"][...] = values
    return root, values


@pytest.mark.parametrize("version", ["0.4", "0.5", "0.6"])
def test_levels_are_put_beside_a_level_0_that_is_there(version):
    root, values = image_in(
        "memory:", version, scale=(0.5, 0.5), translation=(3, 4), name="mine", units={"y": "nanometer"}
    )
    before = root["0"].spec
    entry = entry_of(root, f"ome/{version}")
    group = zom.pyramid(root["0"], levels=3)
    assert group.path == "/"
    check_levels(group, values, (2, 2), "mean", 3)
    after = entry_of(group, f"ome/{version}")
    assert group["0"].spec == before
    for member in {"axes", "name", "coordinateSystems"} & set(entry):
        assert after[member] == entry[member]
    assert after["datasets"][0] == entry["datasets"][0]
    assert placed(group, f"ome/{version}")[1] == ([1.0, 1.0], [3.25, 4.25])
    assert not list(zom.validate(group.store, conventions=[f"ome/{version}"]))


def test_the_other_levels_are_as_the_finest_one_is():
    spec = v3.ArraySpec.build(shape=(40, 60), dtype="u2", chunks=(20, 20), compress="gzip:1")
    root = zom.create_group("memory:", v3.GroupSpec())
    group = zom.pyramid(root.create("full", spec), levels=3)
    assert list(group) == ["1", "2", "full"]
    assert group["1"].spec.codecs == spec.codecs
    assert [group[name].chunks for name in ("1", "2")] == [(20, 20), (10, 15)]


def test_the_other_levels_are_what_is_asked_for():
    root, _ = image_in("memory:")
    group = zom.pyramid(root["0"], levels=2, chunks=(7, 9), compress=None)
    assert group["1"].chunks == (7, 9)


def test_what_else_the_group_says_stays():
    root, _ = image_in("memory:", channels=[{"label": "DNA"}])
    root.attrs["mine"] = {"a": 1}
    group = zom.pyramid(root["0"], levels=2)
    assert group.attrs["mine"] == {"a": 1}
    assert group.attrs["ome"]["omero"]["channels"][0]["label"] == "DNA"


def test_levels_of_labels_are_filled_by_their_own_level_0():
    spec = ome.labels(
        ome.image("cyx", (2, 16, 16), levels=3), "nuclei", dtype="u1", colors={1: (1, 2, 3, 255)}
    )
    root = zom.materialize(spec, "memory:")
    values = np.kron(pixels((1, 4, 4), "u1"), np.ones((4, 4), "u1"))
    root["labels/nuclei/0"][...] = values
    group = zom.pyramid(root["labels/nuclei/0"], method="mode", on_conflict="replace")
    check_levels(group, values, (1, 2, 2), "mode", 3)
    assert group.attrs["ome"]["image-label"]["colors"][0]["rgba"] == [1, 2, 3, 255]
    assert entry_of(group)["type"] == "mode"
    assert not list(zom.validate(root.store, conventions=["ome/0.5"]))


def test_a_pyramid_is_made_again_where_that_is_asked_for():
    values = pixels((40, 60))
    group = zom.pyramid(values, "memory:", levels=4)
    with pytest.raises(
        ConflictError,
        match=r"/1: expected nothing, to write a level there, found a node; pass on_conflict='replace'",
    ):
        zom.pyramid(group["0"], levels=2, method="max")
    again = zom.pyramid(group["0"], levels=2, method="max", on_conflict="replace")
    assert list(again) == ["0", "1"]
    check_levels(again, values, (2, 2), "max", 2)


def test_a_pyramid_takes_the_place_of_another_one_wholly():
    store = zom.pyramid(np.ones((40, 60), "u1"), "memory:", levels=4, chunks=(8, 8)).store
    sparse = np.zeros((40, 60), "u1")
    sparse[0, 0] = 8
    group = zom.pyramid(sparse, store, levels=2, chunks=(8, 8), on_conflict="replace")
    assert list(group) == ["0", "1"]
    check_levels(group, sparse, (2, 2), "mean", 2)


def test_a_level_0_that_is_open_twice_is_not_deleted(tmp_path):
    values = pixels((40, 60))
    zom.pyramid(values, tmp_path, levels=3).store.close()
    image = zom.open_array(tmp_path, "0")
    group = zom.pyramid(image, tmp_path, levels=2, method="max", on_conflict="replace")
    check_levels(group, values, (2, 2), "max", 2)


def test_an_image_is_not_deleted_before_it_is_read(tmp_path):
    values = pixels((40, 60))
    zom.pyramid(values, tmp_path, "a", levels=2)
    group = zom.open_group(tmp_path, mode="r+")
    group.attrs["ome"] = {
        "version": "0.5",
        "multiscales": [{"datasets": [{"path": "a/0"}, {"path": "a/1"}]}],
    }
    with pytest.raises(
        zom.StoreError, match=r"cannot replace 'a/1': the image is read from it; choose another group"
    ):
        zom.pyramid(group["a/1"], tmp_path, levels=2, on_conflict="replace")
    assert sorted(group["a"]) == ["0", "1"]
    assert group.attrs["ome"]["multiscales"][0]["datasets"] == [{"path": "a/0"}, {"path": "a/1"}]


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_other_images_of_the_group_stay_described(version):
    root, _ = image_in("memory:", version)
    key = "multiscales" if version == "0.4" else "ome"
    held = root.attrs[key]
    images = held if version == "0.4" else held["multiscales"]
    images.append({"name": "another"})
    root.attrs[key] = held
    group = zom.pyramid(root["0"], levels=2)
    found = group.attrs[key] if version == "0.4" else group.attrs[key]["multiscales"]
    assert [len(found), found[1]] == [2, {"name": "another"}]


def test_a_pyramid_with_transformations_of_other_kinds_can_be_replaced():
    root, _ = image_in("memory:", "0.6")
    changed = json.loads(json.dumps(dict(root.attrs)))
    changed["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["type"] = "rotation"
    root.attrs.update(changed)
    group = zom.pyramid(pixels((8, 8)), root.store, levels=2, on_conflict="replace")
    assert len(entry_of(group)["datasets"]) == 2


@pytest.mark.parametrize("consolidated", [False, True])
def test_a_pyramid_goes_into_a_group_that_is_there(tmp_path, consolidated):
    root = zom.create_group(tmp_path, v3.GroupSpec(attributes={"title": "slides"}))
    root.create("other", v3.ArraySpec.build(shape=(3,), dtype="i1"))
    if consolidated:
        zom.consolidate(tmp_path)
    zom.pyramid(pixels((20, 20)), tmp_path, "a/b", levels=2)
    zom.pyramid(pixels((20, 20)), tmp_path, levels=2)
    assert sorted(zom.open_group(tmp_path)) == ["0", "1", "a", "other"]
    assert zom.open_group(tmp_path).attrs["title"] == "slides"
    assert "ome" in zom.open_group(tmp_path, "a/b").attrs
    assert not list(zom.check(tmp_path))


# --- what goes wrong --------------------------------------------------------------------------------------


class Halt(Exception):
    pass


@pytest.mark.parametrize("at", [1, 20, 27])
def test_an_interrupted_pyramid_says_nothing_of_its_levels(at):
    store = zom.create_group("memory:", v3.GroupSpec()).store

    def stop(done, total):
        assert total == 20 + 6 + 2
        if done >= at:
            raise Halt

    with pytest.raises(Halt) as caught:
        zom.pyramid(pixels((40, 50)), store, levels=3, chunks=(10, 10), progress=stop, jobs=1)
    assert "no metadata lists them" in caught.value.__notes__[0]
    assert dict(zom.open_group(store).attrs) == {}
    with pytest.raises(ConflictError):
        zom.pyramid(pixels((40, 50)), store, levels=3)
    group = zom.pyramid(pixels((40, 50), seed=3), store, levels=3, on_conflict="replace")
    check_levels(group, pixels((40, 50), seed=3), (2, 2), "mean", 3)


def test_while_a_pyramid_is_made_again_its_finest_level_alone_is_told_of():
    values = pixels((40, 60))
    group = zom.pyramid(values, "memory:", levels=3)

    def stop(done, total):
        raise Halt

    with pytest.raises(Halt):
        zom.pyramid(group["0"], levels=3, on_conflict="replace", progress=stop)
    now = zom.open_group(group.store)
    assert [each["path"] for each in entry_of(now)["datasets"]] == ["0"]
    assert not list(zom.validate(group.store, conventions=["ome/0.5"]))


def test_progress_counts_the_chunks_of_all_levels():
    seen = []
    zom.pyramid(
        pixels((40, 50)), "memory:", levels=3, chunks=(10, 10), progress=lambda *pair: seen.append(pair)
    )
    assert seen[-1] == (28, 28)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, r"^method: expected one of mean, ", {"method": "average"}),
        (TypeError, r"^method: 'mean' is not defined for elements of type bool; use method='mode' or ", {"image": np.ones((4, 4), "?")}),
        (ValueError, r"^factors: expected an integer, integers by axis .*, got 'yx'$", {"factors": "yx"}),
        (ValueError, r"^factors: expected integers from 1, got 0 for y$", {"factors": {"y": 0}}),
        (ValueError, r"^factors: expected integers from 1, got 1.5 for y$", {"factors": {"y": 1.5}}),
        (ValueError, r"^factors: expected at least one factor from 2, got 1: no level would be smaller$", {"factors": 1}),
        (ValueError, r"^factors: expected the names of axes, y, x, got 'z'$", {"factors": {"z": 2}}),
        (ValueError, r"^factors: expected 2 integers, one for each axis, y, x, the same at every level, or mappings, one for each level, as \[\{'y': 2, 'x': 2\}, \{'y': 4, 'x': 4\}\], got \[2, 3, 4\]$", {"factors": [2, 3, 4]}),
        (ValueError, r"^levels: expected 3, one more than the number of factors, got 2$", {"factors": [{"y": 2}, {"x": 2}], "levels": 2}),
        (ValueError, r"^levels: expected 1 or more, got 0$", {"levels": 0}),
        (ValueError, r"^levels: expected 1 or more, got 1\.5$", {"levels": 1.5}),
        (ValueError, r"^axes: expected 2 names, one for each dimension, got ", {"axes": "zyx"}),
        (ValueError, r"^axes: expected the names of 3 axes, .*; pass axes=", {"image": np.ones((2, 4, 4))}),
        (ValueError, r"^axes: expected t, c, z, y or x, got 'q'; pass its type: ", {"axes": "qx"}),
        (ValueError, r"^convention: expected one of ome/0.4, .*, got 'ome/0.3'$", {"convention": "ome/0.3"}),
        (ValueError, r"^scale: expected none, as the convention multiscales has no member for it, got ", {"convention": "multiscales", "scale": (1, 2)}),
        (ValueError, r"^scale: expected 2 numbers, one for each axis, got 3$", {"scale": (1, 2, 3)}),
        (ValueError, r"^scale: expected finite numbers above 0, got nan for x$", {"scale": (1, float("nan"))}),
        (ValueError, r"^scale: expected finite numbers above 0, got 0 for y$", {"scale": (0, 1)}),
        (ValueError, r"^scale: expected finite numbers above 0, got -1 for y$", {"scale": {"y": -1}}),
        (ValueError, r"^scale: expected finite numbers above 0, got '2' for x$", {"scale": {"x": "2"}}),
        (ValueError, r"^scale: expected elements of finite size and place at every level, got ", {"scale": (1e308, 1), "levels": 3}),
        (ValueError, r"^translation: expected finite numbers, got inf for x$", {"translation": (-1, float("inf"))}),
        (ValueError, r"^dtype: expected none, as the image determines it, got 'u1'; convert the image first", {"dtype": "u1"}),
        (ValueError, r"^shape: expected none, as the image determines it, got 3$", {"shape": 3}),
        (ValueError, r"^shards: expected none, as Zarr v2 arrays have none, got \(2, 2\); OME-Zarr 0.5 has them$", {"shards": (2, 2), "convention": "ome/0.4", "store": "memory:"}),
        (ValueError, r"^separator: expected none, as Zarr v3 arrays have none, got '/'; OME-Zarr 0.4 has them$", {"separator": "/"}),
        (TypeError, r"^chunk: expected an argument of ArraySpec.build, got an unknown one; did you mean 'chunks'\?$", {"chunk": 3}),
        (ValueError, r"^dimension_names: expected the axes, y, x, got \('a', 'b'\); pass these names as axes$", {"dimension_names": ("a", "b")}),
        (TypeError, r"^image: expected an array without a mask, got a masked array; fill it first: image.filled\(value\)$", {"image": np.ma.masked_equal([[1, 2]], 2)}),
        (ValueError, r"^units: expected the name of an axis, y, x, got 'z'$", {"units": {"z": "meter"}}),
        (ValueError, r"^types: expected the name of an axis, y, x, got 'z'$", {"types": {"z": "space"}}),
        (ValueError, r"^jobs: expected an integer from 1, got 0$", {"jobs": 0}),
        (ValueError, r"^memory: expected an integer from 1, got True$", {"memory": True}),
        (ValueError, r'^on_conflict: expected "refuse" or "replace", got "update"'.replace('"update"', "'update'"), {"on_conflict": "update"}),
        (TypeError, r"^image: expected an array of zom, numpy or dask, or a similar one, got list$", {"image": [[1]]}),
        (SelectionError, r"^image: expected an array with elements and dimensions, got shape \(0, 4\)$", {"image": np.ones((0, 4))}),
        (TypeError, r"^store: expected a store, a path or a URL, got None; only an Array of zom has a default place$", {"store": None}),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_anything_is_written(error, message, arguments):
    store = zom.create_group("memory:", v3.GroupSpec()).store
    given = {"image": np.ones((4, 4), "u1"), "store": store, **arguments}
    with pytest.raises(error, match=message):
        zom.pyramid(given.pop("image"), given.pop("store"), **given)
    assert list(store.list()) == ["zarr.json"]


def test_a_group_of_another_format_is_refused():
    store = zom.create_group("memory:", v2.GroupSpec()).store
    with pytest.raises(
        ValueError,
        match=r"^convention: 'ome/0.5' is for v3 groups, but / in memory:// is v2; choose 'ome/0.4'",
    ):
        zom.pyramid(np.ones((4, 4)), store, convention="ome/0.5")
    assert entry_of(zom.pyramid(np.ones((4, 4)), store), "ome/0.4")["version"] == "0.4"


def test_an_array_in_the_way_is_refused():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(4,), dtype="i1"), "a")
    with pytest.raises(zom.NotFound, match="expected a group at /a, found an array"):
        zom.pyramid(np.ones((4, 4)), array.store, "a")


def test_an_array_without_a_group_is_refused():
    array = zom.create_array("memory:", v3.ArraySpec.build(shape=(4, 4), dtype="i1"))
    with pytest.raises(
        ValueError, match=r"^image: expected an array in a group, .*, got one without a group$"
    ):
        zom.pyramid(array)


def test_a_store_that_is_read_only_is_refused(tmp_path):
    zom.create_group(tmp_path, v3.GroupSpec())
    with pytest.raises(zom.ReadOnlyError):
        zom.pyramid(np.ones((4, 4)), zom.store(tmp_path, read_only=True))


def test_transformations_that_are_no_scale_are_refused():
    root, _ = image_in("memory:", "0.6")
    changed = json.loads(json.dumps(dict(root.attrs)))
    step = changed["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]
    step |= {"type": "rotation"}
    root.attrs.update(changed)
    with pytest.raises(
        ValueError, match=r"^coordinateTransformations of level 0: expected a scale .*, found rotation$"
    ):
        zom.pyramid(root["0"], levels=2)


# --- stores -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.zarr", "a.zip", "a.sqlite"])
def test_every_kind_of_store_holds_a_pyramid(tmp_path, name):
    values = pixels((40, 50))
    group = zom.pyramid(values, tmp_path / name, levels=3, chunks=(10, 10))
    group.store.close()
    again = zom.open_group(tmp_path / name)
    check_levels(again, values, (2, 2), "mean", 3)
    assert len(entry_of(again)["datasets"]) == 3
    again.store.close()
