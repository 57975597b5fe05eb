"""Tests for every convention: subclass `ConventionSuite`, name it, and give examples that keep and break it.

class TestDggs(ConventionSuite):
    convention = dggs
    good = (a group that keeps all rules,)
    bad = {"dggs/name-lower": (a group that breaks this one,)}
"""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import zom
from zom.conventions import Convention, conventions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ConventionSuite"]


class ConventionSuite:
    """Tests of a convention; set `convention`, `good` and `bad`."""

    convention: ClassVar[Convention]
    good: ClassVar[Sequence[Any]]
    """Specs or documents that keep every rule."""
    bad: ClassVar[Mapping[str, Sequence[Any]]]
    """By the code of each rule, specs or documents that break only this rule."""

    def _judged(self, subject: Any) -> Any:
        return zom.validate(subject, conventions=[self.convention], profile="full")

    def test_it_is_registered_and_keeps_the_contract(self) -> None:
        assert conventions.faults(self.convention) == []
        assert conventions.find(self.convention.name) is self.convention

    def test_it_is_found_at_what_keeps_it(self) -> None:
        assert self.good, "expected an example that follows the convention"
        for subject in self.good:
            names = [found.convention for found in zom.validate(subject).conventions]
            assert self.convention.name in names, (
                f"expected {self.convention.name} to be found, found {names}"
            )

    def test_what_keeps_it_has_no_finding(self) -> None:
        for subject in self.good:
            found = [str(problem) for problem in self._judged(subject)]
            assert not found, f"expected no finding, found {found}"

    def test_a_mistake_is_one_finding(self) -> None:
        """One fault is one finding, with the code of the rule, and what was expected and found."""
        for code, subjects in self.bad.items():
            for subject in subjects:
                found = [*self._judged(subject)]
                codes = [problem.code for problem in found]
                assert codes == [code], f"expected {code} once, found {codes}"
                assert found[0].expected, f"{code}: expected a description of the correct value"

    def test_every_rule_is_shown_broken(self) -> None:
        rules = {code for code, _ in self.convention.codes()}
        assert rules == {*self.bad}, f"no mistake shows {sorted(rules - {*self.bad})}"

    def test_what_is_not_its_own_is_not_judged(self) -> None:
        """A node with other attributes has no finding, and the convention is not found there."""
        empty = zom.v3.GroupSpec(attributes={"of_somebody_else": 1}, members={})
        report = zom.validate(empty)
        everywhere = self.convention.everywhere
        assert everywhere or self.convention.name not in [found.convention for found in report.conventions]

    def test_its_schema_takes_what_keeps_it(self) -> None:
        from jsonschema import (  # noqa: PLC0415 - slow to import
            Draft202012Validator,
        )

        schema = self.convention.json_schema()
        Draft202012Validator.check_schema(schema)
        json.dumps(schema)
        for subject in self.good:
            document = subject.to_dict() if hasattr(subject, "to_dict") else subject
            validator: Any = Draft202012Validator(schema)
            errors = [error.message for error in validator.iter_errors(document)]
            assert not errors, f"expected the schema to accept valid examples, found {errors[:3]}"

    def test_every_rule_has_a_sentence(self) -> None:
        for code, rule in self.convention.codes():
            assert rule.text.strip(), f"{code}: expected a sentence for users"
            assert not rule.text.endswith("."), f"{code}: expected a sentence without a full stop"
