"""Reports in SARIF, held against the schema of SARIF 2.1.0: one report of each case of the conventions.

    python tests/schemas/sarif_check.py SCHEMA

SCHEMA is the file in the npm package @microsoft/jest-sarif. The suppressions, related nodes and notes that
reports can have are among the cases; a report of a store is made here.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from jsonschema import Draft4Validator

import zom
from zom.conventions.report.sarif import sarif_of
from zom.testing.convention_cases import load_cases

CORPUS = Path(__file__).parents[1] / "conformance" / "conventions"
EACH = 5
"""One case in so many: rules have several."""


def stored():
    """The report of a store whose names need escapes."""
    films = zom.v3.GroupSpec(attributes={"coordinates": 7}, members={})
    with TemporaryDirectory() as directory:
        zom.materialize(zom.v3.GroupSpec(members={"a b%,:": films}), directory)
        report = zom.validate(directory, conventions=["xarray"], suppress="xarray/group-*@/none")
    return replace(report, subject="a.zarr", store="a.zarr")


def main(arguments):
    validator = Draft4Validator(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    broken = {"version": "2.1.0", "runs": [{"results": []}]}
    if validator.is_valid(broken):
        print("the schema takes a run without a tool: it is not the schema of SARIF")
        return 1
    reports = [stored()]
    for path in sorted(CORPUS.glob("*.json")):
        cases = load_cases(path)[::EACH]
        reports += [zom.validate(case.document, profile="full", suppress="*/*@/**/a") for case in cases]
    log = json.loads(sarif_of(reports))
    errors = [f"{list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(log)]
    print(*errors[:20], sep="\n", end="\n" if errors else "")
    results = log["runs"][0]["results"]
    suppressed = sum("suppressions" in result for result in results)
    related = sum("relatedLocations" in result for result in results)
    print(
        f"{len(results)} results, {suppressed} suppressed, {related} with related nodes: {len(errors)} errors"
    )
    return int(bool(errors) or not suppressed or not related)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
