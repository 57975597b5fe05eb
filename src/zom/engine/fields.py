"""Fields of structs, paired with those they are cast to: by position, as in numpy, whatever their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from zom.extension.bound import Array

__all__ = ["leaves"]


def leaves(given: Array, dtype: np.dtype[Any], path: str = "") -> Iterator[tuple[Array, np.dtype[Any], str]]:
    """The parts of `given` without fields, each with the type it is cast to and the names that lead there.

    >>> import numpy as np
    >>> given = np.zeros(1, [("a", "i2"), ("b", [("c", "f4")])])
    >>> wanted = np.dtype([("x", "i1"), ("y", [("z", "f8")])])
    >>> [(part.dtype.str, kind.str, name) for part, kind, name in leaves(given, wanted)]
    [('<i2', '|i1', 'x'), ('<f4', '<f8', 'y.z')]
    """
    if dtype.names is None:
        yield given, dtype, path
        return
    for mine, theirs in zip(given.dtype.names or (), dtype.names, strict=False):
        yield from leaves(given[mine], dtype[theirs].base, f"{path}.{theirs}" if path else theirs)
