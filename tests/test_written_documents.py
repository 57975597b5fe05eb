"""Documents that other software wrote (`interop/write_documents`): a sample, read and given back."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def _interop():
    """The script that checks all that the writers write: the same judgement holds for the sample."""
    place = importlib.util.spec_from_file_location("interop_documents", HERE / "interop" / "documents.py")
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


documents = _interop()
RECORDS = list(documents.records(HERE / "fixtures" / "documents"))
NAMES = [f"{record['writer']}-{index}" for index, record in enumerate(RECORDS)]


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_a_written_document_breaks_only_known_rules_and_is_given_back_as_it_was(record):
    codes, wrong = documents.judge(record)
    assert wrong is None
    assert list(codes) == record["strict"]


def test_the_sample_has_documents_of_every_writer_and_format():
    found = {(record["writer"], record["key"]) for record in RECORDS}
    assert {writer for writer, _ in found} == {"zarr-python", "zarr-python-2", "tensorstore", "zarrs"}
    assert {key for _, key in found} >= {".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"}
    assert {key for _, key in found} >= {".array.json", ".group.json"}


def test_every_listed_deviation_stands_in_the_sample():
    shown = {(record["writer"], code) for record in RECORDS for code in record["strict"]}
    assert shown == set(documents.DEVIATIONS)


def test_a_document_that_zom_refuses_is_reported():
    wrong = {"writer": "x", "version": "1", "key": ".zgroup", "document": json.dumps({"zarr_format": 4})}
    codes, reason = documents.judge(wrong)
    assert codes == ("v2/zarr-format",)
    assert "refused at the lenient level" in reason
