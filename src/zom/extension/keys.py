"""Chunk key encodings: how the grid position of a chunk becomes its key."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, cast

from typing_extensions import override

from zom.dataclass import dataclass
from zom.errors import ExtensionError, ZomError
from zom.extension.answer import answer, at_fault
from zom.extension.configuration import Configuration, NoConfiguration
from zom.extension.contract import BOOLEAN, CONFIGURATION, NAME, NAMES, Contract, method
from zom.extension.registry import Registry
from zom.problems import cause_text, given_text

__all__ = ["ChunkKeyEncoding", "KeyForm", "KeyWriter", "chunk_key_encodings", "key_form"]

# Longer numbers can't be chunk numbers, and Python refuses to parse thousands of digits.
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,399})\Z")


class KeyWriter(ABC):
    """Keys that are more than numbers with separators: padded, hashed, in another order.

    Subclass it as a frozen dataclass: equal writers must write the same keys.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Padded(KeyWriter):
    ...     width: int
    ...     def key(self, coords):
    ...         return "/".join(["c", *(f"{number:0{self.width}}" for number in coords)])
    ...     def coords(self, key, rank):
    ...         numbers = key.split("/")[1:]
    ...         found = tuple(map(int, numbers)) if all(map(str.isdigit, numbers)) else ()
    ...         return found if len(found) == rank and self.key(found) == key else None
    >>> form = KeyForm.written_by(Padded(3))
    >>> form.key((0, 12)), form.coords("c/000/012", 2), form.coords("c/0/12", 2)
    ('c/000/012', (0, 12), None)
    """

    @abstractmethod
    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key, relative to the array, of the chunk at `coords`, which is `()` for a scalar."""

    @abstractmethod
    def coords(self, key: str, rank: int) -> tuple[int, ...] | None:
        """Return the grid position of the chunk with `key`, or None if `key()` does not produce it."""


class KeyForm(NamedTuple):
    """The keys of an array's chunks: decimal chunk numbers with a separator between them.

    >>> form = KeyForm("c/", "/", "c")
    >>> form.key((0, 1)), form.key(()), form.coords("c/0/1", 2), form.coords("c/0/01", 2)
    ('c/0/1', 'c', (0, 1), None)
    """

    head: str
    """The text before the first number."""
    separator: str
    """The text between two numbers."""
    scalar: str
    """The key of the only chunk of an array without dimensions."""
    tail: str = ""
    """The text after the last number."""
    writer: KeyWriter | None = None
    """Writes everything before the tail, if that is more than numbers and separators."""

    @classmethod
    def written_by(cls, writer: KeyWriter) -> KeyForm:
        """Return the form of keys that `writer` writes."""
        return cls("", "/", "", "", writer)

    def key(self, coords: tuple[int, ...]) -> str:
        """Return the key of the chunk at the grid position `coords`."""
        if self.writer is not None:
            return self.writer.key(coords) + self.tail
        return f"{self.head}{self.separator.join(map(str, coords))}{self.tail}" if coords else self.scalar

    def coords(self, key: str, rank: int) -> tuple[int, ...] | None:
        """Return the grid position of the chunk with `key`, or None if `key()` does not produce it."""
        if self.writer is not None:
            head = key.removesuffix(self.tail)
            return self.writer.coords(head, rank) if head + self.tail == key else None
        if not rank:
            return () if key == self.scalar else None
        if not key.startswith(self.head) or not key.endswith(self.tail):
            return None
        texts = key[len(self.head) : len(key) - len(self.tail)].split(self.separator)
        if len(texts) != rank or not all(map(_NUMBER.match, texts)):
            return None
        return tuple(map(int, texts))


class ChunkKeyEncoding:
    """One kind of key. Stateless; its configuration model contains all rules for documents."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    configuration: ClassVar[type[Configuration]] = NoConfiguration
    registered: ClassVar[bool] = True

    def form(self, configuration: Any) -> KeyForm:
        """Return the form of the keys."""
        del configuration
        message = f"the chunk key encoding {self.name!r} can be written in documents, but not used: it has no `form`"
        raise ExtensionError(message)

    def __repr__(self) -> str:
        return f"<chunk key encoding {self.name}>"


_CONTRACT = Contract(
    ChunkKeyEncoding, (NAME, NAMES, CONFIGURATION, BOOLEAN, method("form", "configuration", is_own=True))
)

chunk_key_encodings: Registry[ChunkKeyEncoding] = Registry(
    "chunk key encoding", "zom.chunk_key_encodings", home="zom.chunk_keys", contract=_CONTRACT.faults
)
"""All known chunk key encodings."""


def key_form(encoding: ChunkKeyEncoding, configuration: Any) -> KeyForm:
    """Return the form of the keys; keys of another package's encoding are checked."""
    found: KeyForm = answer(encoding, "form", (KeyForm,), "a KeyForm", configuration)
    if found.writer is None or chunk_key_encodings.is_own(encoding):
        return found
    return found._replace(writer=_Checked(found.writer, given_text(encoding)))


@dataclass(frozen=True)
class _Checked(KeyWriter):
    """A writer of another package: checks that each key decodes to its chunk, so that no two share a key."""

    writer: KeyWriter
    encoding: str

    @override
    def key(self, coords: tuple[int, ...]) -> str:
        key = self._ask("key", coords)
        if not isinstance(key, str) or not key:
            raise self._error(f"expected a string from key, found {given_text(key)}")
        found = self.coords(key, len(coords))
        if found != coords:
            raise self._error(f"expected {coords} from coords of its key {key!r}, found {found}")
        return key

    @override
    def coords(self, key: str, rank: int) -> tuple[int, ...] | None:
        found = self._ask("coords", key, rank)
        if found is None:
            return None
        numbers = cast("tuple[object, ...]", found) if isinstance(found, tuple) else ()
        if not isinstance(found, tuple) or not all(isinstance(number, int) for number in numbers):
            raise self._error(
                f"expected a tuple of integers or None from coords, found {given_text(cast('object', found))}"
            )
        return cast("tuple[int, ...]", numbers)

    def _ask(self, method: str, *arguments: object) -> object:
        try:
            found: object = getattr(self.writer, method)(*arguments)
        except (ZomError, MemoryError, RecursionError):
            raise
        except Exception as cause:
            raise self._error(f"{method} raised {cause_text(cause)}") from cause
        return found

    def _error(self, what: str) -> ExtensionError:
        return at_fault(f"{self.encoding}", what)
