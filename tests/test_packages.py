"""Packages that may be missing, also where a folder has the name of one."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import zom
from zom.errors import ExtensionError
from zom.packages import _LEAST, import_package, imported
from zom.stores.fsspec.file_systems import _SOUND_CACHES


def test_a_folder_of_data_is_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data_and_no_package").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'data_and_no_package'"):
        import_package("data_and_no_package")
    with pytest.raises(
        ExtensionError, match=r"data_and_no_package is not installed; pip install 'zom\[yaml\]'"
    ):
        imported("data_and_no_package", "yaml")


def test_an_old_obstore_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    obstore = pytest.importorskip("obstore", reason="pip install 'zom[cloud]'")
    monkeypatch.setattr(obstore, "__version__", "0.7.3")
    message = r"expected obstore 0\.8 or newer, found 0\.7\.3; pip install 'zom\[cloud\]'"
    with pytest.raises(ExtensionError, match=message):
        zom.store(obstore.store.MemoryStore())


def test_versions_that_are_refused_are_not_installed_with_zom() -> None:
    extras = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())["project"]
    extras = extras["optional-dependencies"]
    least = {name: ".".join(map(str, version)) for name, version in _LEAST.items()}
    assert [f"obstore>={least['obstore']}"] == extras["cloud"]
    assert [f"zarr>={least['zarr']}"] == extras["zarr"]
    assert [f"fsspec>={'.'.join(map(str, _SOUND_CACHES))}"] == extras["fsspec"]


def test_zom_works_beside_folders_with_the_names_of_packages_that_are_missing(tmp_path: Path) -> None:
    """In a process of its own, which takes packages from that folder only, but for those that zom needs."""
    names = ("yaml", "ml_dtypes", "zstandard", "cf_units", "jsonschema_rs", "msgpack", "zarr", "xarray")
    for name in names:
        (tmp_path / name).mkdir()
    script = f"""
import importlib.machinery, sys

class Hidden(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in {names!r}:
            return super().find_spec(name, [{str(tmp_path)!r}])

sys.meta_path.insert(0, Hidden)
import numpy as np
import zom
from zom.cli.main import main
zom.save("a.zarr", a=np.arange(100.0))
print(zom.open("a.zarr")["a"][:3], zom.validate("a.zarr").ok)
declared = {{"zom": 1, "members": {{"a": {{"shape": [2], "dtype": "bfloat16", "fill_value": 1.5}}}}}}
print(zom.declare(declared).spec.members["a"].fill_value)
print(main(["validate", "a.zarr", "--convention", "cf", "-q"]), main(["create", "spec.yaml", "b.zarr"]))
"""
    (tmp_path / "spec.yaml").write_text("zom: 1\n")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[:2] == ["[0. 1. 2.] True", "1.5"], done.stderr
    assert done.stdout.splitlines()[-1] == "1 3"  # findings, and an error; no traceback
    assert "yaml is not installed; pip install 'zom[yaml]'" in done.stderr
