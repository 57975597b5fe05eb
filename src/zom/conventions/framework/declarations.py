"""Declarations: the entries of a node's `zarr_conventions`, which name the conventions it follows.

https://github.com/zarr-conventions/zarr-conventions-spec. A declaration identifies a convention by its uuid,
otherwise by its schema_url, otherwise by its spec_url, and never by its name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zom.checks.check import Breach, Site, python
from zom.conventions.framework.registered import conventions
from zom.dataclass import dataclass
from zom.extension.registry import revision
from zom.json.python_value import is_dict, is_list
from zom.problems import Path, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.checks.check import Check
    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node

__all__ = ["FIELDS", "KEY", "Declaration", "Published", "declarations", "known"]

KEY: Final = "zarr_conventions"
FIELDS: Final = ("uuid", "schema_url", "spec_url", "name", "description")
"""All fields of a declaration; the first three identify a convention, in this order."""


class Declaration(NamedTuple):
    """An object in `zarr_conventions`, and its index there."""

    place: int
    entry: Mapping[str, Any]

    def text(self, name: str) -> str | None:
        """The string in the field `name`, or None if it is not a string."""
        found = self.entry.get(name)
        return found if isinstance(found, str) else None

    @property
    def identity(self) -> tuple[str, str] | None:
        """The field that identifies the convention and its value, or None."""
        for name in FIELDS[:3]:
            if name in self.entry:
                found = self.text(name)
                return None if found is None else (name, found.lower() if name == "uuid" else found)
        return None

    @property
    def path(self) -> Path:
        """The path of the declaration in the document of its node."""
        return ("attributes", KEY, self.place)


def declarations(node: Node) -> list[Declaration]:
    """The valid declarations of the node.

    >>> from zom.formats.node_view import attributes_node
    >>> declarations(attributes_node({"zarr_conventions": [{"spec_url": "https://a"}, 7]}))
    [Declaration(place=0, entry={'spec_url': 'https://a'})]
    """
    found = node.attributes.get(KEY)
    entries = enumerate(found) if is_list(found) else ()
    return [Declaration(place, entry) for place, entry in entries if is_dict(entry)]


def known(declaration: Declaration) -> Convention | None:
    """The known convention that the declaration identifies, or None.

    >>> found = known(Declaration(0, {"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f"}))
    >>> None if found is None else found.name
    'proj/v0.1'
    """
    identity = declaration.identity
    return None if identity is None else _by_identity(revision()).get(identity[1])


@lru_cache(maxsize=1)
def _by_identity(state: int) -> dict[str, Convention]:
    """The conventions by uuid and by URL; cached for each `state` of the registries."""
    del state
    found: dict[str, Convention] = {}
    for each in conventions:
        for said in (each.uuid, *each.aliases, *each.dead_aliases):
            if said is not None:
                found.setdefault(said, each)
    return found


# --- the published schemas of conventions ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Published:
    """The declaration that a convention's published schema requires."""

    uuid: str
    schema_url: str
    spec_url: str
    description: str
    name: str | None = None
    """The name; None if the schema accepts any name."""
    needs_uuid: bool = False

    @property
    def declaration(self) -> dict[str, str]:
        """The whole declaration, for `zarr_conventions`.

        >>> Published("u", "s", "t", "d", name="n").declaration
        {'uuid': 'u', 'schema_url': 's', 'spec_url': 't', 'name': 'n', 'description': 'd'}
        """
        said = {"uuid": self.uuid, "schema_url": self.schema_url, "spec_url": self.spec_url}
        named = {} if self.name is None else {"name": self.name}
        return {**said, **named, "description": self.description}

    def check(self) -> Check:
        """A check that a node's declaration matches exactly.

        >>> Published("u", "s", "t", "d").check().is_portable
        False
        """

        def declared_as_published(site: Site) -> Iterator[Breach]:
            for each in declarations(site.node):
                if self._is_meant(each):
                    yield from self._breaches(site, each)

        return python(declared_as_published)

    def _is_meant(self, declaration: Declaration) -> bool:
        found = known(declaration)
        return found is not None and found.uuid == self.uuid

    def _breaches(self, site: Site, declaration: Declaration) -> Iterator[Breach]:
        if self.needs_uuid and "uuid" not in declaration.entry:
            yield site.breach((*declaration.path, "uuid"), show(self.uuid), "nothing")
        for name in FIELDS:
            wanted = getattr(self, name)
            if wanted is not None and name in declaration.entry and declaration.entry[name] != wanted:
                yield site.breach(
                    (*declaration.path, name),
                    show(wanted, limit=200),
                    show(declaration.entry[name], limit=200),
                )
