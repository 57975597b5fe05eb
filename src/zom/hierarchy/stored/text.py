"""The text of stored documents, and of zom's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from zom.json import text as jsontext
from zom.json.python_value import is_dict, is_list
from zom.json.value import SURROGATE, JSONDict, JSONList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.problems import Fault

__all__ = ["document_text", "own_text", "own_value"]


def document_text(document: Mapping[str, Any]) -> bytes:
    """The text of a stored document: indented, as people look at it.

    >>> print(document_text({"zarr_format": 2}).decode())
    {
      "zarr_format": 2
    }
    """
    return jsontext.write(document, indent=2).encode()


def own_text(facts: Mapping[str, Any]) -> bytes:
    r"""The text of a record of zom's own, in ASCII: keys of local disks may hold bytes that are no text.

    >>> own_text({"key": "\udcff"})
    b'{"key": "\\udcff"}'
    """
    return json.dumps(facts).encode()


def own_value(text: bytes, faults: list[Fault]) -> Any:
    r"""What such a text says; as `jsontext.read`, but with the halves of characters that keys may hold.

    >>> own_value(b'{"key": "\\udcff"}', faults := [])["key"], faults
    ('\udcff', [])
    """
    value = jsontext.read(text, faults)
    if not faults or any(fault.rule is not SURROGATE for fault in faults):
        return value
    faults.clear()
    return _frozen(json.loads(text))


def _frozen(value: Any) -> Any:
    """`value`, which is no deeper than the limit of documents."""
    if is_dict(value):
        return JSONDict({name: _frozen(item) for name, item in value.items()})
    return JSONList(map(_frozen, value)) if is_list(value) else value
