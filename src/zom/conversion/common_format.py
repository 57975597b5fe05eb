"""What two nodes of different formats mean, in one format: so that they can be compared.

That format is v3. How elements are stored is no part of what a node means: what differs there is a note.
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
"""The members of v3 documents that say how a node is stored, and not what it is."""


class CommonFormat:
    """Nodes of two formats in v3, and notes of all that is no difference in meaning.

    >>> from zom import v2, v3
    >>> common = CommonFormat(v2.GroupSpec(), v3.GroupSpec())
    >>> [node.family.form for node in common.nodes((), v2.GroupSpec(), v3.GroupSpec())], common.notes
    (['v3', 'v3'], ['v2 -> v3'])
    """

    def __init__(self, left: Spec, right: Spec) -> None:
        self.notes = [f"{left.family.form} -> {right.family.form}"]

    def nodes(self, names: tuple[str, ...], old: Spec, new: Spec) -> tuple[Spec, Spec] | None:
        """Both nodes, without members, in v3; None, and a note, where one can't be told in it."""
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
            if loss.severity == "warning":  # the others are hints to who converts
                fix = f"; {loss.fix}" if loss.fix else ""
                self.notes.append(f"{loss.node}: v3 has no place for {_words(loss)}{fix}")
        return made

    def is_stored_otherwise(self, names: tuple[str, ...], change: ValueChange) -> bool:
        """Whether the change is one of how a node is stored, which is noted."""
        if not change.steps or change.steps[0] not in _STORAGE:
            return False
        old = "nothing" if change.kind == "added" else show(change.old)
        new = "nothing" if change.kind == "removed" else show(change.new)
        self.notes.append(f"/{'/'.join(names)}: {dotted(change.steps)}: {old} -> {new}")
        return True


def _words(problem: Problem) -> str:
    where = f"{dotted(problem.inside)}: " if problem.inside else ""
    return f"{where}{problem.found}"
