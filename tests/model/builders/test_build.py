"""Building arrays from what a designer knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zom import AUTO, draft, v2, v3
from zom.errors import ConversionError, SpecError, UnknownName, ZomError
from zom.extension.datatype import data_types

MODULES: dict[str, Any] = {"v2": v2, "v3": v3, "draft": draft}
FORMS = sorted(MODULES)
TYPES = [kind for family in data_types for kind in family.examples()]


def chunk_shape(spec: Any) -> tuple[int, ...]:
    if spec.family.form == "v2":
        return tuple(spec.chunks)
    grid = spec.chunk_grid
    return tuple((grid.get("configuration") or grid)["chunk_shape"])


def build(form: str, **arguments: Any) -> Any:
    return MODULES[form].ArraySpec.build(**{"shape": (4, 6), "dtype": "float32", **arguments})


def is_clean(spec: Any) -> bool:
    module = MODULES[spec.family.form]
    return not module.check(spec.to_json()) and not module.check(spec.to_json(), "closed")


def refused(form: str, kind: Any) -> bool:
    """Types that can be read, but that no new array should have."""
    if kind.kind in {"datetime", "timedelta"}:
        return form != "v3" and np.datetime_data(kind.numpy())[0] == "generic"
    return form == "v2" and kind.kind == "object" and kind.object_codec is None


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: f"{kind.name}-{kind.order}")
@pytest.mark.parametrize("form", FORMS)
def test_an_array_of_any_type_is_valid(form: str, kind: Any) -> None:
    try:
        kind.to_json(form)
    except ConversionError:
        with pytest.raises(ConversionError, match="data type: expected a data type that"):
            build(form, dtype=kind)
        return
    if refused(form, kind):
        with pytest.raises(SpecError, match=r"expected a unit|expected an object codec"):
            build(form, dtype=kind)
        return
    spec = build(form, dtype=kind)
    assert MODULES[form].check(spec.to_json()) == ()
    # A type that nobody registered can be built, but a closed reader won't have it.
    assert {p.inside[0] for p in MODULES[form].check(spec.to_json(), "closed")} <= {"data_type"}


@pytest.mark.parametrize("shape", [(), (0,), (0, 5), (1,), (2**40,), (2**62, 2), 7, [3, 4], np.array([3, 4])])
@pytest.mark.parametrize("chunks", ["auto", "whole", None, -1, 3, np.int64(3)])
@pytest.mark.parametrize("form", FORMS)
def test_an_array_of_any_shape_and_chunks_is_valid(form: str, shape: Any, chunks: Any) -> None:
    spec = build(form, shape=shape, chunks=chunks)
    assert is_clean(spec)
    assert len(chunk_shape(spec)) == spec.ndim


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ("whole", (4, 6)),
        (None, (4, 6)),
        (-1, (4, 6)),
        (3, (3, 3)),
        ((2, None), (2, 6)),
        ([-1, 5], (4, 5)),
        ((np.int8(2), 9), (2, 9)),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_chunks_are_what_was_asked_for(form: str, chunks: Any, expected: Any) -> None:
    assert chunk_shape(build(form, chunks=chunks)) == expected


@given(shape=st.lists(st.integers(0, 10**7), max_size=4), size=st.sampled_from(["u1", "f8", "c16"]))
@settings(max_examples=80, deadline=None)
def test_chunks_of_zoms_choice_have_a_sensible_size(shape: list[int], size: str) -> None:
    spec = v3.ArraySpec.build(shape=shape, dtype=size)
    used = np.prod(chunk_shape(spec), dtype=float) * np.dtype(size).itemsize
    assert used <= 1 << 22
    assert all(1 <= chunk <= max(1, length) for chunk, length in zip(chunk_shape(spec), shape, strict=True))


# --- shards ------------------------------------------------------------------------------------------------


@given(
    shape=st.lists(st.integers(0, 10**5), max_size=3),
    chunks=st.sampled_from(["auto", "whole", 7]),
    dtype=st.sampled_from(["u1", "f8", "string"]),
)
@settings(max_examples=80, deadline=None)
def test_shards_of_zoms_choice_hold_whole_chunks(shape: list[int], chunks: Any, dtype: str) -> None:
    spec = v3.ArraySpec.build(shape=shape, dtype=dtype, chunks=chunks, shards="auto")
    assert is_clean(spec)
    inner = spec.codecs[0]["configuration"]["chunk_shape"]
    assert all(shard % chunk == 0 for shard, chunk in zip(chunk_shape(spec), inner, strict=True))


@given(shards=st.lists(st.integers(1, 10**5), min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_chunks_of_zoms_choice_divide_the_shards_that_were_asked_for(shards: list[int]) -> None:
    spec = v3.ArraySpec.build(shape=[10**5] * len(shards), dtype="f4", shards=shards)
    assert is_clean(spec)
    assert chunk_shape(spec) == tuple(shards)


def test_shards_that_do_not_hold_whole_chunks_are_one_located_problem() -> None:
    with pytest.raises(SpecError) as caught:
        build("v3", shape=1000, chunks=30, shards=100)
    (problem,) = caught.value.problems
    assert problem.pointer == "/codecs/0/configuration/chunk_shape/0"
    assert problem.expected == "a length that divides 100"


def test_a_checksum_lies_over_each_chunk_in_a_shard() -> None:
    spec = build("v3", shards="auto")
    configuration = spec.codecs[0]["configuration"]
    assert [codec["name"] for codec in configuration["codecs"]] == ["bytes", "zstd"]
    assert [codec["name"] for codec in configuration["index_codecs"]] == ["bytes", "crc32c"]
    assert len(spec.codecs) == 1


def names(spec: Any) -> list[str]:
    first = spec.codecs[0]
    codecs = first["configuration"]["codecs"] if first["name"] == "sharding_indexed" else spec.codecs
    return [codec["name"] for codec in codecs]


def test_zstd_has_a_checksum_in_its_frames() -> None:
    for checksum in (None, True):
        assert build("v3", checksum=checksum).codecs[1:] == (
            {"name": "zstd", "configuration": {"level": 3, "checksum": True}},
        )
    assert build("v3", checksum=False).codecs[1]["configuration"]["checksum"] is False


@pytest.mark.parametrize(
    ("compress", "default", "asked"),
    [
        ("gzip", ["gzip"], ["gzip"]),
        ("blosc", ["blosc"], ["blosc", "crc32c"]),
        (None, [], ["crc32c"]),
        ("zlib", ["numcodecs.zlib"], ["numcodecs.zlib"]),
        ("bz2", ["numcodecs.bz2"], ["numcodecs.bz2"]),
        ("lzma", ["numcodecs.lzma"], ["numcodecs.lzma"]),
        ("lz4:5", ["numcodecs.lz4", "crc32c"], ["numcodecs.lz4", "crc32c"]),
        ({"name": "zstd", "configuration": {"level": 1}}, ["zstd"], ["zstd", "crc32c"]),
        ({"name": "zstd", "configuration": {"level": 1, "checksum": True}}, ["zstd"], ["zstd"]),
    ],
    ids=str,
)
def test_crc32c_is_added_where_no_reader_is_lost_or_on_request(
    compress: Any, default: Any, asked: Any
) -> None:
    bare = [name for name in default if name != "crc32c"]
    assert names(build("v3", compress=compress))[1:] == default
    assert names(build("v3", compress=compress, checksum=True))[1:] == asked
    assert names(build("v3", compress=compress, checksum=False))[1:] == bare
    assert names(build("v3", compress=compress, shards="auto"))[1:] == asked
    assert names(build("v3", compress=compress, shards="auto", checksum=False))[1:] == bare


# --- compression -----------------------------------------------------------------------------------------------

NAMES = ["zstd", "zstd:9", "gzip", "gzip:0", "blosc", "zlib:1", "bz2", "lz4", "lzma", None]


@pytest.mark.parametrize("compress", NAMES)
@pytest.mark.parametrize("form", ["v2", "v3"])
def test_compression_by_name_is_valid(form: str, compress: Any) -> None:
    for dtype in ("uint8", "float64"):
        assert is_clean(build(form, dtype=dtype, compress=compress))


@pytest.mark.parametrize("compress", ["gzip", "gzip:9", "blosc", None])
def test_the_draft_compresses_by_what_it_knows(compress: Any) -> None:
    assert is_clean(build("draft", compress=compress))
    with pytest.raises(SpecError, match='expected gzip or blosc: the draft knows no others, found "zstd"'):
        build("draft", compress="zstd")


def test_compression_is_taken_as_it_is_spelled() -> None:
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    assert build("v3", compress=gzip, checksum=False).codecs[1:] == (gzip,)
    assert build("v3", compress=[gzip, gzip], checksum=False).codecs[1:] == (gzip, gzip)
    zlib = {"id": "zlib", "level": 1}
    assert build("v2", compress=zlib).compressor == zlib
    with pytest.raises(
        SpecError, match=r"compress: expected one compressor, the maximum in v2, .*move the others to filters"
    ):
        build("v2", compress=[zlib, zlib])
    uri = {"type": "https://purl.org/zarr/spec/codecs/gzip/1.0", "configuration": {"level": 1}}
    assert build("draft", compress=uri).codecs == (uri,)


# --- fill values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "value", "old", "new"),
    [
        ("f4", float("nan"), "NaN", "NaN"),
        ("f8", np.float32("inf"), "Infinity", "Infinity"),
        ("i4", np.int64(3), 3, 3),
        ("bool", np.bool(True), True, True),
        ("string", "abc", "abc", "abc"),
        ("U3", "abc", "abc", "abc"),
        ("S4", b"ab", "YWIAAA==", "YWI="),
        ("M8[ns]", np.datetime64("1970-01-02"), 86400 * 10**9, 86400 * 10**9),
        ("M8[s]", np.datetime64("NaT", "s"), -(2**63), "NaT"),
        ("c8", 1 + 2j, [1.0, 2.0], [1.0, 2.0]),
        ([("a", "<i4"), ("b", "<f8")], (1, 2.0), "AQAAAAAAAAAAAABA", {"a": 1, "b": 2.0}),
        ("V4", b"1234", "MTIzNA==", "MTIzNA=="),
        ("f4", AUTO, 0.0, 0.0),
        ("i4", None, None, 0),
    ],
)
def test_a_fill_value_is_spelled_as_the_format_spells_it(dtype: Any, value: Any, old: Any, new: Any) -> None:
    assert build("v2", dtype=dtype, fill_value=value).document["fill_value"] == old
    assert build("v3", dtype=dtype, fill_value=value).document["fill_value"] == new


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i4", True),
        ("i4", "x"),
        ("u1", 300),
        ("u1", -1),
        ("i4", 1.5),
        ("U3", "abcd"),
        ("bool", 1),
        ("i1", object()),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_a_fill_value_that_the_type_does_not_hold_is_refused(form: str, dtype: str, value: Any) -> None:
    with pytest.raises(SpecError, match=r"a value of type \S+: expected"):
        build(form, dtype=dtype, fill_value=value)


# --- order, filters, names -----------------------------------------------------------------------------------------


def test_order_f_is_a_transpose_in_v3() -> None:
    assert build("v3", order="F").codecs[0] == {"name": "transpose", "configuration": {"order": [1, 0]}}
    assert build("v3", shape=(4,), order="F").codecs[0]["name"] == "bytes"
    assert build("v2", order="F").order == "F"
    assert build("draft", order="F").chunk_memory_layout == "F"


def test_big_endian_types_stay_so() -> None:
    assert build("v3", dtype=">f4").codecs[0] == {"name": "bytes", "configuration": {"endian": "big"}}
    assert build("v2", dtype=">f4").dtype == ">f4"
    assert is_clean(build("draft", dtype=">f4"))
    assert build("draft", dtype=">f4").data_type == "float32"


def test_filters_come_before_the_rest() -> None:
    delta = {"id": "delta", "dtype": "<f4"}
    assert build("v2", filters=[delta], checksum=True).filters == [delta, {"id": "crc32c"}]
    rounding = {"name": "bitround", "configuration": {"keepbits": 9}}
    assert build("v3", filters=[rounding]).codecs[0] == rounding
    assert (
        build("v3", codecs=[{"name": "bytes", "configuration": {"endian": "little"}}]).codecs[0]["name"]
        == "bytes"
    )


def test_names_of_dimensions_stand_where_readers_look() -> None:
    assert build("v3", dimension_names=["y", None]).dimension_names == ("y", None)
    for form in ("v2", "draft"):
        spec = build(form, dimension_names=["y", "x"], attributes={"a": 1})
        assert spec.attributes == {"_ARRAY_DIMENSIONS": ["y", "x"], "a": 1}


# --- bad arguments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": 3.5}, "cannot build shape: shape: expected integers, found 3.5"),
        ({"shape": None}, "shape: expected integers, found null"),
        ({"shape": "12"}, 'shape: expected integers, found "12"'),
        ({"shape": (True, 2)}, "shape: expected integers, found [true, 2]"),
        ({"shape": (-3, 1)}, "shape[0]: expected an integer from 0 to 9223372036854775807, found -3"),
        ({"chunks": (1.5, 1)}, "chunks: expected integers, or None for the whole dimension, found 1.5"),
        ({"chunks": ("x", 1)}, 'chunks: expected integers, or None for the whole dimension, found "x"'),
        ({"chunks": 0}, "chunks: expected lengths of at least 1, or None for the whole dimension, found 0"),
        (
            {"chunks": True},
            "chunks: expected lengths of at least 1, or None for the whole dimension, found true",
        ),
        ({"chunks": (1,)}, "chunks: expected 2 lengths, one for each dimension, found [1]"),
        ({"chunks": "x"}, 'chunks: expected "auto", "whole" or lengths, found "x"'),
        ({"compress": "gzp"}, "found \"gzp\"; did you mean 'gzip'?"),
        ({"compress": "gzip:x"}, 'compress: expected a level after the colon, like zstd:9, found "gzip:x"'),
        ({"compress": 5}, "compress: expected a name, a codec, several codecs or None, found 5"),
        ({"order": "K"}, '"C" or "F"'),
        (
            {"dimension_names": "yx"},
            'dimension_names: expected a list of names, one for each dimension, found "yx"',
        ),
        ({"dimension_names": ["x"]}, 'expected 2 names, one for each dimension, found ["x"]'),
        ({"attributes": {"a": {1}}}, "attributes.a: expected a JSON value, found a Python set"),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("form", FORMS)
def test_a_bad_argument_is_one_clear_error(form: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(form, **arguments)
    assert len(caught.value.problems) == 1
    assert message in str(caught.value)


def test_shards_are_told_by_their_name() -> None:
    with pytest.raises(SpecError, match=r"shards: expected 2 lengths, one for each dimension, found \[1\]"):
        build("v3", shards=(1,))


@pytest.mark.parametrize("dtype", ["flaot32", None, object, "|i4x"])
@pytest.mark.parametrize("form", FORMS)
def test_a_type_that_nobody_knows_is_refused(form: str, dtype: Any) -> None:
    with pytest.raises(UnknownName):
        build(form, dtype=dtype)


def test_attributes_of_another_form_take_no_dimensions() -> None:
    with pytest.raises(ZomError, match="dimension_names: expected attributes as a mapping"):
        build("v2", dimension_names=["y", "x"], attributes=[1])
