"""uom: the unit of measure of an array's numbers, in UCUM notation.

https://github.com/clbarnes/zarr-convention-uom/blob/v1/README.md. The text calls a missing or null unit
arbitrary; the published schema requires a string if the unit is present.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.checks.check import Skip
from zom.checks.references import is_of_kind
from zom.conventions.framework.attributes import Attributes, Part
from zom.conventions.framework.declarations import Published
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.check import Breach, Site
    from zom.formats.node_view import Node

__all__ = ["PUBLISHED", "UOM", "is_ucum_term"]

TEXT: Final = "https://github.com/clbarnes/zarr-convention-uom/blob/v1/README.md"
PUBLISHED: Final = Published(
    uuid="3bbe438d-df37-49fe-8e2b-739296d46dfb",
    schema_url="https://raw.githubusercontent.com/clbarnes/zarr-convention-uom/refs/tags/v1/schema.json",
    spec_url=TEXT,
    description="Units of measurement for Zarr arrays",
)
_UNIT: Final = ("attributes", "uom", "ucum", "unit")

# One unit of a term: a number, or a symbol of letters, %, ', ", *, ^ and brackets, with an optional exponent
# and annotation in braces; or an annotation alone. https://ucum.org/ucum#section-Syntax-Rules
_ATOM: Final = re.compile(
    r"(?:[0-9]+(?:[*^][+-]?[0-9]+)?|(?:[A-Za-z%'\"_]|\[[!-Z\\^-~]+\])+(?:[+-]?[0-9]+)?)(?:\{[!-z|~]*\})?|\{[!-z|~]*\}"
)

_SPELLINGS: Final = {
    "degC": "Cel", "celsius": "Cel", "Celsius": "Cel", "C": None, "degF": "[degF]", "kelvin": "K", "Kelvin": "K",
    "meter": "m", "metre": "m", "meters": "m", "metres": "m", "km/h": None, "second": "s", "seconds": "s", "sec": "s",
    "minute": "min", "minutes": "min", "hour": "h", "hours": "h", "hr": "h", "day": "d", "days": "d",
    "gram": "g", "grams": "g", "kilogram": "kg", "kilograms": "kg", "pascal": "Pa", "hectopascal": "hPa",
    "degree": "deg", "degrees": "deg", "radian": "rad", "radians": "rad", "percent": "%", "volt": "V", "volts": "V",
    "watt": "W", "watts": "W", "joule": "J", "joules": "J", "newton": "N", "newtons": "N", "hertz": "Hz", "micron": "um",
    "micrometer": "um", "micrometre": "um", "nanometer": "nm", "nanometre": "nm", "millimeter": "mm", "unitless": "1",
    "dimensionless": "1", "counts": "{count}", "count": "{count}",
}  # fmt: skip
_WORD: Final = re.compile(r"[A-Za-z]+")


class Ucum(Part):
    """A UCUM unit, and the version of UCUM that defines it."""

    unit: str | None = None
    version: str = ""


class Uom(Attributes, key="uom"):
    """The attribute `uom`."""

    ucum: Ucum
    description: str = ""


def is_ucum_term(text: str) -> bool:
    """Whether `text` has the form of a UCUM unit; its symbols are not looked up.

    >>> is_ucum_term("kg.m2.s-2"), is_ucum_term("m s-1"), is_ucum_term("W/(m2.sr)")
    (True, False, True)
    """
    place, depth, wants_unit = 0, 0, True
    if text.startswith("/"):
        place = 1
    while place < len(text):
        sign = text[place]
        if wants_unit and sign == "(":
            depth, place = depth + 1, place + 1
        elif wants_unit:
            atom = _ATOM.match(text, place)
            if atom is None:
                return False
            wants_unit, place = False, atom.end()
        elif sign in "./":
            wants_unit, place = True, place + 1
        elif sign == ")" and depth:
            depth, place = depth - 1, place + 1
        else:
            return False
    return depth == 0 and not wants_unit


def _unit(node: Node) -> str | None:
    uom = node.attributes.get("uom")
    ucum = uom.get("ucum") if is_dict(uom) else None
    unit = ucum.get("unit") if is_dict(ucum) else None
    return unit if isinstance(unit, str) else None


def _is_term(site: Site) -> Iterable[Breach] | Skip:
    unit = _unit(site.node)
    if unit is None:
        return Skip("no unit")
    return [] if is_ucum_term(unit) else [site.breach(_UNIT, "a unit such as m/s, kg.m-3 or Cel", show(unit))]


def _is_spelled(site: Site) -> Iterable[Breach] | Skip:
    unit = _unit(site.node)
    if unit is None:
        return Skip("no unit")
    wrong = [
        (word, symbol) for word in _WORD.findall(_bare(unit)) if (symbol := _SPELLINGS.get(word)) is not None
    ]
    return [
        site.breach(_UNIT, f"{show(symbol)} for {show(word)}", show(unit), fix=f"write {show(symbol)}")
        for word, symbol in wrong[:1]
    ]


def _bare(unit: str) -> str:
    """The unit without annotations and without bracketed text."""
    return re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", unit)


def _is_numeric(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    if node.data_type is None or node.dtype is None:
        return Skip("the data type is not known")
    if is_of_kind(node.dtype, ["int", "uint", "float", "bfloat", "complex"]) or node.dtype.startswith(
        _NUMBERS
    ):
        return ()
    return [site.breach(node.dtype_path, "a numeric data type", node.dtype)]


_NUMBERS: Final = ("float", "bfloat", "complex", "int", "uint", "numpy.timedelta64", "numpy.datetime64")


UOM: Final = register(
    read_rulebook(
        Path(__file__).with_name("uom.toml"),
        attributes={"array": Uom},
        functions=(_is_term, _is_spelled, _is_numeric, PUBLISHED.check()),
    )
)
