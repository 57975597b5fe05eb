"""Pictures: what they say in words, what is drawn, and that a grid of any size has a bounded picture."""

from __future__ import annotations

import re
import struct
import zlib
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import zom
from zom import v3
from zom.views.svg.grid import chunk_grid, coverage
from zom.views.svg.sizes import Measured, measured, size_plot
from zom.views.svg.values import picture, png, reduced


def parsed(svg):
    """The picture as XML: its attributes without quotes are HTML's."""
    text = re.sub(r"=([^\s\"'>/]+)(?=[\s>/])", r'="\1"', svg)
    found = ET.fromstring(text)
    assert found.get("role") == "img"
    names = [each.tag.rpartition("}")[2] for each in found]
    assert names[:2] == ["title", "desc"]
    return found


def array_of(**facts):
    return v3.ArraySpec.build(**{"dtype": "int8", **facts})


def paths(found, style):
    return "".join(each.get("d") for each in found.iter() if each.get("class") == style)


def test_a_grid_has_a_line_between_chunks_and_tells_how_many_there_are():
    svg = chunk_grid(array_of(shape=(48, 181), chunks=(24, 91), dimension_names=("time", "lat")))
    found = parsed(svg)
    assert "4 chunks, 2 by 2" in svg
    assert paths(found, "b").count("M") == 2
    assert {each.text for each in found.iter() if each.tag.endswith("text")} == {"time 48", "lat 181"}


def test_leading_dimensions_are_sheets_and_at_most_four():
    for length, sheets in ((1, 1), (3, 3), (1000, 4)):
        svg = chunk_grid(array_of(shape=(length, 4, 4), chunks=(1, 2, 2)))
        assert svg.count("class=o") == sheets


def test_chunks_in_shards_have_thin_lines():
    svg = chunk_grid(array_of(shape=(8, 8), chunks=(2, 2), shards=(4, 4)))
    found = parsed(svg)
    assert "4 shards, 2 by 2" in svg
    assert paths(found, "b").count("M") == 2
    assert paths(found, "i").count("M") == 4
    assert "thick lines separate shards, thin lines the chunks inside" in svg


@pytest.mark.parametrize("shape", [(10**9,), (10**6, 10**6), (10**4,) * 4])
def test_a_grid_of_millions_of_chunks_has_a_small_picture(shape):
    svg = chunk_grid(array_of(shape=shape, chunks=(1,) * len(shape)))
    parsed(svg)
    assert len(svg) < 5000
    assert "each cell represents several chunks" in svg


def test_stored_chunks_are_filled_where_they_are():
    array = zom.create_array("memory:", array_of(shape=(4, 4), chunks=(2, 2)))
    array[2:, :2] = 1
    found = parsed(chunk_grid(array.spec, array.stored()))
    assert paths(found, "f") == "M20 93h75v75h-75z"


def test_neighbours_are_one_rectangle_and_a_cell_of_many_chunks_looks_whole_only_where_it_is():
    array = zom.create_array("memory:", array_of(shape=(64, 64), chunks=(1, 1)))
    array[:32] = 1
    array[63, 63] = 1
    found = parsed(chunk_grid(array.spec, array.stored()))
    shades = {each.get("opacity"): each.get("d") for each in found.iter() if each.get("class") == "f"}
    assert sorted(shades) == ["0.3", "1"]
    assert shades["1"].count("M") == 8
    assert shades["0.3"].count("M") == 1
    array[40] = 1
    array[40, 0] = 0
    stored = array.stored()
    assert stored.count == 64 * 33
    found = parsed(chunk_grid(array.spec, stored))
    assert "1" in {each.get("opacity") for each in found.iter()}


def test_sheets_tell_apart_what_is_stored_along_leading_dimensions():
    array = zom.create_array("memory:", array_of(shape=(8, 2, 2), chunks=(1, 2, 2)))
    array[:2] = 1
    found = parsed(chunk_grid(array.spec, array.stored()))
    assert paths(found, "f").count("M") == 1


def test_a_map_runs_along_the_dimensions_with_the_most_chunks():
    array = zom.create_array("memory:", array_of(shape=(100, 4, 4), chunks=(1, 4, 4)))
    array[:50] = 1
    svg = coverage(array.stored(), names=("time", "lat", "lon"))
    parsed(svg)
    assert "50 of 100 chunks are stored" in svg
    assert "time 100" in svg
    assert "lat" not in svg


def test_a_map_of_a_huge_grid_is_small():
    array = zom.create_array("memory:", array_of(shape=(10**6, 10**6), chunks=(1, 1)))
    array[5, 5] = 1
    svg = coverage(array.stored())
    parsed(svg)
    assert len(svg) < 10_000
    assert "1 of 1,000,000,000,000 chunks is stored" in svg


