"""Convert two nodes of different formats to one format, for comparison.

That format is v3. How elements are stored is not part of a node's meaning: differences there are notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conversion.trees import converted_node
from zom.errors import ConversionError
from zom.problems import dotted, show

if TYPE_CHECKING:
    from zom.json.changes import ValueChange
    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["CommonFormat"]

_STORAGE: Final = {"codecs", "chunk_key_encoding", "consolidated_metadata"}
"""The members of v3 documents that describe how a node is stored, not what it means."""


class CommonFormat:
    """Converts nodes of two formats to v3, and notes all differences that don't change the meaning.

    >>> from zom import v2, v3
    >>> common = CommonFormat(v2.GroupSpec(), v3.GroupSpec())
    >>> [node.family.form for node in common.nodes((), v2.GroupSpec(), v3.GroupSpec())], common.notes
    (['v3', 'v3'], ['v2 -> v3'])
    """

    def __init__(self, left: Spec, right: Spec) -> None:
        self.notes = [f"{left.family.form} -> {right.family.form}"]

    def nodes(self, names: tuple[str, ...], old: Spec, new: Spec) -> tuple[Spec, Spec] | None:
        """Return both nodes in v3, without members; None, with a note, if v3 can't express one of them."""
        try:
            return self._node(names, old), self._node(names, new)
        except ConversionError as error:
            problem = error.problems[0]
            self.notes.append(f"{problem.node}: compared by format alone: v3 can't express {_words(problem)}")
            return None

    def _node(self, names: tuple[str, ...], node: Spec) -> Spec:
        if node.family.form == "v3":
            return node
        made, losses = converted_node(node, names)
        for loss in losses:
            if loss.severity == "warning":  # the others are hints for conversions
                fix = f"; {loss.fix}" if loss.fix else ""
                self.notes.append(f"{loss.node}: v3 can't store {_words(loss)}{fix}")
        return made

    def is_stored_otherwise(self, names: tuple[str, ...], change: ValueChange) -> bool:
        """Whether the change is only in how a node is stored; if so, add a note."""
        if not change.steps or change.steps[0] not in _STORAGE:
            return False
        old = "nothing" if change.kind == "added" else show(change.old)
        new = "nothing" if change.kind == "removed" else show(change.new)
        self.notes.append(f"/{'/'.join(names)}: {dotted(change.steps)}: {old} -> {new}")
        return True


def _words(problem: Problem) -> str:
    where = f"{dotted(problem.inside)}: " if problem.inside else ""
    return f"{where}{problem.found}"
