"""Stored chunks: their offsets in a dataset, and the filters that they skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["look_at_chunks"]


def look_at_chunks(dataset: Any, look: Callable[[Any], bool]) -> None:
    """Call `look` with h5py's information on each stored chunk of a dataset, until it returns True.

    >>> import h5py
    >>> with h5py.File("a.h5", "w", driver="core", backing_store=False) as file:
    ...     file.create_dataset("x", (5,), "i4", chunks=(2,))[:3] = 1
    ...     look_at_chunks(file["x"], lambda info: print(info.chunk_offset, info.filter_mask))
    (0,) 0
    (2,) 0
    """
    if hasattr(dataset.id, "chunk_iter"):
        # Any return value but None ends the walk.
        dataset.id.chunk_iter(lambda info: look(info) or None)  # pyright: ignore[reportUnknownLambdaType] - h5py has no types
        return
    # HDF5 before 1.12.3 counts from the first chunk each time.
    for index in range(dataset.id.get_num_chunks()):
        if look(dataset.id.get_chunk_info(index)):
            return
