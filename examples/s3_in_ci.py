"""S3 in CI: a job writes to a bucket, validates the result as a reader would, and fails with a list of problems.

Without a bucket it uses one in memory, as tests do: `BUCKET=s3://my-bucket/run-1 python s3_in_ci.py` writes to S3.
"""

import json
import os
import sys

import numpy as np
from obstore.store import MemoryStore

import zom

place = os.environ.get("BUCKET") or MemoryStore()
store = zom.store(place)

# A job may restart: "a" opens existing nodes and creates missing ones.
with zom.open_group(store, "nightly", mode="a", attributes={"runs": []}) as root:
    result = root.require_array("residuals", shape=(0, 64), dtype="float32", chunks=(16, 64), shards=(64, 64))
    result.append(np.random.default_rng(1).normal(size=(24, 64)).astype("float32"))
    root.attrs["runs"].append({"commit": os.environ.get("GITHUB_SHA", "local"), "rows": result.shape[0]})
    zom.consolidate(store, "nightly")

# Read as a user would: one request for all documents, and decode every chunk.
report = zom.check(store, path="nightly", data="all")
print(json.dumps({"ok": report.ok, "problems": [problem.to_dict() for problem in report.problems]}))

with zom.open_group(store, "nightly") as root:
    residuals = root.arrays()["residuals"]
    stored = residuals.stored()
    print(f"{residuals.shape[0]} rows, {stored.count} objects, {stored.nbytes:,} bytes")
sys.exit(0 if report.ok else 1)
