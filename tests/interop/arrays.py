"""Arrays exchanged with everybody else, in both directions, bit for bit.

    python tests/interop/arrays.py              all peers that are there
    python tests/interop/arrays.py --update     and writes the table of support anew
    python tests/interop/arrays.py --peer zarrs --case 'v3 float32 *' --verbose

In an environment with requirements.txt beside this script, and zom. zarr-python 2 runs by the Python that
ZARR2_PYTHON names, GDAL 3.6 by one that has its own package (GDAL_PYTHON, else Debian's); what is missing is
named on a line that begins with SKIP. Each peer runs in a process of its own.

A difference must have its reason in arrays/known.json. Ends with 1 where one has none, where a reason
has nothing left to explain, where fewer arrays were exchanged than before, or where support.json, from
which docs/support.md is made, says other than what was seen.
"""

# ruff: noqa: T201 - it tells what it does
from __future__ import annotations

import argparse
import atexit
import os
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent / "arrays"))

import peers
import share
import summary
from cases import cases
from exchange import exchange, prepare

if TYPE_CHECKING:
    from cases import Case
    from exchange import Outcome, Prepared


Chosen = dict[str, tuple[peers.Peer, str]]
"""By name, the peers that are there, each with the Python that runs it."""

here: Any = None
"""What a process has of its own: a folder and a worker for each peer."""


def begin(folder: str, chosen: Chosen) -> None:
    """Start one of the processes that work through the cases."""
    global here  # noqa: PLW0603 - that is where processes keep what they have
    warnings.simplefilter("ignore")
    own = Path(folder) / str(os.getpid())
    own.mkdir()
    workers = {name: peers.Worker(peer, python) for name, (peer, python) in chosen.items()}
    here = own, {name: peer.forms for name, (peer, _) in chosen.items()}, workers
    atexit.register(end)


def end() -> None:
    for worker in here[2].values():
        worker.close()


def one(case: Case) -> tuple[Prepared, list[Outcome]]:
    """One case with all peers that know its format."""
    folder, forms, workers = here
    prepared = prepare(case, folder)
    outcomes = [exchange(prepared, name, workers[name]) for name in workers if case.form in forms[name]]
    return prepared.told(), outcomes


def present(only: str | None) -> tuple[Chosen, dict[str, str]]:
    """The peers that are there, and their versions; says which are not."""
    chosen: Chosen = {}
    versions: dict[str, str] = {}
    for peer in peers.ALL:
        if only not in {None, peer.name}:
            continue
        python = peer.python()
        if python is None:
            print(f"SKIP {peer.name}: {peer.missing}")
            continue
        worker = peers.Worker(peer, python)
        answer = worker.ask(act="versions")
        worker.close()
        if answer["error"] is not None:
            print(f"SKIP {peer.name}: {answer['error']}: see requirements.txt beside this script")
            continue
        chosen[peer.name], versions[peer.name] = (peer, python), answer["versions"]
        print(f"{peer.name}: {answer['versions']}")
    return chosen, versions


def main() -> int:
    parser = argparse.ArgumentParser(description="arrays exchanged with everybody else")
    parser.add_argument("--update", action="store_true", help="write support.json anew")
    parser.add_argument("--peer", help="only this one")
    parser.add_argument("--case", help="only cases whose name matches this pattern")
    parser.add_argument("--verbose", action="store_true", help="tell of what peers don't take, too")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    started = time.monotonic()
    chosen, versions = present(given.peer)
    wanted = [
        case
        for case in cases()
        if share.is_chosen(case.row) and (given.case is None or fnmatchcase(case.name, given.case))
    ]
    processes = max(2, os.cpu_count() or 1)
    with (
        tempfile.TemporaryDirectory(prefix="zom-arrays-") as folder,
        ProcessPoolExecutor(processes, get_context("spawn"), begin, (folder, chosen)) as pool,
    ):
        results = list(pool.map(one, wanted, chunksize=16))
    rows = given.peer is None and given.case is None
    code = summary.report(results, versions, rows=rows, update=given.update, verbose=given.verbose)
    print(f"{time.monotonic() - started:.0f} seconds")
    return code


if __name__ == "__main__":
    sys.exit(main())
