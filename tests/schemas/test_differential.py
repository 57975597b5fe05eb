"""A small run of the differential test, and that it would find what it looks for.

The whole is `python tests/schemas/differential.py`, which CI runs.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from random import Random
from typing import Any

import corpus
import differential
import engines
import mutations
import pytest
from corpus import Subject
from differential import PRECISION, Judged, Tally

V3 = Subject("v3")
NODES = [subject for subject in corpus.SUBJECTS if subject.kind == "node"]
OTHERS = [subject for subject in corpus.SUBJECTS if subject.kind != "node"]
GROUP = {"zarr_format": 3, "node_type": "group"}
ARRAY = {
    **GROUP,
    "node_type": "array",
    "shape": [4],
    "data_type": "int64",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": "default",
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}
missing = engines.missing_ajv()
needs_ajv = pytest.mark.skipif(missing is not None, reason=missing or "")


def name_of(subject: Subject) -> str:
    return subject.name


def run(subject: Subject, found: list[Any], engine: str = "jsonschema") -> Tally:
    tallies: dict[str, Tally] = {}
    differential.compare(subject, found, [engine], tallies)
    return tallies[engine]


@cache
def some(subject: Subject) -> list[Any]:
    return corpus.documents(subject, 1000, 0)


@pytest.fixture(scope="module", params=NODES, ids=name_of)
def tally(request: pytest.FixtureRequest) -> Tally:
    return run(request.param, some(request.param))


def test_the_model_and_its_schema_give_the_same_verdicts(tally: Tally) -> None:
    assert [str(each) for each in tally.left] == []
    assert tally.disagreements == 0


def test_documents_of_every_kind_are_compared(tally: Tally) -> None:
    assert min(tally.accepted, tally.refused, tally.single) > 100
    assert sum(tally.explained.values()) > 5
    assert tally.accepted + tally.refused + sum(tally.explained.values()) == tally.documents == 1000


def test_a_schema_tells_of_one_fault_where_it_is_or_beside_it(tally: Tally) -> None:
    assert tally.elsewhere == {}
    assert tally.located > 0.9 * tally.single


@pytest.mark.parametrize("subject", OTHERS, ids=name_of)
def test_schemas_of_one_kind_of_node_give_the_verdicts_of_the_model(subject: Subject) -> None:
    tally = run(subject, corpus.documents(subject, 400, 0))
    assert [str(each) for each in tally.left] == []
    assert min(tally.accepted, tally.refused) > 20


@pytest.mark.parametrize("subject", NODES, ids=name_of)
def test_the_flavour_for_generators_takes_what_has_registered_names(subject: Subject) -> None:
    tallies: dict[str, Tally] = {}
    # Types have no place for members that a reader may ignore.
    made = [each for each in corpus.examples(subject.strategy, 120, 0) if "x-extra" not in str(each)]
    differential.compare(subject, made, ["jsonschema"], tallies, flavour="codegen")
    tally = tallies["jsonschema"]
    assert [str(each) for each in tally.left] == []
    assert tally.accepted > 30


@pytest.mark.parametrize("engine", ["rust", "rust07"])
@pytest.mark.parametrize("subject", NODES, ids=name_of)
def test_the_validator_in_rust_gives_the_verdicts_of_the_model(subject: Subject, engine: str) -> None:
    lacking = engines.missing_rust()
    if lacking:
        pytest.skip(lacking)
    tally = run(subject, some(subject), engine)
    assert [str(each) for each in tally.left] == []
    assert min(tally.accepted, tally.refused) > 100


@needs_ajv
@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"shape": [-1]}, "/shape/0"),
        ({"fill_value": "x"}, "/fill_value"),
        ({"codecs": [{"name": "gzip", "configuration": {"level": 12}}]}, "/codecs/0/configuration/level"),
    ],
)
def test_one_bad_value_is_one_error_of_ajv_beside_those_of_conditions(changes: Any, place: str) -> None:
    found = engines.verdicts(
        "ajv2020", differential.schema_of(V3, "2020-12"), [json.dumps({**ARRAY, **changes})]
    )
    assert [pointer for pointer, keyword in found[0] if keyword != "if"] == [place]


@needs_ajv
@pytest.mark.parametrize("engine", ["ajv2020", "ajv07"])
@pytest.mark.parametrize("subject", NODES, ids=name_of)
def test_ajv_in_strict_mode_gives_the_verdicts_of_the_model(subject: Subject, engine: str) -> None:
    tally = run(subject, some(subject), engine)
    assert [str(each) for each in tally.left] == []
    assert tally.elsewhere == {}


@needs_ajv
@pytest.mark.parametrize("engine", ["ajv2020", "ajv07"])
@pytest.mark.parametrize("subject", [Subject("v3"), Subject("v2"), Subject("v3", "group")], ids=name_of)
def test_ajv_reads_a_hundred_groups_in_each_other(subject: Subject, engine: str) -> None:
    document = subject.group
    for _ in range(100):
        document = {**subject.group, "members": {"a": document}}
    schema = differential.schema_of(subject, engines.ENGINES[engine])
    assert engines.verdicts(engine, schema, [json.dumps(document)]) == [[]]


# --- that it would find what it looks for ------------------------------------------------------------


def changed_schema(monkeypatch: pytest.MonkeyPatch, at: tuple[str, ...], value: Any) -> None:
    schema = copy.deepcopy(differential.schema_of(V3, "2020-12"))
    place = schema
    for step in at[:-1]:
        place = place[step]
    assert at[-1] in place
    place[at[-1]] = value
    monkeypatch.setattr(differential, "schema_of", lambda *_: schema)


def test_a_schema_that_is_too_loose_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    changed_schema(monkeypatch, ("$defs", "array", "properties", "shape"), {})
    tally = run(V3, [ARRAY, {**ARRAY, "shape": [-1]}])
    assert tally.disagreements == 1
    said = str(tally.left[0])
    assert said.startswith("accepted by jsonschema, refused by the model: v3/shape at /shape/0\n    {")


def test_a_schema_that_is_too_narrow_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    changed_schema(monkeypatch, ("$defs", "array", "properties", "shape"), {"type": "array", "maxItems": 0})
    tally = run(V3, [ARRAY, GROUP])
    assert tally.disagreements == 1
    said = str(tally.left[0])
    assert said.startswith("refused by jsonschema, accepted by the model: maxItems at /shape\n    {")


def test_an_error_at_another_place_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    changed_schema(monkeypatch, ("$defs", "array", "properties", "shape"), {})
    changed_schema(monkeypatch, ("$defs", "array", "properties", "codecs"), {"maxItems": 0})
    tally = run(V3, [{**ARRAY, "shape": "x"}])
    assert list(tally.elsewhere) == ["v3/shape shape"]


def test_a_disagreement_ends_the_command_with_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed_schema(monkeypatch, ("$defs", "array", "properties", "shape"), {})
    options = [
        "--documents",
        "400",
        "--form",
        "v3",
        "--kind",
        "node",
        "--engines",
        "jsonschema",
        "--workers",
        "1",
    ]
    assert differential.main(options) == 1
    assert "accepted by jsonschema, refused by the model: v3/shape" in capsys.readouterr().out


def test_the_command_prints_what_it_counted(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--documents",
        "200",
        "--form",
        "draft",
        "--kind",
        "node",
        "--engines",
        "jsonschema",
        "--workers",
        "1",
    ]
    assert differential.main(options) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("draft/node         jsonschema         200 documents: ")
    assert "200 documents, 0 disagreements, " in printed


# --- what explains -----------------------------------------------------------------------------------


def explained(document: Any, *, javascript: bool) -> str | None:
    judged = Judged(document, json.dumps(document), differential.errors_of(V3, document))
    listed = differential.listed_codes(V3)
    return differential.explanation(V3, judged, javascript=javascript, listed=listed)


def test_a_rule_that_is_listed_explains() -> None:
    document = {**ARRAY, "dimension_names": ["x", "y"]}
    assert explained(document, javascript=False) == "v3/dimension-names-length"


def test_a_rule_that_is_not_listed_explains_nothing() -> None:
    document = {**ARRAY, "dimension_names": ["x", "y"], "shape": [-4]}
    assert explained(document, javascript=True) is None


@pytest.mark.parametrize("document", [{**ARRAY, "shape": [2**63]}, {**ARRAY, "fill_value": -(2**63) - 1}])
def test_rounding_explains_a_bound_to_javascript_only(document: Any) -> None:
    assert explained(document, javascript=True) == PRECISION
    assert explained(document, javascript=False) is None


def test_rounding_explains_nothing_that_is_far_from_a_bound() -> None:
    assert explained({**ARRAY, "shape": [2**64]}, javascript=True) is None


# --- the documents -----------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", NODES, ids=name_of)
def test_the_same_seed_gives_the_same_documents(subject: Subject) -> None:
    first, again, other = (corpus.documents(subject, 300, start) for start in (3, 3, 4))
    assert [*map(json.dumps, first)] == [*map(json.dumps, again)] != [*map(json.dumps, other)]


def test_no_document_is_given_twice() -> None:
    texts = [*map(json.dumps, corpus.documents(V3, 500, 1))]
    assert len(set(texts)) == len(texts) == 500


def test_every_place_is_deleted_and_gets_every_type_and_boundary() -> None:
    found = [*mutations.mutants_at({"a": [1]}, ("a", 0))]
    assert {"a": []} in found
    given = [mutant["a"][0] for mutant in found[1:]]
    assert given == [*mutations.OF_EACH_TYPE, *mutations.BOUNDARIES]


def test_a_mutant_leaves_its_document_as_it_was() -> None:
    pool = mutations.Pool(corpus.conformance(V3))
    mutator = mutations.Mutator(pool, Random(0), GROUP)
    before = json.dumps(ARRAY)
    mutants = {json.dumps(mutator.mutant(ARRAY, 2)) for _ in range(500)}
    assert json.dumps(ARRAY) == before
    assert len(mutants) > 300
