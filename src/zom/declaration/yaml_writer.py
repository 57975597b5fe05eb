"""Write declarations as YAML: nodes on their own lines, small values on one line, quotes where needed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zom.json.python_value import is_dict, is_list
from zom.json.write import write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["yaml_text"]

_WIDTH: Final = 110
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+-]+)*", re.ASCII)
_WORDS: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off"})
"""Words to quote, including those of YAML 1.1, which other readers take for booleans."""


def yaml_text(value: Mapping[str, Any]) -> str:
    r"""Return the text of a declaration, which reads back as the same value.

    >>> print(yaml_text({"zom": 1, "members": {"a b": {"dims": ["x"], "dtype": "int8"}, "1": {}}}), end="")
    zom: 1
    members:
      a b: {dims: [x], dtype: int8}
      "1": {}
    """
    return "".join(f"{line}\n" for line in _block(value, 0))


def _block(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    margin = "  " * depth
    for name, inner in value.items():
        key = f"{margin}{_scalar(name)}:"
        short = _flow(inner)
        if (
            is_dict(inner)
            and inner
            and (len(key) + len(short) >= _WIDTH or "members" in inner or name == "members")
        ):
            yield key
            yield from _block(inner, depth + 1)
        else:
            yield f"{key} {short}"


def _flow(value: Any) -> str:
    if is_dict(value):
        return "{" + ", ".join(f"{_scalar(name)}: {_flow(inner)}" for name, inner in value.items()) + "}"
    if is_list(value):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS and len(value) < 1000
        return value if plain else _quoted(value)
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - only NaN
        return ".nan"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    return write_json(value)


def _quoted(text: str) -> str:
    """Quote text, with escapes for line breaks and non-printable characters."""
    made = write_json(text)
    return "".join(each if each.isprintable() else _escape(each) for each in made)


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
