"""Rules with their checks: a sentence, how binding it is, what checks it, and what to do.

Conventions consist of them, and templates are compiled to them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from zom.checks.check import AROUND, Check, Outcome, Site
from zom.checks.equality import equal, is_whole
from zom.checks.selector import parse_selector
from zom.dataclass import dataclass
from zom.errors import ExtensionError

if TYPE_CHECKING:
    from zom.formats.node_view import Node
    from zom.problems import Severity

__all__ = [
    "PROFILES",
    "CheckedRule",
    "Condition",
    "Profile",
    "RequirementLevel",
    "Source",
    "above",
    "alike",
    "at_root",
    "attribute_in",
    "has",
    "holds",
    "is_a",
    "is_like",
    "is_value",
    "lacks",
    "schema",
]

RequirementLevel = Literal["MUST", "SHOULD", "NOTE"]
"""How binding a rule is."""

Source = Literal["text", "schema", "both"]
"""Where a rule is stated: the text of the specification, its JSON Schema, or both."""

Profile = Literal["text", "schema", "strict", "full"]
"""Rules to check: the text's, the schema's, the schema's with SHOULD as MUST, or all with SHOULD as MUST."""

PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)

Condition = dict[str, Any]
"""When a rule applies, as JSON; see `has`, `lacks`, `is_value`, `is_like`, `is_a`, `at_root` and `above`."""

_DEMANDING: Final[tuple[Profile, ...]] = ("strict", "full")
"""The profiles in which SHOULD is as binding as MUST."""

_SEVERITY: Final[dict[RequirementLevel, Severity]] = {"MUST": "error", "SHOULD": "warning", "NOTE": "note"}


def has(selector: str) -> Condition:
    """Condition: the selector finds something.

    >>> has("ome.plate")
    {'has': 'ome.plate'}
    """
    parse_selector(selector)
    return {"has": selector}


def lacks(selector: str) -> Condition:
    """Condition: the selector finds nothing.

    >>> lacks("ome.plate")
    {'lacks': 'ome.plate'}
    """
    parse_selector(selector)
    return {"lacks": selector}


def is_value(selector: str, *values: Any) -> Condition:
    """Condition: the selector finds one of these values.

    >>> is_value("encoding-type", "dataframe")
    {'at': 'encoding-type', 'values': ['dataframe']}
    """
    parse_selector(selector)
    return {"at": selector, "values": list(values)}


def is_a(kind: Literal["array", "group"]) -> Condition:
    """Condition: the node is a group, or an array.

    >>> is_a("group")
    {'kind': 'group'}
    """
    return {"kind": kind}


def is_like(selector: str, regex: str) -> Condition:
    """Condition: the selector finds a text that the regular expression matches as a whole, as in `pattern`.

    >>> is_like("Conventions", ".*CF-.*")
    {'at': 'Conventions', 'like': '.*CF-.*'}
    """
    parse_selector(selector)
    return {"at": selector, "like": regex}


def at_root(condition: Condition) -> Condition:
    """Condition: `condition` holds at the root of the hierarchy.

    >>> at_root(has("Conventions"))
    {'root': {'has': 'Conventions'}}
    """
    return {"root": condition}


def above(condition: Condition) -> Condition:
    """Condition: `condition` holds at the node or at any group above it.

    >>> above(has("Conventions"))
    {'above': {'has': 'Conventions'}}
    """
    return {"above": condition}


def holds(condition: Condition, site: Site) -> bool:
    """Whether the condition holds at `site`."""
    if "root" in condition:
        return _holds_at_root(condition["root"], site.node.root)
    if "above" in condition:
        return _holds_above(condition["above"], site.node)
    if "has" in condition:
        return bool(site.values(condition["has"]))
    if "lacks" in condition:
        return not site.values(condition["lacks"])
    if "kind" in condition:
        return bool(site.node.kind == condition["kind"])
    return any(_fits(condition, found.value) for found in site.values(condition["at"]))


def attribute_in(condition: Condition) -> str | None:
    """The attribute that a node has wherever the condition holds, or None if it needs none of the node's own.

    >>> attribute_in(has("ome.plate")), attribute_in(lacks("ome")), attribute_in(above(has("ome")))
    ('ome', None, None)
    """
    selector = condition.get("has", condition.get("at"))
    if not isinstance(selector, str):
        return None
    parsed = parse_selector(selector)
    return str(parsed.steps[0]) if parsed.start == "attributes" and parsed.steps else None


def _holds_at_root(condition: Condition, root: Node) -> bool:
    """Whether the condition holds at the root; cached, so that it isn't judged for each node."""
    key = ("root", id(condition))
    # Store the condition, too, so that its id isn't reused.
    known: tuple[Condition, bool] | None = root.memory.get(key)
    if known is None:
        known = root.memory[key] = (condition, holds(condition, Site(root, root)))
    return known[1]


def _holds_above(condition: Condition, node: Node) -> bool:
    """Whether the condition holds at the node or above it; cached, so that ancestors are judged once."""
    key = ("above", id(condition))
    way: list[Node] = []
    is_true = False
    for each in chain((node,), node.ancestors()):
        # Store the condition, too, so that its id isn't reused.
        known: tuple[Condition, bool] | None = each.memory.get(key)
        if known is not None:
            is_true = known[1]
            break
        way.append(each)
    for each in reversed(way):
        is_true = is_true or holds(condition, Site(each, each))
        each.memory[key] = (condition, is_true)
    return is_true


def _fits(condition: Condition, value: Any) -> bool:
    if "like" in condition:
        return isinstance(value, str) and is_whole(condition["like"], value)
    return any(equal(value, each) for each in condition["values"])


def schema() -> Check:
    """The check of a rule that the type of a model field enforces; it finds nothing itself.

    >>> schema().name
    'schema'
    """
    return Check("schema", {}, _judged_with_the_model)


