"""From v3 to v2: the reverse, and everything that v2 can't say."""

from __future__ import annotations

import pytest

from zom import ConversionError, v2, v3
from zom.conversion.trees import convert

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
ARRAY = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4, 6],
    "data_type": "int16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "v2"},
    "fill_value": 0,
    "codecs": [LITTLE],
}


def array(level="strict", **changes):
    return v3.ArraySpec.parse({**ARRAY, **changes}, level, on_warning=lambda problem: None)


def made(level="strict", **changes):
    return convert(array(level, **changes), "v2").spec


def losses(level="strict", **changes):
    return [str(loss) for loss in convert(array(level, **changes), "v2").losses]


def refusals(level="strict", **changes):
    with pytest.raises(ConversionError) as caught:
        convert(array(level, **changes), "v2")
    return [(problem.pointer, str(problem)) for problem in caught.value.problems]


def transpose(*order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


def test_an_array_becomes_the_document_that_reads_its_chunks():
    codecs = [transpose(1, 0), BIG, {"name": "numcodecs.zlib", "configuration": {"level": 3}}]
    spec = made(codecs=codecs, data_type="float32", fill_value="NaN")
    assert spec.to_dict() == {
        "zarr_format": 2,
        "shape": [4, 6],
        "chunks": [2, 3],
        "dtype": ">f4",
        "compressor": {"id": "zlib", "level": 3},
        "fill_value": "NaN",
        "order": "F",
        "filters": None,
        "dimension_separator": ".",
    }
    assert v2.ArraySpec.check(spec.to_dict()) == ()


# --- chunks --------------------------------------------------------------------------------------------


def test_the_keys_of_the_v2_encoding_stay():
    encoding = {"name": "v2", "configuration": {"separator": "/"}}
    conversion = convert(array(chunk_key_encoding=encoding), "v2")
    assert conversion.spec.dimension_separator == "/"
    assert (conversion.same_chunks, conversion.losses) == ({"/": True}, ())


@pytest.mark.parametrize(("encoding", "old", "new"), [("default", "c/0/0", "0/0")])
def test_the_keys_of_the_default_encoding_change(encoding, old, new):
    conversion = convert(array(chunk_key_encoding=encoding), "v2")
    assert conversion.same_chunks == {"/": False}
    assert [str(loss) for loss in conversion.losses] == [
        f'chunk_key_encoding: expected the keys of v2, found "default"; move the chunks: {old} becomes {new}'
    ]


def test_an_unknown_chunk_key_encoding_is_refused():
    assert refusals(chunk_key_encoding="fanout") == [
        ("/chunk_key_encoding", 'chunk_key_encoding: expected "v2" or "default", found "fanout"')
    ]


def test_a_rectilinear_grid_is_refused():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [2, [1, 5]]}}
    assert refusals(chunk_grid=grid) == [
        ("/chunk_grid", 'chunk_grid: expected a regular grid, the only one in v2, found "rectilinear"')
    ]


def test_a_chunk_length_of_0_along_an_empty_dimension_becomes_1():
    grid = {"name": "regular", "configuration": {"chunk_shape": [0, 3]}}
    assert made("lenient", shape=[0, 6], chunk_grid=grid).chunks == (1, 3)


@pytest.mark.parametrize(
    ("codecs", "order"),
    [
        ([LITTLE], "C"),
        ([transpose(0, 1), LITTLE], "C"),
        ([transpose(1, 0), LITTLE], "F"),
        ([transpose(1, 0), transpose(1, 0), LITTLE], "C"),
        ([transpose(1, 0), {"name": "numcodecs.delta", "configuration": {"dtype": "<i2"}}, LITTLE], "F"),
    ],
)
def test_a_transpose_becomes_an_order(codecs, order):
    assert made(codecs=codecs).order == order


def test_the_named_orders_of_old_documents_are_understood():
    codecs = [{"name": "transpose", "configuration": {"order": "F"}}, LITTLE]
    assert made("lenient", codecs=codecs).order == "F"


