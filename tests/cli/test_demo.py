"""`zom demo`: what it prints and leaves behind."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import zom
from zom.handles.comparing import diff

pytestmark = pytest.mark.slow

TREE = """\
/  v3 group  title="a small climate" Conventions="CF-1.12"
├── daily  group    title="means of days"
│   └── t2m  float32  (day=2, lat=181, lon=360)  chunks 1×181×360  gzip
├── lat    float64  (lat=181)  chunks 181  zstd
├── lon    float64  (lon=360)  chunks 360  zstd
├── t2m    float32  (time=48, lat=181, lon=360)  chunks 12×91×90 in shards 24×182×360  zstd
└── time   int64    (time=48)  chunks 48  zstd
"""


def test_demo_says_what_it_does_and_leaves_a_store_documents_and_a_report(call, tmp_path):
    code, out, err = call("demo", "out")
    assert (code, err) == (0, "")
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "climate.toml",
        "climate.zarr",
        "report.html",
        "schema.json",
        "spec.json",
    ]
    out = re.sub(r"and \d\d rules", "and ... rules", out)
    assert re.sub(r"\d+\.\d MiB\n", "... MiB\n", out) == (
        "declared      7 nodes in out/climate.toml: 2 groups, 5 arrays, ... MiB\n"
        "validated     Zarr metadata and ... rules of xarray and CF: no problems\n"
        "materialized  out/climate.zarr: all or nothing, with the values of time, lat and lon\n"
        "filled        t2m a day at a time, into 32 chunks in 2 shards: ... MiB\n"
        "read back     identical, bit for bit; the store's spec equals the declared one\n"
        "checked       the store, every chunk decoded, coordinates in order: no problems\n"
        "exported      spec.json, which fits schema.json, a JSON Schema for other languages\n"
        f"\n{TREE}\n"
        "The report is out/report.html: open it in a browser.\n"
        "Next: zom info out/climate.zarr::t2m\n"
    )


def test_the_declaration_that_demo_leaves_makes_the_same(call, tmp_path):
    call("demo", "out")
    out = tmp_path / "out"
    declared = zom.declare(out / "climate.toml")
    assert zom.plan(declared, out / "climate.zarr").is_empty
    assert zom.declare(out / "climate.toml", days=3).spec.members["t2m"].shape == (72, 181, 360)


def test_what_demo_leaves_is_what_it_says(call, tmp_path):
    call("demo", "out")
    spec = zom.parse((tmp_path / "out" / "spec.json").read_bytes())
    root = zom.open_group(tmp_path / "out" / "climate.zarr")
    assert not diff(root, spec)
    assert zom.validate(root, conventions=(), data="all").problems == ()
    assert root["time"][:].tolist() == list(range(48))
    days = root["t2m"][:].reshape(2, 24, 181, 360).mean(axis=1)
    assert np.array_equal(root["daily/t2m"][:], days)
    assert json.loads((tmp_path / "out" / "schema.json").read_bytes())["$schema"].endswith("2020-12/schema")
    assert "a small climate" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_demo_can_be_repeated(call):
    assert call("demo") == call("demo")


def test_demo_mends_what_an_earlier_one_left_damaged(call, tmp_path):
    call("demo")
    (tmp_path / "zom-demo" / "climate.zarr" / "time" / "c" / "0").write_bytes(b"")
    assert call("demo")[0] == 0
    assert zom.validate(tmp_path / "zom-demo" / "climate.zarr", conventions=(), data="all").problems == ()


def test_demo_refuses_a_directory_with_other_files(call, tmp_path):
    (tmp_path / "zom-demo").mkdir()
    (tmp_path / "zom-demo" / "thesis.tex").write_text("")
    message = "zom-demo holds other files (thesis.tex); name a new directory: zom demo DIR"
    assert call("demo") == (3, "", f"zom demo: {message}\n")


def test_demo_refuses_a_file(call, tmp_path):
    (tmp_path / "zom-demo").write_text("")
    message = "zom-demo is not a directory; name a new one: zom demo DIR"
    assert call("demo") == (3, "", f"zom demo: {message}\n")


def test_demo_that_can_not_write_says_so(call, tmp_path):
    (tmp_path / "file").write_text("")
    message = "file/inside: can't be written: not a directory; name another directory: zom demo DIR"
    assert call("demo", "file/inside") == (3, "", f"zom demo: {message}\n")
