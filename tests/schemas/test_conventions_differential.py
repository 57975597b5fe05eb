"""Conventions: their models and their JSON Schemas give the same verdicts; and a difference would be found."""

from __future__ import annotations

from typing import Any

import conventions_differential as differential
import engines
import pytest

from zom.conventions import Attributes, Convention, conventions

NAMES = [each.name for each in differential.with_models() if differential.bases(each)]
missing = engines.missing_ajv()
needs_ajv = pytest.mark.skipif(missing is not None, reason=missing or "")


@pytest.mark.parametrize("name", NAMES)
def test_the_model_and_the_schema_of_a_convention_give_the_same_verdicts(name: str) -> None:
    convention = conventions[name]
    found = differential.documents(convention, 150)
    refused = sum(bool(differential.model_verdict(convention, document)) for document in found)
    assert 5 < refused < len(found) - 5
    assert [str(each) for each in differential.compare(convention, found, "jsonschema")] == []


@needs_ajv
@pytest.mark.parametrize("engine", ["ajv2020", "ajv07"])
@pytest.mark.parametrize("name", NAMES)
def test_ajv_in_strict_mode_gives_the_verdicts_of_the_model(name: str, engine: str) -> None:
    convention = conventions[name]
    found = differential.documents(convention, 150)
    assert [str(each) for each in differential.compare(convention, found, engine)] == []


class Loose(Attributes):
    title: str | None = None


class Narrow(Attributes):
    title: int | None = None


GROUP: dict[str, Any] = {"zarr_format": 3, "node_type": "group"}


def test_a_schema_that_differs_from_the_model_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    loose, narrow = Convention("a", attributes=Loose), Convention("a", attributes=Narrow)
    found = [{**GROUP, "attributes": {"title": title}} for title in ("x", 1, None)]
    assert [*differential.compare(loose, found, "jsonschema")] == []
    monkeypatch.setattr(Convention, "json_schema", lambda _self, _draft: differential_schema(narrow))
    said = [(each.model, each.schema) for each in differential.compare(loose, found, "jsonschema")]
    assert said == [([], [("/attributes/title", "type")]), (["title"], [])]


def differential_schema(convention: Convention) -> dict[str, Any]:
    from zom import json_schema

    return json_schema(convention)


def test_the_command_prints_what_it_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert differential.main(["--documents", "20", "--engines", "jsonschema"]) == 0
    assert "zarr-conventions: 20 documents, " in capsys.readouterr().out
