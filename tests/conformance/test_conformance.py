"""Every case of the conformance corpus: documents, and exactly the problems that each of them has.

The files beside this one say what is expected, in JSON that any language can read; README.md says how.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from zom import rules
from zom.formats.families import ENTRY_POINT, FAMILIES, V3
from zom.model.assembly import assemble

if TYPE_CHECKING:
    from zom.model.family import Family

HERE = Path(__file__).parent
MEMBERS = {"name", "cites", "level", "document", "text", "kind", "problems"}


class Case(NamedTuple):
    """One case, and the file that it stands in."""

    file: str
    facts: dict[str, Any]

    @property
    def family(self) -> Family:
        """The format that the document is read as."""
        if self.facts.get("kind") == "entry point":
            return ENTRY_POINT
        return FAMILIES[self.file.partition("/")[0]]

    @property
    def source(self) -> Any:
        """What is given to the checker: a text, or a value."""
        return self.facts["text"] if "text" in self.facts else self.facts["document"]

    @property
    def expected(self) -> Counter[tuple[str, str, str]]:
        """Each problem with how often it is found."""
        return Counter((p["code"], p["pointer"], p["severity"]) for p in self.facts["problems"])


def load() -> list[Case]:
    return [
        Case(path.relative_to(HERE).as_posix(), facts)
        for folder in FAMILIES
        for path in sorted((HERE / folder).glob("*.json"))
        for facts in json.loads(path.read_text(encoding="utf-8"))
    ]


CASES = load()
VALID = [case for case in CASES if not case.facts["problems"]]
DOCUMENTS = [case for case in CASES if isinstance(case.facts.get("document"), dict)]


def name_of(case: Case) -> str:
    return f"{case.file.removesuffix('.json')}/{case.facts['name']}"


def found(source: Any, case: Case) -> Counter[tuple[str, str, str]]:
    _, problems = assemble(case.family, source, case.facts["level"])
    return Counter((p.code, p.pointer, p.severity) for p in problems)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_document_has_exactly_the_problems_that_its_case_lists(case: Case) -> None:
    assert found(case.source, case) == case.expected


@pytest.mark.parametrize("case", DOCUMENTS, ids=name_of)
def test_a_document_has_the_same_problems_as_text(case: Case) -> None:
    assert found(json.dumps(case.source), case) == case.expected


@pytest.mark.parametrize("case", VALID, ids=name_of)
def test_a_valid_document_is_written_again_as_it_was_read(case: Case) -> None:
    spec, _ = assemble(case.family, case.source, case.facts["level"])
    assert spec is not None
    given = json.loads(case.source) if isinstance(case.source, str) else case.source
    # Compared as text, so that the order of members, 1 and 1.0, and 0.0 and -0.0 are kept apart.
    assert json.dumps(json.loads(spec.to_json())) == json.dumps(given)


def test_every_case_has_a_name_of_its_own() -> None:
    counts = Counter((case.file.partition("/")[0], case.facts["name"]) for case in CASES)
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_case_is_formed_as_the_readme_says(case: Case) -> None:
    facts = case.facts
    assert MEMBERS >= facts.keys() >= {"name", "cites", "level", "problems"}
    assert ("document" in facts) != ("text" in facts)
    assert facts["level"] in {"lenient", "strict", "closed"}
    assert facts["cites"]
    for problem in facts["problems"]:
        assert list(problem) == ["code", "pointer", "severity"]
        rule = rules()[problem["code"]]
        assert rule.severity(facts["level"]) == problem["severity"]


def test_the_corpus_of_v3_is_not_cut_short() -> None:
    assert sum(case.family is V3 for case in CASES) >= 1200
