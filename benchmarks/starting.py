"""What starting costs: imports, and the verbs of the command that need no values of arrays, as a shell calls them.

    python benchmarks/starting.py [--rounds N]

Each is a process of its own; all take turns in every round. What is printed are medians of the processor's time. All modules are
compiled before, as installed ones are, also where the environment keeps Python from it. Ends with 1 where a target is missed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import zom
from zom import v3
from zom.conventions import ome

PYTHON, PEERS, MODEL = "pass", "import numpy; from pydantic import BaseModel", "a model of pydantic"
PROGRAMS = {
    PYTHON: PYTHON,
    "import pydantic": "import pydantic",
    MODEL: "from pydantic import BaseModel\nclass Model(BaseModel):\n    number: int",
    PEERS: PEERS,
    "import zom": "import zom",
    "from zom import v3": "from zom import v3",
}
COMMANDS = {
    "zom --help": ["--help"],
    "zom tree, groups": ["tree", "groups.zarr"],
    "zom tree, arrays": ["tree", "arrays.zarr"],
    "zom validate, xarray and CF": ["validate", "climate.zarr"],
    "zom validate, OME-Zarr": ["validate", "image.zarr"],
    "zom validate --convention xarray": ["validate", "groups.zarr", "--convention", "xarray"],
    "zom dingus": ["dingus", "attributes", "image.json"],
}
COMMAND = "import sys; from zom.cli.start import start; sys.exit(start())"
PEER_PROGRAMS = {"pydantic_zarr.v3": "import pydantic_zarr.v3", "zarr_metadata": "import zarr_metadata"}


def make_stores(folder: Path) -> None:
    """Groups alone, groups of arrays, a dataset of a climate model, and an image of a microscope."""
    array = v3.ArraySpec.build(shape=(100, 100), dtype="float32", chunks=(10, 10))
    for name, member in (("groups", v3.GroupSpec(members={})), ("arrays", array)):
        members = {f"g{place}": v3.GroupSpec(members={"a": member, "b": member}) for place in range(6)}
        zom.materialize(v3.GroupSpec(members=members), folder / f"{name}.zarr")
    lines = {
        name: v3.ArraySpec.build(
            shape=(size,), dtype="float64", dimension_names=(name,), attributes=attributes
        )
        for name, size, attributes in (
            ("time", 12, {"units": "days since 2000-01-01", "standard_name": "time"}),
            ("lat", 90, {"units": "degrees_north", "standard_name": "latitude"}),
        )
    }
    about = {"units": "K", "standard_name": "air_temperature"}
    values = v3.ArraySpec.build(
        shape=(12, 90),
        dtype="float32",
        fill_value=float("nan"),
        dimension_names=("time", "lat"),
        attributes=about,
    )
    climate = v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members={**lines, "tas": values})
    zom.materialize(climate, folder / "climate.zarr")
    image = ome.image("cyx", (2, 64, 64), scale={"y": 0.5, "x": 0.5})
    zom.materialize(image, folder / "image.zarr")
    (folder / "image.json").write_text(json.dumps(image.to_dict()["attributes"]))


def measured(programs: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The milliseconds that each program takes, the start of Python included."""
    times: dict[str, list[float]] = {name: [] for name in programs}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        make_stores(Path(folder))
        for turn in range(rounds + 1):
            for name, (code, *words) in programs.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                command = [sys.executable, "-c", code, *words]
                subprocess.run(command, check=True, capture_output=True, env=environment, cwd=folder)
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
    programs = {name: [code] for name, code in {**PROGRAMS, **peers}.items()}
    commands = {name: [COMMAND, *words] for name, words in COMMANDS.items()}
    found = measured({**programs, **commands}, parser.parse_args().rounds)
    print("\n## Starting, milliseconds of the processor\n")
    print("| | all | without the start of Python |\n| --- | --- | --- |")
    for name, milliseconds in found.items():
        print(f"| {name} | {milliseconds:.0f} | {milliseconds - found[PYTHON]:.0f} |")
    print("\nTargets\n")
    targets = (
        ("import zom, relative to importing numpy and BaseModel", found["import zom"] / found[PEERS], 1.5),
        (
            "from zom import v3, relative to importing numpy and BaseModel",
            found["from zom import v3"] / found[PEERS],
            1.3,
        ),
        ("zom --help, ms", found["zom --help"], 150),
        ("zom tree, ms", found["zom tree, arrays"], 150),
        *(
            (f"{name}, ms", found[name], 300)
            for name in COMMANDS
            if name.startswith(("zom validate", "zom dingus"))
        ),
    )
    for what, is_now, most in targets:
        print(f"- {'met' if is_now <= most else 'MISSED'}: {what}: {is_now:.2f}, at most {most:g}")
    return int(any(is_now > most for _, is_now, most in targets))


if __name__ == "__main__":
    sys.exit(main())
