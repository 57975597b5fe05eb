"""A chain: the list of codecs of a v3 array, or of a shard, and the rules for its order.

Zarr v3.1, codecs: "zero or more array -> array codecs; followed by exactly one array -> bytes codec;
followed by zero or more bytes -> bytes codecs". The input of each codec is the output of the one before,
so shape, data type and fill value are threaded through the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.extension.codec import Bytes, Elements
from zom.extension.link import parse_links
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.extension.codec import CodecKind, Representation
    from zom.extension.link import Link

__all__ = ["check_byte_codecs", "check_chain", "check_links"]

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
FIXED_SIZE = rule(
    "codec/index-size",
    "the codecs of a shard index give bytes of a fixed size, unlike compressors",
    source="zarr v3, sharding_indexed codec, index_codecs",
)

_BEFORE = "an array->array codec, or the array->bytes codec"
_AFTER = "a bytes->bytes codec, after the array->bytes codec"
_ADD = 'add {"name": "bytes", "configuration": {"endian": "little"}}'


def check_chain(
    codecs_value: object,
    before: Elements,
    faults: list[Fault],
    path: Path,
    *,
    need_fixed_size: bool = False,
) -> Representation | None:
    """Return the encoded form of a chunk like `before`; add every fault of the list to `faults`.

    Return None if the form is unknown, because a name is unknown or a codec is invalid. A codec with an
    unknown name may be of any kind, so the order of the codecs is checked only where it is certain.
    With `need_fixed_size`, each codec whose output size varies is a fault.

    >>> faults = []
    >>> check_chain([], Elements(((4,),), None), faults, ("codecs",))
    >>> faults[0].expected
    'an array->bytes codec'
    """
    if not isinstance(codecs_value, list):
        faults.append(Fault(LIST, path, "a list of codecs", show(codecs_value)))
        return None
    links = parse_links(cast("list[Any]", codecs_value), path)
    return check_links(links, before, faults, path, need_fixed_size=need_fixed_size)


def check_links(
    links: Sequence[Link],
    before: Elements,
    faults: list[Fault],
    path: Path,
    *,
    need_fixed_size: bool = False,
) -> Representation | None:
    """Like `check_chain`, for links already parsed from the list at `path`.

    >>> check_links([], Elements(((4,),), None), faults := [], ("codecs",)); len(faults)
    1
    """
    for link in links:
        faults.extend(link.faults)
    misplaced = _check_order(links, faults, path)
    state: Representation | None = before
    for index, link in enumerate(links):
        if index not in misplaced:
            state = _thread(link, state, faults, need_fixed_size=need_fixed_size)
    return state if isinstance(state, Bytes) else None


def check_byte_codecs(codecs_value: object, faults: list[Fault], path: Path) -> None:
    """Add the faults of a list that may contain only bytes->bytes codecs.

    >>> faults = []
    >>> check_byte_codecs(["crc32c", "bytes"], faults, ("codecs",))
    >>> [(fault.path, fault.expected) for fault in faults]
    [(('codecs', 1), 'a bytes->bytes codec')]
    """
    if not isinstance(codecs_value, list):
        faults.append(Fault(LIST, path, "a list of codecs", show(codecs_value)))
        return
    for link in parse_links(cast("list[Any]", codecs_value), path):
        faults.extend(link.faults)
        if link.codec is None:
            continue
        if link.codec.kind != "bytes->bytes":
            found = f"{show(link.written)}, {_a(link.codec.kind)} codec"
            faults.append(Fault(ORDER, link.path, "a bytes->bytes codec", found))
        else:
            _thread(link, Bytes(), faults, need_fixed_size=False)


def _check_order(links: Sequence[Link], faults: list[Fault], path: Path) -> set[int]:
    """Add a fault for each misplaced codec and return their positions."""
    kinds: list[CodecKind | None] = [link.codec.kind if link.codec else None for link in links]
    pivot = kinds.index("array->bytes") if "array->bytes" in kinds else None
    unknown = kinds.index(None) if None in kinds else len(kinds)
    misplaced: set[int] = set()
    after_bytes = False
    for index, kind in enumerate(kinds):
        if kind == "bytes->bytes":
            # Without any array->bytes codec, only the missing one is reported.
            wrong = pivot is not None and index < min(pivot, unknown)
            after_bytes = after_bytes or pivot is None
        elif pivot is None:
            wrong = kind is not None and after_bytes
        else:
            wrong = kind is not None and index > pivot
        if kind is not None and wrong:
            misplaced.add(index)
            found = f"{show(links[index].written)}, {_a(kind)} codec"
            expected = _BEFORE if kind == "bytes->bytes" else _AFTER
            faults.append(Fault(ORDER, links[index].path, expected, found))
    if pivot is None and unknown == len(kinds):
        names = ", ".join(show(link.written) for link in links)
        faults.append(Fault(MISSING, path, "an array->bytes codec", names or "no codec", _ADD))
    return misplaced


def _a(kind: CodecKind) -> str:
    return f"a {kind}" if kind == "bytes->bytes" else f"an {kind}"


def _thread(
    link: Link, before: Representation | None, faults: list[Fault], *, need_fixed_size: bool
) -> Representation | None:
    codec = link.codec
    if codec is None:
        return None
    taken: Representation
    if codec.kind == "bytes->bytes":
        taken = before if isinstance(before, Bytes) else Bytes()
        if need_fixed_size and taken.size is None:
            taken = Bytes(0)
    else:
        taken = before if isinstance(before, Elements) else Elements(None, None)
    if link.configuration is None:
        return Bytes() if codec.kind != "array->array" else None
    after = link.thread(taken, faults)
    known = isinstance(taken, Bytes) or taken.count is not None
    if need_fixed_size and known and isinstance(after, Bytes) and after.size is None:
        expected = "a codec with a fixed output size"
        faults.append(Fault(FIXED_SIZE, link.path, expected, show(codec.name)))
        # Check the codecs after it as if this one kept the size.
        return Bytes(taken.size if isinstance(taken, Bytes) else 0)
    return after
