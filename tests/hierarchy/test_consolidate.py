"""Consolidated metadata that zom writes is true, and stays so whatever zom changes."""

from __future__ import annotations

import json

import pytest

import zom
from zom.errors import ConversionError, NotFound
from zom.stores.faulty import FaultyStore
from zom.stores.memory import MemoryStore

MODULES = {"v2": zom.v2, "v3": zom.v3}
FORMS = pytest.mark.parametrize("form", MODULES)


def array_of(form, **changes):
    return MODULES[form].ArraySpec.build(**{"shape": (4,), "dtype": "int8", "chunks": (2,), **changes})


def tree_of(form):
    module = MODULES[form]
    group = module.GroupSpec(attributes={"n": 1}, members={"b": array_of(form)})
    return module.GroupSpec(
        attributes={"n": 0}, members={"a": array_of(form, attributes={"n": 2}), "g": group}
    )


@pytest.fixture
def store():
    return MemoryStore()


def check(store):
    """The consolidated metadata says what the nodes say: any difference is a warning, and so an error here."""
    assert zom.read(store, consolidated="only") == zom.read(store, consolidated="verify")


@FORMS
def test_it_holds_every_node(form, store):
    zom.materialize(tree_of(form), store)
    plan = zom.consolidate(store)
    assert plan.consolidated == ("/",)
    assert zom.read(store, consolidated="only") == tree_of(form)


@FORMS
def test_it_is_no_part_of_the_hierarchy(form, store):
    zom.materialize(tree_of(form), store)
    zom.consolidate(store)
    assert zom.plan(tree_of(form), store).is_empty


@FORMS
def test_what_is_true_already_is_not_written_again(form, store):
    zom.materialize(tree_of(form), store)
    zom.consolidate(store)
    assert zom.consolidate(store).is_empty


@FORMS
def test_it_is_dropped_on_request(form, store):
    zom.materialize(tree_of(form), store)
    before = {key: store.get(key) for key in store.list()}
    zom.consolidate(store)
    zom.consolidate(store, drop=True)
    assert {key: store.get(key) for key in store.list()} == before
    assert zom.consolidate(store, drop=True).is_empty


@FORMS
@pytest.mark.parametrize(
    "change",
    [
        lambda form, store: zom.materialize(array_of(form), store, "g/new"),
        lambda form, store: zom.materialize(array_of(form), store, "x/y/new"),
        lambda form, store: zom.materialize(array_of(form, shape=(2,)), store, "a", on_conflict="update"),
        lambda form, store: zom.materialize(
            MODULES[form].GroupSpec(attributes={}, members={}), store, on_conflict="replace", prune=True
        ),
        lambda form, store: zom.delete(store, "g"),
        lambda form, store: zom.rename(store, "g/b", "c"),
        lambda form, store: zom.rename(store, "g", "h"),
        lambda form, store: zom.create_array(store, array_of(form), "q/w"),
        lambda form, store: zom.open(store, mode="r+").attrs.update(n=5),
        lambda form, store: zom.open(store, "g/b", mode="r+").attrs.update(n=5),
        lambda form, store: zom.open(store, "a", mode="r+").resize((9,)),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_it_stays_true(form, store, change, nested):
    """D23: members were changed, and the store's consolidated metadata was not."""
    zom.materialize(tree_of(form), store)
    if nested:
        zom.consolidate(store, "g")
    zom.consolidate(store)
    change(form, store)
    check(store)
    if nested and "g" in zom.read(store).members:
        assert zom.read(store, "g", consolidated="only") == zom.read(store, "g")


@FORMS
def test_an_attribute_that_fails_to_be_written_leaves_none_or_a_true_one(form):
    number = 0
    while True:
        inner = MemoryStore()
        zom.materialize(tree_of(form), inner)
        zom.consolidate(inner)
        store = FaultyStore(inner, dict.fromkeys(range(number, 999), "fail"))
        try:
            zom.open(store, "g/b", mode="r+").attrs["n"] = 5
        except zom.StoreError:
            zom.read(inner)  # a stale one would be a warning
        else:
            break
        number += 1
    check(inner)


@FORMS
def test_what_others_left_stale_is_put_right(form, store):
    zom.materialize(tree_of(form), store)
    zom.consolidate(store)
    store.delete_prefix("g/")
    with pytest.warns(zom.SpecWarning, match="/g"):
        zom.read(store)
    zom.consolidate(store)
    check(store)


def test_a_spec_that_holds_a_block_of_its_own_gets_a_true_one(store):
    """D23: a block in the spec named an array that was not there."""
    document = tree_of("v3").to_dict()
    phantom = array_of("v3").to_dict()
    document["consolidated_metadata"] = {
        "kind": "inline",
        "must_understand": False,
        "metadata": {"ghost": phantom},
    }
    zom.materialize(zom.parse(document), store)
    block = json.loads(store.get("zarr.json"))["consolidated_metadata"]
    assert list(block["metadata"]) == ["a", "g", "g/b"]
    check(store)


def test_the_draft_has_none(store):
    zom.materialize(zom.draft.GroupSpec(attributes={}), store)
    with pytest.raises(ConversionError, match=r"^memory://: expected a v2 or v3 group, found a draft group$"):
        zom.consolidate(store)


def test_an_array_has_none(store):
    zom.materialize(tree_of("v3"), store)
    with pytest.raises(NotFound, match=r"^memory://: expected a group at /a, found a v3 array$"):
        zom.consolidate(store, "a")
