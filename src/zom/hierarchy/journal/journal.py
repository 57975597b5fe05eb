"""Journals: the record of a change of a hierarchy, written before the change does anything.

A change of more than one key first writes one key that holds all of it, only if nobody else's exists, and
ends with deleting that key. Its presence means that the hierarchy is between two states; it holds what is
needed to reach either.

A journal is about its own place only: its keys are relative to its directory. So it means the same whatever
root the store is opened from, and in a copy of the directory.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal

from zom.dataclass import dataclass
from zom.errors import StoreError
from zom.json.write import ascii_json
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CODE",
    "FORM",
    "JOURNAL",
    "MEANWHILE",
    "NEW",
    "OLD",
    "Clearing",
    "Journal",
    "Unsettled",
    "Way",
    "base_of",
    "facts_of",
    "is_aside",
    "journal_key",
    "journal_keys",
    "unsettled",
]

JOURNAL = ".zom.journal"
"""The name of a journal; it is in the directory of the topmost node that changes."""

OLD = ".zom.old"
"""A key beside new documents and chunks: what they replace is not deleted yet."""

NEW = ".zom.new/"
"""The prefix, beside a journal, of new documents and chunks that wait until all are written."""

MEANWHILE = ".zom.meanwhile/"
"""The prefix, beside a journal, of interim documents while the others are put in place."""

Way = Literal["finish", "undo"]

FORM = "zom journal 2"
CODE = "latin-1"
"""The encoding of bytes in JSON text: one character per byte, because a document need not be UTF-8."""


class Unsettled(StoreError):
    """A change of the hierarchy is running, or was interrupted."""


def unsettled(url: str, key: str, verb: str = "read") -> Unsettled:
    """The error that a hierarchy is between two states, as the journal under `key` shows.

    >>> print(unsettled("a.zarr", "g/.zom.journal"))
    a.zarr: cannot read 'g': a change of /g is running or was interrupted: wait until it ends, or finish or undo it with zom.repair
    """
    where = key.rpartition("/")[0]
    reason = (
        f"a change of /{where} is running or was interrupted: wait until it ends, or finish or undo it with "
        "zom.repair"
    )
    return Unsettled(url, where, verb, reason)


def journal_key(path: str) -> str:
    """The key of the journal of a change at `path` and below.

    >>> journal_key("/"), journal_key("/a/b")
    ('.zom.journal', 'a/b/.zom.journal')
    """
    return base_of(path) + JOURNAL


def journal_keys(path: str) -> list[str]:
    """The keys of the journals that can concern a node at `path`, its own first.

    >>> journal_keys("/a/b")
    ['a/b/.zom.journal', 'a/.zom.journal', '.zom.journal']
    """
    names = parse_path(path)
    return [journal_key(join(names[:count])) for count in range(len(names), -1, -1)]


def base_of(path: str) -> str:
    """The prefix of the directory of `path`.

    >>> base_of("/"), base_of("/a/b")
    ('', 'a/b/')
    """
    inner = path.strip("/")
    return f"{inner}/" if inner else ""


def is_aside(key: str) -> bool:
    """Whether `key` waits for a change or a copy to put it in place.

    >>> is_aside("a/.zom.new/zarr.json"), is_aside("a/zarr.json")
    (True, False)
    """
    return f"/{NEW}" in f"/{key}" or f"/{MEANWHILE}" in f"/{key}"


@dataclass(frozen=True, slots=True)
class Clearing:
    """Deleted chunks: those of a deleted array, or those outside a smaller shape."""

    path: str
    prefix: str
    """The prefix of the keys of the chunks."""
    form: str
    """The array's format."""
    old: str
    """The document of the array (object model's form) with which the chunks were written."""
    new: str | None = None
    """The same array's document with another shape, or None if all chunks are deleted."""
    kept: str | None = None
    """The document of an array of another format in the same place, whose chunks stay."""
    scalar: str | None = None
    """The key of the only chunk of a zero-dimensional array, if its document doesn't define it."""


