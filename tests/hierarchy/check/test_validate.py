"""What `zom.validate` takes: specs, documents, files that hold one, stores and handles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zom
from zom import v2, v3
from zom.errors import StoreError

SPEC = v3.GroupSpec(
    members={
        "x": v3.ArraySpec.build(shape=(3,), dtype="int8", dimension_names=("x",)),
        "t": v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=("x",)),
    }
)


def codes(report):
    return [(problem.code, problem.node) for problem in report]


FOUND = [("xarray/dim-sizes", "/t")]


@pytest.mark.parametrize(
    "kind", ["spec", "dict", "text", "bytes", "file", "path", "store", "directory", "handle", "zip"]
)
def test_a_hierarchy_is_the_same_wherever_it_comes_from(kind, tmp_path):
    where = tmp_path / ("a.zip" if kind == "zip" else "a.zarr")
    file = tmp_path / "spec.json"
    file.write_text(SPEC.to_json(indent=1))
    if kind in {"store", "directory", "handle", "zip"}:
        zom.materialize(SPEC, where).store.close()
    subject = {
        "spec": lambda: SPEC,
        "dict": SPEC.to_dict,
        "text": SPEC.to_json,
        "bytes": lambda: SPEC.to_json().encode(),
        "file": lambda: str(file),
        "path": lambda: file,
        "store": lambda: zom.store(where, read_only=True),
        "directory": lambda: str(where),
        "handle": lambda: zom.open_group(where),
        "zip": lambda: where,
    }[kind]()
    report = zom.validate(subject)
    assert codes(report) == FOUND
    assert report.nodes == 3


def test_findings_in_a_file_have_its_name_and_lines(tmp_path):
    file = tmp_path / "spec.json"
    file.write_text(SPEC.to_json(indent=1))
    report = zom.validate(file)
    assert report.subject == str(file)
    line = report.problems[0].line
    assert line is not None
    assert file.read_text().splitlines()[line - 1].strip() == "4"


def test_the_attributes_of_v2_alone_are_validated_as_such(tmp_path):
    file = tmp_path / ".zattrs"
    file.write_text(json.dumps({"multiscales": [{"version": "0.4"}]}))
    report = zom.validate(file, conventions=["ome/0.4"])
    assert ("ome/axes", "/") in codes(report)


def test_consolidated_metadata_in_a_file_is_the_hierarchy_that_it_describes(tmp_path):
    root = zom.materialize(v2.GroupSpec(members={"a": v2.GroupSpec(members={})}), tmp_path / "a.zarr")
    zom.consolidate(root.store)
    assert zom.validate(tmp_path / "a.zarr" / ".zmetadata").nodes == 2


def test_a_directory_that_is_named_as_documents_are_is_a_store(tmp_path):
    zom.materialize(SPEC, tmp_path / "a.json")
    assert codes(zom.validate(tmp_path / "a.json")) == FOUND


def test_a_file_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    file = tmp_path / "spec.json"
    file.write_text("{}")

    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(StoreError, match=r"spec\.json: cannot read: permission denied"):
        zom.validate(file)


def test_what_is_not_there_is_an_error(tmp_path):
    with pytest.raises(StoreError, match=r"spec\.json: cannot open: no such file or directory"):
        zom.validate(tmp_path / "spec.json")
