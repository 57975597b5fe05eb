"""OME-Zarr by zom and by others: what zom builds opens there, what they write is valid here, and verdicts agree.

    python tests/interop/conventions_ome.py [HOW MANY]

In an environment with zom, zarr-python 3, ome-zarr, ome-zarr-models and yaozarrs; ngff-zarr is optional. Images, labels and
plates that zom builds, of all versions, have no finding, and all readers that know the version open them. Those
that ome-zarr-py, yaozarrs and ngff-zarr write have the findings that conventions_ome.json tells of. Then the
metadata of stores is damaged, one thing at a time: so many of them, chosen with a fixed seed, are judged by zom,
by ome-zarr-models and by yaozarrs. conventions_ome.json says, for each way in which verdicts differ, why
they do; one that isn't there fails.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import share
from ome_stores.built import VERSIONS, built
from ome_stores.damage import damaged, write
from ome_stores.readers import READERS, opened_by_ome_zarr_py
from ome_stores.written import MODULES, WRITERS
from outcomes import check, counts, skip

import zom

KNOWN = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
SEED = 20261121
PLATES = ("plate", "two acquisitions")
DAMAGED = ("channels", "labelled", "plate", "two acquisitions")


# --- what zom builds, and what others write ---------------------------------------------------------------


def expect_opened(folder: Path, spec: Any, version: str, name: str) -> None:
    zom.materialize(spec, folder)
    for subject in (spec, folder):
        report = zom.validate(subject, conventions=[f"ome/{version}"])
        found = [f"{each.code} {each}" for each in report]
        if found or not report.checked:
            raise AssertionError(f"{found or 'nothing was checked'}")
    for reader, (read, versions) in READERS.items():
        said = read(folder, version, is_plate=name in PLATES) if version in versions else None
        if said is not None:
            raise AssertionError(f"{reader}: {said}")
    if name not in KNOWN["not opened by ome-zarr-py"].get(version, {}):
        shapes = opened_by_ome_zarr_py(folder)
        if not shapes:
            raise AssertionError("ome-zarr-py finds no image")


def expect_known(folder: Path, writer: str) -> None:
    WRITERS[writer](folder)
    report = zom.validate(folder, conventions=["ome"])
    if not report.checked:
        raise AssertionError("nothing was checked")
    known = KNOWN["written by others"].get(writer, {})
    every = (*report, *report.resting)
    unknown = sorted({f"{each.code}: {each}" for each in every if each.code not in known})
    stale = sorted(set(known) - {each.code for each in every})
    if unknown or stale:
        raise AssertionError(f"not listed: {unknown[:5]}; listed, and not found: {stale}")


# --- verdicts ---------------------------------------------------------------------------------------------


def zom_says(folder: Path, version: str) -> tuple[str, ...]:
    """The rules of OME-Zarr that are broken."""
    report = zom.validate(folder, conventions=[f"ome/{version}"])
    every = (*report, *report.resting)
    return tuple(sorted({each.code for each in every if each.severity == "error"}))


class Verdicts:
    """How zom and the others judge, and what of it nobody has explained."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.unknown: defaultdict[str, list[str]] = defaultdict(list)
        self.used: set[tuple[str, str, str]] = set()

    def take(self, reader: str, codes: tuple[str, ...], said: str | None, what: str) -> None:
        if bool(codes) == (said is not None):
            self.counts[f"{reader}: {'both find something' if codes else 'both find nothing'}"] += 1
        elif codes:
            self.counts[f"{reader}: zom finds more"] += 1
            known = KNOWN["zom finds more"][reader]
            for code in codes:
                self.used.add(("more", reader, code))
                if code not in known:
                    self.unknown[f"zom finds more than {reader}: {code}"].append(what)
        else:
            self.counts[f"{reader}: zom finds less"] += 1
            text = str(said)
            matching = [each for each in KNOWN["zom finds less"][reader] if re.search(each, text, re.DOTALL)]
            self.used.update(("less", reader, each) for each in matching)
            if not matching:
                brief = " ".join(text.split())[:400]
                self.unknown[f"zom finds less than {reader}: {brief}"].append(what)


def judge_damaged(many: int) -> Verdicts:
    chance = random.Random(SEED)
    verdicts = Verdicts()
    bases = {
        version: {name: spec for name, spec in built(version).items() if name in DAMAGED}
        for version in VERSIONS
    }
    with tempfile.TemporaryDirectory() as place:
        for number in range(many):
            version = VERSIONS[number % len(VERSIONS)]
            name = chance.choice(DAMAGED)
            document, what = damaged(bases[version][name].model_dump(), chance)
            if not share.is_chosen(f"{number} {what}"):
                continue
            folder = Path(place, str(number))
            write(document, folder)
            codes = zom_says(folder, version)
            for reader, (read, versions) in READERS.items():
                if version in versions:
                    said = read(folder, version, is_plate=name in PLATES)
                    verdicts.take(reader, codes, said, f"{version} {name} {what}")
    return verdicts


def expect_explained(many: int) -> None:
    verdicts = judge_damaged(many)
    for what, number in sorted(verdicts.counts.items()):
        print(f"       {number:5} {what}")
    if verdicts.unknown:
        for what, cases in sorted(verdicts.unknown.items()):
            print(f"       {len(cases):5} x {what} (as {cases[0]})")
        raise AssertionError(f"{len(verdicts.unknown)} ways to differ are not listed")


def main(many: int) -> int:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        for version in VERSIONS:
            for name, spec in built(version).items():
                folder = Path(place, f"{version} {name}.zarr")
                check(f"{version}: {name}", lambda: expect_opened(folder, spec, version, name))  # noqa: B023
        for writer in WRITERS:
            folder = Path(place, f"{writer}.zarr")
            if find_spec(MODULES[writer]) is None:
                skip(f"written by {writer}", f"needs {MODULES[writer]}")
            else:
                check(f"written by {writer}", lambda: expect_known(folder, writer))  # noqa: B023
    check(f"{many} damaged stores: every difference is listed", lambda: expect_explained(many))
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
