"""Sizes of values are told by a listing; what every store must answer is asked by the suite of stores."""

from __future__ import annotations

import sqlite3

import pytest

from zom.errors import StoreError
from zom.stores.interface import Store, cut
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.sqlite import SQLiteStore
from zom.stores.wrap import PrefixStore
from zom.testing.logged import LoggedStore


class Plain(Store):
    """A store that defines no more than it must."""

    def __init__(self, data):
        self.data = data
        self.reads = []

    @property
    def url(self):
        return "plain:"

    def _read(self, key, byte_range):
        self.reads.append((key, byte_range))
        value = self.data.get(key)
        return None if value is None else cut(value, byte_range)

    def _keys(self, prefix):
        return [key for key in [*self.data, "gone"] if key.startswith(prefix)]


def test_a_store_that_defines_nothing_for_it_reads_the_values():
    assert dict(Plain({"a/b": b"123", "c": b""}).sizes()) == {"a/b": 3, "c": 0}


def test_what_is_gone_by_the_time_it_is_asked_is_left_out():
    assert list(Plain({}).sizes()) == []


def test_what_has_no_proper_name_is_left_out():
    store = Plain({"a/../b": b"1", "c": b"22"})
    assert dict(store.sizes()) == {"c": 2}
    assert all(key != "a/../b" for key, _ in store.reads)


def test_no_value_is_read_below_a_wrapper():
    logged = LoggedStore(MemoryStore({"x/a": b"123", "x/b/c": b"1", "y": b""}))
    assert dict(PrefixStore(logged, "x/").sizes()) == {"a": 3, "b/c": 1}
    assert dict(logged.log.counts) == {"list": 1}


def test_no_file_is_opened(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "a").chmod(0)
    assert dict(LocalStore(tmp_path).sizes()) == {"a": 5}


def test_links_are_as_long_as_what_they_lead_to(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "b").symlink_to("a")
    assert dict(LocalStore(tmp_path).sizes()) == {"a": 5, "b": 5}
    assert dict(LocalStore(tmp_path, follow_symlinks=False).sizes()) == {"a": 5}


def test_a_key_longer_than_a_path_may_be_has_a_size(tmp_path):
    store = LocalStore(tmp_path)
    key = "/".join(["n" * 200] * 30)
    store.set(key, b"123")
    assert dict(store.sizes()) == {key: 3}


def test_text_in_a_database_is_counted_in_bytes(tmp_path):
    path = tmp_path / "a.sqlite"
    SQLiteStore(path).set("a", b"12")
    with sqlite3.connect(path) as connection:
        connection.executemany("INSERT INTO zarr (k, v) VALUES (?, ?)", [("b", "ünï"), ("c", None)])
    connection.close()
    store = SQLiteStore(path)
    assert dict(store.sizes()) == {key: len(store.get(key)) for key in "abc"} == {"a": 2, "b": 5, "c": 0}


def test_a_failure_names_the_prefix(tmp_path):
    store = LocalStore(tmp_path)
    store.close()
    with pytest.raises(StoreError, match="cannot list 'a/': the store is closed"):
        list(store.sizes("a/"))
