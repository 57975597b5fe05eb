"""The conventions that a hierarchy may have: no other is imported, and none that it has is left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import zom
from zom import v3
from zom.conventions import conventions
from zom.conventions.framework import detection
from zom.conventions.framework.candidates import candidates, tell_of
from zom.conventions.shipped import FILES
from zom.formats.node_view import attributes_node, spec_tree
from zom.testing.convention_cases import load_cases

CORPUS = sorted((Path(__file__).parents[2] / "conformance" / "conventions").glob("*.json"))


@pytest.mark.parametrize("file", FILES)
def test_the_list_says_by_what_the_conventions_of_a_file_are_found(file):
    made = [each for each in conventions if each.id.replace("-", "_") == file]
    keys, names = tell_of(made)
    assert FILES[file] == (tuple(sorted(keys)), tuple(sorted(names)))


@pytest.mark.slow
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_nothing_is_found_less_than_if_all_conventions_were_asked(path, monkeypatch):
    documents = [case.document for case in load_cases(path)][::7]
    few = [zom.validate(document).to_dict() for document in documents]
    monkeypatch.setattr(detection, "candidates", lambda root: tuple(conventions))
    assert few == [zom.validate(document).to_dict() for document in documents]


@pytest.mark.parametrize("key", ["OME", "zarr_convention", "vcf_zarr_versoin", "Spatial:bbox"])
def test_a_convention_whose_key_is_misspelt_is_among_them(key):
    (file,) = {"OME": ["ome"], "zarr_convention": ["zarr-conventions"]}.get(
        key, ["vcf-zarr" if key.startswith("vcf") else "spatial"]
    )
    assert file in {each.id for each in candidates(attributes_node({key: 1}))}


def test_what_is_declared_may_be_any():
    assert candidates(attributes_node({"zarr_conventions": []})) == tuple(conventions)


def test_groups_that_anndata_is_known_by_are_enough():
    groups = {name: v3.GroupSpec(members={}) for name in ("obs", "var", "obsm", "varm", "uns")}
    assert "anndata" in {each.id for each in candidates(spec_tree(v3.GroupSpec(members=groups)))}


def test_no_other_convention_is_imported():
    code = (
        "import sys, zom; zom.validate({'zarr_format': 3, 'node_type': 'group', 'attributes': {'a': 1}});"
        "print([name for name in sys.modules if name in ('zom.conventions.ome', 'zom.conventions.cf')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