def facts_of(clearing: Clearing, base: str) -> dict[str, str | None]:
    """The record as stored in a journal or mark in the directory with the prefix `base`.

    >>> facts_of(Clearing("/a/b", "a/b/c/", "v3", "{}"), "a/")["prefix"]
    'b/c/'
    """
    whole = base_of(clearing.path)
    if not (whole.startswith(base) and clearing.prefix.startswith(base)):
        raise ValueError(f"{clearing.path!r} is not below {base!r}, the place of the record")
    # There is one per array of a hierarchy: `dataclasses.asdict` would copy immutable values.
    return {
        "path": f"/{whole[len(base) :].rstrip('/')}",
        "prefix": clearing.prefix[len(base) :],
        "form": clearing.form,
        "old": clearing.old,
        "new": clearing.new,
        "kept": clearing.kept,
        "scalar": clearing.scalar,
    }


@dataclass(frozen=True, slots=True)
class Journal:
    """A running change, with everything needed to finish or undo it.

    >>> journal = Journal("/a", "undo", writes={"a/zarr.json": b"{}"}, old={"a/zarr.json": None})
    >>> b'"zarr.json"' in journal.text()
    True
    """

    path: str
    way: Way
    """The repair after an interruption: "undo" until everything new is written, then "finish"."""
    first: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    """Interim documents, None if deleted: consolidated metadata that would be stale."""
    removes: tuple[str, ...] = ()
    """Documents deleted before anything else is done, in this order."""
    clears: tuple[Clearing, ...] = ()
    """Arrays whose chunks are deleted."""
    writes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Documents to write, in this order; the last one makes the rest visible."""
    old: dict[str, bytes | None] = field(default_factory=dict[str, "bytes | None"])
    """The old content of each of these keys, or None if missing."""
    data: tuple[Clearing, ...] = ()
    """New arrays whose chunks are written, too."""
    moves: tuple[tuple[str, str], ...] = ()
    """Prefixes to rename, as (old, new) pairs."""
    swap: str | None = None
    """The prefix to delete if a whole new tree, with its chunks, waits below it to replace it."""
    beside: bool = False
    """Whether new documents are put in place before the old ones are deleted: they are of another format."""
    token: str = ""
    """Unique identifier of the change."""

    @property
    def base(self) -> str:
        """The prefix of its directory, and of all keys in it."""
        return base_of(self.path)

    @property
    def creates(self) -> bool:
        """Whether it only creates: then nothing is visible before the last document."""
        return bool(self.writes) and not (
            self.removes
            or self.clears
            or self.moves
            or self.swap
            or any(text is not None for text in self.old.values())
        )

    @property
    def adds(self) -> bool:
        """Whether it only creates, and renews consolidated metadata about what it creates."""
        goes = self.removes or self.clears or self.moves or self.swap is not None
        return not goes and all(text is None or key in self.first for key, text in self.old.items())

    @property
    def last(self) -> str:
        """The key of the document that makes all others visible; empty if none is written."""
        return next(reversed(self.writes), "")

    @property
    def waiting(self) -> str:
        """The prefix where a whole new tree waits."""
        return (self.swap or "") + NEW

    def aside(self, key: str, prefix: str = NEW) -> str:
        """The key where the value for `key` waits.

        >>> Journal("/a", "undo").aside("a/b/zarr.json")
        'a/.zom.new/b/zarr.json'
        """
        return self.base + prefix + self._inner(key)

    def text(self) -> bytes:
        """The journal as it is stored, with keys relative to its place."""
        facts = {
            "form": FORM,
            "token": self.token,
            "way": self.way,
            "first": self._shown(self.first),
            "removes": [self._inner(key) for key in self.removes],
            "clears": [facts_of(each, self.base) for each in self.clears],
            "writes": self._shown(self.writes),
            "old": self._shown(self.old),
            "data": [facts_of(each, self.base) for each in self.data],
            "swap": None if self.swap is None else self._inner(self.swap),
            "beside": self.beside,
            "moves": [[self._inner(old), self._inner(new)] for old, new in self.moves],
        }
        return ascii_json(facts).encode()

    @property
    def documents(self) -> set[str]:
        """The keys of all documents that change."""
        return {*self.old, *self.first, *self.writes, *self.removes}

    def _inner(self, key: str) -> str:
        if not key.startswith(self.base):
            raise ValueError(f"{key!r} is not below {self.path}, the place of the journal")
        return key[len(self.base) :]

    def _shown(self, texts: Mapping[str, bytes | None]) -> dict[str, str | None]:
        return {self._inner(key): None if text is None else text.decode(CODE) for key, text in texts.items()}
