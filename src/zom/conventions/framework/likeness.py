"""Likeness: documents that rules can't distinguish, even though titles in them differ.

A plate has thousands of images that differ only in their names, which no rule reads. The outcome for the
first one holds for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.checks.selector import parse_selector, select
from zom.json.exact import exact_text
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zom.checks.check import Breach
    from zom.formats.node_view import Node
    from zom.problems import Path

__all__ = ["Likeness"]


class Likeness:
    """The text of a document with a number in place of each text at the selectors `free`.

    >>> from zom.formats.node_view import attributes_node
    >>> one, other = (Likeness(("name",), attributes_node({"name": name}), "") for name in "ab")
    >>> one.text == other.text
    True
    """

    def __init__(self, free: Sequence[str], node: Node, text: str | bytes) -> None:
        # Equal texts get the same number: a rule may report that two are equal.
        self._numbers: dict[str, str] = {}
        self.text = text
        document: dict[str, Any] = {}
        for selector in free:
            for path, value in select(node.attributes, parse_selector(selector).steps):
                if isinstance(value, str) and value:
                    document = document or {**node.document, "attributes": {**node.attributes}}
                    number = self._numbers.setdefault(value, str(len(self._numbers)))
                    _put(document, ("attributes", *path), number)
        if self._numbers:
            self.text = exact_text(JSONDict(document))

    def is_told_in(self, breaches: Iterable[Breach]) -> bool:
        """Whether a breach shows one of the texts, so that it doesn't hold for other documents."""
        if not self._numbers:
            return False
        said = [part for each in breaches for part in (each.expected, each.found, each.fix or "")]
        return any(text in part for text in self._numbers for part in said)


def _put(document: Any, path: Path, value: Any) -> None:
    """Set the value at the path; containers on the way are copied first."""
    here = document
    for step in path[:-1]:
        here[step] = here[step].copy()
        here = here[step]
    here[path[-1]] = value
