"""Marks: a key in the target of a running copy, so that the copy can be resumed.

The mark names the source, the copied node, and the arrays whose chunks are written. The same copy, made
again, finds the mark: existing chunks are those of the earlier copy, and whole if the store replaces values
in one step. `zom.repair` deletes what an abandoned copy has left. The mark is deleted when all documents are
in place.
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
"""The name of the mark of a copy; it is in the directory of the topmost node that is copied."""

_FORM: Final = "zom copy 2"


def mark_key(path: str, name: str) -> str:
    """The key of a mark at `path`.

    >>> mark_key("/", COPY_MARK), mark_key("/a/b", COPY_MARK)
    ('.zom.copy', 'a/b/.zom.copy')
    """
    return V3_LAYOUT.key(path, name)


@dataclass(frozen=True, slots=True)
class CopyMark:
    """A running copy.

    >>> print(CopyMark("a.zarr", "/b", ""))
    a.zarr /b
    """

    source: str
    path: str
    """The copied path in the source."""
    digest: str
    """The digest of everything that distinguishes it from another copy."""
    arrays: tuple[Clearing, ...] = ()
    """The new arrays whose chunks are written."""
    replaces: bool = False
    """Whether chunks wait beside the mark to replace existing ones."""

    def text(self, base: str) -> bytes:
        """The mark as it is stored: like a journal, relative to its own directory, the prefix `base`."""
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
    """Parse the mark under `key`; StoreError if it is not a valid mark.

    >>> mark = CopyMark("a.zarr", "/", "")
    >>> parse_mark(mark.text(""), "memory://", ".zom.copy") == mark
    True
    """
    try:
        return _parsed(text, key)
    except (RefusedError, PathError) as cause:
        reason = (
            f"expected the mark of a copy, found {cause}; nothing was removed: check it, and delete it if zom "
            "didn't write it here"
        )
        raise StoreError(store, key, "read", reason) from None


def _parsed(text: bytes, key: str) -> CopyMark:
    faults: list[Any] = []
    value = read_own(text, faults)
    if faults or not isinstance(value, JSONDict) or value.get("form") != _FORM:
        raise RefusedError("other content")
    facts = value
    source, path, digest = (facts.get(name) for name in ("source", "path", "digest"))
    if not (isinstance(source, str) and isinstance(path, str) and isinstance(digest, str)):
        raise RefusedError("no string for its source")
    arrays = parse_clearings(facts.get("arrays"), key.removesuffix(COPY_MARK))
    return CopyMark(source, path, digest, arrays, replaces=facts.get("replaces") is True)
