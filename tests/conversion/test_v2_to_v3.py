"""From v2 to v3: codecs that give the same bytes, and what is lost or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zom import ConversionError, v2, v3
from zom.conversion.trees import convert

ARRAY = {
    "zarr_format": 2,
    "shape": [4, 6],
    "chunks": [2, 3],
    "dtype": "<i2",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
BYTES = {"name": "bytes"}


def array(level="strict", **changes):
    return v2.ArraySpec.parse({**ARRAY, **changes}, level, on_warning=lambda problem: None)


def made(level="strict", **changes):
    return convert(array(level, **changes), "v3").spec


def losses(level="strict", **changes):
    return [str(loss) for loss in convert(array(level, **changes), "v3").losses]


def refusals(level="strict", fill="default", **changes):
    with pytest.raises(ConversionError) as caught:
        convert(array(level, **changes), "v3", fill=fill)
    return [(problem.pointer, str(problem)) for problem in caught.value.problems]


def test_an_array_becomes_the_document_that_reads_its_chunks():
    spec = made(dtype=">f4", fill_value="NaN", compressor={"id": "zlib", "level": 3}, order="F")
    assert spec.to_dict() == {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}},
        "fill_value": "NaN",
        "codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            BIG,
            {"name": "numcodecs.zlib", "configuration": {"level": 3}},
        ],
    }


@pytest.mark.parametrize("separator", [".", "/"])
def test_chunks_keep_their_keys(separator):
    conversion = convert(array(dimension_separator=separator), "v3")
    encoding = {"name": "v2", "configuration": {"separator": separator}}
    assert conversion.spec.chunk_key_encoding == encoding
    assert conversion.same_chunks == {"/": True}


@pytest.mark.parametrize(("shape", "chunks"), [([], []), ([4], [2])])
def test_the_order_of_fewer_than_two_dimensions_needs_no_transpose(shape, chunks):
    assert made(shape=shape, chunks=chunks, order="F").codecs == (LITTLE,)


def test_a_chunk_length_of_0_along_an_empty_dimension_becomes_1():
    spec = made("lenient", shape=[0, 6], chunks=[0, 3])
    assert spec.chunk_grid["configuration"] == {"chunk_shape": [1, 3]}


# --- data types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "data_type", "codec"),
    [
        ("|b1", "bool", BYTES),
        ("|u1", "uint8", BYTES),
        (">i8", "int64", BIG),
        ("<c16", "complex128", LITTLE),
        ("|S3", {"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}}, BYTES),
        (">U2", {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, BIG),
        ("|V4", {"name": "raw_bytes", "configuration": {"length_bytes": 4}}, BYTES),
        (
            "<M8[10us]",
            {"name": "numpy.datetime64", "configuration": {"unit": "us", "scale_factor": 10}},
            LITTLE,
        ),
        (">m8[D]", {"name": "numpy.timedelta64", "configuration": {"unit": "D", "scale_factor": 1}}, BIG),
        (
            [["x", ">i2"], ["y", [["z", ">f4"], ["b", "|b1"]]]],
            {
                "name": "struct",
                "configuration": {
                    "fields": [
                        {"name": "x", "data_type": "int16"},
                        {
                            "name": "y",
                            "data_type": {
                                "name": "struct",
                                "configuration": {
                                    "fields": [
                                        {"name": "z", "data_type": "float32"},
                                        {"name": "b", "data_type": "bool"},
                                    ]
                                },
                            },
                        },
                    ]
                },
            },
            BIG,
        ),
    ],
)
def test_a_data_type_gives_its_byte_order_to_the_bytes_codec(dtype, data_type, codec):
    fill = False if dtype == "|b1" else [0, 0] if dtype == "<c16" else 0
    fill = None if not isinstance(dtype, str) or dtype[1] in "SUV" else fill
    spec = made(dtype=dtype, fill_value=fill)
    assert spec.data_type == data_type
    assert spec.codecs == (codec,)


def test_a_struct_of_two_byte_orders_is_refused():
    assert refusals(dtype=[["x", "<i2"], ["y", [["z", ">f4"]]]], fill_value=None) == [
        ("/dtype", "dtype: expected fields of one byte order, found big and little endian fields")
    ]


def test_a_field_with_a_shape_is_refused():
    (refusal,) = refusals(dtype=[["x", "<i2", [2]]], fill_value=None)
    assert refusal[0] == "/dtype"
    assert refusal[1].startswith('dtype: expected a data type of v3, found [["x", "<i2", [2]]] (')


def test_texts_and_bytes_of_any_length_have_their_own_codecs():
    text = made(dtype="|O", filters=[{"id": "vlen-utf8"}], fill_value="", order="F")
    assert text.data_type == "string"
    assert [codec["name"] for codec in text.codecs] == ["transpose", "vlen-utf8"]
    held = made(dtype="|O", compressor={"id": "vlen-bytes"}, fill_value="YWI=")
    assert held.codecs == ({"name": "vlen-bytes", "configuration": {}},)
    assert held.fill_value == "YWI="


def test_objects_of_another_codec_are_refused_at_that_codec():
    assert refusals(dtype="|O", filters=[{"id": "json2"}], fill_value=None) == [
        (
            "/filters/0",
            (
                'filters[0]: expected "vlen-utf8" or "vlen-bytes": v3 has data types for text and bytes '
                'only, found "json2"'
            ),
        )
    ]


# --- fill values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "fill", "expected"),
    [
        ("<f8", "Infinity", "Infinity"),
        ("<f8", 1, 1.0),
        ("|b1", 1, True),
        (">i8", -(2**63), -(2**63)),
        ("<c8", [1, "NaN"], [1.0, "NaN"]),
        ("|S3", "YQ==", "YQ=="),
        ("<U2", "é", "é"),
        ("<M8[s]", -(2**63), "NaT"),
        ([["x", ">i2"], ["y", "|u1"]], "AQID", {"x": 258, "y": 3}),
    ],
)
def test_a_fill_value_keeps_its_meaning(dtype, fill, expected):
    assert made("lenient", dtype=dtype, fill_value=fill).fill_value == expected


def test_a_fill_value_that_is_not_defined_becomes_the_default_and_is_reported():
    assert made(dtype="<f4", fill_value=None).fill_value == 0.0
    assert losses(fill_value=None) == ["fill_value: expected a fill value, found null; it becomes 0"]


def test_a_function_may_choose_a_fill_value():
    asked = []

    def choose(path, spec):
        asked.append((path, spec.dtype))
        return -1

    conversion = convert(array(fill_value=None), "v3", fill=choose)
    assert asked == [("/", "<i2")]
    assert conversion.spec.fill_value == -1
    assert str(conversion.losses[0]).endswith("found null; it becomes -1")


def test_a_chosen_fill_value_must_be_of_the_data_type():
    (refusal,) = refusals(fill=lambda _path, _spec: 70000, fill_value=None)
    assert refusal == (
        "/fill_value",
        "fill_value: expected an integer from -32768 to 32767, found 70000, chosen for null",
    )


def test_a_fill_value_that_is_not_defined_may_be_refused():
    assert refusals(fill="refuse", fill_value=None) == [
        (
            "/fill_value",
            'fill_value: expected a fill value, found null; allow one to be chosen: fill="default"',
        )
    ]


# --- codecs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"id": "gzip", "level": 5}, {"name": "gzip", "configuration": {"level": 5}}),
        ({"id": "gzip", "level": -1}, {"name": "gzip", "configuration": {"level": 6}}),
        ({"id": "gzip"}, {"name": "gzip", "configuration": {"level": 1}}),
        ({"id": "zstd", "level": 3}, {"name": "zstd", "configuration": {"level": 3, "checksum": True}}),
        (
            {"id": "zstd", "level": 3, "checksum": False},
            {"name": "zstd", "configuration": {"level": 3, "checksum": False}},
        ),
        ({"id": "bz2", "level": 9}, {"name": "numcodecs.bz2", "configuration": {"level": 9}}),
        ({"id": "lz4"}, {"name": "numcodecs.lz4", "configuration": {"acceleration": 1}}),
        (
            {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None},
            {"name": "numcodecs.lzma", "configuration": {"format": 1, "check": -1}},
        ),
        ({"id": "shuffle"}, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}),
        ({"id": "crc32"}, {"name": "numcodecs.crc32", "configuration": {}}),
        (
            {"id": "adler32", "location": "end"},
            {"name": "numcodecs.adler32", "configuration": {"location": "end"}},
        ),
        ({"id": "crc32c"}, {"name": "crc32c"}),
        (
            {"id": "crc32c", "location": "start"},
            {"name": "numcodecs.crc32c", "configuration": {"location": "start"}},
        ),
        ({"id": "fletcher32"}, {"name": "numcodecs.fletcher32", "configuration": {}}),
    ],
)
def test_a_codec_of_bytes_becomes_one_of_v3(old, new):
    assert made(compressor=old).codecs == (LITTLE, new)
    assert made(filters=[old]).codecs == (LITTLE, new)


@pytest.mark.parametrize(
    ("dtype", "shuffle", "name", "size"),
    [
        ("<i2", -1, "shuffle", 2),
        ("|u1", -1, "bitshuffle", 1),
        ("<i2", 0, "noshuffle", 2),
        ("<i2", 2, "bitshuffle", 2),
        ("<U100", 1, "shuffle", 1),
    ],
)
def test_blosc_names_its_shuffle_and_the_size_of_elements(dtype, shuffle, name, size):
    old = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": shuffle, "blocksize": 0}
    fill = "" if "U" in dtype else 0
    codec = made(dtype=dtype, compressor=old, fill_value=fill).codecs[-1]
    assert codec["configuration"] == {
        "cname": "lz4",
        "clevel": 5,
        "shuffle": name,
        "typesize": size,
        "blocksize": 0,
    }


def test_blosc_after_other_codecs_is_given_bytes():
    codecs = made(filters=[{"id": "shuffle", "elementsize": 2}], compressor={"id": "blosc"}).codecs
    assert codecs[-1]["configuration"]["typesize"] == 1


def test_a_filter_of_elements_loses_the_byte_order_and_the_bytes_codec_takes_it():
    filters = [{"id": "delta", "dtype": ">i2", "astype": ">i4"}]
    spec = made(dtype=">i2", filters=filters, compressor={"id": "blosc"})
    assert spec.codecs[0] == {
        "name": "numcodecs.delta",
        "configuration": {"dtype": "<i2", "astype": "<i4"},
    }
    assert spec.codecs[1] == BIG
    assert spec.codecs[2]["configuration"]["typesize"] == 4


def test_the_last_filter_of_elements_decides_the_byte_order():
    filters = [{"id": "astype", "encode_dtype": ">f4", "decode_dtype": "<f8"}]
    assert made(dtype="<f8", filters=filters).codecs[1] == BIG
    packed = made(dtype="|b1", fill_value=False, filters=[{"id": "packbits"}])
    assert packed.codecs == ({"name": "numcodecs.packbits", "configuration": {}}, BYTES)


def test_quantize_to_another_type_becomes_quantize_and_astype():
    filters = [{"id": "quantize", "digits": 2, "dtype": "<f8", "astype": "<f4"}]
    assert made(dtype="<f8", filters=filters).codecs[:2] == (
        {"name": "numcodecs.quantize", "configuration": {"digits": 2, "dtype": "<f8", "astype": "<f8"}},
        {"name": "numcodecs.astype", "configuration": {"encode_dtype": "<f4", "decode_dtype": "<f8"}},
    )


def test_zfpy_takes_the_place_of_the_bytes_codec():
    spec = made(dtype="<f4", compressor={"id": "zfpy", "mode": 4, "tolerance": 0.1})
    assert [codec["name"] for codec in spec.codecs] == ["numcodecs.zfpy"]


def test_a_filter_of_elements_after_one_of_bytes_is_refused():
    filters = [{"id": "shuffle", "elementsize": 1}, {"id": "delta", "dtype": "|u1"}]
    assert refusals(dtype="|u1", filters=filters) == [
        (
            "/filters/1",
            (
                "filters[1]: expected codecs of elements before codecs of bytes, "
                'found "numcodecs.delta", an array->array codec'
            ),
        )
    ]


def test_a_filter_that_speaks_of_other_elements_is_refused():
    (refusal,) = refusals("lenient", dtype="<i2", filters=[{"id": "delta", "dtype": ">i2"}])
    assert refusal == (
        "/filters/0/dtype",
        'filters[0].dtype: expected int16, little endian, as the elements are, found ">i2"',
    )


def test_parameters_that_the_v3_codec_refuses_are_refused():
    filters = [{"id": "quantize", "digits": -1, "dtype": "<f8"}]
    assert refusals(dtype="<f8", filters=filters) == [
        ("/filters/0/digits", "filters[0].digits: expected an integer of at least 0, found -1")
    ]


def test_an_unknown_codec_is_refused_with_its_likely_name():
    assert refusals(filters=[{"id": "zlibb"}]) == [
        ("/filters/0", "filters[0]: expected a codec that zom knows, found \"zlibb\"; did you mean 'zlib'?")
    ]


def test_a_parameter_that_only_gdal_writes_is_dropped():
    assert losses(compressor={"id": "lzma", "preset": 6, "delta": 1}) == [
        "compressor.delta: expected no member delta, found 1; it is dropped"
    ]
    codec = made(compressor={"id": "lzma", "preset": 6, "delta": 1}).codecs[-1]
    assert codec["configuration"] == {"format": 1, "check": -1, "preset": 6}


def test_a_codec_without_a_registered_name_is_reported():
    assert losses(filters=[{"id": "base64"}]) == [
        'filters[0]: expected a codec with a registered v3 name, found "numcodecs.base64"'
    ]
    labels = {"id": "categorize", "labels": ["a", "b"], "dtype": "|O", "astype": "|u1"}
    spec = made(dtype="|O", filters=[labels], fill_value="")
    assert spec.data_type == "string"
    assert [codec["name"] for codec in spec.codecs] == ["numcodecs.categorize", "bytes"]


# --- attributes and other members ----------------------------------------------------------------------


def test_array_dimensions_become_dimension_names():
    spec = made(attributes={"_ARRAY_DIMENSIONS": ["y", None], "units": "K"})
    assert spec.dimension_names == ("y", None)
    assert spec.attributes == {"units": "K"}


def test_a_fill_value_that_xarray_masked_is_told_of():
    names = {"_ARRAY_DIMENSIONS": ["y", "x"]}
    assert losses(attributes=names, fill_value=0) == [
        (
            "fill_value: expected the attribute _FillValue beside it, found 0; "
            "if it marks missing values, add _FillValue, in base64 in v3"
        )
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"attributes": {"_ARRAY_DIMENSIONS": ["y", "x"], "_FillValue": 0}},
        {"attributes": {"_ARRAY_DIMENSIONS": ["y", "x"]}, "dtype": "<f4", "fill_value": "NaN"},
        {"attributes": {}},
    ],
)
def test_no_mask_is_told_of_where_none_is_lost(changes):
    assert losses(**{"fill_value": 0, **changes}) == []


@pytest.mark.parametrize("names", ["yx", ["y"], ["y", 1], {"y": 0}])
def test_other_array_dimensions_stay_an_attribute(names):
    attributes = {"_ARRAY_DIMENSIONS": names}
    assert made(attributes=attributes).attributes == attributes
    assert made(attributes=attributes).dimension_names is None
    (loss,) = losses(attributes=attributes)
    assert loss.startswith("attributes._ARRAY_DIMENSIONS: expected a list of 2 names or nulls, found ")
    assert loss.endswith("; it stays an attribute")


def test_a_group_keeps_an_attribute_of_that_name():
    group = v2.GroupSpec(attributes={"_ARRAY_DIMENSIONS": ["y"]})
    conversion = convert(group, "v3")
    assert conversion.losses == ()
    assert conversion.spec.attributes == {"_ARRAY_DIMENSIONS": ["y"]}


def test_members_that_v3_has_no_place_for_are_dropped_and_reported():
    assert losses("lenient", _NCZARR_ARRAY={"dimrefs": []}) == [
        '_NCZARR_ARRAY: expected no such member, found {"dimrefs": []}; it is dropped'
    ]
    group = v2.GroupSpec.parse(
        {"zarr_format": 2, "_NCZARR_GROUP": {}}, "lenient", on_warning=lambda problem: None
    )
    (loss,) = convert(group, "v3").losses
    assert (loss.code, loss.pointer) == ("convert/extra-member", "/_NCZARR_GROUP")


# --- there and back ------------------------------------------------------------------------------------

_COMPRESSORS = st.sampled_from(
    [
        None,
        {"id": "zlib", "level": 1},
        {"id": "gzip", "level": 9},
        {"id": "zstd", "level": 0},
        {"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0},
        {"id": "lz4", "acceleration": 2},
        {"id": "lzma", "format": 1, "check": -1, "preset": 3},
    ]
)
_BYTE_FILTERS = st.lists(
    st.sampled_from(
        [
            {"id": "shuffle", "elementsize": 1},
            {"id": "crc32"},
            {"id": "crc32c", "location": "end"},
            {"id": "fletcher32"},
        ]
    ),
    max_size=2,
)


@st.composite
def arrays(draw):
    mark, size = draw(st.sampled_from("<>")), draw(st.sampled_from("248"))
    dtype = draw(st.sampled_from([f"{mark}i{size}", f"{mark}u{size}", f"{mark}f{size}"]))
    filters = draw(_BYTE_FILTERS)
    if dtype[1] != "f" and draw(st.booleans()):
        filters = [{"id": "delta", "dtype": dtype, "astype": dtype}, *filters]
    rank = draw(st.integers(0, 3))
    return {
        **ARRAY,
        "shape": [4] * rank,
        "chunks": [2] * rank,
        "dtype": dtype,
        "filters": filters or None,
        "compressor": draw(_COMPRESSORS),
        "order": draw(st.sampled_from("CF")) if rank > 1 else "C",
        "fill_value": draw(st.integers(0, 100)) if dtype[1] != "f" else draw(st.integers(0, 18)) / 2,
        "dimension_separator": draw(st.sampled_from("./")),
        "attributes": draw(st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)),
    }


@given(arrays())
def test_an_array_that_goes_to_v3_and_back_is_the_same(document):
    spec = v2.ArraySpec.parse(document)
    there = convert(spec, "v3")
    assert v3.ArraySpec.check(there.spec.to_dict()) == ()
    back = convert(there.spec, "v2")
    assert back.spec == spec
    assert there.losses == back.losses == ()
    assert convert(back.spec, "v3").spec == there.spec
