"""Explanations: the rule behind the code of a finding, with a right and a wrong example.

docs/generate_examples.py cuts the examples out of the conformance cases.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_args

from zom.checks.checked_rule import PROFILES
from zom.conventions.framework.registered import conventions
from zom.dataclass import dataclass
from zom.errors import UnknownName
from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.extension.registry import did_you_mean, near
from zom.json.read import read_json
from zom.problems import Level as Asked
from zom.problems import dotted, rules, show, split_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.checks.checked_rule import CheckedRule, RequirementLevel
    from zom.conventions.framework.convention import Convention
    from zom.problems import Rule, Severity

__all__ = ["Example", "Explanation", "explain"]

_LEVELS: Final[tuple[Asked, ...]] = get_args(Asked)
_SHOWN: Final = 400
"""The maximum length of a printed example."""


@dataclass(frozen=True, slots=True)
class Example:
    """A part of a hierarchy that follows a rule, and the same part of one that breaks it.

    >>> import zom
    >>> zom.explain("xarray/coords-exist").example.wrong
    'latt'
    """

    node: str
    """The path of the node of the example."""
    pointer: str
    """The JSON pointer of the part in the node's own document; "" for the whole node."""
    right: Any
    wrong: Any

    @property
    def place(self) -> str:
        """The place of the part in readable form."""
        inside = dotted(int(step) if step.isdecimal() else step for step in split_pointer(self.pointer))
        return f"{self.node}: {inside}" if inside else self.node


@dataclass(frozen=True, slots=True)
class Explanation:
    """A rule, and how to fix a breach of it.

    >>> import zom
    >>> print(zom.explain("json/duplicate-key"))
    json/duplicate-key
      rule         the names in an object are unique; the last value of a repeated name counts
      source       RFC 8259, section 4
      severity     lenient: warning, strict: error, closed: error
      JSON Schema  cannot express it
    """

    code: str
    text: str
    """The sentence of the rule."""
    source: str
    """The source: "text", "schema" or "both" for a convention's rule, else a place in a specification."""
    severities: Mapping[str, Severity | None]
    """The severity of a breach: by profile for a convention's rule, else by level; None if allowed."""
    level: RequirementLevel | None = None
    """The requirement level of a convention's rule."""
    convention: str | None = None
    fix: str | None = None
    link: str | None = None
    """The URL of the requirement in the specification."""
    check: str | None = None
    """The check of a convention's rule: a name of the vocabulary, or "python"."""
    schema: bool = False
    """Whether JSON Schema can express it."""
    example: Example | None = None
    others: tuple[Explanation, ...] = field(default=(), repr=False)
    """The same code in other versions of the convention."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.code
        facts = self._own_facts() if self.convention is None else self._facts()
        facts = {name: text for name, text in facts.items() if text is not None}
        width = max(map(len, facts)) + 2
        for name, text in facts.items():
            yield f"  {name:<{width}}{text}"

    def _own_facts(self) -> dict[str, str | None]:
        said = ", ".join(f"{level}: {severity or 'allowed'}" for level, severity in self.severities.items())
        able = "can" if self.schema else "cannot"
        return {
            "rule": self.text,
            "source": self.source,
            "severity": said,
            "JSON Schema": f"{able} express it",
        }

    def _facts(self) -> dict[str, str | None]:
        facts = {
            "rule": self.text,
            "level": f"{self.level}, {_stated(self.source)}",
            "convention": ", ".join(str(each.convention) for each in (self, *self.others)),
            "fix": self.fix,
            "link": self.link,
            "checked by": self.check if self.check != "python" else "a function in Python",
        }
        if self.example is not None:
            facts["example at"] = self.example.place
            facts["right"] = show(self.example.right, _SHOWN)
            facts["wrong"] = show(self.example.wrong, _SHOWN)
        for each in self.others:
            if (each.text, each.level) != (self.text, self.level):
                facts[f"in {each.convention}"] = f"{each.level}: {each.text}"
        return facts


def _stated(source: str) -> str:
    named = {
        "text": "the text",
        "schema": "the published schema",
        "both": "the text and the published schema",
    }
    return f"stated by {named[source]}"


def explain(code: str, convention: str | None = None) -> Explanation:
    """Explain the code of a finding: the rule, its level, the fix, and an example.

    If several versions of a convention have the code, the newest one is explained, or the one in
    `convention`.

    >>> print(explain("ome/axes-order", "ome/0.5").level)
    MUST
    """
    own = rules().get(code)
    if own is None:
        for registry in (codecs, data_types, chunk_grids, chunk_key_encodings):
            registry.plugins.ensure()  # it may be a rule of a plugin's extension
        own = rules().get(code)
    if own is not None and convention is None:
        return _own(own)
    found = [
        _explanation(each, rule)
        for each in conventions
        for name, rule in each.codes()
        if name == code and convention in {None, each.name}
    ]
    if not found:
        raise UnknownName(_unknown(code, convention))
    *others, last = sorted(found, key=_newness)
    return replace(last, others=tuple(reversed(others)))


def _newness(explanation: Explanation) -> tuple[bool, bool, list[int], str]:
    """The sort key of versions: those with an example rank highest, then final ones, then newer ones."""
    _, _, version = str(explanation.convention).partition("/")
    rest = version.lstrip("v0123456789.")
    places = [int(number) for number in re.findall(r"\d+", version.removesuffix(rest))]
    return explanation.example is not None, not rest, places, rest


def _own(rule: Rule) -> Explanation:
    severities: dict[str, Severity | None] = {level: rule.severity(level) for level in _LEVELS}
    return Explanation(rule.code, rule.text, rule.source, severities, schema=rule.schema)


def _explanation(convention: Convention, rule: CheckedRule) -> Explanation:
    code = convention.code(rule)
    return Explanation(
        code,
        rule.text,
        rule.source,
        {profile: rule.severity(profile) if rule.is_in(profile) else None for profile in PROFILES},
        rule.level,
        convention.name,
        rule.fix,
        rule.link or convention.link,
        rule.check.name,
        rule.is_schema,
        _example(convention.name, code),
    )


def _example(convention: str, code: str) -> Example | None:
    found = _examples().get(convention, {}).get(code)
    return None if found is None else Example(**found)


@cache
def _examples() -> dict[str, dict[str, dict[str, Any]]]:
    from importlib.resources import files  # noqa: PLC0415 - slow to import

    text = files("zom.conventions").joinpath("examples.json").read_text(encoding="utf-8")
    made: dict[str, dict[str, dict[str, Any]]] = read_json(text, [])
    return made


def _unknown(code: str, convention: str | None) -> str:
    if any(code in {each.id, each.name} for each in conventions):
        every = f"{code.partition('/')[0]}/*"
        return f"{code!r} is a convention, not a rule; zom rules {every!r} lists its rules"
    names = [each.name for each in conventions]
    if convention is not None and convention not in names:
        step = did_you_mean(near(convention, names), names) or "see zom rules"
        return f"no convention named {convention!r} is registered; {step}"
    wanted = "no rule" if convention is None else f"no rule of {convention!r}"
    known = [name for each in conventions for name, _ in each.codes() if convention in {None, each.name}]
    if convention is None:
        known.extend(rules())
    known = sorted(set(known))
    ends = [repr(name) for name in known if name.endswith(f"/{code}")]
    hint = (
        f"did you mean {' or '.join(ends[:3])}?"
        if ends
        else did_you_mean(near(code, known, most=len(known)), known)
    )
    return f"{wanted} has the code {code!r}; {hint or 'run zom rules for the list'}"
