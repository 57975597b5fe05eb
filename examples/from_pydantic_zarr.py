"""For users of pydantic-zarr: model hierarchies, create them from arrays, compare, flatten and store them."""

from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

import zom
from zom import v3


class Attrs(TypedDict):
    """The attributes of a run."""

    name: str
    steps: int


class Run(v3.GroupSpec[Attrs, v3.ArraySpec[Any]]):
    """A group of arrays with these attributes."""


class Job(BaseModel):
    """Specs work as fields of pydantic models."""

    run: Run
    owner: str


arrays = {"a": np.zeros((4, 6), "i2"), "b": np.ones(3)}
run = Run(
    attributes={"name": "first", "steps": 2},
    members={k: v3.ArraySpec.from_array(v) for k, v in arrays.items()},
)
job = Job(run=run, owner="me")
assert Job.model_validate_json(job.model_dump_json()) == job
try:
    Run(attributes={"name": "second", "steps": "many"}, members={})  # type: ignore[typeddict-item]
except (ValidationError, zom.SpecError) as error:
    print(error)

# to_zarr and from_zarr: a whole hierarchy, all or nothing.
root = zom.materialize(run, "run.zarr", data=arrays)
assert Run.parse(zom.read("run.zarr").to_dict()) == run
print(zom.open_group("run.zarr").tree())

# to_flat and from_flat; like ignores what you leave out.
flat = run.flatten()
print(sorted(flat))
assert zom.unflatten(flat) == run
assert run.like(run.replace(attributes={"name": "other", "steps": 2}), ignore="/attributes/name")
print(zom.diff(run, root))
