"""license: the terms for using data. A group's license applies to all descendants without their own.

https://github.com/clbarnes/zarr-convention-license/blob/v1/README.md. The text says that `license` MUST be an
object, but also mentions what an empty list would mean, and one of its examples has a list. Here it is an
object, as in the schema. Other metadata use `license` for a plain string; that is not part of this convention
unless it is declared.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from zom.checks.check import Skip
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.declarations import Published
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
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
    """Whether `text` has the form of an SPDX license expression; its licenses are not looked up in the list.

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
    """Whether names and operators alternate and parentheses are balanced."""
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


def _is_spdx(site: Site) -> Iterable[Breach] | Skip:
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
        return Skip("the members of a group on the path are not known")
    if isinstance(target, Node) and is_dict(target.attributes.get("license")):
        return ()
    found = (
        f"{show(path)}, which has no license"
        if isinstance(target, Node)
        else f"{show(path)}, where no node exists"
    )
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
            return [site.breach(place, "a path to a license", found)] if found else ()
        seen.append(target.path)
        node, path = target, _said(target, "path")
    return ()


LICENSE: Final = register(
    read_rulebook(
        Path(__file__).with_name("license.toml"),
        attributes=License,
        functions=(_one_form, _is_spdx, _leads_to_a_license, _leads_to_an_end, PUBLISHED.check()),
    )
)
