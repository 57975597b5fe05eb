"""Arguments of another type, as people mix them up: the message names what was expected, before anything is written."""

from __future__ import annotations

import pytest

import zom
from zom import v2, v3

SPEC = v3.GroupSpec(members={"x": v3.ArraySpec.build(shape=(4,), dtype="int32")})

CALLS = {
    "a document as the spec of a copy": (
        lambda place: zom.copy(place, "other.zarr", {"zarr_format": 3}),
        TypeError,
        "expected a spec, got a dict; zom.parse makes a spec from a document",
    ),
    "a file as what a store should be like": (
        lambda place: zom.validate(place, like="like.yaml"),
        TypeError,
        "expected a spec or a template, got a str; ",
    ),
    "a store as the documents of a node": (
        v3.GroupSpec.from_documents,
        TypeError,
        "documents: expected a mapping from names such as 'zarr.json' to documents, got ",
    ),
    "a list of patterns": (
        lambda _: SPEC.select(["a", "b"]),
        TypeError,
        r"pattern: expected a string such as '\*\*/t2m', got \['a', 'b'\]",
    ),
    "a depth in text": (
        lambda place: zom.open_group(place).tree(depth="1"),
        ValueError,
        "depth: expected None or a number from 0 on, got '1'",
    ),
    "half a group": (
        lambda place: zom.read(place, depth=1.5),
        ValueError,
        "depth: expected None or a number from 0 on, got 1.5",
    ),
    "a depth of a spec": (
        lambda _: SPEC.tree(depth=-1),
        ValueError,
        "depth: expected None or a number from 0 on, got -1",
    ),
    "the name of a dimension as an axis": (
        lambda place: zom.open_array(place, "x", mode="r+").append([1], "x"),
        TypeError,
        "axis: expected a whole number, got 'x'",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_another_type_is_named(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    zom.materialize(SPEC, "here.zarr")
    call, kind, message = CALLS[name]
    with pytest.raises(kind, match=f"^{message}"):
        call("here.zarr")
    assert [each.name for each in tmp_path.iterdir()] == ["here.zarr"]
    assert zom.read("here.zarr") == SPEC


@pytest.mark.parametrize("cls", [v2.GroupSpec, v3.GroupSpec])
@pytest.mark.parametrize("document", [[], "here.zarr", None])
def test_consolidated_metadata_that_is_no_object_is_a_problem(cls, document):
    with pytest.raises(zom.SpecError, match="expected an object, found "):
        cls.from_consolidated(document)


OPENED = {
    "store": zom.store,
    "read": zom.read,
    "open": zom.open,
    "validate": zom.validate,
    "copy": lambda place: zom.copy(place, "other.zarr"),
    "declare": zom.declare,
    "materialize": lambda place: zom.materialize(SPEC, place),
    "from_hdf5": zom.from_hdf5,
}


@pytest.mark.parametrize("verb", OPENED)
@pytest.mark.parametrize(
    "name", ["\ud800", "a\ud800.zarr", "a\ud800.zip", "a\ud800.sqlite", "a\ud800.yaml", "a\x00b"]
)
def test_a_name_that_no_file_has_is_an_error_of_zom(tmp_path, monkeypatch, verb, name):
    if verb == "from_hdf5":
        pytest.importorskip("h5py", reason="h5py is not installed")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        zom.ZomError, match=r"surrogates not allowed|embedded null (byte|character)|expected a path or a URL"
    ):
        OPENED[verb](name)
    assert list(tmp_path.iterdir()) == []
