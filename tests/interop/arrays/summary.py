"""What came of all exchanges: counts, differences with their reasons, and the table of support."""

# ruff: noqa: T201
from __future__ import annotations

import json
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import share
from peers import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exchange import Outcome

HERE = Path(__file__).parent
KNOWN = HERE / "known.json"
SUPPORT = HERE.parent / "support.json"
SHOWN = 60

Results = "Sequence[tuple[Prepared, list[Outcome]]]"


class Known:
    """Differences that have a reason; each reason must still explain one."""

    def __init__(self) -> None:
        listed = json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else {}
        self._reasons: dict[str, str] = listed.get("reasons", {})
        self._patterns = [
            (peer, pattern, name)
            for peer, by_reason in listed.get("differences", {}).items()
            for name, patterns in by_reason.items()
            for pattern in patterns
        ]
        self.used: Counter[tuple[str, str, str]] = Counter()

    def reason(self, peer: str, text: str) -> str | None:
        """Why `text`, a case and a direction, differs; None where nobody said."""
        for entry in self._patterns:
            if entry[0] == peer and fnmatchcase(text, entry[1]):
                self.used[entry] += 1
                return self._reasons[entry[2]]
        return None

    def unused(self, tried: Iterable[str]) -> list[str]:
        names = set(tried)
        return [
            f"{peer}: {pattern} ({name})"
            for peer, pattern, name in self._patterns
            if peer in names and not self.used[peer, pattern, name]
        ]


def report(
    results: Any, versions: dict[str, str], *, rows: bool, update: bool = False, verbose: bool = False
) -> int:
    """The exit code; all is printed. With `rows`, whole rows of the table were tried, and are compared with it."""
    known = Known()
    outcomes: list[Outcome] = [outcome for _, made in results for outcome in made]
    unexplained = _differences(results, outcomes, known)
    failed = len(unexplained)
    print(f"\n{failed} differences without a reason, {sum(known.used.values())} with one")
    for line in unexplained if verbose else unexplained[:SHOWN]:
        print(f"FAILED {line}")
    if verbose:
        _refusals(outcomes)
    _counts(outcomes)
    if rows and share.WHOLE:
        for line in known.unused([*versions, "zom"]):
            failed += 1
            print(f"FAILED nothing is left that this reason explains: {line}")
    if rows:
        failed += _support(results, versions, update=update)
    return 1 if failed or not outcomes else 0


def _differences(results: Any, outcomes: Sequence[Outcome], known: Known) -> list[str]:
    found: list[str] = []
    for prepared, _ in results:
        if prepared.trouble is not None and known.reason("zom", prepared.case.name) is None:
            found.append(f"zom, {prepared.case.name}: {prepared.trouble[:500]}")
    for outcome in outcomes:
        for direction, said in outcome.differences.items():
            if known.reason(outcome.peer, f"{outcome.case.name}: {direction}") is None:
                document = json.dumps(outcome.case.document)
                found.append(f"{outcome.peer}, {outcome.case.name}: {direction}: {said[:500]} {document}")
    return found


