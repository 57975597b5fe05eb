"""The registered conventions: zom's own, and those of packages, each registered once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from zom.conventions.framework.convention import FORMATS, Convention
from zom.errors import ExtensionError
from zom.extension.contract import Contract, Member
from zom.extension.registry import Registry, caller_of

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Conventions", "clash_of", "conventions", "register"]


class Conventions(Registry[Convention]):
    """The registry of conventions; a key has one owner among the conventions of a format."""

    @override
    def _refuse_taken(self, extension: Convention) -> None:
        super()._refuse_taken(extension)
        for other in self._all:
            clash = clash_of(extension, other)
            if clash is not None:
                message = (
                    f"the convention {extension.name!r} owns {clash!r}, which {other.name!r} owns already"
                )
                raise ExtensionError(message)

    @override
    def _files(self) -> tuple[str, ...]:
        from zom.conventions.shipped import FILES  # noqa: PLC0415 - a list beside what it lists

        return () if self.home is None else tuple(FILES)

    def of_files(self, files: Collection[str]) -> tuple[Convention, ...]:
        """The conventions in these files of zom, and all of other packages, by name; imports no other file.

        >>> from zom.conventions import conventions
        >>> "xarray" in {each.id for each in conventions.of_files(["xarray"])}
        True
        """
        for file in files:
            self._load_file(file)
        self.plugins.ensure()
        own = frozenset(self._own)
        return tuple(each for each in self._all if each not in own or each.id.replace("-", "_") in files)

    @override
    def _load_file(self, name: str) -> None:
        super()._load_file(name.partition("/")[0])

    def _called(self, name: str) -> tuple[Convention, ...]:
        """The conventions with that name or id if known; imports no other file."""
        self._load_file(name)
        if any(name in {each.name, each.id} for each in self._all):
            self.plugins.ensure()  # which may bring other versions
        return tuple(each for each in self._all if name in {each.name, each.id})

    def versions_of(self, ids: Collection[str]) -> tuple[Convention, ...]:
        """All versions of the conventions with these ids, by name; unknown ids are ignored.

        >>> from zom.conventions import conventions
        >>> [each.name for each in conventions.versions_of(["xarray", "no-such-convention"])]
        ['xarray']
        """
        for each in ids:
            self._called(each)
        return tuple(each for each in self._all if each.id in ids)

    def of_id(self, name: str) -> tuple[Convention, ...]:
        """The conventions with the name or id `name`, in all versions; raises UnknownName if there are none.

        >>> from zom.conventions import conventions
        >>> [each.name for each in conventions.of_id("xarray")]
        ['xarray']
        """
        found = self._called(name)
        if not found:
            found = tuple(each for each in self if name in {each.name, each.id, each.uuid})
        known = self.find(name) if not found else None
        if not found and known is None:
            # By id and version only: aliases are URLs, which are rarely misspelt.
            names = sorted({text for each in self for text in (each.id, each.name)})
            raise self.unknown(f"no convention named {name!r} is registered", name.casefold(), names)
        return found if known is None else (known,)


def clash_of(left: Convention, right: Convention) -> str | None:
    """A key that both own for nodes of the same format; versions of one convention share theirs.

    >>> clash_of(Convention("a", owns=("k:*",)), Convention("b", owns=("k:1",)))
    'k:1'
    """
    if left.id == right.id or not set(left.formats) & set(right.formats) or not set(left.on) & set(right.on):
        return None
    for key in left.owns:
        for other in right.owns:
            if left.owns_key(other) or right.owns_key(key):
                return other if left.owns_key(other) else key
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_kinds(value: Any) -> bool:
    return bool(value) and {*value} <= {"group", "array"}


def _are_formats(value: Any) -> bool:
    return {*value} <= {*FORMATS}


_CONTRACT = Contract(
    Convention,
    (
        Member("id", "a string", _is_text),
        Member("on", "'group', 'array' or both", _are_kinds),
        Member("formats", "formats among 'v2', 'v3' and 'draft'", _are_formats),
    ),
)

conventions = Conventions("convention", "zom.conventions", "zom.conventions", contract=_CONTRACT.faults)
"""The registered conventions by name."""


def register(convention: Convention) -> Convention:
    """Register `convention`, and return it.

    >>> from zom.conventions import conventions
    >>> "xarray" in conventions.names()
    True
    """
    return conventions.register(convention, caller=caller_of(2))
