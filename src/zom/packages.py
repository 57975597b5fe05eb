"""Optional packages, imported only when something needs them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_package", "imported"]


def import_package(module: str) -> ModuleType:
    """Import the module; raise ImportError if it is not installed.

    Python imports a folder of that name beside a script or notebook, such as one of data, as an empty one.

    >>> import_package("no_such_module")
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'no_such_module'
    """
    made = importlib.import_module(module)
    if getattr(made, "__file__", None) is None and hasattr(made, "__path__"):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    return made


def imported(module: str, extra: str) -> ModuleType:
    """Import the module, or raise an error that says what to install.

    >>> imported("no_such_module", "cloud")
    Traceback (most recent call last):
    zom.errors.ExtensionError: no_such_module is not installed; pip install 'zom[cloud]'
    """
    try:
        return import_package(module)
    except ImportError as cause:
        package = module.partition(".")[0]
        raise ExtensionError(f"{package} is not installed; pip install 'zom[{extra}]'") from cause
