"""proj: the coordinate reference system of a group's arrays, or of one array.

https://github.com/zarr-conventions/proj/blob/v0.1/README.md. A group's declaration applies to its direct
child arrays only. The draft called v1 wanted one representation and codes of capitals and digits. Its
schema's rules apply where its URL is declared; its text's rules are those of v0.1.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from zom.checks.check import Skip
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.declarations import Published, declarations
from zom.conventions.framework.near_keys import spelled
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import read_rulebook
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.checks.check import Breach, Site

__all__ = ["PROJ", "PUBLISHED"]

TEXT: Final = "https://github.com/zarr-conventions/proj/blob/v0.1/README.md"
DRAFT: Final = (
    "https://github.com/zarr-conventions/proj/blob/d150edbde61b53e9d17520f6d107c9d3689e5910/README.md"
)
PUBLISHED: Final = Published(
    uuid="f17cb550-5864-4468-aeb7-f3180cfb622f",
    schema_url="https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v0.1/schema.json",
    spec_url=TEXT,
    description="Coordinate reference system information for geospatial data",
    name="proj",
)
_DRAFTS: Final = (
    *(
        f"https://raw.githubusercontent.com/{home}/refs/tags/v1/schema.json"
        for home in ("zarr-conventions/proj", "zarr-conventions/geo-proj", "zarr-experimental/geo-proj")
    ),
    "https://raw.githubusercontent.com/zarr-conventions/proj/d150edbde61b53e9d17520f6d107c9d3689e5910/schema.json",
)
CODE, WKT2, PROJJSON = "proj:code", "proj:wkt2", "proj:projjson"

# ISO 19162:2019: the first keywords of a coordinate reference system, and their long forms.
_KEYWORDS: Final = [
    "GEOGCRS",
    "GEODCRS",
    "PROJCRS",
    "VERTCRS",
    "ENGCRS",
    "PARAMETRICCRS",
    "TIMECRS",
    "COMPOUNDCRS",
    "BOUNDCRS",
    "DERIVEDPROJCRS",
    "COORDINATEMETADATA",
    "GEOGRAPHICCRS",
    "GEODETICCRS",
    "PROJECTEDCRS",
    "VERTICALCRS",
    "ENGINEERINGCRS",
]
_WKT2: Final = re.compile(rf"\s*({'|'.join(_KEYWORDS)})\s*[\[(]", re.ASCII | re.IGNORECASE)

# The identifier at the end of a WKT2 string is that of the whole.
_ID: Final = re.compile(
    r'ID[\[(]\s*"([^"]+)"\s*,\s*"?([^"\],)]+)"?[^\[\]()]*[\])]\s*[\])]\s*\Z', re.IGNORECASE
)


class Proj(Attributes):
    """The attributes: at least one representation of the coordinate reference system."""

    code: str = Field("", alias="proj:code")
    wkt2: str = Field("", alias="proj:wkt2")
    projjson: dict[str, Any] = Field({}, alias="proj:projjson")


def _is_draft(site: Site) -> bool:
    return any(each.text("schema_url") in _DRAFTS for each in declarations(site.node))


def _draft_code(site: Site) -> Iterable[Breach] | Skip:
    code = site.node.attributes.get(CODE)
    if not isinstance(code, str) or not _is_draft(site):
        return Skip("the draft v1 is not declared, or no code is given")
    fits = re.fullmatch("[A-Z]+:[0-9]+", code, re.ASCII)
    return [] if fits else [site.breach(("attributes", CODE), "a string such as EPSG:4326", show(code))]


def _draft_alone(site: Site) -> Iterable[Breach] | Skip:
    if not _is_draft(site):
        return Skip("the draft v1 is not declared")
    given = [key for key in (CODE, WKT2, PROJJSON) if key in site.node.attributes]
    return [] if len(given) < 2 else [site.breach(("attributes",), "only one of them", " and ".join(given))]


def _begins_as_wkt2(site: Site) -> Iterable[Breach] | Skip:
    text = site.node.attributes.get(WKT2)
    if not isinstance(text, str):
        return Skip("no proj:wkt2")
    if _WKT2.match(text):
        return ()
    expected = "a string that begins with GEOGCRS[, PROJCRS[ or another keyword of WKT2"
    return [site.breach(("attributes", WKT2), expected, show(text, limit=40))]


def _one_system(site: Site) -> Iterable[Breach] | Skip:
    """Compare the system names of the representations, with the one that readers prefer first."""
    attributes = site.node.attributes
    named = [
        (("attributes", WKT2), _wkt2_name(attributes.get(WKT2))),
        (("attributes", CODE), _code_name(attributes.get(CODE))),
        (("attributes", PROJJSON, "id"), _projjson_name(attributes.get(PROJJSON))),
    ]
    known = [(path, name) for path, name in named if name is not None]
    if len(known) < 2:
        return Skip("fewer than two representations name the system")
    first, wanted = known[0]
    return [
        site.breach(path, f"{wanted}, as in {first[1]}", name) for path, name in known[1:] if name != wanted
    ]


def _wkt2_name(value: object) -> str | None:
    found = _ID.search(value) if isinstance(value, str) else None
    return None if found is None else f"{found[1]}:{found[2].strip()}".upper()


def _code_name(value: object) -> str | None:
    return value.upper() if isinstance(value, str) and value.count(":") == 1 else None


def _projjson_name(value: object) -> str | None:
    found = value.get("id") if is_dict(value) else None
    if not is_dict(found) or not isinstance(found.get("authority"), str):
        return None
    code = found.get("code")
    shown = code if isinstance(code, str) else show(code)
    return f"{found['authority']}:{shown}".upper() if isinstance(code, (str, int)) else None


PROJ: Final = register(
    read_rulebook(
        Path(__file__).with_name("proj.toml"),
        attributes=Proj,
        functions=(
            _draft_code,
            _draft_alone,
            _begins_as_wkt2,
            spelled("proj:", (CODE, WKT2, PROJJSON)),
            _one_system,
            PUBLISHED.check(),
        ),
    )
)
