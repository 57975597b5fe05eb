"""Parts of files: of file systems that pass over which part is asked for, and give the whole file without a word."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

from zom.stores.fsspec.file_systems import is_arrow

__all__ = ["read_part", "takes_parts"]


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


def read_part(filesystem: Any, path: str, start: int | None, end: int | None) -> bytes:
    """The bytes of a file from `start`, from its end where that is below 0, to `end`: by opening it."""
    with filesystem.open(path, "rb") as file:
        if start is not None:
            file.seek(start, 2 if start < 0 else 0)
        return bytes(file.read() if end is None else file.read(max(end - file.tell(), 0)))
