"""Stores in which one document is damaged: that is the one finding, whatever would have rested on what it said."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import zom
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
DOCUMENTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("documents/*.json"))
}
SEED = 20261127
EACH = 5
"""How many documents of each hierarchy are damaged in each way."""

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: b"",
    "null": lambda text: b"null",
    "a list": lambda text: b"[]",
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "no text": lambda text: b"\x00\x01",
}


def stored(name: str, *, consolidated: bool) -> dict[str, bytes]:
    document = DOCUMENTS[name]
    store = MemoryStore()
    module = zom.v2 if document["zarr_format"] == 2 else zom.v3
    spec = module.GroupSpec if "shape" not in document else module.ArraySpec
    zom.materialize(spec.model_validate(document), store)
    if consolidated and "shape" not in document:
        zom.consolidate(store)
    return {key: store.get(key) or b"" for key in store.list()}


@pytest.mark.slow
@pytest.mark.parametrize("consolidated", [False, True], ids=["", "consolidated"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_damaged_document_is_the_one_finding(name, consolidated):
    whole = stored(name, consolidated=consolidated)
    before = {str(each) for each in zom.validate(MemoryStore(whole)) if each.severity != "note"}
    assert before == set()
    chance = random.Random(f"{SEED} {name}")
    roots = {"zarr.json", ".zgroup", ".zarray", ".zmetadata"}
    below = sorted(key for key, text in whole.items() if text[:1] == b"{" and key not in roots)
    for how, damage in DAMAGES.items():
        for key in chance.sample(below, min(EACH, len(below))):
            if damage is DAMAGES["a list"] and key.endswith(".zattrs") and whole[key] == b"{}":
                continue
            report = zom.validate(MemoryStore({**whole, key: damage(whole[key])}))
            found = [each for each in report if each.severity != "note"]
            assert [each.key for each in found] == [key], (how, key, [str(each) for each in found])


@pytest.mark.parametrize(
    ("name", "key"), [("xarray-climate-v2", ".zgroup"), ("xarray-climate-v3", "zarr.json")]
)
@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_root_is_the_one_finding_beside_consolidated_metadata(name, key, how):
    whole = stored(name, consolidated=True)
    report = zom.validate(MemoryStore({**whole, key: DAMAGES[how](whole[key])}))
    assert [each.key for each in report if each.severity != "note"] == [key]


@pytest.mark.parametrize("name", ["anndata-v2", "xarray-weather-v2", "xarray-weather-v3"])
def test_a_damaged_document_is_told_by_a_command_that_knows_no_other_format(name, tmp_path):
    """What a format's module adds when it is imported may not be there yet."""
    whole = stored(name, consolidated=False)
    key = max(whole)
    for each, text in {**whole, key: b"null"}.items():
        place = tmp_path / each
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
    ended = subprocess.run(
        [sys.executable, "-m", "zom", "validate", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert "expected an object, found null" in ended.stdout
    assert len(ended.stdout.splitlines()) == 1, ended.stdout
    assert "Traceback" not in ended.stderr


def test_a_name_that_leads_to_a_damaged_node_is_silent():
    whole = stored("xarray-climate-v3", consolidated=False)
    (problem,) = (
        each
        for each in zom.validate(MemoryStore({**whole, "time_bnds/zarr.json": b"{"}))
        if each.severity != "note"
    )
    assert (problem.code, problem.node) == ("json/syntax", "/time_bnds")


def test_a_renamed_array_that_another_one_names_is_one_finding():
    whole = stored("xarray-climate-v3", consolidated=True)
    renamed = {key.replace("time_bnds/", "time_bounds/"): text for key, text in whole.items()}
    (problem,) = (each for each in zom.validate(MemoryStore(renamed)) if each.severity != "note")
    assert problem.code in {"consolidated/no-ghosts", "cf/bounds-exist"}
