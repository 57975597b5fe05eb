"""A plugin for pytest: what xarray's engine "zarr" opens, zom opens; each test's outcome is written down.

THROUGH_ZOM names the file of outcomes, a line of JSON for each test; ENGINE is "zom", or "zarr" for no change.
"""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import Any

from xarray.backends.zarr import ZarrBackendEntrypoint
from zarr.storage import MemoryStore

from zom.integrations.xarray.backend import ZomBackend

INNER = ("store", "engine", "cache_members")
"""Arguments of engine "zarr" that are about objects of zarr-python."""


def through_zom(name: str) -> Any:
    """The method `name` of the engine, by zom."""
    theirs, ours = getattr(ZarrBackendEntrypoint, name), getattr(ZomBackend(), name)

    def opened(self: Any, filename_or_obj: Any, **options: Any) -> Any:
        if options.get("store") is not None:
            return theirs(self, filename_or_obj, **options)
        if isinstance(filename_or_obj, dict):
            filename_or_obj = MemoryStore(filename_or_obj)
        for each in INNER:
            options.pop(each, None)
        return ours(filename_or_obj, **options)

    opened.__signature__ = inspect.signature(theirs)  # type: ignore[attr-defined]
    return opened


if os.environ.get("ENGINE") == "zom":
    for method in ("open_dataset", "open_groups_as_dict", "open_datatree"):
        setattr(ZarrBackendEntrypoint, method, through_zom(method))


def pytest_runtest_logreport(report: Any) -> None:
    if report.when != "call":
        return
    record = {"test": report.nodeid.rpartition("/")[2], "outcome": report.outcome}
    record["reason"] = str(report.longrepr).strip().rpartition("\n")[2] if report.failed else ""
    with Path(os.environ["THROUGH_ZOM"]).open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")
