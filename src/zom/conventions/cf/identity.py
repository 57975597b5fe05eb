"""The description of a dataset, and the names of its parts: CF 2.2 to 2.4, 2.6 and 2.7.

https://cfconventions.org/cf-conventions/cf-conventions.html#_netcdf_files_and_components
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.conventions.cf.attributes import GroupAttributes, VariableAttributes
from zom.conventions.cf.dataset import LISTS, cf_version, dataset_of, meant_version, resolve, root_of
from zom.conventions.cf.variable import Variable, judged, listed, only
from zom.formats.node_view import Node, remembered
from zom.json.python_value import is_list
from zom.misspelling import misspelt
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "KNOWN"]

KNOWN: Final = tuple((1, minor) for minor in range(15))
"""The versions of CF that the rules know: 1.0 to 1.14."""

_KNOWN_TEXTS: Final = {
    kind: frozenset(
        field.alias or name for name, field in model.model_fields.items() if field.annotation is str
    )
    for kind, model in (("group", GroupAttributes), ("array", VariableAttributes))
}
"""The attributes that are strings in their model."""

_LISTS: Final = frozenset(LISTS)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
_TEXTS: Final = (
    "Conventions", "title", "history", "institution", "source", "references", "comment", "long_name",
    "standard_name", "units", "flag_meanings",
)  # fmt: skip


def _conventions(site: Site) -> Iterable[Breach] | Skip:
    group = site.holder
    if root_of(group) is not group:
        return Skip("not the root of the dataset")
    value = group.attributes.get("Conventions")
    if value is not None and not isinstance(value, str):
        return Skip("not a string: the rule on the form of attributes reports it")
    if isinstance(value, str) and cf_version(value) is not None:
        return ()
    found = "nothing" if value is None else show(value)
    meant = meant_version(value)
    fix = None if meant is None else f"write CF-{meant[0]}.{meant[1]}"
    path = ("attributes", "Conventions")
    return (site.breach(path, "a string with a version such as CF-1.13", found, fix=fix),)


def _version(site: Site) -> Iterable[Breach] | Skip:
    group = site.holder
    version = cf_version(group.attributes.get("Conventions"))
    if root_of(group) is not group or version is None:
        return Skip("no version of CF is named here")
    if version in KNOWN:
        return ()
    newest = f"CF-{KNOWN[-1][0]}.{KNOWN[-1][1]}"
    expected = f"a version of CF from CF-1.0 to {newest}"
    return (site.breach(("attributes", "Conventions"), expected, f"CF-{version[0]}.{version[1]}"),)


def _root_only(site: Site) -> Iterable[Breach] | Skip:
    group = site.holder
    root = root_of(group)
    if root is group:
        return Skip("the root of the dataset")
    keys = [key for key in ("Conventions", "external_variables") if key in group.attributes]
    return [
        site.breach(("attributes", key), f"no {key} below {root.path}", show(group.attributes[key]))
        for key in keys
    ]


def _external(site: Site) -> Iterable[Breach] | Skip:
    group = site.holder
    value = group.attributes.get("external_variables")
    dataset = dataset_of(group)
    if not isinstance(value, str) or dataset is None or dataset.root is not group:
        return Skip("no external_variables in the root of a dataset")
    here = {node.name: node for node in dataset.variables}
    inside = [here[word] for word in value.split() if word in here]
    expected = "variables that are in other files only"
    path = ("attributes", "external_variables")
    return [
        site.breach(path, expected, f"{node.name!r}, which is {node.path}", related=[node]) for node in inside
    ]


def _node_name(site: Site) -> Iterable[Breach] | Skip:
    node = site.holder
    if node.parent is None:
        return Skip("the root has no name")
    if _NAME.fullmatch(node.name):
        return ()
    return (
        site.breach(
            (), "a name of letters, digits and underscores that begins with a letter", repr(node.name)
        ),
    )


def _dimension_names(variable: Variable) -> Iterator[Breach]:
    for place, name in enumerate(variable.dims or ()):
        if name is not None and _NAME.fullmatch(name) is None:
            expected = "a name of letters, digits and underscores that begins with a letter"
            yield variable.breach((*variable.node.dims_path, place), expected, repr(name))


def _attribute_names(variable: Variable) -> Iterator[Breach]:
    for name in variable.attributes:
        if _ATTRIBUTE.fullmatch(name) is None:
            expected = "a name of letters, digits, underscores, periods and hyphens that begins with a letter"
            yield variable.breach(name, expected, repr(name))


def _case(variable: Variable) -> Iterator[Breach]:
    group = variable.node.parent
    first = None if group is None else remembered(group, _alike).get(variable.name)
    if first is not None:
        expected = f"a name that differs from {first.name!r} by more than case"
        yield variable.breach((), expected, repr(variable.name), related=[first])


def _alike(group: Node) -> dict[str, Node]:
    """The variables whose name differs from an earlier one's by case only, each with that first variable."""
    first: dict[str, Node] = {}
    alike = {name: first.setdefault(name.casefold(), node) for name, node in group.arrays.items()}
    return {name: node for name, node in alike.items() if node.name != name}


