"""Variables for existing arrays: they get the encoding of the array, and are refused if they don't fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from zom.dataclass import dataclass
from zom.errors import ConflictError
from zom.handles.handles import open_group
from zom.hierarchy.change.conflicts import conflict
from zom.integrations.xarray.writing.cf_variables import is_loaded, with_known_type
from zom.model.output import member_specs
from zom.packages import imported
from zom.problems import one_line, rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.handles.group import Group
    from zom.model.spec import Spec
    from zom.problems import Problem, Rule
    from zom.stores.interface import Store

__all__ = ["Existing", "existing_in", "fitted", "grown", "uneven", "unfit"]

_SOURCE: Final = "zom: written values keep their meaning in the array"

NAMES: Final = rule("plan/variables", "variables are written into existing arrays", source=_SOURCE)
DIMENSIONS: Final = rule("plan/dimensions", "a variable has the dimensions of its array", source=_SOURCE)
TYPES: Final = rule("plan/types", "an array stores the values of its variable without loss", source=_SOURCE)
ATTRIBUTES: Final = rule(
    "plan/attributes", "a variable doesn't contradict its array's attributes", source=_SOURCE
)

_TEXT: Final = "OUT"
_FIXED: Final = "SU"


@dataclass(frozen=True)
class Existing:
    """An existing group, and its arrays as xarray variables."""

    root: Group
    arrays: Mapping[str, Spec]
    variables: Mapping[str, Any]
    """Decoded but unread variables, with the encodings of the arrays."""

    @property
    def number(self) -> int:
        """The Zarr format."""
        return self.root.layout.family.zarr_format or 3

    def path(self, name: str) -> str:
        """Return the path of a member."""
        return f"{self.root.path.rstrip('/')}/{name}"


def existing_in(store: Store, path: str, zarr_format: int | None) -> Existing:
    """Open the group at `path` for writing."""
    from zom.integrations.xarray.backend import ZomBackend  # noqa: PLC0415 - loads xarray

    form: Any = None if zarr_format is None else f"v{zarr_format}"
    root = open_group(store, path, mode="r+", form=form)
    members = member_specs(root.read(depth=1)) or {}
    arrays = {name: spec for name, spec in members.items() if spec.kind == "array"}
    xarray: Any = imported("xarray", "xarray")
    dataset = xarray.open_dataset(root, engine=ZomBackend, cache=False)
    return Existing(root, arrays, dict(dataset.variables))


def fitted(variable: Any, name: str, existing: Existing) -> Any:
    """Return the variable with the dimension order and encoding of the existing array."""
    there = existing.variables[name]
    if variable.dims != there.dims:
        variable = variable.transpose(*there.dims)
    made = variable.copy(deep=False)
    made.encoding = dict(there.encoding)
    return with_known_type(made)


def unfit(name: str, variable: Any, existing: Existing, append_dim: str | None) -> list[Problem]:
    """Report why a variable can't be written into its array."""
    where, there = existing.path(name), existing.variables.get(name)
    if there is None:
        fix = 'pass mode="a" to create it, or remove it with .drop_vars()'
        return [conflict(NAMES, where, "an existing array", "none", fix)]
    if set(variable.dims) != set(there.dims):
        expected = f"the dimensions {_shown(there.dims)}"
        return [conflict(DIMENSIONS, where, expected, _shown(variable.dims), "rename or select dimensions")]
    found = [*_types(where, variable, there), *_attributes(where, variable, there)]
    for dim in there.dims:
        if dim != append_dim and append_dim in there.dims and variable.sizes[dim] != there.sizes[dim]:
            expected = f"{there.sizes[dim]} elements along {dim}, to append along {append_dim}"
            found.append(
                _differs(DIMENSIONS, where, expected, str(variable.sizes[dim]), "select the same elements")
            )
    return found


