"""The stores on a file system of pyarrow, as HDFS is reached: on local files, which any pyarrow has.

    python tests/interop/stores_arrow.py

What is missing is named on a line that begins with SKIP. Ends with 1 where anything failed.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from stores_remote import DRAWN, check, conclude, equal, run_suite, skip  # noqa: E402 - there from here on

import zom  # noqa: E402
from zom import v3  # noqa: E402
from zom.stores.fsspec import FsspecStore  # noqa: E402

SUITE = """
import pytest
from fsspec.implementations.arrow import ArrowFSWrapper
from pyarrow.fs import LocalFileSystem
from zom.stores.fsspec import FsspecStore
from zom.testing.stores import StoreSuite
class TestArrow(StoreSuite):
    @pytest.fixture
    def store(self, tmp_path):
        return FsspecStore(ArrowFSWrapper(LocalFileSystem()), str(tmp_path / "a"))
"""
# A directory stays where it is empty: pyarrow would take away a full one, too.
LEFT = f"no_empty_prefix or prefix_is_renamed or {DRAWN}"


def hierarchy_checks(folder: Path) -> None:
    """What is deleted is that, and nothing beside it."""
    from fsspec.implementations.arrow import ArrowFSWrapper
    from pyarrow.fs import LocalFileSystem

    store = FsspecStore(ArrowFSWrapper(LocalFileSystem()), str(folder))
    array = v3.ArraySpec.build(shape=(40, 40), dtype="int32", chunks=(10, 10), shards=(20, 20))

    def delete() -> None:
        root = zom.materialize(v3.GroupSpec(members={"x": array, "y": array}), store)
        for name in "xy":
            root[name][...] = 7
        root["x"][:20, :20] = 0
        root["x"].resize((20, 40))
        zom.delete(store, "x")
        equal(sorted(zom.read(store).members), ["y"])
        equal(int(zom.open(store)["y"][...].sum()), 7 * 1600)
        equal(zom.validate(store, data="all").ok, True)

    check("pyarrow: what is deleted takes nothing with it", delete)


def main() -> int:
    if importlib.util.find_spec("pyarrow") is None:
        skip("pyarrow", "not installed; pip install -r tests/interop/requirements.txt")
    else:
        run_suite("suite on pyarrow", SUITE, "-k", f"not ({LEFT})")
        with tempfile.TemporaryDirectory() as folder:
            hierarchy_checks(Path(folder, "a.zarr"))
    return conclude()


if __name__ == "__main__":
    sys.exit(main())
