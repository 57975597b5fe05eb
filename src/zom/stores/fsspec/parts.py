"""Parts of files: of file systems that pass over which part is asked for, and give the whole file without a word."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from zom.stores.fsspec.file_systems import is_arrow
from zom.stores.ranges import Suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.stores.ranges import ByteRange

__all__ = ["Parts", "bounds_of", "takes_parts"]


def takes_parts(filesystem: Any) -> bool:
    """Whether it gives the part of a file that it is asked for, as its method says; true where none can be seen.

    >>> class Whole:
    ...     def cat_file(self, path, **options): ...
    >>> takes_parts(Whole()), takes_parts(object())
    (False, True)
    """
    if is_arrow(filesystem):
        return False  # it reads the beginning of a file from one that can't say where it is
    name = "_cat_file" if getattr(filesystem, "async_impl", False) else "cat_file"
    try:
        known = signature(getattr(filesystem, name)).parameters
    except (AttributeError, TypeError, ValueError):
        return True
    is_seen = all(each.kind is not Parameter.VAR_POSITIONAL for each in known.values())
    return not is_seen or {"start", "end"} <= known.keys()


class Parts:
    """Reads the parts of files of one file system, as that takes them."""

    def __init__(self, filesystem: Any, *, takes_parts: bool) -> None:
        self._fs = filesystem
        self._takes_parts = takes_parts

    def read(
        self, paths: Sequence[str], bounds: Sequence[tuple[int | None, int | None]]
    ) -> Sequence[bytes | Exception]:
        """The bytes of each file from one bound to the other, or what the file system says instead."""
        if not self._takes_parts and any(bound != (None, None) for bound in bounds):
            return [self._opened(path, *bound) for path, bound in zip(paths, bounds, strict=True)]
        starts, ends = [start for start, _ in bounds], [end for _, end in bounds]
        try:
            # Unlike cat, this takes a name with "*" or "[" in it for what it is.
            answers: Sequence[bytes | Exception] = self._fs.cat_ranges(paths, starts, ends, on_error="return")
        except Exception as cause:  # noqa: BLE001 - returned, as file systems do themselves
            if len(paths) == 1:
                return [cause]
        else:
            return answers
        # A cache of whole files has no answer to any where one is missing.
        return [self.read([path], [bound])[0] for path, bound in zip(paths, bounds, strict=True)]

    def _opened(self, path: str, start: int | None, end: int | None) -> bytes | Exception:
        """The bytes from `start`, from the end where that is below 0, to `end`: by opening the file."""
        try:
            with self._fs.open(path, "rb") as file:
                if start is not None:
                    file.seek(start, 2 if start < 0 else 0)
                return bytes(file.read() if end is None else file.read(max(end - file.tell(), 0)))
        except Exception as cause:  # noqa: BLE001 - returned, as above
            return cause


def bounds_of(byte_range: ByteRange | None, size: int | None) -> tuple[int | None, int | None]:
    """From where and to where; not beyond a size that is known: some make room for all that was asked."""
    if byte_range is None:
        return None, None
    if isinstance(byte_range, Suffix):
        return -byte_range.length if size is None else max(size - byte_range.length, 0), None
    start, length = byte_range
    end = None if length is None else start + length
    return start, end if size is None or end is None else max(start, min(end, size))
