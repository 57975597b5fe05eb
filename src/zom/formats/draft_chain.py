"""The codecs of a draft array, and the single compressor that software wrote instead in 2021.

The editor's draft of the Zarr core specification, version 3.0, of December 2022: sections "Chunk
encoding" and "codecs"; its companion documents on the codecs blosc, endian and gzip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.extension.codec import Bytes, Elements, codecs
from zom.extension.configuration import parse_configuration
from zom.extension.link import Link
from zom.formats.draft_extension import UNREGISTERED, check_configuration, check_uri, codec_name
from zom.formats.v2_definition import parse_v2_codec
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.extension.codec import Representation

__all__ = ["CODEC", "check_codecs", "parse_chain", "parse_codecs", "parse_compressor"]

CODEC = rule(
    "draft/codec",
    "a codec is an object with type, a URI, and optionally configuration, an object that fits it",
    source="Zarr core specification 3.0, draft of 2022, codecs",
    schema=True,
)


def parse_codecs(items: Iterable[Any]) -> list[Link]:
    """Parse the codecs in the member `codecs`.

    >>> parse_codecs(["gzip"])[0].faults[0].path
    ('codecs', 0)
    """
    return [_codec(value).at(("codecs", index)) for index, value in enumerate(items)]


def parse_compressor(value: object) -> Link:
    """Parse a compressor of 2021: a URI in `codec`, and a numcodecs configuration.

    >>> parse_compressor("gzip").faults[0].expected
    'an object with codec and configuration'
    """
    return _compressor(value).at(("compressor",))


def parse_chain(document: Mapping[str, Any]) -> list[Link]:
    """Return the codecs of a draft array in the order of encoding.

    In 2021 there was one `compressor`, and software wrote filters into the attributes. The text of the
    draft gives attributes no meaning, so they are ignored if the document has `codecs`.

    >>> import zom.codecs
    >>> document = {"attributes": {"filters": [{"id": "delta", "dtype": "<i4"}]}}
    >>> [link.path for link in parse_chain(document)], parse_chain({**document, "codecs": []})
    ([('attributes', 'filters', 0)], [])
    """
    if "codecs" in document:
        return parse_codecs(document["codecs"])
    attributes = document.get("attributes")
    given = attributes.get("filters") if is_dict(attributes) else None
    values = given if is_list(given) and all(is_dict(value) and "id" in value for value in given) else []
    links = [parse_v2_codec(value, ("attributes", "filters", i)) for i, value in enumerate(values)]
    compressor = document.get("compressor")
    return links if compressor is None else [*links, parse_compressor(compressor)]


_INSIDE = ("configuration",)


def _codec(value: object) -> Link:
    if not is_dict(value):
        fault = Fault(CODEC, (), "an object", show(value))
        return Link("", None, (), _INSIDE, value, None, None, (fault,))
    faults: list[Fault] = []
    written: str | None = value["type"] if check_uri(value, "type", (), faults, CODEC) else None
    sound = _has_sound_configuration(value, faults)
    name = "" if written is None else codec_name(written)
    codec = codecs.first(lambda each: each if each.draft_name == name else None) if name else None
    if written is not None and codec is None:
        known = sorted(each.draft_name for each in codecs if each.draft_name)
        wanted = f"a codec that zom knows ({', '.join(known)})"
        faults.append(Fault(UNREGISTERED, ("type",), wanted, show(written)))
    configuration = None
    if codec is not None and sound:
        name, model = codec.name, codec.draft_configuration or codec.configuration
        given = value.get("configuration", {})
        configuration = parse_configuration(model, given, CODEC, faults, path=_INSIDE)
    return Link(name, written, (), _INSIDE, value, codec, configuration, tuple(faults))


def _compressor(value: object) -> Link:
    if not is_dict(value):
        fault = Fault(CODEC, (), "an object with codec and configuration", show(value))
        return Link("", None, (), _INSIDE, value, None, None, (fault,))
    faults: list[Fault] = []
    written: str | None = value["codec"] if check_uri(value, "codec", (), faults, CODEC) else None
    sound = _has_sound_configuration(value, faults)
    name = "" if written is None else codec_name(written)
    codec, configuration = codecs.of_v2(name), None
    if codec is not None and sound:
        name, given = codec.name, value.get("configuration", {})
        configuration = parse_configuration(codec.v2_configuration, given, CODEC, faults, path=_INSIDE)
    elif written is not None and sound:
        faults.append(Fault(UNREGISTERED, ("codec",), "a codec that zom knows", show(written)))
    return Link(name, written, (), _INSIDE, value, codec, configuration, tuple(faults))


def _has_sound_configuration(value: dict[str, Any], faults: list[Fault]) -> bool:
    start = len(faults)
    check_configuration(value, (), faults, CODEC)
    return len(faults) == start


def check_codecs(links: Iterable[Link], elements: Elements, faults: list[Fault]) -> None:
    """Add the faults of the codecs in `codecs`; `elements` describes a chunk of the array.

    >>> check_codecs(parse_codecs(["gzip"]), Elements(((4,),), None), faults := []); faults[0].path
    ('codecs', 0)
    """
    state: Representation | None = elements
    for link in links:
        faults.extend(link.faults)
        state = _thread(link, state, faults)


def _thread(link: Link, before: Representation | None, faults: list[Fault]) -> Representation | None:
    """Return the codec's output; the draft converts elements to bytes, and back, implicitly."""
    if link.codec is None or link.configuration is None:
        return None
    if link.codec.kind == "bytes->bytes":
        before = before if isinstance(before, Bytes) else Bytes()
    elif not isinstance(before, Elements):
        # The codec's input is unknown, but its own parameters can be checked.
        before = Elements(None, None)
    return link.thread(before, faults)
