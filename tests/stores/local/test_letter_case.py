"""Directories where names that differ only by case are one: what is in them is what their lists name.

Disks of macOS are like that. Here, a symbolic link leads from the other name to the directory, and no list names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import zom
from zom.errors import NotFound, StoreError
from zom.stores.interface import Listing, Wanted
from zom.stores.local import LocalStore, letter_case
from zom.stores.local.letter_case import folds_name_of, folds_names
from zom.stores.system import calls

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "'TEMP' is the same as 'temp' on this disk, which ignores case; choose another name"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "x.zarr"
    zom.save(root, temp=np.arange(4), ä=np.arange(2))
    (root / "TEMP").symlink_to("temp")
    (root / "a\u0308").symlink_to("ä")
    names = letter_case.names_in

    def listed(descriptor: int, path: str) -> list[str]:
        return [each for each in names(descriptor, path) if each not in {"TEMP", "a\u0308"}]

    monkeypatch.setattr(letter_case, "names_in", listed)
    monkeypatch.setattr("zom.stores.local.folds_names", lambda _: True)
    monkeypatch.setattr("zom.stores.local.folds_name_of", lambda *_: True)
    return root


def test_a_document_is_that_of_the_directory_by_its_own_name(folder: Path) -> None:
    store = LocalStore(folder)
    assert store.get("temp/zarr.json") is not None
    assert store.get("TEMP/zarr.json") is None
    assert not store.exists("TEMP/zarr.json")
    assert store.list_dir("TEMP/") == Listing([], [])
    assert "temp/zarr.json" in store.list_dir("temp/").keys


def test_a_unicode_form_is_no_other_name(folder: Path) -> None:
    """Some of these file systems list another form than the one that was written."""
    assert LocalStore(folder).get("a\u0308/zarr.json") == LocalStore(folder).get("ä/zarr.json") is not None


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.set("TEMP/zarr.json", b"{}"),
        lambda store: store.create("TEMP/zarr.json", b"{}"),
        lambda store: store.set_many({"TEMP/a/zarr.json": b"{}", "b/zarr.json": b"{}"}),
    ],
)
def test_nothing_is_written_in_the_place_of_another_name(folder: Path, write: Any) -> None:
    before = {key: LocalStore(folder).get(key) for key in LocalStore(folder).list("temp/")}
    with pytest.raises(StoreError, match=OTHER):
        write(LocalStore(folder))
    assert {key: LocalStore(folder).get(key) for key in LocalStore(folder).list("temp/")} == before


def test_a_directory_that_is_new_is_found_though_its_list_was_kept(folder: Path) -> None:
    store, other = LocalStore(folder), LocalStore(folder)
    assert store.get("temp/zarr.json") is not None
    for number in range(3):
        other.set(f"new/{number}/zarr.json", b"{}")
        assert store.get(f"new/{number}/zarr.json") == b"{}"


def test_a_directory_that_nobody_may_list_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> list[str]:
        raise PermissionError

    monkeypatch.setattr(letter_case, "names_in", refused)
    assert LocalStore(folder).get("temp/zarr.json") is not None


def test_a_node_is_not_there_by_the_other_name(folder: Path) -> None:
    with zom.open(folder, mode="r+") as group:
        with pytest.raises(NotFound, match="expected a v3 node at /TEMP, found nothing"):
            group["TEMP"]
        with pytest.raises(NotFound):
            del group["TEMP"]
        assert group["temp"][:].tolist() == [0, 1, 2, 3]


def test_a_name_that_changes_its_case_only_is_an_obstacle_that_says_so(folder: Path) -> None:
    (folder / "TEMP").unlink()
    store = LocalStore(folder)
    (obstacle,) = store.obstacles(Wanted([], moves=[("temp/", "temp/")]))
    assert obstacle.expected == "another name than 'temp'"
    assert obstacle.fix == "this disk ignores case: rename it to a third name first"


def test_what_folds_names_is_told_by_what_is_there(tmp_path: Path) -> None:
    assert not folds_names(tmp_path)
    assert not folds_names(tmp_path / "new" / "er")
    (tmp_path / "some").mkdir()
    (tmp_path / "SOME").symlink_to("some")
    assert folds_names(tmp_path / "some")
    assert folds_names(tmp_path / "some" / "1")


def test_what_folds_the_name_of_a_document_is_told_by_the_document(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("zarr.json", "ZARR.JSON", "a/.zarray"):
        (tmp_path / name).touch()
    (tmp_path / "a/.ZARRAY").symlink_to(".zarray")
    descriptor = calls.open(tmp_path, calls.O_RDONLY | calls.O_DIRECTORY)
    try:
        assert not folds_name_of(descriptor, "zarr.json")  # two files
        assert folds_name_of(descriptor, "a/.zarray")
        assert not folds_name_of(descriptor, "a/.zgroup")
    finally:
        calls.close(descriptor)
