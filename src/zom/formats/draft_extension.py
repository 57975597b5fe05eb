"""Extensions in documents of the v3 draft, including storage transformers.

The editor's draft of the Zarr core specification, version 3.0, of December 2022: sections "extensions",
"storage_transformers" and "Extensions"; its companion document "Sharding storage transformer".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from zom.count import count_of
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault, Path, Rule, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "EXTENSION",
    "UNREGISTERED",
    "check_configuration",
    "check_extensions",
    "check_transformers",
    "check_typed",
    "check_uri",
    "chunks_per_shard",
    "codec_name",
    "extensions_not_understood",
]

_DRAFT = "Zarr core specification 3.0, draft of 2022"
EXTENSION = rule(
    "draft/extension",
    "an extension is an object with the members that its place requires",
    source=f"{_DRAFT}, extensions",
    schema=True,
)
UNREGISTERED = rule(
    "draft/unregistered-name",
    "codecs, data types, grids, layouts, transformers and extensions are known to zom",
    source=f"{_DRAFT}, Extensions",
    lenient=None,
    strict=None,
)
NOT_UNDERSTOOD = rule(
    "draft/must-understand",
    "zom knows every extension that a reader must understand",
    source=f"{_DRAFT}, extensions: processing must stop; zom reads the hierarchy, but no chunks",
    lenient="warning",
    strict="warning",
)
SHARDING = rule(
    "draft/sharding",
    "sharding has chunks_per_shard: a positive integer for each dimension",
    source="Sharding storage transformer 1.0, companion of the draft, Configuration",
)


def codec_name(uri: str) -> str:
    """Return the last part of a URI that is not a version, which identifies the extension.

    The draft, its companions and the software of that time use different prefixes.

    >>> codec_name("https://purl.org/zarr/spec/codecs/gzip/1.0")
    'gzip'
    """
    parts = [part for part in uri.split("/") if part and not re.fullmatch(r"v?[0-9][0-9.]*", part)]
    return parts[-1] if parts else uri


def check_uri(
    value: Mapping[str, Any], name: str, path: Path, faults: list[Fault], rule_: Rule = EXTENSION
) -> bool:
    """Whether the member `name` is a URI; adds a fault if not.

    >>> check_uri({"extension": 5}, "extension", ("chunk_grid",), faults := []), faults[0].path
    (False, ('chunk_grid', 'extension'))
    """
    found = value.get(name)
    if isinstance(found, str) and found:
        return True
    shown = show(found) if name in value else "nothing"
    faults.append(Fault(rule_, (*path, name), "a URI", shown))
    return False


def check_configuration(
    value: Mapping[str, Any], path: Path, faults: list[Fault], rule_: Rule = EXTENSION
) -> None:
    """Add a fault if a configuration exists and is no object.

    >>> check_configuration({"configuration": 5}, (), faults := []); faults[0].found
    '5'
    """
    if "configuration" in value and not isinstance(value["configuration"], dict):
        found = show(value["configuration"])
        faults.append(Fault(rule_, (*path, "configuration"), "an object", found))


def check_typed(value: Mapping[str, Any], path: Path, faults: list[Fault]) -> None:
    """Add the faults of an extension of a grid, a layout or the like: it needs a URI and a type.

    >>> check_typed({"extension": "https://example.org/morton/1.0"}, (), faults := []); faults[0].path
    ('type',)
    """
    named = check_uri(value, "extension", path, faults)
    if "type" not in value:
        faults.append(Fault(EXTENSION, (*path, "type"), "a type that the extension defines", "nothing"))
    elif named:
        faults.append(_unregistered(value, path))


def _unregistered(value: Mapping[str, Any], path: Path) -> Fault:
    return Fault(UNREGISTERED, (*path, "extension"), "a known extension", show(value["extension"]))


def check_extensions(items: Iterable[Any], faults: list[Fault]) -> None:
    """Add the faults of the member `extensions`.

    >>> check_extensions(["foo"], faults := []); faults[0].path
    ('extensions', 0)
    """
    for index, item in enumerate(items):
        path = ("extensions", index)
        value = _object(item, path, faults)
        if value is None:
            continue
        named = check_uri(value, "extension", path, faults)
        if not isinstance(value.get("must_understand"), bool):
            found = show(value["must_understand"]) if "must_understand" in value else "nothing"
            faults.append(Fault(EXTENSION, (*path, "must_understand"), "true or false", found))
        elif named and value["must_understand"]:
            found = show(value["extension"])
            faults.append(Fault(NOT_UNDERSTOOD, (*path, "extension"), "a known extension", found))


def extensions_not_understood(items: Iterable[Any]) -> list[str]:
    """Return the extensions that a reader must understand; zom supports none.

    >>> extensions_not_understood([{"extension": "https://example.org/a", "must_understand": True}])
    ['https://example.org/a']
    """
    return [str(item["extension"]) for item in items if is_dict(item) and item.get("must_understand") is True]


def check_transformers(items: Iterable[Any], rank: int | None, faults: list[Fault]) -> None:
    """Add the faults of the member `storage_transformers` of an array of `rank` dimensions.

    >>> check_transformers([{"type": "lru"}], 2, faults := []); faults[0].path
    ('storage_transformers', 0, 'extension')
    """
    for index, item in enumerate(items):
        path = ("storage_transformers", index)
        value = _object(item, path, faults)
        if value is None:
            continue
        start = len(faults)
        check_configuration(value, path, faults)
        uri = value.get("extension")
        if not isinstance(uri, str) or codec_name(uri) != "sharding" or "type" not in value:
            check_typed(value, path, faults)
        elif value["type"] != "indexed":
            faults.append(Fault(UNREGISTERED, (*path, "type"), '"indexed"', show(value["type"])))
        elif len(faults) == start:
            _check_sharding(value.get("configuration", {}), rank, (*path, "configuration"), faults)


def chunks_per_shard(transformer: Any) -> list[int] | None:
    """Return the number of chunks in a shard along each dimension; None for other transformers.

    >>> print(chunks_per_shard({"extension": "https://example.org/lru", "type": "lru"}))
    None
    """
    uri = transformer.get("extension") if is_dict(transformer) else None
    if not isinstance(uri, str) or codec_name(uri) != "sharding" or transformer.get("type") != "indexed":
        return None
    configuration = transformer.get("configuration")
    counts = configuration.get("chunks_per_shard") if is_dict(configuration) else None
    return counts if is_list(counts) and all(type(count) is int for count in counts) else None


def _check_sharding(
    configuration: Mapping[str, Any], rank: int | None, path: Path, faults: list[Fault]
) -> None:
    name = "chunks_per_shard"
    counts = configuration.get(name)
    if not is_list(counts):
        found = show(counts) if name in configuration else "nothing"
        faults.append(Fault(SHARDING, (*path, name), "a list of integers", found))
        return
    for index, count in enumerate(counts):
        if type(count) is not int or not 1 <= count < 2**63:
            expected = "an integer of at least 1"
            faults.append(Fault(SHARDING, (*path, name, index), expected, show(count)))
    if rank is not None and len(counts) != rank:
        expected = f"{count_of(rank, 'number')} of chunks, one for each dimension"
        faults.append(Fault(SHARDING, (*path, name), expected, show(counts)))


def _object(value: Any, path: Path, faults: list[Fault]) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    faults.append(Fault(EXTENSION, path, "an object", show(value)))
    return None