def _refusals(outcomes: Sequence[Outcome]) -> None:
    by_reason: dict[tuple[str, str], list[str]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.refused is not None:
            by_reason[outcome.peer, outcome.refused[:160]].append(outcome.case.name)
    for (peer, reason), names in sorted(by_reason.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"{peer} doesn't take {len(names)}, like {names[0]!r}: {reason}")


def counts(outcomes: Sequence[Outcome]) -> dict[str, dict[str, dict[str, int]]]:
    """By peer and format, how many arrays were exchanged without a difference."""
    made: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for outcome in outcomes:
        cell = made[outcome.peer][outcome.case.form]
        for direction in ("theirs", "ours", "part"):
            cell[direction] += getattr(outcome, direction) == "ok"
    return {
        peer: {form: dict(cell) for form, cell in forms.items() if any(cell.values())}
        for peer, forms in made.items()
    }


def _counts(outcomes: Sequence[Outcome]) -> None:
    print(f"\n{'':24}{'read by zom':>14}{'written by zom':>17}{'changed by zom':>17}")
    total: Counter[str] = Counter()
    for peer, forms in counts(outcomes).items():
        for form, cell in forms.items():
            total.update(cell)
            print(f"{peer:18}{form:6}{cell['theirs']:14}{cell['ours']:17}{cell['part']:17}")
    print(f"{'all':24}{total['theirs']:14}{total['ours']:17}{total['part']:17}\n")


# --- the table of support ---------------------------------------------------------------------------------


def cells(results: Any) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """By format, data type and codec: who exchanges such arrays, and in which direction."""
    made: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for prepared, outcomes in results:
        case = prepared.case
        cell = made.setdefault(case.form, {}).setdefault(case.data_type, {}).setdefault(case.codec, {})
        if prepared.trouble is None:
            cell["zom"] = "both"
        for outcome in outcomes:
            read, written = outcome.theirs == "ok", outcome.ours == "ok"
            if read or written:
                before = cell.get(outcome.peer)
                now = "both" if read and written else "read" if read else "written"
                cell[outcome.peer] = now if before in {None, now} else "both"
    return made


def _support(results: Any, versions: dict[str, str], *, update: bool) -> int:
    outcomes = [outcome for _, made in results for outcome in made]
    marks = {peer.name: peer.mark for peer in ALL}
    seen = {"peers": versions, "marks": marks, "counts": counts(outcomes), "cells": cells(results)}
    if update and share.WHOLE:
        if SUPPORT.exists():
            _keep_absent(json.loads(SUPPORT.read_text(encoding="utf-8")), seen)
        SUPPORT.write_text(_text(seen), encoding="utf-8")
        print(f"{SUPPORT.name} is written; docs/generate.py makes the page")
        return 0
    listed = json.loads(SUPPORT.read_text(encoding="utf-8")) if SUPPORT.exists() else {}
    changed = _changes(listed.get("cells", {}), seen["cells"], [*versions, "zom"])
    if share.WHOLE:
        changed += _fewer(listed.get("counts", {}), seen["counts"], versions)
    for line in changed[:SHOWN]:
        print(f"FAILED support.json: {line}")
    if changed:
        print("run with --update, and docs/generate.py, where that is what should be")
    return len(changed)


def _keep_absent(listed: Any, seen: Any) -> None:
    """Take over what the table says of peers that are not there."""
    absent = set(listed["peers"]) - set(seen["peers"])
    for peer in sorted(absent):
        seen["peers"][peer] = listed["peers"][peer]
        seen["counts"][peer] = listed["counts"][peer]
        print(f"SKIP {peer}: the table says what it said before")
    for form, rows in seen["cells"].items():
        for data_type, row in rows.items():
            for codec, cell in row.items():
                before = listed["cells"].get(form, {}).get(data_type, {}).get(codec, {})
                cell.update({peer: way for peer, way in before.items() if peer in absent})


def _fewer(listed: Any, seen: Any, peers: Iterable[str]) -> list[str]:
    """Where fewer arrays were exchanged than it says."""
    return [
        f"{peer} {form} {way}: it says {count}, seen were {seen.get(peer, {}).get(form, {}).get(way, 0)}"
        for peer in peers
        for form, ways in listed.get(peer, {}).items()
        for way, count in ways.items()
        if seen.get(peer, {}).get(form, {}).get(way, 0) < count
    ]


def _text(seen: dict[str, Any]) -> str:
    """JSON with a line for each data type."""
    rows = {
        form: ",\n".join(f"   {_line(name)}: {_line(row)}" for name, row in types.items())
        for form, types in seen["cells"].items()
    }
    forms = ",\n".join(f"  {_line(form)}: {{\n{lines}\n  }}" for form, lines in rows.items())
    facts = ",\n".join(f" {_line(name)}: {_line(seen[name])}" for name in ("peers", "marks", "counts"))
    return f'{{\n{facts},\n "cells": {{\n{forms}\n }}\n}}\n'


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _changes(listed: Any, seen: Any, peers: Sequence[str]) -> list[str]:
    """What the table says of the peers that are here, and what was seen, where they differ."""
    made: list[str] = []
    places = {
        (f, d, c)
        for table in (listed, seen)
        for f in table
        for d in table[f]
        if share.is_chosen(f"{f} {d}")
        for c in table[f][d]
    }
    for form, data_type, codec in sorted(places):
        old = listed.get(form, {}).get(data_type, {}).get(codec, {})
        new = seen.get(form, {}).get(data_type, {}).get(codec, {})
        for peer in peers:
            if old.get(peer) != new.get(peer):
                was, now = old.get(peer, "nothing"), new.get(peer, "nothing")
                made.append(f"{form} {data_type} {codec}, {peer}: it says {was}, seen was {now}")
    return made
