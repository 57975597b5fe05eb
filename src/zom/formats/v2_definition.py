"""Definitions of v2 codecs: an object with an id and, beside it, the configuration.

Zarr v2, metadata, compressor and filters: "The object MUST contain a "id" key identifying the codec to
be used"; what else it may contain is up to the codec, and in practice to numcodecs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.extension.codec import v2_codecs
from zom.extension.configuration import parse_configuration
from zom.extension.registry import did_you_mean, near
from zom.json.value import JSONDict
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from zom.extension.codec import Codec
    from zom.extension.configuration import Configuration

__all__ = ["check_v2_codec"]

_SOURCE = "zarr v2, metadata, compressor and filters"

FORM = rule(
    "codec/v2-form",
    "a v2 codec is an object with an id that is a text",
    source=_SOURCE,
    schema=True,
)
CONFIGURATION = rule(
    "codec/v2-configuration",
    "a v2 codec has the configuration that numcodecs gives it",
    source="numcodecs, get_config of each codec",
    schema=True,
)
UNKNOWN = rule(
    "codec/v2-unknown",
    "every v2 codec is one that numcodecs names",
    source=_SOURCE,
    lenient=None,
    strict=None,
    closed="error",
    schema=True,
)


def check_v2_codec(
    value: object, faults: list[Fault], path: tuple[str | int, ...]
) -> tuple[Codec, Configuration] | None:
    """The codec that `value` names, and its configuration; None where either can't be told.

    >>> import zom.codecs
    >>> faults = []
    >>> check_v2_codec({"id": "gzip", "level": 1}, faults, ())
    (<codec gzip>, GzipV2Configuration(level=1))
    >>> check_v2_codec({"id": "lzma", "format": 9}, faults, ()); faults[0].expected
    '1, 2 or 3'
    """
    if not isinstance(value, dict):
        faults.append(Fault(FORM, path, "an object with an id", show(value)))
        return None
    members = cast("dict[str, Any]", value)
    name = members.get("id")
    if not isinstance(name, str) or not name:
        found = show(name) if "id" in members else "nothing"
        faults.append(Fault(FORM, (*path, "id"), "the id of a codec", found))
        return None
    known = v2_codecs()
    codec = known.get(name)
    if codec is None:
        fix = did_you_mean(near(name, known), known)
        faults.append(Fault(UNKNOWN, (*path, "id"), "the id of a codec of numcodecs", show(name), fix))
        return None
    rest = JSONDict({member: item for member, item in members.items() if member != "id"})
    model = codec.v2_configuration
    configuration = parse_configuration(model, rest, CONFIGURATION, faults, path=path)
    return None if configuration is None else (codec, configuration)
