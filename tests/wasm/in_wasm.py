"""What runs in WebAssembly without numpy: stores of the machine's own files, and what reads nothing but documents."""

from __future__ import annotations

import os
import re
import sys
import threading
from pathlib import Path

import pytest

import zom
from zom.cli.main import main
from zom.errors import StoreError
from zom.stores.http import HTTPStore
from zom.stores.local import LocalStore
from zom.stores.zip import ZipStore

DATA = Path("/data")
PLACES = sorted(str(each) for each in DATA.iterdir())


def test_this_is_webassembly():
    assert sys.platform == "emscripten"
    assert not hasattr(os, "link")
    with pytest.raises(RuntimeError, match="can't start new thread"):
        threading.Thread(target=print).start()
    with pytest.raises(ImportError):
        import numpy  # noqa: F401, ICN001


@pytest.mark.parametrize("place", PLACES)
def test_a_hierarchy_is_read_and_shown(place, capsys):
    assert [path for path, _ in zom.read(place).walk()] == ["/", "/a", "/a/x"]
    assert main(["tree", place]) == 0
    assert "x" in capsys.readouterr().out


def test_many_are_validated_by_one_process(capsys):
    assert main(["validate", *PLACES, "--jobs", "2"]) == 0
    told = capsys.readouterr().err
    assert told.startswith("zom validate: running in one process, since no other can be started: ")
    assert f"{len(PLACES)} stores: no problems" in told


@pytest.mark.parametrize("folder", [Path("/tmp"), DATA])
def test_two_archives_are_written_beside_each_other(folder):
    """Nothing tells here who holds a file: neither takes the other's for what a killed writer left."""
    paths = [folder / f"new{number}.zip" for number in range(2)]
    first, second = (ZipStore(path, mode="w") for path in paths)
    for store in (first, second, first):
        store.set("a", str(store).encode())
    first.close()
    second.close()
    for path in paths:
        with ZipStore(path) as store:
            assert path.name in store.get("a").decode()
        path.unlink()


def test_without_a_browser_web_servers_are_not_asked():
    told = "cannot read 'zarr.json' of /: this JavaScript runtime has no XMLHttpRequest, and Python has no sockets here"
    with pytest.raises(StoreError, match=re.escape(told)):
        HTTPStore("https://example.org/a.zarr").get("zarr.json")


def test_a_name_that_is_no_text_is_none():
    with LocalStore("/tmp/names") as store:
        assert not store.holds("a\udcff")
        assert store.holds("日本語")
