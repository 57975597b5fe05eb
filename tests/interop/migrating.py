"""The tables of docs/from-pydantic-zarr.md and docs/from-zarr-python.md: every row runs, on both sides.

    python tests/interop/migrating.py
    python tests/interop/migrating.py --verbose    and says how each row was compared

Both sides of a row begin with the same hierarchy, and must give the same: values, specs, members, or the hierarchy that
they leave behind. Every public name of pydantic-zarr and zarr-python must stand on its page.
Ends with 1 where a row fails or differs without saying so, or where a name is missing.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import GeneratorType, ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "migrating"))

import numpy as np
import pydantic_zarr
import pydantic_zarr.experimental
import pydantic_zarr.v2
import pydantic_zarr.v3
import rows
import zarr
import zarr.codecs
import zarr.storage
from pydantic import BaseModel
from typing_extensions import TypedDict

import zom
from zom.model.spec import Spec

counts: Counter[str] = Counter()

# pydantic-zarr 0.10.0 imports zarr in v3 for type checkers alone: `like` and `from_zarr` raise a NameError.
vars(pydantic_zarr.v3).setdefault("zarr", zarr)


class Members(TypedDict):
    """Members of a group, of pydantic-zarr's specs."""

    a: pydantic_zarr.v3.ArraySpec


def their_names(page: str, folder: Path, ours: dict[str, Any]) -> dict[str, Any]:
    """What the other column may use; on the page about specs, both have objects of zarr-python."""
    common = {"np": np, "json": json, "values": rows.VALUES.copy(), "folder": folder, "zarr": zarr}
    group = zarr.open_group(zarr.storage.MemoryStore(), mode="w", attributes={"title": "t"})
    array = group.create_array(
        "a", shape=(3, 4), chunks=(2, 2), dtype="int16", compressors=None, attributes={}
    )
    array[...] = rows.VALUES
    if page == "from-pydantic-zarr.md":
        ours |= {"group": group, "array": array}
        module = pydantic_zarr.v3
        array_spec = module.ArraySpec(**rows.DOCUMENT)
        return common | vars(module) | {
            "pydantic_zarr": pydantic_zarr,
            "document": dict(rows.DOCUMENT),
            "text": json.dumps(rows.DOCUMENT),
            "array_spec": array_spec,
            "spec": module.GroupSpec(attributes={"title": "t"}, members={"a": array_spec}),
            "other": module.ArraySpec(**{**rows.DOCUMENT, "attributes": {"other": 1}}),
            "flat": {"": module.GroupSpec(attributes={"title": "t"}, members=None), "/a": array_spec},
            "store": zarr.storage.MemoryStore(),
            "array": array,
            "group": group,
            "Attrs": rows.Attrs,
            "Members": Members,
            **{name: getattr(module, name) for name in ("from_zarr", "to_zarr", "from_flat", "to_flat")},
        }  # fmt: skip
    inner = group.create_group("g")
    inner.create_array("b", shape=(2, 2), chunks=(2, 2), dtype="int8", compressors=None)
    return common | {
        "store": group.store,
        "group": group,
        "array": array,
        "empty": zarr.storage.MemoryStore(),
    }


def plain(value: Any, names: dict[str, Any]) -> Any:  # noqa: C901, PLR0911 - a table of kinds
    """A value that both sides can be compared by; None where there is nothing to compare."""
    if isinstance(value, type) and issubclass(value, BaseModel):
        if "Mine" not in value.__name__:
            return None
        return plain(value(attributes={}, members={"a": names["array_spec"]}), names)
    if isinstance(value, (zarr.AsyncArray, ModuleType, type)) or callable(value):
        return None
    if isinstance(value, Spec):
        return document_of(value.to_dict())
    if isinstance(value, BaseModel) and hasattr(value, "zarr_format"):
        return document_of(value.model_dump())
    if isinstance(value, (zarr.Array, zom.Array)):
        return [value.shape, value.dtype.str, np.asarray(value[...]).tolist(), dict(value.attrs)]
    if isinstance(value, (zarr.Group, zom.Group)):
        return [sorted(value.keys()), dict(value.attrs)]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {"/" if key == "" else key: plain(each, names) for key, each in value.items()}
    if isinstance(value, (list, tuple, GeneratorType)):
        return [plain(each, names) for each in value]
    return value if isinstance(value, (bool, int, float, str)) else None


