"""Every document that other software writes: read by zom at the strict level, and given back exactly.

    python documents.py                  runs the writers, each with its own packages, and checks
    python documents.py FOLDER           checks the documents written to FOLDER/*.jsonl before
    python documents.py --sample FOLDER  ... and keeps some of them, without their line ends, as fixtures

Where a writer breaks the specification, DEVIATIONS says which rule, and why; such a document must be
read at the lenient level. A breach that is not listed fails, and so does one that no document shows.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import share

import zom
from zom import draft, v2, v3

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "fixtures" / "documents"
WRITERS = ("zarr-python", "tensorstore", "zarrs")
"""Those that run beside zom; zarr-python 2 needs older packages."""

DEVIATIONS: dict[tuple[str, str], str] = {
    ("zarr-python", "v2/datetime-unit"): "takes numpy's datetimes without a unit, which v2 doesn't have",
    ("zarr-python", "json/not-finite"): "writes NaN and infinities in attributes as bare tokens",
    ("zarr-python-2", "json/not-finite"): "writes NaN and infinities in attributes as bare tokens",
    ("zarr-python-2", "draft/2021-entry-point"): "writes the entry point as the draft had it in 2021",
    ("zarr-python-2", "draft/2021-member"): "writes compressor, dimension_separator and types as of 2021",
    ("zarr-python-2", "fill-value/null"): "writes null where there is no fill value, which the draft forbids",
}
"""By writer and code: why the documents of this writer break that rule."""


def records(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def read(key: str, text: str, level: Any) -> Any:
    """The spec that the document at a key stands for, and its document again."""
    quiet: Any = {"on_warning": lambda _problem: None}
    if key == ".zmetadata":
        return v2.GroupSpec.from_consolidated(json.loads(text), level)
    if key == ".zattrs":
        attributes = json.loads(text)
        return v2.GroupSpec.parse({"zarr_format": 2, "attributes": attributes}, level, **quiet)
    if key in {".zarray", ".zgroup"}:
        return v2.parse(text, level, **quiet)
    if key in {".array.json", ".group.json"}:
        return draft.parse(text, level, **quiet)
    if "purl.org" in str(json.loads(text)["zarr_format"]):
        return draft.EntryPoint.parse(text, level, **quiet)
    return v3.parse(text, level, **quiet)


def written(key: str, spec: Any) -> str:
    """The text of the document at a key, as zom writes it."""
    if key == ".zmetadata":
        return json.dumps(spec.to_consolidated())
    if key == ".zattrs":
        return json.dumps(spec.to_documents()[".zattrs"])
    return str(spec.to_json())


def same(left: str, right: str, *, ordered: bool) -> bool:
    """Whether two texts hold the same JSON, by type and value and, if asked, in the same order."""
    one, other = (json.loads(text, parse_constant=_named) for text in (left, right))
    if ordered:
        return repr(one) == repr(other)
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _named(token: str) -> str:
    return token  # zom reads a bare NaN as the string


def _without_blocks(text: str) -> str:
    """Consolidated metadata without the blocks that zarr-python 3 nests in its groups: they are no part of them."""
    document = json.loads(text)
    for name, entry in document["metadata"].items():
        if name.rpartition("/")[2] == ".zgroup":
            entry.pop("consolidated_metadata", None)
    return json.dumps(document)


def judge(record: dict[str, Any]) -> tuple[tuple[str, ...], str | None]:
    """The rules that the document breaks at the strict level, and what went wrong otherwise."""
    key, text = record["key"], record["document"]
    codes: tuple[str, ...] = ()
    try:
        spec = read(key, text, "strict")
    except zom.SpecError as error:
        codes = tuple(sorted({p.code for p in error.problems if p.severity == "error"}))
        try:
            spec = read(key, text, "lenient")
        except zom.SpecError as refused:
            problems = (f"{p.code}: {p.expected}, found {p.found}" for p in refused.problems)
            return codes, f"refused at the lenient level: {', '.join(sorted(problems))}"
    # A consolidated document holds its nodes in whatever order the writer found them.
    again = written(key, spec)
    if key == ".zmetadata":
        text = _without_blocks(text)
    if not same(text, again, ordered=key != ".zmetadata"):
        return codes, "not given back as it was"
    if read(key, again, "lenient") != spec:
        return codes, "not equal to itself, read again"
    return codes, None


# --- writers -----------------------------------------------------------------------------------------


def write_all(folder: Path) -> list[str]:
    """Runs every writer; what keeps one from running is returned."""
    missing: list[str] = []
    for writer in WRITERS:
        if not _write(sys.executable, writer, folder):
            missing += [f"{writer}: could not write with the packages of requirements.txt"]
    python = _old_python(folder)
    if python is None:
        missing.append("zarr-python-2: needs a python3.11 or 3.12 that can install requirements-zarr2.txt")
    elif not _write(python, "zarr-python-2", folder):
        missing.append("zarr-python-2: could not write")
    return missing


def _write(python: str, writer: str, folder: Path) -> bool:
    command = [python, str(HERE / "write_documents"), writer, str(folder / f"{writer}.jsonl")]
    return subprocess.run(command, check=False).returncode == 0


def _old_python(folder: Path) -> str | None:
    """A Python with zarr-python 2: the one that is given, or one made for this run."""
    if "ZARR2_PYTHON" in os.environ:
        return os.environ["ZARR2_PYTHON"]
    for name in ("python3.11", "python3.12"):
        found = shutil.which(name)
        if found is None:
            continue
        place = folder / "zarr2"
        python = place / "bin" / "python"
        install = [str(python), "-m", "pip", "install", "-q", "-r", str(HERE / "requirements-zarr2.txt")]
        steps = ([found, "-m", "venv", "--clear", str(place)], install)
        if all(subprocess.run(step, check=False).returncode == 0 for step in steps):
            return str(python)
    return None


# --- the check ---------------------------------------------------------------------------------------


def check(found: Iterable[dict[str, Any]]) -> int:
    """Prints the counts, and every failure; the number of failures."""
    counts: Counter[str] = Counter()
    deviations: Counter[tuple[str, str]] = Counter()
    failures: dict[str, list[str]] = defaultdict(list)
    for record in found:
        if not share.is_chosen(record["document"]):
            continue
        writer = f"{record['writer']} {record['version']}"
        counts[f"{writer} {record['key']}"] += 1
        codes, wrong = judge(record)
        deviations.update((record["writer"], code) for code in codes)
        unlisted = [code for code in codes if (record["writer"], code) not in DEVIATIONS]
        if unlisted:
            failures[f"{writer}: breaks {', '.join(unlisted)}, not listed"].append(record["document"])
        if wrong is not None:
            failures[f"{writer}: {wrong}"].append(record["document"])
    for name, count in sorted(counts.items()):
        print(f"{count:8d} {name}")
    for (writer, code), count in sorted(deviations.items()):
        print(f"{count:8d} {writer} breaks {code}: {DEVIATIONS.get((writer, code), 'NOT LISTED')}")
    ran = {name.split()[0] for name in counts}
    for writer, code in DEVIATIONS.keys() - deviations.keys():
        if writer in ran and share.WHOLE:
            failures[f"{writer} breaks {code} no more: take it off the list"].append("")
    for reason, documents in failures.items():
        print(f"FAILED {len(documents)} x {reason}\n    {' '.join(documents[0].split())}")
    return len(failures)


def sample(found: Iterable[dict[str, Any]]) -> None:
    """Writes a few documents of each kind to the fixtures: every data type, codec and breach once."""
    taken: dict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
    lines: dict[str, list[str]] = defaultdict(list)
    for record in found:
        codes, _ = judge(record)
        writer = record["writer"]
        news = [mark for mark in (*_marks(record), *((code,) for code in codes)) if mark not in taken[writer]]
        if news:
            taken[writer].update(dict.fromkeys(news))
            short = json.dumps(json.loads(record["document"]), ensure_ascii=False, separators=(",", ":"))
            kept = {**record, "document": short, "strict": list(codes)}
            lines[writer].append(json.dumps(kept, ensure_ascii=False))
    SAMPLES.mkdir(parents=True, exist_ok=True)
    for writer, texts in lines.items():
        (SAMPLES / f"{writer}.jsonl").write_text("".join(f"{t}\n" for t in texts), encoding="utf-8")
        print(f"{len(texts)} documents in the sample of {writer}")


def _marks(record: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """What is worth having once: each data type, codec, kind of fill value and shape of member."""
    document = json.loads(record["document"])
    key = record["key"]
    yield (key, *sorted(document))
    for member in (
        "data_type",
        "dtype",
        "chunk_grid",
        "chunk_key_encoding",
        "order",
        "dimension_separator",
        "attributes",
        "zarr_format",
    ):
        if member in document:
            yield (key, member, json.dumps(document[member]))
    for member in ("codecs", "filters", "compressor", "storage_transformers"):
        for value in _listed(document.get(member)):
            name = value.get("name") or value.get("id") or value.get("codec")
            yield (key, member, str(name), *sorted(value.get("configuration", value)))
    if "fill_value" in document:
        data_type = json.dumps(document.get("data_type", document.get("dtype")))
        either_order = data_type.replace("<", "").replace(">", "")
        yield (key, "fill_value", either_order, json.dumps(document["fill_value"]))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--sample"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments[0]) if arguments else Path(temporary)
        missing = [] if arguments else write_all(folder)
        failed = check(records(folder))
        if "--sample" in sys.argv:
            sample(records(folder))
    for reason in missing:
        print(f"SKIPPED a writer: {reason}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
