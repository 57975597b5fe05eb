"""The calls of the system that files are read, written and locked by.

Most systems have calls that take the descriptor of a directory, so that no name leads out of it. Windows has none, and there
`by_path` has the same calls, by paths. Who wants a file takes it from `calls`, which is `os` where that does.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

__all__ = ["BY_DESCRIPTORS", "calls", "is_gone"]

BY_DESCRIPTORS = os.open in os.supports_dir_fd
"""Whether this system opens files by the descriptor of a directory, and a name in it."""

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
