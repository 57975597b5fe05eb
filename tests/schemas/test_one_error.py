"""One bad value is one error of ajv; and the count of them would find others.

The whole is `python tests/schemas/one_error.py`, of which CI runs a part.
"""

from __future__ import annotations

import copy
import json
from functools import partial
from typing import Any

import engines
import one_error
import pytest
from corpus import Subject, conformance
from differential import schema_of
from test_differential import ARRAY, GROUP, needs_ajv

V2_ARRAY = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [2],
    "dtype": "<i4",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
LZMA = {"id": "lzma", "format": 1, "check": -1, "preset": 1, "filters": None}

LZMA_FILTERED = {**LZMA, "filters": [{"id": 3, "dist": 4}]}
LZMA_RAW = {**LZMA_FILTERED, "format": 3, "preset": None}
PCODEC = {"name": "numcodecs.pcodec"}
LENGTH = "/data_type/configuration/length_bytes"
IN_CODEC = "/codecs/0/configuration"


def with_codec(codec: Any) -> Any:
    """An array whose first codec is this one."""
    return {**ARRAY, "codecs": [codec]}


def of_bytes(length: float) -> Any:
    """An array of texts of so many bytes, which is to be a multiple of four."""
    data_type = {"name": "fixed_length_utf32", "configuration": {"length_bytes": length}}
    return {**ARRAY, "data_type": data_type, "fill_value": ""}


def errors(document: Any) -> list[tuple[str, str]]:
    """What ajv prints for a document, without what repeats it."""
    form = "v3" if document.get("zarr_format") == 3 else "v2"
    (found,) = engines.verdicts("ajv2020", schema_of(Subject(form), "2020-12"), [json.dumps(document)])
    return [each for each in found if each[1] not in one_error.REPEATING]


@needs_ajv
@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({**ARRAY, "node_type": 7}, ("/node_type", "enum")),
        ({**ARRAY, "node_type": "Array"}, ("/node_type", "enum")),
        ({**GROUP, "members": {"a": {**ARRAY, "node_type": None}}}, ("/members/a/node_type", "enum")),
        ({**GROUP, "members": {"a": 7}}, ("/members/a", "type")),
        ({**GROUP, "members": {"a/b": GROUP}}, ("/members/a~1b", "pattern")),
        ({**ARRAY, "data_type": "r8", "fill_value": None}, ("/fill_value", "type")),
        ({**V2_ARRAY, "zarr_format": "2"}, ("/zarr_format", "const")),
        ({**V2_ARRAY, "order": 7}, ("/order", "enum")),
        ({**V2_ARRAY, "compressor": 7}, ("/compressor", "type")),
        ({**V2_ARRAY, "filters": ["delta"]}, ("/filters/0", "type")),
        ({**V2_ARRAY, "compressor": {**LZMA, "preset": 10}}, ("/compressor/preset", "enum")),
        ({**V2_ARRAY, "compressor": {**LZMA_FILTERED, "preset": "x"}}, ("/compressor/preset", "enum")),
        ({**V2_ARRAY, "compressor": {**LZMA_FILTERED, "preset": 1}}, ("/compressor/preset", "type")),
        ({**V2_ARRAY, "compressor": {**LZMA_RAW, "filters": 7}}, ("/compressor/filters", "type")),
        ({**V2_ARRAY, "compressor": {**LZMA_RAW, "check": 7}}, ("/compressor/check", "enum")),
        ({**V2_ARRAY, "compressor": {**LZMA_RAW, "check": 4}}, ("/compressor/check", "enum")),
        ({**V2_ARRAY, "dtype": []}, ("/dtype", "minItems")),
        ({**V2_ARRAY, "dtype": [[["a", "<i2"]]], "fill_value": None}, ("/dtype/0", "minItems")),
        (of_bytes(-1), (LENGTH, "minimum")),
        (of_bytes(6), (LENGTH, "multipleOf")),
        (of_bytes(2.5), (LENGTH, "type")),
        ({**ARRAY, "shape": [-1.5]}, ("/shape/0", "type")),
        ({**ARRAY, "shape": [-1]}, ("/shape/0", "minimum")),
        ({**ARRAY, "shape": ["x"]}, ("/shape/0", "type")),
        (
            with_codec({"name": "zfp", "configuration": {"mode": "reversible", "x": 1}}),
            (IN_CODEC + "/x", "additionalProperties"),
        ),
        (
            with_codec({"name": "zfp", "configuration": {"mode": "reversible", "rate": 1}}),
            (IN_CODEC + "/rate", "additionalProperties"),
        ),
        (
            with_codec({"name": "zfp", "configuration": {"mode": "none", "x": 1}}),
            (IN_CODEC + "/mode", "enum"),
        ),
        (with_codec({"must_understand": False}), ("/codecs/0/name", "required")),
        (with_codec({"name": 7, "must_understand": False}), ("/codecs/0/name", "type")),
        (with_codec({"name": "own.x", "must_understand": False}), ("/codecs/0/must_understand", "const")),
        (with_codec({"name": "own.x", "must_understand": 7}), ("/codecs/0/must_understand", "type")),
        (
            with_codec({**PCODEC, "configuration": {"delta_encoding_order": 1, "delta_spec": "x"}}),
            (IN_CODEC + "/delta_spec", "enum"),
        ),
        (
            with_codec({**PCODEC, "configuration": {"delta_encoding_order": 9, "delta_spec": "none"}}),
            (IN_CODEC + "/delta_encoding_order", "maximum"),
        ),
        (
            with_codec({**PCODEC, "configuration": {"delta_encoding_order": 1, "delta_spec": "none"}}),
            (IN_CODEC + "/delta_spec", "enum"),
        ),
    ],
)
def test_one_bad_value_is_one_error(document: Any, found: tuple[str, str]) -> None:
    assert errors(document) == [found]


