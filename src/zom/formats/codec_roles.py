"""The codecs of an array by what they do: filters, one serializer, compressors.

These are the names that zarr-python has for them. Of shards, the codecs within count.
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
    """The codecs of an array, each as its document spells it."""

    filters: tuple[Mapping[str, Any], ...]
    """What changes elements before they become bytes."""
    serializer: Mapping[str, Any] | None
    """What makes bytes of elements; None in v2, which has no codec for it."""
    compressors: tuple[Mapping[str, Any], ...]
    """What changes the bytes: compression and checksums."""


def codec_roles(spec: Spec) -> CodecRoles:
    """The codecs of the array that `spec` describes.

    >>> from zom import v3
    >>> roles = codec_roles(v3.ArraySpec.build(shape=(4,), dtype="int8", order="F", compress="gzip"))
    >>> roles.filters, roles.compressors
    ((), ({'name': 'gzip', 'configuration': {'level': 5}},))
    """
    found: dict[str, list[Mapping[str, Any]]] = {"filters": [], "serializer": [], "compressors": []}
    for link in resolve(spec).codecs:
        found[_role(link, serialized=bool(found["serializer"]))].append(_spelled(link))
    # Shards are made by a codec, too: that of the chunks within comes after it.
    return CodecRoles(
        tuple(found["filters"]), next(reversed(found["serializer"]), None), tuple(found["compressors"])
    )


def _role(link: Link, *, serialized: bool) -> str:
    """What a codec is for; one that nobody has registered, by its place."""
    if link.path[0] in {"filters", "compressor"} and "id" in link.value:
        return "filters" if link.path[0] == "filters" else "compressors"
    if link.codec is None:
        return "compressors" if serialized else "filters"
    return {"array->array": "filters", "array->bytes": "serializer"}.get(link.codec.kind, "compressors")


def _spelled(link: Link) -> Mapping[str, Any]:
    if isinstance(link.value, str):
        return JSONDict({"name": link.value})
    return cast("Mapping[str, Any]", link.value)
