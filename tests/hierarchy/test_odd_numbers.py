"""NaN, infinities, names given twice and byte order marks in documents of stores: read, kept, changed, told of."""

from __future__ import annotations

import json
import math
import pickle
import warnings

import pytest

import zom
from zom import v2, v3
from zom.errors import SpecError, SpecWarning
from zom.stores.memory import MemoryStore

ATTRIBUTES = {
    "missing_value": math.nan,
    "range": [-math.inf, math.inf, {"deep": [math.nan]}],
    "zero": -0.0,
    "text": "NaN",
}
ODD = json.dumps(ATTRIBUTES)

V3 = {
    "zarr.json": (
        '{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float32", "chunk_grid": '
        '{"name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"}, '
        '"fill_value": NaN, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], '
        f'"attributes": {ODD}}}'
    )
}
V2 = {
    ".zarray": (
        '{"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<f4", "compressor": null, "filters": null, '
        '"fill_value": NaN, "order": "C"}'
    ),
    ".zattrs": ODD,
}
DRAFT = {
    "zarr.json": (
        '{"zarr_format": "https://purl.org/zarr/spec/core/3.0", "metadata_encoding": {"type": "json", '
        '"metadata_key_suffix": ".json"}, "extensions": []}'
    ),
    "meta/array.json": (
        '{"shape": [4], "data_type": "float32", "chunk_grid": {"type": "regular", "chunk_shape": [2], '
        '"separator": "/"}, "chunk_memory_layout": "C", "fill_value": NaN, "extensions": [], '
        f'"attributes": {ODD}}}'
    ),
}
STORES = {"v3": V3, "v2": V2, "draft": DRAFT}
EVERY = pytest.mark.parametrize("form", STORES)


def stored(form):
    return MemoryStore({key: text.encode() for key, text in STORES[form].items()})


def holder(form):
    """The key of the document with attributes."""
    return {"v3": "zarr.json", "v2": ".zattrs", "draft": "meta/array.json"}[form]


def quiet(store, **options):
    return zom.read(store, on_warning=lambda problem: None, **options)