def uneven(variables: Mapping[str, Any], existing: Existing, append_dim: str | None) -> list[Problem]:
    """Report dimensions that would end up with several lengths: the group wouldn't open as a dataset."""
    sizes: dict[str, int] = {
        dim: size for each in existing.variables.values() for dim, size in each.sizes.items()
    }
    problems: list[Problem] = []
    if append_dim is not None:
        lengths = [each.sizes[append_dim] for each in variables.values() if append_dim in each.dims]
        sizes[append_dim] += max(lengths, default=0)
        for name, there in existing.variables.items():
            if append_dim in there.dims and name not in variables:
                expected = f"values to append for every array along {append_dim}"
                problems.append(
                    conflict(DIMENSIONS, existing.path(name), expected, "none", "add the variable")
                )
    for name, variable in variables.items():
        if name in existing.variables:
            continue
        for dim, length in variable.sizes.items():
            if sizes.get(dim, length) != length:
                expected = f"{sizes[dim]} elements along {dim}, as in other arrays"
                fix = "create it with all elements before anything is appended" if dim == append_dim else None
                problems.append(conflict(DIMENSIONS, existing.path(name), expected, str(length), fix))
    return problems


def _shown(dims: Any) -> str:
    return ", ".join(map(str, dims)) or "none"


def _types(where: str, variable: Any, there: Any) -> list[Problem]:
    new, old = variable.dtype, there.dtype
    if _holds(new, old):
        return _ranges(where, variable, old)
    return [
        _differs(
            TYPES, where, f"values that {old} holds without loss", str(new), f"convert them: .astype({old!s})"
        )
    ]


def _ranges(where: str, variable: Any, old: Any) -> list[Problem]:
    """Report integers out of the range of the array's type, which would change; skip data not in memory."""
    if getattr(old, "kind", "") not in "iu" or np.can_cast(variable.dtype, old) or not is_loaded(variable):
        return []
    values, limits = variable.values, np.iinfo(old)
    if not values.size or (values.min() >= limits.min and values.max() <= limits.max):
        return []
    expected = f"values from {limits.min} to {limits.max}, which {old} holds"
    return [
        _differs(TYPES, where, expected, f"{values.min()} to {values.max()}", "write them to another array")
    ]


def _holds(new: Any, old: Any) -> bool:
    """Whether values of one type can be stored as another and read back unchanged, or nearly so."""
    if not isinstance(new, np.dtype) or not isinstance(old, np.dtype):
        return bool(new == old)
    new, old = cast("np.dtype[Any]", new), cast("np.dtype[Any]", old)
    if new.kind in _FIXED and old.kind == new.kind:
        return bool(new.itemsize <= old.itemsize)
    if new.kind in "biufc" and old.kind in "biufc":
        return bool(np.can_cast(new, old, "same_kind"))
    if new.kind == "S" and old.kind == "O":
        return True
    return bool(new.kind == old.kind or (new.kind in _TEXT and old.kind in "OT"))


def _attributes(where: str, variable: Any, there: Any) -> list[Problem]:
    """Report attributes that differ: appended kelvins would be read as degrees."""
    problems: list[Problem] = []
    for name, value in variable.attrs.items():
        if name in there.attrs and not _same(value, there.attrs[name]):
            expected = f"the attribute {name!r} to be {there.attrs[name]!r}"
            fix = f"convert the values, or remove the attribute: .attrs.pop({name!r})"
            problems.append(_differs(ATTRIBUTES, where, expected, repr(value), fix))
    return problems


def _same(left: Any, right: Any) -> bool:
    try:
        return bool(np.array_equal(left, right)) or bool(left == right)
    except (TypeError, ValueError):
        return False


def _differs(broken: Rule, where: str, expected: str, found: str, fix: str) -> Problem:
    return conflict(broken, where, one_line(expected), one_line(found), fix)


def grown(spec: Spec, variable: Any, append_dim: str | None) -> Spec:
    """Return the spec of an array, extended to append a variable.

    >>> import xarray as xr
    >>> from zom import v3
    >>> spec = v3.ArraySpec.build(shape=(4,), dtype="int8", dimension_names=["x"])
    >>> grown(spec, xr.Variable("x", [1, 2]), "x").shape
    (6,)
    """
    if append_dim not in variable.dims:
        return spec
    axis = variable.dims.index(append_dim)
    shape = list(spec.__dict__["shape"])
    shape[axis] += variable.shape[axis]
    return spec.replace(shape=tuple(shape))


def check_fits(problems: list[Problem], url: str) -> None:
    """Raise ConflictError with all problems, if there are any.

    >>> check_fits([], "data.zarr")
    """
    if problems:
        raise ConflictError(problems, url)