def test_another_permutation_is_refused():
    grid = {"name": "regular", "configuration": {"chunk_shape": [1, 1, 1]}}
    codecs = [transpose(1, 2, 0), LITTLE]
    assert refusals(shape=[1, 2, 3], chunk_grid=grid, codecs=codecs) == [
        (
            "/codecs/0/configuration/order",
            "codecs[0].configuration.order: expected dimensions as they are, or reversed, found [1, 2, 0]",
        )
    ]


def test_a_transpose_after_another_codec_is_refused():
    delta = {"name": "numcodecs.delta", "configuration": {"dtype": "<i2"}}
    assert refusals(codecs=[delta, transpose(1, 0), LITTLE]) == [
        (
            "/codecs/1",
            (
                "codecs[1]: expected transpose before all other codecs, as in v2 the order applies before the "
                'filters, found transpose after "delta"'
            ),
        )
    ]


# --- data types and fill values --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data_type", "fill", "codec", "dtype", "old_fill"),
    [
        ("bool", True, "bytes", "|b1", True),
        ("int64", -1, BIG, ">i8", -1),
        ("complex64", [1.0, "NaN"], LITTLE, "<c8", [1.0, "NaN"]),
        ("float64", "0x7ff8000000000000", BIG, ">f8", "NaN"),
        ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "é", BIG, ">U2", "é"),
        (
            {"name": "numpy.datetime64", "configuration": {"unit": "us", "scale_factor": 10}},
            "NaT",
            LITTLE,
            "<M8[10us]",
            -(2**63),
        ),
        ("r16", [1, 2], "bytes", "|V2", "AQI="),
        (
            {
                "name": "struct",
                "configuration": {
                    "fields": [{"name": "x", "data_type": "int16"}, {"name": "y", "data_type": "uint8"}]
                },
            },
            {"x": 258, "y": 3},
            BIG,
            [["x", ">i2"], ["y", "|u1"]],
            "AQID",
        ),
    ],
)
def test_a_data_type_takes_the_byte_order_of_the_chunks(data_type, fill, codec, dtype, old_fill):
    spec = made(data_type=data_type, fill_value=fill, codecs=[codec])
    assert spec.dtype == dtype
    assert spec.fill_value == old_fill


def test_texts_become_objects_with_their_codec_as_the_first_filter():
    codecs = ["vlen-utf8", {"name": "zstd", "configuration": {"level": 1, "checksum": True}}]
    spec = made(data_type="string", fill_value="", codecs=codecs)
    assert (spec.dtype, spec.filters) == ("|O", [{"id": "vlen-utf8"}])
    assert spec.compressor == {"id": "zstd", "level": 1}


def test_a_data_type_that_v2_has_not_is_refused():
    assert refusals(data_type="complex_float16", fill_value=[0.0, 0.0]) == [
        ("/data_type", 'data_type: expected a data type of v2, found "complex_float16"')
    ]
    assert refusals(data_type="unheard-of", fill_value=0) == [
        ("/data_type", 'data_type: expected a data type that zom knows, found "unheard-of"')
    ]


def test_the_payload_of_a_nan_is_lost_and_reported():
    assert losses(data_type="float32", fill_value="0x7fc00001") == [
        'fill_value: expected a value that v2 can spell, found "0x7fc00001"; it becomes "NaN"'
    ]


def test_a_fill_value_that_is_not_defined_stays_so():
    assert made("lenient", fill_value=None).fill_value is None


