"""The published schemas as files: read from the package, not generated.

    >>> from zom import schemas
    >>> schemas.read("v3/node")["title"]
    'Zarr v3 node'
    >>> schemas.index()["schemas"][0]["name"]
    'v2/node'

`zom.json_schema` makes the same schemas, and those of your own classes and templates.
"""

from __future__ import annotations

import json  # the published files are zom's own: this module loads no checks
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from zom.errors import NotFound

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["index", "not_expressible", "read", "text"]


@lru_cache(maxsize=1)
def _home() -> Traversable:
    """Return the folder of the files: in the package, or at the top of a source checkout."""
    packaged = files("zom.schemas").joinpath("data")
    if packaged.joinpath("index.json").is_file():
        return packaged
    return Path(__file__).resolve().parents[3] / "schemas"


def text(path: str) -> str:
    """Return the text of the file at `path` below the folder of schemas.

    >>> text("index.json")[:1]
    '{'
    """
    file = _home().joinpath(*path.split("/"))
    if not file.is_file():
        message = f"unknown schema file {path!r}"
        raise NotFound(message)
    return file.read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def index() -> dict[str, Any]:
    """Return the index: for each schema its name, version, draft, flavour, title, id, path and sha256.

    >>> sorted(index()["schemas"][0])
    ['draft', 'flavour', 'id', 'name', 'path', 'sha256', 'title', 'version']
    """
    made: dict[str, Any] = json.loads(text("index.json"))
    return made


def read(
    name: str,
    draft: Literal["2020-12", "draft-07"] = "2020-12",
    flavour: Literal["validation", "codegen"] = "validation",
) -> dict[str, Any]:
    """Return a published schema; raise NotFound if there is no such file.

    >>> read("codec/gzip")["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    for entry in index()["schemas"]:
        if (entry["name"], entry["draft"], entry["flavour"]) == (name, draft, flavour):
            made: dict[str, Any] = json.loads(text(entry["path"]))
            return made
    message = f"no schema {name!r} of {draft} and flavour {flavour!r} is published"
    raise NotFound(message)


def not_expressible() -> dict[str, list[dict[str, str]]]:
    """Return the rules that the schemas of each format can't express: code, text and source.

    >>> sorted(not_expressible())
    ['draft', 'v2', 'v3']
    """
    made: dict[str, list[dict[str, str]]] = json.loads(text("not-expressible.json"))["rules"]
    return made
