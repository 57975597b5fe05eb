"""The codecs of a draft array, and the one compressor that software of 2021 wrote in their place.

The editor's draft of the Zarr core specification, version 3.0, of December 2022: sections "Chunk
encoding" and "codecs"; its companion documents on the codecs blosc, endian and gzip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.extension.codec import Bytes, Codec, Elements, Representation, codecs, v2_codecs
from zom.extension.configuration import parse_configuration
from zom.formats.draft_extension import UNREGISTERED, check_configuration, check_uri, codec_name
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CODEC", "check_codecs", "check_compressor"]

_Path = tuple[str | int, ...]

CODEC = rule(
    "draft/codec",
    "a codec is an object with type, a URI, and perhaps configuration, an object that fits it",
    source="Zarr core specification 3.0, draft of 2022, codecs",
    schema=True,
)


def _draft_codec(name: str) -> Codec | None:
    for codec in codecs:
        if codec.draft_name == name:
            return codec
    return None


def check_codecs(items: Iterable[Any], elements: Elements, faults: list[Fault]) -> None:
    """Adds the faults of the member `codecs`; `elements` is a chunk of the array.

    >>> check_codecs(["gzip"], Elements(((4,),), None), faults := []); faults[0].path
    ('codecs', 0)
    """
    representation: Representation | None = elements
    for index, item in enumerate(items):
        path = ("codecs", index)
        if not isinstance(item, dict):
            faults.append(Fault(CODEC, path, "an object", show(item)))
            representation = None
            continue
        value = cast("dict[str, Any]", item)
        named = check_uri(value, "type", path, faults, CODEC)
        start = len(faults)
        check_configuration(value, path, faults, CODEC)
        codec = _draft_codec(codec_name(value["type"])) if named else None
        if named and codec is None:
            known = sorted(c.draft_name for c in codecs if c.draft_name)
            wanted = f"a codec that zom knows ({', '.join(known)})"
            faults.append(Fault(UNREGISTERED, (*path, "type"), wanted, show(value["type"])))
        if codec is None or len(faults) > start:
            representation = None
            continue
        given = value.get("configuration", {})
        model = codec.draft_configuration or codec.configuration
        parsed = parse_configuration(model, given, CODEC, faults, path=(*path, "configuration"))
        representation = _thread(codec, parsed, representation, faults, path)


def _thread(
    codec: Codec, configuration: Any, before: Representation | None, faults: list[Fault], path: _Path
) -> Representation | None:
    """What comes out of the codec; the draft turns elements into bytes, and back, by itself."""
    if configuration is None:
        return None
    if codec.kind == "bytes->bytes":
        before = before if isinstance(before, Bytes) else Bytes()
    elif not isinstance(before, Elements):
        # What the codec is given can't be told: its own parameters can be judged all the same.
        before = Elements(None, None)
    return codec.thread(configuration, before, faults, path)


def check_compressor(value: object, faults: list[Fault]) -> None:
    """Adds the faults of a compressor of 2021: a URI under `codec`, and what numcodecs is told.

    >>> check_compressor("gzip", faults := []); faults[0].expected
    'an object with codec and configuration'
    """
    path = ("compressor",)
    if not isinstance(value, dict):
        faults.append(Fault(CODEC, path, "an object with codec and configuration", show(value)))
        return
    document = cast("dict[str, Any]", value)
    named = check_uri(document, "codec", path, faults, CODEC)
    start = len(faults)
    check_configuration(document, path, faults, CODEC)
    if not named or len(faults) > start:
        return
    codec = v2_codecs().get(codec_name(document["codec"]))
    if codec is None:
        found = show(document["codec"])
        faults.append(Fault(UNREGISTERED, (*path, "codec"), "a codec that zom knows", found))
        return
    given = document.get("configuration", {})
    inner = (*path, "configuration")
    parse_configuration(codec.v2_configuration, given, CODEC, faults, path=inner)
