"""One array, exchanged between zom and a peer in both directions.

A peer takes part where it reads back what it wrote, bit for bit. Then zom must read it, too, whole and in
parts; what zom writes must be read by the peer; and when zom has written into a part of the peer's array,
the peer must see the array so changed.
"""

# ruff: noqa: BLE001 - whatever goes wrong is a finding
from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import values

import zom
from zom import draft, v2, v3
from zom.engine.compile import compile_plan

if TYPE_CHECKING:
    from pathlib import Path

    from cases import Case
    from peers import Worker

ENTRY_2021 = {
    "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_key_suffix": ".json",
    "extensions": [],
}


def _quiet(problem: Any) -> None:
    """Warnings about documents are tested elsewhere."""


@dataclass
class Outcome:
    """What came of one case with one peer; None stands for what was not tried."""

    peer: str
    case: Case
    refused: str | None = None
    """Why the peer doesn't take part in writing."""
    theirs: str | None = None
    """"ok", or what differs, where zom read what the peer wrote."""
    ours: str | None = None
    """The same where the peer read what zom wrote."""
    part: str | None = None
    """The same where zom wrote a part into the peer's array."""

    @property
    def differences(self) -> dict[str, str]:
        tried = {"theirs": self.theirs, "ours": self.ours, "part": self.part}
        return {name: said for name, said in tried.items() if said not in {None, "ok"} and said is not None}


@dataclass
class Prepared:
    """A case as zom alone has it: its values, and the array that it wrote."""

    case: Case
    folder: Path
    spec: Any = None
    data: Any = None
    expected: Any = None
    """What the array holds after the region was written."""
    written: bool = False
    read: Any = None
    """What zom reads back."""
    trouble: str | None = None
    """Why zom can't write it, or reads back other values."""
    files: dict[str, Any] = field(default_factory=dict)

    def told(self) -> Prepared:
        """What the summary needs, without the values."""
        return Prepared(self.case, self.folder, trouble=self.trouble)


def prepare(case: Case, folder: Path) -> Prepared:
    made = Prepared(case, folder)
    try:
        made.spec = _spec(case)
        plan = compile_plan(made.spec)
        shape = tuple(case.document["shape"])
        made.data = values.make(plan.dtype, shape, case.name, case.kind)
        made.expected = np.empty(shape, plan.dtype)
        made.expected.fill(plan.fill[()])
        region = _region(case)
        made.expected[region] = made.data[region]
        values.save(str(folder / "data"), made.data)
        made.files = {"data": str(folder / "data"), "dtype": _told(plan.dtype)}
        _write(made, made.spec)
    except Exception as error:
        made.trouble = f"{type(error).__name__}: {error}"
    return made


def _spec(case: Case) -> Any:
    if case.form == "draft":
        return draft.ArraySpec.parse(json.dumps(draft_2021(case.document)), "lenient", on_warning=_quiet)
    module: Any = v3 if case.form == "v3" else v2
    return module.ArraySpec.parse(json.dumps(case.document), "lenient", on_warning=_quiet)


