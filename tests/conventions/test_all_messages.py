"""What all rules of all conventions say of broken documents: words for people, and suggestions that are near."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

import zom
from zom.testing.convention_cases import document_of, load_cases

HERE = Path(__file__).parent
CORPORA = sorted((HERE.parent / "conformance" / "conventions").glob("*.json"))
MISTAKES = json.loads((HERE / "mistakes" / "mistakes.json").read_text(encoding="utf-8"))
DOCUMENTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in (HERE / "mistakes" / "documents").glob("*.json")
}

REGEX = re.compile(
    r"\[\^?[^\]\s\"']*\w-\w[^\]\s\"']*\]"  # a class such as [a-z]
    r"|\(\?|\\|\.\*|[\])][+*](?!\w)|\^[\w\[(]|\w\$(\W|$)"
)
"""What only regular expressions have."""

EMPTY = re.compile(r"^\s*[,;:]|\s[,;)]|\s\s|,\s*,|\bone of\s*(?:[,;)]|$)|\bor\s*$|\(\s*\)|^\s*$|:\s*,")
"""A list in a sentence that has nothing in it."""

SUGGESTED = re.compile(r"did you mean (.+)\?")
NAME = re.compile(r"'([^']+)'")


def say(document: object, asked: object) -> set[tuple[str, str, str, str | None]]:
    report = zom.validate(document, conventions=asked, profile="full")
    return {
        (each.code, each.expected, each.found, each.fix)
        for each in (*report, *report.resting)
        if not each.code.startswith("json/")
    }


@cache
def said_of_cases(path: Path) -> frozenset[tuple[str, str, str, str | None]]:
    cases = load_cases(path)
    return frozenset().union(
        *(say(case.document, [case.convention]) for case in cases if case.findings is not None)
    )


@cache
def said_of_mistakes() -> frozenset[tuple[str, str, str, str | None]]:
    return frozenset().union(
        *(
            say(document_of({**mistake, "document": name}, DOCUMENTS), "auto")
            for name, content in MISTAKES.items()
            for mistake in content["mistakes"]
        )
    )


def said(corpus: Path | None) -> frozenset[tuple[str, str, str, str | None]]:
    found = said_of_mistakes() if corpus is None else said_of_cases(corpus)
    assert found
    return found


def changes(one: str, other: str) -> int:
    """How many letters one has to insert, leave out or replace."""
    rows = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, rows[0] = rows[0], i
        for j, another in enumerate(other, 1):
            before, rows[j] = rows[j], min(rows[j] + 1, rows[j - 1] + 1, before + (letter != another))
    return rows[-1]


def is_near(found: str, meant: str) -> bool:
    one, other = found.casefold(), meant.casefold()
    longest = max(len(one), len(other))
    return other.startswith(one) or one.startswith(other) or changes(one, other) <= max(2, longest // 2)


EVERYWHERE = pytest.mark.parametrize(
    "corpus", [None, *CORPORA], ids=lambda path: "mistakes" if path is None else path.stem
)


@pytest.mark.slow
@EVERYWHERE
def test_no_message_shows_a_regular_expression(corpus):
    wrong = {(code, text) for code, expected, _, fix in said(corpus) for text in (expected, fix or "")}
    assert {(code, text) for code, text in wrong if REGEX.search(text)} == set()


@EVERYWHERE
def test_no_message_has_an_empty_list(corpus):
    wrong = {(code, text) for code, expected, _, fix in said(corpus) for text in (expected, fix or "none")}
    assert {(code, text) for code, text in wrong if EMPTY.search(text)} == set()


@EVERYWHERE
def test_what_is_suggested_is_near_to_what_was_found(corpus):
    far: set[tuple[str, str, str]] = set()
    for code, _, found, fix in said(corpus):
        told = SUGGESTED.search(fix or "")
        words = re.findall(r"[^\s\"'\[\],/]+", found)
        shown = NAME.findall(told[1]) if told else ()
        if found.startswith("nothing") or code == "v3/unknown-member":
            continue  # what is missing has another name, and what is unknown is not found by its value
        far |= {
            (code, found, each)
            for each in shown
            if not any(is_near(word, each) for word in (*words, found.strip("\"'")))
        }
    assert far == set()


@pytest.mark.parametrize(("text", "is_one"), [
    ("a string like ^[A-Za-z0-9]+$", True), ("[Uu][Pp]|[Dd]own", False), ("(?:up|down)", True), (r"\d+", True),
    ("x.*", True), ("a number from 0 to 9", False), ("'days since 2000-01-01'", False), ('["t", "y-x"]', False),
    ("axis[0].name", False), ("of the dimensions , or of some of them", False), ("did you mean 'a'?", False),
])  # fmt: skip
def test_what_counts_as_a_regular_expression(text, is_one):
    assert bool(REGEX.search(text)) == is_one


@pytest.mark.parametrize(("text", "is_one"), [
    ("of the dimensions , or of some of them", True), ("one of , or b", True), ("a or ", True), ("one of", True),
    ("known: ()", True), ("", True), ("expected one of, or more", True), ("one of a, b or c", False), ("write spatial: for proj:", False),
    ("the acquisition that the image is part of", False), ("[] where there are none", False),
])  # fmt: skip
def test_what_counts_as_an_empty_list(text, is_one):
    assert bool(EMPTY.search(text)) == is_one


@pytest.mark.parametrize(("found", "meant", "near"), [
    ("average", "range", False), ("latt", "lat", True), ("max", "maximum", True),
    ("Degrees_North", "degrees_north", True), ("temperature", "salinity", False),
])  # fmt: skip
def test_what_counts_as_near(found, meant, near):
    assert is_near(found, meant) == near
