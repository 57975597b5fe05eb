"""A chain: the list of codecs of a v3 array, or of a shard, and the rules of its order.

Zarr v3.1, codecs: "zero or more array -> array codecs; followed by exactly one array -> bytes codec;
followed by zero or more bytes -> bytes codecs". What each codec takes depends on what the one before
it gives, so shape, data type and fill value are threaded through them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.extension.codec import Bytes, Elements, codecs
from zom.extension.configuration import parse_configuration
from zom.extension.definition import find_extension, name_of, parse_definition
from zom.extension.memo import Memo
from zom.json.value import exact_text
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.codec import Codec, CodecKind, Representation
    from zom.extension.configuration import Configuration
    from zom.json.value import JSONDict

__all__ = ["check_byte_codecs", "check_chain"]

_SOURCE = "zarr v3.1, codecs"

LIST = rule("codec/list", "codecs are a list", source=_SOURCE, schema=True)
ORDER = rule(
    "codec/order",
    "codecs come in this order: array->array codecs, exactly one array->bytes codec, bytes->bytes codecs",
    source=_SOURCE,
)
MISSING = rule(
    "codec/missing-array-to-bytes",
    "a list of codecs has exactly one array->bytes codec",
    source=_SOURCE,
)
UNKNOWN = rule(
    "codec/unknown",
    "every codec is one that zarr v3 or zarr-extensions names",
    source="zarr v3.1, extension naming",
    lenient=None,
    strict=None,
    closed="error",
    schema=True,
)
SKIPPED = rule(
    "codec/must-understand",
    "a codec that is not known can't be skipped: the bytes would mean something else",
    source="zarr v3.1, extension definition, must_understand",
    lenient="warning",
    schema=True,
)
ALIAS = rule(
    "codec/alias",
    "a codec is called by its present name",
    source="zarr-specs pull request 263",
    lenient="warning",
    schema=True,
)
CONFIGURATION = rule(
    "codec/configuration",
    "a codec's configuration is as its own specification says",
    source="the specification of each codec, in zarr-specs and zarr-extensions",
    schema=True,
)
FIXED_SIZE = rule(
    "codec/index-size",
    "the codecs of a shard index give bytes of a fixed size: compressors don't",
    source="zarr v3, sharding_indexed codec, index_codecs",
)

_BEFORE = "an array->array codec, or the array->bytes codec"
_AFTER = "a bytes->bytes codec, after the array->bytes codec"
_ADD = 'add {"name": "bytes", "configuration": {"endian": "little"}}'


class _ChainEntry(NamedTuple):
    """One entry of the list; None stands for what can't be told."""

    codec: Codec | None
    configuration: Configuration | None


def check_chain(
    codecs_value: object,
    before: Elements,
    faults: list[Fault],
    path: tuple[str | int, ...],
    *,
    need_fixed_size: bool = False,
) -> Representation | None:
    """What the codecs make of a chunk like `before`; every fault of the list is added to `faults`.

    None stands for what can't be told: a name is not known, or a codec is at fault. A name that is
    not known may be of any kind, so the order of what comes next is judged only where it is certain.
    With `need_fixed_size` each codec whose bytes differ in number is a fault.

    >>> faults = []
    >>> check_chain([], Elements(((4,),), None), faults, ("codecs",))
    >>> faults[0].expected
    'an array->bytes codec'
    """
    if not isinstance(codecs_value, list):
        faults.append(Fault(LIST, path, "a list of codecs", show(codecs_value)))
        return None
    values = cast("Sequence[Any]", codecs_value)
    links = [_known_link(value, faults, (*path, index)) for index, value in enumerate(values)]
    misplaced = _check_order(links, values, faults, path)
    state: Representation | None = before
    for index, link in enumerate(links):
        if index not in misplaced:
            state = _thread(link, state, faults, (*path, index), need_fixed_size=need_fixed_size)
    return state if isinstance(state, Bytes) else None


def check_byte_codecs(codecs_value: object, faults: list[Fault], path: tuple[str | int, ...]) -> None:
    """Add the faults of a list that may hold bytes->bytes codecs only.

    >>> faults = []
    >>> check_byte_codecs(["crc32c", "bytes"], faults, ("codecs",))
    >>> [(fault.path, fault.expected) for fault in faults]
    [(('codecs', 1), 'a bytes->bytes codec')]
    """
    if not isinstance(codecs_value, list):
        faults.append(Fault(LIST, path, "a list of codecs", show(codecs_value)))
        return
    for index, value in enumerate(cast("Sequence[Any]", codecs_value)):
        here = (*path, index)
        link = _known_link(value, faults, here)
        if link.codec is None:
            continue
        if link.codec.kind != "bytes->bytes":
            found = f"{show(name_of(value))}, {_a(link.codec.kind)} codec"
            faults.append(Fault(ORDER, here, "a bytes->bytes codec", found))
        else:
            _thread(link, Bytes(), faults, here, need_fixed_size=False)


