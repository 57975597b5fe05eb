"""Kerchunk references as a read-only store: keys whose bytes are in files of other formats.

A batch merges nearby ranges of a file into one request. Nothing is written, and only places that
`targets.py` allows are read.
"""

from __future__ import annotations

import threading
from itertools import islice
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.errors import StoreError, ZomError
from zom.stores.interface import ByteRange, Capabilities, Listing, Range, Store, Suffix, cut, near
from zom.stores.key_tree import KeyTree
from zom.stores.locks import remake_in_children
from zom.stores.references.document import Target
from zom.stores.references.targets import Targets, is_far

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from zom.stores.references.document import Reference

__all__ = ["ReferenceStore"]

_GAP = 1 << 16
_LONGEST = 1 << 24
_SOME = 1000
_FAR = 64
"""Concurrent requests for remote files, as the default of their stores."""


class ReferenceStore(Store):
    """The keys of a reference document, and the bytes that they refer to.

    `home` is the directory of the document, to which addresses without a scheme are relative. Local files
    outside it need `allow`: places that may be read, such as `["/data/", "s3://bucket/"]`.
    `remote_options` go to the stores of web servers and buckets.

    >>> store = ReferenceStore({".zgroup": b'{"zarr_format": 2}', "x/0": Target("/data/file.nc", 4096, 800)})
    >>> store.get(".zgroup"), dict(store.sizes())
    (b'{"zarr_format": 2}', {'.zgroup': 18, 'x/0': 800})
    """

    def __init__(  # noqa: PLR0913 - options of the caller
        self,
        references: Mapping[str, Reference],
        *,
        url: str = "reference://",
        home: str = "",
        allow: Iterable[str] | None = None,
        remote_options: dict[str, Any] | None = None,
        reopen: tuple[Callable[..., Store], tuple[Any, ...]] | None = None,
    ) -> None:
        self._references = references
        self._url = url
        self._targets = Targets(home, allow=allow, options=remote_options)
        self._reopen = reopen
        self._tree: KeyTree | None = None
        self._guard = threading.Lock()
        self.capabilities = Capabilities(writable=False, parallel=_FAR if self._is_far(home) else 1)
        remake_in_children(self)

    def _is_far(self, home: str) -> bool:
        """Whether most targets are probably remote, judging by the document and the first target."""
        if is_far(home):
            return True
        some = islice(self._references.values(), _SOME)
        first = next((each for each in some if isinstance(each, Target)), None)
        return first is not None and is_far(first.url)

    def after_fork(self) -> None:
        """Forget the lock of the parent's threads."""
        self._guard = threading.Lock()

    @property
    @override
    def url(self) -> str:
        return self._url

    def __reduce__(self) -> tuple[Any, ...]:
        if self._reopen is None:
            reason = "its options may hold credentials; open it again in the other process"
            raise StoreError(self.url, "", "pickle", reason)
        return self._reopen

    # --- reading -----------------------------------------------------------------------------------

    @override
    def _read(self, key: str, byte_range: ByteRange | None) -> bytes | None:
        return self._read_many([(key, byte_range)])[0]

    @override
    def _read_many(self, requests: Sequence[tuple[str, ByteRange | None]]) -> list[bytes | None]:
        values: list[bytes | None] = [None] * len(requests)
        whole: dict[int, list[_Asked]] = {}
        for index, (key, byte_range) in enumerate(requests):
            reference = self._references.get(key)
            if isinstance(reference, Target) and byte_range is not None and byte_range.length == 0:
                values[index] = b""  # existence takes no request
            elif isinstance(reference, Target):
                asked = self._asked(index, key, reference, byte_range)
                whole.setdefault(id(asked.store), []).append(asked)
            elif reference is not None:
                values[index] = cut(reference, byte_range)
        for group in whole.values():
            self._fetch(group, values)
        return values

    def _asked(self, index: int, key: str, target: Target, byte_range: ByteRange | None) -> _Asked:
        try:
            store, name = self._targets.find(target.url)
        except ZomError as cause:
            reason = (
                str(cause) if getattr(cause, "verb", "") == "open" else getattr(cause, "reason", str(cause))
            )
            raise StoreError(self.url, key, "read", reason) from None
        return _Asked(index, key, store, name, _within(target, byte_range), target.length is not None)

    def _fetch(self, group: list[_Asked], values: list[bytes | None]) -> None:
        """Fetch the requests to one store into `values`."""
        requests = _gathered(group)
        try:
            answers = group[0].store.get_many([(name, span) for name, span, _ in requests])
        except ZomError as cause:
            key = group[0].key if len(group) == 1 else ""
            raise StoreError(self.url, key, "read", str(cause)) from cause
        for (_, span, askers), answer in zip(requests, answers, strict=True):
            for each in askers:
                values[each.index] = self._cut(each, span, answer)

    def _cut(self, asked: _Asked, span: ByteRange | None, answer: bytes | None) -> bytes:
        """Cut the bytes of one key out of the answer to a merged request."""
        if answer is None:
            # None would mean a chunk that was never written.
            reason = f"the file that it points to is missing: {asked.store.url.rstrip('/')}/{asked.name}"
            raise StoreError(self.url, asked.key, "read", reason)
        if span is asked.span or not isinstance(span, Range) or not isinstance(asked.span, Range):
            value = answer
        else:
            value = cut(answer, Range(asked.span.start - span.start, asked.span.length))
        if asked.is_sized and isinstance(asked.span, Range) and len(value) != asked.span.length:
            reason = (
                f"expected {asked.span.length} bytes at {asked.span.start} of "
                f"{asked.store.url.rstrip('/')}/{asked.name}, found {len(value)}: the file has changed"
            )
            raise StoreError(self.url, asked.key, "read", reason)
        return value

    # --- listing -----------------------------------------------------------------------------------

    def _listing(self) -> KeyTree:
        with self._guard:
            if self._tree is None:
                self._tree = KeyTree(self._references)
            return self._tree

    @override
    def _keys(self, prefix: str) -> Iterable[str]:
        return self._listing().below(prefix) if prefix else list(self._references)

    @override
    def _list_dir(self, prefix: str) -> Listing:
        return self._listing().list_dir(prefix)

    @override
    def _size_of(self, key: str) -> int | None:
        reference = self._references.get(key)
        if not isinstance(reference, Target):
            return None if reference is None else len(reference)
        if reference.length is not None:
            return reference.length
        asked = self._asked(0, key, reference, None)
        size = asked.store._size_of(asked.name)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        if size is None:
            self._cut(asked, None, None)
        return size

    @override
    def close(self) -> None:
        self._targets.close()


