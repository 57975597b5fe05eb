"""zarr_conventions: how a node declares the conventions that it follows.

https://github.com/zarr-conventions/zarr-conventions-spec. A declaration identifies a convention by its uuid,
otherwise by its schema_url, otherwise by its spec_url, and never by its name. Each convention has its own
rules for the nodes that declare it. Nothing is fetched.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import Field

from zom.checks.check import Skip
from zom.conventions.framework.attributes import Attributes, Part
from zom.conventions.framework.declarations import FIELDS, declarations, known
from zom.conventions.framework.registered import conventions, register
from zom.conventions.framework.rulebook import read_rulebook
from zom.extension.registry import did_you_mean
from zom.misspelling import misspelt
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach, Site
    from zom.conventions.framework.convention import Convention
    from zom.conventions.framework.declarations import Declaration

__all__ = ["ZARR_CONVENTIONS"]

# --- the rules of declarations -----------------------------------------------------------------------------


_UUID: Final = re.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def _only_known_fields(site: Site) -> Iterator[Breach] | Skip:
    found = declarations(site.node)
    if not found:
        return Skip("nothing is declared")
    return (
        site.breach((*each.path, name), f"one of {', '.join(FIELDS)}", show(name), fix=_meant(each, name))
        for each in found
        for name in each.entry
        if name not in FIELDS
    )


def _meant(declared: Declaration, name: str) -> str | None:
    """The field that a misnamed one means: a value in the form of a uuid means `uuid`, whatever its name."""
    value = declared.entry[name]
    is_uuid = isinstance(value, str) and _UUID.fullmatch(value)
    meant = "uuid" if is_uuid else next((each for each in FIELDS if misspelt(name, each)), None)
    return None if meant is None or meant in declared.entry else did_you_mean([meant])


def _once(site: Site) -> Iterator[Breach] | Skip:
    found = declarations(site.node)
    if not found:
        return Skip("nothing is declared")
    return _again(site, found)


def _again(site: Site, found: list[Declaration]) -> Iterator[Breach]:
    seen: dict[object, int] = {}
    for each in found:
        convention = known(each)
        what: object = each.identity if convention is None else convention.uuid
        if what is None:
            continue
        first = seen.setdefault(what, each.place)
        if first != each.place:
            yield site.breach(
                each.path, "a convention that is not declared yet", f"the convention of entry {first} again"
            )


def _as_above(site: Site) -> Iterator[Breach] | Skip:
    urls = [each for each in declarations(site.node) if each.text("uuid") and each.text("schema_url")]
    if not urls:
        return Skip("no uuid with a schema_url is declared")
    return _unlike_above(site, urls)


def _unlike_above(site: Site, found: list[Declaration]) -> Iterator[Breach]:
    for group in site.node.ancestors():
        above = {each.text("uuid"): each.text("schema_url") for each in declarations(group)}
        for each in list(found):
            url = above.get(each.text("uuid"))
            if url is None:
                continue
            found.remove(each)
            if url != each.text("schema_url"):
                said = _quoted(each.text("schema_url"))
                yield site.breach(
                    (*each.path, "schema_url"), f"{_quoted(url)}, as in {group.path}", said, related=[group]
                )


def _of_known_version(site: Site) -> Iterator[Breach] | Skip:
    if not declarations(site.node):
        return Skip("nothing is declared")
    return _of_strange_version(site, _known(site))


def _all(site: Site) -> list[tuple[Declaration, Convention | None]]:
    return [(each, known(each)) for each in declarations(site.node)]


def _known(site: Site) -> list[tuple[Declaration, Convention]]:
    return [(each, convention) for each, convention in _all(site) if convention is not None]


def _of_strange_version(site: Site, found: list[tuple[Declaration, Convention]]) -> Iterator[Breach]:
    for each, convention in found:
        url = each.text("schema_url")
        if url is None:
            continue
        family = [other for other in conventions if other.uuid == convention.uuid]
        own = [alias for other in family for alias in (*other.aliases, *other.dead_aliases)]
        if url in own:
            continue
        strangers = (other for other in conventions if url in (*other.aliases, *other.dead_aliases))
        owner = next((f"{_quoted(url)}, a URL of {other.id}" for other in strangers), _quoted(url))
        expected = f"a schema_url of {convention.id}, such as {_quoted(_schema_url(convention))}"
        yield site.breach((*each.path, "schema_url"), expected, owner)


def _quoted(url: object) -> str:
    return show(url, limit=200)  # a URL that is cut short is of no use


def _schema_url(convention: Convention) -> str:
    return next((alias for alias in convention.aliases if alias.endswith(".json")), "none")


def _alive(site: Site) -> Iterator[Breach] | Skip:
    found = _known(site)
    if not found:
        return Skip("no known convention is declared")
    return (
        site.breach(
            (*each.path, "schema_url"), _quoted(_schema_url(convention)), _quoted(each.entry["schema_url"])
        )
        for each, convention in found
        if each.text("schema_url") in convention.dead_aliases
    )


def _is_known(site: Site) -> Iterator[Breach] | Skip:
    found = _all(site)
    if not found:
        return Skip("nothing is declared")
    return _strangers(site, found)


def _strangers(site: Site, found: list[tuple[Declaration, Convention | None]]) -> Iterator[Breach]:
    for each, convention in found:
        if convention is not None or each.identity is None:
            continue
        named = next(
            (c for c in conventions if c.uuid is not None and each.text("name") in (c.id, f"{c.id}:")), None
        )
        hint = None if named is None else f"the uuid of {named.id} is {named.uuid}"
        yield site.breach(each.path, "a convention that zom knows", show(each.identity[1]), fix=hint)


class Entry(Part):
    """A declaration: a Convention Metadata Object."""

    uuid: str = ""
    schema_url: str = ""
    spec_url: str = ""
    name: str = ""
    description: str = ""


class Declarations(Attributes):
    """The attribute `zarr_conventions`."""

    zarr_conventions: list[Entry] = Field(default_factory=list[Entry])


ZARR_CONVENTIONS: Final = register(
    read_rulebook(
        Path(__file__).with_name("zarr_conventions.toml"),
        attributes=Declarations,
        functions=(
            _only_known_fields,
            _once,
            _as_above,
            _of_known_version,
            _alive,
            _is_known,
        ),
    )
)
