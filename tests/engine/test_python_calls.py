"""How many calls in Python one warm chunk read and one parsed document cost: what grows here is felt everywhere."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import zom
from zom import v3

SOURCE = str(Path(zom.__file__).parent)
SPEC = v3.ArraySpec.build(shape=(64, 64), dtype="float32", chunks=(32, 32), compress="zstd")


def calls_in_zom(act):
    """The functions of zom that `act` calls; comprehensions, which are inlined from Python 3.12 on, aside."""
    made = []

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE) and "comp>" not in code.co_name:
            made.append(f"{Path(code.co_filename).name}: {code.co_name}")

    act(), act()  # warm
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return made


def test_one_chunk_is_read_by_at_most_fifty_calls(tmp_path):
    zom.create_array(tmp_path, SPEC)[:] = np.arange(4096, dtype="f4").reshape(64, 64)
    array = zom.open(tmp_path)
    made = calls_in_zom(lambda: array[0:32, 0:32])
    assert "reading.py: read_parts" in made
    assert len(made) <= 50, made


@pytest.mark.parametrize("document", [SPEC.to_json(), SPEC.to_dict()], ids=["text", "mapping"])
def test_an_array_is_parsed_by_at_most_sixty_calls(document):
    made = calls_in_zom(lambda: v3.ArraySpec.parse(document))
    assert "node.py: make" in made
    assert len(made) <= 60, made


def test_an_array_of_other_chunks_is_judged_by_at_most_forty_more_calls():
    """What it shares with arrays before it, its type and its codecs, is not judged again."""
    other = count(32)

    def parse_another():
        document = SPEC.to_dict()
        document["chunk_grid"]["configuration"]["chunk_shape"] = [next(other), 17]
        v3.ArraySpec.parse(document)

    alike = calls_in_zom(lambda: v3.ArraySpec.parse(SPEC.to_dict()))
    made = calls_in_zom(parse_another)
    assert "v3_encoding.py: _judge_grid" in made
    assert {"link.py: parse_links", "v3_encoding.py: _judge_chain"}.isdisjoint(made)
    assert len(made) - len(alike) <= 40, made


def test_one_more_variable_is_judged_by_cf_and_xarray_by_at_most_800_calls():
    variable = v3.ArraySpec.build(
        shape=(4,),
        dtype="f4",
        dimension_names=("time",),
        attributes={"units": "K", "long_name": "a temperature"},
    )

    def calls(count):
        members = {f"v{index}": variable for index in range(count)}
        spec = v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members=members)
        return calls_in_zom(lambda: zom.validate(spec, conventions=["xarray", "cf"]))

    few, more = calls(10), calls(20)
    assert "variable.py: run" in more
    assert len(more) - len(few) <= 10 * 800, (len(more) - len(few)) / 10
