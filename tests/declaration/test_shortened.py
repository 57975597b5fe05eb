"""Specs said as declarations: compiled again, each is the same hierarchy."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.declaration.shortened import shortened
from zom.declaration.source import source_of_text
from zom.declaration.yaml_writer import yaml_text
from zom.errors import SpecError, SpecWarning
from zom.testing.strategies import group_specs

SAMPLES = Path(__file__).parents[1] / "fixtures" / "documents"
EXAMPLES = Path(__file__).parents[2] / "examples" / "declarations"
SLOW = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, max_examples=60
)


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@SLOW
@given(data=st.data())
def test_what_is_said_of_a_spec_means_it(form, data):
    spec = data.draw(group_specs(form))
    again = zom.declare(shortened(spec)).spec
    assert not spec.diff(again)


def documents():
    for file in sorted(SAMPLES.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
            record = json.loads(line)
            if record["key"] in {"zarr.json", ".zarray", ".zgroup"}:
                yield pytest.param(record["document"], id=f"{file.stem}-{number}")


@pytest.mark.parametrize("text", list(documents()))
def test_documents_that_others_wrote_are_said(text):
    try:
        spec = zom.parse(text, on_warning=lambda _: None)
    except SpecError:
        pytest.skip("breaks rules of Zarr, which a declaration keeps")
    if spec.kind == "entry point":
        pytest.skip("an entry point is no node")
    declared = shortened(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)  # NaN in attributes
        assert not spec.diff(zom.declare(declared).spec)


def test_sizes_defaults_and_loops_are_factored_out():
    def array(chunks=(30, 90), **more):
        names = ("time", "lat")
        return v3.ArraySpec.build(
            shape=(365, 180), dtype="float32", chunks=chunks, dimension_names=names, compress="blosc", **more
        )

    station = v3.GroupSpec(members={"t": array(), "u": array(attributes={"units": "m s-1"})})
    spec = v3.GroupSpec(members={f"{number}": station for number in range(1, 5)})
    assert shortened(spec) == {
        "zom": 1,
        "sizes": {"time": 365, "lat": 180},
        "defaults": {"dtype": "float32", "compress": "blosc:5", "chunks": {"time": 30, "lat": 90}},
        "members": {
            "${number}": {
                "for": {"number": {"start": 1, "stop": 4}},
                "members": {
                    "t": {"dims": ["time", "lat"]},
                    "u": {"dims": ["time", "lat"], "attributes": {"units": "m s-1"}},
                },
            }
        },
    }


def test_texts_that_look_like_expressions_stay_texts():
    spec = v3.GroupSpec(attributes={"a": "${b}", "c": ["$${d}"]}, members={"${e}": v3.GroupSpec(members={})})
    assert zom.declare(shortened(spec)).spec == spec


@pytest.mark.parametrize("example", sorted(EXAMPLES.iterdir()), ids=lambda file: file.name)
def test_examples_are_said_shorter_than_their_documents(example):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    spec = zom.declare(example).spec
    declared = shortened(spec)
    assert not spec.diff(zom.declare(declared).spec)
    assert 1.5 * len(json.dumps(declared)) < len(spec.to_json())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


@SLOW
@given(st.dictionaries(st.text(), JSON))
def test_what_is_written_as_yaml_reads_as_the_same(value):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    text = yaml_text({"zom": 1, "x": value})
    if '"<<"' in text or any("\ud800" <= each <= "\udfff" for each in text):
        return
    found = source_of_text(text, "a.yaml", "yaml").value
    assert found == {"zom": 1, "x": value}
    assert json.dumps(found) == json.dumps({"zom": 1, "x": value})
