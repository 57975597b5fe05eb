"""A plugin for pytest: what xarray's engine "zarr" opens, zom opens; each test's outcome is written down.

THROUGH_ZOM names the file of outcomes, a line of JSON for each test; ENGINE is "zom", or "zarr" for no change. With
ZOM_SHARE=2/3 the second third of the tests runs through zom.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xarray.backends.zarr import ZarrBackendEntrypoint
from zarr.storage import MemoryStore

from zom.integrations.xarray.backend import ZomBackend

sys.path.append(str(Path(__file__).resolve().parents[1]))

import share

if TYPE_CHECKING:
    import pytest

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("ENGINE") == "zom":
        chosen = [item for item in items if share.is_chosen(name_of(item.nodeid))]
        config.hook.pytest_deselected(
            items=[item for item in items if not share.is_chosen(name_of(item.nodeid))]
        )
        items[:] = chosen


def name_of(nodeid: str) -> str:
    """The test, without the folder that it lies in."""
    return nodeid.rpartition("/")[2]


def pytest_runtest_logreport(report: Any) -> None:
    if report.when != "call":
        return
    record = {"test": name_of(report.nodeid), "outcome": report.outcome}
    record["reason"] = str(report.longrepr).strip().rpartition("\n")[2] if report.failed else ""
    with Path(os.environ["THROUGH_ZOM"]).open("a", encoding="utf-8") as out:
        out.write(json.dumps(record) + "\n")
