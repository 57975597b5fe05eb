"""Journals: what a change of a hierarchy is about to do, written before it does anything.

A change of more than one key begins with one key that holds all of it, made only where nobody else's is,
and ends with the removal of that key. Whoever finds it knows that the hierarchy is between two states,
and has what leads to either.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from zom.errors import StoreError
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from zom.stores.interface import Store

__all__ = [
    "JOURNAL",
    "Clearing",
    "Journal",
    "journal_key",
    "journal_keys",
    "pending",
    "refuse_pending",
    "unsettled",
]

JOURNAL = ".zom.journal"
"""The name of a journal; it lies in the directory of the topmost node that changes."""

Way = Literal["finish", "undo"]

_FORM = "zom journal 1"


def journal_key(path: str) -> str:
    """The key of the journal of a change at `path` and below.

    >>> journal_key("/"), journal_key("/a/b")
    ('.zom.journal', 'a/b/.zom.journal')
    """
    inner = path.strip("/")
    return f"{inner}/{JOURNAL}" if inner else JOURNAL


@dataclass(frozen=True, slots=True)
class Clearing:
    """Chunks that go: those of an array that goes, or those that a smaller shape leaves behind."""

    path: str
    prefix: str
    """What comes before the keys of the chunks."""
    form: str
    """The array's format."""
    old: str
    """The document of the array, as the object model has it, by which the chunks were written."""
    new: str | None = None
    """The same array's document with another shape; None where all chunks go."""
    kept: str | None = None
    """The document of an array of another format at the same place, whose chunks stay."""
    scalar: str | None = None
    """The key of the only chunk of an array without dimensions, where the document doesn't tell it."""


@dataclass(frozen=True, slots=True)
class Journal:
    """A change that is under way, with what it takes to finish or to undo it.

    >>> journal = Journal("/", "undo", writes={"zarr.json": b"{}"}, old={"zarr.json": None})
    >>> Journal.parse(journal.text(), "memory://", ".zom.journal") == journal
    True
    """

    path: str
    way: Way
    """What becomes of it after an interruption."""
    first: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    """Documents as they are meanwhile, None for gone: consolidated metadata that would be stale."""
    removes: tuple[str, ...] = ()
    """Documents that go before anything else does, in this order."""
    clears: tuple[Clearing, ...] = ()
    """Arrays of which chunks go."""
    writes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Documents that are written, in this order; the last one makes the rest seen."""
    old: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    """What lay under each of these keys before; None for nothing."""
    data: tuple[Clearing, ...] = ()
    """New arrays whose chunks are written, too."""
    moves: tuple[tuple[str, str], ...] = ()
    """Prefixes that are renamed."""

    def text(self) -> bytes:
        """The journal as it is stored."""
        facts = {
            "form": _FORM,
            "path": self.path,
            "way": self.way,
            "first": _shown(self.first),
            "removes": self.removes,
            "clears": [asdict(clearing) for clearing in self.clears],
            "writes": _shown(self.writes),
            "old": _shown(self.old),
            "data": [asdict(clearing) for clearing in self.data],
            "moves": self.moves,
        }
        return json.dumps(facts).encode()

    @classmethod
    def parse(cls, text: bytes, store: str, key: str) -> Journal:
        """The journal that `text` holds."""
        try:
            facts: dict[str, Any] = {_FORM: json.loads}[json.loads(text)["form"]](text)
            return cls(
                path=facts["path"],
                way=facts["way"],
                first=_texts(facts["first"]),
                removes=tuple(facts["removes"]),
                clears=tuple(Clearing(**each) for each in facts["clears"]),
                writes={name: value.encode(*_CODE) for name, value in facts["writes"].items()},
                old=_texts(facts["old"]),
                data=tuple(Clearing(**each) for each in facts["data"]),
                moves=tuple((old, new) for old, new in facts["moves"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            reason = "it is not a whole journal of zom; look at it, and delete it"
            raise StoreError(store, key, "read", reason) from cause

    def keys(self) -> set[str]:
        """All documents that change."""
        return {*self.old, *self.first, *self.writes, *self.removes}


_CODE = ("utf-8", "surrogateescape")


def _shown(texts: Mapping[str, bytes | None]) -> dict[str, str | None]:
    return {key: None if text is None else text.decode(*_CODE) for key, text in texts.items()}


def _texts(texts: dict[str, str | None]) -> dict[str, bytes | None]:
    return {key: None if text is None else text.encode(*_CODE) for key, text in texts.items()}


def journal_keys(path: str) -> list[str]:
    """The keys of the journals that a node at `path` may be part of, its own first.

    >>> journal_keys("/a/b")
    ['a/b/.zom.journal', 'a/.zom.journal', '.zom.journal']
    """
    names = parse_path(path)
    return [journal_key(join(names[:count])) for count in range(len(names), -1, -1)]


def pending(store: Store, path: str = "") -> str | None:
    """The key of a journal of a change at `path` or below, under way or interrupted; None where there is none.

    It takes one small read for each level, all at once. A journal below `path` is not looked for.

    >>> from zom.stores.memory import MemoryStore
    >>> pending(MemoryStore(), "/a/b") is None
    True
    """
    keys = journal_keys(path)
    found = zip(keys, store.get_many(keys), strict=True)
    return next(
        (key for key, text in found if text is not None and _concerns(text, path, store.url, key)), None
    )


def _concerns(text: bytes, path: str, url: str, key: str) -> bool:
    """Whether the journal changes anything at `path` or below."""
    inner = path.strip("/")
    if not inner or key == journal_key(path):
        return True
    # In the draft documents lie elsewhere than the path says: there every change above counts.
    keys = Journal.parse(text, url, key).keys()
    return any(each.startswith((f"{inner}/", "meta/")) or "/meta/" in each for each in keys)


def refuse_pending(url: str, path: str, keys: Iterable[str], get: Callable[[str], bytes | None]) -> None:
    """StoreError where one of these journals changes the nodes at `path` or below; `get` gives their texts."""
    for key in keys:
        text = get(key)
        if text is not None and _concerns(text, path, url, key):
            raise unsettled(url, key)


def unsettled(url: str, key: str) -> StoreError:
    """The error that a hierarchy is between two states, as the journal under `key` tells."""
    where = key.removesuffix(JOURNAL).strip("/")
    reason = (
        f"a change of /{where} is under way, or was interrupted: wait for its end, or finish or undo it with "
        "zom.repair"
    )
    return StoreError(url, where, "read", reason)
