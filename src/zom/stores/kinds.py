"""Store kinds of other packages, and the URLs and files that they open.

A package declares a kind as an entry point of "zom.stores". zom imports it for a URL with a scheme that it
doesn't know, or a file with a suffix that is neither zom's nor `.zarr`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from zom.errors import ExtensionError, StoreError, ZomError
from zom.plugins import PluginGroup
from zom.problems import cause_text
from zom.stores.credentials import shown_url
from zom.stores.interface import Store
from zom.stores.signatures import HDF5_NAMES
from zom.stores.wrap import ReadOnlyStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["StoreKind", "StoreKinds", "store_kinds"]

_SCHEMES: Final = frozenset({"file", "memory", "http", "https", "s3", "gs", "az", "reference", "icechunk"})
"""The URL schemes that zom opens itself."""

_SUFFIXES: Final = frozenset(
    {"", ".zarr", ".zip", ".sqlite", ".sqlite3", ".db", ".parq", ".parquet", *HDF5_NAMES}
    | {".json", ".yaml", ".yml", ".toml"}
)
"""The suffixes that zom opens itself: of directories, files and documents."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+")
_SUFFIX = re.compile(r"\.[a-z0-9_+-]+")


class StoreKind(ABC):
    """Opens stores by URL scheme or file suffix; subclass and register it.

    >>> from zom.stores.memory import MemoryStore
    >>> class Scratch(StoreKind):
    ...     name = "scratch"
    ...     schemes = ("scratch",)
    ...     def open(self, place, *, read_only=None, **options):
    ...         return MemoryStore(name=place)
    >>> Scratch().open("scratch://a")
    <MemoryStore memory://scratch://a>
    """

    name: ClassVar[str]
    """The name of the kind in messages."""
    schemes: ClassVar[tuple[str, ...]] = ()
    """The URL schemes that it opens, in lower case: "acme" for `acme://...`."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """The path suffixes that it opens, in lower case: ".acme" for `data.acme`."""

    @abstractmethod
    def open(self, place: str, *, read_only: bool | None = None, **options: Any) -> Store:
        """Open the store at the URL or path `place`; create nothing there before the first write.

        With `read_only=None`, the store is writable if possible. `options` are those of `zom.store`.
        """

    def __repr__(self) -> str:
        return f"<store kind {self.name}>"


class StoreKinds:
    """The store kinds of other packages.

    >>> store_kinds.of_scheme("no-such-scheme")
    """

    def __init__(self, group: str = "zom.stores") -> None:
        self.plugins = PluginGroup(group, self._adopt)
        self._schemes: dict[str, StoreKind] = {}
        self._suffixes: dict[str, StoreKind] = {}
        self._all: list[StoreKind] = []

    def register(self, kind: StoreKind) -> StoreKind:
        """Register `kind` and return it; ExtensionError if it is not a valid kind or a name is taken."""
        wrong = list(self._faults(kind))
        if wrong:
            raise ExtensionError(f"{kind!r} can't be registered as a store kind: {'; '.join(wrong)}")
        self._all.append(kind)
        self._schemes.update(dict.fromkeys(kind.schemes, kind))
        self._suffixes.update(dict.fromkeys(kind.suffixes, kind))
        return kind

    def _adopt(self, kind: StoreKind) -> None:
        if not any(kind is each for each in self._all):
            self.register(kind)

    def _faults(self, kind: Any) -> Iterator[str]:
        if isinstance(kind, type) and issubclass(kind, StoreKind):
            yield f"expected an instance, found the class: write {kind.__name__}()"
        elif not isinstance(kind, StoreKind):
            yield f"expected an instance of StoreKind, found {kind!r}"
            return
        name: object = getattr(kind, "name", None)
        if not isinstance(name, str) or not name:
            yield f"name: expected a string, found {'nothing' if name is None else repr(name)}"
        if not kind.schemes and not kind.suffixes:
            yield "schemes: expected a scheme here, or a suffix in suffixes, found neither"
        yield from _wrong_names("schemes", kind.schemes, _SCHEME, "'acme'")
        yield from _wrong_names("suffixes", kind.suffixes, _SUFFIX, "'.acme'")
        yield from _taken("schemes", kind.schemes, _SCHEMES, self._schemes)
        yield from _taken("suffixes", kind.suffixes, _SUFFIXES, self._suffixes)

    def of_scheme(self, scheme: str) -> StoreKind | None:
        """Return the kind that opens URLs of a scheme that zom itself doesn't support, or None."""
        found = self._schemes.get(scheme.lower())
        if found is None and self.plugins.ensure():
            found = self._schemes.get(scheme.lower())
        return found

    def of_path(self, path: str) -> StoreKind | None:
        """Return the kind that opens this path; None if unknown, or if zom opens it itself.

        >>> store_kinds.of_path("data.zarr")
        """
        suffix = PurePath(path).suffix.lower()
        if suffix in _SUFFIXES:
            return None
        self.plugins.ensure()
        return self._suffixes.get(suffix)

    def schemes(self) -> list[str]:
        """List the schemes of other packages."""
        self.plugins.ensure()
        return list(self._schemes)

    def open(self, kind: StoreKind, place: str, *, read_only: bool | None, options: dict[str, Any]) -> Store:
        """Open a store with `kind`; any failure raises a ZomError."""
        shown = shown_url(place)
        try:
            made = kind.open(place, read_only=read_only, **options)
        except ZomError:
            raise
        except Exception as cause:
            reason = f"{kind.name}: {cause_text(cause)}"
            raise StoreError(shown, "", "open", reason) from cause
        if not isinstance(made, Store):  # pyright: ignore[reportUnnecessaryIsInstance] - a plugin may not be checked
            reason = (
                f"{kind.name}: expected a subclass of zom.stores.interface.Store, found {type(made).__name__}"
            )
            raise StoreError(shown, "", "open", reason)
        return ReadOnlyStore(made) if read_only and made.capabilities.writable else made


def _wrong_names(member: str, names: object, pattern: re.Pattern[str], example: str) -> Iterator[str]:
    given: Any = names
    if not isinstance(names, tuple) or not all(
        isinstance(each, str) and pattern.fullmatch(each) for each in given
    ):
        yield f"{member}: expected a tuple of texts such as {example}, found {names!r}"


def _taken(member: str, names: Any, own: frozenset[str], others: Mapping[str, StoreKind]) -> Iterator[str]:
    given = cast("tuple[Any, ...]", names if isinstance(names, tuple) else ())
    for each in given:
        if each in own:
            yield f"{member}: {each!r} is reserved for zom itself"
        elif each in others:
            yield f"{member}: {each!r} is taken by {others[each]!r}"


store_kinds = StoreKinds()
"""The store kinds of other packages."""
