"""Packages that zom can do without until something that needs them is asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_package", "imported"]


def import_package(module: str) -> ModuleType:
    """The module; an ImportError where it is not installed.

    Python takes a folder of that name beside a script or notebook, such as one with data, for a package without anything.

    >>> import_package("no_such_module")
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'no_such_module'
    """
    made = importlib.import_module(module)
    if getattr(made, "__file__", None) is None and hasattr(made, "__path__"):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    return made


def imported(module: str, extra: str) -> ModuleType:
    """The module, or an error that says what to install.

    >>> imported("no_such_module", "cloud")
    Traceback (most recent call last):
    zom.errors.ExtensionError: no_such_module is not installed; pip install 'zom[cloud]'
    """
    try:
        return import_package(module)
    except ImportError as cause:
        package = module.partition(".")[0]
        raise ExtensionError(f"{package} is not installed; pip install 'zom[{extra}]'") from cause
