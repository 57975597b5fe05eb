"""The codecs of an array by role: filters, one serializer, compressors.

The names are those of zarr-python. For shards, the roles are those of the inner codecs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.formats.resolve import resolve
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.extension.link import Link
    from zom.model.spec import Spec

__all__ = ["CodecRoles", "codec_roles"]


class CodecRoles(NamedTuple):
    """The codecs of an array, each as in its document."""

    filters: tuple[Mapping[str, Any], ...]
    """Codecs that change elements before they become bytes."""
    serializer: Mapping[str, Any] | None
    """The codec that turns elements into bytes; None in v2, which has no such codec."""
    compressors: tuple[Mapping[str, Any], ...]
    """Codecs that change the bytes: compression and checksums."""


def codec_roles(spec: Spec) -> CodecRoles:
    """Return the codecs of the array that `spec` describes.

    >>> from zom import v3
    >>> roles = codec_roles(v3.ArraySpec.build(shape=(4,), dtype="int8", order="F", compress="gzip"))
    >>> roles.filters, roles.compressors
    ((), ({'name': 'gzip', 'configuration': {'level': 5}},))
    """
    found: dict[str, list[Mapping[str, Any]]] = {"filters": [], "serializer": [], "compressors": []}
    for link in resolve(spec).codecs:
        found[_role(link, serialized=bool(found["serializer"]))].append(_spelled(link))
    # A sharding codec is a serializer, too; the serializer of the inner chunks follows it.
    return CodecRoles(
        tuple(found["filters"]), next(reversed(found["serializer"]), None), tuple(found["compressors"])
    )


def _role(link: Link, *, serialized: bool) -> str:
    """Return the role of a codec; the position decides for unregistered codecs."""
    if link.path[0] in {"filters", "compressor"} and "id" in link.value:
        return "filters" if link.path[0] == "filters" else "compressors"
    if link.codec is None:
        return "compressors" if serialized else "filters"
    return {"array->array": "filters", "array->bytes": "serializer"}.get(link.codec.kind, "compressors")


def _spelled(link: Link) -> Mapping[str, Any]:
    if isinstance(link.value, str):
        return JSONDict({"name": link.value})
    return cast("Mapping[str, Any]", link.value)
