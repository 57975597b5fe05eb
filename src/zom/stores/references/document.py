"""Kerchunk references in JSON: keys, and where their bytes are.

https://fsspec.github.io/kerchunk/spec.html, version 0 and 1. A reference is text (with the prefix `"base64:"`
if it is not ASCII), a JSON object, `[url]`, or `[url, offset, length]`. Version 1 has templates, used in URLs
as `{{name}}` or `{{name(argument='text')}}`. No other Jinja is evaluated: a document can't run code.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from zom.errors import StoreError
from zom.paths import is_document
from zom.patterns import compiled_later

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Reference", "Target", "is_references", "parse_references", "read_text"]

_BASE64 = "base64:"
_PLACE = compiled_later(r"\{\{\s*(\w+)\s*(?:\((.*?)\)\s*)?\}\}")
_ARGUMENT = re.compile(r"""\s*(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|(\d+))\s*(?:,|$)""")


class Target(NamedTuple):
    """Bytes of a file: `length` bytes from `start` on, or the rest if the length is None."""

    url: str
    start: int = 0
    length: int | None = None


Reference: TypeAlias = "bytes | Target"
"""A value in the document itself, or its place in a file."""


def is_references(document: object) -> bool:
    """Whether a JSON value is a reference document of version 1 or 0.

    >>> is_references({"version": 1, "refs": {}}), is_references({".zgroup": "{}"})
    (True, True)
    >>> is_references({"zarr_format": 3, "node_type": "group"})
    False
    """
    if not isinstance(document, Mapping):
        return False
    found = cast("Mapping[Any, Any]", document)
    if "version" in found and isinstance(found.get("refs"), Mapping):
        return True
    return any(isinstance(key, str) and is_document(key) for key in found)


def read_text(text: bytes, where: str) -> Any:
    """Parse a JSON text; StoreError if it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise StoreError(where, "", "open", f"expected references in JSON: {cause}") from None


def parse_references(document: Mapping[str, Any], where: str) -> dict[str, Reference]:
    """Return the reference of every key; StoreError for the first invalid one.

    >>> found = parse_references({".zgroup": "{}", "a/0": ["/b.nc", 8, 4], "a/1": "base64:aGk="}, "refs.json")
    >>> found["a/0"], found["a/1"]
    (Target(url='/b.nc', start=8, length=4), b'hi')
    """
    if not is_references(document):
        reason = "expected kerchunk references: `version` and `refs`, or keys such as '.zgroup' and 'a/0'"
        raise StoreError(where, "", "open", reason)
    version: Any = document.get("version", 0)
    if type(version) is not int or version not in {0, 1}:
        raise StoreError(
            where, "", "open", f"expected references of version 0 or 1, found version {version!r}"
        )
    if document.get("gen"):
        reason = (
            "`gen` creates references with Jinja expressions, which zom does not evaluate; write them out, or pass "
            "fsspec.filesystem('reference', fo=..., simple_templates=False)"
        )
        raise StoreError(where, "", "open", reason)
    if "version" not in document:
        return {key: _reference(key, value, {}, where) for key, value in document.items()}
    templates = _templates(document.get("templates", {}), where)
    refs: Mapping[str, Any] = document["refs"]
    return {key: _reference(key, value, templates, where) for key, value in refs.items()}


def _templates(given: Any, where: str) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise StoreError(where, "", "open", "expected `templates` to be an object")
    found = cast("Mapping[Any, Any]", given)
    for name, text in found.items():
        if not isinstance(text, str):
            raise StoreError(where, "", "open", f"expected the template {name!r} to be text, found {text!r}")
    return dict(cast("Mapping[str, str]", found))


def _reference(key: Any, value: Any, templates: dict[str, str], where: str) -> Reference:
    if not isinstance(key, str):
        raise StoreError(where, "", "open", f"expected keys that are text, found {key!r}")
    if not isinstance(value, (list, tuple)):
        if isinstance(value, str):
            return _inline(key, value, where)
        if isinstance(value, Mapping):
            return json.dumps(value).encode()
        if not isinstance(value, bytes):
            raise _unexpected(key, value, where)
        return value
    parts = cast("Sequence[Any]", value)
    if len(parts) not in {1, 3} or not isinstance(parts[0], str) or not parts[0]:
        raise _unexpected(key, value, where)
    url = _rendered(parts[0], templates, key, where) if "{{" in parts[0] else parts[0]
    if len(parts) == 1:
        return Target(url)
    start, length = parts[1], parts[2]
    if type(start) is not int or type(length) is not int or start < 0 or length < 0:
        raise _unexpected(key, value, where)
    return Target(url, start, length)


def _unexpected(key: str, value: Any, where: str) -> StoreError:
    text = repr(value)
    shown = text if len(text) < 80 else f"{text[:80]}..."
    reason = f"expected text, an object, [url] or [url, offset, length] as a reference, found {shown}"
    return StoreError(where, key, "open", reason)


def _inline(key: str, text: str, where: str) -> bytes:
    try:
        if text.startswith(_BASE64):
            return base64.b64decode(text[len(_BASE64) :], validate=True)
        return text.encode()
    except (binascii.Error, UnicodeEncodeError, ValueError) as cause:
        raise StoreError(where, key, "open", f"the value in the document is damaged: {cause}") from None


def _rendered(url: str, templates: dict[str, str], key: str, where: str) -> str:
    """Return the URL with its templates filled in."""

    def fill(place: re.Match[str]) -> str:
        name, arguments = place[1], place[2]
        if name not in templates:
            raise StoreError(where, key, "open", f"expected a template {name!r}, found {sorted(templates)}")
        given = _arguments(arguments or "", key, where)
        return _PLACE.sub(lambda inner: _argument(inner, given, key, where), templates[name])

    made = _PLACE.sub(fill, url)
    if "{{" in made:
        reason = f"expected {{{{name}}}} or {{{{name(argument='text')}}}} in a URL, found {url!r}"
        raise StoreError(where, key, "open", reason)
    return made


def _argument(place: re.Match[str], given: dict[str, str], key: str, where: str) -> str:
    if place[2] is not None or place[1] not in given:
        reason = f"expected an argument {place[1]!r} for the template, found {sorted(given)}"
        raise StoreError(where, key, "open", reason)
    return given[place[1]]


def _arguments(text: str, key: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while at < len(text.rstrip()):
        match = _ARGUMENT.match(text, at)
        if match is None:
            raise StoreError(where, key, "open", f"expected name='text' as arguments, found {text!r}")
        found[match[1]] = next(each for each in match.groups()[1:] if each is not None)
        at = match.end()
    return found
