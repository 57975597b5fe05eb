"""What starting costs: imports, and the verbs of the command that need no values of arrays.

    python benchmarks/starting.py [--rounds N]

Each is a process of its own; all take turns in every round. What is printed are medians of the processor's time. All modules are
compiled before, as installed ones are, also where the environment keeps Python from it. Ends with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import zom
from zom import v3

PYTHON, PEERS, MODEL = "pass", "import numpy; from pydantic import BaseModel", "a model of pydantic"
PROGRAMS = {
    PYTHON: PYTHON,
    "import pydantic": "import pydantic",
    MODEL: "from pydantic import BaseModel\nclass Model(BaseModel):\n    number: int",
    PEERS: PEERS,
    "import zom": "import zom",
    "from zom import v3": "from zom import v3",
    "zom --help": "from zom.cli.main import main; main(['--help'])",
    "zom tree, groups": "import sys; from zom.cli.main import main; main(['tree', sys.argv[1]])",
    "zom tree, arrays": "import sys; from zom.cli.main import main; main(['tree', sys.argv[2]])",
}
PEER_PROGRAMS = {"pydantic_zarr.v3": "import pydantic_zarr.v3", "zarr_metadata": "import zarr_metadata"}


def stores(folder: str) -> list[str]:
    """The paths of two stores: groups alone, and groups of arrays."""
    array = v3.ArraySpec.build(shape=(100, 100), dtype="float32", chunks=(10, 10))
    made: list[str] = []
    for name, member in (("groups.zarr", v3.GroupSpec(members={})), ("arrays.zarr", array)):
        members = {f"g{place}": v3.GroupSpec(members={"a": member, "b": member}) for place in range(6)}
        made.append(str(Path(folder, name)))
        zom.materialize(v3.GroupSpec(members=members), made[-1])
    return made


def measured(programs: dict[str, str], rounds: int) -> dict[str, float]:
    """The milliseconds that each program takes, the start of Python included."""
    times: dict[str, list[float]] = {name: [] for name in programs}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        places = stores(folder)
        for turn in range(rounds + 1):
            for name, code in programs.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                command = [sys.executable, "-c", code, *places]
                subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                if turn:
                    times[name].append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return {name: statistics.median(found) * 1e3 for name, found in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    peers = {
        name: code for name, code in PEER_PROGRAMS.items() if importlib.util.find_spec(name.partition(".")[0])
    }
    found = measured({**PROGRAMS, **peers}, parser.parse_args().rounds)
    print("\n## Starting, milliseconds of the processor\n")
    print("| | all | without the start of Python |\n| --- | --- | --- |")
    for name, milliseconds in found.items():
        print(f"| {name} | {milliseconds:.0f} | {milliseconds - found[PYTHON]:.0f} |")
    print("\nTargets\n")
    targets = (
        ("import zom, of numpy and BaseModel", found["import zom"] / found[PEERS], 1.5),
        ("from zom import v3, of numpy and BaseModel", found["from zom import v3"] / found[PEERS], 1.3),
        ("zom --help, ms", found["zom --help"], 150),
        ("zom tree, ms", found["zom tree, arrays"], 150),
    )
    for what, is_now, most in targets:
        print(f"- {'met' if is_now <= most else 'MISSED'}: {what}: {is_now:.2f}, at most {most:g}")
    return int(any(is_now > most for _, is_now, most in targets))


if __name__ == "__main__":
    sys.exit(main())
