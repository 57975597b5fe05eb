"""The start of the command: no time is lost on cycles where only documents are read, nor on plugins of pydantic."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import zom
from zom import v2, v3
from zom.conventions import ome

WATCHED = """
import atexit, gc, sys
from zom.cli.start import start
found = []
gc.callbacks.append(lambda phase, info: found.append(info) if phase == "start" and info["generation"] < 2 else None)
usual = gc.get_threshold()
atexit.register(lambda: print(len(found), gc.get_threshold() == usual, gc.get_freeze_count() > 10_000, file=sys.stderr))
sys.exit(start())
"""


@pytest.fixture
def place(tmp_path):
    array = v3.ArraySpec.build(shape=(9,), dtype="int8")
    zom.materialize(v3.GroupSpec(members={"a": array}), tmp_path / "a.zarr")
    return tmp_path


def said(place, *command, **variables):
    """The lines of standard error of a process, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", *command],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={
            **{name: each for name, each in os.environ.items() if name != "PYDANTIC_DISABLE_PLUGINS"},
            **variables,
        },
    )
    return done.stderr.splitlines(), done.returncode


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["tree a.zarr", "validate a.zarr", "info a.zarr/a", "diff a.zarr a.zarr", "rules", "--help"]
)
def test_who_reads_documents_collects_no_cycles(place, words):
    lines, code = said(place, WATCHED, *words.split())
    count, is_usual, is_frozen = lines[-1].split()
    assert (code, is_usual, is_frozen) == (0, "False", "True")
    assert int(count) <= 1, "the start of Python itself may collect once"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "stats a.zarr",
        "validate --data all a.zarr",
        "validate --data=keys a.zarr",
        "diff --data a.zarr a.zarr",
        "copy a.zarr b.zarr",
    ],
)
def test_who_reads_chunks_or_writes_collects_as_usual(place, words):
    lines, code = said(place, WATCHED, *words.split())
    count, is_usual, is_frozen = lines[-1].split()
    assert (code, is_usual, is_frozen) == (0, "True", "False")
    assert int(count) > 1


PLUGIN = """
import sys
print("a plugin of pydantic was loaded", file=sys.stderr)
class plugin:
    def new_schema_validator(*told, **named):
        return None, None, None
"""


def test_plugins_of_pydantic_are_not_loaded(place):
    """Where the user doesn't say so: pydantic loads what it finds."""
    (place / "watching.py").write_text(PLUGIN)
    about = place / "watching-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: watching\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pydantic]\nwatching = watching:plugin\n")
    command = ("import sys; from zom.cli.start import start; sys.exit(start())", "validate", "a.zarr")
    path = os.pathsep.join((str(place), *sys.path))
    for variables, is_loaded in (({"PYDANTIC_DISABLE_PLUGINS": "another"}, True), ({}, False)):
        lines, code = said(place, *command, PYTHONPATH=path, **variables)
        assert (code, "a plugin of pydantic was loaded" in lines) == (0, is_loaded)


LOADED = """
import atexit, sys
from zom.cli.start import start
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.exit(start())
"""


SLOW = ["_hashlib", "bz2", "ctypes", "difflib", "email", "hmac", "pickle", "shutil"]
"""What modules of Python that are imported for one function of them bring along, and what Windows needs."""

OTHER_TYPES = ["zom.codecs.blosc", "zom.codecs.numcodecs", "zom.dtypes.struct"]


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        ("dingus attributes image.json", ["numpy", "zom.stores.interface", "zom.stores.local", *SLOW]),
        ("validate image.json", ["numpy", *SLOW]),
        ("validate a.zarr", ["numpy", *OTHER_TYPES, *SLOW]),
        ("validate v2.zarr", ["numpy", *OTHER_TYPES, *SLOW]),
        ("tree a.zarr", ["numpy", "zom.stores.references.store", *OTHER_TYPES, *SLOW]),
        ("tree v2.zarr", ["numpy", *OTHER_TYPES, *SLOW]),
        ("--help", ["numpy", "pydantic", "zom.stores"]),
    ],
)
def test_what_a_command_has_no_use_for_is_not_loaded(place, words, modules):
    image = ome.image("cyx", (2, 64, 64), scale={"y": 0.5, "x": 0.5})
    attributes = image.to_dict()["attributes"]
    text = json.dumps(attributes if "dingus" in words else {"zarr_format": 3, "node_type": "group"})
    (place / "image.json").write_text(text)
    array = v2.ArraySpec.build(shape=(9,), dtype="uint16", compress="zstd")
    zom.materialize(v2.GroupSpec(members={"a": array}), place / "v2.zarr")
    lines, code = said(place, LOADED, *words.split())
    loaded = set(lines[-1].split())
    assert code == 0
    assert "zom.cli.main" in loaded
    assert not loaded.intersection(modules)
