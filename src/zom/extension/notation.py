"""How each format spells fill values: the differences of the formats, as values.

Zarr v2, "Fill value encoding"; Zarr v3 core, "Fill value"; the draft, "fill_value". A data type asks the
`Notation` for what differs, and never for the format's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from zom.extension.fill_value import FLOAT_TEXT, INFINITY, NUMBER_TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.datatype import Format
    from zom.problems import Rule

__all__ = ["NOTATIONS", "Notation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How one format spells fill values.

    >>> NOTATIONS["draft"].infinity
    '+Infinity'
    """

    form: Format
    """The format."""
    null: bool
    """Whether null is a fill value: chunks that are missing are undefined."""
    raw_base64: bool
    """Whether raw bits are read from base64."""
    byte_lists: bool
    """Whether bytes are lists of integers."""
    records: bool
    """Whether a struct is an object with its fields."""
    patterns: bool
    """Whether every data type takes its bits, as hexadecimal or binary digits."""
    float_patterns: bool
    """Whether floating point numbers take their bits, as hexadecimal digits."""
    infinity: str
    """Positive infinity."""
    infinities: tuple[str, ...]
    """The infinities that the level "strict" takes."""
    other_infinity: Rule
    """The rule that another word for positive infinity breaks."""
    int_text: Rule | None
    """The rule that an integer as text breaks; None where it isn't read."""
    float_text: Rule | None
    """The rule that a number as text breaks; None where it isn't read."""
    fractions: bool
    """Whether an integer may be written with a fraction of zero."""
    zero_and_one: bool
    """Whether 0 and 1 are booleans, and 0 is an empty text."""
    plain_text: bool
    """Whether bytes of a fixed number are read from text that isn't base64, and from 0."""
    whole_bytes: bool
    """Whether base64 has every byte of an element, the zeros at the end, too."""
    padding: bool
    """Whether base64 of text is written with the zeros at its end."""
    not_a_time: bool
    """Whether the date or duration that is none has a word, "NaT"."""


NOTATIONS: Final[Mapping[Format, Notation]] = {
    "v2": Notation(
        form="v2",
        null=True,
        raw_base64=True,
        byte_lists=False,
        records=False,
        patterns=False,
        float_patterns=False,
        infinity="Infinity",
        infinities=("Infinity", "-Infinity"),
        other_infinity=FLOAT_TEXT,
        int_text=NUMBER_TEXT,
        float_text=FLOAT_TEXT,
        fractions=True,
        zero_and_one=True,
        plain_text=True,
        whole_bytes=True,
        padding=True,
        not_a_time=False,  # zarr-python 2 reads the number only
    ),
    "v3": Notation(
        form="v3",
        null=False,
        raw_base64=True,
        byte_lists=True,
        records=True,
        patterns=False,
        float_patterns=True,
        infinity="Infinity",
        infinities=("Infinity", "-Infinity", "+Infinity"),
        other_infinity=INFINITY,
        int_text=NUMBER_TEXT,
        float_text=NUMBER_TEXT,
        fractions=False,
        zero_and_one=False,
        plain_text=False,
        whole_bytes=False,
        padding=False,
        not_a_time=True,
    ),
    "draft": Notation(
        form="draft",
        null=False,
        raw_base64=False,
        byte_lists=True,
        records=False,
        patterns=True,
        float_patterns=True,
        infinity="+Infinity",
        infinities=("Infinity", "-Infinity", "+Infinity"),
        other_infinity=INFINITY,
        int_text=None,
        float_text=None,
        fractions=False,
        zero_and_one=False,
        plain_text=True,
        whole_bytes=False,
        padding=True,
        not_a_time=True,
    ),
}
"""The notation of each format."""
