"""Journals: what a change of a hierarchy is about to do, written before it does anything.

A change of more than one key begins with one key that holds all of it, made only where nobody else's is,
and ends with the removal of that key. Whoever finds it knows that the hierarchy is between two states,
and has what leads to either.

A journal speaks of the place where it lies, and of nothing else: its keys are relative to its own
directory. So it means the same whatever root the store is opened from, and in a copy of the directory.
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
"""The name of a journal; it lies in the directory of the topmost node that changes."""

OLD = ".zom.old"
"""Beside new documents and chunks: what they replace is not gone yet."""

NEW = ".zom.new/"
"""Beside a journal: the prefix of new documents and chunks that wait until all are there."""

MEANWHILE = ".zom.meanwhile/"
"""Beside a journal: the prefix of documents as they are while the others are put in place."""

Way = Literal["finish", "undo"]

FORM = "zom journal 2"
CODE = "latin-1"
"""How bytes stand in a JSON text: each as one character, for a document need not be UTF-8."""


class Unsettled(StoreError):
    """A change of the hierarchy is under way, or was interrupted."""


def unsettled(url: str, key: str, verb: str = "read") -> Unsettled:
    """The error that a hierarchy is between two states, as the journal under `key` tells.

    >>> print(unsettled("a.zarr", "g/.zom.journal"))
    a.zarr: cannot read 'g': a change of /g is under way, or was interrupted: wait for its end, or finish or undo it with zom.repair
    """
    where = key.rpartition("/")[0]
    reason = (
        f"a change of /{where} is under way, or was interrupted: wait for its end, or finish or undo it with "
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
    """The keys of the journals that a node at `path` may be part of, its own first.

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
    """Whether `key` waits to be put in place by a change or a copy.

    >>> is_aside("a/.zom.new/zarr.json"), is_aside("a/zarr.json")
    (True, False)
    """
    return f"/{NEW}" in f"/{key}" or f"/{MEANWHILE}" in f"/{key}"


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


def facts_of(clearing: Clearing, base: str) -> dict[str, str | None]:
    """The record as it stands in a journal or a mark in the directory with the prefix `base`.

    >>> facts_of(Clearing("/a/b", "a/b/c/", "v3", "{}"), "a/")["prefix"]
    'b/c/'
    """
    whole = base_of(clearing.path)
    if not (whole.startswith(base) and clearing.prefix.startswith(base)):
        raise ValueError(f"{clearing.path!r} is not below {base!r}, where the record lies")
    # There is one for each array of a hierarchy: `dataclasses.asdict` copies what nobody can change.
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
    """A change that is under way, with what it takes to finish or to undo it.

    >>> journal = Journal("/a", "undo", writes={"a/zarr.json": b"{}"}, old={"a/zarr.json": None})
    >>> b'"zarr.json"' in journal.text()
    True
    """

    path: str
    way: Way
    """What becomes of it after an interruption: before all that is new is written it is undone, then finished."""
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
    swap: str | None = None
    """The prefix of what goes, where a whole new tree, with its chunks, waits below to take its place."""
    beside: bool = False
    """Whether new documents take their places before the old ones go: they are of another format."""
    token: str = ""
    """What tells this change from all others."""

    @property
    def base(self) -> str:
        """The prefix of the directory in which it lies, and all that it names."""
        return base_of(self.path)

    @property
    def creates(self) -> bool:
        """Whether it only makes what was not there: then nothing is seen before the last document."""
        return bool(self.writes) and not (
            self.removes
            or self.clears
            or self.moves
            or self.swap
            or any(text is not None for text in self.old.values())
        )

    @property
    def adds(self) -> bool:
        """Whether it makes what was not there, and renews only consolidated metadata that speaks of it."""
        goes = self.removes or self.clears or self.moves or self.swap is not None
        return not goes and all(text is None or key in self.first for key, text in self.old.items())

    @property
    def last(self) -> str:
        """The key of the document that makes all others seen; empty where none is written."""
        return next(reversed(self.writes), "")

    @property
    def waiting(self) -> str:
        """The prefix below which a whole new tree waits."""
        return (self.swap or "") + NEW

    def aside(self, key: str, prefix: str = NEW) -> str:
        """Where what is to lie under `key` waits.

        >>> Journal("/a", "undo").aside("a/b/zarr.json")
        'a/.zom.new/b/zarr.json'
        """
        return self.base + prefix + self._inner(key)

    def text(self) -> bytes:
        """The journal as it is stored: its keys are relative to its place."""
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
            raise ValueError(f"{key!r} is not below {self.path}, where the journal lies")
        return key[len(self.base) :]

    def _shown(self, texts: Mapping[str, bytes | None]) -> dict[str, str | None]:
        return {self._inner(key): None if text is None else text.decode(CODE) for key, text in texts.items()}
