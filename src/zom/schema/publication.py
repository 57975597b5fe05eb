"""The published files as texts by path: every schema, the rules that none expresses, and an index.

`schemas/generate.py` writes them into that folder, and a test compares.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from zom.json.write import write_json
from zom.schema import json_schema, not_expressible, schema_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.schema import Draft, Flavour

__all__ = ["VERSION", "published", "text_of"]

VERSION: Final = 1
"""The major version: a schema that rejects what its predecessor accepted goes into a new folder."""

_DRAFTS: Final[tuple[Draft, ...]] = ("2020-12", "draft-07")
_FLAVOURS: Final[tuple[Flavour, ...]] = ("validation", "codegen")
_FORMATS: Final = ("v2", "v3", "draft")


def text_of(value: Any) -> str:
    r"""Return the canonical JSON text of a published value: indented by two, with a final newline.

    >>> text_of({"a": [1]})
    '{\n  "a": [\n    1\n  ]\n}\n'
    """
    return f"{write_json(value, indent=2)}\n"


def published() -> dict[str, str]:
    """Return the text of each file by its path below the folder.

    >>> "v1/v3/node.validation.2020-12.schema.json" in published()
    True
    """
    made: dict[str, str] = {}
    entries: list[dict[str, Any]] = []
    for name, draft, flavour in _wanted():
        schema = json_schema(name, draft, flavour)
        if flavour == "codegen" and _says_nothing(schema):
            continue
        path = f"v{VERSION}/{name.replace('*', 'any')}.{flavour}.{draft}.schema.json"
        made[path] = text_of(schema)
        facts = {"name": name, "version": VERSION, "draft": draft, "flavour": flavour}
        digest = hashlib.sha256(made[path].encode()).hexdigest()
        entries.append(
            {**facts, "title": schema["title"], "id": schema["$id"], "path": path, "sha256": digest}
        )
    made["index.json"] = text_of({"version": VERSION, "schemas": entries})
    made["not-expressible.json"] = text_of(
        {"version": VERSION, "rules": {form: not_expressible(form) for form in _FORMATS}}
    )
    return made


def _wanted() -> Iterator[tuple[str, Draft, Flavour]]:
    """Yield nodes and conventions in every draft and flavour; the many extensions for validators only."""
    for name in schema_names():
        if name.partition("/")[0] in {*_FORMATS, "convention"}:
            for draft in _DRAFTS:
                for flavour in _FLAVOURS:
                    yield name, draft, flavour
        else:
            yield name, "2020-12", "validation"


def _says_nothing(schema: dict[str, Any]) -> bool:
    """Whether a generator can't use the schema: a convention that has rules and no form."""
    return not {"properties", "anyOf", "oneOf"} & schema.keys()
