"""Modules that libraries import at once and hardly ever use: in the process of the command, they wait for their first use.

`importlib.metadata` and `secrets` are for pydantic's plugins and secret values, of which the command has none; they would
take a tenth of the time that it takes to start.
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
    """Stands for a module until an attribute of it is used."""

    def __init__(self, name: str, functions: tuple[str, ...]) -> None:
        super().__init__(name)
        # `from module import function` asks for it at once, so each has something that stands for it.
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
    """The module itself, which takes the place of what stands for it."""
    name = stand_in.__name__
    with _LOCK:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
        return importlib.import_module(name)


def import_later(name: str, functions: tuple[str, ...] = ()) -> None:
    """Import the module when an attribute of it is first used, or one of these functions is called.

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
