"""The README keeps its word: what it says to type works, and it promises no more than there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import zom

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMMANDS = re.findall(r"^```sh\n(.*?)\n```", README, re.DOTALL | re.MULTILINE)


def test_there_are_two_commands_one_for_the_demonstration_and_one_for_the_tests():
    assert [command.rpartition(" && ")[2] for command in COMMANDS] == [
        ".venv/bin/zom demo",
        ".venv/bin/python -m pytest -n 2",
    ]


def test_the_commands_name_extras_that_exist():
    named = set(re.findall(r"\.\[(\w+)\]", README))
    assert named == {"test"}
    assert named <= PROJECT["optional-dependencies"].keys()


def test_the_check_of_everything_runs_the_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "pip\" install --quiet -e '.[test]'" in script
    assert '"$venv/bin/python" -m pytest -n 2' in script
    assert 'pip" install --quiet . && cd "$work" && "$fresh/bin/zom" demo' in script


def test_the_readme_names_the_page_of_each_integration():
    folders = (ROOT / "src" / "zom" / "integrations").iterdir()
    names = {folder.name for folder in folders if (folder / "__init__.py").exists()}
    assert names == {"dask", "hdf5", "xarray"}
    for name in names:
        assert f"(docs/{name}.md)" in README
        assert (ROOT / "docs" / f"{name}.md").exists()


def test_the_version_is_the_same_everywhere():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert PROJECT["version"] == zom.__version__
    assert re.findall(r"^## \[(.*?)\]", changes, re.MULTILINE)[0] == zom.__version__


def test_the_readme_names_the_oldest_python_that_is_allowed():
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer" in README
