"""What is made by a spec of one's own class is open as that class."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict

import zom
from zom import draft, v2, v3


class Measured(BaseModel):
    units: str


class Fields(TypedDict):
    t: v3.ArraySpec[Measured]


class Station(v3.GroupSpec[Measured, Fields]):
    """Members by name."""


ARRAY = v3.ArraySpec[Measured].build(shape=(3,), dtype="int8", attributes=Measured(units="K"))


def station() -> Station:
    return Station(attributes=Measured(units="m"), members={"t": ARRAY})


def test_a_group_is_open_as_the_class_that_it_was_made_by() -> None:
    root = zom.materialize(station(), "memory:")
    assert type(root.spec) is Station
    assert root.spec.members["t"].attributes.units == "K"
    assert root.read() == station()
    assert type(root.read()) is Station
    assert root.read(depth=0).members is None
    assert type(pickle.loads(pickle.dumps(root.spec))) is Station


def test_its_attributes_stay_those_of_the_class() -> None:
    root = zom.materialize(station(), "memory:")
    root.attrs["units"] = "km"
    assert root.spec.attributes.units == root.read().attributes.units == "km"
    with pytest.raises(zom.SpecError, match=r"attributes\.units: expected a string, found 3"):
        root.attrs["units"] = 3
    assert zom.open_group(root.store).attrs == {"units": "km"}
    assert root.spec.attributes.units == "km"


def test_a_group_that_no_longer_fits_is_told_of_when_it_is_read() -> None:
    root = zom.materialize(station(), "memory:")
    root.delete("t")
    with pytest.raises(zom.SpecError, match='expected a member "t", found nothing'):
        root.read()


def test_attributes_that_are_kept_fit_the_class_or_nothing_is_written() -> None:
    class Loose(BaseModel):
        units: str = "m"

    cls = v3.GroupSpec[Loose, Any]
    root = zom.create_group("memory:", attributes={"units": "km"})
    made = zom.materialize(cls(members={}), root.store, on_conflict="update")
    assert made.spec.attributes.units == "km"
    root.attrs.put({"units": 3})
    before = {key: root.store.get(key) for key in root.store.list()}
    with pytest.raises(zom.SpecError, match=r"attributes\.units: expected a string, found 3"):
        zom.materialize(cls(members={"a": ARRAY}), root.store, on_conflict="update")
    assert {key: root.store.get(key) for key in root.store.list()} == before


def test_arrays_are_open_as_the_class_that_they_were_made_by() -> None:
    root = zom.create_group("memory:")
    for array in (zom.materialize(ARRAY, "memory:"), root.create("a", ARRAY)):
        assert array.spec.attributes.units == "K"
        assert type(array.with_options(missing="error").spec) is v3.ArraySpec[Measured]


@pytest.mark.parametrize("form", [v2, v3, draft])
def test_a_group_of_the_formats_own_class_has_its_document_alone(form: Any) -> None:
    root = zom.materialize(
        form.GroupSpec(attributes={}, members={"g": form.GroupSpec(attributes={})}), "memory:"
    )
    assert type(root.spec) is form.GroupSpec
    assert root.spec.members is None
    typed = zom.materialize(form.GroupSpec[Measured](attributes=Measured(units="m"), members={}), "memory:")
    assert typed.spec.attributes.units == "m"
