"""References in parquet, as kerchunk writes them; tests/interop/references.py has kerchunk's own."""

from __future__ import annotations

import json
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

import zom
from zom.errors import ExtensionError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

REASON = "pyarrow is not installed (pip install 'zom[parquet]')"
ZARRAY = {
    "zarr_format": 2, "shape": [5, 4], "chunks": [2, 2], "dtype": "|u1", "compressor": None, "fill_value": 9,
    "order": "C", "filters": None,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six chunks in files of four rows: in a file, inline, whole files, and one that was never written."""
    arrow: Any = pytest.importorskip("pyarrow", reason=REASON)
    parquet: Any = pytest.importorskip("pyarrow.parquet", reason=REASON)
    refs = tmp_path / "refs.parq"
    (refs / "g" / "x").mkdir(parents=True)
    (tmp_path / "blob").write_bytes(b"__\x00\x01\x02\x03\x04\x05\x06\x07")
    (tmp_path / "whole").write_bytes(bytes(range(8, 12)))
    metadata = {".zgroup": {"zarr_format": 2}, "g/.zgroup": {"zarr_format": 2}, "g/x/.zarray": ZARRAY}
    (refs / ".zmetadata").write_text(json.dumps({"metadata": metadata, "record_size": 4}))
    rows = [
        ("blob", 2, 4, None), ("blob", 6, 4, None), ("whole", 0, 0, None), (None, 0, 0, b"\x0c\x0d\x0e\x0f"),
        (None, 0, 0, None), (str(tmp_path / "whole"), 0, 4, None),
    ]  # fmt: skip
    for record, some in enumerate((rows[:4], rows[4:])):
        names = ("path", "offset", "size", "raw")
        table = {name: [row[at] for row in some] for at, name in enumerate(names)}
        parquet.write_table(arrow.table(table), refs / "g" / "x" / f"refs.{record}.parq")
    return tmp_path


def test_chunks_are_read_by_their_rows(folder: Path) -> None:
    store = zom.store(folder / "refs.parq")
    assert sorted(store.list()) == [
        ".zgroup", "g/.zgroup", "g/x/.zarray", "g/x/0.0", "g/x/0.1", "g/x/1.0", "g/x/1.1", "g/x/2.1"
    ]  # fmt: skip
    assert store.get_many(["g/x/0.0", "g/x/2.0", "g/x/1.0", "g/x/5.0", "g/x/00.0", "g/x/0", "g/x/a.b", "y"]) == [
        b"\x00\x01\x02\x03", None, b"\x08\x09\x0a\x0b", None, None, None, None, None
    ]  # fmt: skip
    found = zom.open(folder / "refs.parq")["g/x"][...].tolist()
    assert found == [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15], [9, 9, 8, 9]]
    assert pickle.loads(pickle.dumps(store)).get("g/x/2.1") == bytes(range(8, 12))
    assert zom.store("reference://", fo=folder / "refs.parq").get("g/x/1.1") == b"\x0c\x0d\x0e\x0f"


def test_what_is_no_parquet_is_an_error(folder: Path) -> None:
    (folder / "refs.parq" / "g" / "x" / "refs.0.parq").write_bytes(b"none")
    with pytest.raises(StoreError, match=r"refs.parq: cannot read 'g/x/refs.0.parq'.*expected parquet"):
        zom.open(folder / "refs.parq")["g/x"][0, 0]
    for text, reason in (
        ('{"metadata": {}, "record_size": 0}', "expected `record_size` and `metadata`"),
        ('{"metadata": 1, "record_size": 1}', "expected `record_size` and `metadata`"),
        ('{"metadata": {".zarray": {}}, "record_size": 1}', "expected shape and chunks"),
        (
            '{"metadata": {".zarray": {"shape": [1], "chunks": [0]}}, "record_size": 1}',
            "expected shape and chunks",
        ),
        ('{"record_size": 4', "expected references in JSON"),
    ):
        (folder / "refs.parq" / ".zmetadata").write_text(text)
        with pytest.raises(StoreError, match=reason):
            zom.store(folder / "refs.parq")


def test_more_rows_than_a_file_holds_are_refused(folder: Path) -> None:
    path = folder / "refs.parq" / ".zmetadata"
    path.write_text(path.read_text().replace('"record_size": 4', '"record_size": 3'))
    with pytest.raises(StoreError, match="4 rows, more than record_size"):
        zom.store(folder / "refs.parq").get("g/x/0.0")


def test_a_list_without_end_is_refused(folder: Path) -> None:
    path = folder / "refs.parq" / ".zmetadata"
    path.write_text(path.read_text().replace("[5, 4]", "[5, 40000000000]"))
    with pytest.raises(StoreError, match="expected at most 268435456 chunks in an array"):
        list(zom.store(folder / "refs.parq").list())


def test_without_pyarrow_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ExtensionError, match=r"pip install 'zom\[parquet\]'"):
        zom.store(folder / "refs.parq")


def test_a_directory_of_that_name_is_one_where_it_holds_no_references(tmp_path: Path) -> None:
    zom.create_group(tmp_path / "x.parq", zom.v3.GroupSpec())
    assert zom.open(tmp_path / "x.parq").spec == zom.v3.GroupSpec()
