"""license: on what terms data may be used: those of a group hold for all below it that has none of its own.

https://github.com/clbarnes/zarr-convention-license/blob/v1/README.md. The text says of `license` that it
MUST be an object, and in passing what an empty list would mean; one of its examples has a list. It is an
object here, as its schema has it. Other metadata call a mere text `license`; that is none of this
convention's, unless it is declared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zom.checks.check import Skip, python
from zom.checks.checked_rule import CheckedRule, has
from zom.checks.values import any_of, pattern, required
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.convention import Convention, register
from zom.conventions.framework.declarations import Published, declared_as_published
from zom.formats.node_view import UNKNOWN, Node
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.check import Breach, Site

__all__ = ["LICENSE", "PUBLISHED", "is_spdx_expression"]

TEXT: Final = "https://github.com/clbarnes/zarr-convention-license/blob/v1/README.md"
PUBLISHED: Final = Published(
    uuid="b77365e5-2b0c-4141-b917-c03b7c68e935",
    schema_url="https://raw.githubusercontent.com/clbarnes/zarr-convention-license/refs/tags/v1/schema.json",
    spec_url=TEXT,
    description="License specifier for Zarr data",
)
FORMS: Final = ("spdx", "url", "text", "file", "path")

_TOKEN: Final = re.compile(r"\s*(\(|\)|[A-Za-z0-9.\-:]+\+?)")
_NAME: Final = re.compile(
    r"((DocumentRef-[A-Za-z0-9.\-]+:)?(LicenseRef|AdditionRef)-)?[A-Za-z0-9.\-]+\+?", re.ASCII
)


class License(Attributes, key="license"):
    """The attribute `license`."""

    spdx: str = ""
    url: str = ""
    text: str = ""
    file: str = ""
    path: str = ""


def is_spdx_expression(text: str) -> bool:
    """Whether `text` has the form of an SPDX license expression; whether its licenses are on the list is not asked.

    https://spdx.github.io/spdx-spec/v3.0.1/annexes/spdx-license-expressions

    >>> is_spdx_expression("(MIT OR Apache-2.0) AND CC-BY-4.0"), is_spdx_expression("Apache License 2.0")
    (True, False)
    """
    parts: list[str] = []
    place = 0
    while place < len(text.rstrip()):
        found = _TOKEN.match(text, place)
        if found is None:
            return False
        parts.append(found[1])
        place = found.end()
    return bool(parts) and _is_complete(parts)


def _is_complete(parts: list[str]) -> bool:
    """Whether names and operators take turns, and parentheses close."""
    depth, wants_name, after_with = 0, True, False
    for part in parts:
        if part == "(" and wants_name and not after_with:
            depth += 1
        elif part == ")" and not wants_name and depth:
            depth -= 1
        elif part in {"AND", "OR", "WITH", "and", "or", "with"}:
            if wants_name:
                return False
            wants_name, after_with = True, part.upper() == "WITH"
        elif wants_name and _NAME.fullmatch(part):
            wants_name, after_with = False, False
        else:
            return False
    return depth == 0 and not wants_name


def _spdx(site: Site) -> Iterable[Breach] | Skip:
    text = _said(site.node, "spdx")
    if text is None:
        return Skip("no spdx")
    path = ("attributes", "license", "spdx")
    return (
        []
        if is_spdx_expression(text)
        else [site.breach(path, "an expression such as MIT OR Apache-2.0", show(text))]
    )


def _said(node: Node, form: str) -> str | None:
    found = node.attributes.get("license")
    text = found.get(form) if is_dict(found) else None
    return text if isinstance(text, str) else None


def _one_form(site: Site) -> Iterable[Breach] | Skip:
    found = site.node.attributes.get("license")
    if not is_dict(found):
        return Skip("no license")
    given = [form for form in FORMS if form in found]
    return [] if len(given) < 2 else [site.breach(("attributes", "license"), "one form", " and ".join(given))]


def _leads_to_a_license(site: Site) -> Iterable[Breach] | Skip:
    path = _said(site.node, "path")
    if path is None:
        return Skip("no path")
    target = site.node.at(path.lstrip("/"))
    if target is UNKNOWN:
        return Skip("the members of a group on the way are not known")
    if isinstance(target, Node) and is_dict(target.attributes.get("license")):
        return ()
    found = f"{show(path)}, which has none" if isinstance(target, Node) else f"{show(path)}, where no node is"
    return [site.breach(("attributes", "license", "path"), "the path of a node with a license", found)]


def _leads_to_an_end(site: Site) -> Iterable[Breach] | Skip:
    node, seen = site.node, [site.node.path]
    path = _said(node, "path")
    if path is None:
        return Skip("no path")
    while path is not None:
        target = node.at(path.lstrip("/"))
        if not isinstance(target, Node):
            return ()
        if target.path in seen:
            found = " to ".join([*seen, target.path]) if target is site.node else ""
            place = ("attributes", "license", "path")
            return [site.breach(place, "a way to a license", found)] if found else ()
        seen.append(target.path)
        node, path = target, _said(target, "path")
    return ()


LICENSE: Final = register(
    Convention(
        id="license",
        version="v1",
        title="License of the data",
        link=TEXT,
        uuid=PUBLISHED.uuid,
        aliases=(PUBLISHED.schema_url, TEXT),
        attributes=License,
        signs=tuple((has(f"license.{form}"),) for form in FORMS),
        declared=True,
        rules=(
            CheckedRule(
                "present",
                required("license"),
                must="a node that declares license has the attribute license",
                fix="add license, or take the declaration away",
                link=f"{TEXT}#properties",
                source="both",
            ),
            CheckedRule(
                "one-form",
                any_of([f".{form}" for form in FORMS]),
                must="a license is given as at least one of spdx, url, text, file and path",
                fix='add spdx; data that grants no license says {"spdx": "NONE"}',
                link=f"{TEXT}#license-object",
                source="both",
                each="license",
            ),
            CheckedRule(
                "single",
                python(_one_form),
                should="a license is given in one form only",
                fix="keep spdx, if it is one of them",
                link=f"{TEXT}#license-object",
            ),
            CheckedRule(
                "spdx-given",
                required("license.spdx"),
                should="a license is given by its SPDX identifier, for programs to understand it",
                fix='write spdx, such as {"spdx": "CC-BY-4.0"}',
                link=f"{TEXT}#license-object",
                advice=True,
            ),
            CheckedRule(
                "spdx",
                python(_spdx),
                must="spdx is an SPDX license expression",
                fix="write an identifier from https://spdx.org/licenses, or several with AND, OR and WITH between them",
                link=f"{TEXT}#license-object",
            ),
            CheckedRule(
                "url",
                pattern(r"https://\S+", at="license.url"),
                should="url uses https",
                fix="write the https URL of the license's text",
                link=f"{TEXT}#url-licenseurl",
            ),
            CheckedRule(
                "file",
                pattern(r"[^/](.*[^/])?", at="license.file"),
                must="file is a relative path: it neither starts nor ends with a slash",
                fix='write the path from this node, such as "LICENSE" or "../LICENSE"',
                link=f"{TEXT}#file-licensefile",
            ),
            CheckedRule(
                "path",
                pattern(r"[^/](.*[^/])?", at="license.path"),
                must="path is a relative path: it neither starts nor ends with a slash",
                fix='write the path from this node, such as "../a"',
                link=f"{TEXT}#path-licensepath",
            ),
            CheckedRule(
                "path-exists",
                python(_leads_to_a_license),
                must="path leads to a node that has a license of its own",
                fix="write the path of a group or array that declares license and has it",
                link=f"{TEXT}#path-licensepath",
            ),
            CheckedRule(
                "path-cycle",
                python(_leads_to_an_end),
                must="paths from license to license end at one that is given otherwise",
                fix="give the license itself at one of the nodes",
                link=f"{TEXT}#path-licensepath",
            ),
            *(
                CheckedRule(
                    "rootward",
                    pattern(r"(?!\.\.(/|$))(?!.*/\.\.(/|$)).*", at=f"license.{form}"),
                    note="a path that leads upwards is lost where only a part of the hierarchy is opened",
                    fix="repeat the license at the node",
                    link=f"{TEXT}#file-licensefile",
                )
                for form in ("file", "path")
            ),
            declared_as_published(PUBLISHED, f"{TEXT}#convention-registration"),
        ),
    )
)
