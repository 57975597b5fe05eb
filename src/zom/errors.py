"""The exceptions of zom, one class for each thing that a caller could do something about.

    ZomError
    ├── SpecError           a document breaks rules; carries every Problem
    ├── PathError           a node path or a key that is not one
    ├── NotFound            a path that names no node
    ├── UnknownName         a codec, data type, ... that nobody registered
    ├── ExtensionError      a plugin that can't be loaded, or registered twice
    ├── ConversionError     a spec that another format can't express
    └── StoreError          a store that can't do what was asked
        └── ReadOnlyError   a store that may not be changed

None of them derives from ValueError: pydantic would swallow them and print its own text instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.problems import Problem

__all__ = [
    "ConversionError",
    "ExtensionError",
    "NotFound",
    "PathError",
    "ReadOnlyError",
    "SpecError",
    "SpecWarning",
    "StoreError",
    "UnknownName",
    "ZomError",
]


class ZomError(Exception):
    """The root of all errors that zom raises on purpose."""


class _ProblemsError(ZomError):
    """An error that is a list of problems."""

    def __init__(self, problems: Iterable[Problem], subject: str = "document") -> None:
        self.problems = tuple(problems)
        self.subject = subject
        super().__init__(self.problems, subject)

    def __str__(self) -> str:
        errors = [problem for problem in self.problems if problem.severity == "error"]
        shown = errors or list(self.problems)
        if len(shown) == 1:
            return f"{self.subject}: {shown[0]}"
        lines = "\n".join(f"  {problem}" for problem in shown[:50])
        more = f"\n  ... and {len(shown) - 50} more" if len(shown) > 50 else ""
        return f"{self.subject}: {len(shown)} problems\n{lines}{more}"


class SpecError(_ProblemsError):
    """A document that breaks rules: `problems` holds every one of them, each located.

    >>> from zom import v3
    >>> try:
    ...     v3.GroupSpec.parse({"zarr_format": 3, "node_type": "grp"})
    ... except SpecError as error:
    ...     print(error.problems[0].pointer)
    /node_type
    """


class ConversionError(_ProblemsError):
    """A spec that the other format can't express; each problem points at its cause."""


class PathError(ZomError):
    """A node path or a store key that breaks its grammar."""


class NotFound(ZomError):
    """A path that names no node of a hierarchy."""


class UnknownName(ZomError):
    """A codec, data type, chunk grid or chunk key encoding that nobody registered."""


class ExtensionError(ZomError):
    """A plugin that can't be loaded, or a name that is registered twice."""


class StoreError(ZomError):
    """What a store could not do: where, with which key, and why.

    >>> print(StoreError("data.zarr", "a/0", "read", "permission denied"))
    data.zarr: cannot read 'a/0': permission denied
    """

    def __init__(self, store: str, key: str, verb: str, reason: str) -> None:
        self.store = store
        self.key = key
        self.verb = verb
        self.reason = reason
        super().__init__(store, key, verb, reason)

    def __str__(self) -> str:
        what = f" {self.key!r}" if self.key else ""
        return f"{self.store}: cannot {self.verb}{what}: {self.reason}"


class ReadOnlyError(StoreError):
    """A store that may not be changed was asked to change.

    >>> print(ReadOnlyError("data.zip", "a/0", "write"))
    data.zip: cannot write 'a/0': the store is read-only
    """

    def __init__(self, store: str, key: str, verb: str, reason: str = "the store is read-only") -> None:
        super().__init__(store, key, verb, reason)


class SpecWarning(UserWarning):
    """Something in a document that zom read although the specification forbids it."""
