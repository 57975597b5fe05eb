"""Packages that zom can do without until one of their stores is opened."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from zom.errors import ExtensionError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["imported", "is_panic", "lacks_bucket"]


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


def lacks_bucket(cause: BaseException | None) -> bool:
    """Whether not one object is missing but all of them: services answer 404 to both.

    >>> lacks_bucket(FileNotFoundError("404 <Code>NoSuchBucket</Code>")), lacks_bucket(FileNotFoundError("a"))
    (True, False)
    """
    while cause is not None:
        if re.search(r"NoSuchBucket|ContainerNotFound|bucket does not exist", str(cause)):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