def test_rectilinear_grids_have_their_lines_where_chunks_end():
    document = array_of(shape=(10, 4), chunks=(5, 4)).to_dict()
    document["chunk_grid"] = {
        "name": "rectilinear",
        "configuration": {"kind": "inline", "chunk_shapes": [[2, 8], [4]]},
    }
    svg = chunk_grid(v3.ArraySpec.parse(document))
    lines = paths(parsed(svg), "b")
    assert lines.count("M") == 1
    assert "M20 48h" in lines


def test_names_of_dimensions_are_text():
    svg = chunk_grid(array_of(shape=(4,), dimension_names=("<b>&",)))
    assert "&lt;b&gt;&amp; 4" in svg


def test_sizes_have_a_bar_for_each_of_the_largest_and_one_for_the_rest():
    members = {f"a{n}": array_of(shape=(n + 1,)) for n in range(40)}
    arrays = measured(v3.GroupSpec(members=members))
    assert arrays[0] == Measured("/a39", 40)
    svg = size_plot(arrays)
    parsed(svg)
    assert svg.count("class=bar") == 13
    assert "28 more arrays" in svg
    assert "40 arrays, 820 B in memory" in svg


def test_sizes_show_what_is_stored_beside_what_it_is_in_memory():
    svg = size_plot([Measured("/t", 2048, 512)])
    assert "512 B stored of 2.0 KiB, ratio 4.0" in svg
    assert svg.count("class=raw") == svg.count("class=bar") == 1
    assert size_plot([]) == ""


# --- values -------------------------------------------------------------------------------------------


def filled(values, **facts):
    array = zom.create_array(
        "memory:", v3.ArraySpec.build(shape=values.shape, dtype=str(values.dtype), **facts)
    )
    array[...] = values
    return array


def pixels_of(data):
    """The numbers in a PNG, read by another way than they were written."""
    place, parts = 8, {}
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kind = data[place + 4 : place + 8]
        body = data[place + 8 : place + 8 + length]
        (sum_,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert sum_ == zlib.crc32(kind + body)
        parts[kind] = body
        place += 12 + length
    wide, high = struct.unpack(">II", parts[b"IHDR"][:8])
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(high, wide + 1)
    assert (rows[:, 0] == 0).all()
    assert len(parts[b"PLTE"]) == 768
    return rows[:, 1:]


def test_a_png_holds_the_pixels():
    pixels = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert (pixels_of(png(pixels)) == pixels).all()


def test_a_slice_takes_the_first_of_leading_dimensions_and_every_so_many_elements():
    values = np.arange(2 * 500 * 10).reshape(2, 500, 10)
    part = reduced(filled(values))
    assert part.where == "[0, ::4, ::1]"
    assert (part.values == values[0, ::4]).all()


def test_a_slice_reads_few_chunks_however_large_the_array_is():
    array = zom.create_array("memory:", array_of(shape=(10**9, 10**9), chunks=(100, 100)))
    part = reduced(array)
    assert part.values.size <= 160 * 160
    ends = [int(end) for end in re.findall(r":(\d+):", part.where)]
    assert -(-ends[0] // 100) * -(-ends[1] // 100) <= 64


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([[1.0, np.nan], [np.inf, 3.0]]), "from 1 to 3"),
        (np.array([[np.nan]]), "no finite value"),
        (np.array([7, 7], "int64"), "7 everywhere"),
        (np.array([True, False]), "from 0 to 1"),
        (np.array([1e308, -1e308]), "from -1e+308 to 1e+308"),
        (np.array([3 + 4j, 0]), "from 0 to 5"),
        (np.array(5, "uint8"), "5 everywhere"),
    ],
)
def test_a_picture_tells_its_range(values, words):
    part = reduced(filled(values))
    html = picture(part, "/t")
    assert words in html
    assert html.count("data:image/png;base64,") == 1


def test_elements_without_a_number_are_left_out_of_a_picture():
    html = picture(reduced(filled(np.array([[1.0, np.nan], [np.inf, 3.0]]))), "/t")
    assert "elements without a number left out" in html


def test_what_has_no_picture_says_why():
    strings = zom.create_array("memory:", v3.ArraySpec.build(shape=(4,), dtype="string"))
    assert reduced(strings) == "elements of type StringDType() can't be drawn"
    assert reduced(zom.create_array("memory:", array_of(shape=(0,)))) == "the array has no elements"
    huge = zom.create_array("memory:", array_of(shape=(2**20, 2**20), chunks=(2**20, 2**20)))
    assert reduced(huge) == "one chunk takes 1,099,511,627,776 bytes in memory, too many for a picture"
