"""The text of stored documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.json.write import write_json

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["document_text"]


def document_text(document: Mapping[str, Any]) -> bytes:
    """The text of a stored document: indented, as people look at it.

    >>> print(document_text({"zarr_format": 2}).decode())
    {
      "zarr_format": 2
    }
    """
    return write_json(document, indent=2).encode()
