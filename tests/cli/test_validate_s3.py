"""`zom validate` of prefixes and patterns on an S3 server: one that this test starts, by way of obstore."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import zom
from zom import v3

pytest.importorskip("obstore", reason="pip install 'zom[cloud]' for stores on S3")

SERVER = Path(__file__).parents[2] / "benchmarks" / "slow_server.py"
GOOD = v3.GroupSpec(attributes={"a": 1})


@pytest.fixture(scope="module")
def address():
    """The address of a server that lasts as long as the tests of this file."""
    command = [sys.executable, str(SERVER), "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.stdin.close()


@pytest.fixture
def bucket(address, monkeypatch):
    """Two stores that are well, at several depths, and one whose document is cut off."""
    for name, value in {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "y",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("a.zarr", "2024/b.zarr"):
        zom.materialize(GOOD, f"s3://bucket/prod/{name}", on_conflict="replace")
    zom.store("s3://bucket/prod/2024/c.zarr").set("zarr.json", b'{"zarr_format": 3, ')
    return "s3://bucket/prod"


def told(out):
    return {
        each["subject"]: [problem["code"] for problem in each["findings"]]
        for each in json.loads(out)["result"]
    }


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("", ["2024/b.zarr", "2024/c.zarr", "a.zarr"]),
        ("/", ["2024/b.zarr", "2024/c.zarr", "a.zarr"]),
        ("/*.zarr", ["a.zarr"]),
        ("/2024/*.zarr", ["2024/b.zarr", "2024/c.zarr"]),
        ("/**/[ab].zarr", ["2024/b.zarr", "a.zarr"]),
    ],
)
def test_prefixes_and_patterns_name_the_stores_below(call, bucket, place, names):
    code, out, _ = call("validate", f"{bucket}{place}", "--format", "json")
    found = told(out)
    assert sorted(found) == [f"{bucket}/{name}" for name in names]
    assert code == (1 if f"{bucket}/2024/c.zarr" in found else 0)
    assert all(codes == (["json/syntax"] if "c.zarr" in name else []) for name, codes in found.items())


def test_a_list_may_mix_what_is_far_and_what_is_near(call, bucket, tmp_path):
    zom.materialize(GOOD, tmp_path / "near.zarr")
    (tmp_path / "list.txt").write_text(f"{bucket}/a.zarr\nnear.zarr\n{bucket}/none.zarr\n")
    code, out, err = call("validate", "--from-file", "list.txt", "--format", "json")
    assert code == 3
    assert told(out) == {
        f"{bucket}/a.zarr": [],
        "near.zarr": [],
        f"{bucket}/none.zarr": ["place/unreadable"],
    }
    assert err.startswith("2 stores and 1 unreadable place: 1 error")


def test_jobs_give_the_same_report(call, bucket):
    one = call("validate", bucket, "--format", "sarif")
    assert call("validate", bucket, "--format", "sarif", "--jobs", "2") == one
    assert [rule["id"] for rule in json.loads(one[1])["runs"][0]["tool"]["driver"]["rules"]] == [
        "json/syntax"
    ]
