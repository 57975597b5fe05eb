"""Wrong uses of zom: mypy and pyright have to find an error in each line that ends in `# wrong`, and in no other.

check.py holds them to that. Nothing runs this file.
"""

# ruff: noqa: B018 - each is a use, and nothing runs it
from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from pydantic import BaseModel
from typing_extensions import TypedDict

import zom
from zom import v2, v3
from zom.conventions import Attributes, Convention


class Measured(BaseModel):
    """Attributes of an array."""

    units: str


class Winds(TypedDict):
    """Members by name."""

    time: v3.ArraySpec
    speed: v3.ArraySpec[Measured]


class Station(v3.GroupSpec[Measured, Winds]):
    """A group of these members."""


class Site(v3.GroupSpec[Measured, v3.ArraySpec[Measured]]):
    """A group of one kind of arrays."""


def making(time: v3.ArraySpec, speed: v3.ArraySpec[Measured], old: v2.ArraySpec) -> None:
    """Specs are made of what their classes say."""
    here = Measured(units="m")
    Station(attributes=here, members={"time": time, "speed": speed})
    Station(attributes=here, members={"time": time})  # wrong
    Station(attributes=here, members={"time": time, "speed": 3})  # wrong
    Station(attributes=here, members={"time": time, "speed": speed, "gusts": speed})  # wrong
    Station(attributes=here, members={"time": old, "speed": speed})  # wrong
    Station(attributes="m", members={"time": time, "speed": speed})  # wrong
    Site(attributes=here, members={"a": "b"})  # wrong
    Site(attributes=here, members={"a": old})  # wrong
    v3.ArraySpec.build(dtype="int8")  # wrong
    v3.ArraySpec.build(shape="four", dtype="int8")  # wrong
    v3.ArraySpec.build(shape=(4,), dtype="int8", chunk=(2,))  # wrong
    v2.ArraySpec.build(shape=(4,), dtype="int8", dimension_separator=3)  # wrong


def looking(station: Station, site: Site, speed: v3.ArraySpec[Measured]) -> None:
    """What a class doesn't say isn't there."""
    station.members["gusts"]  # wrong
    station.attributes.unit  # wrong
    station.members["speed"].attributes.height  # wrong
    site.members["a"]  # wrong
    speed.attributes.units.real  # wrong
    speed.shape = (4,)  # wrong
    speed.shap  # wrong
    station.like(3).real.units  # wrong
    station.replace(3)  # wrong
    station.to_json(indent="  ")  # wrong
    station.model_fields_of  # wrong
    Station.parse("{}", "sloppy")  # wrong
    Station.parse("{}").members["gusts"]  # wrong


def opening(station: Station, speed: v3.ArraySpec[Measured]) -> None:
    """Handles have the types of the specs that they were opened or made by."""
    zom.open("a.zarr", spec_class=Station).spec.members["gusts"]  # wrong
    zom.open("a.zarr", spec_class=Station).shape  # wrong
    zom.open("a.zarr", spec_class=station)  # wrong
    zom.open("a.zarr", spec_class=dict)  # wrong
    zom.open("a.zarr", spec_class=Station, mode="w")  # wrong
    zom.open("a.zarr", mode="x")  # wrong
    zom.open("a.zarr").shape  # wrong
    zom.open_array("a.zarr", spec_class=Station)  # wrong
    zom.open_group("a.zarr", spec_class=v3.ArraySpec)  # wrong
    zom.open_group("a.zarr", spec_class=Station, lvel="strict")  # wrong
    zom.open_array("a.zarr").spec.members  # wrong
    zom.open_array("a.zarr", spec_class=v3.ArraySpec[Measured]).spec.attributes.height  # wrong
    zom.read("a.zarr", spec_class=Station).members["gusts"]  # wrong
    zom.read("a.zarr", spec_class=3)  # wrong
    zom.read("a.zarr", dept=3)  # wrong
    zom.read("a.zarr").to_jsn()  # wrong
    zom.materialize(station, "a.zarr").spec.members["gusts"]  # wrong
    zom.materialize(station, "a.zarr").shape  # wrong
    zom.materialize(speed, "a.zarr").groups()  # wrong
    zom.materialize("a.json", "a.zarr")  # wrong
    zom.materialize(station, "a.zarr", on_conflict="overwrite")  # wrong


def changing(station: Station, speed: v3.ArraySpec[Measured], array: zom.Array, group: zom.Group) -> None:
    """Plans give handles of what they make."""
    zom.plan(station, "a.zarr").apply().spec.members["gusts"]  # wrong
    zom.plan(station, "a.zarr").apply().shape  # wrong
    zom.plan(speed, "a.zarr").apply().arrays()  # wrong
    zom.plan(speed, "a.zarr").appply()  # wrong
    zom.plan_delete("a.zarr", "b").apply().path  # wrong
    zom.plan_rename("a.zarr", "b", "c").apply().shape  # wrong
    zom.consolidate("a.zarr").apply().shape  # wrong
    array.resize("all")  # wrong
    array.plan_resize(4).apply().members()  # wrong
    array.chunks.append(3)  # wrong
    array.mode = "r+"  # wrong
    group.create_array("a", shpe=(4,), dtype="int8")  # wrong
    group.create_array("a", shape=(4,), dtype="int8").arrays()  # wrong
    group.create("a", station).spec.members["gusts"]  # wrong
    group.create("a", "b")  # wrong
    group.attrs = {}  # wrong
    for name in group:
        name.shape  # wrong
    with group as opened:
        opened.shape  # wrong


def verbs(station: Station) -> None:
    """Verbs take what they say, and give what they say."""
    for problem in zom.validate(station):
        problem.message_text  # wrong
    zom.validate(station, level="sloppy")  # wrong
    zom.diff(station, station).chnges  # wrong
    zom.convert(station, "v4")  # wrong
    Convention("a", attributes=Measured)  # wrong
    Convention(3, attributes=Attributes)  # wrong
    assert_type(zom.open("a.zarr"), zom.Group)  # wrong
    assert_type(zom.read("a.zarr"), v3.GroupSpec[Any, Any])  # wrong
    total: str = zom.zeros((2,))[...]  # wrong
    assert isinstance(total, np.ndarray)