def _told(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "OT":
        return "O"
    if dtype.names is not None:
        if all(dtype[name].isbuiltin == 2 for name in dtype.names):
            return [(name, f"|V{dtype[name].itemsize}") for name in dtype.names]
        return dtype.descr
    return dtype.name if dtype.isbuiltin == 2 else dtype.str


def _region(case: Case) -> Any:
    return tuple(slice(*ends) for ends in case.region) or Ellipsis


def _write(made: Prepared, spec: Any) -> None:
    folder = made.folder / "ours"
    shutil.rmtree(folder, ignore_errors=True)
    if made.case.form == "draft":
        folder.mkdir(parents=True)
        (folder / "zarr.json").write_text(json.dumps(ENTRY_2021), encoding="utf-8")
    array = zom.create_array(folder, spec, "a")
    region = _region(made.case)
    array[region] = made.data[region]
    made.read = array[...]
    made.written = True
    if not made.case.lossy:
        told = values.difference(made.read, made.expected)
        if told is not None:
            raise ValueError(f"zom reads back other values than it wrote: {told}")


def exchange(prepared: Prepared, peer: str, worker: Worker) -> Outcome:
    case = prepared.case
    outcome = Outcome(peer, case)
    if not prepared.files:
        outcome.refused = "zom has no values for it"
        return outcome
    theirs, result = prepared.folder / "theirs", str(prepared.folder / "result")
    shutil.rmtree(theirs, ignore_errors=True)
    common = {"form": case.form, "document": case.document, **prepared.files, "region": case.region}
    here = {**common, "folder": str(theirs), "result": result}
    outcome.refused = worker.ask(act="write", **here)["error"] or worker.ask(act="read", **here)["error"]
    truth: Any = None
    if outcome.refused is None:
        truth = values.load(result, prepared.data.dtype)
        if not case.lossy:
            told = values.difference(truth, prepared.expected)
            outcome.theirs = f"it reads back other values than it wrote: {told}" if told else None
            truth = prepared.expected
        outcome.theirs = outcome.theirs or _judged(_read_theirs, theirs, truth)
    _read_ours(
        outcome, prepared, worker, {**common, "folder": str(prepared.folder / "ours"), "result": result}
    )
    if outcome.theirs == "ok" and not case.lossy and truth.size:
        outcome.part = _judged(_write_part, prepared, theirs, truth, worker, here)
    return outcome


def _judged(act: Any, *arguments: Any) -> str:
    try:
        told = act(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return told or "ok"


def _read_theirs(folder: Path, truth: Any) -> str | None:
    array = zom.open_array(folder, "a")
    told = values.difference(array[...], truth)
    if told is not None or not truth.ndim:
        return told
    steps = tuple(slice(n // 4, None, 2) if n > 2 else slice(None) for n in truth.shape)
    told = values.difference(array[steps], truth[steps])
    if told is not None:
        return f"in steps: {told}"
    if not truth.size:
        return None
    points = tuple(np.array([0, n - 1, n // 2, 0]) for n in truth.shape)
    told = values.difference(array.vindex[points], truth[points])
    return None if told is None else f"at points: {told}"


def _read_ours(outcome: Outcome, prepared: Prepared, worker: Worker, job: dict[str, Any]) -> None:
    if not prepared.written:
        return
    error = worker.ask(act="read", **job)["error"]
    if error is None:
        found = values.load(job["result"], prepared.data.dtype)
        expected = prepared.read if prepared.case.lossy else prepared.expected
        outcome.ours = values.difference(found, expected) or "ok"
    elif outcome.refused is None:
        outcome.ours = f"the peer can't read it: {error}"


def _write_part(
    prepared: Prepared, folder: Path, truth: Any, worker: Worker, job: dict[str, Any]
) -> str | None:
    other = values.make(truth.dtype, truth.shape, f"{prepared.case.name} in part", prepared.case.kind)
    where = tuple(slice(n // 3, n, 2) for n in truth.shape)
    changed = truth.copy()
    changed[where] = other[where]
    zom.open_array(folder, "a", mode="r+")[where] = other[where]
    error = worker.ask(act="read", **job)["error"]
    if error is not None:
        return f"the peer can't read it any more: {error}"
    return values.difference(values.load(job["result"], truth.dtype), changed)


# --- the draft ---------------------------------------------------------------------------------------------


def draft_2021(document: dict[str, Any]) -> dict[str, Any]:
    """The document of 2021 for the array of a v2 document, as zom writes such data types itself."""
    from zom.extension.resolve import parse_v2

    filters = document["filters"] or []
    objects = filters[0]["id"] if document["dtype"] == "|O" else None
    data_type: Any = parse_v2(document["dtype"], objects, [])
    told = _EXTENDED.get(document["dtype"]) if isinstance(document["dtype"], str) else None
    made: dict[str, Any] = {
        "shape": document["shape"],
        "data_type": told or _draft_type(data_type, document["dtype"]),
        "chunk_grid": {
            "type": "regular",
            "chunk_shape": document["chunks"],
            "separator": document.get("dimension_separator", "/"),
        },
        "chunk_memory_layout": document["order"],
        "fill_value": document["fill_value"],
        "extensions": [],
        "attributes": {"filters": filters} if filters else {},
    }
    compressor = document["compressor"]
    if compressor is not None:
        uri = f"https://purl.org/zarr/spec/codec/{compressor['id']}/1.0"
        configuration = {name: value for name, value in compressor.items() if name != "id"}
        made["compressor"] = {"codec": uri, "configuration": configuration}
    if "shards" in document:
        sharding = {
            "extension": "https://purl.org/zarr/spec/storage_transformers/sharding/1.0",
            "type": "indexed",
            "configuration": {"chunks_per_shard": document["shards"]},
        }
        made["storage_transformers"] = [sharding]
    return made


_EXTENDED = {
    "|O": {"extension": "TODO: object array protocol URL", "type": "|O", "fallback": None},
}


def _draft_type(data_type: Any, dtype: Any) -> Any:
    if isinstance(dtype, str) and dtype[1] in "biuf":
        return {"b": "bool"}.get(dtype[1], dtype.lstrip("|"))
    if isinstance(dtype, str) and dtype[1] == "c":
        uri = "https://purl.org/zarr/spec/extensions/data-types/complex/1.0"
        return {"extension": uri, "type": dtype, "fallback": None}
    return data_type.to_json("draft")
