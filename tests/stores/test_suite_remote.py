"""The stores of other packages, and of web servers, under the suite that third parties run."""

from __future__ import annotations

import contextlib
import http.server
import threading
import warnings
from functools import partial
from pathlib import Path  # noqa: TC003
from typing import Any

import pytest

from zom.stores.http import HTTPStore
from zom.testing.stores import ReadingSuite, StoreSuite


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


def write_files(folder: Path, values: Any) -> None:
    for key, value in values.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)


class TestHTTPStore(ReadingSuite):
    @pytest.fixture
    def store_with(self, tmp_path):
        with contextlib.ExitStack() as stack:

            def made(values):
                write_files(tmp_path, values)
                handler = partial(Files, directory=str(tmp_path))
                server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
                thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
                thread.start()
                stack.callback(thread.join)
                stack.callback(server.shutdown)
                url = f"http://127.0.0.1:{server.server_address[1]}"
                return stack.enter_context(HTTPStore(url, listable=True))

            yield made


class TestObjectStoreInMemory(StoreSuite):
    @pytest.fixture
    def store(self):
        pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
        from obstore.store import MemoryStore

        from zom.stores.object import ObjectStore

        return ObjectStore(MemoryStore())


class TestObjectStoreBelowAPrefix(StoreSuite):
    @pytest.fixture
    def store(self):
        pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
        from obstore.store import MemoryStore

        from zom.stores.object import ObjectStore

        return ObjectStore(MemoryStore(), "some/prefix/")


class TestObjectStoreInADirectory(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
        from obstore.store import LocalStore

        from zom.stores.object import ObjectStore

        return ObjectStore(LocalStore(tmp_path, automatic_cleanup=True))


class TestZarrPythonInMemory(StoreSuite):
    @pytest.fixture
    def store(self):
        zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        from zom.stores.zarr_python import ZarrPythonStore

        return ZarrPythonStore(zarr.storage.MemoryStore())


class TestZarrPythonInADirectory(ReadingSuite):
    """For reading: zarr-python leaves empty directories behind, which stand in the way of keys."""

    @pytest.fixture
    def store_with(self, tmp_path):
        zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        from zom.stores.zarr_python import ZarrPythonStore

        def made(values):
            store = ZarrPythonStore(zarr.storage.LocalStore(tmp_path))
            store.set_many(values)
            return store

        return made


class TestZarrPythonOverObstore(StoreSuite):
    @pytest.fixture
    def store(self):
        zarr = pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
        from obstore.store import MemoryStore

        from zom.stores.zarr_python import ZarrPythonStore

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ZarrPythonStore(zarr.storage.ObjectStore(MemoryStore()))


class TestZomThereAndBack(StoreSuite):
    """A store of zom, behind zarr-python's interface, as a store of zom."""

    @pytest.fixture
    def store(self):
        pytest.importorskip("zarr", minversion="3", reason="pip install 'zom[zarr]'")
        from zom.stores.memory import MemoryStore
        from zom.stores.zarr_python import ZarrPythonStore, as_zarr_python

        return ZarrPythonStore(as_zarr_python(MemoryStore()))
