"""Reading a stored node as a spec class, which says the format and the types of attributes and members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from zom.errors import SpecError
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.tree import place
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.assembly import assemble, document_of
from zom.model.members import member_plan
from zom.model.spec import Spec
from zom.problems import show

if TYPE_CHECKING:
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.tree import StoredTree
    from zom.problems import Level

__all__ = ["as_class", "form_of_class", "names_members"]

SpecT = TypeVar("SpecT", bound=Spec)

_STEP: Final = "correct the document, or leave spec_class out"


def form_of_class(spec_class: type[Spec] | None, form: FormatName | None) -> FormatName | None:
    """The format to look for: that of the class, if there is one.

    >>> from zom import v2
    >>> form_of_class(v2.GroupSpec, None)
    'v2'
    >>> form_of_class(v2.GroupSpec, "v3")
    Traceback (most recent call last):
    ValueError: form: expected 'v2', the format of the spec_class GroupSpec, got 'v3'; leave it out
    """
    if spec_class is None:
        return form
    given = cast("object", spec_class)
    if not (isinstance(given, type) and issubclass(given, Spec) and hasattr(given, "family")):
        raise TypeError(
            f"spec_class: expected a class of specs, such as zom.v3.GroupSpec, got {_shown(spec_class)}"
        )
    own = spec_class.family.form
    if form not in {None, own}:
        raise ValueError(
            f"form: expected {own!r}, the format of the spec_class {spec_class.__name__}, got {form!r}; leave it out"
        )
    return own


def _shown(given: object) -> str:
    if isinstance(given, type):
        return f"the class {cast('type[object]', given).__name__}"
    if isinstance(given, Spec):
        return f"a spec: pass its class, {type(given).__name__}"
    return show(given)


def names_members(spec_class: type[Spec]) -> bool:
    """Whether a group class declares its members.

    >>> from zom import v3
    >>> names_members(v3.GroupSpec), names_members(v3.GroupSpec[dict[str, int], v3.ArraySpec])
    (False, True)
    """
    if spec_class.kind != "group":
        return False
    plan = member_plan(spec_class)
    return bool(plan.named or plan.others or plan.others is None or plan.are_needed)


def as_class(
    tree: StoredTree, spec_class: type[SpecT], level: Level, limits: Limits = DEFAULT_LIMITS
) -> SpecT:
    """The spec of what was read, as a `spec_class`; SpecError, with key and line, if it doesn't fit.

    >>> from zom import v3
    >>> from zom.hierarchy.stored.read import read_tree
    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {"n": "a"}}'})
    >>> as_class(read_tree(store), v3.GroupSpec[dict[str, int]], "lenient")
    Traceback (most recent call last):
    zom.errors.SpecError: memory://: 'zarr.json': attributes.n: expected an integer, found "a" (line 1, column 62); correct the document, or leave spec_class out
    """
    spec: Any = tree.spec
    if isinstance(spec, spec_class):
        return spec
    document = document_of(spec)
    made, problems = assemble(spec_class, document, level, limits=limits, are_read=True)
    if made is None:
        findings = Findings(tree.store.url, level, limits)
        for problem in problems:
            place(problem, tree.root, findings)
        raise SpecError(findings.problems, tree.store.url, _STEP)
    return cast("SpecT", made)
