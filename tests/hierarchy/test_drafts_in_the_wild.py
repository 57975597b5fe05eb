"""Hierarchies that software wrote under the draft's name: the layout of 2021, and what GDAL 3.5 and 3.6 made of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import zom
from zom.stores.memory import MemoryStore

URI = "https://purl.org/zarr/spec/protocol/core/3.0"
ENTRY: dict[str, Any] = {
    "zarr_format": URI, "metadata_encoding": URI, "metadata_key_suffix": ".json", "extensions": [],
}  # fmt: skip
ARRAY: dict[str, Any] = {
    "attributes": {},
    "chunk_grid": {"chunk_shape": [2], "separator": "/", "type": "regular"},
    "chunk_memory_layout": "C",
    "data_type": "<i4",
    "extensions": [],
    "fill_value": 0,
    "shape": [4],
}
ODD = {"draft/2021-entry-point", "draft/2021-member"}


def written(changes: dict[str, Any] | None = None, *, drop: str = "") -> MemoryStore:
    """As `zarr.consolidate_metadata` of zarr-python 2.18 leaves it; `changes` are made to the copy."""
    documents: dict[str, Any] = {
        "meta/root.group.json": {"attributes": {"title": "a"}},
        "meta/root/consolidated.group.json": {"attributes": {}},
        "meta/root/g.group.json": {"attributes": {}},
        "meta/root/g/a.array.json": ARRAY,
    }
    copy = {key: value for key, value in {**documents, **(changes or {})}.items() if key != drop}
    whole = {"metadata": copy, "zarr_consolidated_format": 1}
    texts: dict[str, Any] = {"zarr.json": ENTRY, **documents, "meta/root/consolidated/.zmetadata": whole}
    store = MemoryStore({key: json.dumps(value, indent=4).encode() for key, value in texts.items()})
    store.set("data/root/g/a/c0", np.array([1, 2], "<i4").tobytes())
    return store


def found_in(store: zom.Store) -> set[tuple[str, str, str | None]]:
    problems = zom.validate(store, conventions=(), data="keys", level="lenient").problems
    return {(each.code, each.node, each.key) for each in problems if each.code not in {*ODD, "chunk/missing"}}


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
@pytest.mark.parametrize("consolidated", ["trust", "only", "verify", "ignore"])
def test_consolidated_metadata_of_2021_says_what_the_nodes_say(consolidated: Any) -> None:
    spec = zom.read(written(), consolidated=consolidated)
    assert {path for path, _ in spec.walk()} == {"/", "/consolidated", "/g", "/g/a"}
    assert spec.attributes == {"title": "a"}
    assert spec["g/a"].shape == (4,)
    assert found_in(written()) == set()


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
def test_consolidated_metadata_of_2021_that_is_stale_is_told() -> None:
    key = "meta/root/consolidated/.zmetadata"
    stale = {("store/stale-consolidated", "/g/a", key)}
    assert found_in(written({"meta/root/g/a.array.json": {**ARRAY, "shape": [5]}})) == stale
    assert found_in(written(drop="meta/root/g/a.array.json")) == stale
    assert found_in(written({"meta/root/h.group.json": {"attributes": {}}})) == {
        ("store/stale-consolidated", "/h", key)
    }
    spec = zom.read(written({"meta/root/g/a.array.json": {**ARRAY, "shape": [5]}}), consolidated="trust")
    assert spec["g/a"].shape == (5,)


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
def test_consolidated_metadata_of_2021_that_is_damaged_hides_no_node() -> None:
    store = written()
    store.set("meta/root/consolidated/.zmetadata", b'{"metadata": 5}')
    assert {path for path, _ in zom.read(store).walk()} == {"/", "/consolidated", "/g", "/g/a"}
    assert ("stored/consolidated", "/") in {
        (each.code, each.node) for each in zom.validate(store, conventions=(), data="keys").problems
    }
    with pytest.raises(zom.SpecError, match="zarr_consolidated_format"):
        zom.read(store, consolidated="only")


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
def test_a_hierarchy_of_2021_in_a_part_of_a_store_is_read_by_its_copy() -> None:
    store = written()
    moved = MemoryStore({f"old/x/{key}": store.get(key) or b"" for key in store.list()})
    assert zom.read(moved, "old/x", consolidated="only") == zom.read(store, consolidated="only")
    assert zom.open_array(moved, "old/x/g/a")[:].tolist() == [1, 2, 0, 0]


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
def test_what_gdal_wrote_is_read() -> None:
    r"""It escapes slashes, writes `extensions` into groups, and null for no fill value."""
    array = {**ARRAY, "fill_value": None, "compressor": {"codec": "https://purl.org/zarr/spec/codec/zlib/1.0",
             "configuration": {"level": 6}}}  # fmt: skip
    texts: dict[str, Any] = {
        "zarr.json": ENTRY,
        "meta/root.group.json": {"attributes": {}, "extensions": []},
        "meta/root/g.group.json": {"attributes": {"_CRS": {"url": "http://example.org"}}, "extensions": []},
        "meta/root/g/a.array.json": array,
    }
    store = MemoryStore({key: json.dumps(each).replace("/", "\\/").encode() for key, each in texts.items()})
    spec = zom.read(store)
    assert {path for path, _ in spec.walk()} == {"/", "/g", "/g/a"}
    assert spec["g"].attributes == {"_CRS": {"url": "http://example.org"}}
    assert zom.open_array(store, "g/a")[:].tolist() == [0, 0, 0, 0]
    target = MemoryStore({})
    zom.migrate(store, "v3", target=target)
    assert {path for path, _ in zom.read(target).walk()} == {"/", "/g", "/g/a"}