class _Asked:
    """One request: bytes of a file, for a key."""

    __slots__ = ("index", "is_sized", "key", "name", "span", "store")

    def __init__(  # noqa: PLR0913, PLR0917 - a record, made once for each request
        self,
        index: int,
        key: str,
        store: Store,
        name: str,
        span: ByteRange | None,
        is_sized: bool,  # noqa: FBT001 - as above
    ) -> None:
        self.index = index
        self.key = key
        self.store = store
        self.name = name
        self.span = span
        self.is_sized = is_sized


def _within(target: Target, byte_range: ByteRange | None) -> ByteRange | None:
    """Convert `byte_range` of a target to a range of its file."""
    if target.length is None:
        if target.start == 0 or isinstance(byte_range, Suffix):
            return byte_range
        return Range(target.start) if byte_range is None else byte_range
    if byte_range is None:
        return Range(target.start, target.length)
    if isinstance(byte_range, Suffix):
        length = min(byte_range.length, target.length)
        return Range(target.start + target.length - length, length)
    start = min(byte_range.start, target.length)
    rest = target.length - start
    return Range(target.start + start, rest if byte_range.length is None else min(byte_range.length, rest))


def _gathered(group: list[_Asked]) -> list[tuple[str, ByteRange | None, list[_Asked]]]:
    """Merge requests to one store; return each request with those that it answers."""
    made: list[tuple[str, ByteRange | None, list[_Asked]]] = []
    by_name: dict[str, list[tuple[int, int, _Asked]]] = {}
    for each in group:
        if isinstance(each.span, Range) and each.span.length is not None and each.is_sized:
            start = each.span.start
            by_name.setdefault(each.name, []).append((start, start + each.span.length, each))
        else:
            made.append((each.name, each.span, [each]))
    for name, found in by_name.items():
        found.sort(key=lambda each: each[:2])
        at = 0
        for start, stop in near(((low, high) for low, high, _ in found), gap=_GAP, longest=_LONGEST):
            first = at
            while at < len(found) and found[at][1] <= stop and found[at][0] >= start:
                at += 1
            if at > first:
                made.append((name, Range(start, stop - start), [each for _, _, each in found[first:at]]))
    return made
