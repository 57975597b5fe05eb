"""From the draft to v3: both layouts of the draft, its shards and its extensions."""

from __future__ import annotations

import pytest

from zom import ConversionError, draft, v3
from zom.conversion.trees import convert

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
ARRAY = {
    "shape": [4, 6],
    "data_type": "int16",
    "chunk_grid": {"type": "regular", "chunk_shape": [2, 3], "separator": "/"},
    "chunk_memory_layout": "C",
    "fill_value": 0,
    "extensions": [],
    "attributes": {},
}
CODECS = "https://purl.org/zarr/spec/codecs"
OLD_CODECS = "https://purl.org/zarr/spec/codec"
SHARDING = "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0"
GZIP = {"type": f"{CODECS}/gzip/1.0", "configuration": {"level": 5}}
ENDIAN = {"type": f"{CODECS}/endian/1.0", "configuration": {"endian": "big"}}


def array(level="strict", **changes):
    return draft.ArraySpec.parse({**ARRAY, **changes}, level, on_warning=lambda problem: None)


def made(level="strict", **changes):
    return convert(array(level, **changes), "v3").spec


def losses(level="strict", **changes):
    """All losses but that of the keys, which is everywhere."""
    found = [str(loss) for loss in convert(array(level, **changes), "v3").losses]
    return [text for text in found if not text.startswith("chunk_grid: expected the keys")]


def refusals(level="strict", **changes):
    with pytest.raises(ConversionError) as caught:
        convert(array(level, **changes), "v3")
    return [(problem.pointer, str(problem)) for problem in caught.value.problems]


def test_an_array_becomes_the_document_that_decodes_its_chunks():
    spec = made(codecs=[ENDIAN, GZIP], chunk_memory_layout="F", attributes={"units": "K"})
    assert spec.to_dict() == {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}},
            BIG,
            {"name": "gzip", "configuration": {"level": 5}},
        ],
        "attributes": {"units": "K"},
    }
    assert v3.ArraySpec.check(spec.to_dict()) == ()


