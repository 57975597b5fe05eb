"""How each format spells fill values: the differences between the formats, as data.

Zarr v2, "Fill value encoding"; Zarr v3 core, "Fill value"; the draft, "fill_value". Data types read the
differences from the `Notation`, and never check the format's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.dataclass import dataclass
from zom.extension.fill_value import FLOAT_TEXT, INFINITY, NUMBER_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import Format
    from zom.problems import Rule

__all__ = ["NOTATIONS", "Notation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How one format spells fill values; the defaults are those of v3.

    >>> NOTATIONS["draft"].infinity
    '+Infinity'
    """

    form: Format
    """The format."""
    null: bool = False
    """Whether null is a valid fill value: missing chunks are undefined."""
    raw_base64: bool = True
    """Whether base64 is accepted for raw bits."""
    byte_lists: bool = True
    """Whether bytes are lists of integers."""
    records: bool = True
    """Whether a struct is an object with its fields."""
    patterns: bool = False
    """Whether all data types accept their bits as hexadecimal or binary digits."""
    float_patterns: bool = True
    """Whether floating point numbers accept their bits as hexadecimal digits."""
    infinity: str = "Infinity"
    """The spelling of positive infinity."""
    infinities: tuple[str, ...] = ("Infinity", "-Infinity", "+Infinity")
    """The spellings of infinities that the level "strict" accepts."""
    other_infinity: Rule = INFINITY
    """The rule that another spelling of positive infinity breaks."""
    int_text: Rule | None = NUMBER_TEXT
    """The rule that an integer as text breaks; None if it isn't accepted."""
    float_text: Rule | None = NUMBER_TEXT
    """The rule that a number as text breaks; None if it isn't accepted."""
    fractions: bool = False
    """Whether an integer may be written with a fraction of zero."""
    zero_and_one: bool = False
    """Whether 0 and 1 are accepted as booleans, and 0 as empty text."""
    plain_text: bool = False
    """Whether byte strings of fixed size are read from text that isn't base64, and from 0."""
    whole_bytes: bool = False
    """Whether base64 must contain all bytes of an element, including trailing zeros."""
    padding: bool = False
    """Whether base64 of text is written with its trailing zeros."""
    not_a_time: bool = True
    """Whether a missing date or duration is written as "NaT"."""


NOTATIONS: Final[Mapping[Format, Notation]] = {
    "v3": Notation(form="v3"),
    "v2": Notation(
        form="v2",
        null=True,
        byte_lists=False,
        records=False,
        float_patterns=False,
        infinities=("Infinity", "-Infinity"),
        other_infinity=FLOAT_TEXT,
        float_text=FLOAT_TEXT,
        fractions=True,
        zero_and_one=True,
        plain_text=True,
        whole_bytes=True,
        padding=True,
        not_a_time=False,  # zarr-python 2 reads only the number
    ),
    "draft": Notation(
        form="draft",
        raw_base64=False,
        records=False,
        patterns=True,
        infinity="+Infinity",
        int_text=None,
        float_text=None,
        plain_text=True,
        padding=True,
    ),
}
"""The notation of each format."""
