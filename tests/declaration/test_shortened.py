"""Specs said as declarations: compiled again, each is the same hierarchy."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zom
from zom import v3
from zom.cli.main import main
from zom.conventions import anndata, ome
from zom.declaration.shortened import shortened
from zom.declaration.source import source_of_text
from zom.declaration.yaml_writer import yaml_text
from zom.errors import DeclarationError, SpecError, SpecWarning
from zom.testing.strategies import group_specs

SAMPLES = Path(__file__).parents[1] / "fixtures" / "documents"
EXAMPLES = Path(__file__).parents[2] / "examples" / "declarations"
SLOW = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None, max_examples=60
)


@pytest.mark.slow
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


@pytest.mark.slow
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


# --- what conventions build -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("example", "word"),
    [
        ("plate.yaml", "ome"),
        ("satellite.toml", "multiscales"),
        ("cells.yaml", "anndata"),
        ("climate.yaml", "members"),
    ],
)
def test_examples_are_said_in_the_words_of_their_builders(example, word):
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'zom[yaml]')")
    spec = zom.declare(EXAMPLES / example).spec
    said = shortened(spec)
    assert word in said
    assert not zom.declare(said).spec.diff(spec)
    assert len(yaml_text(said).splitlines()) <= 30


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_images_are_said_by_their_axes_and_levels(data):
    axes = data.draw(st.sampled_from(["yx", "zyx", "cyx", "tczyx", "czyx"]))
    shape = [data.draw(st.sampled_from([3, 16, 100])) for _ in axes]
    facts = {
        "levels": data.draw(st.integers(1, 3)),
        "dtype": data.draw(st.sampled_from(["uint8", "float32"])),
        "name": data.draw(st.sampled_from(["image", "a"])),
        "scale": {"x": data.draw(st.sampled_from([1, 0.25]))},
        "compress": data.draw(st.sampled_from(["zstd", "gzip:9", None, "blosc"])),
        "chunks": data.draw(st.sampled_from([None, [2] * len(axes)])),
    }
    version = data.draw(st.sampled_from(["0.4", "0.5"]))
    image = ome.image(axes, shape, version=version, **facts)
    for spec in (
        image,
        type(image)(members={"a": image, "b": image, "deep": type(image)(members={"c": image})}),
    ):
        said = shortened(spec)
        assert not zom.declare(said).spec.diff(spec)
        one = said if spec is image else said["members"]["a"]
        assert one["ome"]["axes"] == axes
        assert "scale" not in one["ome"] or facts["scale"]["x"] != 1
        assert "members" not in one


def test_what_a_builder_does_not_make_is_said_beside_it_or_in_full():
    image = ome.image("yx", (32, 32), levels=2)
    extra = v3.ArraySpec.build(shape=(32, 32), dtype="int8", dimension_names=("y", "x"))
    more = image.replace(
        attributes={**image.attributes, "made": "by hand", "${a}": "${b}"},
        members={**image.members, "extra": extra},
    )
    said = shortened(more)
    assert said["ome"] == {"axes": "yx", "shape": [32, 32], "levels": 2}
    assert said["attributes"] == {"made": "by hand", "$${a}": "$${b}"}
    assert list(said["members"]) == ["extra"]
    assert not zom.declare(said).spec.diff(more)
    other = image.replace(members={**image.members, "1": image.members["1"].replace(fill_value=7)})
    said = shortened(other)
    assert "ome" not in said
    assert not zom.declare(said).spec.diff(other)


@pytest.mark.parametrize("form", [2, 3])
def test_elements_of_anndata_are_said_by_name(form):
    made = anndata.skeleton(
        50,
        8,
        X=anndata.csc("float64", stored=5, index_dtype="int64"),
        layers={"raw": "int32"},
        obs={"n": "int64", "kind": anndata.categorical(3, ordered=True), "text": anndata.nullable("string")},
        obsm={"a": 2, "b": (3, "float64")},
        varp={"d": anndata.csr("bool")},
        zarr_format=form,
    )
    said = shortened(made)
    assert said["anndata"]["X"] == {"csc": "float64", "stored": 5, "index_dtype": "int64"}
    assert said["anndata"]["obsm"] == {"a": 2, "b": [3, "float64"]}
    assert said["anndata"]["obs"]["kind"] == {"categorical": 3, "ordered": True}
    assert "members" not in said
    assert not zom.declare(said).spec.diff(made)


@pytest.mark.parametrize("told", [{"ome": {"multiscales": [None]}}, {"ome": {"multiscales": []}}, {"ome": {"plate": {}}}, {"multiscales": {"layout": [3]}}, {"encoding-type": "anndata"}, {"ome": {"plate": {"rows": [{"name": "A"}], "columns": [{"name": "1"}], "wells": [{"path": "x/y"}]}}}, {"ome": {"multiscales": [{"axes": ["x"], "datasets": [1]}]}}, {"multiscales": {"layout": [{"asset": "0"}]}}])  # fmt: skip
def test_attributes_that_tell_of_no_image_are_said_as_they_are(told):
    array = v3.ArraySpec.build(shape=(4,), dtype="int8")
    for members in (
        {"0": array},
        {"0": v3.GroupSpec(members={"a": array})},
        {"obs": v3.GroupSpec(members={})},
    ):
        spec = v3.GroupSpec(attributes=told, members=members)
        said = shortened(spec)
        assert said["attributes"] == told
        assert not zom.declare(said).spec.diff(spec)


def test_what_breaks_rules_of_zarr_is_told_with_its_node_and_what_to_do(tmp_path, capsys):
    zom.materialize(
        v3.GroupSpec(
            members={"g": v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(4,), dtype="int8")})}
        ),
        tmp_path / "a.zarr",
    )
    file = tmp_path / "a.zarr" / "g" / "a" / "zarr.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "odd": 1}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        with pytest.raises(
            DeclarationError, match="a document that breaks rules of Zarr can't be declared"
        ) as caught:
            zom.declaration_of(tmp_path / "a.zarr")
    (problem,) = caught.value.problems
    assert (problem.node, problem.found) == ("/g/a", "1")
    assert problem.fix == "correct the document; a declaration follows the rules of Zarr"
    assert main(["declare", str(tmp_path / "a.zarr")]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "/g/a: odd: expected a known member" in captured.err


@pytest.mark.parametrize("names", list(itertools.product(["0", "1", "-1", "x"], repeat=3)), ids="".join)
def test_dimensions_that_are_called_like_places_keep_their_chunks(names):
    array = v3.ArraySpec.build(shape=(8, 16, 24), dtype="int16", chunks=(2, 4, 6), dimension_names=names)
    spec = v3.GroupSpec(members={"a": array, "b": array})
    assert zom.declare(zom.declaration_of(spec)).spec == spec
