"""Plans as users hold them: what would be done to a store, and the handle of what was done."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from zom.handles.stated_values import NONE_STATED, StatedValues, with_values
from zom.hierarchy.change.plan import ChangePlan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Plan"]


@dataclass(frozen=True, repr=False)
class Plan(ChangePlan):
    """What would be done to a store, and what is in the way of it. Nothing is done before `apply`.

    >>> import zom
    >>> plan = zom.plan(zom.v3.GroupSpec(members={"a": zom.v3.GroupSpec()}), "memory:")
    >>> print(plan)
    memory://: 2 to create
      + /   group  create
      + /a  group  create
    >>> plan.apply().attrs
    {}
    """

    opens: Callable[..., Any] = field(repr=False, compare=False, kw_only=True)
    """Makes the handle of a node of its spec, store, path and layout, and a mode."""
    stated: StatedValues = field(default=NONE_STATED, repr=False, compare=False, kw_only=True)
    """The values that a declaration states for its arrays."""

    @classmethod
    def of(
        cls, change: ChangePlan, opens: Callable[..., Any], values: Mapping[str, Any] | None = None
    ) -> Plan:
        """The plan of a change, whose root `opens` opens; with the `values` that a declaration states."""
        stated = NONE_STATED
        if values:
            change, stated = with_values(change, values, opens)
        facts = {each.name: getattr(change, each.name) for each in fields(ChangePlan)}
        return cls(**facts, opens=opens, stated=stated)

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written and nothing removed."""
        return super().is_empty and not self.stated.later

    def apply(
        self,
        *,
        data: Mapping[str, Any] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Any:
        """Do it, all or nothing; the handle of the node at `path`.

        ConflictError where there are problems, or where the store has changed since it was planned.
        `data` are values for new arrays by their paths; `progress` is told how many keys are done, of
        how many. See `zom.materialize`.
        """
        from zom.hierarchy.change.apply import carry_out, root_spec  # noqa: PLC0415 - who only plans needs none of it

        self.check()
        if not super().is_empty or data:
            carry_out(self, data={**self.stated.new, **(data or {})}, progress=progress)
        root = self.opens(root_spec(self), self.store, self.path, self.layout, mode="r+")
        for path, value in self.stated.later.items():
            (root[path.strip("/")] if path.strip("/") else root)[...] = value
        return root
