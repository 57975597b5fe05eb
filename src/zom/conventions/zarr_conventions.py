"""zarr_conventions: how a node declares the conventions that it follows, whichever they are.

https://github.com/zarr-conventions/zarr-conventions-spec. A declaration identifies a convention by its
uuid, else by its schema_url, else by its spec_url, and never by its name. What each convention asks of
the nodes that declare it, is the business of its own rules; nothing is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import Field

from zom.checks.check import Skip, python
from zom.checks.checked_rule import CheckedRule, has
from zom.checks.values import any_of, pattern, required
from zom.conventions.framework.attributes import Attributes, Part
from zom.conventions.framework.convention import Convention, conventions, register
from zom.conventions.framework.declarations import FIELDS, KEY, declarations, known
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Breach, Site
    from zom.conventions.framework.declarations import Declaration

__all__ = ["ZARR_CONVENTIONS"]

_TEXT: Final = "https://github.com/zarr-conventions/zarr-conventions-spec/blob/v1/README.md"
_FORM: Final = f"{_TEXT}#convention-registration-via-zarr_conventions"
_IDENTITY: Final = f"{_TEXT}#convention-identity"
_VERSIONS: Final = f"{_TEXT}#versioning"
_URL: Final = r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"]+"


# --- the rules of declarations -----------------------------------------------------------------------------


def _only_known_fields(site: Site) -> Iterator[Breach] | Skip:
    found = declarations(site.node)
    if not found:
        return Skip("nothing is declared")
    return (
        site.breach((*each.path, name), f"one of {', '.join(FIELDS)}", show(name))
        for each in found
        for name in each.entry
        if name not in FIELDS
    )


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
                each.path, "a convention that is not declared yet", f"that of entry {first} again"
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
        owner = next((f"{_quoted(url)}, that of {other.id}" for other in strangers), _quoted(url))
        expected = f"a schema_url of {convention.id}, such as {_quoted(_schema_url(convention))}"
        yield site.breach((*each.path, "schema_url"), expected, owner)


def _quoted(url: object) -> str:
    return show(url, limit=200)  # a URL that is cut short helps nobody


def _schema_url(convention: Convention) -> str:
    return next((alias for alias in convention.aliases if alias.endswith(".json")), "none")


def _alive(site: Site) -> Iterator[Breach] | Skip:
    found = _known(site)
    if not found:
        return Skip("no convention that zom knows is declared")
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


_EACH: Final = f"{KEY}[*]"

ZARR_CONVENTIONS: Final = register(
    Convention(
        id="zarr-conventions",
        title="Declarations of conventions in zarr_conventions",
        link=_TEXT,
        attributes=Declarations,
        rules=(
            CheckedRule(
                "identified",
                any_of([".uuid", ".schema_url", ".spec_url"]),
                must="a declaration has a uuid, a schema_url or a spec_url: a name identifies nothing",
                fix="add the uuid of the convention",
                link=_IDENTITY,
                source="both",
                each=_EACH,
            ),
            CheckedRule(
                "fields",
                python(_only_known_fields),
                must="a declaration has no fields but uuid, schema_url, spec_url, name and description",
                fix="move what the convention says to the attributes, beside zarr_conventions",
                link=_FORM,
                source="both",
            ),
            CheckedRule(
                "uuid",
                pattern("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", at=f"{_EACH}.uuid"),
                must="a uuid has 32 hexadecimal digits, in groups of 8, 4, 4, 4 and 12",
                fix="copy the uuid from the convention's specification",
                link=_FORM,
                source="both",
            ),
            CheckedRule(
                "uuid-lower-case",
                pattern("[^A-Z]*", at=f"{_EACH}.uuid"),
                must="a uuid is written in lower case",
                fix="write it in lower case",
                link=_FORM,
                source="schema",
            ),
            CheckedRule(
                "schema-url",
                pattern(_URL, at=f"{_EACH}.schema_url"),
                must="a schema_url is a URL",
                fix="write the whole URL of the JSON Schema, or leave it out",
                link=_FORM,
                source="both",
            ),
            CheckedRule(
                "spec-url",
                pattern(_URL, at=f"{_EACH}.spec_url"),
                must="a spec_url is a URL",
                fix="write the whole URL of the specification, or leave it out",
                link=_FORM,
                source="both",
            ),
            CheckedRule(
                "with-url",
                any_of([".schema_url", ".spec_url"]),
                should="beside a uuid stands a schema_url or a spec_url, for those who don't know the convention",
                fix="add the schema_url of the version that is followed",
                link=_FORM,
                each=_EACH,
                when=(has(".uuid"),),
            ),
            CheckedRule(
                "name",
                required(f"{_EACH}.name"),
                should="a declaration has a name, for people to read",
                fix="add a name, such as the key or the prefix of the convention's attributes",
                link=_FORM,
                advice=True,
            ),
            CheckedRule(
                "twice",
                python(_once),
                should="a node declares a convention once",
                fix="take one of the two away",
                link=_IDENTITY,
            ),
            CheckedRule(
                "one-version",
                python(_as_above),
                should="a convention has the same schema_url in a node as in the groups above it",
                fix="use one version of the convention in the whole hierarchy",
                link=_VERSIONS,
            ),
            CheckedRule(
                "version",
                python(_of_known_version),
                must="the schema_url beside the uuid of a known convention is one of its own, of a version that is known",
                fix="write the schema_url of the version that the attributes follow, or update zom",
                link=_VERSIONS,
            ),
            CheckedRule(
                "dead-url",
                python(_alive),
                should="the schema_url of a known convention leads somewhere: the tags v1 of multiscales, spatial "
                "and proj were never made",
                fix="write the schema_url of v0.1",
                link=_VERSIONS,
            ),
            CheckedRule(
                "unknown",
                python(_is_known),
                note="a convention that zom doesn't know is not checked",
                fix="install a package that describes it, if there is one",
                link=_IDENTITY,
            ),
        ),
    )
)
