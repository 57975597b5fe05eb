"""A plan as a page: everything in it, escaped, and nothing that runs."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import zom
from zom import v3
from zom.stores.memory import MemoryStore
from zom.views.plan import plan_page


class Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.words, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def words_of(page):
    parser = Words()
    parser.feed(page)
    assert "script" not in parser.tags
    return parser.words


def array_of(**changes):
    return v3.ArraySpec.build(**{"shape": (4,), "dtype": "int8", "chunks": (2,), **changes})


def test_a_page_tells_what_is_done_and_what_is_lost():
    store = MemoryStore()
    with pytest.warns(zom.SpecWarning, match="a name that Windows doesn't reserve"):
        zom.materialize(v3.GroupSpec(members={"a": array_of(), "<b>": array_of()}), store, data={"a": 1})
    store.set("a/notes.txt", b"")
    words = words_of(plan_page(zom.plan(v3.GroupSpec(members={"n": array_of()}), store, prune=True)))
    assert {"/a", "/<b>", "/n", "create", "a/notes.txt"} <= set(words)
    assert "delete (the spec doesn't know it); 2 chunks removed" in words


def test_a_page_tells_what_is_in_the_way():
    store = MemoryStore({"thesis.txt": b""})
    words = words_of(plan_page(zom.plan(array_of(), store)))
    assert "files that are not of a Zarr hierarchy: 'thesis.txt'" in words


def test_a_page_tells_that_nothing_is_to_be_done():
    store = MemoryStore()
    zom.materialize(array_of(), store)
    assert "Everything is there already." in words_of(plan_page(zom.plan(array_of(), store)))
