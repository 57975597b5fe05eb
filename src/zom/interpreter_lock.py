"""The interpreter lock (PEP 703): whether only one thread of this process runs Python at a time."""

from __future__ import annotations

import sys

__all__ = ["has_lock"]


def has_lock() -> bool:
    """Whether this process has the lock; False on a free-threaded Python if no extension module enabled it.

    >>> import sysconfig
    >>> has_lock() or bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    True
    """
    return getattr(sys, "_is_gil_enabled", lambda: True)()
