"""What xarray makes of a hierarchy: what it raises, and what it loses without a word."""

# ruff: noqa: BLE001 - whatever xarray raises is what was asked for

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zarr.storage import MemoryStore

_DATED = re.compile(r"\s*[A-Za-z]+\s+[A-Za-z]+\s+[+-]?\d+-\d.*")


class Opinion(NamedTuple):
    """Whether it opens, whole."""

    raised: str | None
    """The first exception, of opening or of loading; None where there was none."""
    lost: tuple[str, ...]
    """What was lost on the way, by a word or two."""


def ask(tree: dict[str, Any], store: MemoryStore) -> Opinion:
    """What open_zarr and open_datatree make of it, and of it with all coordinates decoded."""
    lost: list[str] = []
    raised: str | None = None
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            dataset = xr.open_zarr(store, consolidated=False, chunks=None)
            dataset.load()
            opened = xr.open_datatree(store, engine="zarr", consolidated=False)
            for each in opened.subtree:
                each.to_dataset().load()
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    else:
        lost.extend(_told(said))
        for path, node in _groups(tree):
            lost.extend(_losses(node, opened[path].to_dataset(inherit=False) if path else dataset))
        lost.extend(_of_references(store))
    return Opinion(raised, tuple(dict.fromkeys(lost)))


def _told(said: list[warnings.WarningMessage]) -> Iterator[str]:
    for each in said:
        text = str(each.message)
        if "Duplicate dimension names" in text:
            yield "a dimension of two"
        elif "_Unsigned" in text:
            yield "_Unsigned"
        elif "Ambiguous reference date" in text:
            yield "a date that is guessed"


def _of_references(store: MemoryStore) -> Iterator[str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            xr.open_datatree(store, engine="zarr", consolidated=False, decode_coords="all")
        except Exception:
            yield "references"
            return
    if any("not in variables" in str(each.message) for each in said):
        yield "references"


def _groups(tree: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    waiting = [("", tree)]
    while waiting:
        path, node = waiting.pop()
        yield path, node
        members = node.get("members", {}).items()
        waiting.extend((f"{path}/{name}", member) for name, member in members if "shape" not in member)


def _losses(group: dict[str, Any], dataset: xr.Dataset) -> Iterator[str]:
    arrays = {name: node for name, node in group.get("members", {}).items() if "shape" in node}
    attributes = group.get("attributes") or {}
    coordinates = attributes.get("coordinates", "")
    if not isinstance(coordinates, str) or any(word not in dataset.coords for word in coordinates.split()):
        yield "coordinates"
    for name, node in arrays.items():
        if name not in dataset.variables:
            # A DataTree has the coordinates that a child shares with its parents once, above.
            if node.get("attributes", {}).get("coordinates") is None and len(node["shape"]) == 1:
                continue
            yield "a variable"
            continue
        yield from _losses_of(node, dataset, name)


def _losses_of(node: dict[str, Any], dataset: xr.Dataset, name: str) -> Iterator[str]:
    attributes: dict[str, Any] = node.get("attributes") or {}
    variable = dataset.variables[name]
    if any(not isinstance(dim, str) or not dim for dim in variable.dims):
        yield "the name of a dimension"
    stale = attributes.get("_ARRAY_DIMENSIONS", node.get("dimension_names"))
    if node["zarr_format"] == 3 and stale != node.get("dimension_names"):
        yield "_ARRAY_DIMENSIONS"
    coordinates = attributes.get("coordinates")
    if isinstance(coordinates, str) and any(word not in dataset.coords for word in coordinates.split()):
        yield "coordinates"
    units = attributes.get("units")
    if isinstance(units, str) and _DATED.fullmatch(units) and variable.dtype.kind not in "MO":
        yield "a time"
    if "_FillValue" in attributes and node["zarr_format"] == 2:
        mask = variable.encoding.get("_FillValue")
        if not _same(mask, attributes["_FillValue"]):
            yield "_FillValue"
    if "_Unsigned" in attributes and attributes["_Unsigned"] not in ("true", "false"):
        yield "_Unsigned"


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, str):
        return left == right
    if right in ("NaN", "Infinity", "-Infinity") and left is not None:
        return _same(left, float(right))
    if left is None or right is None or isinstance(right, (list, dict)):
        return False
    both = np.asarray(left), np.asarray(right)
    return bool(both[0] == both[1]) or all(each.dtype.kind == "f" and np.isnan(each) for each in both)
