"""Fill values in base64: byte strings, raw bytes and structs, as v2 (and some v3 types) spell them.

Zarr v2, fill value encoding: "MUST be encoded as an ASCII string using the standard Base64 alphabet".
Writers strip the trailing zeros of a byte string, so shorter values are padded, usually with a fault.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from zom.dtypes.fill_schema import text_schema
from zom.extension.fill_value import (
    LENGTH,
    PLAIN_TEXT,
    SHORT,
    SHORT_TEXT,
    ZERO,
    parse_base64,
    refuse_type,
)
from zom.extension.patterns import BASE64
from zom.problems import Fault, Path, show

if TYPE_CHECKING:
    from zom.extension.datatype import Format
    from zom.extension.notation import Notation

__all__ = ["base64_schema", "parse_item", "parse_text", "write_item"]

_BASE64 = re.compile(BASE64)


def base64_schema(form: Format) -> dict[str, Any]:
    """Return a JSON Schema for base64 of any length, and for null if `form` allows it.

    >>> base64_schema("v2")["type"]
    ['string', 'null']
    """
    return {**text_schema(form), "pattern": BASE64}


def parse_item(size: int, value: Any, faults: list[Fault], path: Path) -> bytes | None:
    r"""Decode base64 and pad it to `size` bytes; return None and add a fault if it is invalid.

    >>> parse_item(4, "YWI=", [], ())
    b'ab\x00\x00'
    """
    if not isinstance(value, str):
        refuse_type(f"base64 of at most {size} bytes", value, faults, path)
        return None
    raw = parse_base64(value, size, faults, path)
    if raw is not None and len(raw) < size:
        faults.append(Fault(SHORT, path, f"base64 of {size} bytes", f"{len(raw)} bytes"))
    return None if raw is None else raw.ljust(size, b"\0")


def parse_text(size: int, value: Any, notation: Notation, faults: list[Fault], path: Path) -> bytes | None:
    """Like `parse_item`, but accept plain text, and 0 for empty text, if `notation` allows them."""
    if type(value) is int and value == 0 and notation.plain_text:
        faults.append(Fault(ZERO, path, f"base64 of at most {size} bytes", "0", 'write ""'))
        return bytes(size)
    if not notation.plain_text or not isinstance(value, str) or _BASE64.match(value):
        start = len(faults)
        found = parse_item(size, value, faults, path)
        # In v3 only zarr-python has such a type, so whatever it writes is valid.
        told = [fault for fault in faults[start:] if notation.whole_bytes or fault.rule is not SHORT]
        faults[start:] = [each._replace(rule=SHORT_TEXT) if each.rule is SHORT else each for each in told]
        return found
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        return parse_item(size, value, faults, path)
    if len(raw) > size:
        faults.append(Fault(LENGTH, path, f"base64 of at most {size} bytes", show(value)))
        return None
    spelled = base64.b64encode(raw).decode()
    faults.append(Fault(PLAIN_TEXT, path, "base64", show(value), f'write "{spelled}"'))
    return raw.ljust(size, b"\0")


def write_item(raw: bytes) -> str:
    """Encode the bytes of an element as base64.

    >>> write_item(b"ab")
    'YWI='
    """
    return base64.b64encode(raw).decode()
