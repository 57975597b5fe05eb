"""Who reads what zom writes by default: each default of `build`, read by every reader there is.

    python tests/interop/defaults.py              all readers that are there
    python tests/interop/defaults.py --update     and writes defaults.json anew

In an environment with requirements.txt beside this script, and zom; zarrita needs `npm install` in the folder
zarrita. What is missing is named on a line that begins with SKIP. docs/support.md shows defaults.json.

Ends with 1 where a reader reads other elements, where it reads plain chunks of a data type and not those of
zstd, gzip or blosc, or where what it reads differs from defaults.json.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent / "arrays"))

import peers
import share
import values

import zom
from zom import v2, v3

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

DEFAULTS = Path(__file__).parent / "defaults.json"
SHAPE, CHUNKS, SHARDS = (9, 10), (4, 4), (8, 8)
COMPRESS = ("zstd", "gzip", "blosc", None, "zlib", "bz2", "lz4", "lzma")
ALL_READ = ("zstd", "gzip", "blosc")
"""What no reader may refuse that reads plain chunks."""

READERS = (
    *(peer for peer in peers.ALL if peer.name != "GDAL 3.6"),
    peers.Peer("xarray", "x", "by_xarray", lambda: sys.executable, ("v2", "v3"), ""),
    peers.Peer("zarrita", "z", "by_zarrita", lambda: sys.executable, ("v2", "v3"), "npm install in zarrita"),
)

RECORD = [("x", "<i4"), ("y", "<f8")]
TYPES: dict[str, Any] = {
    **{name: name for name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")},
    **{name: name for name in ("float16", "float32", "float64", "complex64", "complex128")},
    **{name: name for name in ("bfloat16", "float8_e5m2", "int4", "complex_float16")},
    "datetime64[ns]": "<M8[ns]",
    "timedelta64[s]": "<m8[s]",
    "fixed-length text": "<U4",
    "fixed-length bytes": "S5",
    "raw bytes": "V3",
    "struct": RECORD,
    "text": "string",
    "bytes": "bytes",
}  # fmt: skip
V3_ONLY = {"complex_float16", "bfloat16", "float8_e5m2", "int4"}
KINDS = {"text": "texts", "bytes": "bytes"}


class Case(NamedTuple):
    """One default."""

    form: str
    layout: str
    """What is chosen besides compression: shards, or the separator of chunk keys."""
    compress: str | None
    kind: str

    @property
    def row(self) -> str:
        return f"{self.compress or 'none'}{', ' if self.layout else ''}{self.layout}"


def cases() -> Iterator[Case]:
    for kind in filter(share.is_chosen, TYPES):
        for compress in COMPRESS:
            yield Case("v3", "", compress, kind)
            yield Case("v3", "shards", compress, kind)
            if kind not in V3_ONLY:
                yield Case("v2", "", compress, kind)
    for compress in COMPRESS if share.is_chosen("float32") else ():
        yield Case("v2", "separator /", compress, "float32")


def spec_of(case: Case) -> Any:
    common: dict[str, Any] = {
        "shape": SHAPE,
        "dtype": TYPES[case.kind],
        "chunks": CHUNKS,
        "compress": case.compress,
        "dimension_names": ("y", "x"),
    }
    if case.form == "v3":
        return v3.ArraySpec.build(**common, shards=SHARDS if case.layout else None)
    return v2.ArraySpec.build(**common, separator="/" if case.layout else None)


def written(case: Case, folder: Path) -> tuple[dict[str, Any], Any]:
    """The document as it is stored, and the elements."""
    module: Any = v3 if case.form == "v3" else v2
    root = zom.materialize(module.GroupSpec(members={"a": spec_of(case)}), folder)
    array = root["a"]
    data = values.make(array.dtype, SHAPE, case.kind, KINDS.get(case.kind, "any"))
    array[...] = data
    document = folder / "a" / ("zarr.json" if case.form == "v3" else ".zarray")
    return json.loads(document.read_text(encoding="utf-8")), data


def told(dtype: np.dtype[Any]) -> Any:
    """The type as a reader's process is told it."""
    if dtype.kind in "OT":
        return "O"
    if dtype.names is not None:
        return [(name, dtype[name].str) for name in dtype.names]
    return dtype.name if dtype.isbuiltin == 2 else dtype.str


