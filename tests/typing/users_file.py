"""A file as users write it: mypy and pyright check it in strict mode, see test_users_file.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, assert_type

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel
from typing_extensions import TypedDict

import zom
from zom import draft, v2, v3
from zom.conventions import Attributes, CheckedRule, Convention, required
from zom.formats.detection import AnySpec
from zom.json.value import JSON


class Measured(BaseModel):
    """Attributes of an array."""

    units: str


class Site(v3.GroupSpec[Measured, v3.ArraySpec[Measured]]):
    """A group of one kind of arrays."""


class Winds(TypedDict):
    """Members by name."""

    time: v3.ArraySpec
    gusts: NotRequired[v3.ArraySpec[Measured]]


class Station(v3.GroupSpec):
    """A group of these members."""

    members: Winds


class Mast(v2.GroupSpec[Measured]):
    """A group with attributes of a type, and members by name."""

    members: dict[str, v2.ArraySpec]


class Buoy(v3.GroupSpec[Measured, Winds]):
    """The same by parameters."""


class Fleet(TypedDict):
    """Members that have members."""

    first: Buoy
    second: v3.GroupSpec[Measured, Winds]
    rest: NotRequired[draft.GroupSpec[Any, draft.ArraySpec]]


class Licence(Attributes):
    """Attributes of a convention."""

    licence: str


def specs() -> None:
    """Specs know the types of their attributes and members."""
    wind = v3.ArraySpec[Measured].build(shape=(100,), dtype="float32", attributes={"units": "m/s"})
    assert_type(wind.attributes.units, str)
    assert_type(wind.chunks, tuple[int | tuple[int, ...], ...])
    assert_type(wind.shards, tuple[int | tuple[int, ...], ...] | None)
    assert_type(wind.dtype, np.dtype[Any])
    assert_type(v2.ArraySpec.build(shape=4, dtype="int8").chunks, tuple[int, ...])
    site = Site(attributes=Measured(units="m"), members={"wind": wind})
    assert site.members is not None
    assert_type(site.members["wind"].attributes.units, str)
    for name in site:
        assert_type(name, str)
    assert_type(site.like(wind), bool)


def members(time: v3.ArraySpec, speed: v2.ArraySpec) -> None:
    """Classes name their members."""
    station = Station(members={"time": time})
    assert_type(station.members["time"], v3.ArraySpec)
    mast = Mast(attributes=Measured(units="m"), members={"speed": speed})
    assert_type(mast.members["speed"], v2.ArraySpec)
    assert_type(mast.attributes.units, str)
    assert v3.GroupSpec().members is None
    plain = v3.GroupSpec(attributes={"title": "a"}, members={"time": time, "site": Site(members={})})
    assert plain.members is not None
    assert plain["time"] == time
    for name, node in (v3.GroupSpec(members={}).members or {}).items():
        assert name == node.kind


def members_by_parameter(time: v3.ArraySpec, fleet: v2.GroupSpec[Measured, Fleet]) -> None:
    """So do the parameters of a group's class, which are specs, or a TypedDict of them."""
    buoy = Buoy(attributes=Measured(units="m"), members={"time": time})
    assert_type(buoy.members, Winds)
    assert_type(buoy.members["time"], v3.ArraySpec)
    named = v3.GroupSpec[Measured, Winds](attributes=Measured(units="m"), members={"time": time})
    assert_type(named.members.get("gusts"), v3.ArraySpec[Measured] | None)
    assert_type(fleet.members["first"].members["time"], v3.ArraySpec)
    assert_type(fleet.members["second"].attributes.units, str)
    either = v3.GroupSpec[Any, v3.ArraySpec | v3.GroupSpec](attributes={}, members={"a": time})
    assert_type(either.members, Mapping[str, v3.ArraySpec | v3.GroupSpec] | None)
    old = draft.GroupSpec[Measured, draft.ArraySpec](attributes=Measured(units="m"))
    assert_type(old.members, Mapping[str, draft.ArraySpec] | None)


def wrong(time: v3.ArraySpec) -> None:
    """Each of these is an error: a comment that nothing needs would be one, too."""
    Buoy(attributes=Measured(units="m"), members={"tim": time})  # type: ignore[dict-item] # pyright: ignore[reportArgumentType]
    Station(members={"time": 3})  # type: ignore[typeddict-item] # pyright: ignore[reportArgumentType]
    Site(attributes=Measured(units="m"), members={"a": 3})  # type: ignore[dict-item] # pyright: ignore[reportArgumentType]


