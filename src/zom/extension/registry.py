"""Registries: who answers for a name that a document uses.

A name that nobody claims is not invalid, only unchecked. Nothing is loaded because a document names
it: plugins come in by an explicit `zom.load_extensions()`. What comes with zom itself is imported with
the first question for it: a file is named after its extension, or what that begins with.
"""

from __future__ import annotations

import difflib
import sys
from bisect import insort
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from zom.errors import ExtensionError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["Named", "Registry", "did_you_mean", "near", "revision", "unknown_name"]


class Named(Protocol):
    """What a registry holds: something that answers for one name, and perhaps for others."""

    @property
    def name(self) -> str:
        """The name that documents use."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that are read as this one."""
        ...


class NamedClass(Protocol):
    """The same, of classes that have the names themselves."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]


N = TypeVar("N", bound=Named | NamedClass)

_revision = [0]
_registering = Lock()


def revision() -> int:
    """How many registrations there have been: remembered verdicts are void after a new one."""
    return _revision[0]


def near(name: object, known: Collection[str], *, most: int = 1000) -> tuple[str, ...]:
    """The names of `known` that are close to `name`, the closest first; none of what is no text.

    Among more than `most` names, none is looked for: where many names are wrong, it would take minutes.

    >>> near("zstdd", ["zstd", "gzip", "blosc"])
    ('zstd',)
    """
    return _near(name, tuple(dict.fromkeys(known))) if isinstance(name, str) and len(known) <= most else ()


@lru_cache(maxsize=256)  # many documents have the same fault
def _near(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(name, known, n=3, cutoff=0.6))


def did_you_mean(close: Collection[str], known: Collection[str] = ()) -> str | None:
    """The hint that names what is close, or every known name where nothing is and few are known.

    >>> did_you_mean(["zstd"]), did_you_mean([]), did_you_mean([], ["gzip", "blosc"])
    ("did you mean 'zstd'?", None, 'known are blosc, gzip')
    """
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"known are {', '.join(sorted(known))}" if 0 < len(known) <= 40 else None


def unknown_name(message: str, name: object, known: Collection[str]) -> UnknownName:
    """The error of a name that nobody has registered, with the hint of what it may have been meant as."""
    hint = did_you_mean(near(name, known), known)
    return UnknownName(f"{message}; {hint}" if hint else message)


def _name(extension: Named | NamedClass) -> str:
    return extension.name


class Registry(Generic[N]):
    """The extensions of one kind, by name; `home` is the package of those that come with zom."""

    def __init__(self, kind: str, group: str, home: str | None = None) -> None:
        self.kind = kind
        self.group = group
        self.home = home
        self._by_name: dict[str, N] = {}
        self._all: list[N] = []
        self._is_loaded = False

    def register(self, extension: N) -> N:
        """`extension`, known by its name and aliases from now on."""
        caller: str = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - who registers it
        is_own = self.home is not None and caller.startswith(f"{self.home}.")
        if not is_own:
            self._load_home()  # a name that zom has itself can't be taken by who comes first
        # Nothing is imported meanwhile: a thread that imports waits for this lock.
        with _registering:
            for name in (extension.name, *extension.aliases):
                if name in self._by_name:
                    message = f"a {self.kind} named {name!r} is registered already: {self._by_name[name]!r}"
                    raise ExtensionError(message)
            for name in (extension.name, *extension.aliases):
                self._by_name[name] = extension
            insort(self._all, extension, key=_name)
            if not is_own:
                _revision[0] += 1
        return extension

    def find(self, name: str) -> N | None:
        """The extension that answers for `name`; None where nobody does."""
        found = self._by_name.get(name)
        if found is None:
            self._load_file(name)
            found = self._by_name.get(name)
        if found is None:
            self._load_home()
            found = self._by_name.get(name)
        return found

    def _load_file(self, name: str) -> None:
        """Import the file of zom's own that is named after `name`, where there is one: `int` for "int32"."""
        file = name.partition(".")[0].replace("-", "_").rstrip("0123456789")
        if file in self._files():
            import_module(f"{self.home}.{file}")

    def _load_home(self) -> None:
        if self._is_loaded:
            return
        files = self._files()
        # Import waits for another thread that is doing it right now.
        made = [import_module(f"{self.home}.{file}") for file in files]
        # One that this thread is still importing, further up, is not done.
        self._is_loaded = bool(files) and not any(
            vars(module.__spec__).get("_initializing", False) for module in made
        )

    def _files(self) -> tuple[str, ...]:
        """The files that `home` names, where it is a package of many; otherwise it is imported, and that is all."""
        if self.home is None:
            return ()
        home = import_module(self.home)
        return getattr(home, "FILES", ())

    def __getitem__(self, name: str) -> N:
        found = self.find(name)
        if found is None:
            raise unknown_name(f"no {self.kind} named {name!r} is registered", name, self.names())
        return found

    def __iter__(self) -> Iterator[N]:
        """The extensions by name: what is made of them doesn't depend on the order of imports."""
        self._load_home()
        return iter(tuple(self._all))

    def names(self) -> list[str]:
        """All names and aliases, sorted."""
        self._load_home()
        return sorted(self._by_name)

    def load_plugins(self) -> list[str]:
        """The names of the plugins that other packages declare for this registry, now registered."""
        from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, seldom used

        loaded: list[str] = []
        for point in entry_points(group=self.group):
            try:
                extension: N = point.load()
            except Exception as cause:
                message = (
                    f"the plugin {point.name!r} of {self.group} ({point.value}) can't be loaded: {cause}"
                )
                raise ExtensionError(message) from cause
            if self._by_name.get(extension.name) is not extension:
                self.register(extension)
            loaded.append(point.name)
        return loaded
