"""A library with its own format: Python classes for its files, JSON Schema for readers in TypeScript.

The two files that it writes go into the TypeScript package: `schema.json` for ajv, which checks documents, and
`types.json` for json-schema-to-typescript, which makes types of it: `npx json2ts types.json types.d.ts`.
"""

import json
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

import zom
from zom import v3


class StationAttributes(TypedDict):
    """The attributes of every station."""

    name: str
    height: float


class Station(v3.GroupSpec[StationAttributes, v3.ArraySpec[Any]]):
    """A station: attributes, and only arrays as members."""


def station(name: str, height: float, hours: int) -> Station:
    """The spec of a new station."""
    time = v3.ArraySpec[Any].build(shape=hours, dtype="int64", dimension_names=("time",))
    wind = v3.ArraySpec[Any].build(shape=hours, dtype="float32", chunks=24, dimension_names=("time",))
    return Station(attributes={"name": name, "height": height}, members={"time": time, "wind": wind})


if __name__ == "__main__":
    Path("schema.json").write_text(json.dumps(zom.json_schema(Station)), encoding="utf-8")
    Path("types.json").write_text(json.dumps(zom.json_schema(Station, flavour="codegen")), encoding="utf-8")
    with zom.materialize(station("Zugspitze", 2962.0, 48), "zugspitze.zarr") as root:
        root.arrays()["wind"][:] = 12.5
    read = Station.parse(zom.read("zugspitze.zarr").to_dict())
    print(read.attributes["name"], sorted(read.members or {}))
    wrong = zom.read("zugspitze.zarr").to_dict()
    wrong["attributes"]["height"] = "high"
    for problem in Station.check(wrong):
        print(problem)
