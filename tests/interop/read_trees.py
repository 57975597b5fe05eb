"""Hierarchies that other software wrote, read by zom and compared with what was asked for.

    python tests/interop/read_trees.py

In an environment with zom, zarr-python 3, tensorstore and xarray; what is missing is named on a line that
begins with SKIP. Trees of zarr-python 2, in v2 and in the draft of 2021, are written by the Python that
ZARR2_PYTHON names. Each tree is read on local disk, with each way to treat consolidated metadata, and
compared with what was asked for, with the documents in the store, and with the members that zarr-python
finds. Ends with 1 where anything differed.
"""

# ruff: noqa: T201 - it tells what it does, and goes on
from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcomes import check, counts, skip

import zom
from zom.hierarchy.stored.read import read, read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Facts = dict[str, tuple[str, Any]]
"""What was asked for: by path, the kind of node and, for arrays, the shape."""

NODES: Facts = {
    "/": ("group", None),
    "/a": ("group", None),
    "/a/b": ("group", None),
    "/a/b/x": ("array", (4, 5)),
    "/a/empty": ("group", None),
    "/t": ("array", (3,)),
    "/zero": ("array", ()),
}

WRITE_2 = """
import os, sys, warnings
warnings.simplefilter("ignore")
os.environ["ZARR_V3_EXPERIMENTAL_API"] = "1"
import zarr
folder, version, consolidated = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "yes"
store = zarr.DirectoryStoreV3(folder) if version == 3 else zarr.DirectoryStore(folder)
root = zarr.open_group(store=store, mode="w", zarr_version=version)
root.attrs["title"] = "a"
root.create_group("a").create_group("b").attrs["n"] = 1
root.create_group("a/empty")
root.create_dataset("a/b/x", shape=(4, 5), chunks=(2, 2), dtype="f4")[:] = 1
root.create_dataset("t", shape=(3,), dtype="i8", fill_value=7)
root.create_dataset("zero", shape=(), dtype="u1")[...] = 3
if consolidated:
    zarr.consolidate_metadata(store)
"""


def equal(found: Any, expected: Any) -> None:
    if found != expected:
        raise AssertionError(f"expected {str(expected)[:250]}, found {str(found)[:250]}")


# --- writers --------------------------------------------------------------------------------------------


def by_zarr_python(folder: Path, zarr_format: int, *, consolidated: bool) -> Facts:
    import zarr

    root = zarr.create_group(folder, zarr_format=zarr_format, attributes={"title": "a"})
    root.create_group("a").create_group("b", attributes={"n": 1})
    root.create_group("a/empty")
    root.create_array("a/b/x", shape=(4, 5), chunks=(2, 2), dtype="f4")[...] = 1
    root.create_array("t", shape=(3,), dtype="i8", fill_value=7)
    root.create_array("zero", shape=(), dtype="u1")[...] = 3
    if consolidated:
        zarr.consolidate_metadata(folder)
    return NODES


def by_zarr_python_2(folder: Path, version: int, *, consolidated: bool) -> Facts:
    command = [
        os.environ["ZARR2_PYTHON"],
        "-c",
        WRITE_2,
        str(folder),
        str(version),
        "yes" if consolidated else "no",
    ]
    subprocess.run(command, check=True)
    if version == 3 and consolidated:
        return {**NODES, "/consolidated": ("group", None)}
    return NODES


def by_tensorstore(folder: Path, driver: str) -> Facts:
    import tensorstore as ts

    for path, (kind, shape) in NODES.items():
        if kind == "array":
            place = {"driver": "file", "path": str(folder / path[1:])}
            ts.open(
                {"driver": driver, "kvstore": place}, dtype=ts.float32, shape=shape, create=True
            ).result().write(1).result()
    # tensorstore knows no groups: the parents are written by hand, as its users do.
    for path, (kind, _) in NODES.items():
        if kind == "group":
            name, document = (
                (".zgroup", {"zarr_format": 2})
                if driver == "zarr"
                else ("zarr.json", {"zarr_format": 3, "node_type": "group"})
            )
            (folder / path[1:]).mkdir(parents=True, exist_ok=True)
            (folder / path[1:] / name).write_text(json.dumps(document))
    return NODES