# --- codecs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ({"name": "gzip", "configuration": {"level": 5}}, {"id": "gzip", "level": 5}),
        ({"name": "zstd", "configuration": {"level": 3}}, {"id": "zstd", "level": 3}),
        ({"name": "numcodecs.zstd", "configuration": {"level": 3}}, {"id": "zstd", "level": 3}),
        ({"name": "numcodecs.gzip", "configuration": {"level": -1}}, {"id": "gzip", "level": -1}),
        ({"name": "numcodecs.lz4"}, {"id": "lz4", "acceleration": 1}),
        (
            {
                "name": "numcodecs.blosc",
                "configuration": {"cname": "lz4", "clevel": 5, "shuffle": 2, "blocksize": 0},
            },
            {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 2, "blocksize": 0},
        ),
        (
            {
                "name": "blosc",
                "configuration": {
                    "cname": "zstd",
                    "clevel": 5,
                    "shuffle": "bitshuffle",
                    "typesize": 2,
                    "blocksize": 0,
                },
            },
            {"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2, "blocksize": 0},
        ),
    ],
)
def test_the_last_compressor_takes_the_compressor_s_place(new, old):
    spec = made(codecs=[LITTLE, new])
    assert (spec.filters, spec.compressor) == (None, old)
    assert losses(codecs=[LITTLE, new]) == []


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("crc32c", {"id": "crc32c", "location": "end"}),
        ("numcodecs.crc32", {"id": "crc32"}),
        (
            {"name": "numcodecs.crc32c", "configuration": {"location": "start"}},
            {"id": "crc32c", "location": "start"},
        ),
        ("numcodecs.shuffle", {"id": "shuffle", "elementsize": 2}),
        (
            {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}},
            {"id": "shuffle", "elementsize": 4},
        ),
    ],
)
def test_a_codec_that_does_not_compress_is_a_filter(new, old):
    spec = made(codecs=[LITTLE, new])
    assert (spec.filters, spec.compressor) == ([old], None)
    zlib = {"name": "numcodecs.zlib", "configuration": {"level": 1}}
    assert made(codecs=[LITTLE, new, zlib]).filters == [old]
    assert made(codecs=[LITTLE, zlib, new]).filters == [{"id": "zlib", "level": 1}, old]


def test_lenient_codecs_without_parameters_get_those_of_v2():
    assert made("lenient", codecs=[LITTLE, "gzip"]).compressor == {"id": "gzip", "level": 1}
    assert made("lenient", codecs=[LITTLE, "zstd"]).compressor == {"id": "zstd", "level": 0}
    blosc = {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "blocksize": 0}}
    assert made("lenient", codecs=[LITTLE, blosc]).compressor["shuffle"] == -1


def test_a_size_of_elements_that_v2_takes_from_the_buffer_is_reported():
    configuration = {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 8, "blocksize": 0}
    assert losses(codecs=[LITTLE, {"name": "blosc", "configuration": configuration}]) == [
        (
            "codecs[1].configuration.typesize: expected 2, the size of the elements, which v2 uses, found 8; "
            "new chunks are shuffled with that size"
        )
    ]


def test_filters_of_elements_take_the_byte_order_of_the_chunks():
    codecs = [
        {"name": "numcodecs.delta", "configuration": {"dtype": "int16", "astype": "int32"}},
        {"name": "numcodecs.astype", "configuration": {"encode_dtype": "<i8"}},
        BIG,
    ]
    spec = made(codecs=codecs)
    assert spec.dtype == ">i2"
    assert spec.filters == [
        {"id": "delta", "dtype": ">i2", "astype": ">i4"},
        {"id": "astype", "encode_dtype": ">i8", "decode_dtype": ">i4"},
    ]
    assert v2.ArraySpec.check(spec.to_dict()) == ()


def test_a_big_endian_type_in_a_v3_codec_is_refused():
    delta = {"name": "numcodecs.delta", "configuration": {"dtype": ">i2", "astype": "<i2"}}
    assert refusals(codecs=[delta, LITTLE]) == [
        (
            "/codecs/0/configuration/dtype",
            (
                "codecs[0].configuration.dtype: expected a little-endian type: readers disagree on other types "
                'in v3, found ">i2"'
            ),
        )
    ]


def test_bitround_of_floats_has_a_counterpart_and_of_integers_has_none():
    codecs = [{"name": "bitround", "configuration": {"keepbits": 5}}, LITTLE]
    spec = made(data_type="float32", fill_value=0.0, codecs=codecs)
    assert spec.filters == [{"id": "bitround", "keepbits": 5}]
    assert refusals(codecs=codecs) == [("/codecs/0", 'codecs[0]: expected a codec of v2, found "bitround"')]


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("cast_value", {"data_type": "int32"}),
        ("scale_offset", {"offset": 1, "scale": 2}),
        ("reshape", {"shape": [6, 1]}),
    ],
)
def test_a_codec_that_v2_has_not_is_refused(name, configuration):
    codecs = [{"name": name, "configuration": configuration}, LITTLE]
    assert refusals(codecs=codecs) == [("/codecs/0", f'codecs[0]: expected a codec of v2, found "{name}"')]


