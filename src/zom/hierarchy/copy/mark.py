"""Marks: what a copy leaves in its target while it is under way, so that it can be taken up again.

The mark says what is copied from where to what, and which chunks that brings. Whoever copies the same once
more finds it: chunks that are there then are those of the copy before, and whole, where the store replaces
values in one step. `zom.repair` removes what a copy has left that nobody wants to take up. The mark goes
when all documents are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.dataclass import dataclass
from zom.digests import blake2b
from zom.errors import PathError, StoreError
from zom.hierarchy.journal.journal import Clearing, facts_of
from zom.hierarchy.journal.text import RefusedError, parse_clearings
from zom.hierarchy.stored.layout import V3_LAYOUT
from zom.json.read import read_own
from zom.json.value import JSONDict
from zom.json.write import ascii_json

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["COPY_MARK", "CopyMark", "copy_digest", "mark_key", "parse_mark"]

COPY_MARK: Final = ".zom.copy"
"""The name of the mark of a copy; it lies in the directory of the topmost node that is copied."""

_FORM: Final = "zom copy 2"


def mark_key(path: str, name: str) -> str:
    """The key of a mark at `path`.

    >>> mark_key("/", COPY_MARK), mark_key("/a/b", COPY_MARK)
    ('.zom.copy', 'a/b/.zom.copy')
    """
    return V3_LAYOUT.key(path, name)


@dataclass(frozen=True, slots=True)
class CopyMark:
    """A copy that is under way.

    >>> print(CopyMark("a.zarr", "/b", ""))
    a.zarr /b
    """

    source: str
    path: str
    """What is copied, in the source."""
    digest: str
    """Of all that makes it another copy."""
    arrays: tuple[Clearing, ...] = ()
    """The new arrays whose chunks are written."""
    replaces: bool = False
    """Whether chunks wait beside the mark: they take the place of others."""

    def text(self, base: str) -> bytes:
        """The mark as it is stored: like a journal, it speaks of its own directory, the prefix `base`."""
        facts: dict[str, Any] = {
            "form": _FORM,
            "source": self.source,
            "path": self.path,
            "digest": self.digest,
            "replaces": self.replaces,
            "arrays": [facts_of(each, base) for each in self.arrays],
        }
        return ascii_json(facts).encode()

    def is_same(self, other: CopyMark) -> bool:
        """Whether it is the mark of the same copy."""
        return (self.source, self.path, self.digest) == (other.source, other.path, other.digest)

    def __str__(self) -> str:
        return f"{self.source} {self.path}"


def copy_digest(documents: Iterable[bytes]) -> str:
    """The digest of the documents of source and target.

    >>> copy_digest([b"{}"]) == copy_digest([b"[]"])
    False
    """
    digest = blake2b(digest_size=32)
    for text in documents:
        digest.update(blake2b(text, digest_size=32).digest())
    return digest.hexdigest()


def parse_mark(text: bytes, store: str, key: str) -> CopyMark:
    """What the mark under `key` says; StoreError where it is none.

    >>> mark = CopyMark("a.zarr", "/", "")
    >>> parse_mark(mark.text(""), "memory://", ".zom.copy") == mark
    True
    """
    try:
        return _parsed(text, key)
    except (RefusedError, PathError) as cause:
        reason = (
            f"expected the mark of a copy, found {cause}; nothing was removed: look at it, and delete it if zom "
            "did not write it here"
        )
        raise StoreError(store, key, "read", reason) from None


def _parsed(text: bytes, key: str) -> CopyMark:
    faults: list[Any] = []
    value = read_own(text, faults)
    if faults or not isinstance(value, JSONDict) or value.get("form") != _FORM:
        raise RefusedError("another text")
    facts = value
    source, path, digest = (facts.get(name) for name in ("source", "path", "digest"))
    if not (isinstance(source, str) and isinstance(path, str) and isinstance(digest, str)):
        raise RefusedError("no text for its source")
    arrays = parse_clearings(facts.get("arrays"), key.removesuffix(COPY_MARK))
    return CopyMark(source, path, digest, arrays, replaces=facts.get("replaces") is True)
