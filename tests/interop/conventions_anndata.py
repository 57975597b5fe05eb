"""AnnData stores that anndata wrote: sound ones have no findings, and of damaged ones zom and anndata agree.

    python tests/interop/conventions_anndata.py [HOW MANY]

In an environment with zom, zarr-python 3 and anndata; awkward is optional. anndata writes stores of Zarr v2
and v3, which zom must find nothing in. Then their documents are damaged, one thing at a time: so many of these
stores, chosen with a fixed seed, are read by anndata and validated by zom. Where anndata fails, zom must find an
error; where zom finds one, anndata must fail. conventions_anndata.json says, for each kind of disagreement,
why it is as it is; one that isn't there fails. Last, what `zom.conventions.anndata.skeleton` builds is filled, and opened by anndata.
"""

# ruff: noqa: T201, BLE001 - it tells what it does, and goes on
from __future__ import annotations

import importlib.util
import json
import random
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import share
from outcomes import check, counts, skip

import zom

if TYPE_CHECKING:
    from anndata_stores import Damage

REASONS = Path(__file__).with_suffix(".json")
SEED = 20261121
DAMAGED = ("everything", "raw")
SETTINGS: dict[str, dict[str, Any]] = {
    "v3": {"zarr_write_format": 3},
    "v2": {"zarr_write_format": 2},
    "v3, plain strings": {"zarr_write_format": 3, "allow_write_nullable_strings": False},
    "v2, nullable strings": {"zarr_write_format": 2, "allow_write_nullable_strings": True},
}


def expect_sound(folder: Path) -> None:
    for conventions in (["anndata"], "auto"):
        report = zom.validate(folder, conventions=conventions)
        if len(report) or not report.checked:
            raise AssertionError(f"{conventions}: " + "\n".join(f"{each.code} {each}" for each in report))


def files_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


# --- the two verdicts --------------------------------------------------------------------------------------


def anndata_says(files: dict[str, bytes]) -> str:
    """How reading ends: "reads", or the name of what is raised first."""
    import anndata
    import zarr
    from zarr.core.buffer import default_buffer_prototype

    make = default_buffer_prototype().buffer.from_bytes
    store = zarr.storage.MemoryStore({key: make(text) for key, text in files.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            anndata.io.read_zarr(store)
        except Exception as error:
            return type(error).__name__
    return "reads"


def zom_says(files: dict[str, bytes]) -> frozenset[str]:
    """The rules of which zom finds errors."""
    from zom.stores.memory import MemoryStore

    report = zom.validate(MemoryStore(dict(files)), conventions=["anndata"])
    return frozenset(each.code for each in (*report, *report.resting) if each.severity == "error")


def compare(chosen: list[Damage]) -> None:
    reasons = json.loads(REASONS.read_text(encoding="utf-8"))
    more: dict[str, str] = reasons["zom finds more"]
    less: list[dict[str, str]] = reasons["zom finds less"]
    verdicts: Counter[str] = Counter()
    unlisted: dict[str, str] = {}
    for damage in chosen:
        theirs, ours = anndata_says(damage.files), zom_says(damage.files)
        rules = ", ".join(sorted(ours))
        if (theirs == "reads") is not bool(ours):
            verdicts["refused by both" if ours else "accepted by both"] += 1
        elif (ours and rules in more) or (
            not ours and any(_is_listed(each, theirs, damage) for each in less)
        ):
            verdicts["disagreed about, as listed"] += 1
        else:
            unlisted.setdefault(f"anndata: {theirs}; zom: {rules or 'nothing'}", str(damage))
    print("       " + ", ".join(f"{count} {what}" for what, count in sorted(verdicts.items())))
    if unlisted:
        raise AssertionError("\n".join(f"{line}; as {where}" for line, where in unlisted.items()))


def _is_listed(entry: dict[str, str], theirs: str, damage: Damage) -> bool:
    return theirs == entry["anndata"] and entry["damage"] in f"{damage}"


# --- what zom builds ---------------------------------------------------------------------------------------


def expect_skeleton_opens(folder: Path, zarr_format: int) -> None:
    import anndata
    import numpy as np

    from zom.conventions.anndata import categorical, csc, csr, nullable, skeleton

    spec = skeleton(
        4,
        3,
        X=csr("float32", stored=2),
        layers={"counts": "int32", "by columns": csc("int16")},
        obs={"n": "int64", "name": "string", "kind": categorical(2), "maybe": nullable("int32")},
        obsm={"pca": (2, "float32")},
        varm={"loadings": 2},
        obsp={"near": csr("float64")},
        varp={"near": "float64"},
        zarr_format=zarr_format,
    )
    if len(zom.validate(spec, conventions=["anndata"])):
        raise AssertionError(str(list(zom.validate(spec, conventions=["anndata"]))))
    root = zom.materialize(spec, folder)
    root["obs/_index"][...] = np.array(["a", "b", "c", "d"], dtype=object)
    root["var/_index"][...] = np.array(["x", "y", "z"], dtype=object)
    root["obs/kind/categories"][...] = np.array(["one", "two"], dtype=object)
    root["X/data"][...] = [1, 2]
    root["X/indices"][...] = [0, 2]
    root["X/indptr"][...] = [0, 1, 1, 2, 2]
    expect_sound(folder)
    made = anndata.io.read_zarr(folder)
    assert made.shape == (4, 3), made.shape
    assert list(made.obs_names) == ["a", "b", "c", "d"]
    assert list(made.obs) == ["n", "name", "kind", "maybe"]
    assert made.obs["kind"].tolist() == ["one"] * 4
    assert made.X.toarray().tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 2], [0, 0, 0]]
    assert made.layers["by columns"].shape == (4, 3)
    assert made.obsm["pca"].shape == (4, 2)
    assert made.varm["loadings"].shape == (3, 2)


def main() -> int:
    if not importlib.util.find_spec("anndata"):
        skip("conventions_anndata", "anndata is not installed")
        return 0
    from anndata_stores import SOURCES, damages, written

    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    every: list[Damage] = []
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base = Path(name)
        for told, settings in SETTINGS.items():
            for source in SOURCES:
                if not share.is_chosen(f"{source} {told}"):
                    continue
                folder = base / f"{source} {told}"
                try:
                    written(source, folder, **settings)
                except Exception as error:
                    skip(f"{source}, {told}", f"can't be written: {type(error).__name__}: {str(error)[:200]}")
                    continue
                check(f"{source}, {told}: sound", lambda: expect_sound(folder))  # noqa: B023 - called at once
                if source in DAMAGED:
                    every.extend(damages(files_of(folder)))
        chosen = random.Random(SEED).sample(every, min(len(every), wanted // share.SHARES))
        check("damaged stores", lambda: compare(chosen))
        for zarr_format in (2, 3):
            folder = base / f"skeleton{zarr_format}"
            check(f"a skeleton of v{zarr_format}", lambda: expect_skeleton_opens(folder, zarr_format))  # noqa: B023 - as above
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
