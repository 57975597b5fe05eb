"""A plan as a page: everything in it, escaped, and nothing that runs."""

from __future__ import annotations

import pytest

import zom
from zom import v3
from zom.stores.memory import MemoryStore
from zom.views.html.plan import plan_page


def array_of(**changes):
    return v3.ArraySpec.build(**{"shape": (4,), "dtype": "int8", "chunks": (2,), **changes})


def test_a_page_tells_what_is_done_and_what_is_lost(checked):
    store = MemoryStore()
    with pytest.warns(zom.SpecWarning, match="a name that Windows doesn't reserve"):
        zom.materialize(v3.GroupSpec(members={"a": array_of(), "<b>": array_of()}), store, data={"a": 1})
    store.set("a/notes.txt", b"")
    words = checked(plan_page(zom.plan(v3.GroupSpec(members={"n": array_of()}), store, prune=True))).text
    assert "+ /n array create" in words
    assert "- /<b> array delete (it is not in the spec)" in words
    assert "Not Zarr's, and left alone a/notes.txt" in words
    assert words.index("Losses") < words.index("/n array create")
    assert "delete (it is not in the spec); 2 chunks removed" in words


def test_a_page_tells_what_is_in_the_way(checked):
    store = MemoryStore({"thesis.txt": b""})
    words = checked(plan_page(zom.plan(array_of(), store))).text
    assert "files that are not part of a Zarr hierarchy: 'thesis.txt'" in words


def test_a_page_tells_that_nothing_is_to_be_done(checked):
    store = MemoryStore()
    zom.materialize(array_of(), store)
    assert "Everything exists already." in checked(plan_page(zom.plan(array_of(), store))).text