def _normal(variable: Variable) -> Iterator[Breach]:
    for name in _TEXTS:
        text = variable.text(name)
        if text is not None and not unicodedata.is_normalized("NFC", text):
            yield variable.breach(name, "text in Unicode Normalization Form C", show(text))


def _order(variable: Variable) -> Iterator[Breach]:
    found = ((each.axis, each.name) for each in variable.coordinates.of_dimensions)
    axes = [("TZYX".index(axis), name) for axis, name in found if axis is not None]
    if [rank for rank, _ in axes] != sorted(rank for rank, _ in axes):
        wanted = ", ".join(dim for _, dim in sorted(axes, key=lambda each: each[0]))
        yield variable.breach(
            variable.node.dims_path, f"the order {wanted}", ", ".join(dim for _, dim in axes)
        )


def _out_of_group(variable: Variable) -> Iterator[Breach]:
    sizes = dict(zip(variable.dims or (), variable.shape or (), strict=False))
    for name in LISTS:
        for word in (variable.text(name) or "").split():
            target, how = resolve(variable.node, word)
            if not isinstance(target, Node) or how == "here" or target.parent is variable.node.parent:
                continue
            for dim, size in zip(target.dims or (), target.shape or (), strict=False):
                if dim is not None and sizes.get(dim, size) != size:
                    expected = f"a variable whose dimension {dim!r} has the size {sizes[dim]}, as here"
                    yield variable.breach(
                        name, expected, f"{word!r}, where it has the size {size}", related=[target]
                    )


def _lateral(variable: Variable) -> Iterator[Breach]:
    for name in LISTS:
        for word in (variable.text(name) or "").split():
            target, how = resolve(variable.node, word)
            if isinstance(target, Node) and how == "aside":
                yield variable.breach(name, f"a path, such as {target.path}", repr(word), related=[target])


@only("it names no variables, or the dataset has one group")
def _names_in_groups(variable: Variable) -> bool:
    if _LISTS.isdisjoint(variable.attributes):
        return False
    root = variable.dataset.root
    return variable.node.parent not in {None, root} or bool(root.groups)


def _group_attributes(site: Site) -> Iterable[Breach]:
    keys: tuple[str, ...] = (
        "units", "standard_name", "axis", "positive", "calendar", "bounds", "cell_methods", "cell_measures", "grid_mapping",
        "ancillary_variables", "formula_terms", "flag_values", "flag_masks", "flag_meanings", "scale_factor", "add_offset",
        "_FillValue", "missing_value", "valid_min", "valid_max", "valid_range",
    )  # fmt: skip
    found: list[Any] = [key for key in keys if key in site.holder.attributes]
    if not found:
        return []
    are, what = ("it is", "it") if len(found) == 1 else ("they are", "them")
    expected = f"{', '.join(found)} on the variables that {are} about"
    # A variable that became a group is missing for others that name it.
    above = site.node.parent
    cause = None if above is None else (site.node.name, above.path)
    return [site.breach(("attributes", found[0]), expected, f"{what} on a group", cause=cause)]


def _scalar_texts(site: Site) -> Iterable[Breach]:
    # Another rule checks the form of attributes that CF defines as strings.
    known = _KNOWN_TEXTS["group" if site.holder.is_group else "array"]
    return [
        site.breach(("attributes", name), "one string, not a list", show(value))
        for name, value in site.holder.attributes.items()
        if name != "_ARRAY_DIMENSIONS"
        and name not in known
        and not misspelt(name, "_ARRAY_DIMENSIONS")
        and is_list(value)
        and any(isinstance(each, str) for each in listed(value))
    ]


CHECKS: Final[Functions] = {
    "conventions": python(_conventions),
    "version": python(_version),
    "root-only": python(_root_only),
    "external-variables": python(_external),
    "group-attributes": python(_group_attributes),
    "text-is-normal": judged(_normal, reach="document"),
    "text-is-scalar": python(_scalar_texts),
    "variable-name": python(_node_name),
    "dimension-name": judged(_dimension_names, reach="document"),
    "attribute-name": judged(_attribute_names, reach="document"),
    "names-differ": judged(_case),
    "dimension-order": judged(
        _order, where=only("fewer than two dimensions")(lambda v: len(v.dims or ()) > 1)
    ),
    "out-of-group-dimensions": judged(_out_of_group, where=_names_in_groups),
    "lateral-search": judged(_lateral, where=_names_in_groups),
}
