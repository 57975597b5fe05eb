"""The cases of CF, told as netCDF to IOOS's compliance-checker, beside zom.

    python conventions_cf.py           compares; each disagreement must have its reason in conventions_cf.json
    python conventions_cf.py --list    prints the disagreements that have no reason yet, and ends well

Each case of the conformance corpus is a change of a document, which breaks a rule or keeps it. Of both
checkers it is asked whether the change brings anything that was not said of the document before: their
rules are cut differently, and what one tells in a sentence the other tells in two. What netCDF can't hold,
Zarr v2 and JSON values of other types among it, is left out and counted.

The checker knows CF to 1.11, and has tables of standard names and units, which zom has not.
"""

# ruff: noqa: T201 - it tells what it does

from __future__ import annotations

import json
import logging
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import netCDF4
import numpy as np
import share
from compliance_checker.suite import CheckSuite

import zom
from zom.testing.convention_cases import document_of

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
CASES = HERE.parent / "conformance" / "conventions" / "cf.json"
LIST = HERE / "conventions_cf.json"

# What is said of values, which the cases have none of, and of nothing at all.
OF_VALUES = ("lie outside", "does not cross", "found in same group", "monoton", "CF-1.11")


SIDES = ("only zom", "only compliance-checker")


class Verdicts(NamedTuple):
    zom: tuple[str, ...]
    peer: tuple[str, ...]

    def __sub__(self, other: Verdicts) -> Verdicts:
        return Verdicts(
            *(
                tuple(said for said in mine if said not in theirs)
                for mine, theirs in zip(self, other, strict=True)
            )
        )


class NotNetCDF(Exception):
    """What netCDF can't hold."""


def converted(value: Any, kind: Any) -> Any:
    """An attribute for netCDF: numbers in the type of the variable where it has them, as who writes netCDF does."""
    if isinstance(value, str):
        return value
    values = value if isinstance(value, list) else [value]
    if not values or any(isinstance(each, bool) or not isinstance(each, (int, float)) for each in values):
        raise NotNetCDF(f"an attribute {value!r}")
    array = np.asarray(value)
    if isinstance(kind, np.dtype) and kind.kind in "iuf":
        with np.errstate(all="ignore"):
            cast = array.astype(kind)
        if np.array_equal(cast, array):
            return cast
    return array if array.dtype.kind == "f" else array.astype("i4" if np.abs(array).max() < 1 << 31 else "i8")


OWN_TYPE = (
    "_FillValue",
    "missing_value",
    "valid_min",
    "valid_max",
    "valid_range",
    "actual_range",
    "flag_values",
    "flag_masks",
)


def variable_of(file: netCDF4.Dataset, name: str, node: dict[str, Any]) -> None:
    dims = node.get("dimension_names") or []
    if len(dims) != len(node["shape"]):
        raise NotNetCDF("dimensions without names")
    for dim, size in zip(dims, node["shape"], strict=True):
        if dim not in file.dimensions:
            file.createDimension(dim, size)
        elif len(file.dimensions[dim]) != size:
            raise NotNetCDF(f"two lengths of {dim}")
    written = node["data_type"]
    kind: Any = "S1" if isinstance(written, dict) else str if written == "string" else np.dtype(written)
    if isinstance(kind, np.dtype) and kind.kind not in "iuf":
        raise NotNetCDF(f"a data type {written}")
    attributes = {
        key: converted(value, kind if key in OWN_TYPE else None)
        for key, value in node.get("attributes", {}).items()
    }
    fill = attributes.pop("_FillValue", None)
    if isinstance(fill, str):
        if fill != "NaN":
            raise NotNetCDF(f"a fill value {fill!r}")
        fill = np.nan
    try:
        variable = file.createVariable(name, kind, dims, fill_value=fill)
        variable.setncatts(attributes)
    except (RuntimeError, TypeError, ValueError, OverflowError, AttributeError) as cause:
        raise NotNetCDF(str(cause)) from cause
    if isinstance(kind, np.dtype):
        variable[...] = np.arange(int(np.prod(node["shape"]))).reshape(node["shape"])


def written(document: dict[str, Any]) -> netCDF4.Dataset:
    if document.get("zarr_format") != 3 or any("members" in node for node in document["members"].values()):
        raise NotNetCDF("Zarr v2, or groups")
    file = netCDF4.Dataset("case.nc", "w", diskless=True, persist=False)
    try:
        file.setncatts({key: converted(value, None) for key, value in document["attributes"].items()})
        for name, node in document["members"].items():
            variable_of(file, name, node)
    except NotNetCDF:
        file.close()
        raise
    return file


def peer_says(document: dict[str, Any]) -> tuple[str, ...]:
    file = written(document)
    said: set[str] = set()
    try:
        results = CheckSuite().run_all(file, ["cf:1.11"], [])
    finally:
        file.close()
    for groups, errors in results.values():
        waiting = list(groups)
        while waiting:
            group = waiting.pop()
            waiting.extend(group.children or ())
            said.update(map(str, group.msgs))
        said.update(f"the checker failed: {error}" for error in errors)
    return tuple(sorted(each for each in said if not any(part in each for part in OF_VALUES)))


def verdicts(document: dict[str, Any]) -> Verdicts:
    peer = peer_says(document)
    report = zom.validate(document, conventions=["cf"])
    return Verdicts(tuple(str(problem) for problem in (*report, *report.resting)), peer)


def judged(content: dict[str, Any]) -> Iterator[tuple[str, Verdicts | None]]:
    """Each case that changes a document, and what is said of it that was not said before; None for one left out."""
    before: dict[str, Verdicts] = {}
    for rule in content["rules"]:
        for kind in ("pass", "fail"):
            for case in rule[kind]:
                if not ("change" in case or "remove" in case):
                    continue
                name = f"{kind} {rule['rule'].partition('/')[2]}/{case['name']}"
                if not share.is_chosen(name):
                    continue
                base = case["document"]
                try:
                    if base not in before:
                        before[base] = verdicts(content["documents"][base])
                    yield name, verdicts(document_of(case, content["documents"])) - before[base]
                except NotNetCDF:
                    yield name, None


def main() -> int:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    CheckSuite.load_all_available_checkers()
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    wrong = 0
    for name, new in judged(json.loads(CASES.read_text(encoding="utf-8"))):
        if new is None:
            counts["left out"] += 1
            continue
        agree = bool(new.zom) == bool(new.peer)
        side = "agree" if agree else "only zom" if new.zom else "only compliance-checker"
        counts[side] += 1
        known = [each for each in SIDES if listed[each].get(name) in listed["reasons"]]
        if known != ([] if agree else [side]):
            wrong += 1
            print(f"{name}: {side}, which is not as listed")
            print(
                *(f"    zom: {each}" for each in new.zom),
                *(f"    compliance-checker: {each}" for each in new.peer),
                sep="\n",
            )
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if wrong and "--list" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
