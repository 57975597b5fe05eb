"""Registries: who answers for a name that a document uses.

A name that nobody claims is not invalid, only unchecked. What comes with zom itself is imported with
the first question for it: a file is named after its extension, or what that begins with. Plugins of
installed packages are imported, all of a kind at once, with the first name that zom doesn't know, and where
all extensions of a kind are listed.
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
T = TypeVar("T")

_revision = [0]
_registering = Lock()


def revision() -> int:
    """How many registrations there have been: remembered verdicts are void after a new one."""
    return _revision[0]


def caller_of(depth: int) -> str:
    """The name of the module that called the function `depth` calls above this one."""
    found: str = sys._getframe(depth).f_globals.get("__name__", "")  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - who registers it
    return found


def near(name: object, known: Collection[str], *, most: int = 1000) -> tuple[str, ...]:
    """The names of `known` that are close to `name`, the closest first; none of what is no text.

    Among more than `most` names, none is looked for: where many names are wrong, it would take minutes.

    >>> near("zstdd", ["zstd", "gzip", "blosc"]), near("ZSTD", ["zstd", "gzip", "blosc"])
    (('zstd',), ('zstd',))
    """
    return _near(name, tuple(dict.fromkeys(known))) if isinstance(name, str) and len(known) <= most else ()


@lru_cache(maxsize=256)  # many documents have the same fault
def _near(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    from difflib import get_close_matches  # noqa: PLC0415 - where there is a mistake

    close = [each for each in known if each.casefold() == name.casefold()]
    close = close or get_close_matches(name, known, n=3, cutoff=0.6)
    return tuple(each for each in close if _is_near(name.casefold(), each.casefold()))


def _is_near(name: str, known: str) -> bool:
    """Whether it is short for the known one, maybe with an s too much, or two of three letters at least are the same.

    `average` has most letters of `range`, and is another word; so is `lat_bnds` beside `time_bnds`.
    """
    most = max(1, max(len(name), len(known)) // 3)
    return known.startswith((name, name.removesuffix("s") or name)) or distance(name, known, most) <= most


def did_you_mean(close: Collection[str], known: Collection[str] = ()) -> str | None:
    """The hint that names what is close, or every known name where nothing is and few are known.

    >>> did_you_mean(["zstd"]), did_you_mean([]), did_you_mean([], ["gzip", "blosc"])
    ("did you mean 'zstd'?", None, 'known are blosc, gzip')
    """
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"known are {', '.join(sorted(known))}" if 0 < len(known) <= 40 else None


def unknown_text(message: str, name: object, known: Collection[str], group: PluginGroup | None = None) -> str:
    """`message` of an unknown name, with what the name may have been meant as, and what brings more names."""
    hint = did_you_mean(near(name, known), known)
    if group is not None:
        how = how_to_bring(group)
        hint = how if hint is None else f"{hint} Or {how}" if hint.endswith("?") else f"{hint}; or {how}"
    return f"{message}; {hint}" if hint else message


def unknown_name(message: str, name: object, known: Collection[str]) -> UnknownName:
    """The error of a name that is not among `known`, with what it may have been meant as."""
    return UnknownName(unknown_text(message, name, known))


def how_to_bring(group: PluginGroup) -> str:
    """How names come into a registry, and which plugins did not make it.

    >>> how_to_bring(PluginGroup("zom.codecs", print))
    'install the package that brings it: zom loads installed entry points of "zom.codecs"'
    """
    how = f'install the package that brings it: zom loads installed entry points of "{group.group}"'
    return "; ".join([how, *map(str, group.failures)])


def _name(extension: Named | NamedClass) -> str:
    return extension.name


class Registry(Generic[N]):
    """The extensions of one kind, by name; `home` is the package of those that come with zom.

    `contract` finds what is wrong with an extension of another package: the first argument of `register`.
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
        """`extension`, known by its name and aliases from now on; `caller` is the module that registers it.

        ExtensionError where it is not all that one of its kind must be, or where a name is taken.
        """
        if caller is None:
            caller = caller_of(2)
        is_own = self.home is not None and caller.startswith(f"{self.home}.")
        if not is_own:
            self._load_home()  # a name that zom has itself can't be taken by who comes first
            wrong = self.faults(extension)
            if wrong:
                raise ExtensionError(
                    f"{extension!r} can't be registered as a {self.kind}: {'; '.join(wrong)}"
                )
        # Nothing is imported meanwhile: a thread that imports waits for this lock.
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
        """All that is missing or wrong in what one of this kind must have."""
        return [] if self._contract is None else self._contract(extension)

    def _refuse_taken(self, extension: N) -> None:
        """ExtensionError where another has one of the names."""
        for name in (extension.name, *extension.aliases):
            if name in self._by_name:
                owner = self._owner(self._by_name[name])
                raise ExtensionError(f"a {self.kind} named {name!r} is registered already: {owner}")

    def _owner(self, extension: N) -> str:
        """The extension, and the module that registered it."""
        return f"{extension!r}, by {self._modules[extension.name]}"

    def _adopt(self, extension: N) -> None:
        """Register what an entry point is, unless its module did so."""
        name = getattr(extension, "name", None)
        if not isinstance(name, str) or self._by_name.get(name) is not extension:
            # What a package brings may be of a class of zom's own.
            home = type(extension).__module__
            self.register(extension, caller="an entry point" if home.partition(".")[0] == "zom" else home)

    def find(self, name: str) -> N | None:
        """The extension that answers for `name`, plugins among them; None where nobody does."""
        found = self.known(name)
        if found is None and self.plugins.ensure():
            found = self._by_name.get(name)
        return found

    def known(self, name: str) -> N | None:
        """The extension that answers for `name` among those that are here: no plugin is loaded for it."""
        found = self._by_name.get(name)
        if found is None:
            found = self.in_own_file(name)
        if found is None:
            self._load_home()
            found = self._by_name.get(name)
        return found

    def in_own_file(self, name: str) -> N | None:
        """The extension of that name, where the file that is named after it registers it: no other one is loaded.

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
        """The first answer that is not None: zom's own extensions are asked before those of others.

        Plugins are loaded where nobody else has an answer.
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
        """Import the file of zom's own that `name` is most like the name of, where there is one: `int` for "int32"."""
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
            raise self.unknown(f"no {self.kind} named {name!r} is registered", name)
        return found

    def unknown(self, message: str, name: object, known: Collection[str] | None = None) -> UnknownName:
        """The error of a name that nobody answers for; it suggests names of `known`, by default all."""
        names = self.names() if known is None else known
        return UnknownName(unknown_text(message, name, names, self.plugins))

    def __iter__(self) -> Iterator[N]:
        """The extensions by name, plugins among them: what is made of them doesn't depend on the order of imports."""
        self._load_home()
        self.plugins.ensure()
        return iter(tuple(self._all))

    def own(self) -> tuple[N, ...]:
        """The extensions that come with zom, by name."""
        self._load_home()
        return tuple(self._own)

    def is_own(self, extension: N) -> bool:
        """Whether it came with zom."""
        return self._modules.get(extension.name, "").startswith(f"{self.home}.")

    def names(self) -> list[str]:
        """All names and aliases, sorted."""
        self._load_home()
        self.plugins.ensure()
        return sorted(self._by_name)
