"""uom: the unit of measure of an array's numbers, as UCUM writes it.

https://github.com/clbarnes/zarr-convention-uom/blob/v1/README.md. A unit that is left out or null is
arbitrary to the text; the published schema wants a text where there is one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zom.checks.check import Skip, python
from zom.checks.checked_rule import CheckedRule, has
from zom.checks.references import is_of_kind
from zom.checks.tree import node_kind
from zom.checks.values import json_type, required
from zom.conventions.framework.attributes import Attributes, Part
from zom.conventions.framework.convention import Convention, register
from zom.conventions.framework.declarations import Published, declared_as_published
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

# One unit of a term: a number, or a symbol of letters, %, ', ", *, ^ and brackets, its exponent, an
# annotation in braces; or an annotation alone. https://ucum.org/ucum#section-Syntax-Rules
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
    """A unit of UCUM, and the version of UCUM that has it."""

    unit: str | None = None
    version: str = ""


class Uom(Attributes, key="uom"):
    """The attribute `uom`."""

    ucum: Ucum
    description: str = ""


def is_ucum_term(text: str) -> bool:
    """Whether `text` has the form of a UCUM unit; whether its symbols are UCUM's is not asked.

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
    """The unit without annotations and what stands in brackets."""
    return re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", unit)


def _is_numeric(site: Site) -> Iterable[Breach] | Skip:
    node = site.node
    if node.data_type is None or node.dtype is None:
        return Skip("the data type is not known")
    if is_of_kind(node.dtype, ["int", "uint", "float", "bfloat", "complex"]) or node.dtype.startswith(
        _NUMBERS
    ):
        return ()
    return [site.breach(node.dtype_path, "a data type of numbers", node.dtype)]


_NUMBERS: Final = ("float", "bfloat", "complex", "int", "uint", "numpy.timedelta64", "numpy.datetime64")


UOM: Final = register(
    Convention(
        id="uom",
        version="v1",
        title="Units of measure",
        link=TEXT,
        uuid=PUBLISHED.uuid,
        aliases=(PUBLISHED.schema_url, TEXT),
        attributes={"array": Uom},
        signs=((has("uom.ucum"),),),
        declared=True,
        rules=(
            CheckedRule(
                "present",
                required("uom"),
                must="an array that declares uom has the attribute uom",
                fix="add uom, or take the declaration away",
                link=f"{TEXT}#properties",
                source="both",
                on="array",
            ),
            CheckedRule(
                "array-only",
                node_kind("array"),
                must="units are those of arrays: a group has none",
                fix="move uom to each of the arrays",
                link=f"{TEXT}#applicable-to",
                source="both",
            ),
            CheckedRule(
                "unit-text",
                json_type(["string"], at="uom.ucum.unit"),
                must="the unit is a text, not null",
                fix="leave unit out where it is arbitrary",
                link=f"{TEXT}#ucum-object",
                source="schema",
            ),
            CheckedRule(
                "unit",
                python(_is_term),
                must="the unit is written as UCUM has it: without blanks, with '.' and '/' between units and exponents "
                "right behind",
                fix="see https://ucum.org/ucum",
                link=f"{TEXT}#unit-uomucumunit",
            ),
            CheckedRule(
                "unit-spelling",
                python(_is_spelled),
                should="the unit is a symbol of UCUM, not a word or a symbol of another system",
                fix="write the symbol that UCUM has for it",
                link=f"{TEXT}#unit-uomucumunit",
            ),
            CheckedRule(
                "numeric",
                python(_is_numeric),
                should="an array with a unit holds numbers",
                fix="take uom away, or store numbers",
                link=f"{TEXT}#description",
                on="array",
            ),
            declared_as_published(PUBLISHED, f"{TEXT}#convention-registration"),
        ),
    )
)
