"""Checks of files: whether a path exists, and what it is; False if the system denies the answer.

pathlib has the same methods. Before Python 3.14, they raise if a directory may not be searched or a name is
too long, which code that only interprets a name doesn't expect. Opening the file reports the error.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["exists", "is_directory", "is_file"]


def is_file(path: str | Path) -> bool:
    """Whether it is a file, or a link to one.

    >>> is_file("x" * 5000)
    False
    """
    return os.path.isfile(path)  # noqa: PTH113 - see above


def is_directory(path: str | Path) -> bool:
    """Whether it is a directory, or a link to one.

    >>> is_directory("."), is_directory("x" * 5000)
    (True, False)
    """
    return os.path.isdir(path)  # noqa: PTH112 - see above


def exists(path: str | Path) -> bool:
    """Whether it exists; False for a broken link.

    >>> exists("."), exists("x" * 5000)
    (True, False)
    """
    return os.path.exists(path)  # noqa: PTH110 - see above
