"""Lazy imports, in the command's process, of modules that libraries import at once and hardly ever use.

pydantic imports `importlib.metadata` and `secrets` for plugins and secret values, which the command doesn't
have; they would take a tenth of its start time.
"""

from __future__ import annotations

import importlib
import sys
from threading import RLock
from types import ModuleType
from typing import Any

__all__ = ["import_later"]

_LOCK = RLock()


class _Later(ModuleType):
    """A stand-in for a module until one of its attributes is used."""

    def __init__(self, name: str, functions: tuple[str, ...]) -> None:
        super().__init__(name)
        # `from module import function` needs each function at once, so each has a stand-in.
        self.__dict__.update({each: _later_function(self, each) for each in functions})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            # The import system asks for these.
            raise AttributeError(name)
        return getattr(_imported(self), name)


def _later_function(module: _Later, name: str) -> Any:
    def call(*given: Any, **named: Any) -> Any:
        return getattr(_imported(module), name)(*given, **named)

    call.__name__ = call.__qualname__ = name
    return call


def _imported(stand_in: _Later) -> ModuleType:
    """The real module, which replaces its stand-in."""
    name = stand_in.__name__
    with _LOCK:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return importlib.import_module(name)


def import_later(name: str, functions: tuple[str, ...] = ()) -> None:
    """Import the module on first use of an attribute, or on the first call of one of these functions.

    >>> import_later("this_module_is_nowhere")
    >>> import this_module_is_nowhere
    >>> this_module_is_nowhere.anything
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'this_module_is_nowhere'
    """
    if name in sys.modules:
        return
    stand_in = _Later(name, functions)
    sys.modules[name] = stand_in
    package, _, last = name.rpartition(".")
    if package:
        setattr(importlib.import_module(package), last, stand_in)
