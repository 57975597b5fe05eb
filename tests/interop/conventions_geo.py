"""What zom says of declared multiscales, spatial, proj, license and uom, beside what zarr-cm says.

    python tests/interop/conventions_geo.py           every disagreement must have its reason in a list
    python tests/interop/conventions_geo.py --list    prints the disagreements that have none

In an environment with zom, zarr-cm, zarr-python 3 and xarray. Documents that keep their convention are
spoiled by one to three mutations of their attributes, by a fixed seed; the cases of the conformance corpus
come on top. zarr-cm looks at the attributes of one node, so zom is given one node as well. conventions_geo.json
lists, by a short reason, the rules of zom that zarr-cm lacks, and what of zarr-cm's zom does not say.

Then pyramids that zom builds are written: zarr-cm accepts every group of them, and xarray opens all.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray
import zarr_cm

import zom
from zom import v3
from zom.conventions import multiscales
from zom.testing.convention_cases import load_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
LIST = HERE / "conventions_geo.json"
CASES = HERE.parent / "conformance" / "conventions"
NAMES = ("multiscales", "spatial", "proj", "license", "uom")
SEED = 11
MUTATIONS = 8000

# What stands in the place of a value: every JSON type, and near misses.
STRANGERS = (
    None, True, 0, 7, -1, 1.5, "", "x", "EPSG:4326", "../x", "a/b", "pixel", "affine", [], ["y", "x"], ["y"], [1, 2],
    [1.0, 0.0, 0.0, 0.0, -1.0, 0.0], [None], [[1]], {}, {"scale": [2.0]}, {"unit": "m"},
)  # fmt: skip
KEYS = ("asset", "derived_from", "scale", "spdx", "unit", "name", "x")


def nodes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every node of the cases that declares one of the conventions, alone: the convention, and its document."""
    for name in NAMES:
        for case in load_cases(CASES / f"{name}.json"):
            waiting = [case.document]
            while waiting:
                node = waiting.pop()
                waiting.extend(node.pop("members", {}).values())
                if node["zarr_format"] == 3 and _declares(node, getattr(zarr_cm, name).UUID):
                    yield name, node


def _declares(node: dict[str, Any], uuid: str) -> bool:
    entries = node.get("attributes", {}).get("zarr_conventions")
    return isinstance(entries, list) and any(
        isinstance(each, dict) and each.get("uuid") == uuid for each in entries
    )


def mutated(node: dict[str, Any], choose: random.Random) -> dict[str, Any]:
    """The node with something else in one to three places of its attributes."""
    node = copy.deepcopy(node)
    for _ in range(choose.randint(1, 3)):
        around, step = choose.choice(list(_places(node["attributes"])))
        kind = choose.random()
        if kind < 0.3:
            del around[step]
        elif kind < 0.45 and isinstance(around, list):
            around.append(copy.deepcopy(around[step]))
        elif kind < 0.55 and isinstance(around, dict):
            around[choose.choice(KEYS)] = copy.deepcopy(choose.choice(STRANGERS))
        else:
            around[step] = copy.deepcopy(choose.choice(STRANGERS))
        if not node["attributes"]:
            break
    return node


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """What holds each value below `value`, and the step to it."""
    steps = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for step in steps:
        yield value, step
        yield from _places(value[step])


def zom_says(name: str, node: dict[str, Any]) -> set[str]:
    """The rules that the node breaks, of those that are errors."""
    report = zom.validate(node, conventions=[name, "zarr-conventions"])
    return {each.code for each in (*report, *report.resting) if each.severity == "error"}


def zarr_cm_says(name: str, node: dict[str, Any]) -> str | None:
    """What zarr-cm raises; None where it accepts the node."""
    try:
        getattr(zarr_cm, name).validate_node_metadata(node)
    except (ValueError, TypeError, KeyError) as error:
        return str(error)
    return None


