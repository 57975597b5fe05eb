"""Checks for results of store methods other than values: a third-party store may return wrong types."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

from zom.dataclass import dataclass
from zom.stores.results import Versioned
from zom.stores.snapshots import Snapshot
from zom.stores.values import as_sequence, wrong_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.stores.backend import Backend

__all__ = ["BLOCK", "CLAIM", "FLAG", "LENGTH", "SNAPSHOT", "VERSIONED", "Promised", "answer", "flags"]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Promised(Generic[T]):
    """The types that a method may return, and their description in messages."""

    types: tuple[type, ...]
    words: str


NOTHING: Final = type(None)
FLAG: Final[Promised[bool]] = Promised((bool,), "True or False")
CLAIM: Final[Promised[bool | None]] = Promised((bool, NOTHING), "True, False or None")
LENGTH: Final[Promised[int | None]] = Promised((int, NOTHING), "a number of bytes or None")
VERSIONED: Final[Promised[Versioned | None]] = Promised((Versioned, NOTHING), "a Versioned or None")
SNAPSHOT: Final[Promised[Snapshot | None]] = Promised((Snapshot, NOTHING), "a Snapshot or None")
BLOCK: Final[Promised[AbstractContextManager[None]]] = Promised(
    (AbstractContextManager,), "a context manager"
)


def answer(store: Backend, key: str, verb: str, found: object, promised: Promised[T], method: str) -> T:  # noqa: PLR0913, PLR0917
    """Return the result of `method` if its type is the promised one; StoreError otherwise.

    >>> from zom.stores.memory import MemoryStore
    >>> answer(MemoryStore(), "a", "create", True, FLAG, "_create")
    True
    >>> answer(MemoryStore(), "a", "create", None, FLAG, "_create")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zom.errors.StoreError: ...: expected True or False from _create, found None; correct MemoryStore, or its package
    """
    if isinstance(found, promised.types):
        return cast("T", found)
    raise wrong_answer(store, key, verb, promised.words, method, found)


def flags(store: Backend, keys: Sequence[str], found: object, method: str) -> list[bool]:
    """Return the result of `method` if it has True or False for each key; StoreError otherwise.

    >>> from zom.stores.memory import MemoryStore
    >>> flags(MemoryStore(), ["a", "b"], [True, False], "_create_many")
    [True, False]
    """
    given = as_sequence(found)
    if len(given) == len(keys) and all(type(each) is bool for each in given):
        return cast("list[bool]", list(given))
    raise wrong_answer(
        store, "", "create", f"a list of length {len(keys)}, each item True or False,", method, found
    )
