"""Declarations: the results of `zom.declare`."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from zom.brief import notebook_html, short
from zom.count import count_of
from zom.dataclass import dataclass
from zom.json.python_value import is_dict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from zom.declaration.source import At
    from zom.problems import Problem

__all__ = ["Declaration"]


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A declared hierarchy: its spec, and the stated values of its arrays.

    >>> import zom
    >>> made = zom.declare({"zom": 1, "members": {"n": {"shape": [2], "dtype": "int8", "values": [1, 2]}}})
    >>> zom.materialize(made, "memory:")["n"][:].tolist(), zom.validate(made).ok
    ([1, 2], True)
    """

    spec: Any
    """The spec of the whole hierarchy."""
    values: Mapping[str, np.ndarray[Any, Any]]
    """The values of small arrays, by path."""
    conventions: tuple[str, ...] = ()
    """The conventions that the spec was checked against."""
    warnings: tuple[Problem, ...] = ()
    """The warnings of the conventions and the template."""
    places: Mapping[str, At] = field(default_factory=dict[str, Any], repr=False)
    """The place of each node in the declaration, by path."""

    def __repr__(self) -> str:
        nodes = count_of(len(self.places), "node")
        values = f", values of {', '.join(self.values)}" if self.values else ""
        return short("Declaration", f"of {nodes}{values}")

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks."""
        return notebook_html("declaration", self)

    def located(self, problem: Problem) -> Problem:
        """Return a problem of the spec with its place in the declaration."""
        at = self.places.get(problem.node) or self.places["/"]
        inside = (
            problem.inside[1:] if problem.inside[:1] == ("attributes",) and len(problem.inside) > 1 else ()
        )
        place = at.source.place(
            (*at.path, *(problem.inside if is_dict(at.value) and "attributes" in at.value else inside))
        )
        line, column = place or (None, None)
        return replace(problem, line=line, column=column, key=at.source.name or problem.key)
