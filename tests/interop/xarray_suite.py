"""xarray's own tests of its Zarr backend, with zom as the reader.

    python tests/interop/xarray_suite.py            compares with the list of differences
    python tests/interop/xarray_suite.py --list     prints every difference with its reason in the run

In an environment with zom, zarr-python 3, xarray, dask and pytest. xarray's wheel holds its tests: those about Zarr
are run as they are, with a plugin by which zom opens what engine "zarr" would (suites/through_zom.py); to_zarr
still writes. What fails is run again without the plugin: tests that fail there, too, say nothing of zom. The others
must stand in suites/xarray_differences.json with a reason, and each test that this names must fail. Left out are
tests that look into zarr-python (they patch its arrays, or count its requests), and those that only write.
ZOM_SHARE=2/3 runs the second third of the tests.
Ends with 1 where a test differs that is not listed, or is listed and does not.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path

import share
import xarray

HERE = Path(__file__).parent
LIST = HERE / "suites" / "xarray_differences.json"
TESTS = Path(xarray.__file__).parent / "tests"
FILES = ("test_backends.py", "test_backends_datatree.py")

INSIDE = ("test_indexing", "test_async_load_multiple_variables", "test_concurrent_load_multiple_objects")
"""Tests that wait for a call of zarr-python's own methods."""

WRITING = ("WriteEmpty", "Instrumented", "test_append", "test_write_region", "align_chunks", "safe_chunks")

CHOSEN = " and ".join(["(Zarr or zarr)", *(f"not {word}" for word in (*INSIDE, *WRITING))])

Outcomes = dict[str, tuple[str, str]]
"""Whether each test passed, and the last line of what it said."""


def run(engine: str, tests: list[str], *options: str) -> Outcomes:
    """The outcomes of these tests, with one engine."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "outcomes.jsonl")
        out.touch()
        path = os.pathsep.join([str(HERE / "suites"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "ENGINE": engine, "THROUGH_ZOM": str(out), "PYTHONPATH": path}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "through_zom", "-p", "no:cacheprovider"]
        command += ["--import-mode=importlib", "--tb=line", "-W", "ignore", *options, *tests]
        done = subprocess.run(
            command, cwd=folder, env=environment, check=False, capture_output=True, text=True
        )
        lines = out.read_text(encoding="utf-8").splitlines()
    if done.returncode not in {0, 1} or not lines:
        raise SystemExit(f"xarray's tests did not run:\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
    print(f"engine {engine}: {done.stdout.strip().splitlines()[-1].strip('= ')}", flush=True)
    records = [json.loads(line) for line in lines]
    return {each["test"]: (each["outcome"], each["reason"]) for each in records}


def failed(outcomes: Outcomes) -> set[str]:
    """The tests that failed."""
    return {test for test, (outcome, _) in outcomes.items() if outcome == "failed"}


def main() -> int:
    ours = run("zom", [str(TESTS / file) for file in FILES], "-k", CHOSEN)
    again = sorted(failed(ours))
    alone = failed(run("zarr", [f"{TESTS}/{test}" for test in again])) if again else set()
    differing = {test: ours[test][1] for test in again if test not in alone}
    listed: dict[str, str] = json.loads(LIST.read_text(encoding="utf-8"))
    if "--list" in sys.argv:
        print(json.dumps(differing, indent=2))
    unexpected = [test for test in differing if not any(fnmatchcase(test, each) for each in listed)]
    for test in unexpected:
        print(f"UNEXPECTED {test}: {differing[test][:300]}")
    stale = 0
    for pattern in listed:
        named = [test for test in ours if fnmatchcase(test, pattern) and test not in alone]
        wrong = [test for test in named if test not in differing] or (
            ["no such test"] if share.WHOLE and not named else []
        )
        stale += bool(wrong)
        for each in wrong:
            print(f"LISTED, and does not differ: {pattern}: {each}")
    passed = sum(outcome == "passed" for outcome, _ in ours.values())
    print(
        f"{passed} passed, {len(differing)} differ, {len(unexpected)} of these are not listed, "
        f"{len(alone)} fail with engine zarr, too, {stale} listed do not differ"
    )
    return 1 if unexpected or stale or passed < 500 // share.SHARES else 0


if __name__ == "__main__":
    sys.exit(main())
