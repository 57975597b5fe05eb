"""Every document in the test suites of zarr-python, zarr-metadata and pydantic-zarr: their verdict and zom's.

    python suites.py            runs the suites, and compares
    python suites.py --all      runs all of zarr-python's, which takes a quarter of an hour
    python suites.py FOLDER     keeps the documents there, or compares those that were kept before
    python suites.py --list     prints the differences that have no decision yet, as the list has them

The source distributions of the installed versions hold the tests. They are run as they are, with a plugin that
writes down each document that is handed to the peer. zom judges at the level "lenient": what it refuses and the
peer reads, or the other way round, has its decision in suites/decisions.json.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from zom import SpecError, v2, v3
from zom.formats.families import V2
from zom.model.stored import from_consolidated

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PLUGINS = HERE / "suites"
LIST = PLUGINS / "decisions.json"

PEERS = {"zarr-python": "zarr", "zarr-metadata": "zarr_metadata", "pydantic-zarr": "pydantic_zarr"}
"""The peers, and what their packages are imported as."""

QUICK = {
    "zarr-python": [
        "tests/test_metadata",
        "tests/test_dtype",
        "tests/test_dtype_registry.py",
        "tests/test_chunk_grids.py",
        "tests/test_chunk_key_encodings.py",
        "tests/test_array_spec.py",
        "tests/test_v2.py",
        *(f"tests/test_codecs/test_{name}.py" for name in ("blosc", "bytes", "cast_value", "crc32c", "gzip")),
        *(f"tests/test_codecs/test_{name}.py" for name in ("numcodecs", "scale_offset", "transpose")),
        *(f"tests/test_codecs/test_{name}.py" for name in ("vlen", "zstd")),
    ],
    "zarr-metadata": ["tests/model", "tests/v2", "tests/v3"],
    "pydantic-zarr": ["tests/test_pydantic_zarr"],
}
"""The tests that bring the documents; those that are left out write the same ones, and much data."""


_LONG = 1200


SLOW = ("test_array_spec_from_array", "in_time_proportional", "to_zarr")
"""Tests that make thousands of arrays alike, or nothing but time."""


class Difference(NamedTuple):
    """One document that only one of the two reads: what the other says."""

    peer: str
    document: str
    ours: str | None
    theirs: str | None

    def __str__(self) -> str:
        who, what = ("zom", self.ours) if self.theirs is None else (self.peer, self.theirs)
        return f"{self.peer}: only {who} refuses {self.document}\n    {(what or '')[:300]}"


# --- the suites --------------------------------------------------------------------------------------


def source_of(peer: str, folder: Path) -> Path:
    """The unpacked source distribution of the installed version."""
    name = PEERS[peer].replace("_", "-")
    pinned = f"{name}=={version(name)}"
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation"]
    fetch += ["--no-binary", ":all:", "-d", str(folder), pinned]
    subprocess.run(fetch, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (made,) = (each for each in folder.iterdir() if each.is_dir())
    return made


def documents_of(peer: str, folder: Path, *, everything: bool) -> list[dict[str, Any]]:
    """What the suite of a peer hands to it."""
    folder.mkdir()
    source = source_of(peer, folder)
    tests = ["tests"] if everything and peer == "zarr-python" else QUICK[peer]
    out = folder / "documents.jsonl"
    environment = {**os.environ, "COLLECTED": str(out), "COLLECTED_PEER": PEERS[peer]}
    environment["PYTHONPATH"] = os.pathsep.join([str(PLUGINS), os.environ.get("PYTHONPATH", "")])
    run = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "collected", "-p", "no:cacheprovider"]
    # Properties draw other documents each time.
    if not everything:
        run += ["-k", " and ".join(f"not {name}" for name in SLOW)]
    run += ["-m", "not hypothesis", "-W", "ignore", "-o", "addopts=", "-o", "strict=false", *tests]
    done = subprocess.run(run, cwd=source, env=environment, check=False, capture_output=True, text=True)
    last = done.stdout.strip().splitlines()[-1:] or [done.stderr[-500:]]
    print(f"{peer} {version(PEERS[peer].replace('_', '-'))}: {last[0].strip('= ')}", flush=True)
    # A test of the peer that fails, for the time that it took or a package that is missing, is its own matter.
    if done.returncode > 1 or not out.exists():
        raise SystemExit(f"the suite of {peer} failed:\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def collect(kept: Path | None, *, everything: bool) -> dict[str, list[dict[str, Any]]]:
    """The documents of all suites, by peer."""
    if kept is not None and kept.exists():
        texts = {peer: (kept / f"{peer}.jsonl").read_text(encoding="utf-8") for peer in PEERS}
        return {peer: [json.loads(line) for line in text.splitlines()] for peer, text in texts.items()}
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor() as pool:
        jobs = {
            peer: pool.submit(documents_of, peer, Path(temporary, peer), everything=everything)
            for peer in PEERS
        }
        found = {peer: job.result() for peer, job in jobs.items()}
    if kept is not None:
        kept.mkdir()
        for peer, records in found.items():
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (kept / f"{peer}.jsonl").write_text(lines, encoding="utf-8")
    return found


# --- the verdicts ------------------------------------------------------------------------------------


def zom_refuses(form: str, text: str) -> str | None:
    """What zom says of a document at the level "lenient"; None where it reads it."""
    if form == "consolidated":
        try:
            from_consolidated(V2, json.loads(text), "lenient")
        except SpecError as error:
            return str(error)
        return None
    problems = (v3 if form == "v3" else v2).check(text, "lenient")
    return "; ".join(f"{p.code}: {p}" for p in problems if p.severity == "error") or None


def compare(collected: dict[str, list[dict[str, Any]]]) -> tuple[list[Difference], Counter[str]]:
    found: list[Difference] = []
    counts: Counter[str] = Counter()
    for peer, records in collected.items():
        seen: set[tuple[str, str]] = set()
        for record in records:
            document = json.loads(record["document"])
            if not isinstance(document, dict):
                counts[f"{peer}: no JSON object, left out"] += 1
                continue
            text = shown(document)
            if (record["form"], text) in seen:
                continue
            seen.add((record["form"], text))
            ours = zom_refuses(record["form"], record["document"])
            both = "both read it" if ours is None else "both refuse it"
            agree = (ours is None) == (record["refused"] is None)
            counts[f"{peer} {record['form']}: {both if agree else 'they differ'}"] += 1
            if not agree:
                found.append(Difference(peer, text, ours, record["refused"]))
    return found, counts


def shown(document: dict[str, Any]) -> str:
    """What stands for a document in the list: its text, or where that is long what it begins with, and its sum."""
    text = json.dumps(document, sort_keys=True)
    if len(text) <= _LONG:
        return text
    return f"{text[:80]}... sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def decisions() -> dict[str, dict[str, str]]:
    """By peer and document: the label of the decision."""
    listed: dict[str, Any] = json.loads(LIST.read_text(encoding="utf-8"))
    made: dict[str, dict[str, str]] = defaultdict(dict)
    for peer, labels in listed["documents"].items():
        for label, documents in labels.items():
            if label not in listed["decisions"]:
                raise SystemExit(f"{LIST.name}: there is no decision {label!r}")
            for document in documents:
                made[peer][document if isinstance(document, str) else shown(document)] = label
    return made


def unlisted(found: list[Difference]) -> Iterator[Difference]:
    listed = decisions()
    return (each for each in found if each.document not in listed[each.peer])


def main() -> int:
    everything = "--all" in sys.argv
    given = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    collected = collect(given[0] if given else None, everything=everything)
    found, counts = compare(collected)
    for what, count in sorted(counts.items()):
        print(f"{count:6d} {what}")
    listed = decisions()
    words = json.loads(LIST.read_text(encoding="utf-8"))["decisions"]
    labels = Counter((each.peer, listed[each.peer].get(each.document)) for each in found)
    for (peer, label), count in sorted(labels.items(), key=str):
        if label is not None:
            print(f"{count:6d} {peer}: {words[label]}")
    news = list(unlisted(found))
    for each in news:
        print(json.dumps(each.document) if "--list" in sys.argv else f"NO DECISION: {each}")
    seen = {(each.peer, each.document) for each in found}
    stale = [(peer, text) for peer, texts in listed.items() for text in texts if (peer, text) not in seen]
    for peer, text in stale:
        print(f"DIFFERS NO MORE, take it off the list: {peer} {text}")
    return 1 if news or stale else 0


if __name__ == "__main__":
    sys.exit(main())
