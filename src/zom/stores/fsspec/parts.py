"""Parts of files, also for file systems that ignore the requested range and return the whole file."""

from __future__ import annotations

import errno
import os
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from zom.stores.fsspec.file_systems import is_arrow
from zom.stores.ranges import Suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.stores.ranges import ByteRange

__all__ = ["Parts", "bounds_of", "takes_parts"]


def takes_parts(filesystem: Any) -> bool:
    """Whether the signature of its read method has a range; True if the signature is unknown.

    >>> class Whole:
    ...     def cat_file(self, path, **options): ...
    >>> takes_parts(Whole()), takes_parts(object())
    (False, True)
    """
    if is_arrow(filesystem):
        return False  # it reads the start of a file from one that can't tell its position
    name = "_cat_file" if getattr(filesystem, "async_impl", False) else "cat_file"
    try:
        known = signature(getattr(filesystem, name)).parameters
    except (AttributeError, TypeError, ValueError):
        return True
    is_seen = all(each.kind is not Parameter.VAR_POSITIONAL for each in known.values())
    return not is_seen or {"start", "end"} <= known.keys()


class Parts:
    """Reads parts of files, in the way that the file system supports."""

    def __init__(self, filesystem: Any, *, takes_parts: bool, is_archive: bool, is_cache: bool) -> None:
        self._fs = filesystem
        self._takes_parts = takes_parts
        self._is_archive = is_archive
        self._is_cache = is_cache

    def read(
        self, paths: Sequence[str], bounds: Sequence[tuple[int | None, int | None]]
    ) -> Sequence[bytes | Exception]:
        """Return the bytes of each file between its bounds, or the file system's exception."""
        answers = self._answers(paths, bounds)
        if not (self._is_archive or self._is_cache):
            return answers
        return [
            self._corrected(path, bound, answer)
            for path, bound, answer in zip(paths, bounds, answers, strict=True)
        ]

    def _answers(
        self, paths: Sequence[str], bounds: Sequence[tuple[int | None, int | None]]
    ) -> Sequence[bytes | Exception]:
        if not self._takes_parts and any(bound != (None, None) for bound in bounds):
            return [self._opened(path, *bound) for path, bound in zip(paths, bounds, strict=True)]
        starts, ends = [start for start, _ in bounds], [end for _, end in bounds]
        try:
            # Unlike cat, this takes names with "*" or "[" literally.
            answers: Sequence[bytes | Exception] = self._fs.cat_ranges(paths, starts, ends, on_error="return")
        except Exception as cause:  # noqa: BLE001 - returned, as file systems do themselves
            if len(paths) == 1:
                return [cause]
        else:
            return answers
        # A cache of whole files fails for all files if one is missing.
        return [self._answers([path], [bound])[0] for path, bound in zip(paths, bounds, strict=True)]

    def _corrected(
        self, path: str, bound: tuple[int | None, int | None], answer: bytes | Exception
    ) -> bytes | Exception:
        """Correct the answers of versions of fsspec before 2026.9."""
        if self._is_archive and isinstance(answer, KeyError):
            # zipfile and tarfile raise it for a missing member.
            return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if self._is_cache and isinstance(answer, Exception) and not isinstance(answer, OSError):
            # `cat_ranges` of a cache of whole files takes a missing copy for the name of a file.
            return self._opened(path, *bound)
        return answer

    def _opened(self, path: str, start: int | None, end: int | None) -> bytes | Exception:
        """Open the file and read from `start`, or from the end if negative, to `end`."""
        try:
            with self._fs.open(path, "rb") as file:
                if start is not None:
                    file.seek(start, 2 if start < 0 else 0)
                return bytes(file.read() if end is None else file.read(max(end - file.tell(), 0)))
        except Exception as cause:  # noqa: BLE001 - returned, as above
            return cause


def bounds_of(byte_range: ByteRange | None, size: int | None) -> tuple[int | None, int | None]:
    """Return start and end, limited to a known size: some file systems allocate the whole range."""
    if byte_range is None:
        return None, None
    if isinstance(byte_range, Suffix):
        return -byte_range.length if size is None else max(size - byte_range.length, 0), None
    start, length = byte_range
    end = None if length is None else start + length
    return start, end if size is None or end is None else max(start, min(end, size))
