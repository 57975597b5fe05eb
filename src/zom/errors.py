"""The exceptions of zom: one class for each kind of failure that a caller can handle.

    ZomError
    ├── SpecError           a document breaks rules; has every Problem; also a ValueError
    │   └── DeclarationError   a declaration breaks rules; each Problem has file, line and column
    ├── PathError           an invalid node path or key
    ├── NotFound            a path without a node; also a KeyError and a FileNotFoundError
    ├── UnknownName         an unregistered codec, data type, ...
    ├── ExtensionError      an extension that is incomplete, registered twice, or lacks a package
    ├── ConversionError     a spec that another format can't express
    ├── ConflictError       existing data in a store conflicts with what would be written; has Problems
    │   └── NodeExists      a node already exists; also a FileExistsError
    ├── SelectionError      an index that doesn't fit the array; also an IndexError
    ├── CodecError          data that a codec can't encode or decode
    ├── ChunkError          a chunk that can't be read or written, with its place and the reason
    │   └── MissingChunk    a missing chunk, if fill values were not requested
    └── StoreError          a failed operation of a store
        ├── StoreNotFound   a path without a file or directory; also a FileNotFoundError
        ├── ReadOnlyError   a store that can't be changed
        └── ConcurrentWriteError   others changed the value repeatedly

No other class derives from ValueError: pydantic would take it for an error of the validated value.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from zom.count import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.problems import Problem

__all__ = [
    "ChunkError",
    "CodecError",
    "ConcurrentWriteError",
    "ConflictError",
    "ConversionError",
    "DeclarationError",
    "ExtensionError",
    "MissingChunk",
    "NodeExists",
    "NotFound",
    "PathError",
    "PluginWarning",
    "ReadOnlyError",
    "SelectionError",
    "SpecError",
    "SpecWarning",
    "StoreError",
    "StoreNotFound",
    "UnknownName",
    "ZomError",
]


class ZomError(Exception):
    """The base class of all errors that zom raises on purpose."""


class _ProblemsError(ZomError):
    """An error with a list of problems."""

    def __init__(
        self, problems: Iterable[Problem], subject: str = "document", step: str | None = None
    ) -> None:
        self.problems = tuple(problems)
        self.subject = subject
        self.step = self._step if step is None else step
        super().__init__(self.problems, subject, *(() if step is None else (step,)))

    def __repr__(self) -> str:
        count = len(self.problems)
        first = f": {str(self.problems[0])[:200]}" if count else ""
        return f"<{type(self).__name__} {self.subject!r}: {count_of(count, 'problem')}{first}>"

    def __str__(self) -> str:
        errors = [problem for problem in self.problems if problem.severity == "error"]
        shown = errors or list(self.problems)
        step = self.step if any(problem.key and not problem.fix for problem in shown) else ""
        if len(shown) == 1:
            return f"{self.subject}: {_keyed(shown[0])}{f'; {step}' if step else ''}"
        lines = "\n".join(f"  {_keyed(problem)}" for problem in shown[:50])
        more = f"\n  ... and {len(shown) - 50} more" if len(shown) > 50 else ""
        tail = f"\n  {step}" if step else ""
        return f"{self.subject}: {len(shown)} problems\n{lines}{more}{tail}"

    _step = "correct or delete the data in the store, then try again"
    """What to do about problems of stored data that don't say it themselves."""


def _keyed(problem: Problem) -> str:
    """The problem as a line with its key."""
    line = str(problem)
    key = repr(problem.key)
    return line if not problem.key or key in line else f"{key}: {line}"


class SpecError(_ProblemsError, ValueError):
    """A document that breaks rules: `problems` has all of them, each with its place.

    A class of specs raises it as pydantic's `ValidationError`, too: `errors()` has an entry for each problem.

    >>> from zom import v3
    >>> try:
    ...     v3.GroupSpec.parse({"zarr_format": 3, "node_type": "grp"})
    ... except SpecError as error:
    ...     print(error.problems[0].pointer)
    /node_type
    """

    _step = "correct the document, or read the rest with zom.read(..., on_error='skip')"


