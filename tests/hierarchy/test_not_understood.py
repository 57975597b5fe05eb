"""Extensions that a reader must understand: the hierarchy is read, with a warning, and only chunks are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import zom
from zom import draft, v3
from zom.stores.memory import MemoryStore

GROUP: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}
ARRAY: dict[str, Any] = v3.ArraySpec.build(shape=(4,), dtype="int32", chunks=2).to_dict()
OLD: dict[str, Any] = {
    "zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "compressor": None, "filters": None,
    "fill_value": 0, "order": "C",
}  # fmt: skip
DRAFT: dict[str, Any] = draft.ArraySpec.build(shape=(4,), dtype="int32", chunks=2).to_dict()
ENTRY: dict[str, Any] = {
    "zarr_format": "https://purl.org/zarr/spec/core/3.0",
    "metadata_encoding": {"type": "json", "metadata_key_suffix": ".json"},
    "extensions": [],
}
MUST = {"extension": "https://example.org/acme", "must_understand": True}


def store_of(documents: dict[str, Any]) -> zom.Store:
    return MemoryStore({key: json.dumps(document).encode() for key, document in documents.items()})


def in_v3(**changes: Any) -> dict[str, Any]:
    return {"zarr.json": GROUP, "a/zarr.json": {**ARRAY, **changes}, "good/zarr.json": ARRAY}


def in_v2(**changes: Any) -> dict[str, Any]:
    group = {"zarr_format": 2}
    return {".zgroup": group, "a/.zarray": {**OLD, **changes}, "good/.zarray": OLD}


def in_draft(entry: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    good = {} if entry else {"meta/good.array.json": DRAFT}
    return {"zarr.json": {**ENTRY, **(entry or {})}, "meta/a.array.json": {**DRAFT, **changes}, **good}


EXTRA = {"name": "acme.ext", "must_understand": True}
SHARDED: dict[str, Any] = v3.ArraySpec.build(shape=(4,), dtype="int32", chunks=2, shards=4).to_dict()


def extended(value: Any, extra: Any = EXTRA) -> dict[str, Any]:
    """The definition of an extension with one member too many."""
    return {**(value if isinstance(value, dict) else {"name": value}), "acme": extra}


def in_shard(part: str, extra: Any = EXTRA) -> dict[str, Any]:
    shard = SHARDED["codecs"][0]
    inside = shard["configuration"]
    changed = {**inside, part: [extended(inside[part][0], extra), *inside[part][1:]]}
    return {**SHARDED, "codecs": [{**shard, "configuration": changed}]}


def in_struct(extra: Any = EXTRA) -> dict[str, Any]:
    fields = [{"name": "x", "data_type": extended("int32", extra)}]
    kind = {"name": "struct", "configuration": {"fields": fields}}
    return {**ARRAY, "data_type": kind, "fill_value": {"x": 0}}


POSITIONS: dict[str, Any] = {
    "the array": lambda extra: {**ARRAY, "acme": extra},
    "the first codec": lambda extra: {
        **ARRAY,
        "codecs": [extended(ARRAY["codecs"][0], extra), *ARRAY["codecs"][1:]],
    },
    "the last codec": lambda extra: {
        **ARRAY,
        "codecs": [*ARRAY["codecs"][:-1], extended(ARRAY["codecs"][-1], extra)],
    },
    "the grid": lambda extra: {**ARRAY, "chunk_grid": extended(ARRAY["chunk_grid"], extra)},
    "the keys": lambda extra: {**ARRAY, "chunk_key_encoding": extended(ARRAY["chunk_key_encoding"], extra)},
    "the data type": lambda extra: {**ARRAY, "data_type": extended(ARRAY["data_type"], extra)},
    "a field of a struct": in_struct,
    "a codec in a shard": lambda extra: in_shard("codecs", extra),
    "a codec of a shard's index": lambda extra: in_shard("index_codecs", extra),
}


@pytest.mark.parametrize("is_consolidated", [False, True])
@pytest.mark.parametrize("position", POSITIONS)
def test_what_must_be_understood_is_found_in_every_position(position: str, is_consolidated: bool) -> None:
    array = POSITIONS[position](EXTRA)
    root: dict[str, Any] = GROUP
    if is_consolidated:
        block = {"kind": "inline", "must_understand": False, "metadata": {"a": array, "good": ARRAY}}
        root = {**GROUP, "consolidated_metadata": block}
    store = store_of({"zarr.json": root, "a/zarr.json": array, "good/zarr.json": ARRAY})
    for how in ("verify", "trust") if is_consolidated else ("verify",):
        told: list[zom.Problem] = []
        spec = zom.read(store, consolidated=how, on_warning=told.append)
        assert {(each.node, each.severity) for each in told} == {("/a", "warning")}
        assert "acme" in told[0].inside
        assert spec["a"].to_dict() == array
        assert list(spec.members) == ["a", "good"]
    with pytest.warns(zom.SpecWarning, match="acme"):
        opened = zom.open_array(store, "a")
    with pytest.raises(
        zom.errors.UnknownName, match=r'no extension named "acme.ext" is registered, and readers must'
    ):
        opened[:]
    assert zom.open_array(store, "good")[:].tolist() == [0, 0, 0, 0]
    assert isinstance(zom.open_group(store).members()["a"], zom.Array)
    assert any(
        each.severity == "error" and each.node == "/a"
        for each in zom.validate(store, conventions=(), data="keys").problems
    )


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
@pytest.mark.parametrize("position", POSITIONS)
def test_what_may_be_ignored_hides_no_chunk(position: str) -> None:
    array = POSITIONS[position]({"name": "acme.ext", "must_understand": False})
    opened = zom.open_array(store_of({"zarr.json": GROUP, "a/zarr.json": array}), "a")
    assert opened[:].shape == (4,)


STORES: dict[str, tuple[dict[str, Any], str]] = {
    "a member": (in_v3(acme={"name": "acme.ext"}), "acme.ext"),
    "a member that says it must be": (in_v3(acme={"name": "acme.ext", "must_understand": True}), "acme.ext"),
    "a member that is no extension": (in_v3(acme=5), "acme"),
    "a storage transformer": (in_v3(storage_transformers=[{"name": "acme.ext"}]), "acme.ext"),
    "a chunk grid that may not be ignored": (
        in_v3(chunk_grid={"name": "acme.ext", "must_understand": False}), "acme.ext"
    ),
    "a data type that may not be ignored": (
        in_v3(data_type={"name": "acme.ext", "must_understand": False}), "acme.ext"
    ),
    "a codec that may not be ignored": (
        in_v3(codecs=[*ARRAY["codecs"], {"name": "acme.ext", "must_understand": False}]), "acme.ext"
    ),
    "a data type of v2": (in_v2(dtype="acme_ext"), "acme_ext"),
    "an extension of the draft": (in_draft(extensions=[MUST]), "https://example.org/acme"),
    "a member of the draft": (in_draft(acme={"name": "acme.ext"}), "acme.ext"),
    "an extension of a whole draft": (in_draft({"extensions": [MUST]}), "https://example.org/acme"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
@pytest.mark.parametrize(("documents", "name"), STORES.values(), ids=STORES)
def test_an_array_that_is_not_understood_hides_nothing_but_its_chunks(
    documents: dict[str, Any], name: str
) -> None:
    store = store_of(documents)
    warned: list[zom.Problem] = []
    spec = zom.read(store, on_warning=warned.append)
    assert {problem.severity for problem in warned} == {"warning"}
    group = zom.open_group(store)
    assert list(group) == list(spec.members)
    assert "─ a " in group.tree()
    array = zom.open_array(store, "a")
    assert array.shape == (4,)
    for use in (lambda: array[:], lambda: zom.open_array(store, "a", mode="r+").__setitem__(0, 1)):
        with pytest.raises(zom.UnknownName) as error:
            use()
        assert name in str(error.value)
    found = [
        problem
        for problem in zom.validate(store, conventions=(), data="keys").problems
        if problem.severity != "note"
    ]
    assert found
    if "good" in spec.members:
        assert zom.open_array(store, "good")[:].tolist() == [0, 0, 0, 0]
        assert not [problem for problem in found if problem.node == "/good"]


def test_the_document_is_kept_as_it_is() -> None:
    document = {**ARRAY, "acme": {"name": "acme.ext", "configuration": {"x": [1, 2]}}}
    with pytest.warns(zom.SpecWarning, match=r"acme: expected a known member"):
        spec = v3.ArraySpec.parse(document, "lenient")
    assert spec.to_dict() == document
    with pytest.raises(zom.SpecError, match=r"acme: expected a known member"):
        v3.ArraySpec.parse(document, "strict")


def test_a_group_with_an_extension_is_read_with_a_warning() -> None:
    store = store_of({"zarr.json": {**GROUP, "acme": {"name": "acme.ext"}}, "good/zarr.json": ARRAY})
    with pytest.warns(zom.SpecWarning, match="acme"):
        assert list(zom.read(store).members) == ["good"]


@pytest.mark.parametrize("to", ["v2", "v3"])
def test_an_extension_that_must_be_understood_is_not_dropped_by_a_conversion(to: Any) -> None:
    documents = in_v3(acme={"name": "acme.ext"}) if to == "v2" else in_draft(acme={"name": "acme.ext"})
    spec = zom.read(store_of(documents), on_warning=lambda _: None)
    with pytest.raises(zom.ConversionError, match=r"/a: acme: expected no extension that must be understood"):
        zom.convert(spec, to)


def test_an_empty_list_of_extensions_in_a_draft_group_is_no_loss() -> None:
    group = {"attributes": {}, "extensions": []}
    spec = zom.read(
        store_of({"zarr.json": ENTRY, "meta/root.group.json": group, "meta/group.json": group}),
        on_warning=lambda _: None,
    )
    assert zom.convert(spec, "v3").losses == ()
