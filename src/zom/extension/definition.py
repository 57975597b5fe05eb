"""Definitions: the name and configuration of an extension in v3.

Zarr v3.1, extension definition and extension naming:
https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#extension-definition
A shorthand name means the same as an object with only that name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from zom.extension.registry import did_you_mean, near
from zom.json.value import JSONDict
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.registry import Registry
    from zom.problems import Rule

__all__ = [
    "EXTENSION_POINTS",
    "NAME_PATTERN",
    "Definition",
    "find_extension",
    "is_name",
    "is_uri",
    "name_of",
    "parse_definition",
    "strange_members",
    "suggestion",
    "uri_fault",
]

_SOURCE = "zarr v3.1, extension definition"

FORM = rule(
    "definition/form",
    "an extension is a string, or an object with a name and optionally a configuration that is "
    "an object and a must_understand that is a boolean",
    source=_SOURCE,
    schema=True,
)
MEMBER = rule(
    "definition/member",
    "an extension's object has only the members name, configuration and must_understand",
    source=_SOURCE,
    lenient="warning",
    schema=True,
)
NAME = rule(
    "definition/name",
    "an extension's name is a lower case letter, then lower case letters, digits, '-', '_' and '.', at "
    "least one of them; a URI is still permitted",
    source="zarr v3.1, extension naming",
    lenient="warning",
    schema=True,
)
URI_NAME = rule(
    "definition/uri-name",
    "an extension named by a URI is known to zom; an unknown one is kept, and not checked",
    source="zarr v3.1, extension naming: a URI is still permitted",
    lenient=None,
    strict=None,
    closed="warning",
)
MUST_UNDERSTAND = rule(
    "definition/must-understand",
    "a data type, a chunk grid and a chunk key encoding must always be understood",
    source="zarr v3.1, extension definition, must_understand",
    lenient="warning",
    schema=True,
)
FLAT = rule(
    "chunk-key-encoding/flat",
    "the separator of a chunk key encoding is in its configuration",
    source="zarr v3.1, chunk key encodings",
    lenient="warning",
    schema=True,
)

EXTENSION_POINTS: Final = (
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "codecs",
    "storage_transformers",
)
"""The members of a document that define extensions."""

_MEMBERS: Final = frozenset({"name", "configuration", "must_understand"})
_ONLY: Final = "only name, configuration, must_understand"
# A scheme alone does not make a URI: the specification lists `foo:bar` as an invalid name. White space
# is spelled out, because ECMA-262 and Python define it differently.
_SPACE: Final = r"\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
NAME_PATTERN: Final = rf"[a-z][a-z0-9_.-]+|(?:[A-Za-z][A-Za-z0-9+.-]*://|urn:)[^{_SPACE}]+"
"""The pattern of valid extension names, for the whole text."""

_NAME: Final = re.compile(NAME_PATTERN)
_NOTHING: Final = JSONDict()


class Definition(NamedTuple):
    """An extension as defined in a document."""

    name: str
    configuration: JSONDict
    """The configuration; empty if the document has none, which means the same."""
    spelled: bool
    """Whether the document has a configuration."""


def parse_definition(
    value: object,
    faults: list[Fault],
    path: Path = (),
    *,
    must_understand_allowed: bool,
    known: Registry[Any] | None = None,
) -> Definition | None:
    """Parse `value` as a definition; return None if its name or configuration is invalid.

    `must_understand_allowed` says whether readers may skip unknown extensions at this extension point.
    `known` is the registry of names to suggest for a misspelled one.

    >>> faults = []
    >>> parse_definition("bytes", faults, must_understand_allowed=True).name
    'bytes'
    >>> parse_definition({"name": "bytes", "level": 1}, faults, must_understand_allowed=True).name
    'bytes'
    >>> faults[0].path
    ('level',)
    """
    if isinstance(value, str):
        return Definition(value, _NOTHING, False) if _check_name(value, faults, path, known) else None
    if not isinstance(value, dict):
        faults.append(Fault(FORM, path, "a name, or an object with a name", show(value)))
        return None
    members = cast("dict[str, Any]", value)
    if len(members) == 2:
        # The common case: only a valid name and a configuration.
        plain, inside = members.get("name"), members.get("configuration")
        if isinstance(plain, str) and isinstance(inside, dict) and _conforms(plain):
            return Definition(plain, cast("JSONDict", inside), True)
    if "separator" in members:
        members = _unflattened(members, faults, path)
    if not members.keys() <= _MEMBERS:
        strange = [member for member in members if member not in _MEMBERS]
        faults.extend(Fault(MEMBER, (*path, member), _ONLY, show(member)) for member in strange)
    _check_must_understand(members, faults, path, allowed=must_understand_allowed)
    configuration: Any = members.get("configuration", _NOTHING)
    sound = isinstance(configuration, dict)
    if not sound:
        faults.append(Fault(FORM, (*path, "configuration"), "an object", show(configuration)))
    if "name" not in members:
        faults.append(Fault(FORM, (*path, "name"), "a name", "nothing"))
        return None
    name = members["name"]
    if not _check_name(name, faults, (*path, "name"), known) or not sound:
        return None
    return Definition(name, cast("JSONDict", configuration), configuration is not _NOTHING)


def strange_members(document: Mapping[str, Any]) -> bool:
    """Whether an extension in a document may have additional members that a reader must understand.

    >>> strange_members({"codecs": [{"name": "bytes", "acme": 1}]}), strange_members({"codecs": [{"name": "bytes"}]})
    (True, False)
    """
    waiting: list[Any] = [document.get(member) for member in EXTENSION_POINTS]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (list, tuple)):
            waiting.extend(cast("list[Any]", value))
        elif isinstance(value, Mapping):
            members = cast("Mapping[str, Any]", value)
            if "name" in members and any(
                name not in _MEMBERS and not _may_be_ignored(item) for name, item in members.items()
            ):
                return True
            waiting.extend(members.values())
    return False


def _may_be_ignored(value: Any) -> bool:
    return isinstance(value, Mapping) and cast("Mapping[str, Any]", value).get("must_understand") is False


def _unflattened(members: dict[str, Any], faults: list[Fault], path: Path) -> dict[str, Any]:
    """Move the separator of a chunk key encoding by early writers into its configuration."""
    if members.get("name") not in {"default", "v2"} or "configuration" in members:
        return members
    separator = members["separator"]
    inside = f'"configuration": {show({"separator": separator})}'
    faults.append(
        Fault(FLAT, (*path, "separator"), inside, f'"separator": {show(separator)}', f"write {inside}")
    )
    rest = {name: value for name, value in members.items() if name != "separator"}
    return {**rest, "configuration": JSONDict(separator=separator)}


def _check_name(name: object, faults: list[Fault], path: Path, known: Registry[Any] | None) -> bool:
    if not isinstance(name, str) or not name:
        faults.append(Fault(FORM, path, "a name", show(name)))
        return False
    if not _conforms(name):
        expected = "a name of lower case letters, digits, '-', '_' and '.', or a URI"
        fix = did_you_mean(near(name.lower(), known.names())) if known else None
        faults.append(Fault(NAME, path, expected, show(name), fix))
    return True


def is_name(value: object) -> bool:
    """Whether `value` is a valid name of an extension.

    >>> is_name("gzip"), is_name("GZIP"), is_name(None)
    (True, False, False)
    """
    return isinstance(value, str) and _conforms(value)


@lru_cache(maxsize=1024)
def _conforms(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def _check_must_understand(
    members: dict[str, Any], faults: list[Fault], path: Path, *, allowed: bool
) -> None:
    understand = members.get("must_understand", True)
    if not isinstance(understand, bool):
        here = (*path, "must_understand")
        faults.append(Fault(FORM, here, "true or false", show(understand)))
    elif not understand and not allowed:
        fix = "leave must_understand out"
        faults.append(Fault(MUST_UNDERSTAND, (*path, "must_understand"), "true", "false", fix))


def name_of(value: object) -> str | None:
    """Return the name in a definition, even if the rest is invalid, or None.

    >>> name_of({"name": "gzip", "configuration": 3})
    'gzip'
    """
    name = cast("dict[str, Any]", value).get("name") if isinstance(value, dict) else value
    return name if isinstance(name, str) else None


def find_extension(name: str, registry: Registry[Any], unknown: Rule, faults: list[Fault], path: Path) -> Any:
    """Return the extension registered as `name`, or None with a fault of the rule `unknown`.

    A URI gets `uri_fault` instead, and a name that breaks the grammar no second fault.

    >>> from zom.extension.codec import codecs
    >>> faults = []
    >>> find_extension("zzstdd", codecs, rule("example/unknown", "names are known", source="x"), faults, ())
    >>> faults[0].found
    '"zzstdd"'
    """
    found = registry.find(name)
    if found is None:
        if is_uri(name):
            faults.append(uri_fault(name, registry.kind, path))
        elif _conforms(name):
            expected = f"the name of a registered {registry.kind}"
            faults.append(Fault(unknown, path, expected, show(name), suggestion(name, registry)))
    elif not getattr(found, "registered", True):
        expected = f"a {registry.kind} that zarr-extensions lists"
        faults.append(Fault(unknown, path, expected, show(name)))
    return found


def is_uri(name: str) -> bool:
    """Whether `name` is a URI, which v3.1 still permits as a name.

    >>> is_uri("https://example.org/codec"), is_uri("foo:bar")
    (True, False)
    """
    return ":" in name and _conforms(name)


def uri_fault(name: str, kind: str, path: Path) -> Fault:
    """Return the fault at the level "closed" for an unknown extension named by a URI."""
    return Fault(URI_NAME, path, f"a {kind} that zom knows", show(name))


def suggestion(name: str, registry: Registry[Any]) -> str | None:
    """Return a hint with names in `registry` close to `name`, or None if there is nothing to suggest.

    >>> import zom.chunk_keys
    >>> from zom.extension.keys import chunk_key_encodings
    >>> suggestion("defualt", chunk_key_encodings)
    "did you mean 'default'?"
    """
    known = registry.names()
    hints = (did_you_mean(near(name, known), known), *map(str, registry.plugins.failures))
    return "; ".join(filter(None, hints)) or None
