"""What zom says of hierarchies as xarray's, beside what xarray makes of them.

    python tests/interop/conventions_xarray.py    every disagreement must have its reason in a list

In an environment with zom, zarr-python 3 and xarray. Hierarchies that xarray and zarr-python wrote, in v2 and
v3, are spoiled by one or two mutations, by a fixed seed; the cases of the conformance corpus come on top.
Where zom says error, xarray has to raise, at opening or at loading; where zom warns, xarray has to lose
something without a word; else all has to be there. Ends with 1 where anything differs that is not listed
in xarray_oracle/disagreements.json, or is listed there and differs no more. Before that, what zom's
`dataset` builds is stored, filled and opened by xarray, and what netCDF-C writes as NCZarr is validated.
"""

# ruff: noqa: T201 - it tells what it finds

from __future__ import annotations

import copy
import json
import random
import sys
import tempfile
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import share
from outcomes import check, counts
from xarray_oracle.built import kinds_open, opens_alike
from xarray_oracle.mutations import every
from xarray_oracle.netcdf import keeps_the_rules
from xarray_oracle.opinion import Opinion, ask
from xarray_oracle.stores import Stored, store_of, written

import zom
from zom.testing.convention_cases import load_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
LIST = HERE / "xarray_oracle" / "disagreements.json"
CASES = HERE.parent / "conformance" / "conventions" / "xarray.json"
SEED = 7
PAIRS = 400


class Question(NamedTuple):
    """One hierarchy, and what was done to it."""

    names: tuple[str, ...]
    """The mutations, or the case; a disagreement is listed under one of them."""
    tree: dict[str, Any]
    chunks: dict[str, bytes]


def questions() -> Iterator[Question]:
    """Every hierarchy that both are asked of."""
    choose = random.Random(SEED)
    bases = [*written(2), *written(3)]
    mutations = every()
    for base in bases:
        yield Question(("as written",), base.tree, base.chunks)
    for name in mutations:
        for base in bases:
            yield from _spoiled((name,), base, choose)
    for _ in range(PAIRS):
        pair = tuple(choose.sample(sorted(mutations), 2))
        yield from _spoiled(pair, choose.choice(bases), choose)
    for case in load_cases(CASES):
        if "members" in case.document:
            yield Question((f"{case.rule['rule']} {case.name}",), case.document, {})


def _spoiled(names: tuple[str, ...], base: Stored, choose: random.Random) -> Iterator[Question]:
    mutations, tree = every(), copy.deepcopy(base.tree)
    if all(mutations[name](choose, tree) for name in names):
        yield Question(names, tree, base.chunks)


def disagreements(tree: dict[str, Any], opinion: Opinion) -> Iterator[str]:
    """Each way in which zom and xarray differ, as it is listed."""
    report = zom.validate(tree, conventions=["xarray"])
    ours = [each for each in (*report, *report.resting) if each.code.startswith("xarray/")]
    errors = {problem.code for problem in ours if problem.severity == "error"}
    warned = {problem.code for problem in ours if problem.severity == "warning"}
    if opinion.raised is not None:
        if not errors:
            yield f"only xarray raises {opinion.raised.partition(':')[0]}"
        return
    for code in sorted(errors):
        yield f"only zom refuses: {code}"
    if opinion.lost and not ours:
        for each in opinion.lost:
            yield f"only xarray loses: {each}"
    if not opinion.lost and not errors:
        for code in sorted(warned):
            yield f"only zom warns: {code}"


def main() -> int:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for zarr_format in (3, 2):
            what = f"a dataset that zom builds in v{zarr_format} opens in xarray"
            check(what, partial(opens_alike, folder / f"built{zarr_format}.zarr", zarr_format))
            what = f"every kind of data type that zom builds in v{zarr_format} opens in xarray"
            check(what, partial(kinds_open, folder / f"kinds{zarr_format}.zarr", zarr_format))
        check("what netCDF-C writes keeps the rules of NCZarr", partial(keeps_the_rules, folder / "nc.zarr"))
    content = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {"reasons": {}, "listed": {}}
    reasons, listed = content["reasons"], content["listed"]
    tally: Counter[str] = Counter()
    met: set[tuple[str, str]] = set()
    unlisted: dict[tuple[str, tuple[str, ...]], str] = {}
    for question in questions():
        if not share.is_chosen(" ".join(question.names)):
            continue
        opinion = ask(question.tree, store_of(question.tree, question.chunks))
        tally["raises" if opinion.raised else "loses" if opinion.lost else "opens whole"] += 1
        found = list(disagreements(question.tree, opinion))
        tally["differs" if found else "agrees"] += 1
        for what in found:
            known_as = [name for name in question.names if what in listed.get(name, {})]
            met.update((name, what) for name in known_as)
            if not known_as:
                unlisted.setdefault((what, question.names), opinion.raised or ", ".join(opinion.lost))
    for (what, names), said in unlisted.items():
        print(f"UNLISTED {' + '.join(names)}: {what} ({said[:200]!r})")
    known = {(name, what) for name, each in listed.items() for what in each}
    stale = sorted(known - met) if share.WHOLE else []
    for name, what in stale:
        print(f"STALE    {name}: {what}")
    lacking = sorted({reason for each in listed.values() for reason in each.values()} - reasons.keys())
    for reason in lacking:
        print(f"NO REASON {reason}")
    print(
        f"{sum(tally[each] for each in ('agrees', 'differs'))} hierarchies: {dict(tally)}; {len(met)} listed"
    )
    return 1 if (unlisted or stale or lacking or counts["failed"]) else 0


if __name__ == "__main__":
    sys.exit(main())
