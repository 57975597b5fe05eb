import pytest

from zom import draft, v2, v3
from zom.formats.resolve import canonical_codec_name, resolve


def v3_array(**changes):
    given = {"shape": (8, 12), "dtype": "float32", "chunks": (2, 3), "dimension_names": ("y", "x")}
    return v3.ArraySpec.build(**{**given, **changes})


def test_one_array_has_the_same_view_in_every_format():
    given = {"shape": (8, 12), "dtype": "float32", "chunks": (2, 3), "dimension_names": ("y", "x")}
    views = [resolve(module.ArraySpec.build(**given)) for module in (v2, v3, draft)]
    assert [view.form for view in views] == ["v2", "v3", "draft"]
    for view in views:
        assert (view.shape, view.rank, view.names) == ((8, 12), 2, ("y", "x"))
        assert (view.data_type.kind, view.type_name) == ("float", "float32")
        assert (view.chunks, view.shards, view.sharded) == (((2,), (3,)), None, False)
        assert {"zstd", "gzip"} & {codec.name for codec in view.codecs}


def test_facts_know_where_they_stand():
    paths = [
        (view.names_path, view.type_path, view.chunks_path)
        for view in map(resolve, (v2.ArraySpec.build(shape=(4,), dtype="i1"), v3_array()))
    ]
    assert paths == [
        (("attributes", "_ARRAY_DIMENSIONS"), ("dtype",), ("chunks",)),
        (("dimension_names",), ("data_type",), ("chunk_grid", "configuration", "chunk_shape")),
    ]


def test_chunks_of_a_sharded_array_are_the_inner_ones():
    view = resolve(v3_array(shards=(4, 6)))
    assert (view.chunks, view.shards, view.sharded) == (((2,), (3,)), ((4,), (6,)), True)
    assert view.chunks_path == ("codecs", 0, "configuration", "chunk_shape")
    assert view.shards_path == ("chunk_grid", "configuration", "chunk_shape")
    assert view.codecs[1].path == ("codecs", 0, "configuration", "codecs", 0)


BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
TRANSPOSE = {"name": "transpose", "configuration": {"order": [1, 0]}}


def with_codecs(*codecs):
    document = v3_array(chunks=(4, 6)).to_dict()
    return v3.ArraySpec.parse({**document, "codecs": list(codecs)}, "lenient", on_warning=lambda _: None)


def test_a_transpose_before_shards_is_undone():
    inner = {"name": "sharding_indexed"}
    inner["configuration"] = {"chunk_shape": [3, 2], "codecs": [BYTES], "index_codecs": [BYTES, "crc32c"]}
    view = resolve(with_codecs(TRANSPOSE, inner))
    assert view.chunks == ((2,), (3,))
    assert view.places == (1, 0)


def test_shards_in_shards_have_the_innermost_chunks():
    inner = {"chunk_shape": [1, 3], "codecs": [BYTES], "index_codecs": [BYTES, "crc32c"]}
    outer = {"chunk_shape": [2, 3], "index_codecs": [BYTES, "crc32c"]}
    outer["codecs"] = [{"name": "sharding_indexed", "configuration": inner}]
    view = resolve(with_codecs({"name": "sharding_indexed", "configuration": outer}))
    assert (view.chunks, view.shards) == (((1,), (3,)), ((4,), (6,)))
    assert view.chunks_path[-1] == "chunk_shape"
    assert view.chunks_path.count("configuration") == 2


def test_with_an_unknown_codec_it_is_not_told_whether_there_are_shards():
    assert resolve(with_codecs(BYTES, "example.unknown")).sharded is None


def test_with_an_unknown_grid_chunks_are_not_told():
    document = {**v3_array().to_dict(), "chunk_grid": {"name": "example.hexagons"}}
    assert resolve(v3.ArraySpec.parse(document)).chunks is None


def test_an_unknown_type_keeps_its_name():
    document = {**v3_array().to_dict(), "data_type": "example.decimal"}
    view = resolve(v3.ArraySpec.parse(document))
    assert (view.data_type, view.type_name) == (None, "example.decimal")


def test_a_rectilinear_grid_has_every_length():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[2, 6], 3]}}
    view = resolve(v3.ArraySpec.parse({**v3_array().to_dict(), "chunk_grid": grid}))
    assert view.chunks == ((2, 6), (3,))
    assert view.chunks_path == ("chunk_grid", "configuration", "chunk_shapes")


@pytest.mark.parametrize("given", [["y"], "y", ["y", 1], None])
def test_dimensions_in_attributes_count_only_where_they_name_all(given):
    spec = v2.ArraySpec.build(shape=(2, 2), dtype="i1", attributes={"_ARRAY_DIMENSIONS": given})
    assert resolve(spec).names is None


def test_codecs_of_v2_come_in_the_order_of_encoding_under_their_v3_names():
    filters = [{"id": "delta", "dtype": "<i4"}]
    spec = v2.ArraySpec.build(shape=(4,), dtype="i4", filters=filters, compress="zlib")
    codecs = resolve(spec).codecs
    assert [(codec.name, codec.path, codec.written) for codec in codecs] == [
        ("numcodecs.delta", ("filters", 0), "delta"),
        ("numcodecs.zlib", ("compressor",), "zlib"),
    ]


DRAFT = {
    "shape": [8, 12],
    "data_type": "<f4",
    "chunk_grid": {"type": "regular", "chunk_shape": [2, 3], "separator": "/"},
    "chunk_memory_layout": "C",
    "fill_value": 0,
    "extensions": [],
    "attributes": {},
}


def test_shards_of_the_draft_are_counted_in_chunks():
    sharding = {
        "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
        "type": "indexed",
        "configuration": {"chunks_per_shard": [2, 2]},
    }
    view = resolve(draft.ArraySpec.parse({**DRAFT, "storage_transformers": [sharding]}))
    assert (view.chunks, view.shards, view.sharded) == (((2,), (3,)), ((4,), (6,)), True)


def test_codecs_of_the_draft_are_called_by_the_end_of_their_uri():
    uri = "https://purl.org/zarr/spec/codecs/gzip/1.0"
    gzip = {"type": uri, "configuration": {"level": 1}}
    view = resolve(draft.ArraySpec.parse({**DRAFT, "codecs": [gzip]}))
    assert [(link.name, link.path, link.written) for link in view.codecs] == [("gzip", ("codecs", 0), uri)]


def test_the_compressor_of_2021_is_a_codec():
    uri = "https://purl.org/zarr/spec/codec/gzip/1.0"
    document = {**DRAFT, "compressor": {"codec": uri, "configuration": {"level": 1}}}
    view = resolve(draft.ArraySpec.parse(document, "lenient", on_warning=lambda _: None))
    assert [(link.name, link.path, link.written) for link in view.codecs] == [("gzip", ("compressor",), uri)]


@pytest.mark.parametrize(
    ("name", "canonical"), [("zlib", "numcodecs.zlib"), ("zstd", "zstd"), ("zsdt", None)]
)
def test_a_codec_is_found_by_any_name_of_v2_and_v3(name, canonical):
    assert canonical_codec_name(name) == canonical


def test_a_dimension_is_called_by_its_name_or_its_place():
    assert resolve(v3_array()).dimension(0) == '"y"'
    assert resolve(v3_array(dimension_names=None)).dimension(1) == "1"
