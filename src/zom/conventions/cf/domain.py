"""Variables without data: domain variables, CF 5.8, and variables made of fragments, CF 2.8.

https://cfconventions.org/cf-conventions/cf-conventions.html#domain-variables
https://cfconventions.org/cf-conventions/cf-conventions.html#aggregation-variables
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.conventions.cf.naming import names_each
from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.conventions.cf.words import entries, pairs
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS", "known_dimensions"]

_DATA_ONLY: Final = (
    "_FillValue", "actual_range", "add_offset", "ancillary_variables", "cell_methods", "flag_masks", "flag_meanings",
    "flag_values", "missing_value", "scale_factor", "standard_error_multiplier", "standard_name", "units", "units_metadata",
    "valid_max", "valid_min", "valid_range",
)  # fmt: skip
"""The attributes that Appendix A lists for data but not for domains."""


def known_dimensions(variable: Variable) -> set[str]:
    """The dimensions of all variables of the group and its ancestors."""
    found: set[str] = set()
    for group in variable.node.ancestors():
        for node in group.arrays.values():
            found.update(dim for dim in node.dims or () if dim is not None)
    return found


def _exist(variable: Variable, text: str) -> Iterator[Breach]:
    known = known_dimensions(variable)
    for word in text.split():
        if word.rpartition("/")[2] not in known:
            yield variable.breach(
                "dimensions", f"dimensions of the dataset: {', '.join(sorted(known))}", repr(word)
            )


def _within(variable: Variable, text: str) -> Iterator[Breach]:
    allowed = {word.rpartition("/")[2] for word in text.split()}
    named = [("coordinates", word) for word in (variable.text("coordinates") or "").split()]
    named += [("cell_measures", word) for _, word in pairs(variable.text("cell_measures") or "") or ()]
    for name, word in named:
        node = variable.variable(word)
        if node is None or variable.dataset.is_ragged:
            continue
        dims = (node.dims or ())[:-1] if variable.of(node).is_char else (node.dims or ())
        if any(dim not in allowed for dim in dims):
            expected = f"variables with dimensions of the domain only: {', '.join(sorted(allowed)) or 'none'}"
            yield variable.breach(name, expected, f"{word!r} of {', '.join(map(str, dims))}", related=[node])


def _named(variable: Variable) -> Iterator[Breach]:
    if "long_name" not in variable.attributes:
        yield variable.breach("long_name", "a long_name", "nothing")


def _own(variable: Variable) -> Iterator[Breach]:
    for name in _DATA_ONLY:
        if name in variable.attributes:
            yield variable.breach(name, f"no {name} on a domain variable", show(variable.attributes[name]))


@only("not a domain variable")
def _is_domain(variable: Variable) -> bool:
    return variable.is_domain


CHECKS: Final[Functions] = {
    "aggregated-data-exists": names_each(
        "aggregated_data", lambda text: [word for each in entries(text) or () for word in each.words]
    ),
    "domain-dimensions": judged_text(_exist, "dimensions", where=_is_domain),
    "domain-coordinates": judged_text(_within, "dimensions", where=_is_domain),
    "domain-long-name": judged(_named, where=_is_domain),
    "domain-attributes": judged(_own, where=_is_domain),
}
