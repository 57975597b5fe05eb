"""Kinds of stores of other packages: what they may be, and when they are asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import zom
from zom.errors import ExtensionError, ReadOnlyError, StoreError
from zom.stores import opening
from zom.stores.kinds import StoreKind, StoreKinds
from zom.stores.local import LocalStore
from zom.stores.wrap import ReadOnlyStore

FOLDER = """
from zom.stores.kinds import StoreKind
from zom.stores.local import LocalStore

class Folder(StoreKind):
    name = "folder"
    schemes = ("folder",)
    suffixes = (".folder",)

    def open(self, place, *, read_only=None, **options):
        path = place.removeprefix("folder://")
        return LocalStore(path, read_only=bool(read_only), create="later", **options)

made = Folder()
"""


class Folder(StoreKind):
    name = "folder"
    schemes = ("folder",)
    suffixes = (".folder",)

    def open(self, place, *, read_only=None, **options):
        if "broken" in place:
            raise KeyError(place)
        if "none" in place:
            return {}
        return LocalStore(place.removeprefix("folder://"), create="later", **options)


@pytest.fixture
def kinds(monkeypatch):
    made = StoreKinds("zom.no-such-group")
    monkeypatch.setattr(opening, "store_kinds", made)
    return made


def test_a_url_and_a_path_open_the_store_of_the_kind(kinds, tmp_path):
    kinds.register(Folder())
    for place in (f"folder://{tmp_path}/a", tmp_path / "a.folder", f"file://{tmp_path}/b.FOLDER"):
        assert isinstance(zom.store(place), LocalStore)
        array = zom.create_array(place, zom.v3.ArraySpec.build(shape=(4,), dtype="int8"), "x")
        array[:] = 3
        assert np.asarray(zom.open(place, "x")).tolist() == [3] * 4
    assert "folder" in opening.schemes()


def test_a_kind_is_asked_for_nothing_before_a_write(kinds, tmp_path):
    kinds.register(Folder())
    plan = zom.plan(zom.v3.GroupSpec(), tmp_path / "a.folder")
    assert not (tmp_path / "a.folder").exists()
    plan.apply()
    assert (tmp_path / "a.folder" / "zarr.json").exists()


def test_a_store_of_a_kind_is_read_only_where_that_is_asked_for(kinds, tmp_path):
    kinds.register(Folder())
    assert isinstance(zom.store(tmp_path / "a.folder", read_only=True), ReadOnlyStore)
    with pytest.raises(ReadOnlyError):
        zom.store(tmp_path / "a.folder", read_only=True).set("a", b"")


def test_what_a_kind_raises_or_returns_wrongly_is_an_error_of_the_store(kinds):
    kinds.register(Folder())
    with pytest.raises(StoreError) as caught:
        zom.store("folder://broken")
    assert str(caught.value).startswith("folder://broken: cannot open: folder: KeyError: 'folder://broken'")
    with pytest.raises(StoreError) as caught:
        zom.store("folder://none")
    expected = "folder: expected a subclass of zom.stores.interface.Store, found dict"
    assert str(caught.value).startswith(f"folder://none: cannot open: {expected}")


def test_all_that_is_wrong_with_a_kind_is_one_message(kinds):
    class Wrong(Folder):
        name = ""
        schemes = ("S3", "s3", "a")
        suffixes = (".zip", ".zarr")

    kinds.register(Folder())
    with pytest.raises(ExtensionError) as caught:
        kinds.register(Wrong)
    assert str(caught.value).partition("as a store kind: ")[2].split("; ") == [
        "expected an instance, found the class: write Wrong()",
        "name: expected a string, found ''",
        "schemes: expected a tuple of texts such as 'acme', found ('S3', 's3', 'a')",
        "schemes: 's3' is reserved for zom itself",
        "suffixes: '.zip' is reserved for zom itself",
        "suffixes: '.zarr' is reserved for zom itself",
    ]
    with pytest.raises(ExtensionError) as caught:
        kinds.register(Folder())
    assert str(caught.value).partition("as a store kind: ")[2].split("; ") == [
        "schemes: 'folder' is taken by <store kind folder>",
        "suffixes: '.folder' is taken by <store kind folder>",
    ]
    with pytest.raises(ExtensionError, match=r"expected an instance of StoreKind, found 3$"):
        kinds.register(3)
    with pytest.raises(
        ExtensionError, match="schemes: expected a scheme here, or a suffix in suffixes, found neither"
    ):
        kinds.register(type("Bare", (Folder,), {"schemes": (), "suffixes": ()})())


PROGRAM = """
import sys, zom
zom.create_array("plain.zarr", zom.v3.ArraySpec.build(shape=(4,), dtype="int8"))
zom.open("plain"); zom.store("memory://x")
print("folder_kind" in sys.modules)
print(zom.store("folder://there"), zom.store("there.folder"))
"""


def run(directory, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env={"PYTHONPATH": os.pathsep.join([str(directory), str(Path(zom.__file__).parents[1])])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr


def test_an_installed_kind_is_imported_for_a_scheme_or_a_suffix_that_zom_does_not_know(package):
    directory = package("folder_kind", FOLDER, "[zom.stores]\nfolder = folder_kind:made\n")
    zom.materialize(zom.v3.GroupSpec(), directory / "plain")
    found = run(directory, "-c", PROGRAM)
    assert found == (f"False\n<LocalStore {directory}/there> <LocalStore {directory}/there.folder>\n", "")


def test_the_command_opens_stores_of_installed_kinds(package):
    directory = package("folder_kind", FOLDER, "[zom.stores]\nfolder = folder_kind:made\n")
    (directory / "g.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}}')
    assert run(directory, "-m", "zom", "create", "g.json", "folder://made")[1] == ""
    assert run(directory, "-m", "zom", "create", "g.json", "made.folder")[1] == ""
    for place in ("folder://made", "made.folder"):
        out, err = run(directory, "-m", "zom", "read", place)
        assert ('"a": 1' in out, err) == (True, "")


def test_an_unknown_scheme_names_plugins_that_failed(package):
    directory = package("folder_kind", "import nothing_here", "[zom.stores]\nfolder = folder_kind:made\n")
    _, err = run(directory, "-W", "ignore", "-c", "import zom; zom.store('folder://x')")
    assert err.rstrip().endswith(
        "with an entry point of \"zom.stores\"; the plugin 'folder' of folder_kind 1 (zom.stores, folder_kind:made) "
        "can't be loaded: ModuleNotFoundError: No module named 'nothing_here'"
    )
