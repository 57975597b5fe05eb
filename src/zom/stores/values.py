"""Values from the methods of stores, as bytes: the libraries below also return bytearrays and views.

Any other type is reported as an error of the store or its package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from zom.errors import StoreError
from zom.problems import given_text
from zom.stores.results import Versioned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.stores.backend import Backend
    from zom.stores.ranges import ByteRange, Part

__all__ = ["as_sequence", "check_part", "found_parts", "found_value", "found_values", "wrong_answer"]

_PLAIN: Final = frozenset({bytes, type(None)})


def found_value(store: Backend, key: str, found: Any, method: str = "_read") -> bytes | None:
    """Return what `method` found for the key as bytes or None; StoreError if it is neither.

    >>> from zom.stores.memory import MemoryStore
    >>> found_value(MemoryStore(), "a", bytearray(b"12")), found_value(MemoryStore(), "a", None)
    (b'12', None)
    """
    if found is None or type(found) is bytes:
        return found
    try:
        # bytes(5) would be five zeros, and bytes([1]) one byte: accept only objects that hold bytes.
        return memoryview(found).tobytes()
    except TypeError:
        raise wrong_answer(store, key, "read", "bytes or None", method, found) from None


def found_values(
    store: Backend, keys: Sequence[str], found: object, method: str = "_read_many"
) -> list[bytes | None]:
    """Return what `method` found for each key as bytes or None; StoreError for anything else.

    >>> from zom.stores.memory import MemoryStore
    >>> found_values(MemoryStore(), ["a", "b"], [memoryview(b"12"), None])
    [b'12', None]
    """
    answers = as_sequence(found)
    if len(answers) != len(keys):
        count = "1 answer" if len(keys) == 1 else f"{len(keys)} answers"
        raise wrong_answer(
            store, keys[0] if len(keys) == 1 else "", "read", f"a list of {count}", method, found
        )
    if _PLAIN.issuperset(map(type, answers)):
        return cast("list[bytes | None]", found if type(found) is list else [*answers])
    return [found_value(store, key, each, method) for key, each in zip(keys, answers, strict=True)]


def check_part(store: Backend, key: str, byte_range: ByteRange | None, value: bytes | None) -> None:
    """Raise StoreError for more bytes than requested: they are another part, or the whole value."""
    asked = None if byte_range is None else byte_range.length
    if asked is not None and value is not None and len(value) > asked:
        found = f"found {len(value)}: the store ignores the requested range"
        raise StoreError(store.url, key, "read", f"expected {asked} bytes at most, {found}")


def found_parts(store: Backend, parts: Sequence[Part], found: object) -> list[Versioned | None]:
    """Return what `_read_parts` found for each part; StoreError for wrong types or too many bytes.

    >>> from zom.stores.memory import MemoryStore
    >>> from zom.stores.ranges import Part, Range
    >>> found_parts(MemoryStore(), [Part("a", Range(0, 2)), Part("b", None)], [Versioned(b"12", 7), None])
    [Versioned(value=b'12', version=7), None]
    """
    keys = [part.key for part in parts]
    made = _versioned(store, keys, found)
    for (key, byte_range, _), each in zip(parts, made, strict=True):
        if each is not None:
            check_part(store, key, byte_range, each.value)
    return made


def _versioned(store: Backend, keys: Sequence[str], found: object) -> list[Versioned | None]:
    answers = as_sequence(found)
    if len(answers) != len(keys) or not all(each is None or isinstance(each, Versioned) for each in answers):
        words = f"a list of length {len(keys)}, each item Versioned or None,"
        raise wrong_answer(store, keys[0] if len(keys) == 1 else "", "read", words, "_read_parts", found)
    given = cast("Sequence[Versioned | None]", answers)
    if _PLAIN.issuperset([type(each and each.value) for each in given]):
        return list(given)
    made: list[Versioned | None] = []
    for key, each in zip(keys, given, strict=True):
        value = None if each is None else found_value(store, key, each.value, "_read_parts")
        made.append(None if each is None or value is None else each._replace(value=value))
    return made


def as_sequence(found: object) -> Sequence[object]:
    """Return a list or tuple unchanged, and () for anything else.

    >>> as_sequence([1]), as_sequence("ab")
    ([1], ())
    """
    return cast("Sequence[object]", found) if isinstance(found, (list, tuple)) else ()


def wrong_answer(store: Backend, key: str, verb: str, words: str, method: str, found: object) -> StoreError:  # noqa: PLR0913, PLR0917
    """Return the error for a method whose result is not what `words` expect.

    >>> from zom.stores.memory import MemoryStore
    >>> str(wrong_answer(MemoryStore(), "a", "read", "bytes", "_read", 7)).partition("_read, ")[2]
    'found 7; correct MemoryStore, or its package'
    """
    # A list may hold large values, so show only its length.
    given = as_sequence(found)
    shown = f"a {type(found).__name__} of {len(given)}" if given else given_text(found)
    reason = f"expected {words} from {method}, found {shown}; correct {type(store).__name__}, or its package"
    return StoreError(store.url, key, verb, reason)
