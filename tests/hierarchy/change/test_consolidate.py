"""Consolidated metadata that zom writes is true, and stays so whatever zom changes."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress

import pytest

import zom
from zom.errors import ConversionError, NotFound, ZomError
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore
from zom.testing.faulty import FaultyStore

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
    with pytest.raises(
        NotFound, match=r"^memory://: expected a group at /a, found a v3 array; name a group$"
    ):
        zom.consolidate(store, "a")


# --- who consolidates while others change nodes -----------------------------------------------------------


class Between(WrapperStore):
    """A store in which somebody else does something before the n-th operation, if the locks let him."""

    def __init__(self, inner, number, others):
        super().__init__(inner)
        self.left = number
        self.others = others

    def _pass(self):
        self.left -= 1
        if self.left == -1:
            self.others()

    def _read(self, key, byte_range):
        self._pass()
        return super()._read(key, byte_range)

    def _read_many(self, requests):
        self._pass()
        return super()._read_many(requests)

    def _write(self, key, value):
        self._pass()
        super()._write(key, value)

    def _create(self, key, value):
        self._pass()
        return super()._create(key, value)

    def _replace(self, key, value, version):
        self._pass()
        return super()._replace(key, value, version)

    def _lock(self, key):
        self._pass()
        return super()._lock(key)


def patiently(act):
    """Do it once no change of others is in the way."""
    for _ in range(200):
        try:
            return act()
        except ZomError as error:
            if not any(words in str(error) for words in ("zom.repair", "plan again", "meanwhile")):
                raise
        time.sleep(0.01)
    raise TimeoutError


def in_another_process(act):
    """What somebody else does, whatever comes of it."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            signal.alarm(10)
            patiently(act)
        os._exit(0)
    return child


CHANGES = {
    "attributes": lambda form, store: zom.open(store, "a", mode="r+").attrs.update(n=7),
    "append": lambda form, store: zom.open(store, "a", mode="r+").append([1, 2]),
    "resize": lambda form, store: zom.open(store, "g/b", mode="r+").resize((2,)),
    "create": lambda form, store: zom.create_array(store, array_of(form), "g/new"),
    "delete": lambda form, store: zom.delete(store, "g/b"),
    "rename": lambda form, store: zom.rename(store, "g/b", "c"),
    "materialize": lambda form, store: zom.materialize(tree_of(form), store, "x"),
    "copy": lambda form, store: zom.copy(store, store, path="g/b", target_path="c", jobs=1),
}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the other one is a process of its own")
@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("first", ["changes", "consolidates"])
@FORMS
def test_what_is_consolidated_while_a_node_changes_is_true(form, what, first, tmp_path):
    """A soak found a shape in the consolidated metadata that was the one before an append."""
    for number in range(60):
        with LocalStore(tmp_path / str(number)) as inner:
            zom.materialize(tree_of(form), inner)

            def change(store):
                CHANGES[what](form, store)

            one, other = (change, zom.consolidate) if first == "changes" else (zom.consolidate, change)
            children = []

            def others(root=inner.root, other=other, children=children):
                children.append(in_another_process(lambda: other(LocalStore(root))))
                time.sleep(0.05)  # as far as it comes: it may have to wait for a lock

            store = Between(inner, number, others)
            patiently(lambda one=one, store=store: one(store))
            for child in children:
                os.waitpid(child, 0)
            if children:
                check(inner)
        if store.left >= 0:
            break
    else:
        pytest.fail("expected fewer operations")