def by_xarray(folder: Path, zarr_format: int, *, consolidated: bool) -> Facts:
    import numpy as np
    import xarray as xr

    first = xr.Dataset({"t2m": (("x", "y"), np.zeros((4, 5), "f4"))}, coords={"x": np.arange(4)})
    second = xr.Dataset({"mask": (("y",), np.ones(5, "i1"))})
    tree = xr.DataTree.from_dict({"/": first, "/child": second})
    tree.to_zarr(folder, zarr_format=zarr_format, consolidated=consolidated)
    return {
        "/": ("group", None),
        "/t2m": ("array", (4, 5)),
        "/x": ("array", (4,)),
        "/child": ("group", None),
        "/child/mask": ("array", (5,)),
    }


# --- what is compared -----------------------------------------------------------------------------------


def facts_of(spec: Any) -> Facts:
    return {path: (node.kind, node.shape if node.kind == "array" else None) for path, node in spec.walk()}


def judge(folder: Path, facts: Facts, *, consolidated: bool, form: str) -> None:
    """Read the tree in every way; each must give what was asked for."""
    problems: list[Any] = []
    tree = read_tree(zom.store(folder, read_only=True))
    equal(facts_of(tree.spec), facts)
    for key, text in tree.documents().items():
        equal((folder / key).read_bytes(), text)
    for path, node in tree.spec.walk():
        for key, document in tree.layout.documents(path, node).items():
            stored = json.loads((folder / key).read_bytes())
            stored.pop("consolidated_metadata", None)
            equal(json.dumps(stored), json.dumps(document))  # as text: the order of members counts
    ways = ["verify", "trust", "ignore", *(["only"] if consolidated and form != "draft" else [])]
    for way in ways:
        found = read(folder, consolidated=way, on_warning=problems.append)  # type: ignore[arg-type]
        # zarr-python writes empty attributes into consolidated metadata where a node of v2 has none.
        equal(facts_of(found), facts)
        if not found.like(tree.spec):
            raise AssertionError(f"{way}: {found.diff(tree.spec)}")
    stale = [problem for problem in problems if problem.code == "store/stale-consolidated"]
    equal(stale, [])
    for path in facts:
        equal(read(folder, path, on_warning=problems.append, consolidated="ignore"), tree.spec.at(path))


def judge_by_zarr_python(folder: Path) -> None:
    """The members that zarr-python 3 finds are those that zom does."""
    import zarr

    group = zarr.open_group(folder, mode="r", use_consolidated=False)
    theirs = {f"/{path}": member for path, member in group.members(max_depth=None)}
    spec = read(folder, consolidated="ignore", on_warning=str)
    mine = {path: node for path, node in spec.walk() if path != "/"}
    equal(set(mine), set(theirs))
    for path, node in mine.items():
        equal(dict(node.attributes), dict(theirs[path].attrs))
        if node.kind == "array":
            equal(node.shape, theirs[path].shape)


Case = tuple[str, str, bool, "Callable[[Path], Facts]"]


def cases() -> Iterator[Case]:
    """What is written: what to call it, its format, whether it is consolidated, and how to write it."""
    for zarr_format, consolidated in itertools.product((2, 3), (False, True)):
        how = "consolidated" if consolidated else "not consolidated"
        form, old = f"v{zarr_format}", "draft" if zarr_format == 3 else "v2"
        for name, given, write in (
            ("zarr-python 3", form, by_zarr_python),
            ("xarray", form, by_xarray),
            ("zarr-python 2", old, by_zarr_python_2),
        ):
            what = f"{name}, {given}, {how}"
            if name == "zarr-python 2" and "ZARR2_PYTHON" not in os.environ:
                skip(what, "ZARR2_PYTHON names no Python that has it")
            else:
                yield what, given, consolidated, partial(_call, write, zarr_format, consolidated)
    for driver, form in (("zarr", "v2"), ("zarr3", "v3")):
        yield f"tensorstore, {form}", form, False, partial(by_tensorstore, driver=driver)


def _call(write: Callable[..., Facts], zarr_format: int, consolidated: bool, folder: Path) -> Facts:
    return write(folder, zarr_format, consolidated=consolidated)


def main() -> int:
    for what, form, consolidated, write in cases():
        with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folder = Path(made) / "tree"
            try:
                facts = write(folder)
            except ImportError as error:
                skip(what, str(error))
                continue
            check(what, lambda: judge(folder, facts, consolidated=consolidated, form=form))  # noqa: B023
            if form != "draft":
                check(f"{what}: members", lambda: judge_by_zarr_python(folder))  # noqa: B023
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
