"""How fast hierarchies are validated by conventions, beside the validators of OME-Zarr, all in one run.

    python benchmarks/conventions.py [ROUNDS]

An OME-Zarr 0.5 plate of 384 wells with 9 fields of two levels each, on a local disk, from the page cache:
zom reads and validates all of it, ome-zarr-models and yaozarrs do so each in its own way. And a product of
500 documents, as a spec and as JSON text, by xarray's and CF's rules, and by all that are found. Each contestant has its turn in every
round; the figures are medians. Ends with 1 where zom misses a target.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ome_zarr_models
import yaozarrs
import zarr

import zom
from zom import v3
from zom.conventions import ome

if TYPE_CHECKING:
    from collections.abc import Callable

missed: list[str] = []


def plate(rows: int = 16, columns: int = 24, fields: int = 9) -> Any:
    """A plate as a screen has it: every well with its fields, every field with two levels and its own name."""

    def field(well: str, number: int) -> Any:
        return ome.image(
            "cyx",
            (2, 1024, 1024),
            scale={"y": 0.5, "x": 0.5},
            levels=2,
            name=f"{well}, field {number}",
            channels=["DNA", "actin"],
        )

    return ome.plate(rows, columns, field=field, fields=fields)


def product(variables: int = 480) -> Any:
    """500 documents: a Dataset of many variables in ten groups."""
    axes = {
        "time": (48, {"units": "days since 2000-01-01", "calendar": "standard", "axis": "T"}),
        "lat": (181, {"units": "degrees_north", "axis": "Y"}),
        "lon": (360, {"units": "degrees_east", "axis": "X"}),
    }
    standard = {"time": "time", "lat": "latitude", "lon": "longitude"}
    coordinates = {
        name: v3.ArraySpec.build(
            shape=(size,),
            dtype="float64",
            dimension_names=(name,),
            attributes={**attributes, "standard_name": standard[name]},
        )
        for name, (size, attributes) in axes.items()
    }
    variable = v3.ArraySpec.build(
        shape=(48, 181, 360),
        dtype="float32",
        chunks=(24, 91, 180),
        dimension_names=tuple(axes),
        attributes={
            "units": "m s-1",
            "long_name": "the speed of something",
            "cell_methods": "time: lat: lon: point",
        },
    )
    groups = {
        f"group{number}": v3.GroupSpec(
            members={**coordinates, **{f"v{index}": variable for index in range(variables // 10 - 1)}}
        )
        for number in range(10)
    }
    return v3.GroupSpec(attributes={"Conventions": "CF-1.11"}, members=groups)


def medians(
    contestants: dict[str, Callable[[], Any]], rounds: int, slow: tuple[str, ...] = ()
) -> dict[str, float]:
    """The median time of each contestant; all take turns, and the first round does not count.

    Those that are `slow`, a minute and more, have one turn.
    """
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, act in contestants.items():
            if name in slow and turn != 1:
                continue
            start = time.perf_counter()
            act()
            if turn:
                taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def table(title: str, times: dict[str, float], targets: dict[str, float]) -> None:
    """The times, as ratios of zom's as well; a target that is missed is noted."""
    first = next(iter(times.values()))
    print(f"\n{title}\n\n| | ms | ÷ zom | target, ms |\n| --- | --- | --- | --- |")
    for name, seconds in times.items():
        target = targets.get(name)
        if target is not None and seconds > target:
            missed.append(f"{title}: {name}")
        print(
            f"| {name} | {seconds * 1e3:.1f} | {seconds / first:.2f} | {'' if target is None else f'{target * 1e3:.0f}'} |"
        )


def without_findings(report: Any) -> None:
    """A benchmark of rules that found faults, or none to check, would measure something else."""
    assert not report.problems, report.problems[:3]
    assert report.checked


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "plate.zarr")
        zom.materialize(plate(), place)
        table(
            "a plate of 384 wells with 9 fields, on a local disk",
            medians(
                {
                    "zom.validate": lambda: without_findings(zom.validate(place, conventions=["ome/0.5"])),
                    "zom.read": lambda: zom.read(place),
                    "yaozarrs": lambda: yaozarrs.validate_zarr_store(place),
                    "ome-zarr-models": lambda: ome_zarr_models.open_ome_zarr(
                        zarr.open_group(place, mode="r")
                    ),
                },
                rounds,
                slow=("ome-zarr-models",),
            ),
            {"zom.validate": 2.0},
        )
    spec = product()
    text = spec.to_json()
    asked = ["xarray", "cf"]
    table(
        f"a product of {sum(1 for _ in spec.walk())} documents, by xarray and CF",
        medians(
            {
                "zom.validate, a spec": lambda: without_findings(zom.validate(spec, conventions=asked)),
                "zom.validate, JSON text": lambda: without_findings(zom.validate(text, conventions=asked)),
                "zom.validate, auto": lambda: without_findings(zom.validate(spec)),
            },
            rounds * 3,
        ),
        {"zom.validate, a spec": 0.1, "zom.validate, auto": 0.13},
    )
    if missed:
        print("\nmissed:", *missed, sep="\n- ")
        sys.exit(1)


if __name__ == "__main__":
    main()
