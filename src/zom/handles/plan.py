"""Plans as users hold them: what would be done to a store, and the handle of what was done."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, Generic, cast

from typing_extensions import TypeVar, override

from zom.dataclass import dataclass
from zom.handles.stated_values import NONE_STATED, StatedValues
from zom.hierarchy.change.plan import ChangePlan
from zom.model.construction import ABSENT
from zom.model.spec import same_node
from zom.problems import no_warning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from zom.handles.array import Array
    from zom.handles.group import Group
    from zom.model.spec import Spec

__all__ = ["Plan"]

NodeT_co = TypeVar("NodeT_co", covariant=True, default="Array | Group")
"""What `apply` gives."""
NodeT = TypeVar("NodeT")


@dataclass(frozen=True, repr=False)
class Plan(ChangePlan, Generic[NodeT_co]):
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

    opens: Callable[[Plan[Any]], NodeT_co] = field(repr=False, compare=False, kw_only=True)
    """What `apply` gives, of a plan that is done."""
    declared: Spec | None = field(default=None, repr=False, compare=False, kw_only=True)
    """The spec of the node at `path`, where it is to be open as that spec's own class."""
    stated: StatedValues = field(default=NONE_STATED, repr=False, compare=False, kw_only=True)
    """The values that a declaration states for its arrays."""

    @classmethod
    def of(
        cls,
        change: ChangePlan,
        opens: Callable[[Plan[Any]], NodeT],
        *,
        declared: Spec | None = None,
        stated: StatedValues = NONE_STATED,
    ) -> Plan[NodeT]:
        """The plan of a change, of which `opens` opens what was changed."""
        if declared is not None and type(declared) is declared.family.classes[declared.kind]:
            declared = None
        facts = {each.name: getattr(change, each.name) for each in fields(ChangePlan)}
        made: Plan[NodeT] = cast("Any", cls)(**facts, opens=opens, declared=declared, stated=stated)
        return made

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written and nothing removed."""
        return super().is_empty and not self.stated.later

    @override
    def check(self) -> None:
        """ConflictError where anything is in the way; SpecError where what is kept doesn't fit the class of the spec.

        >>> import zom
        >>> zom.plan(zom.v3.GroupSpec(), "memory:").check()
        """
        super().check()
        if self.declared is not None:
            self.root_spec()

    def root_spec(self) -> Spec:
        """The spec of the node at `path` as it will be, of the class that it was asked for as.

        >>> import zom
        >>> zom.plan(zom.v3.GroupSpec(attributes={"n": 1}), "memory:").root_spec().attributes
        {'n': 1}
        """
        from zom.hierarchy.change.apply import root_spec  # noqa: PLC0415 - who only plans needs none of it

        root, declared = root_spec(self), self.declared
        if declared is None:
            return root
        if same_node(root, declared):
            return declared
        if declared.kind == "group":
            return declared.replace(attributes=root.document.get("attributes", ABSENT))
        return type(declared).parse(root.document, root.level, on_warning=no_warning)

    def apply(
        self,
        *,
        data: Mapping[str, Any] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> NodeT_co:
        """Do it, all or nothing; the handle of the node that was made or changed, or None where it was deleted.

        ConflictError where there are problems, or where the store has changed since it was planned.
        `data` are values for new arrays by their paths; `progress` is told how many keys are done, of
        how many. See `zom.materialize`.
        """
        from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - who only plans needs none of it

        self.check()
        if not super().is_empty or data:
            carry_out(self, data={**self.stated.new, **(data or {})}, progress=progress)
        root = self.opens(self)
        for path, value in self.stated.later.items():
            array: Any = cast("Any", root)[path.strip("/")] if path.strip("/") else root
            array[...] = value
        return root