def judged(case: Case, worker: peers.Worker, folder: Path, document: Any, data: Any) -> str:
    """Empty where the reader reads the elements; what it says, or what differs."""
    result = str(folder / "result")
    job = {"form": case.form, "document": document, "folder": str(folder / "x"), "result": result}
    error = worker.ask(act="read", dtype=told(data.dtype), **job)["error"]
    if error is not None:
        return f"refused: {error}"
    return values.difference(values.load(result, data.dtype), data) or ""


def readers() -> tuple[dict[str, tuple[peers.Peer, peers.Worker]], dict[str, str]]:
    found, versions = {}, {}
    for peer in READERS:
        python = peer.python()
        worker = None if python is None else peers.Worker(peer, python)
        answer = {"error": peer.missing} if worker is None else worker.ask(act="versions")
        if answer["error"] is not None or worker is None:
            print(f"SKIP {peer.name}: {peer.missing or answer['error']}")
            continue
        found[peer.name], versions[peer.name] = (peer, worker), answer["versions"]
        print(f"{peer.name}: {answer['versions']}")
    return found, versions


def main() -> int:
    parser = argparse.ArgumentParser(description="who reads what zom writes by default")
    parser.add_argument("--update", action="store_true", help="write defaults.json anew")
    parser.add_argument("--verbose", action="store_true", help="tell why a reader refuses")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    known, versions = readers()
    read: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    failed: list[str] = []
    for case in cases():
        with tempfile.TemporaryDirectory(prefix="zom-defaults-") as place:
            folder = Path(place)
            document, data = written(case, folder / "x")
            for name, (peer, worker) in known.items():
                if case.form not in peer.forms:
                    continue
                said = judged(case, worker, folder, document, data)
                cell = read[case.form][case.row][name]
                if not said:
                    cell.append(case.kind)
                elif said.startswith("refused"):
                    if given.verbose:
                        print(f"{case.form} {case.row} {case.kind}: {name}: {said[:160]}")
                else:
                    failed.append(f"{case.form} {case.row} {case.kind}: {name} reads other elements: {said}")
    for _, worker in known.values():
        worker.close()
    failed += lost(read)
    found = {"readers": versions, "types": list(TYPES), "read": read}
    if given.update and share.WHOLE:
        # A line for each reader: lists of names are not spread over lines.
        text = re.sub(
            r"\[[^\[\]{}]*\]", lambda names: " ".join(names[0].split()), json.dumps(found, indent=1)
        )
        DEFAULTS.write_text(f"{text}\n", encoding="utf-8")
    else:
        failed += changed(json.loads(DEFAULTS.read_text(encoding="utf-8")), json.loads(json.dumps(found)))
    for line in failed:
        print(f"FAILED {line}")
    print(
        f"{sum(len(kinds) for rows in read.values() for row in rows.values() for kinds in row.values())} arrays read"
    )
    return 1 if failed else 0


def lost(read: Any) -> Iterator[str]:
    """Types that a reader reads in plain chunks, and not in those of a compressor that it should know."""
    for form, rows in read.items():
        for name in rows["none"]:
            for row in ALL_READ:
                # netCDF-C has no gzip; its name for deflate is zlib.
                missing = set(rows["none"][name]) - set(rows[row][name])
                if missing and (name, row) != ("netCDF-C", "gzip"):
                    yield f"{form} {row}: {name} does not read {', '.join(sorted(missing))}"


def changed(old: Any, new: Any) -> Iterator[str]:
    """What differs from the table, of the readers that are there."""
    for form, rows in new["read"].items():
        for row, cells in rows.items():
            for name, kinds in cells.items():
                listed = old["read"].get(form, {}).get(row, {}).get(name, [])
                before = [kind for kind in listed if share.is_chosen(kind)]
                if kinds != before:
                    both = sorted(set(kinds) ^ set(before))
                    yield f"{form} {row}: {name}: {', '.join(both)}: not as in defaults.json; see --update"


if __name__ == "__main__":
    sys.exit(main())
