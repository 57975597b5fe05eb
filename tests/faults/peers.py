"""The same faults for zom and its peers: `python tests/faults/peers.py zom=PYTHON zarr-python=PYTHON ...`.

Each subject is measured in the environment of its own interpreter; the subjects are zom, zarr-python,
zarr-python 2 and tensorstore. Prints what every change leaves when a system call of it fails, or the process is
killed there. `--figures` keeps that for docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import figures
import shim

WORKER = Path(__file__).with_name("peer_worker.py")
VERDICTS = ("old", "new", "lost", "unreadable", "crashed")


def measure(name, python, library, every):
    """The version of a subject, and what came of each of its changes."""
    command = [python, str(WORKER), name, str(every)]
    environment = shim.environment(library)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        version = json.loads(process.stdout.readline())["version"]
        print(f"{name} {version}")
        changes = {}
        for line in process.stdout:
            made = json.loads(line)
            changes[made.pop("change")] = made
            show(made, list(changes)[-1])
    if process.returncode:
        sys.exit(f"{name} ended with {process.returncode}")
    return {"version": version, "changes": changes}


def show(made, what):
    counts = made["counts"]
    cells = ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
    print(
        f"  {what:26} {made['calls']:4} calls, {counts['trials']:4} trials: {cells}; {made['seconds']} s",
        flush=True,
    )
    for verdict in ("lost", "unreadable", "crashed"):
        if verdict in made["examples"]:
            print(f"      {verdict}: {made['examples'][verdict]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("subjects", nargs="+", metavar="NAME=PYTHON")
    parser.add_argument("--every", type=int, default=1, help="only each n-th call")
    parser.add_argument("--figures", action="store_true", help="keep the figures for docs/reliability.md")
    arguments = parser.parse_args()
    if reason := shim.missing():
        sys.exit(reason)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        library = shim.build(folder)
        for given in arguments.subjects:
            name, _, python = given.partition("=")
            found[name] = measure(name, python or sys.executable, library, arguments.every)
    if arguments.figures:
        for subject in found.values():
            for made in subject["changes"].values():
                del made["examples"], made["seconds"]
        figures.add("peers", {"every": arguments.every, "subjects": found})
    lost = sum(
        made["counts"].get(bad, 0)
        for made in found.get("zom", {"changes": {}})["changes"].values()
        for bad in VERDICTS[2:]
    )
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
