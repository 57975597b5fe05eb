"""Runs one writer in a process of its own.

    python run.py xarray_stores versions
    python run.py xarray_stores write FOLDER '*'  writes every store of such a name, and what it finds
    python run.py xarray_stores read FOLDER       reads what FOLDER/jobs.json lists

The answer is FOLDER/written.json or FOLDER/read.json; elements lie in files beside it.
"""

# ruff: noqa: T201, BLE001 - whatever a writer may raise is told

from __future__ import annotations

import importlib
import json
import sys
import warnings
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Beside this folder lie the values, and what is worth writing.
sys.path[:0] = [
    str(HERE),
    str(HERE.parent),
    str(HERE.parent / "write_documents"),
    str(HERE.parent / "arrays"),
]

import share  # noqa: E402 - it is there from here on
import values  # noqa: E402 - it is there from here on


def told(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def found(module: Any, place: str, form: str, stem: str, **how: Any) -> dict[str, Any]:
    """The nodes of a store, by path; elements are kept in files."""
    nodes: dict[str, Any] = {}
    # In one order: zarr-python lists members as their documents arrive.
    for number, node in enumerate(sorted(module.nodes(place, form, **how), key=lambda node: node.path)):
        kept = None
        if node.elements is not None:
            kept = f"{stem}-{number}"
            values.save(kept, node.elements)
        nodes[node.path] = {"attributes": node.attributes, "elements": kept}
    return nodes


def write(module: Any, folder: Path, wanted: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number, store in enumerate(module.stores()):
        if not (share.is_chosen(store.name) and fnmatchcase(store.name, wanted)):
            continue
        place = folder / f"{number}{store.suffix}"
        told_of = {"name": store.name, "form": store.form, "place": str(place)}
        try:
            store.write(str(place), store.form)
            told_of["nodes"] = found(module, str(place), store.form, str(folder / f"{number}-truth"))
        except Exception as error:
            told_of["refused"] = told(error)
        made.append(told_of)
    return made


def read(module: Any, folder: Path) -> list[dict[str, Any]]:
    """What the writer finds in other stores, or why it can't; and whether they mean the same to it."""
    made: list[dict[str, Any]] = []
    same = getattr(module, "same", None)
    for number, job in enumerate(json.loads((folder / "jobs.json").read_text(encoding="utf-8"))):
        try:
            how = {"consolidated": True} if job["act"] == "consolidated" else {}
            stem = str(folder / f"read-{number}")
            answer: dict[str, Any] = {"nodes": found(module, job["place"], job["form"], stem, **how)}
            if same is not None:
                answer["differs"] = same(job["original"], job["place"])
        except Exception as error:
            answer = {"error": told(error)}
        made.append(answer)
    return made


def main() -> None:
    warnings.simplefilter("ignore")
    module = importlib.import_module(sys.argv[1])
    if sys.argv[2] == "versions":
        print(module.versions())
        return
    folder = Path(sys.argv[3])
    if sys.argv[2] == "write":
        answer, name = write(module, folder, sys.argv[4]), "written.json"
    else:
        answer, name = read(module, folder), "read.json"
    (folder / name).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