def test_shards_are_refused():
    configuration = {"chunk_shape": [1, 1], "codecs": [LITTLE], "index_codecs": [LITTLE, "crc32c"]}
    assert refusals(codecs=[{"name": "sharding_indexed", "configuration": configuration}]) == [
        (
            "/codecs/0",
            ('codecs[0]: expected chunks without shards, which v2 doesn\'t have, found "sharding_indexed"'),
        )
    ]


def test_an_unknown_codec_is_refused():
    assert refusals(codecs=[LITTLE, "n5.unheard-of"]) == [
        ("/codecs/1", 'codecs[1]: expected a codec that zom knows, found "n5.unheard-of"')
    ]


def test_storage_transformers_are_refused():
    assert refusals(storage_transformers=["fast"]) == [
        (
            "/storage_transformers/0",
            'storage_transformers[0]: expected no storage transformer, as v2 has none, found "fast"',
        )
    ]


# --- attributes and other members ------------------------------------------------------------------------


def test_dimension_names_become_array_dimensions():
    spec = made(dimension_names=["y", None], attributes={"units": "K"})
    assert spec.attributes == {"units": "K", "_ARRAY_DIMENSIONS": ["y", None]}
    assert made(dimension_names=["y", "x"]).attributes == {"_ARRAY_DIMENSIONS": ["y", "x"]}


def test_an_attribute_that_says_the_same_is_no_obstacle():
    attributes = {"_ARRAY_DIMENSIONS": ["y", "x"]}
    assert made(dimension_names=["y", "x"], attributes=attributes).attributes == attributes


def test_an_attribute_that_says_something_else_is_refused():
    attributes = {"_ARRAY_DIMENSIONS": ["lat", "lon"]}
    assert refusals(dimension_names=["y", "x"], attributes=attributes) == [
        (
            "/attributes/_ARRAY_DIMENSIONS",
            (
                'attributes._ARRAY_DIMENSIONS: expected ["y", "x"], as in dimension_names, '
                'found ["lat", "lon"]; remove one of the two'
            ),
        )
    ]


def test_an_extension_member_is_dropped_and_reported():
    assert losses(extra={"must_understand": False}) == [
        'extra: expected no such member, found {"must_understand": false}; it is dropped'
    ]


def test_consolidated_metadata_is_dropped_and_reported():
    block = {"kind": "inline", "must_understand": False, "metadata": {}}
    group = v3.GroupSpec.parse({"zarr_format": 3, "node_type": "group", "consolidated_metadata": block})
    conversion = convert(group, "v2")
    assert conversion.spec.to_dict() == {"zarr_format": 2}
    (loss,) = conversion.losses
    assert (loss.code, loss.pointer) == ("convert/consolidated-metadata", "/consolidated_metadata")
    assert str(loss).endswith("it is dropped; consolidate the v2 hierarchy again")


@pytest.mark.parametrize(
    ("data_type", "fill"),
    [
        ("int4", 0),
        ({"name": "struct", "configuration": {"fields": [{"name": "x", "data_type": "int4"}]}}, {"x": 0}),
    ],
)
def test_a_bare_name_in_place_of_a_type_string_is_reported(data_type, fill):
    assert losses(data_type=data_type, fill_value=fill, codecs=["bytes"]) == [
        'data_type: expected a type string such as "<f8", found "int4"'
    ]


def test_a_type_without_a_big_endian_spelling_is_refused():
    (refusal,) = refusals(data_type="bfloat16", fill_value=0.0, codecs=[BIG])
    assert refusal == (
        "/codecs/0/configuration/endian",
        'codecs[0].configuration.endian: expected "little", the only byte order of bfloat16 in v2, found "big"',
    )
