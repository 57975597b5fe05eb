"""System calls that open, read, write and lock files.

Most systems resolve a name relative to the descriptor of a directory, so no name escapes it. Windows has no such calls:
`by_path` replaces them. Use `calls`, which is `os` wherever `os` has them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

__all__ = ["BY_DESCRIPTORS", "calls", "is_gone"]

BY_DESCRIPTORS = os.open in os.supports_dir_fd
"""Whether this system opens a file by the descriptor of its directory."""

if TYPE_CHECKING or BY_DESCRIPTORS:
    import os as calls
else:
    from zom.stores.system import by_path as calls


def is_gone(directory: int) -> bool:
    """Whether the open directory was deleted.

    >>> here = calls.open("/", calls.O_RDONLY | calls.O_DIRECTORY)
    >>> is_gone(here), calls.close(here)
    (False, None)
    """
    try:
        return calls.fstat(directory).st_nlink == 0
    except FileNotFoundError:
        return True
