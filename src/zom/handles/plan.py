"""Plans for users: the planned changes of a store, and the handle of the result."""

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
"""The result of `apply`."""
NodeT = TypeVar("NodeT")


@dataclass(frozen=True, repr=False)
class Plan(ChangePlan, Generic[NodeT_co]):
    """The planned changes of a store, and their conflicts. Nothing is done before `apply`.

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
    """Makes the result of `apply` from an applied plan."""
    declared: Spec | None = field(default=None, repr=False, compare=False, kw_only=True)
    """The spec of the node at `path`, if it is to be opened as that spec's own class."""
    stated: StatedValues = field(default=NONE_STATED, repr=False, compare=False, kw_only=True)
    """The values in a declaration for its arrays."""

    @classmethod
    def of(
        cls,
        change: ChangePlan,
        opens: Callable[[Plan[Any]], NodeT],
        *,
        declared: Spec | None = None,
        stated: StatedValues = NONE_STATED,
    ) -> Plan[NodeT]:
        """The plan of a change; `opens` opens the changed node."""
        if declared is not None and type(declared) is declared.family.classes[declared.kind]:
            declared = None
        facts = {each.name: getattr(change, each.name) for each in fields(ChangePlan)}
        made: Plan[NodeT] = cast("Any", cls)(**facts, opens=opens, declared=declared, stated=stated)
        return made

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be written or deleted."""
        return super().is_empty and not self.stated.later

    @override
    def check(self) -> None:
        """Raise ConflictError for conflicts, and SpecError if kept content doesn't fit the class of the spec.

        >>> import zom
        >>> zom.plan(zom.v3.GroupSpec(), "memory:").check()
        """
        super().check()
        if self.declared is not None:
            self.root_spec()

    def root_spec(self) -> Spec:
        """The future spec of the node at `path`, as an instance of the class it was requested with.

        >>> import zom
        >>> zom.plan(zom.v3.GroupSpec(attributes={"n": 1}), "memory:").root_spec().attributes
        {'n': 1}
        """
        from zom.hierarchy.change.apply import root_spec  # noqa: PLC0415 - not needed for planning alone

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
        """Apply the plan, all or nothing; return the handle of the node, or None if it was deleted.

        ConflictError if there are problems, or if the store has changed since the plan. `data` are values for
        new arrays by path; `progress` is called with the number of finished keys and the total. See
        `zom.materialize`.
        """
        from zom.hierarchy.change.apply import carry_out  # noqa: PLC0415 - not needed for planning alone

        self.check()
        if not super().is_empty or data:
            carry_out(self, data={**self.stated.new, **(data or {})}, progress=progress)
        root = self.opens(self)
        for path, value in self.stated.later.items():
            array: Any = cast("Any", root)[path.strip("/")] if path.strip("/") else root
            array[...] = value
        return root
