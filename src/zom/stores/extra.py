"""Packages that zom can do without until one of their stores is opened."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["imported", "is_panic"]


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


def is_panic(cause: BaseException) -> bool:
    """Whether a package in Rust broke down; other exceptions that are no Exception are the user's.

    >>> is_panic(KeyboardInterrupt())
    False
    """
    return "Panic" in type(cause).__name__