def document_of(document: dict[str, Any]) -> Any:
    """What a spec means, of both libraries: zom writes it anew, without what stands for nothing."""
    if document.get("members", 0) is None:
        document = {key: each for key, each in document.items() if key != "members"}
    document = json.loads(json.dumps({key: each for key, each in document.items() if each is not None}))
    spec = zom.parse(json.dumps(_without_nothing(document)), level="lenient")
    return {path: _told(node) for path, node in spec.walk()}


def _without_nothing(document: Any) -> Any:
    """The document without empty storage transformers, attributes and dimension names that are None."""
    if not isinstance(document, dict):
        return document
    return {
        key: {name: _without_nothing(each) for name, each in value.items()} if key == "members" else value
        for key, value in document.items()
        if not (key in {"storage_transformers", "dimension_names"} and not value) and value is not None
    }


def _told(node: Spec) -> dict[str, Any]:
    told = node.to_dict()
    told.pop("members", None)
    return json.loads(json.dumps({key: each for key, each in told.items() if each not in ({}, None)}))


def left_behind(names: dict[str, Any]) -> Any:
    """The hierarchy after a row of statements: members, values and attributes."""
    group = names["group"]
    found: dict[str, Any] = {"/": dict(group.attrs)}
    for name in sorted(group.keys()):
        found[name] = plain(group[name], names)
    return found


def refuse_difference(row: rows.Row, one: Any, other: Any) -> None:
    if one != other:
        raise AssertionError(f"{row.theirs} gives {one!s:.400}, {row.ours} {other!s:.400}")


def judge(row: rows.Row, folder: Path, *, verbose: bool) -> None:
    ours = rows.names(row.page, folder / "ours")
    theirs = their_names(row.page, folder / "theirs", ours)
    try:
        one = rows.run(row.theirs, theirs)
        one = list(one) if isinstance(one, GeneratorType) else one
        if not row.ours:
            counts["without equivalent"] += 1
            return
        other = rows.run(row.ours, ours)
        found = (None, None) if row.differs else (plain(one, theirs), plain(other, ours))
        how = "values"
        if one is None and not row.differs and row.page == "from-zarr-python.md":
            found, how = (left_behind(theirs), left_behind(ours)), "hierarchies"
        if None in found:
            how, found = "only run", (None, None)
        refuse_difference(row, *found)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is a finding
        counts["failed"] += 1
        print(f"FAILED {row}: {type(error).__name__}: {str(error)[:900]}", flush=True)
        return
    counts[how] += 1
    if verbose:
        print(f"ok     {row}: {how}: {row.ours}", flush=True)


def public_names() -> dict[str, set[str]]:
    """By page, every name that a user of the library may look for."""
    modules = [pydantic_zarr.v2, pydantic_zarr.v3]
    names = {
        name
        for module in modules
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
    inherited = set(dir(BaseModel))
    for module in modules:
        for kind in (module.ArraySpec, module.GroupSpec):
            names |= {name for name in vars(kind) if not name.startswith("_") and name not in inherited}
            names |= set(kind.model_fields)
    zarrs = set(zarr.__all__) | {f"zarr.storage.{name}" for name in zarr.storage.__all__}
    zarrs |= {f"zarr.codecs.{name}" for name in zarr.codecs.__all__}
    for kind in (zarr.Array, zarr.Group):
        zarrs |= {name for name in dir(kind) if not name.startswith("_")}
    return {"from-pydantic-zarr.md": names, "from-zarr-python.md": zarrs}


def main() -> int:
    parser = argparse.ArgumentParser(description="the tables on migrating, row by row")
    parser.add_argument("--verbose", action="store_true", help="say how each row was compared")
    verbose = parser.parse_args().verbose
    warnings.simplefilter("ignore")
    listed = public_names()
    with tempfile.TemporaryDirectory(prefix="zom-migrating-") as name:
        for page in rows.PAGES:
            text = (rows.DOCS / page).read_text(encoding="utf-8")
            code = " ".join(part for line in text.splitlines() for part in line.split("`")[1::2])
            words = set(code.replace(".", " ").translate(str.maketrans("()[],={}*\"':;", " " * 13)).split())
            missing = sorted(each for each in listed[page] if each.rpartition(".")[2] not in words)
            if missing:
                counts["failed"] += 1
                print(f"FAILED {page}: these names are not on the page: {', '.join(missing)}")
            for number, row in enumerate(rows.rows(page)):
                folder = Path(name) / f"{page}-{number}"
                (folder / "ours").mkdir(parents=True)
                (folder / "theirs").mkdir()
                judge(row, folder, verbose=verbose)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
