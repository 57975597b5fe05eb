"""Findings: all problems of the documents of a hierarchy, each with node, key, and line.

Problems that the model finds in a tree of documents are assigned to the stored document that they are in,
under its key.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

from zom.errors import SpecError, SpecWarning
from zom.json.read import read_json
from zom.limits import DEFAULT_LIMITS
from zom.model.location import with_lines
from zom.model.said_once import said_once
from zom.problems import Fault, Problem, rule
from zom.stores import oddities as store_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zom.errors import StoreError
    from zom.limits import Limits
    from zom.model.location import Places
    from zom.problems import Level
    from zom.stores.oddities import Oddity

__all__ = ["DOCUMENT_SIZE", "NOT_JSON", "UNLISTED_GROUP", "UNREADABLE", "Findings", "warn"]

DOCUMENT_SIZE = rule(
    "store/document-size",
    "a document in a store is not longer than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)

UNREADABLE = rule(
    "store/unreadable-node", "the documents of a node can be read", source="Zarr v3, section Stores: get"
)
UNLISTED_GROUP = rule(
    "store/unlisted-group",
    "the members of a group, and the keys of its nodes, can be listed",
    source="Zarr v3, section Stores: list_dir and list_prefix",
)

_RULES = store_rules
"""Imported here to register them for `zom.rules()`."""

NOT_JSON: Final = object()
"""The value of a document that is not valid JSON; a problem says why."""

_SHOWN = 10
"""The number of problems of one rule that a warning shows."""


class Findings:
    r"""The problems found while documents of one store are read.

    >>> findings = Findings("memory://", "lenient")
    >>> findings.value("a/zarr.json", "/a", b'{"shape":\n oops}') is NOT_JSON
    True
    >>> findings.problems[0].key, findings.problems[0].line
    ('a/zarr.json', 2)
    """

    def __init__(self, subject: str, level: Level, limits: Limits = DEFAULT_LIMITS) -> None:
        self.subject = subject
        self.level: Level = level
        self.limits = limits
        self._found: list[Problem] = []
        self._texts: dict[str, bytes] = {}

    def value(self, key: str, node: str, text: bytes, *, whole: bool = False) -> Any:
        """The JSON value of a document, or NOT_JSON with a problem that says why.

        `whole` means that the document holds a whole hierarchy, and has no size limit.
        """
        faults: list[Fault] = []
        # Only consolidated metadata holds the documents of many nodes.
        whole = whole or b'"consolidated_metadata"' in text
        if len(text) > self.limits.document_bytes and not whole:
            most, found = f"at most {self.limits.document_bytes} bytes", f"{len(text)} bytes"
            fix = "raise zom.Limits(document_bytes=...)"
            self.add(Fault(DOCUMENT_SIZE, (), most, found, fix), node=node, key=key)
            return NOT_JSON
        value = read_json(text, faults, limits=self.limits)
        for fault in faults:
            self.add(fault, node=node, key=key, text=text)
        return NOT_JSON if value is None and faults else value

    def add(
        self,
        fault: Fault,
        *,
        node: str,
        key: str | None = None,
        text: bytes | None = None,
    ) -> None:
        """Add a problem of the node, and of the document under `key` with the content `text`."""
        severity = fault.rule.severity(self.level)
        if severity is None:
            return
        self.place(fault.problem(severity, node, key=key), text)

    def note_failure(self, error: StoreError, *, node: str, key: str | None = None) -> None:
        """Report a document that can't be read; without a key, members that can't be listed."""
        rule, expected = UNREADABLE, "a document that can be read"
        if key is None:
            rule, expected = UNLISTED_GROUP, "members that can be listed"
        # Without a fix, the error would advise correcting a document that may be sound.
        fault = Fault(rule, (), expected, error.reason, error.step or None)
        self.add(fault, node=node, key=key)

    def note_oddities(self, oddities: Iterable[Oddity], *, node: str) -> None:
        """Report oddities of the store that holds the node."""
        for fault, key in oddities:
            self.add(fault, node=node, key=key)

    def place(self, problem: Problem, text: bytes | None) -> None:
        """Add a problem whose pointer refers to the document under its key, which has the content `text`."""
        if text is not None and problem.key is not None:
            self._texts[problem.key] = text
        self._found.append(problem)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, with their lines."""
        if self._texts:
            by_key: dict[str | None, list[Problem]] = {}
            for problem in self._found:
                by_key.setdefault(problem.key, []).append(problem)
            known: Places = {}
            located: dict[int, Problem] = {}
            for key, text in self._texts.items():
                said = said_once(by_key[key])
                located.update(zip(map(id, said), with_lines(tuple(said), text, known), strict=True))
            self._found = [
                located.get(id(each), each)
                for each in self._found
                if id(each) in located or each.key not in self._texts
            ]
            self._texts.clear()
        return tuple(self._found)

    def knows(self, code: str, node: str) -> bool:
        """Whether this problem of the node was already added."""
        return any(each.code == code and each.node == node for each in self._found)

    def withdraw(self, code: str, key: str) -> None:
        """Remove a problem of a key, because a worse one replaces it."""
        self._found = [each for each in self._found if (each.code, each.key) != (code, key)]

    def clear(self) -> None:
        """Remove all findings, because what was read doesn't count."""
        self._found.clear()
        self._texts.clear()

    @property
    def failed(self) -> bool:
        """Whether any problem is an error."""
        return any(problem.severity == "error" for problem in self._found)

    def raise_errors(self) -> None:
        """Raise SpecError with all problems if one of them is an error."""
        if self.failed:
            raise SpecError(self.problems, self.subject)

    def warn(self, on_warning: Callable[[Problem], None] | None, stacklevel: int) -> None:
        """Pass each problem to `on_warning`; without it, emit one SpecWarning per broken rule."""
        warn(self.subject, self.problems, on_warning, stacklevel + 1)


def warn(
    subject: str, problems: Iterable[Problem], on_warning: Callable[[Problem], None] | None, stacklevel: int
) -> None:
    """Pass each problem to `on_warning`; without it, emit one SpecWarning per broken rule.

    Errors are included: they remain if invalid nodes were skipped.
    """
    if on_warning is not None:
        for problem in problems:
            on_warning(problem)
        return
    by_code: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.severity != "note":
            by_code.setdefault(problem.code, []).append(problem)
    for code, found in by_code.items():
        warnings.warn(f"{subject}: {_listed(code, found)}", SpecWarning, stacklevel=stacklevel + 1)


def _listed(code: str, problems: Iterable[Problem]) -> str:
    found = list(problems)
    if len(found) == 1:
        return str(found[0])
    lines = "\n".join(f"  {problem}" for problem in found[:_SHOWN])
    more = f"\n  ... and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{len(found)} {found[0].severity}s of {code}\n{lines}{more}"
