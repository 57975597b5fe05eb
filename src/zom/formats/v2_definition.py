"""Definitions of v2 codecs: an object with an id next to the configuration.

Zarr v2, metadata, compressor and filters: "The object MUST contain a "id" key identifying the codec to
be used"; the other keys depend on the codec, and in practice on numcodecs.
"""

from __future__ import annotations

from zom.extension.codec import codecs, v2_codecs
from zom.extension.configuration import parse_configuration
from zom.extension.link import Link
from zom.extension.memo import Memo
from zom.extension.registry import did_you_mean, near
from zom.json.exact import exact_text
from zom.json.python_value import is_dict
from zom.json.value import JSONDict
from zom.problems import Fault, Path, rule, show

__all__ = ["parse_v2_codec"]

_SOURCE = "zarr v2, metadata, compressor and filters"

FORM = rule(
    "codec/v2-form",
    "a v2 codec is an object with an id that is a string",
    source=_SOURCE,
    schema=True,
)
CONFIGURATION = rule(
    "codec/v2-configuration",
    "a v2 codec has the configuration that numcodecs defines for it",
    source="numcodecs, get_config of each codec",
    schema=True,
)
UNKNOWN = rule(
    "codec/v2-unknown",
    "numcodecs defines every v2 codec",
    source=_SOURCE,
    lenient=None,
    strict=None,
    closed="error",
    schema=True,
)


def parse_v2_codec(value: object, path: Path) -> Link:
    """Parse the v2 codec that `value` defines, at `path` of the document.

    >>> import zom.codecs
    >>> parse_v2_codec({"id": "gzip", "level": 1}, ("compressor",)).configuration
    GzipV2Configuration(level=1)
    >>> parse_v2_codec({"id": "lzma", "format": 9}, ()).faults[0].expected
    '1, 2 or 3'
    """
    return _links.get(exact_text(value), lambda: _link(value)).at(path)


_links: Memo[Link] = Memo()


def _link(value: object) -> Link:
    if not is_dict(value):
        return _unread(value, None, Fault(FORM, (), "an object with an id", show(value)))
    written = value.get("id")
    if not isinstance(written, str) or not written:
        found = show(written) if "id" in value else "nothing"
        return _unread(value, None, Fault(FORM, ("id",), "the id of a codec", found))
    codec = codecs.of_v2(written)
    if codec is None:
        known = v2_codecs()
        fix = did_you_mean(near(written, known), known)
        expected = "the id of a codec of numcodecs"
        return _unread(value, written, Fault(UNKNOWN, ("id",), expected, show(written), fix))
    faults: list[Fault] = []
    rest = JSONDict({member: item for member, item in value.items() if member != "id"})
    configuration = parse_configuration(codec.v2_configuration, rest, CONFIGURATION, faults)
    return Link(codec.name, written, (), (), value, codec, configuration, tuple(faults))


def _unread(value: object, written: str | None, fault: Fault) -> Link:
    return Link(written or "", written, (), (), value, None, None, (fault,))
