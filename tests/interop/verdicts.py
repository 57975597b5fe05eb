"""The verdicts of zom, zarr-python and zarr-metadata on every strict case of the conformance corpus.

    python verdicts.py           compares; each disagreement must have its reason in disagreements.json
    python verdicts.py --list    prints the disagreements that have no reason yet, with what was said

Peers are asked as their users ask them: zarr-python reads a whole metadata document of one node from
JSON, zarr-metadata reads it with its strict reader. Neither has documents of trees, of texts that break
JSON, or of the draft; those cases are left out and counted.

disagreements.json holds the reasons once, by a short name, and for each peer the cases that each explains.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import zarr_metadata
from zarr.core.group import GroupMetadata
from zarr.core.metadata.v2 import ArrayV2Metadata
from zarr.core.metadata.v3 import ArrayV3Metadata

from zom import v2, v3

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
CORPUS = HERE.parent / "conformance"
LIST = HERE / "disagreements.json"


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each strict case of the v2 and v3 corpus by its name: `v3/shape/negative`."""
    for path in sorted(CORPUS.glob("v[23]/*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            if case["level"] == "strict":
                yield f"{path.parent.name}/{path.stem}/{case['name']}", case


def is_group(document: dict[str, Any]) -> bool:
    if document.get("zarr_format") == 2 or "node_type" not in document:
        return not {"shape", "dtype", "data_type", "chunks"} & document.keys()
    return document["node_type"] == "group"


def zom_verdict(form: str, document: dict[str, Any]) -> str | None:
    """None where zom accepts the document, else what it says."""
    errors = [p for p in (v3 if form == "v3" else v2).check(document) if p.severity == "error"]
    return "; ".join(map(str, errors)) or None


def zarr_python(form: str, document: dict[str, Any]) -> str | None:
    def read() -> None:
        if is_group(document):
            GroupMetadata.from_dict(document)
        elif form == "v3":
            ArrayV3Metadata.from_dict(document)
        else:
            ArrayV2Metadata.from_dict(document)

    return _said(read)


def zarr_metadata_strict(form: str, document: dict[str, Any]) -> str | None:
    def read() -> None:
        kind = "Group" if is_group(document) else "Array"
        model: Any = getattr(zarr_metadata, f"Zarr{form.upper()}{kind}Metadata")
        model.from_json(document)

    return _said(read)


def _said(read: Callable[[], None]) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


PEERS: dict[str, Callable[[str, dict[str, Any]], str | None]] = {
    "zarr-python": zarr_python,
    "zarr-metadata": zarr_metadata_strict,
}


class Disagreement(NamedTuple):
    """One case on which zom and a peer differ: what each said, None where it accepts the document."""

    peer: str
    name: str
    case: dict[str, Any]
    ours: str | None
    theirs: str | None

    def __str__(self) -> str:
        who, said = ("zom", self.ours) if self.theirs is None else (self.peer, self.theirs)
        text = " ".join((said or "").split())[:230]
        return f"{self.peer} {self.name}: only {who} refuses: {text}"


def compare() -> tuple[list[Disagreement], Counter[str]]:
    found: list[Disagreement] = []
    counts: Counter[str] = Counter()
    for name, case in cases():
        document = case.get("document")
        if not isinstance(document, dict) or "members" in document or case.get("kind"):
            counts["left out: a tree, or no JSON object"] += 1
            continue
        form = name[:2]
        ours = zom_verdict(form, json.loads(json.dumps(document)))
        for peer, judge in PEERS.items():
            theirs = judge(form, json.loads(json.dumps(document)))
            agree = (ours is None) == (theirs is None)
            verdict = "disagrees" if not agree else "accepts, too" if ours is None else "refuses, too"
            counts[f"{peer} {verdict}"] += 1
            if not agree:
                found.append(Disagreement(peer, name, case, ours, theirs))
    return found, counts


def reasons() -> dict[str, dict[str, str]]:
    """By peer and case: the reason of the disagreement."""
    listed: dict[str, Any] = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    made: dict[str, dict[str, str]] = defaultdict(dict)
    for peer, classes in listed.get("cases", {}).items():
        for label, names in classes.items():
            for name in names:
                if name in made[peer]:
                    raise SystemExit(f"{LIST.name}: {peer} {name} has two reasons")
                made[peer][name] = listed["reasons"][label]
    return made


def main() -> int:
    found, counts = compare()
    listed = reasons()
    for what, count in sorted(counts.items()):
        print(f"{count:6d} {what}")
    shared = Counter(
        (one.peer, listed[one.peer][one.name]) for one in found if one.name in listed.get(one.peer, {})
    )
    for (peer, reason), count in shared.most_common():
        print(f"{count:6d} {peer}: {reason}")
    unlisted = [one for one in found if one.name not in listed.get(one.peer, {})]
    for one in unlisted:
        print(f"NO REASON: {one}" + (f"\n    {json.dumps(one.case)}" if "--list" in sys.argv else ""))
    seen = {(one.peer, one.name) for one in found}
    stale = [f"{peer} {name}" for peer, names in listed.items() for name in names if (peer, name) not in seen]
    for name in stale:
        print(f"AGREES NOW, take it off the list: {name}")
    return 1 if unlisted or stale else 0


if __name__ == "__main__":
    sys.exit(main())
