"""File systems of fsspec under the suite that third parties run: by themselves, and around one another."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from zom.testing.stores import ReadingSuite, StoreSuite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from zom.stores.interface import Store

fsspec = pytest.importorskip("fsspec", reason="pip install 'zom[fsspec]'")

from bucket_of_fsspec import Bucket  # noqa: E402
from fsspec.implementations.dirfs import DirFileSystem  # noqa: E402

from zom.stores.fsspec import FsspecStore  # noqa: E402


class TestInMemory(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return FsspecStore(fsspec.filesystem("memory"), f"/suite{tmp_path}")


class TestInADirectory(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return FsspecStore(fsspec.filesystem("file"), tmp_path)


class TestInABucket(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return FsspecStore(Bucket(batch_size=8), "bucket/data.zarr")


class TestADirectoryOfFiles(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Store:
        return FsspecStore(DirFileSystem(str(tmp_path), fsspec.filesystem("file")), "data.zarr")


class TestADirectoryOfADirectoryOfABucket(StoreSuite):
    @pytest.fixture
    def store(self) -> Store:
        return FsspecStore(DirFileSystem("a", DirFileSystem("bucket", Bucket(batch_size=8))), "")


# A cache of blocks leaves the file that it keeps them in to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("protocol", ["simplecache", "filecache", "blockcache"])
class TestCaches(ReadingSuite):
    @pytest.fixture
    def store_with(self, tmp_path: Path, protocol: str) -> Callable[[Any], Store]:
        def made(values: Mapping[str, bytes]) -> Store:
            for key, value in values.items():
                path = tmp_path / "data.zarr" / key
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(value)
            cache = fsspec.filesystem(
                protocol,
                target_protocol="file",
                cache_storage=str(tmp_path / "cache"),
                skip_instance_cache=True,
            )
            return FsspecStore(cache, tmp_path / "data.zarr")

        return made


class TestZip(ReadingSuite):
    @pytest.fixture
    def store_with(self, tmp_path: Path) -> Callable[[Any], Store]:
        def made(values: Mapping[str, bytes]) -> Store:
            with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
                for key, value in values.items():
                    archive.writestr(key, value)
            return FsspecStore(fsspec.filesystem("zip", fo=str(tmp_path / "data.zip")), "")

        return made


class TestTar(ReadingSuite):
    """All reads of a tar file go through one open file: two threads at once would read each other's bytes."""

    @pytest.fixture
    def store_with(self, tmp_path: Path) -> Callable[[Any], Store]:
        def made(values: Mapping[str, bytes]) -> Store:
            with tarfile.open(tmp_path / "data.tar", "w") as archive:
                for key, value in values.items():
                    entry = tarfile.TarInfo(key)
                    entry.size = len(value)
                    archive.addfile(entry, io.BytesIO(value))
            return FsspecStore(fsspec.filesystem("tar", fo=str(tmp_path / "data.tar")), "")

        return made
