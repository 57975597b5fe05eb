"""Python run with -OO, which has no docstrings and no assertions: the command says and does what it always does."""

import os
import subprocess
import sys
from importlib import import_module

import pytest

import zom
from zom import v3
from zom.cli.verbs import VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_what_a_verb_does_is_what_its_module_says(verb):
    assert import_module(f"zom.cli.{verb}").__doc__.splitlines()[0] == f"`zom {verb}`: {VERBS[verb]}."


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "schema export --help",
        "tree a.zarr",
        "info a.zarr::a",
        "validate a.zarr --data all",
        "codegen a.zarr",
        "explain cf/axis-once",
        "schema export v3/array",
        "resize a.zarr::a 3",
    ],
)
def test_nothing_depends_on_docstrings_and_assertions(words, tmp_path):
    array = v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("x",))
    said = []
    for place, options in enumerate(([], ["-OO"])):
        folder = tmp_path / str(place)
        zom.materialize(v3.GroupSpec(members={"a": array}), folder / "a.zarr")
        command = [sys.executable, *options, "-m", "zom", *words.split()]
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, "COLUMNS": "80"}, capture_output=True, check=False
        )
        said.append((done.returncode, done.stdout, done.stderr))
    assert said[0][0] == 0, said[0]
    assert said[0] == said[1]
