"""A link: one codec of a chain, parsed from a document but not bound yet.

Each format has its own spelling of a list of codecs, and its own parser. This module parses the v3
spelling, which codecs that contain codecs (`sharding_indexed`, `conditional`) use in every format.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.extension.answer import answer, at_fault
from zom.extension.checked import threaded_fault
from zom.extension.codec import Bytes, Codec, Elements, codecs
from zom.extension.configuration import parse_configuration
from zom.extension.definition import find_extension, name_of, parse_definition
from zom.extension.memo import Memo
from zom.json.exact import exact_text
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.codec import Representation
    from zom.extension.configuration import Configuration
    from zom.json.value import JSONDict

__all__ = ["Link", "parse_links"]

UNKNOWN = rule(
    "codec/unknown",
    "zarr v3 or zarr-extensions defines every codec",
    source="zarr v3.1, extension naming",
    lenient=None,
    strict=None,
    closed="error",
    schema=True,
)
SKIPPED = rule(
    "codec/must-understand",
    "an unknown codec can't be skipped: the bytes would have another meaning",
    source="zarr v3.1, extension definition, must_understand",
    lenient="warning",
    schema=True,
)
ALIAS = rule(
    "codec/alias",
    "a codec has its current name",
    source="zarr-specs pull request 263",
    lenient="warning",
    schema=True,
)
CONFIGURATION = rule(
    "codec/configuration",
    "a codec's configuration matches its specification",
    source="the specification of each codec, in zarr-specs and zarr-extensions",
    schema=True,
)

_THREADED: Final = (Bytes, Elements, type(None))
_THREADED_WORDS: Final = "Bytes, Elements or None"


class Link(NamedTuple):
    """One codec of a chain; unknown values are None."""

    name: str
    """Its v3 name, or its name in the document if it is not registered."""
    written: str | None
    """Its name in the document."""
    path: Path
    """Its path in the document."""
    inside: Path
    """The path of its parameters."""
    value: Any
    """Its definition in the document."""
    codec: Codec | None
    configuration: Configuration | None
    faults: tuple[Fault, ...] = ()
    """The faults of the definition alone."""

    def at(self, path: Path) -> Link:
        """Return the link with `path` prepended to its paths."""
        faults = tuple([fault._replace(path=(*path, *fault.path)) for fault in self.faults])
        return self._replace(path=(*path, *self.path), inside=(*path, *self.inside), faults=faults)

    def thread(self, before: Representation, faults: list[Fault]) -> Representation | None:
        """Return the result of encoding `before`; the link must have a codec and a configuration."""
        found: list[Fault] = []
        arguments = (self.configuration, before, found, self.path)
        after: Representation | None = answer(self.codec, "thread", _THREADED, _THREADED_WORDS, *arguments)
        if self.codec is not None and not codecs.is_own(self.codec):
            wrong = threaded_fault(self.codec, before, after)
            if wrong is not None:
                raise at_fault(f"{self.codec!r}", wrong)
        beside = (*self.path, "configuration")
        for fault in found:
            # Not every format has an object with the parameters.
            if self.inside != beside and fault.path[: len(beside)] == beside:
                faults.append(fault._replace(path=(*self.inside, *fault.path[len(beside) :])))
            else:
                faults.append(fault)
        return after


def parse_links(values: Sequence[Any], path: Path = ("codecs",)) -> list[Link]:
    """Parse the codecs that a v3 document lists at `path`.

    >>> import zom.codecs
    >>> [(link.name, link.codec) for link in parse_links(["bytes", {"name": "zip9"}])]
    [('bytes', <codec bytes>), ('zip9', None)]
    """
    # The same few codecs occur in many chains, for different chunks.
    return [
        _links.get(exact_text(value), partial(_link, value)).at((*path, index))
        for index, value in enumerate(values)
    ]


_links: Memo[Link] = Memo()


def _link(value: Any) -> Link:
    faults: list[Fault] = []
    written = name_of(value)
    definition = parse_definition(value, faults, must_understand_allowed=True, known=codecs)
    codec: Codec | None = None
    configuration: Configuration | None = None
    if definition is None:
        codec = codecs.find(written) if written else None
    else:
        here = () if isinstance(value, str) else ("name",)
        codec = find_extension(definition.name, codecs, UNKNOWN, faults, here)
        if codec is None:
            _check_skipping(value, faults)
        else:
            if definition.name != codec.name:
                fix = f"write {codec.name!r}"
                faults.append(Fault(ALIAS, here, show(codec.name), show(definition.name), fix))
            configuration = _configuration(codec, definition.configuration, faults)
    name = (written or "") if codec is None else codec.name
    return Link(name, written, (), ("configuration",), value, codec, configuration, tuple(faults))


def _configuration(codec: Codec, value: JSONDict, faults: list[Fault]) -> Configuration | None:
    found = parse_configuration(codec.configuration, value, CONFIGURATION, faults, path=("configuration",))
    if found is None:
        codec.inspect(value, faults, ())
    return found


def _check_skipping(value: Any, faults: list[Fault]) -> None:
    if isinstance(value, dict) and cast("dict[str, Any]", value).get("must_understand") is False:
        expected = "true for an unknown codec"
        faults.append(Fault(SKIPPED, ("must_understand",), expected, "false"))
