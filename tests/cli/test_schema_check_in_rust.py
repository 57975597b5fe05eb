"""`zom schema check` with jsonschema-rs: the same findings, in less time."""

from __future__ import annotations

from typing import Any

import pytest

import zom
from zom import v3
from zom.cli import schema_check
from zom.cli.document import Document
from zom.json.write import write_json

rust: Any = pytest.importorskip("jsonschema_rs", reason="pip install 'zom[fast]'")
ARRAY = v3.ArraySpec.build(shape=(3,), dtype="int8").to_dict()


def problems(value: Any, schema: Any) -> list[str]:
    document = Document("a.json", write_json(value).encode(), value, "node")
    return [str(problem) for problem in schema_check.schema_problems(document, schema)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "value", [ARRAY, {**ARRAY, "shape": [-1]}, {**ARRAY, "fill_value": 10**30}, [], None, 2**70]
)
@pytest.mark.parametrize("name", ["v3/node", "v3/array", "v2/node"])
def test_findings_do_not_depend_on_who_is_installed(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = zom.json_schema(name)
    with_rust = problems(value, schema)
    monkeypatch.setattr(schema_check, "_is_accepted", lambda _value, _schema: False)
    assert with_rust == problems(value, schema)


def test_a_document_that_is_accepted_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_check, "findings_of", None)
    assert schema_check._is_accepted(ARRAY, zom.json_schema("v3/node"))
    assert problems(ARRAY, zom.json_schema("v3/node")) == []


def test_nothing_is_fetched() -> None:
    with pytest.raises(ValueError, match="bundle the two"):
        problems(ARRAY, {"$ref": "https://example.org/schema.json"})


def test_a_schema_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="not a valid JSON Schema"):
        problems(ARRAY, {"type": "arry"})


def test_formats_are_remarks() -> None:
    assert problems("no date", {"type": "string", "format": "date"}) == []
