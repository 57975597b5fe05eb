r"""Selectors: which values of a node a rule applies to.

Dotted keys and `[*]`, for each item of a list: `ome.multiscales[*].axes[*].name`. A dot within a key is
written `\.`: `bioformats2raw\.layout`. A selector that begins with a dot starts at the rule's `each`,
one that begins with `@` at a fact of the node, such as `@shape` or `@dims[*]`; all others start at the
node's attributes. There is no other syntax, so that any language can implement it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EVERY", "FACTS", "At", "Selector", "leads", "leads_along", "parse_selector", "readable", "select"]

EVERY: Final = 0
"""The step to each item of a list."""

FACTS: Final = (
    "shape",
    "ndim",
    "dims",
    "dtype",
    "chunks",
    "fill_value",
    "name",
    "kind",
    "format",
    "members",
    "arrays",
    "groups",
)
"""Facts of a node that a selector can read, beside its attributes."""

OBJECT: Any = dict
LIST: Any = list
"""The types of JSON objects and lists, for loops that run for every rule at every node. They are `Any`:
type checkers don't narrow values by them, so no casts are needed."""

_STEP = re.compile(r"(?:\\.|[^\\.\[\]])+|\[\*\]|\.")
_ESCAPED = re.compile(r"\\(.)")


class Selector(NamedTuple):
    """A parsed selector."""

    text: str
    start: str
    """"attributes", "scope" if it starts at `each`, or "fact"."""
    steps: tuple[str | int, ...]
    """Keys, and EVERY; for a fact, its name comes first."""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of_key(cls, key: str) -> Selector:
        """A selector of the attribute `key`, which may be one that text can't express, such as "".

        >>> Selector.of_key("a.b[*]").steps
        ('a.b[*]',)
        """
        return cls(key, "attributes", (key,))


At: TypeAlias = str | Selector
"""A selector, as text or parsed."""


def readable(selector: str) -> str:
    r"""A selector as messages show it.

    >>> readable(r".bioformats2raw\.layout"), readable("@dims")
    ('bioformats2raw.layout', 'dims')
    """
    return _ESCAPED.sub(r"\1", selector.lstrip(".@"))


@lru_cache(maxsize=4096)
def parse_selector(text: At) -> Selector:
    r"""Parse the selector `text`; raise ExtensionError if it is invalid.

    >>> parse_selector("ome.multiscales[*].name").steps
    ('ome', 'multiscales', 0, 'name')
    >>> parse_selector("@dims[*]").start, parse_selector(r"bioformats2raw\.layout").steps
    ('fact', ('bioformats2raw.layout',))
    """
    if isinstance(text, Selector):
        return text
    start = {"@": "fact", ".": "scope"}.get(text[:1], "attributes")
    rest = text[1:] if start != "attributes" else text
    parts = _STEP.findall(rest)
    steps: list[str | int] = []
    wants_key = start != "scope" or not rest.startswith("[")
    for part in parts:
        if part == ".":
            if wants_key:
                raise _refused(text)
            wants_key = True
        elif part == "[*]":
            if wants_key:
                raise _refused(text)
            steps.append(EVERY)
        else:
            if not wants_key:
                raise _refused(text)
            steps.append(_ESCAPED.sub(r"\1", part))
            wants_key = False
    if "".join(parts) != rest or wants_key != (start == "scope" and not rest):
        raise _refused(text)
    if start == "fact" and steps[0] not in FACTS:
        message = f"selector {text!r}: expected a fact of a node, one of {', '.join(FACTS)}"
        raise ExtensionError(message)
    return Selector(text, start, tuple(steps))


def _refused(text: str) -> ExtensionError:
    wanted = "keys joined by dots, with [*] after each list, as in 'a.b[*].c'"
    return ExtensionError(f"selector {text!r}: expected {wanted}")


def select(value: Any, steps: Sequence[str | int]) -> list[tuple[tuple[str | int, ...], Any]]:
    """The values that `steps` lead to from `value`, each with its path; missing ones are left out.

    >>> select({"a": [{"b": 1}, {}, {"b": 3}]}, ("a", EVERY, "b"))
    [(('a', 0, 'b'), 1), (('a', 2, 'b'), 3)]
    """
    found: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    for step in steps:
        before, found = found, []
        if step == EVERY:
            for path, here in before:
                if isinstance(here, LIST):
                    found.extend([((*path, index), item) for index, item in enumerate(here)])
        else:
            for path, here in before:
                if isinstance(here, OBJECT) and step in here:
                    found.append(((*path, step), here[step]))
        if not found:
            break
    return found


def leads(value: Any, selector: str) -> bool:
    """Whether the selector finds anything in the attributes `value`.

    >>> leads({"a": [{}, {"b": None}]}, "a[*].b"), leads({"a": [{}]}, "a[*].b")
    (True, False)
    """
    return leads_along(value, parse_selector(selector).steps)


def leads_along(value: Any, steps: Sequence[str | int]) -> bool:
    """Like `leads`, with the steps of a selector."""
    here = value
    for place, step in enumerate(steps):
        if step == EVERY:
            rest = steps[place + 1 :]
            return isinstance(here, LIST) and any(leads_along(item, rest) for item in here)
        if not isinstance(here, OBJECT) or step not in here:
            return False
        here = here[step]
    return True
