"""Packages that zom can do without until something that needs them is asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["imported"]


def imported(module: str, extra: str) -> ModuleType:
    """The module, or an error that says what to install.

    >>> imported("no_such_module", "cloud")
    Traceback (most recent call last):
    zom.errors.ExtensionError: no_such_module is not installed; pip install 'zom[cloud]'
    """
    try:
        return importlib.import_module(module)
    except ImportError as cause:
        package = module.partition(".")[0]
        raise ExtensionError(f"{package} is not installed; pip install 'zom[{extra}]'") from cause
