"""Optional packages, imported only when something needs them."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Final

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_package", "imported", "version_of"]

_LEAST: Final = {"obstore": (0, 8), "zarr": (3, 1, 3)}
"""The oldest versions that zom uses. Earlier ones of obstore list the key "ü" as "%C3%BC"; stores of earlier ones
of zarr-python have other abstract methods."""


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


def version_of(package: ModuleType) -> tuple[int, ...]:
    """The numbers of the package's version; empty if it states none.

    >>> import types
    >>> package = types.ModuleType("package"); package.__version__ = "2025.9.1rc2"
    >>> version_of(package), version_of(types)
    ((2025, 9, 1), ())
    """
    found = re.match(r"\d+(?:\.\d+)*", str(getattr(package, "__version__", "")), re.ASCII)
    return () if found is None else tuple(map(int, found[0].split(".")))


def imported(module: str, extra: str) -> ModuleType:
    """Import the module, or raise an error that says what to install.

    >>> imported("no_such_module", "cloud")
    Traceback (most recent call last):
    zom.errors.ExtensionError: no_such_module is not installed; pip install 'zom[cloud]'
    """
    package = module.partition(".")[0]
    try:
        made = import_package(module)
    except ImportError as cause:
        raise ExtensionError(f"{package} is not installed; pip install 'zom[{extra}]'") from cause
    least, found = _LEAST.get(package, ()), version_of(sys.modules[package])
    if () < found < least:
        wanted, shown = ".".join(map(str, least)), ".".join(map(str, found))
        raise ExtensionError(
            f"expected {package} {wanted} or newer, found {shown}; pip install 'zom[{extra}]'"
        )
    return made
