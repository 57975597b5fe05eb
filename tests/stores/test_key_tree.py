"""The keys of a store by directory."""

import tempfile
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zom
from zom.stores import sqlite
from zom.stores.backend import Backend
from zom.stores.key_tree import KeyTree
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.sqlite import SQLiteStore
from zom.stores.wrap import PrefixStore, ReadOnlyStore
from zom.stores.zip import ZipStore

NAMES = st.sampled_from(["a", "b", "a.b", "c-", "0", "é", "a0"])
KEYS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
CHANGES = st.lists(st.tuples(st.booleans(), KEYS), max_size=60)


class Scanned(MemoryStore):
    """Lists a directory by a look at all keys."""

    def _keys(self, prefix):
        return [key for key in self._data if key.startswith(prefix)]

    _list_dir = Backend._list_dir


@settings(deadline=None)
@given(CHANGES)
def test_a_tree_lists_what_a_scan_of_all_keys_lists(changes):
    tree, scanned = KeyTree(), Scanned()
    for adds, key in changes:
        if adds:
            tree.add(key)
            scanned.set(key, b"")
        else:
            tree.remove(key)
            scanned.delete(key)
    for prefix in ["", *{f"{key.rpartition('/')[0]}/" for _, key in changes if "/" in key}, "missing/"]:
        found = tree.list_dir(prefix)
        assert (sorted(found.keys), sorted(found.prefixes)) == scanned.list_dir(prefix)
        assert sorted(tree.below(prefix)) == sorted(scanned.list(prefix))


@settings(deadline=None)
@given(st.lists(KEYS, max_size=60), st.integers(1, 5))
def test_sqlite_lists_what_a_scan_of_all_keys_lists(keys, few):
    scanned = Scanned(dict.fromkeys(keys, b""))
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(sqlite, "_FEW", few),
        SQLiteStore(f"{folder}/x.sqlite") as store,
    ):
        store.set_many(dict.fromkeys(keys, b""))
        for prefix in ["", *{f"{key.rpartition('/')[0]}/" for key in keys if "/" in key}, "missing/"]:
            assert store.list_dir(prefix) == scanned.list_dir(prefix)


class Counted(MemoryStore):
    """A store of others', which can only list all keys; it counts how often it does."""

    scans = 0

    def _keys(self, prefix):
        self.scans += 1
        return [key for key in self._data if key.startswith(prefix)]

    _list_dir = Backend._list_dir


@pytest.mark.parametrize(
    "wrapped", [lambda store: store, ReadOnlyStore, lambda store: PrefixStore(store, "x/")]
)
def test_a_hierarchy_is_read_by_one_scan_of_a_store_that_lists_by_scans(wrapped):
    document = b'{"zarr_format": 3, "node_type": "group"}'
    inner = Counted(
        {f"{prefix}{path}zarr.json": document for prefix in ("", "x/") for path in ("", "a/", "a/b/", "c/")}
    )
    store = wrapped(inner)
    assert store.lists_by_scan
    inner.scans = 0
    spec = zom.read(store)
    assert {"a", "c"} <= set(spec.members)
    assert inner.scans == 1


def test_stores_that_know_their_directories_say_so(tmp_path):
    for store in (
        MemoryStore(),
        LocalStore(tmp_path),
        SQLiteStore(tmp_path / "x.sqlite"),
        ZipStore(tmp_path / "x.zip", mode="w"),
    ):
        assert not store.lists_by_scan
        store.close()
