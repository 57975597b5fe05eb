"""The rows of the pages on migrating, and what runs them: code of another library, and the same with zom.

tests/migrating runs the column of zom; tests/interop/migrating.py runs both columns, beside each other.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import TypedDict

import zom
from zom import v2, v3
from zom.stores.memory import MemoryStore
from zom.stores.wrap import PrefixStore

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("from-pydantic-zarr.md", "from-zarr-python.md")
_CODE = re.compile(r"`([^`]+)`")
VALUES = np.arange(12, dtype="int16").reshape(3, 4)


@dataclass(frozen=True)
class Row:
    """A row of a table: what is run on each side; `ours` is empty where zom has nothing."""

    page: str
    line: int
    theirs: str
    ours: str
    note: str

    @property
    def differs(self) -> bool:
        """Whether the page says that both sides give something else."""
        return self.note.startswith("≠")

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def rows(page: str) -> list[Row]:
    """The rows of all tables of a page."""
    found: list[Row] = []
    for number, line in enumerate((DOCS / page).read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not line.startswith("| `"):
            continue
        code = [_CODE.search(cell) for cell in cells[:2]]
        if code[0] is None or len(cells) < 2:
            raise ValueError(f"{page}:{number}: expected code in the first cell")
        ours = code[1][1] if code[1] is not None else ""
        if not ours and not cells[1].startswith("none"):
            raise ValueError(f"{page}:{number}: expected code or none in the second cell, found {cells[1]!r}")
        found.append(Row(page, number, code[0][1], ours, cells[2].strip(" |") if len(cells) > 2 else ""))
    return found


def run(code: str, names: dict[str, Any]) -> Any:
    """The value of the last expression of `code`, the class that it makes, or None where it ends in a statement."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<row>", "exec", dont_inherit=True), names)
        return names[last.name] if isinstance(last, ast.ClassDef) else None
    exec(compile(ast.Module(tree.body[:-1], []), "<row>", "exec", dont_inherit=True), names)
    return eval(compile(ast.Expression(last.value), "<row>", "eval", dont_inherit=True), names)


class Attrs(TypedDict):
    """Attributes of a group."""

    title: str


class Members(TypedDict):
    """Members of a group."""

    a: v3.ArraySpec


DOCUMENT: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": (3, 4),
    "data_type": "int16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": (2, 2)}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": ({"name": "bytes", "configuration": {"endian": "little"}},),
    "attributes": {},
}


def hierarchy() -> Any:
    """A store with what the rows on zarr-python have: /a, /g and /g/b."""
    array = v3.ArraySpec.parse(json.dumps(DOCUMENT))
    spec = v3.GroupSpec(
        attributes={"title": "t"},
        members={
            "a": array,
            "g": v3.GroupSpec(attributes={}, members={"b": array.replace(shape=(2, 2), data_type="int8", codecs=[{"name": "bytes"}])}),
        },
    )  # fmt: skip
    store = MemoryStore()
    zom.materialize(spec, store, data={"/a": VALUES})
    return store


def names(page: str, folder: Path) -> dict[str, Any]:
    """What the column of zom may use."""
    common: dict[str, Any] = {"zom": zom, "v2": v2, "v3": v3, "np": np, "json": json, "values": VALUES.copy()}
    text = json.dumps(DOCUMENT)
    array_spec = v3.ArraySpec.parse(text)
    spec = v3.GroupSpec(attributes={"title": "t"}, members={"a": array_spec})
    common |= {
        "document": dict(DOCUMENT),
        "text": text,
        "folder": folder,
        "array_spec": array_spec,
        "spec": spec,
    }
    if page == "from-pydantic-zarr.md":
        held = MemoryStore()
        zom.materialize(spec, held, data={"/a": VALUES})
        return common | {
            "other": array_spec.replace(attributes={"other": 1}),
            "flat": {"": v3.GroupSpec(attributes={"title": "t"}), "/a": array_spec},
            "store": MemoryStore(),
            # Stands for zarr-python's objects where that isn't installed: the interop check has these.
            "array": PrefixStore(held, "a/"),
            "group": held,
            "Attrs": Attrs,
            "Members": Members,
        }
    store = hierarchy()
    group = zom.open_group(store, mode="r+")
    return common | {"store": store, "group": group, "array": group["a"], "empty": MemoryStore()}
