"""Registries: look up the extension for a name in a document.

An unknown name is not invalid, only unchecked. zom's own extensions are imported on first use: a file has
the name of its extension, or the beginning of it. Plugins of installed packages are imported, all of a
kind at once, for the first name unknown to zom, and when all extensions of a kind are listed.
"""

from __future__ import annotations

import sys
from bisect import insort
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from zom.errors import ExtensionError, UnknownName
from zom.misspelling import distance
from zom.plugins import PluginGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

__all__ = [
    "Named",
    "Registry",
    "caller_of",
    "did_you_mean",
    "how_to_bring",
    "near",
    "revision",
    "unknown_name",
    "unknown_text",
]


class Named(Protocol):
    """An entry of a registry: an object with a name and possibly aliases."""

    @property
    def name(self) -> str:
        """The name in documents."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names that mean the same."""
        ...


class NamedClass(Protocol):
    """An entry whose class has the name and aliases."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]


N = TypeVar("N", bound=Named | NamedClass)
T = TypeVar("T")

_revision = [0]
_registering = Lock()


def revision() -> int:
    """Return the number of registrations so far; a new one invalidates cached results."""
    return _revision[0]


def caller_of(depth: int) -> str:
    """Return the name of the module of the caller `depth` frames up."""
    found: str = sys._getframe(depth).f_globals.get("__name__", "")  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - who registers it
    return found


def near(name: object, known: Collection[str], *, most: int = 1000) -> tuple[str, ...]:
    """Return the names in `known` that are close to `name`, closest first; none if `name` is not a string.

    Return none if there are more than `most` names: for many wrong names, the search would take minutes.

    >>> near("zstdd", ["zstd", "gzip", "blosc"]), near("ZSTD", ["zstd", "gzip", "blosc"])
    (('zstd',), ('zstd',))
    """
    return _near(name, tuple(dict.fromkeys(known))) if isinstance(name, str) and len(known) <= most else ()


@lru_cache(maxsize=256)  # many documents have the same mistake
def _near(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for mistakes

    close = [each for each in known if each.casefold() == name.casefold()]
    close = close or get_close_matches(name, known, n=3, cutoff=0.6)
    return tuple(each for each in close if _is_near(name.casefold(), each.casefold()))


def _is_near(name: str, known: str) -> bool:
    """Whether `name` is a prefix of `known`, perhaps with an extra s, or differs by at most a third.

    `average` shares most letters with `range` but is another word, as is `lat_bnds` compared to `time_bnds`.
    """
    most = max(1, max(len(name), len(known)) // 3)
    return known.startswith((name, name.removesuffix("s") or name)) or distance(name, known, most) <= most


def did_you_mean(close: Collection[str], known: Collection[str] = ()) -> str | None:
    """Return a hint with the close names, or with all known names if none is close and there are at most 40.

    >>> did_you_mean(["zstd"]), did_you_mean([]), did_you_mean([], ["gzip", "blosc"])
    ("did you mean 'zstd'?", None, 'known are blosc, gzip')
    """
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"known are {', '.join(sorted(known))}" if 0 < len(known) <= 40 else None


def unknown_text(message: str, name: object, known: Collection[str], group: PluginGroup | None = None) -> str:
    """Return `message` about an unknown name with suggestions, and with how to install more names."""
    hint = did_you_mean(near(name, known), known)
    if group is not None:
        how = how_to_bring(group)
        hint = how if hint is None else f"{hint} Or {how}" if hint.endswith("?") else f"{hint}; or {how}"
    return f"{message}; {hint}" if hint else message


def unknown_name(message: str, name: object, known: Collection[str]) -> UnknownName:
    """Return the error for a name that is not in `known`, with suggestions."""
    return UnknownName(unknown_text(message, name, known))


def how_to_bring(group: PluginGroup) -> str:
    """Describe how to add names to a registry, and which plugins failed to load.

    >>> how_to_bring(PluginGroup("zom.codecs", print))
    'install the package that provides it: zom loads installed entry points of "zom.codecs"'
    """
    how = f'install the package that provides it: zom loads installed entry points of "{group.group}"'
    return "; ".join([how, *map(str, group.failures)])


def _name(extension: Named | NamedClass) -> str:
    return extension.name


class Registry(Generic[N]):
    """The extensions of one kind, by name; `home` is the package of zom's own.

    `contract` returns what is wrong with an extension of another package when it is registered.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        home: str | None = None,
        contract: Callable[[object], list[str]] | None = None,
    ) -> None:
        self.kind = kind
        self.plugins = PluginGroup(group, self._adopt)
        self.home = home
        self._contract = contract
        self._by_name: dict[str, N] = {}
        self._modules: dict[str, str] = {}
        self._all: list[N] = []
        self._own: list[N] = []
        self._is_loaded = False

    def register(self, extension: N, *, caller: str | None = None) -> N:
        """Register `extension` by its name and aliases and return it; `caller` is the registering module.

        Raise ExtensionError if it violates the contract of its kind, or if a name is taken.
        """
        if caller is None:
            caller = caller_of(2)
        is_own = self.home is not None and caller.startswith(f"{self.home}.")
        if not is_own:
            self._load_home()  # so that plugins can't take names of zom
            wrong = self.faults(extension)
            if wrong:
                raise ExtensionError(
                    f"{extension!r} can't be registered as a {self.kind}: {'; '.join(wrong)}"
                )
        # Import nothing here: a thread that imports may wait for this lock.
        with _registering:
            self._refuse_taken(extension)
            for name in (extension.name, *extension.aliases):
                self._by_name[name] = extension
                self._modules[name] = caller
            insort(self._all, extension, key=_name)
            if is_own:
                insort(self._own, extension, key=_name)
            else:
                _revision[0] += 1
        return extension

    def faults(self, extension: object) -> list[str]:
        """Return all violations of the contract of this kind."""
        return [] if self._contract is None else self._contract(extension)

    def _refuse_taken(self, extension: N) -> None:
        """Raise ExtensionError if one of the names is taken."""
        for name in (extension.name, *extension.aliases):
            if name in self._by_name:
                owner = self._owner(self._by_name[name])
                raise ExtensionError(f"a {self.kind} named {name!r} is registered already: {owner}")

    def _owner(self, extension: N) -> str:
        """Describe the extension and the module that registered it."""
        return f"{extension!r}, by {self._modules[extension.name]}"

    def _adopt(self, extension: N) -> None:
        """Register the object of an entry point, unless its module has done so."""
        name = getattr(extension, "name", None)
        if not isinstance(name, str) or self._by_name.get(name) is not extension:
            # The extension of another package may be an instance of a class of zom.
            home = type(extension).__module__
            self.register(extension, caller="an entry point" if home.partition(".")[0] == "zom" else home)

    def find(self, name: str) -> N | None:
        """Return the extension registered as `name`, including plugins, or None."""
        found = self.known(name)
        if found is None and self.plugins.ensure():
            found = self._by_name.get(name)
        return found

    def known(self, name: str) -> N | None:
        """Return the extension registered as `name` without loading plugins, or None."""
        found = self._by_name.get(name)
        if found is None:
            found = self.in_own_file(name)
        if found is None:
            self._load_home()
            found = self._by_name.get(name)
        return found

    def in_own_file(self, name: str) -> N | None:
        """Return the extension `name` if it is registered or its own file registers it; load no other file.

        >>> from zom.extension.codec import codecs
        >>> codecs.in_own_file("zstd"), codecs.in_own_file("zst")
        (<codec zstd>, None)
        """
        found = self._by_name.get(name)
        if found is None:
            self._load_file(name)
            found = self._by_name.get(name)
        return found

    def first(self, ask: Callable[[N], T | None]) -> T | None:
        """Return the first result of `ask` that is not None, trying zom's own extensions first.

        Load plugins only if no own extension gives a result.
        """
        self._load_home()
        own = tuple(self._own)
        for extension in own:
            found = ask(extension)
            if found is not None:
                return found
        self.plugins.ensure()
        for extension in tuple(self._all):
            found = ask(extension) if extension not in own else None
            if found is not None:
                return found
        return None

    def _load_file(self, name: str) -> None:
        """Import zom's own file with the longest name that `name` begins with, if any: `int` for "int32"."""
        text = name.replace("-", "_")
        files = self._files()
        others: Mapping[str, str] = (
            {} if self.home is None else getattr(import_module(self.home), "OTHERS", {})
        )
        begun = max((each for each in (*files, *others) if text.startswith(each)), key=len, default=None)
        if begun is not None:
            import_module(f"{self.home}.{others.get(begun, begun)}")

    def _load_home(self) -> None:
        if self._is_loaded:
            return
        files = self._files()
        # An import waits for another thread that imports the same module.
        made = [import_module(f"{self.home}.{file}") for file in files]
        # A module that this thread is still importing, further up the stack, is not done.
        self._is_loaded = bool(files) and not any(
            vars(module.__spec__).get("_initializing", False) for module in made
        )

    def _files(self) -> tuple[str, ...]:
        """Import `home` and return the files that it lists in `FILES`, if any."""
        if self.home is None:
            return ()
        home = import_module(self.home)
        return getattr(home, "FILES", ())

    def __getitem__(self, name: str) -> N:
        found = self.find(name)
        if found is None:
            raise self.unknown(f"no {self.kind} named {name!r} is registered", name)
        return found

    def unknown(self, message: str, name: object, known: Collection[str] | None = None) -> UnknownName:
        """Return the error for an unknown name, with suggestions from `known`, by default all names."""
        names = self.names() if known is None else known
        return UnknownName(unknown_text(message, name, names, self.plugins))

    def __iter__(self) -> Iterator[N]:
        """Iterate over the extensions, including plugins, sorted by name, whatever the order of imports."""
        self._load_home()
        self.plugins.ensure()
        return iter(tuple(self._all))

    def own(self) -> tuple[N, ...]:
        """Return zom's own extensions, sorted by name."""
        self._load_home()
        return tuple(self._own)

    def is_own(self, extension: N) -> bool:
        """Whether `extension` is zom's own."""
        return self._modules.get(extension.name, "").startswith(f"{self.home}.")

    def names(self) -> list[str]:
        """Return all names and aliases, including those of plugins, sorted."""
        self._load_home()
        self.plugins.ensure()
        return sorted(self._by_name)