class DeclarationError(SpecError):
    """A declaration that breaks rules: `problems` has all of them, with file, line and column.

    >>> import zom
    >>> try:
    ...     zom.declare({"zom": 1, "memebrs": {}})
    ... except DeclarationError as error:
    ...     print(error.problems[0].fix)
    did you mean 'members'?
    """

    _step = "correct the declaration"


class ConversionError(_ProblemsError):
    """A spec that the other format can't express; each problem points to its cause."""


class ConflictError(_ProblemsError):
    """Existing data in a store conflicts with what would be written; nothing was written.

    >>> import zom
    >>> store = zom.store("memory://example-of-conflict")
    >>> group = zom.create_group(store, zom.v3.GroupSpec())
    >>> try:
    ...     zom.create_group(store, zom.v3.GroupSpec())
    ... except ConflictError as error:
    ...     print(error.problems[0].code)
    plan/exists
    """


class NodeExists(ConflictError, FileExistsError):
    """A node already exists where a new one would be created, and there is no other conflict.

    >>> import zom
    >>> store = zom.store("memory://example-of-a-node-that-exists")
    >>> group = zom.create_group(store)
    >>> try:
    ...     zom.open_group(store, mode="w-")
    ... except FileExistsError as error:
    ...     print(error)
    memory://example-of-a-node-that-exists: 'zarr.json': expected nothing, to create a node there, found a v3 group; open it, or let zom.materialize update or replace it
    """

    def __init__(
        self, problems: Iterable[Problem], subject: str = "document", step: str | None = None
    ) -> None:
        super().__init__(problems, subject, step)
        self.errno, self.strerror, self.filename = errno.EEXIST, str(self), subject

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.problems, self.subject, self.step))


class PathError(ZomError):
    """An invalid node path or store key."""


class NotFound(ZomError, KeyError, FileNotFoundError):
    """A path without a node in the hierarchy: a KeyError, as for a mapping, and a FileNotFoundError.

    >>> import zom
    >>> try:
    ...     zom.open("memory:", "a")
    ... except FileNotFoundError as error:
    ...     print(error)
    memory://: expected a node at /a, found nothing: the store is empty
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.ENOENT

    def __str__(self) -> str:
        # A KeyError would show its message as a string literal.
        return ZomError.__str__(self)


class UnknownName(ZomError):
    """An unregistered codec, data type, chunk grid or chunk key encoding."""


class ExtensionError(ZomError):
    """An extension that is incomplete, registered twice, or lacks a required package."""


class SelectionError(ZomError, IndexError):
    """An index that doesn't fit its array."""


class CodecError(ZomError):
    """Data that a codec can't encode or decode; `codec` is its name, if known.

    >>> print(CodecError("checksum mismatch", "crc32c"))
    crc32c: checksum mismatch
    """

    def __init__(self, reason: str, codec: str = "", *, byte_range: tuple[int, int] | None = None) -> None:
        self.reason = reason
        self.codec = codec
        self.byte_range = byte_range
        """Start and end of the faulty bytes, if these are a part of the stored value."""
        super().__init__(reason, codec)

    def __str__(self) -> str:
        return f"{self.codec}: {self.reason}" if self.codec else self.reason


class ChunkError(ZomError):
    """A chunk that can't be read or written, with all known facts about its place, and the reason.

    >>> print(ChunkError("data.zarr", "/t", "t/c/0/3", "decode", "checksum mismatch", codec="crc32c"))
    data.zarr: cannot decode chunk 't/c/0/3' of /t: crc32c: checksum mismatch; restore it from a copy, or write it again
    """

    def __init__(  # noqa: PLR0913 - all known facts about the place
        self,
        store: str,
        node: str,
        key: str,
        verb: str,
        reason: str,
        *,
        codec: str = "",
        byte_range: tuple[int, int] | None = None,
        lacks_memory: bool = False,
    ) -> None:
        self.store = store
        self.node = node
        self.key = key
        self.verb = verb
        self.reason = reason
        self.codec = codec
        """The codec that found it, or an empty string."""
        self.byte_range = byte_range
        """Start and end of the faulty bytes, if these are a part of the value, as in a shard."""
        self.lacks_memory = lacks_memory
        """Whether the only cause is a lack of memory: the stored chunk may be valid."""
        super().__init__(store, node, key, verb, reason)

    def __reduce__(self) -> tuple[object, ...]:
        facts = (self.store, self.node, self.key, self.verb, self.reason)
        names = ("codec", "byte_range", "lacks_memory")
        return (type(self), facts, {name: getattr(self, name) for name in names})

    def __str__(self) -> str:
        why = f"{self.codec}: {self.reason}" if self.codec else self.reason
        step = f"; {self.step}" if self.step else ""
        return f"{self.store}: cannot {self.verb} chunk {self.key!r} of {self.node}: {why}{step}"

    @property
    def step(self) -> str:
        """What to do next; empty if the reason says it."""
        if "; " in self.reason:
            return ""
        if self.lacks_memory:
            return "free memory, or choose smaller chunks"
        if self.verb == "encode":
            return "write values that the array's codecs can hold"
        return self._step

    _step = "restore it from a copy, or write it again"