def handles(array: v3.ArraySpec, group: Site, either: v3.ArraySpec | v3.GroupSpec) -> None:
    """Handles are told apart by the specs that they are made of."""
    opened = zom.materialize(array, "memory:")
    assert_type(opened, zom.Array[v3.ArraySpec])
    assert_type(opened.spec.chunk_grid, str | Mapping[str, JSON])
    assert_type(opened.with_options(), zom.Array[v3.ArraySpec])
    root = zom.materialize(group, "memory:")
    assert_type(root, zom.Group[Site])
    assert_type(root.spec.attributes.units, str)
    assert_type(root.read(), Site)
    assert_type(root.create("a", array), zom.Array[v3.ArraySpec])
    bare: zom.Group | zom.Array = root
    bare = opened
    assert bare.spec.kind == "array"
    assert_type(zom.materialize(either, "memory:"), zom.Array | zom.Group)
    assert_type(zom.materialize(zom.declare("a.yaml"), "memory:"), zom.Array | zom.Group)
    assert_type(root["wind"], zom.Array | zom.Group)
    root["wind"][...] = root["wind"][0]
    first: npt.NDArray[Any] = root["wind"][0]
    assert first.shape == ()
    assert_type(zom.open("a.zarr"), zom.Array | zom.Group)
    assert_type(zom.open_group("a.zarr"), zom.Group)
    assert_type(zom.open_array("a.zarr"), zom.Array)
    values: npt.NDArray[Any] = opened[...]
    assert_type(values, npt.NDArray[Any])
    total: npt.NDArray[np.float32] = opened[1:3, 0] + opened.oindex[[1, 2]] + opened.read(slice(1))
    opened[0] = total


class Pair(TypedDict):
    """Members that have members, all of types that are known: of Any in an argument, mypy makes Any of a result."""

    first: Buoy
    second: v3.GroupSpec[Measured, Winds]


def by_name(fleet: v2.GroupSpec[Measured, Pair]) -> None:
    """The members that a class names are known of what is open, too."""
    root = zom.materialize(fleet, "memory:")
    assert_type(root.spec.members["first"].members["time"], v3.ArraySpec)
    assert_type(root.read().members["second"].attributes.units, str)


def by_class() -> None:
    """What is there is read and open as the class that the caller names."""
    assert_type(zom.read("a.zarr", spec_class=Buoy), Buoy)
    assert_type(zom.read("a.zarr", spec_class=v3.GroupSpec[Measured, Winds]).members["time"], v3.ArraySpec)
    root = zom.open("a.zarr", spec_class=Buoy, mode="r+")
    assert_type(root, zom.Group[Buoy])
    assert_type(root.spec.members["time"], v3.ArraySpec)
    assert_type(zom.open("a.zarr", spec_class=v2.ArraySpec[Measured]).spec.attributes.units, str)
    assert_type(zom.open_group("a.zarr", spec_class=Site, level="strict"), zom.Group[Site])
    either: zom.Array[draft.ArraySpec] = zom.open_array("a.zarr", spec_class=draft.ArraySpec)
    assert either.spec.kind == "array"


def plans(array: v3.ArraySpec[Measured], group: Buoy) -> None:
    """Plans give handles of what they make."""
    plan: zom.Plan = zom.plan(zom.declare("a.yaml"), "memory:")
    assert_type(plan.apply(), zom.Array | zom.Group)
    assert_type(zom.plan(array, "memory:").apply().spec.attributes.units, str)
    assert_type(zom.plan(group, "memory:").apply(), zom.Group[Buoy])
    resized = zom.plan(array, "memory:").apply().plan_resize((4,))
    assert_type(resized.apply(), zom.Array[v3.ArraySpec[Measured]])
    assert_type(zom.plan_consolidate("a.zarr").apply(), zom.Group)
    assert_type(zom.plan_rename("a.zarr", "a", "b").apply(), zom.Array | zom.Group | zom.BrokenNode)


def documents() -> None:
    """What is read is one of the specs of a format, never Any."""
    found = zom.read("a.zarr")
    assert_type(found, AnySpec)
    assert_type(zom.parse("{}"), AnySpec)
    if isinstance(found, v3.GroupSpec):
        for member in found.values():
            assert member in found.values()


def conventions() -> Convention:
    """Rules are given as a list."""
    rule = CheckedRule("title", required("title"), should="there is a title")
    return Convention("licence", attributes=Licence, rules=[rule])
