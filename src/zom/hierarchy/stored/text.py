"""The text of stored documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import SpecError
from zom.hierarchy.stored.findings import DOCUMENT_SIZE
from zom.json.write import write_json
from zom.limits import DEFAULT_LIMITS
from zom.paths import join, parse_path
from zom.problems import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["document_text", "node_text"]


def document_text(document: Mapping[str, Any]) -> bytes:
    """The text of a stored document, indented for people.

    >>> print(document_text({"zarr_format": 2}).decode())
    {
      "zarr_format": 2
    }
    """
    return write_json(document, indent=2).encode()


def node_text(document: Mapping[str, Any], path: str, key: str) -> bytes:
    r"""The text of a document of the node at `path`; SpecError if it is too long to be read again.

    A longer document could not be opened or changed again. Consolidated metadata has no limit.

    >>> node_text({"zarr_format": 2}, "a", "a/.zgroup")
    b'{\n  "zarr_format": 2\n}'
    """
    text = document_text(document)
    most = DEFAULT_LIMITS.document_bytes
    if len(text) > most and b'"consolidated_metadata"' not in text:
        where = join(parse_path(path))
        fix = "store large data as an array"
        fault = Fault(DOCUMENT_SIZE, (), f"at most {most} bytes", f"{len(text)} bytes", fix)
        raise SpecError([fault.problem(node=where, key=key)], where)
    return text
