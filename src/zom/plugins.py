"""Plugins: extensions of other packages, from entry points, each imported once and when it may be needed.

`import zom` imports none. The entry points of a group are imported when a name is unknown to zom, or when
everything registered is listed. One that fails raises no error: a `PluginWarning` names it and its package,
and errors about unknown names repeat it.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

from zom.errors import PluginWarning
from zom.problems import cause_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.metadata import EntryPoint

__all__ = ["PluginFailure", "PluginGroup", "entry_points_of", "package_of"]


class PluginFailure(NamedTuple):
    """An entry point that can't be loaded, and why.

    >>> print(PluginFailure("zom.codecs", "rot", "acme.rot:rot", "acme 1.0", "ImportError: no module named 'x'"))
    the plugin 'rot' of acme 1.0 (zom.codecs, acme.rot:rot) can't be loaded: ImportError: no module named 'x'
    """

    group: str
    name: str
    value: str
    package: str
    """The distribution that declares it, and its version."""
    reason: str

    def __str__(self) -> str:
        return (
            f"the plugin {self.name!r} of {self.package} ({self.group}, {self.value}) can't be loaded: "
            f"{self.reason}"
        )


class PluginGroup:
    """The entry points of one group; `register` takes each loaded object, and raises if it is invalid.

    >>> PluginGroup("acme.no_such_group", print).load()
    []
    """

    def __init__(self, group: str, register: Callable[[Any], object]) -> None:
        self.group = group
        self._register = register
        self._failures: dict[tuple[str, ...], PluginFailure] = {}
        self._is_loaded = False
        self._thread = local()

    @property
    def failures(self) -> tuple[PluginFailure, ...]:
        """The entry points that failed."""
        return tuple(self._failures.values())

    def ensure(self) -> bool:
        """Load the entry points, unless they are loaded; return whether this call loaded them."""
        if self._is_loaded:
            return False
        self.load()
        return True

    def load(self) -> list[str]:
        """Load what is installed now, and return the names of the entry points that succeeded."""
        if getattr(self._thread, "loads", False):
            return []  # a plugin asks for names during its import
        self._thread.loads = True
        try:
            # No lock is held: a thread that imports a plugin may wait for one that registers here.
            loaded = [point.name for point in entry_points_of(self.group) if self._load(point)]
        finally:
            self._thread.loads = False
        self._is_loaded = True
        return loaded

    def _load(self, point: EntryPoint) -> bool:
        try:
            self._register(point.load())
        except (Exception, SystemExit) as cause:  # noqa: BLE001 - a plugin may raise anything
            is_told = type(cause).__module__ == "zom.errors"
            text = " ".join(str(cause).split()) if is_told else cause_text(cause)
            failure = PluginFailure(self.group, point.name, point.value, package_of(point), text)
            is_new = self._failures.get(failure[:4]) != failure
            self._failures[failure[:4]] = failure
            if is_new:
                warnings.warn(PluginWarning(str(failure)), stacklevel=2)
            return False
        return True


def package_of(point: EntryPoint) -> str:
    """The distribution that declares an entry point, and its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"


def entry_points_of(group: str) -> list[EntryPoint]:
    """The entry points of `group`, sorted by name."""
    if not _may_declare(group):
        return []
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes 80 ms to import

    # Directories that are on the path twice give their entry points twice.
    return sorted(dict.fromkeys(entry_points(group=group)), key=lambda point: (point.name, point.value))


# Finders that look for metadata only in the directories of sys.path.
_OF_DIRECTORIES = {"PathFinder", "MetadataPathFinder"}


def _may_declare(group: str) -> bool:
    """Whether a package may declare an entry point of `group`; a certain no takes milliseconds.

    Reading the metadata of every installed package properly takes a tenth of a second if there are many.
    """
    for finder in sys.meta_path:
        name = getattr(finder, "__name__", type(finder).__name__)
        if hasattr(finder, "find_distributions") and name not in _OF_DIRECTORIES:
            return True
    return any(_declares(place or os.curdir, f"[{group}]".encode()) for place in sys.path)


def _declares(place: str, header: bytes) -> bool:
    try:
        names = os.listdir(place)  # noqa: PTH208 - a path object for each of hundreds takes longer
    except NotADirectoryError:
        return True  # an archive, which importlib.metadata reads
    except OSError:
        return False
    return any(header in text for text in _entry_points(place, names))


def _entry_points(place: str, names: Iterable[str]) -> Iterable[bytes]:
    for name in names:
        if name.endswith((".dist-info", ".egg-info", ".egg")):
            inner = "EGG-INFO/entry_points.txt" if name.endswith(".egg") else "entry_points.txt"
            try:
                yield Path(place, name, inner).read_bytes()
            except NotADirectoryError:
                continue  # metadata in one file, which has no entry points
            except OSError:
                continue
