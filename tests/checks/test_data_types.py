"""The message about data types names them as people write them, without marks of patterns."""

import zom

LABEL = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {
        "ome": {
            "version": "0.5",
            "image-label": {"colors": [{"label-value": 1}]},
            "multiscales": [
                {
                    "name": "cells",
                    "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
                    "datasets": [
                        {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]},
                    ],
                },
            ],
        },
    },
    "members": {
        "0": {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [4, 4],
            "data_type": "float32",
            "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},
            "chunk_key_encoding": {"name": "default"},
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "dimension_names": ["y", "x"],
        },
    },
}


def test_a_label_image_of_floats_is_told_which_data_types_there_are():
    report = zom.validate(LABEL, conventions=["ome"])
    (found,) = [each for each in report.problems if each.code == "ome/label-dtype"]
    assert found.expected == (
        "an array of the data type uint8, int8, uint16, int16, uint32, int32, uint64 or int64"
    )
    assert found.found == '"0" of float32'
