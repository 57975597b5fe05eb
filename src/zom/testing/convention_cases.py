"""Test cases of conventions: documents, and the rules they keep and break, as JSON for any language.

A file holds `convention`, `rules`, and `documents` that cases may name. A rule has cases that keep it, under
`pass`, and cases that break it, under `fail`, with the node and the pointer of each finding. A case may
`change` and `remove` parts of its document, by RFC 6901 pointers.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.json.read import read_json
from zom.json.value import thaw
from zom.problems import split_pointer

if TYPE_CHECKING:
    from pathlib import Path

    from zom.checks.checked_rule import Profile

__all__ = ["Case", "document_of", "load_cases"]


class Case(NamedTuple):
    """One document, and the expected result of one rule."""

    convention: str
    rule: dict[str, Any]
    name: str
    document: Any
    findings: list[tuple[str, str]] | None
    """Node and pointer of each finding; None if the rule is kept."""

    @property
    def profile(self) -> Profile:
        """The profile under which the rule is checked."""
        return "schema" if self.rule.get("source") == "schema" else "text"


def load_cases(path: Path) -> list[Case]:
    """All cases of a file, with their documents assembled."""
    content = thaw(read_json(path.read_text(encoding="utf-8"), []))
    named = content.get("documents", {})
    cases: list[Case] = []
    for rule in content["rules"]:
        for kind in ("pass", "fail"):
            for case in rule[kind]:
                findings = [(each["node"], each["pointer"]) for each in case.get("findings", ())]
                expected = findings if kind == "fail" else None
                document = document_of(case, named)
                cases.append(Case(content["convention"], rule, case["name"], document, expected))
    return cases


def document_of(case: dict[str, Any], named: dict[str, Any]) -> Any:
    """The document of a case: its own, or a named one, with the case's changes.

    >>> document_of({"document": "a", "change": [{"pointer": "/x/0", "value": 2}]}, {"a": {"x": [1]}})
    {'x': [2]}
    """
    given = case["document"]
    document = copy.deepcopy(named[given] if isinstance(given, str) else given)
    for change in case.get("change", ()):
        value = copy.deepcopy(change["value"])
        if not change["pointer"]:
            document = value
            continue
        around, step = _around(document, change["pointer"])
        if _is_list(around) and step == len(around):
            around.append(value)
        else:
            around[step] = value
    for pointer in case.get("remove", ()):
        around, step = _around(document, pointer)
        del around[step]
    return document


def _around(document: Any, pointer: str) -> tuple[Any, Any]:
    """The container of the value at `pointer`, and the last step; "-" means after the end."""
    here: Any = document
    last: Any = None
    for step in split_pointer(pointer):
        here = here if last is None else here[last]
        last = _index(here, step) if _is_list(here) else step
    return here, last


def _index(items: Any, step: str) -> int:
    return len(items) if step == "-" else int(step)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)  # a plain bool, so that the type of the value isn't narrowed
