"""Quantization: floats that keep only some bits or digits: CF 8.4.

https://cfconventions.org/cf-conventions/cf-conventions.html#lossy-compression-via-quantization
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.conventions.cf.missing import is_whole
from zom.conventions.cf.variable import Variable, judged, judged_text, only
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach
    from zom.conventions.framework.rulebook import Functions

__all__ = ["CHECKS"]


_DIGITS: Final = ("bitgroom", "digitround", "granular_bitround")
_MOST: Final = {
    "quantization_nsb": {"float32": 23, "float64": 52},
    "quantization_nsd": {"float32": 7, "float64": 15},
}


def _quantization(variable: Variable, text: str) -> Iterator[Breach]:
    if len(text.split()) != 1 or variable.is_missing(text.strip()):
        yield variable.unknown("quantization", text.strip())


@only("not a quantization variable")
def _is_quantization(variable: Variable) -> bool:
    return variable.is_named("quantization")


def _container(variable: Variable) -> Iterator[Breach]:
    for name in ("algorithm", "implementation"):
        if not isinstance(variable.attributes.get(name), str):
            yield variable.breach(
                name, f"a string as {name} of a quantization variable", show(variable.attributes.get(name))
            )


def _not_coordinates(variable: Variable) -> Iterator[Breach]:
    roles = ("coordinates", "formula_terms", "cell_measures")
    by = [name for name in roles if variable.is_named(name)]
    if variable.is_coordinate or by:
        found = "a coordinate variable" if variable.is_coordinate else f"a variable that {by[0]} names"
        yield variable.breach("quantization", "no quantization of coordinates, terms or measures", found)


def _algorithm(variable: Variable, text: str) -> str | None:
    node = variable.variable(text.strip())
    found = None if node is None else node.attributes.get("algorithm")
    return found if isinstance(found, str) else None


def _kept(variable: Variable, text: str) -> Iterator[Breach]:
    algorithm = _algorithm(variable, text)
    wanted = (
        "quantization_nsb"
        if algorithm == "bitround"
        else "quantization_nsd"
        if algorithm in _DIGITS
        else None
    )
    if wanted is not None and wanted not in variable.attributes:
        yield variable.breach(wanted, f"{wanted}, as the algorithm is {algorithm}", "nothing")


def _range(variable: Variable) -> Iterator[Breach]:
    for name, most in _MOST.items():
        value: Any = variable.attributes.get(name)
        limit = most.get(variable.dtype or "", 52)
        if value is not None and not (is_whole(value) and 1 <= value <= limit):
            yield variable.breach(name, f"an integer from 1 to {limit}", show(value))


@only("neither quantization_nsb nor quantization_nsd")
def _is_quantized(variable: Variable) -> bool:
    return any(name in variable.attributes for name in _MOST)


CHECKS: Final[Functions] = {
    "quantization-exists": judged_text(_quantization, "quantization"),
    "quantization-container": judged(_container, where=_is_quantization),
    "quantization-of-data": judged(_not_coordinates, about="quantization"),
    "quantization-kept": judged_text(_kept, "quantization"),
    "quantization-range": judged(
        _range,
        where=_is_quantized,
        reach="document",
    ),
}