def _judged_with_the_model(site: Site) -> Outcome:
    del site
    return ()


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A rule and its check, as data; `must`, `should` or `note` is its sentence, and says how binding it is.

    With `each`, the check runs for every value that this selector finds in the attributes, and selectors
    that begin with a dot start there. `when` holds the conditions for the rule to apply. `on` limits it to
    one kind of node; by default it applies to all nodes of the convention.

    >>> from zom.checks.values import pattern
    >>> rule = CheckedRule("name-lower", pattern("[a-z]+", at="name"), must="the name is in lower case")
    >>> rule.level, rule.text
    ('MUST', 'the name is in lower case')
    """

    id: str
    check: Check
    must: str | None = None
    should: str | None = None
    note: str | None = None
    fix: str | None = None
    link: str | None = None
    source: Source = "text"
    each: str | None = None
    when: tuple[Condition, ...] = ()
    on: Literal["array", "group"] | None = None
    after: tuple[str, ...] = ()
    """Ids of rules that it depends on, as patterns such as "bounds-*": if one of them fails at the node,
    or at a node that the finding mentions, this rule is silent."""
    after_any: tuple[str, ...] = ()
    """Like `after`, for failures anywhere in the hierarchy: for rules on what nothing else names."""
    reads: tuple[str, ...] = ()
    """Selectors of values it compares with, if its check names none: it is silent while they have faults."""
    advice: bool = False
    """Whether well-made files ignore it, too: a breach of such a SHOULD is a note."""
    since: str | None = None
    """The convention version that introduced it, such as "1.7"; documents that name an older one skip it."""
    until: str | None = None
    """The convention version that removed it; documents that name this or a newer one skip it."""

    def __post_init__(self) -> None:
        said = [text for text in (self.must, self.should, self.note) if text is not None]
        if len(said) > 1:
            message = f"rule {self.id!r}: expected one of must=, should= and note=, got {len(said)}"
            raise ExtensionError(message)
        if self.each is not None and parse_selector(self.each).start != "attributes":
            message = f"rule {self.id!r}: each={self.each!r} must start at the attributes"
            raise ExtensionError(message)
        for selector in self.reads:
            parse_selector(selector)  # an invalid selector raises at once
        if isinstance(self.when, dict):
            object.__setattr__(self, "when", (self.when,))

    @property
    def level(self) -> RequirementLevel:
        """How binding it is; MUST by default."""
        if self.should is not None:
            return "SHOULD"
        return "MUST" if self.note is None else "NOTE"

    @property
    def text(self) -> str:
        """Its sentence, or its id as words if it has none."""
        return self.must or self.should or self.note or f"{self.id.replace('-', ' ')}"

    def severity(self, profile: Profile = "text") -> Severity:
        """The severity of a breach.

        >>> from zom.checks.values import required
        >>> rule = CheckedRule("title", required("title"), should="there is a title")
        >>> rule.severity(), rule.severity("full")
        ('warning', 'error')
        >>> replace(rule, advice=True).severity()
        'note'
        """
        if profile in _DEMANDING and self.level == "SHOULD":
            return "error"
        return "note" if self.advice and self.should is not None else _SEVERITY[self.level]

    def is_in(self, profile: Profile) -> bool:
        """Whether the profile includes the rule.

        >>> from zom.checks.values import required
        >>> CheckedRule("title", required("title"), must="there is a title", source="schema").is_in("text")
        False
        """
        stated = "schema" if profile == "strict" else profile
        return profile == "full" or self.source in {stated, "both"}

    @property
    def is_schema(self) -> bool:
        """Whether the model of the attributes judges it."""
        return self.check.name == "schema"

    @property
    def is_portable(self) -> bool:
        """Whether a program in another language can run it."""
        return self.check.is_portable

    @property
    def is_local(self) -> bool:
        """Whether it reads the document of one node only."""
        selectors = (each.get("has") or each.get("lacks") or each.get("at") or "" for each in self.when)
        if any({"root", "above"} & each.keys() for each in self.when):
            return False
        return self.check.is_local and not any(each.startswith(AROUND) for each in selectors)

    def beside(self, selector: str) -> CheckedRule:
        """The same rule for the values of a model field, at `selector`."""
        return replace(self, each=selector)

    def to_dict(self, code: str | None = None) -> dict[str, Any]:
        """The rule as plain JSON, as `x-zom-rules` publishes it.

        >>> from zom.checks.values import required
        >>> CheckedRule("title", required("title"), should="there is a title").to_dict("dggs/title")["check"]
        'required'
        """
        facts: dict[str, Any] = {
            "id": code or self.id,
            "level": self.level,
            "text": self.text,
            "source": self.source,
            "check": self.check.name,
            "params": dict(self.check.params),
            "portable": self.is_portable,
        }
        optional = {
            "each": self.each,
            "when": list(self.when) or None,
            "on": self.on,
            "fix": self.fix,
            "link": self.link,
            "after": list(self.after) or None,
            "after_any": list(self.after_any) or None,
            "reads": list(self.reads) or None,
            "advice": self.advice or None,
            "since": self.since,
            "until": self.until,
        }
        return {**facts, **{name: value for name, value in optional.items() if value is not None}}


def alike(rule: CheckedRule, *checks: Check) -> tuple[CheckedRule, ...]:
    """The rule, and copies of it with other checks, for what one check can't express.

    >>> from zom.conventions import json_type
    >>> rule = CheckedRule("number", json_type(["number"], at="a"), must="a and b are numbers")
    >>> [each.id for each in alike(rule, json_type(["number"], at="b"))]
    ['number', 'number']
    """
    return (rule, *(replace(rule, check=each) for each in checks))