class MissingChunk(ChunkError):
    """A missing chunk, if fill values were not requested."""

    _step = "write it, or read with missing='fill'"


class StoreError(ZomError):
    """A failed operation of a store: its place, key and node, the reason, and what to do next.

    >>> print(StoreError("data.zarr", "a/zarr.json", "write", "no space left on device"))
    data.zarr: cannot write 'a/zarr.json' of /a: no space left on device; free space, then try again
    """

    def __init__(self, store: str, key: str, verb: str, reason: str) -> None:
        self.store = store
        self.key = key
        self.verb = verb
        self.reason = reason
        from zom.next_steps import node_of  # noqa: PLC0415 - only on errors

        self.node = node_of(key)
        """The path of the node; empty if there is none, or it is unknown."""
        super().__init__(store, key, verb, reason)

    @property
    def step(self) -> str:
        """What to do next; empty if the reason says it."""
        from zom.next_steps import step_of  # noqa: PLC0415 - only on errors

        return step_of(self.reason, self.store, self._step)

    _step = ""
    """What to do if the reason doesn't suggest anything better."""

    def __str__(self) -> str:
        what = f" {self.key!r}" if self.key else ""
        of = f" of {self.node}" if self.node else ""
        step = f"; {self.step}" if self.step else ""
        return f"{self.store}: cannot {self.verb}{what}{of}: {self.reason}{step}"


class StoreNotFound(StoreError, FileNotFoundError):
    """A path without a file or directory.

    >>> import zom
    >>> try:
    ...     zom.open("no/such.zarr")
    ... except FileNotFoundError as error:
    ...     print(error)
    no/such.zarr: cannot open: there is no such file or directory; check the path
    """

    def __init__(self, store: str, key: str, verb: str, reason: str) -> None:
        super().__init__(store, key, verb, reason)
        self.errno, self.strerror, self.filename = errno.ENOENT, reason, store

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.store, self.key, self.verb, self.reason))


class ReadOnlyError(StoreError):
    """An attempt to change a store that is read-only.

    >>> print(ReadOnlyError("data.zip", "a/0", "write"))
    data.zip: cannot write 'a/0': the store is read-only; open it for writing, or choose a writable store
    """

    def __init__(self, store: str, key: str, verb: str, reason: str = "the store is read-only") -> None:
        super().__init__(store, key, verb, reason)

    _step = "open it for writing, or choose a writable store"


class ConcurrentWriteError(StoreError):
    """Others changed the value of a key in every attempt to change it here, or since it was read.

    >>> print(ConcurrentWriteError("s3://b", "t/c/0"))
    s3://b: cannot update 't/c/0': others changed it in every attempt; write whole chunks, or write one after the other
    """

    def __init__(self, store: str, key: str, changes: str = "") -> None:
        self.changes = changes
        """What others changed since the array was opened; empty if they were faster in every attempt."""
        reason = "others changed it in every attempt; write whole chunks, or write one after the other"
        if changes:
            reason = f"the array has changed since it was opened: {changes}; call refresh() and write again"
        super().__init__(store, key, "update", reason)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.store, self.key, self.changes))


class SpecWarning(UserWarning):
    """Content of a document that zom read although the specification forbids it."""


class PluginWarning(UserWarning):
    """A plugin of another package that can't be loaded; zom works without it.

    >>> import warnings
    >>> warnings.simplefilter("error", PluginWarning)  # for those who would rather stop
    >>> warnings.simplefilter("default", PluginWarning)
    """
