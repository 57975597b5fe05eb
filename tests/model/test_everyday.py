"""What people ask of specs every day: chunks and types in one form, members, likeness to what is open."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import zom
from zom import NotFound, UnknownName, draft, v2, v3

REGULAR = {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}
ARRAY: dict[str, Any] = {
    "shape": (4, 7),
    "data_type": "int8",
    "chunk_grid": REGULAR,
    "chunk_key_encoding": "default",
    "fill_value": 0,
    "codecs": ("bytes",),
}


@pytest.mark.parametrize(
    "spec",
    [
        v3.ArraySpec(**ARRAY),
        v3.ArraySpec(**{**ARRAY, "data_type": {"name": "int8"}, "codecs": ({"name": "bytes"},)}),
        v2.ArraySpec.build(shape=(4, 7), dtype="|i1", chunks=(2, 3)),
        draft.ArraySpec.build(shape=(4, 7), dtype="|i1", chunks=(2, 3)),
    ],
)
def test_chunks_shards_and_dtype_have_one_form(spec: Any) -> None:
    array = zom.create_array("memory:", spec)
    assert spec.chunks == array.chunks == (2, 3)
    assert spec.shards is array.shards is None
    assert np.dtype(spec.dtype) == array.dtype == np.dtype("|i1")


def test_shards_and_uneven_chunks_are_told_apart() -> None:
    spec = v3.ArraySpec.build(shape=(4, 8), dtype="int8", chunks=(2, 2), shards=(4, 4))
    assert (spec.chunks, spec.shards) == ((2, 2), (4, 4))
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [2, [3, 4]]}}
    uneven = v3.ArraySpec(**{**ARRAY, "chunk_grid": grid})
    assert uneven.chunks == (2, (3, 4))
    assert uneven.chunk_grid == grid


def test_codecs_are_objects_whatever_the_spelling() -> None:
    spec = v3.ArraySpec(
        **{**ARRAY, "codecs": ({"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes")}
    )
    assert [codec["name"] for codec in spec.codecs] == ["transpose", "bytes"]
    assert spec.document["codecs"][1] == "bytes"
    assert v3.ArraySpec.parse(spec.to_json()).to_json() == spec.to_json()


def test_codecs_of_v2_are_filters_and_compressor() -> None:
    filters = [{"id": "delta", "dtype": "|i1"}]
    spec = v2.ArraySpec.build(shape=4, dtype="|i1", filters=filters, compress="zlib:1")
    assert spec.codecs == (*filters, {"id": "zlib", "level": 1})
    assert v2.ArraySpec.build(shape=4, dtype="|i1", compress=None).codecs == ()


@pytest.mark.parametrize(
    ("change", "ask", "what"),
    [
        ({"data_type": "acme.t"}, "dtype", 'data type: expected a registered one, found "acme.t"'),
        ({"chunk_grid": "acme.g"}, "chunks", 'chunk grid: expected a registered one, found "acme.g"'),
    ],
)
def test_what_nobody_has_registered_is_named(change: Any, ask: str, what: str) -> None:
    spec = v3.ArraySpec(**{**ARRAY, **change})
    with pytest.raises(
        UnknownName, match=re.escape(f"{what}; zom.load_extensions() loads those of packages")
    ):
        getattr(spec, ask)


GROUP = v3.GroupSpec(members={"b": v3.ArraySpec(**ARRAY), "a": v3.GroupSpec(members={})})


def test_a_group_is_iterated_as_its_handle_is() -> None:
    handle = zom.materialize(GROUP, "memory:")
    assert sorted(GROUP) == sorted(handle) == ["a", "b"]
    assert len(GROUP) == len(handle)
    assert dict(GROUP) == dict(GROUP.items()) == GROUP.members
    assert [node.kind for node in GROUP.values()] == ["array", "group"]
    assert list(GROUP.keys()) == ["b", "a"]
    assert bool(GROUP["a"])


def test_members_that_are_not_known_are_not_none() -> None:
    message = (
        "expected a group with members, found one whose members are unknown; read it with a larger depth"
    )
    for ask in (list, len, dict):
        with pytest.raises(NotFound, match=message):
            ask(v3.GroupSpec())


def test_handles_are_like_their_specs() -> None:
    handle = zom.materialize(GROUP, "memory:")
    assert GROUP.like(handle)
    assert zom.like(handle, GROUP)
    assert GROUP["b"].like(handle["b"])
    assert not GROUP.like(handle["b"])
    handle.create("c", v3.GroupSpec(members={}))
    assert [change.node for change in GROUP.diff(handle)] == ["/c"]


@pytest.mark.parametrize("form", [2, 3])
def test_nodes_of_zarr_python_are_like_specs(form: Any) -> None:
    zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
    group = zarr.create_group(zarr.storage.MemoryStore(), zarr_format=form, attributes={"t": 1})
    array = group.create_group("g").create_array(
        "a", shape=(4, 7), chunks=(2, 3), dtype="i1", attributes={"u": 2}
    )
    spec = (v2 if form == 2 else v3).ArraySpec.from_array(array)
    assert spec.like(array)
    assert not spec.replace(attributes={}).like(array)
    tree = type(spec).family.classes["group"]
    whole: Any = tree(attributes={"t": 1}, members={"g": tree(members={"a": spec})})
    assert list(whole.diff(group)) == []
    assert zom.like(group, whole)


@pytest.mark.parametrize(
    ("other", "found"),
    [(np.zeros(2), "a ndarray: array([0., 0.])"), ("a.zarr", "a str: 'a.zarr'"), (None, "a NoneType: None")],
)
def test_what_has_no_spec_is_named(other: Any, found: str) -> None:
    message = (
        f"expected a spec, an open array or group, or one of zarr-python, got {found}; ArraySpec.from_array"
    )
    for ask in (GROUP.like, GROUP.diff):
        with pytest.raises(TypeError, match=re.escape(message)):
            ask(other)
