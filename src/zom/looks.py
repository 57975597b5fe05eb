"""Looks at files: whether something is there, and what; no, where the system refuses to look.

pathlib has the same methods. Before Python 3.14 they raise an error where a directory may not be searched or a name is too
long, of which nobody thinks who only wants to know what a name means. Whoever opens the file is told.
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
    """Whether anything is there; not so of a link that leads nowhere.

    >>> exists("."), exists("x" * 5000)
    (True, False)
    """
    return os.path.exists(path)  # noqa: PTH110 - see above
