"""Opening and reading what is stored as a class of specs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict

import zom
from zom import draft, v2, v3
from zom.stores.memory import MemoryStore


class Measured(BaseModel):
    units: str


class Fields(TypedDict):
    t: v3.ArraySpec[Measured]


class Station(v3.GroupSpec[Measured, Fields]):
    """Members by name."""


class Titled(v3.GroupSpec[Measured]):
    """Attributes of a type, members of any."""


ARRAY = v3.ArraySpec[Measured].build(shape=(3,), dtype="int8", attributes=Measured(units="K"))


def store() -> Any:
    station = Station(attributes=Measured(units="m"), members={"t": ARRAY})
    return zom.materialize(station, "memory:").store


def test_a_hierarchy_is_read_as_the_class():
    spec = zom.read(store(), spec_class=Station)
    assert type(spec) is Station
    assert spec.members["t"].attributes.units == "K"
    assert zom.read(store(), "t", spec_class=v3.ArraySpec[Measured]).attributes.units == "K"


def test_a_hierarchy_is_open_as_the_class():
    there = store()
    for root in (
        zom.open(there, spec_class=Station, mode="r+"),
        zom.open_group(there, spec_class=Station, mode="r+"),
    ):
        assert type(root.spec) is type(root.read()) is Station
        assert root.spec.members["t"].attributes.units == "K"
        root.attrs["units"] = "km"
        assert root.spec.attributes.units == zom.open(there).attrs["units"] == "km"
    array = zom.open_array(there, "t", spec_class=v3.ArraySpec[Measured])
    assert array.spec.attributes.units == "K"
    assert type(array.with_options().spec) is v3.ArraySpec[Measured]


def test_a_class_that_does_not_name_members_reads_none():
    there = store()
    there.set("t/zarr.json", b"{")
    assert zom.open(there, spec_class=Titled).spec.attributes.units == "m"
    with pytest.raises(zom.SpecError, match=r"t/zarr\.json"):
        zom.open(there, spec_class=Station)


@pytest.mark.parametrize("call", [zom.read, zom.open, zom.open_group])
def test_what_does_not_fit_is_told_with_key_and_line(call: Any):
    there = MemoryStore(
        {
            "zarr.json": b'{"zarr_format": 3, "node_type": "group",\n "attributes": {"units": 3}}',
            "t/zarr.json": json.dumps(ARRAY.to_dict() | {"attributes": {}}).encode(),
        }
    )
    with pytest.raises(zom.SpecError) as raised:
        call(there, spec_class=Station)
    assert [(each.key, each.node, each.pointer, each.line) for each in raised.value.problems] == [
        ("zarr.json", "/", "/attributes/units", 2),
        ("t/zarr.json", "/t", "/attributes/units", 1),
    ]
    assert str(raised.value).splitlines()[-1] == "  correct the document, or leave spec_class out"


def test_attributes_of_v2_are_told_in_their_own_document():
    there = MemoryStore({".zgroup": b'{"zarr_format": 2}', ".zattrs": b'{"units": 3}'})
    with pytest.raises(zom.SpecError) as raised:
        zom.open(there, spec_class=v2.GroupSpec[Measured])
    assert [(each.key, each.pointer) for each in raised.value.problems] == [(".zattrs", "/units")]


def test_missing_members_and_nodes_of_the_other_kind_are_told():
    there = store()
    zom.delete(there, "t")
    with pytest.raises(zom.SpecError, match='expected a member "t", found nothing'):
        zom.read(there, spec_class=Station)
    with pytest.raises(zom.SpecError, match="expected an array, found a group"):
        zom.open(there, spec_class=v3.ArraySpec)


def test_the_class_says_the_format():
    both = MemoryStore(
        {".zgroup": b'{"zarr_format": 2}', "zarr.json": b'{"zarr_format": 3, "node_type": "group"}'}
    )
    assert type(zom.read(both, spec_class=v2.GroupSpec)) is v2.GroupSpec
    assert zom.open(both, spec_class=v2.GroupSpec).spec.family.form == "v2"
    with pytest.raises(zom.NotFound, match="expected a v2 node at /, found a v3 group"):
        zom.open(store(), spec_class=v2.GroupSpec)
    with pytest.raises(
        ValueError, match="form: expected 'v3', the format of the spec_class Station, got 'v2'"
    ):
        zom.read(both, spec_class=Station, form="v2")


@pytest.mark.parametrize("form", [v2, v3, draft])
def test_the_formats_own_classes_are_as_no_class(form: Any):
    there = zom.materialize(form.GroupSpec(attributes={}, members={}), "memory:").store
    assert zom.read(there, spec_class=form.GroupSpec) == zom.read(there)
    assert zom.open(there, spec_class=form.GroupSpec).spec == zom.open(there).spec


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (Station(attributes={"units": "m"}, members={"t": ARRAY}), "a spec: pass its class, Station"),
        (dict, "the class dict"),
        ("v3", '"v3"'),
    ],
)
@pytest.mark.parametrize("call", [zom.read, zom.open, zom.open_array])
def test_what_is_no_class_of_specs_is_refused(call: Any, given: Any, found: str):
    with pytest.raises(TypeError) as raised:
        call("memory:", spec_class=given)
    wanted = "spec_class: expected a class of specs, such as zom.v3.GroupSpec, got"
    assert str(raised.value) == f"{wanted} {found}"


@pytest.mark.parametrize("mode", ["a", "w", "w-"])
def test_a_class_makes_nothing(mode: Any):
    there = MemoryStore()
    open_any: Any = zom.open
    with pytest.raises(TypeError, match=r"expected mode='r' or 'r\+', got '.*'; zom.materialize\(spec"):
        open_any(there, mode=mode, spec_class=Station)
    assert not list(there.list())


def test_consolidated_metadata_stays_true():
    there = store()
    zom.consolidate(there)
    zom.open(there, spec_class=Station, mode="r+").attrs["units"] = "km"
    assert zom.read(there, consolidated="only", spec_class=Station).attributes.units == "km"
    assert zom.check(there).ok


def test_plans_open_what_they_made():
    station = Station(attributes=Measured(units="m"), members={"t": ARRAY})
    root = zom.plan(station, "memory:").apply()
    assert type(root.spec) is Station
    array = zom.materialize(ARRAY, root.store, "a").plan_resize(5).apply()
    assert (type(array.spec), array.shape) == (v3.ArraySpec[Measured], (5,))
    moved = zom.plan_rename(root.store, "a", "b").apply()
    assert (type(moved), moved.path) == (zom.Array, "/b")
    assert moved[:].tolist() == [0] * 5
    assert zom.plan_delete(root.store, "b").apply() is None
    root.store.set("x/zarr.json", b'{"zarr_format": 3, "node_type": "array"}')
    broken = zom.plan_rename(root.store, "x", "y").apply()
    assert (type(broken), broken.path) == (zom.BrokenNode, "/y")


@pytest.mark.parametrize("form", [v2, v3])
def test_plans_of_consolidation_open_the_group_with_its_attributes(form: Any):
    root = zom.materialize(form.GroupSpec(attributes={"n": 1}, members={}), "memory:")
    assert zom.plan_consolidate(root.store).apply().attrs == {"n": 1}


def test_a_plan_whose_kept_attributes_do_not_fit_writes_nothing():
    class Loose(BaseModel):
        units: str = "m"

    there = store()
    zom.open(there, mode="r+").attrs.put({"units": 3})
    before = {key: there.get(key) for key in there.list()}
    plan = zom.plan(v3.GroupSpec[Loose, Any](members={"b": ARRAY}), there, on_conflict="update")
    with pytest.raises(zom.SpecError, match=r"attributes\.units: expected a string, found 3"):
        plan.apply()
    assert {key: there.get(key) for key in there.list()} == before
