"""Every store of this machine, and every wrapper, under the suite that third parties run."""

import pytest

from zom.stores.cache import CacheStore
from zom.stores.interface import Store, cut
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.sqlite import SQLiteStore
from zom.stores.wrap import PrefixStore, WrapperStore
from zom.stores.zip import ZipStore
from zom.testing.faulty import FaultyStore
from zom.testing.logged import LoggedStore
from zom.testing.stores import ReadingSuite, StoreSuite


class DictStore(Store):
    """The smallest store: everything else is what the interface makes of four methods."""

    def __init__(self):
        self.data = {}

    @property
    def url(self):
        return "dict:"

    def _read(self, key, byte_range):
        value = self.data.get(key)
        return None if value is None else cut(value, byte_range)

    def _write(self, key, value):
        self.data[key] = value

    def _remove(self, key):
        self.data.pop(key, None)

    def _keys(self, prefix):
        return [key for key in list(self.data) if key.startswith(prefix)]


class TestDictStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return DictStore()


class TestMemoryStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return MemoryStore()


class TestLocalStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        with LocalStore(tmp_path / "store") as store:
            yield store


class TestLocalStoreWithoutLinks(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        with LocalStore(tmp_path / "store", follow_symlinks=False, durability="file") as store:
            yield store


class TestZipStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        with ZipStore(tmp_path / "store.zip", mode="w") as store:
            yield store


class TestZipStoreReadOnly(ReadingSuite):
    @pytest.fixture
    def store_with(self, tmp_path):
        def filled(values):
            with ZipStore(tmp_path / "store.zip", mode="w") as store:
                store.set_many(values)
            return ZipStore(tmp_path / "store.zip")

        return filled


class TestSQLiteStore(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        with SQLiteStore(tmp_path / "store.sqlite") as store:
            # The disk is not what is tested here: crashes are, elsewhere.
            store._connection.execute("PRAGMA synchronous = OFF")
            yield store


class TestLocalStoreReadOnly(ReadingSuite):
    @pytest.fixture
    def store_with(self, tmp_path):
        def filled(values):
            with LocalStore(tmp_path) as store:
                store.set_many(values)
            return LocalStore(tmp_path, read_only=True)

        return filled


class TestWrapperStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return WrapperStore(MemoryStore())


class TestPrefixStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return PrefixStore(MemoryStore({"outside": b"1", "p": b"2"}), "p/q/")


class TestCacheStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return CacheStore(MemoryStore(), max_bytes=100_000)


class TestLoggedStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return LoggedStore(MemoryStore())


class TestFaultyStore(StoreSuite):
    @pytest.fixture
    def store(self):
        return FaultyStore(MemoryStore())


class TestLocalStoreInACache(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        with CacheStore(LoggedStore(PrefixStore(LocalStore(tmp_path), "p/"))) as store:
            yield store