def compare(listed: dict[str, dict[str, str]], *, verbose: bool) -> int:
    """How many disagreements have no reason, and how many reasons are of no disagreement any more."""
    choose = random.Random(SEED)
    known = list(nodes())
    kept = [
        (name, node) for name, node in known if not zom_says(name, node) and zarr_cm_says(name, node) is None
    ]
    spoiled = [
        (name, mutated(node, choose)) for name, node in (choose.choice(kept) for _ in range(MUTATIONS))
    ]
    lacking: Counter[str] = Counter()
    met: set[str] = set()
    tally: Counter[str] = Counter()
    for name, node in [*known, *spoiled]:
        ours, theirs = zom_says(name, node), zarr_cm_says(name, node)
        tally["both refuse" if ours and theirs else "differ" if ours or theirs else "both accept"] += 1
        shown = f": {json.dumps(node['attributes'])}" if verbose else ""
        if ours and theirs is None:
            met |= ours
            lacking.update(f"only zom: {code}{shown}" for code in ours - listed["only zom"].keys())
        elif theirs is not None and not ours:
            words = next((each for each in listed["only zarr-cm"] if each in theirs), None)
            if words is None:
                lacking[f"only zarr-cm: {name}: {theirs}{shown}"] += 1
            else:
                met.add(words)
    for what, count in lacking.most_common():
        print(f"UNLISTED {what} ({count})")
    given = {**listed["only zom"], **listed["only zarr-cm"]}
    stale = sorted(given.keys() - met)
    stale += sorted(set(given.values()) ^ listed["reasons"].keys())
    for each in stale:
        print(f"STALE    {each}")
    print(
        f"{len(known)} nodes of cases, {len(spoiled)} spoiled: {dict(tally)}; {len(given)} disagreements listed"
    )
    return len(lacking) + len(stale)


WKT2 = (
    'PROJCRS["WGS 84 / UTM zone 32N",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",'
    'ELLIPSOID["WGS 84",6378137,298.257223563]]],CONVERSION["UTM zone 32N",METHOD["Transverse Mercator"]],'
    'CS[Cartesian,2],AXIS["(E)",east],AXIS["(N)",north],LENGTHUNIT["metre",1],ID["EPSG",32632]]'
)


def pyramids() -> Iterator[tuple[str, v3.GroupSpec]]:
    """What the helper builds, in every way that it can."""
    red = v3.ArraySpec.build(
        shape=(3, 65, 48), dtype="uint16", dimension_names=("band", "y", "x"), chunks=(1, 32, 32)
    )
    y = v3.ArraySpec.build(shape=(65,), dtype="float64", dimension_names=("y",))
    x = v3.ArraySpec.build(shape=(48,), dtype="float64", dimension_names=("x",))
    arrays = {"red": red, "y": y, "x": x}
    placed = [10.0, 0.0, 500000.0, 0.0, -10.0, 5000650.0]
    crs = {"code": "EPSG:32632", "wkt2": WKT2}
    yield "plain", multiscales.group(arrays, levels=3)
    yield "placed", multiscales.group(arrays, levels=4, transform=placed)
    yield (
        "projected",
        multiscales.group(arrays, levels=3, transform=placed, crs=crs, resampling_method="average"),
    )
    yield (
        "uneven",
        multiscales.group(arrays, levels=2, factor=(2, 3), names=("full", "less"), transform=placed, crs=crs),
    )
    yield "crs only", multiscales.group(arrays, crs=crs)


def build(folder: Path) -> int:
    """How many pyramids that zom builds are not what others take for whole."""
    wrong = 0
    for name, spec in pyramids():
        said = [str(problem) for problem in zom.validate(spec)]
        said += [f"zarr-cm: {each}" for each in _refused(spec)]
        root = zom.materialize(spec, folder / f"{name}.zarr")
        for level, group in spec.members.items():
            for array in group.members:
                handle = root[level][array]
                handle[...] = np.arange(handle.size).reshape(handle.shape)
        with xarray.open_datatree(folder / f"{name}.zarr", engine="zarr", consolidated=False) as tree:
            for level, group in spec.members.items():
                dataset = tree[level].to_dataset()
                lengths = {key: dict(dataset[key].sizes) for key in dataset.variables}
                wanted = {
                    key: dict(zip(each.dimension_names, each.shape, strict=True))
                    for key, each in group.members.items()
                }
                if lengths != wanted or int(dataset["red"].values.max()) != dataset["red"].size - 1:
                    said.append(f"xarray: {level} has {lengths}")
        for each in said:
            print(f"PYRAMID  {name}: {each}")
        wrong += bool(said)
    print(f"{len(list(pyramids()))} pyramids, {wrong} of them not whole")
    return wrong


def _refused(spec: v3.GroupSpec) -> Iterator[str]:
    for node in (spec, *spec.members.values()):
        document = json.loads(node.to_json())
        document.pop("members", None)
        for entry in document.get("attributes", {}).get("zarr_conventions", ()):
            said = zarr_cm_says(entry["name"], document)
            if said is not None:
                yield said


def main() -> int:
    warnings.simplefilter("ignore")
    listed = json.loads(LIST.read_text(encoding="utf-8"))
    lacking = compare(listed, verbose="--list" in sys.argv)
    with tempfile.TemporaryDirectory() as folder:
        wrong = build(Path(folder))
    return 1 if lacking or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