def opened(store, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        return zom.open(store, **options)


def same(left, right):
    return json.dumps(left) == json.dumps(right)


def attributes_in(store, form):
    document = json.loads(store.get(holder(form)))
    return document if form == "v2" else document["attributes"]


@EVERY
def test_numbers_that_are_not_finite_are_read_as_floats(form):
    assert same(dict(opened(stored(form)).attrs), ATTRIBUTES)
    spec = quiet(stored(form))
    assert same(dict(spec.attributes), ATTRIBUTES)
    assert same(json.loads(spec.to_json())["attributes"], ATTRIBUTES)
    assert same(spec.to_dict()["attributes"], ATTRIBUTES)
    assert opened(stored(form))[:].tolist() == [pytest.approx(math.nan, nan_ok=True)] * 4


@EVERY
def test_reading_tells_of_each(form):
    told = []
    zom.read(stored(form), on_warning=told.append)
    found = [problem for problem in told if problem.code == "json/not-finite"]
    inner = [problem.pointer.removeprefix("/attributes") for problem in found]
    assert sorted(inner) == ["/fill_value", "/missing_value", "/range/0", "/range/1", "/range/2/deep/0"]
    assert {problem.severity for problem in found} == {"warning"}


@EVERY
@pytest.mark.parametrize("level", ["strict", "closed"])
def test_stricter_levels_refuse_them(form, level):
    with pytest.raises(SpecError, match="expected a finite number, found NaN"):
        zom.read(stored(form), level=level)
    spec = quiet(stored(form))
    for document in (spec.to_json(), spec.to_dict(), spec.document):
        family = type(spec)
        assert "json/not-finite" in [problem.code for problem in family.check(document, level)]


@EVERY
def test_attributes_shape_and_data_change(form):
    store = stored(form)
    array = opened(store, mode="r+")
    array.attrs["units"] = "K"
    array.resize((6,))
    assert array.append([1.0, 2.0]) == (8,)
    assert same(attributes_in(store, form), {**ATTRIBUTES, "units": "K"})
    again = opened(store)
    assert again.shape == (8,)
    assert again[6:].tolist() == [1, 2]
    assert math.isnan(again[5])


@EVERY
def test_text_and_number_are_not_the_same(form):
    spec = quiet(stored(form))
    text = spec.replace(attributes={**ATTRIBUTES, "missing_value": "NaN"})
    assert spec != text
    assert not spec.like(text)
    assert [change.pointer for change in spec.diff(text)] == ["/attributes/missing_value"]
    assert str(spec.diff(text)) == '~ /: attributes.missing_value: NaN -> "NaN"'
    twin = quiet(stored(form))
    assert spec == twin
    assert hash(spec) == hash(twin)
    assert spec.like(twin)
    assert not spec.diff(twin)
    assert dict(spec.attributes) == dict(twin.attributes)
    assert pickle.loads(pickle.dumps(spec)) == spec


@EVERY
def test_a_copy_keeps_them(form, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        zom.copy(stored(form), str(tmp_path / "copy"))
        assert same(dict(zom.open(str(tmp_path / "copy")).attrs), ATTRIBUTES)


@pytest.mark.parametrize(("form", "to"), [("v2", "v3"), ("draft", "v3"), ("v3", "v2")])
@pytest.mark.parametrize("how", ["convert", "in place", "target"])
def test_another_format_keeps_them(form, to, how):
    store = stored(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        if how == "convert":
            converted = zom.convert(quiet(store), to)
            assert "/attributes" not in str([loss.pointer for loss in converted.losses])
            assert same(dict(converted.spec.attributes), ATTRIBUTES)
            assert converted.spec.document["fill_value"] == "NaN"
            return
        target = store if how == "in place" else MemoryStore()
        zom.migrate(store, to, **({"in_place": True} if how == "in place" else {"target": target}))
        made = zom.open(target)
        assert made.spec.family.form == to
        assert same(dict(made.attrs), ATTRIBUTES)


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_consolidated_metadata_keeps_them(form):
    group = {
        "v2": {".zgroup": '{"zarr_format": 2}'},
        "v3": {"zarr.json": '{"zarr_format": 3, "node_type": "group"}'},
    }
    values = {f"a/{key}": text.encode() for key, text in STORES[form].items()}
    store = MemoryStore({**values, **{key: text.encode() for key, text in group[form].items()}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        zom.consolidate(store)
        block = json.loads(store.get(".zmetadata" if form == "v2" else "zarr.json"))
        entry = (
            block["metadata"]["a/.zattrs"]
            if form == "v2"
            else block["consolidated_metadata"]["metadata"]["a"]["attributes"]
        )
        assert same(entry, ATTRIBUTES)
        assert [
            p
            for p in zom.validate(store, conventions=(), data="keys", level="lenient").problems
            if p.severity == "error"
        ] == []
        zom.open(store, mode="r+")["a"].attrs["n"] = 1
        assert same(dict(zom.open(store)["a"].attrs), {**ATTRIBUTES, "n": 1})
        assert [
            p
            for p in zom.validate(store, conventions=(), data="keys", level="lenient").problems
            if p.severity == "error"
        ] == []


# --- what a user sets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [v2.GroupSpec, v3.GroupSpec])
def test_nan_that_a_user_sets_is_written_with_a_warning(cls):
    with pytest.warns(
        SpecWarning,
        match=r"attributes\.a: expected a finite number, found NaN; attributes\.b\[0\]: .* JSON has",
    ):
        spec = cls(attributes={"a": float("nan"), "b": [float("-inf")]})
    assert spec.level == "lenient"
    group = zom.create_group(MemoryStore(), spec)
    with pytest.warns(
        SpecWarning, match=r"attributes\.c\[0\]: expected a finite number, found Infinity; JSON"
    ):
        group.attrs["c"] = [math.inf]
    group.attrs["d"] = 1  # nothing new to tell
    text = group.store.get(".zattrs" if cls is v2.GroupSpec else "zarr.json").decode()
    written = json.loads(text)
    assert same(
        written.get("attributes", written), {"a": math.nan, "b": [-math.inf], "c": [math.inf], "d": 1}
    )
    assert same(dict(opened(group.store).attrs), {"a": math.nan, "b": [-math.inf], "c": [math.inf], "d": 1})


def test_a_hierarchy_with_nan_inside_is_materialized():
    with pytest.warns(SpecWarning, match="found NaN"):
        array = v3.ArraySpec.build(shape=(2,), dtype="f4", attributes={"missing_value": math.nan})
    tree = v3.GroupSpec(members={"g": v3.GroupSpec(members={"a": array})})
    assert tree.level == "lenient"
    store = MemoryStore()
    zom.materialize(tree, store)
    assert quiet(store) == tree
    assert b'"missing_value": NaN' in store.get("g/a/zarr.json")


NO_INTEGERS = ["NaN", "Infinity", "-Infinity", "1e999"]


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("level", ["strict", "lenient"])
@pytest.mark.parametrize("number", NO_INTEGERS)
@pytest.mark.parametrize("form", [v2, v3])
def test_a_number_that_can_not_be_the_fill_value_is_one_error(form, number, level, consolidated):
    spec = form.GroupSpec(members={"a": form.ArraySpec.build(shape=(4,), dtype="int32", fill_value=7)})
    store = MemoryStore()
    zom.materialize(spec, store)
    if consolidated:
        zom.consolidate(store)
    key = "a/.zarray" if form is v2 else "a/zarr.json"
    text = store.get(key).decode()
    assert text.count('"fill_value": 7') == 1
    store.set(key, text.replace('"fill_value": 7', f'"fill_value": {number}').encode())
    told = [(each.code, each.severity, each.key) for each in zom.validate(store, level=level)]
    too_large = number == "1e999" and level == "strict"
    assert told == [("json/number-range" if too_large else "fill-value/range", "error", key)]
    document = store.get(key)
    told = [(each.code, each.severity) for each in zom.validate(document, level=level)]
    assert told == [("json/number-range" if too_large else "fill-value/range", "error")]


@pytest.mark.parametrize("level", ["strict", "lenient"])
@pytest.mark.parametrize("number", NO_INTEGERS)
def test_it_is_one_in_the_file_of_consolidated_metadata_and_one_among_attributes(number, level, tmp_path):
    array = json.loads(V2[".zarray"].replace("NaN", "7").replace("<f4", "<i4"))
    metadata = {".zgroup": {"zarr_format": 2}, "a/.zarray": array, "a/.zattrs": {"limit": 8}}
    text = json.dumps({"zarr_consolidated_format": 1, "metadata": metadata})
    (tmp_path / ".zmetadata").write_text(text.replace(": 7", f": {number}"))
    (tmp_path / ".zattrs").write_text(f'{{"limit": {number}}}')
    attributes = "json/number-range" if number == "1e999" else "json/not-finite"
    fill_value = attributes if number == "1e999" and level == "strict" else "fill-value/range"
    told = [(each.code, each.pointer) for each in zom.validate(tmp_path / ".zmetadata", level=level)]
    assert told == [(fill_value, "/metadata/a~1.zarray/fill_value")]
    told = [(each.code, each.pointer) for each in zom.validate(tmp_path / ".zattrs", level=level)]
    assert told == [(attributes, "/limit")]


def test_a_closed_spec_refuses_nan():
    spec = v3.GroupSpec.parse('{"zarr_format": 3, "node_type": "group"}', "closed")
    with pytest.raises(SpecError, match="found NaN"):
        spec.replace(attributes={"a": math.nan})
    with pytest.raises(SpecError, match="found NaN"):
        v3.GroupSpec().replace(attributes={"a": math.nan}, level="strict")


def test_nan_elsewhere_is_refused_as_before():
    with pytest.raises(SpecError, match=r"extra\.a: expected a finite number, found NaN"):
        v3.GroupSpec(extra={"must_understand": False, "a": math.nan})


# --- names given twice, marks, numbers that are too large --------------------------------------------------


def twice(form):
    store = stored(form)
    key = holder(form)
    text = store.get(key).decode().replace('"text": "NaN"', '"text": 1, "big": 1e400, "text": 2')
    store.set(key, b"\xef\xbb\xbf" + text.encode())
    return store


@EVERY
def test_the_last_of_a_name_given_twice_counts(form):
    told = []
    spec = zom.read(twice(form), on_warning=told.append)
    assert spec.attributes["text"] == 2
    assert spec.attributes["big"] == math.inf
    codes = {problem.code for problem in told}
    assert codes >= {"json/duplicate-key", "json/bom", "json/number-range", "json/not-finite"}


@EVERY
def test_a_rewrite_tells_what_it_does_not_write_again(form):
    store = twice(form)
    array = opened(store, mode="r+")
    prefix = "" if form == "v2" else r"attributes\."
    with pytest.warns(SpecWarning) as told:
        array.attrs["n"] = 1
    text = str(told[0].message)
    assert f"{holder(form)}: only the last value of {prefix.replace(chr(92), '')}text is kept" in text
    assert (
        f"{prefix.replace(chr(92), '')}big was 1e400, which is read as Infinity, and is written as that"
        in text
    )
    array.resize((9,))
    array.append([1.0])
    assert attributes_in(store, form)["text"] == 2
    assert opened(store).shape == (10,)


def test_a_strict_handle_refuses_what_became_odd():
    store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}}'})
    group = zom.open(store, mode="r+", level="strict")
    store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": NaN}}')
    with pytest.raises(SpecError, match=r"attributes\.a: expected a finite number, found NaN"):
        group.attrs["b"] = 1
