"""Whole hierarchies that other programs wrote: opened, read, checked, copied, consolidated and migrated.

    python tests/interop/stores_by_writer.py                       every writer that is there
    python tests/interop/stores_by_writer.py --update              and writes the verdicts anew
    python tests/interop/stores_by_writer.py --writer xarray --store 'v3 tree*'

In an environment with requirements.txt beside this script, and zom; zarr-python 2 runs by the Python that
ZARR2_PYTHON names. Each writer writes every store it knows of, in a process of its own, and says what is in
it: nodes, attributes, elements. What zom finds must be the same, bit for bit; the writer then reads what zom
made of the store.

stores_by_writer.json holds the verdict of each store: how many nodes it has, and what was found. The kinds of
findings have reasons, in words. Ends with 1 where a verdict differs, or where a finding has no reason.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "writers"), str(HERE / "arrays")]

import share  # noqa: E402 - it is there from here on
from judge import answers, judge  # noqa: E402

VERDICTS = HERE / "stores_by_writer.json"
RUN = HERE / "writers" / "run.py"


class Writer(NamedTuple):
    """A program that writes stores."""

    name: str
    module: str
    groups: bool = True
    """Whether it lists groups."""
    consolidated: bool = False
    """Whether it is asked to read consolidated metadata."""
    migrated: bool = False
    """Whether it is asked to read the store in another format, too."""

    @property
    def python(self) -> str | None:
        return os.environ.get("ZARR2_PYTHON") if self.name == "zarr-python 2" else sys.executable


WRITERS = (
    Writer("zarr-python 3", "zarr_python_stores", consolidated=True, migrated=True),
    Writer("zarr-python 2", "zarr_python_2_stores", consolidated=True),
    Writer("xarray", "xarray_stores"),
    Writer("tensorstore", "tensorstore_stores", groups=False, migrated=True),
    Writer("zarrs", "zarrs_stores"),
    Writer("GDAL", "gdal_stores", groups=False, migrated=True),
    Writer("netCDF-C", "netcdf_stores"),
    Writer("anndata", "anndata_stores"),
)

Verdicts = dict[str, list[str]]


def run(writer: Writer, *arguments: str) -> str:
    command = [str(writer.python), str(RUN), writer.module, *arguments]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"{writer.name} {arguments[0]}: exit code {ran.returncode}: {ran.stderr[-2000:]}")
    return ran.stdout.strip()


def verdicts(writer: Writer, folder: Path, wanted: str) -> Verdicts:
    """By store: the number of its nodes, and what was found."""
    run(writer, "write", str(folder), wanted)
    made: Verdicts = {}
    jobs: list[tuple[Any, dict[str, Any]]] = []
    for record in json.loads((folder / "written.json").read_text(encoding="utf-8")):
        if "refused" in record:
            made[record["name"]] = [f"the writer refuses: {record['refused'].replace(str(folder), '')}"]
            continue
        judged = judge(
            record, groups=writer.groups, consolidated=writer.consolidated, migrated=writer.migrated
        )
        made[record["name"]] = [f"{len(record['nodes'])} nodes", *judged.findings]
        jobs += [(job, record) for job in judged.jobs]
    (folder / "jobs.json").write_text(json.dumps([job._asdict() for job, _ in jobs]), encoding="utf-8")
    run(writer, "read", str(folder))
    told = json.loads((folder / "read.json").read_text(encoding="utf-8"))
    for (job, record), answer in zip(jobs, told, strict=True):
        made[record["name"]] += answers(job, answer, record["nodes"])
    return made


def reason(finding: str, reasons: dict[str, str]) -> str | None:
    """The reason of a finding: of the first pattern that it matches."""
    return next((text for pattern, text in reasons.items() if fnmatchcase(finding, pattern)), None)


def compare(found: dict[str, Any], listed: dict[str, Any], *, whole: bool) -> list[str]:
    """What differs from the verdicts that were reviewed, and what has no reason."""
    made: list[str] = []
    used: set[str] = set()
    for name, seen in found.items():
        known = listed["writers"].get(name, {})
        if whole and known.get("version") != seen["version"]:
            made.append(f"{name}: {seen['version']}, reviewed was {known.get('version')}")
        old, new = known.get("stores", {}), seen["stores"]
        made += [f"{name}: {store}: not written any more" for store in old if whole and store not in new]
        for store, verdict in new.items():
            if verdict != old.get(store):
                made.append(f"{name}: {store}: {verdict}, reviewed was {old.get(store)}")
            for finding in verdict[1 if verdict[0].endswith(" nodes") else 0 :]:
                why = reason(finding, listed["reasons"])
                if why is None:
                    made.append(f"NO REASON: {name}: {store}: {finding}")
                else:
                    used.add(why)
    if whole and len(found) == len(WRITERS):
        made += [f"explains nothing: {text}" for text in listed["reasons"].values() if text not in used]
    return made


def text_of(listed: dict[str, Any]) -> str:
    """The verdicts as text, each on a line of its own."""

    def told(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    reasons = ",\n".join(f"  {told(pattern)}: {told(text)}" for pattern, text in listed["reasons"].items())
    parts: list[str] = []
    for name, writer in listed["writers"].items():
        stores = ",\n".join(f"   {told(store)}: {told(seen)}" for store, seen in writer["stores"].items())
        parts.append(
            f'  {told(name)}: {{"version": {told(writer["version"])}, "stores": {{\n{stores}\n  }}}}'
        )
    writers = ",\n".join(parts)
    return f'{{\n "reasons": {{\n{reasons}\n }},\n "writers": {{\n{writers}\n }}\n}}\n'


def main() -> int:
    parser = argparse.ArgumentParser(description="whole hierarchies that other programs wrote")
    parser.add_argument("--update", action="store_true", help="write the verdicts anew")
    parser.add_argument("--writer", help="only this one")
    parser.add_argument("--store", default="*", help="only stores whose name matches this pattern")
    parser.add_argument("--keep", help="leave the stores in this folder")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    listed: dict[str, Any] = {"reasons": {}, "writers": {}}
    if VERDICTS.exists():
        listed = json.loads(VERDICTS.read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for writer in WRITERS:
        if given.writer not in {None, writer.name}:
            continue
        if writer.python is None:
            print(f"SKIP {writer.name}: ZARR2_PYTHON names no Python that has it")
            continue
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="zom-stores-") as temporary:
            folder = Path(given.keep or temporary) / writer.module
            folder.mkdir(parents=True)
            version = run(writer, "versions")
            found[writer.name] = {"version": version, "stores": verdicts(writer, folder, given.store)}
        told = found[writer.name]["stores"].values()
        nodes = sum(int(each[0].split()[0]) for each in told if each[0].endswith(" nodes"))
        plain = sum(len(each) == 1 and each[0].endswith(" nodes") for each in told)
        print(
            f"{version}: {len(told)} stores, {nodes} nodes; {plain} stores without a finding; "
            f"{time.monotonic() - started:.0f} s",
            flush=True,
        )
    if given.update:
        for name, seen in found.items():
            kept = (
                {}
                if given.store == "*" and share.WHOLE
                else listed["writers"].get(name, {}).get("stores", {})
            )
            listed["writers"][name] = {**seen, "stores": {**kept, **seen["stores"]}}
        VERDICTS.write_text(text_of(listed), encoding="utf-8")
    problems = compare(found, listed, whole=given.store == "*" and share.WHOLE)
    for problem in problems:
        print(problem)
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
