"""Files of HDF5 in memory, and what zom makes of them."""

from __future__ import annotations

from itertools import count

import pytest

_NUMBERS = count()


@pytest.fixture
def file():
    """A new file in memory."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install 'zom[hdf5]')")
    with h5py.File(f"{next(_NUMBERS)}.h5", "w", driver="core", backing_store=False) as made:
        yield made