@needs_ajv
def test_a_document_without_members_is_told_of_each_that_it_lacks() -> None:
    found = errors({"zarr_format": 3, "node_type": "array"})
    assert len(found) == 6
    assert one_error.reason(found) == "missing"


def test_errors_of_several_places_have_no_known_reason() -> None:
    assert one_error.reason([("/a", "type"), ("/b", "minimum")]) is None
    assert one_error.reason([("/a", "type"), ("/a", "type")]) is None
    assert one_error.reason([("/a", "required"), ("/b", "required")]) == "missing"


def test_each_value_becomes_others_goes_and_gains_members() -> None:
    found = list(one_error.wrong({"a": 3}, ("a",)))
    assert found[:3] == [{}, {"a": None}, {"a": True}]
    assert {"a": -1} in found
    assert {"a": 3, "x-unknown": 1} in one_error.wrong({"a": 3}, ())


def counted(form: Any) -> one_error.Count:
    made = one_error.Count()
    valid = [each for each in conformance(Subject(form)) if len(json.dumps(each)) < 500]
    one_error.count(Subject(form), valid[:12], made)
    return made


@needs_ajv
@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
def test_documents_with_one_bad_value_leave_one_error(form: str) -> None:
    made = counted(form)
    assert made.several == {}
    assert made.documents[1] > 100


@needs_ajv
def test_documents_that_node_reads_otherwise_are_left_out() -> None:
    """10**309 is a number of JSON, and infinite as a double."""
    made = one_error.Count()
    one_error.count(Subject("v3"), [{**ARRAY, "data_type": "float64", "fill_value": 10**309}], made)
    assert made.documents.total() == 0


def returned(schema: Any, *_: object) -> Any:
    return schema


@needs_ajv
def test_a_schema_that_says_a_thing_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = copy.deepcopy(schema_of(Subject("v2"), "2020-12"))
    schema["$defs"]["array"]["properties"]["order"]["type"] = "string"
    monkeypatch.setattr(one_error, "schema_of", partial(returned, schema))
    assert list(counted("v2").several) == ["v2/node order: enum type"]
