"""`zom doctor`: what it prints where packages are missing, and the versions that it warns of."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import zom
from zom.cli import doctor
from zom.cli.doctor import BAD, advice

# Imports of these packages fail, and nobody knows their versions, as where they are not installed.
WITHOUT = """
import importlib.metadata as metadata, sys
gone = set(sys.argv.pop(1).split(","))
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
known = metadata.version
def version(name):
    if name.replace("-", "_") in gone:
        raise metadata.PackageNotFoundError(name)
    return known(name)
sys.meta_path.insert(0, Missing())
metadata.version = version
from zom.cli.main import main
sys.exit(main())
"""
MODULES = {name: name.replace("-", "_") for name in doctor._OPTIONAL}
WITH_NOTHING_OPTIONAL = """\
zom                 VERSION
python              VERSION
platform            VERSION
pydantic            VERSION
pydantic-core       VERSION
numpy               VERSION
numcodecs           VERSION
jsonschema          VERSION
google-crc32c       VERSION
deflate             VERSION
typing-extensions   VERSION
zstandard           not installed: it adds quicker zstd; pip install 'zom[fast]'
jsonschema-rs       not installed: it adds quicker zom schema check; pip install 'zom[fast]'
ml_dtypes           not installed: it adds bfloat16, float8 and other data types of ml_dtypes; pip install 'zom[codecs]'
msgpack             not installed: it adds the v2 codec msgpack2; pip install 'zom[codecs]'
pcodec              not installed: it adds the codec pcodec; pip install 'zom[codecs]'
zfpy                not installed: it adds the codec zfpy; pip install 'zom[codecs]'
obstore             not installed: it adds stores at s3://, gs:// and az://; pip install 'zom[cloud]'
fsspec              not installed: it adds fsspec file systems as stores; pip install 'zom[fsspec]'
zarr                not installed: it adds zarr-python stores, both ways; pip install 'zom[zarr]'
pyarrow             not installed: it adds kerchunk references in Parquet; pip install 'zom[parquet]'
icechunk            not installed: it adds icechunk sessions as stores; pip install 'zom[icechunk]'
xarray              not installed: it adds xarray datasets, both ways; pip install 'zom[xarray]'
dask                not installed: it adds dask arrays, both ways; pip install 'zom[dask]'
distributed         not installed: it adds work on a dask cluster; pip install 'zom[dask]'
h5py                not installed: it adds HDF5 and netCDF-4 files as stores; pip install 'zom[hdf5]'
cf-units            not installed: it adds CF rules on units; pip install 'zom[cf]'
pyyaml              not installed: it adds declarations in YAML; pip install 'zom[yaml]'
no known problems
"""


def without(*modules, more=()):
    """Runs `zom doctor` where these modules are missing: exit code, output, errors."""
    command = [sys.executable, "-c", WITHOUT, ",".join(modules) or "none", "doctor", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def masked(text):
    return re.sub(r"(?m)^([\w-]+ +)(?!not installed|missing)[\w.+-]*( ?\d.*)?$", r"\1VERSION", text)


def test_the_doctor_names_versions(call):
    code, out, _ = call("doctor")
    assert code == 0
    assert f"zom                 {zom.__version__}" in out
    assert f"numpy               {np.__version__}" in out
    assert out.endswith("no known problems\n")


def test_the_doctor_works_with_needed_packages_only():
    code, out, err = without(*MODULES.values(), "yaml", "pyarrow", "zstandard")
    assert (code, err) == (0, "")
    assert masked(out) == WITH_NOTHING_OPTIONAL


@pytest.mark.parametrize("package", sorted(MODULES))
def test_the_doctor_says_what_each_missing_package_would_give(call, monkeypatch, package):
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == package else "999")
    monkeypatch.setattr(doctor, "BAD", ())
    code, out, err = call("doctor")
    line = next(line for line in WITH_NOTHING_OPTIONAL.splitlines() if line.startswith(f"{package} "))
    assert [line for line in out.splitlines() if "not installed" in line] == [line]
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("modules", "package"),
    [
        (["pydantic", "pydantic_core"], "pydantic"),
        (["numpy"], "numpy"),
        (["numcodecs"], "numcodecs"),
        (["jsonschema"], "jsonschema"),
        (["google_crc32c"], "google-crc32c"),
        (["deflate"], "deflate"),
        (["typing_extensions"], "typing-extensions"),
    ],
)
def test_the_doctor_works_where_a_needed_package_is_missing(modules, package):
    code, out, err = without(*modules)
    assert (code, err) == (1, "")
    assert f"\n{package:<18}  missing\n" in out
    assert f"\nbad: {package}: zom needs it; pip install {package}\n" in out
    assert out.endswith(f"\n{len(modules)} problem{'s' * (len(modules) > 1)}\n")


def test_programs_read_what_is_missing(call, monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in {"zarr", "deflate"} else "999")
    monkeypatch.setattr(doctor, "BAD", ())
    code, out, _ = call("doctor", "--format", "json")
    found = json.loads(out)["result"]
    assert code == 1
    assert found["needed"]["deflate"] is None
    assert found["not_installed"] == {
        "zarr": "it adds zarr-python stores, both ways; pip install 'zom[zarr]'"
    }
    assert found["problems"] == ["deflate: zom needs it; pip install deflate"]


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        ({"numcodecs": "0.17.0"}, ["numcodecs 0.17.0: zom does not support it; install another version: numcodecs!=0.17.0"]),
        ({"numcodecs": "0.16.1"}, ["numcodecs 0.16.1: it can't read zstd frames that don't state their size; install 0.16.2 or newer"]),
        ({"numcodecs": "0.16.10", "zfpy": "1.0.1"}, []),
        ({"zfpy": "1.0.1.post0"}, ["zfpy 1.0.1.post0: numcodecs can't read its version; pip install zfpy==1.0.1"]),
        ({"numpy": "1.26.4"}, ["numpy 1.26.4: zom needs its type for strings; install numpy 2 or newer"]),
        ({"pydantic": "2.11.9"}, ["pydantic 2.11.9: zom needs a newer one; install pydantic 2.12 or newer"]),
        ({"deflate": None}, ["deflate: zom needs it; pip install deflate"]),
        ({"obstore": None, "numpy": "2.0.0rc1"}, []),
    ],
)  # fmt: skip
def test_the_doctor_knows_bad_versions(call, monkeypatch, versions, told):
    assert advice(versions) == told
    monkeypatch.setattr(
        doctor, "_version", lambda name: versions.get(name, "999" if name != "zfpy" else None)
    )
    code, out, _ = call("doctor")
    assert code == int(bool(told))
    assert [line.removeprefix("bad: ") for line in out.splitlines() if line.startswith("bad: ")] == told


def test_what_is_known_to_be_bad_is_what_the_package_excludes():
    said = {name_of(each): each for each in project()["dependencies"]}
    for bad in BAD:
        if bad.package in said:
            assert f"!={bad.first}" in said[bad.package] if bad.first else f">={bad.end}" in said[bad.package]


def project():
    return tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0].lower()


def test_every_package_of_an_extra_is_named_with_that_extra():
    """As the package says it; but for the extras of those who develop zom."""
    extras = project()["optional-dependencies"]
    found = {
        (name_of(each), extra)
        for extra, packages in extras.items()
        if extra not in {"test", "lint"}
        for each in packages
    }
    assert {(name, extra) for name, (extra, _) in doctor._OPTIONAL.items()} == found


def test_every_needed_package_is_named():
    # pydantic and its core are of one version: an environment that has mixed them up is seen by it.
    assert {name_of(each) for each in project()["dependencies"]} | {"pydantic-core"} == set(doctor._NEEDED)


BROKEN = "raise ImportError('libplain is not there')"
POINTS = "[zom.codecs]\nplain = plainly:plain\nbadly = plainly:bad\n[zom.dtypes]\nbits = plainly:bits\n"
TOLD = "can't be loaded: ImportError: libplain is not there"


def test_the_doctor_tells_of_packages_that_extend_zom_and_of_what_can_not_be_loaded(call, package):
    package("plainly", BROKEN, POINTS)
    code, out, err = call("doctor")
    assert (code, err) == (1, "")
    assert "\nplainly 1           extends zom: codecs badly, plain; dtypes bits\n" in out
    for name in ("plain", "badly"):
        assert (
            f"bad: the plugin '{name}' of plainly 1 (zom.codecs, plainly:{name[:5].replace('badly', 'bad')}) {TOLD}"
            in out
        )
    facts = json.loads(call("doctor", "--format", "json")[1])["result"]
    assert facts["extensions"] == {"plainly 1": {"codecs": ["badly", "plain"], "dtypes": ["bits"]}}


def test_the_doctor_loads_no_extensions_where_zom_lacks_a_package(call, package, monkeypatch):
    package("plainly", BROKEN, POINTS)
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "deflate" else "999")
    monkeypatch.setattr(doctor, "BAD", ())
    code, out, _ = call("doctor")
    assert code == 1
    assert "extends zom: codecs badly, plain" in out
    assert TOLD not in out