def test_chunks_get_other_keys_and_a_note_says_which():
    grid = {"type": "regular", "chunk_shape": [2, 3], "separator": "."}
    conversion = convert(array(chunk_grid=grid), "v3")
    assert conversion.same_chunks == {"/": False}
    assert [(loss.severity, str(loss)) for loss in conversion.losses] == [
        (
            "note",
            (
                "chunk_grid: expected the keys of v3, found the keys of the draft; "
                "move the chunks: data/<path>/c0.0 becomes <path>/c.0.0"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("data_type", "codecs", "expected"),
    [("int16", [], LITTLE), ("int16", [ENDIAN], BIG), ("uint8", [ENDIAN], {"name": "bytes"})],
)
def test_chunks_are_little_endian_unless_a_codec_says_otherwise(data_type, codecs, expected):
    assert made(data_type=data_type, codecs=codecs).codecs == (expected,)


def test_numpy_s_names_of_types_bring_their_byte_order():
    spec = made("lenient", data_type=">f8", fill_value=0.0)
    assert spec.data_type == "float64"
    assert spec.codecs == (BIG,)


def test_codecs_after_others_that_make_bytes_can_t_order_elements():
    assert refusals("lenient", codecs=[GZIP, ENDIAN]) == [
        (
            "/codecs/1",
            (
                "codecs[1]: expected codecs of elements before codecs of bytes, "
                'found "bytes", an array->bytes codec'
            ),
        )
    ]


def test_an_unknown_codec_is_refused():
    (refusal,) = refusals(codecs=[{"type": "https://example.org/codecs/quick/1.0"}])
    assert refusal[0] == "/codecs/0/type"
    assert refusal[1].startswith("codecs[0].type: expected a codec that zom knows (")
    assert refusal[1].endswith('), found "https://example.org/codecs/quick/1.0"')


def test_what_v3_asks_of_codecs_is_added():
    gzip = {"type": f"{CODECS}/gzip/1.0"}
    assert made("lenient", codecs=[gzip]).codecs[-1] == {"name": "gzip", "configuration": {"level": 1}}
    blosc = {"cname": "lz4", "clevel": 5, "blocksize": 0}
    codec = {"type": f"{CODECS}/blosc/1.0", "configuration": blosc}
    assert made("lenient", codecs=[codec]).codecs[-1] == {
        "name": "blosc",
        "configuration": {"shuffle": "shuffle", "typesize": 2, **blosc},
    }
    numbered = {**codec, "configuration": {**blosc, "shuffle": 2}}
    assert made(codecs=[numbered]).codecs[-1]["configuration"]["shuffle"] == "bitshuffle"
    single = made("lenient", data_type="uint8", codecs=[codec]).codecs[-1]
    assert single["configuration"]["shuffle"] == "bitshuffle"


# --- the layout of 2021 ----------------------------------------------------------------------------------


def test_the_compressor_of_2021_becomes_a_codec():
    blosc = {"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
    compressor = {"codec": f"{OLD_CODECS}/blosc/1.0", "configuration": blosc}
    spec = made("lenient", data_type="<f8", compressor=compressor)
    assert spec.codecs[-1] == {
        "name": "blosc",
        "configuration": {**blosc, "shuffle": "shuffle", "typesize": 8},
    }
    unknown = {"codec": f"{OLD_CODECS}/quick/1.0", "configuration": {}}
    assert refusals("lenient", compressor=unknown) == [
        ("/compressor", 'compressor: expected a codec that zom knows, found "quick"')
    ]


def test_the_filters_of_2021_leave_the_attributes():
    attributes = {"filters": [{"id": "delta", "dtype": ">i2", "astype": ">i2"}], "units": "K"}
    spec = made("lenient", data_type=">i2", attributes=attributes)
    assert spec.attributes == {"units": "K"}
    assert [codec["name"] for codec in spec.codecs] == ["numcodecs.delta", "bytes"]
    assert spec.codecs[1] == BIG


@pytest.mark.parametrize("filters", [["low-pass"], [], [{"id": "low-pass"}], "delta", [{"id": 1}]])
def test_an_attribute_that_is_only_called_filters_stays(filters):
    spec = made(attributes={"filters": filters})
    assert spec.attributes == {"filters": filters}
    assert spec.codecs == (LITTLE,)


def test_filters_beside_codecs_are_an_attribute():
    filters = [{"id": "delta", "dtype": "<i2"}]
    assert made(attributes={"filters": filters}, codecs=[]).attributes == {"filters": filters}


OBJECTS = {"extension": "TODO: object array protocol URL", "type": "|O", "fallback": None}


def test_objects_of_2021_are_told_apart_by_their_filter():
    attributes = {"filters": [{"id": "vlen-utf8"}]}
    spec = made("lenient", data_type=OBJECTS, fill_value=0, attributes=attributes)
    assert (spec.data_type, spec.fill_value) == ("string", "")
    assert spec.codecs == ({"name": "vlen-utf8", "configuration": {}},)


def test_other_objects_of_2021_are_refused():
    expected = 'expected "vlen-utf8" or "vlen-bytes": v3 has data types for text and bytes only, found '
    attributes = {"filters": [{"id": "json2"}]}
    assert refusals("lenient", data_type=OBJECTS, fill_value=None, attributes=attributes) == [
        ("/attributes/filters/0", f'attributes.filters[0]: {expected}"json2"')
    ]
    assert refusals("lenient", data_type=OBJECTS, fill_value=None) == [
        ("/data_type", f'data_type: {expected}"|O"')
    ]


def test_the_separator_beside_the_grid_counts_where_the_grid_has_none():
    grid = {"type": "regular", "chunk_shape": [2, 3]}
    spec = made("lenient", chunk_grid=grid, dimension_separator=".")
    assert spec.chunk_key_encoding["configuration"] == {"separator": "."}


def test_a_fill_value_that_is_not_defined_becomes_the_default_and_is_reported():
    assert losses("lenient", fill_value=None) == [
        "fill_value: expected a fill value, found null; it becomes 0"
    ]


# --- shards ----------------------------------------------------------------------------------------------


def transformer(**changes):
    value = {"extension": SHARDING, "type": "indexed", "configuration": {"chunks_per_shard": [2, 1]}}
    return {**value, **changes}


def test_the_sharding_transformer_becomes_the_sharding_codec():
    spec = made(codecs=[GZIP], chunk_memory_layout="F", storage_transformers=[transformer()])
    assert spec.chunk_grid["configuration"] == {"chunk_shape": [4, 3]}
    assert spec.codecs == (
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [2, 3],
                "codecs": [
                    {"name": "transpose", "configuration": {"order": [1, 0]}},
                    LITTLE,
                    {"name": "gzip", "configuration": {"level": 5}},
                ],
                "index_codecs": [LITTLE],
                "index_location": "end",
            },
        },
    )


def test_shards_of_one_chunk_are_shards():
    one = transformer(configuration={"chunks_per_shard": [1, 1]})
    assert made(storage_transformers=[one]).codecs[0]["name"] == "sharding_indexed"


@pytest.mark.parametrize(
    "changes",
    [{"type": "other"}, {"extension": "https://example.org/cache/1.0"}],
)
def test_another_storage_transformer_is_refused(changes):
    (refusal,) = refusals(storage_transformers=[transformer(**changes)])
    assert refusal[0] == "/storage_transformers/0"
    assert refusal[1].startswith("storage_transformers[0]: expected nothing, or sharding, once, found {")


def test_shards_in_shards_are_refused():
    pointers = [pointer for pointer, _ in refusals(storage_transformers=[transformer(), transformer()])]
    assert pointers == ["/storage_transformers/0", "/storage_transformers/1"]


# --- extensions ------------------------------------------------------------------------------------------


def test_an_extension_is_dropped_where_it_need_not_be_understood_and_else_refused():
    extension = {"extension": "https://example.org/x", "must_understand": False}
    assert losses(extensions=[extension]) == [
        'extensions[0]: expected no extension, found "https://example.org/x"; it is dropped'
    ]
    assert refusals(extensions=[{**extension, "must_understand": True}]) == [
        (
            "/extensions/0",
            'extensions[0]: expected no extension that must be understood, found "https://example.org/x"',
        )
    ]


def test_a_data_type_that_falls_back_is_reported():
    data_type = {"extension": "https://example.org/t", "type": "x", "fallback": "int16"}
    assert made(data_type=data_type).data_type == "int16"
    assert losses(data_type=data_type) == [
        (
            'data_type: expected a known data type, found the extension "https://example.org/t", read as '
            '"int16"; the extension is dropped'
        )
    ]


def test_a_fill_value_that_the_fallback_does_not_know_is_refused():
    data_type = {"extension": "https://example.org/t", "type": "posit16", "fallback": "r16"}
    assert refusals(data_type=data_type, fill_value="maxpos") == [
        ("/fill_value", 'fill_value: expected "0x" and 4 hexadecimal digits, found "maxpos"')
    ]


def test_extensions_of_types_grids_and_layouts_are_refused():
    extension = {"extension": "https://example.org/x", "type": "y"}
    assert refusals(data_type=extension)[0][0] == "/data_type"
    assert refusals(chunk_grid=extension) == [
        ("/chunk_grid", 'chunk_grid: expected a regular grid, found "https://example.org/x"')
    ]
    (refusal,) = refusals(chunk_memory_layout=extension)
    assert refusal[1].startswith('chunk_memory_layout: expected "C" or "F", found {')


# --- trees -----------------------------------------------------------------------------------------------


def test_an_implicit_group_becomes_an_explicit_one_and_a_note_says_so():
    tree = draft.GroupSpec(attributes={"a": 1}, members={"g": draft.GroupSpec(members={"x": array()})})
    conversion = convert(tree, "v3")
    assert conversion.spec["g"].document == {"zarr_format": 3, "node_type": "group"}
    assert conversion.spec.attributes == {"a": 1}
    note = conversion.losses[0]
    assert (note.severity, note.pointer) == ("note", "/members/g")
    assert str(note) == "/g: expected a group with a document, found an implicit group; it gets one"


def test_array_dimensions_become_dimension_names():
    spec = made(attributes={"_ARRAY_DIMENSIONS": ["y", "x"]})
    assert (spec.dimension_names, spec.attributes) == (("y", "x"), {})