_links: Memo[tuple[_ChainEntry, tuple[Fault, ...]]] = Memo()


def _known_link(value: object, faults: list[Fault], path: tuple[str | int, ...]) -> _ChainEntry:
    """`_link`, remembered: the same few codecs stand in many chains, which differ by their chunks."""

    def judge() -> tuple[_ChainEntry, tuple[Fault, ...]]:
        own: list[Fault] = []
        return _link(value, own, ()), tuple(own)

    link, found = _links.get(exact_text(value), judge)
    if found:
        faults.extend([fault._replace(path=(*path, *fault.path)) for fault in found])
    return link


def _link(value: object, faults: list[Fault], path: tuple[str | int, ...]) -> _ChainEntry:
    definition = parse_definition(value, faults, path, must_understand_allowed=True, known=codecs)
    if definition is None:
        name = name_of(value)
        return _ChainEntry(codecs.find(name) if name else None, None)
    here = path if isinstance(value, str) else (*path, "name")
    codec: Codec | None = find_extension(definition.name, codecs, UNKNOWN, faults, here)
    if codec is None:
        _check_skipping(value, faults, path)
        return _ChainEntry(None, None)
    if definition.name != codec.name:
        fix = f"write {codec.name!r}"
        faults.append(Fault(ALIAS, here, show(codec.name), show(definition.name), fix))
    return _ChainEntry(codec, _configuration(codec, definition.configuration, faults, path))


def _configuration(
    codec: Codec, value: JSONDict, faults: list[Fault], path: tuple[str | int, ...]
) -> Configuration | None:
    inside = (*path, "configuration")
    found = parse_configuration(codec.configuration, value, CONFIGURATION, faults, path=inside)
    if found is None:
        codec.inspect(value, faults, path)
    return found


def _check_skipping(value: object, faults: list[Fault], path: tuple[str | int, ...]) -> None:
    if isinstance(value, dict) and cast("dict[str, Any]", value).get("must_understand") is False:
        expected = "true, for a codec that is not known"
        faults.append(Fault(SKIPPED, (*path, "must_understand"), expected, "false"))


def _check_order(
    links: list[_ChainEntry], values: Sequence[Any], faults: list[Fault], path: tuple[str | int, ...]
) -> set[int]:
    """The places of the codecs that stand where they can't; a fault for each."""
    kinds: list[CodecKind | None] = [link.codec.kind if link.codec else None for link in links]
    pivot = kinds.index("array->bytes") if "array->bytes" in kinds else None
    unknown = kinds.index(None) if None in kinds else len(kinds)
    misplaced: set[int] = set()
    after_bytes = False
    for index, kind in enumerate(kinds):
        if kind == "bytes->bytes":
            # Without any array->bytes codec that one is missing, and nothing else is wrong.
            wrong = pivot is not None and index < min(pivot, unknown)
            after_bytes = after_bytes or pivot is None
        elif pivot is None:
            wrong = kind is not None and after_bytes
        else:
            wrong = kind is not None and index > pivot
        if kind is not None and wrong:
            misplaced.add(index)
            found = f"{show(name_of(values[index]))}, {_a(kind)} codec"
            expected = _BEFORE if kind == "bytes->bytes" else _AFTER
            faults.append(Fault(ORDER, (*path, index), expected, found))
    if pivot is None and unknown == len(kinds):
        names = ", ".join(show(name_of(value)) for value in values)
        faults.append(Fault(MISSING, path, "an array->bytes codec", names or "no codec", _ADD))
    return misplaced


def _a(kind: CodecKind) -> str:
    return f"a {kind}" if kind == "bytes->bytes" else f"an {kind}"


def _thread(
    link: _ChainEntry,
    before: Representation | None,
    faults: list[Fault],
    path: tuple[str | int, ...],
    *,
    need_fixed_size: bool,
) -> Representation | None:
    codec, configuration = link
    if codec is None:
        return None
    taken: Representation
    if codec.kind == "bytes->bytes":
        taken = before if isinstance(before, Bytes) else Bytes()
        if need_fixed_size and taken.size is None:
            taken = Bytes(0)
    else:
        taken = before if isinstance(before, Elements) else Elements(None, None)
    if configuration is None:
        return Bytes() if codec.kind != "array->array" else None
    after = codec.thread(configuration, taken, faults, path)
    known = isinstance(taken, Bytes) or taken.count is not None
    if need_fixed_size and known and isinstance(after, Bytes) and after.size is None:
        expected = "a codec whose bytes are always of the same number"
        faults.append(Fault(FIXED_SIZE, path, expected, show(codec.name)))
        # The codecs after it are judged as if this one had kept the size.
        return Bytes(taken.size if isinstance(taken, Bytes) else 0)
    return after
