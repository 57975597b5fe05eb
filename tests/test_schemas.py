"""The published files: as they would be generated now, and readable from the package."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

import zom
from zom import schemas

FOLDER = Path(__file__).parents[1] / "schemas"


def generator():
    spec = importlib.util.spec_from_file_location("schemas_generate", FOLDER / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_what_would_be_generated_now():
    module = generator()
    assert module.differences(module.wanted()) == []


def test_the_index_names_every_file_with_its_sum():
    for entry in schemas.index()["schemas"]:
        text = schemas.text(entry["path"])
        assert hashlib.sha256(text.encode()).hexdigest() == entry["sha256"]


def test_a_published_schema_is_the_one_that_is_exported():
    assert schemas.read("v2/group", "draft-07", "codegen") == zom.json_schema(
        "v2/group", "draft-07", "codegen"
    )
    assert schemas.not_expressible()["v3"] == zom.not_expressible("v3")


def test_a_schema_that_is_not_published_is_not_found():
    with pytest.raises(zom.NotFound, match="no schema 'v3/nod' of 2020-12 and flavour 'validation'"):
        schemas.read("v3/nod")
    with pytest.raises(zom.NotFound, match="unknown schema file 'v1/x'"):
        schemas.text("v1/x")


@pytest.mark.parametrize("verdict", ["accept", "reject"])
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize("kind", ["array", "group"])
def test_the_samples_are_judged_as_their_folder_says(verdict, form, kind):
    files = sorted((FOLDER / "samples" / verdict / form / kind).glob("*.json"))
    assert files
    wanted = verdict == "accept"
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        assert Draft202012Validator(schemas.read(f"{form}/node")).is_valid(document) is wanted
        assert Draft7Validator(schemas.read(f"{form}/node", "draft-07")).is_valid(document) is wanted
