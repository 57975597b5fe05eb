"""Write dask arrays into arrays of a hierarchy; each task writes its own whole chunks.

All checks run before anything is written: whether the targets are writable, whether tasks would share a chunk
or shard, and whether the tasks can be sent to the processes that run them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from zom.errors import ConflictError, NotFound
from zom.handles.array import Array
from zom.handles.group import Group
from zom.integrations.dask.alignment import (
    aligned_chunks,
    alignment_problems,
    check_alignment,
    stored_axes,
)
from zom.integrations.dask.new_arrays import create_arrays, irregular_problems, spec_for
from zom.integrations.dask.tasks import Task, check_merged, check_sendable, computed, delayed, writing
from zom.packages import imported
from zom.paths import join, parse_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.model.spec import Spec
    from zom.problems import Problem

__all__ = ["Region", "store"]

Region: TypeAlias = "tuple[slice, ...]"
"""The target region of an array: a slice with step 1 for each dimension."""

_REALIGN = "rechunk the dask array, or pass rechunk=True"
_MOVE = "choose a region of whole chunks, or write this part with array[...] = data"


def store(  # noqa: PLR0913 - each is an option of the caller
    data: Any,
    target: Group | Array,
    *,
    regions: Region | Mapping[str, Region] | None = None,
    dimension_names: Mapping[str, Sequence[str | None]] | None = None,
    rechunk: bool = False,
    compute: bool = True,
    **options: Any,
) -> Any:
    """Write a dask array into an array, or a mapping of dask arrays by path into the arrays of a group.

    Missing arrays of a mapping are created first, all in one change, with the data's chunks and the names
    given by path in `dimension_names`. Data for an existing array goes to its region in `regions`, or
    replaces all of it.

    If two tasks would share a chunk or shard, a ConflictError names it and the legal regions, and nothing is
    written. Pass `rechunk=True` to rechunk the data so that tasks share none.

    Returns the array, or a dictionary of arrays by path. With `compute=False`, arrays are created now, and a
    `Delayed` that writes the data is returned. `options` go to `dask.compute`, such as `scheduler`.

    >>> import dask.array as da, zom
    >>> group = zom.create_group("memory:", zom.v3.GroupSpec())
    >>> found = store({"a/t": da.arange(10, chunks=4)}, group)
    >>> found["a/t"].chunks, int(found["a/t"][9])
    ((4,), 9)
    >>> store(da.ones(10, chunks=5), found["a/t"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zom.errors.ConflictError: memory://: /a/t: ...shares chunk 1 ([4:8]) with data chunk 1...
    """
    dask: Any = imported("dask.array", "dask")
    many = isinstance(data, Mapping)
    if many and isinstance(target, Group):
        mapping = cast("Mapping[str, Any]", data)
        tasks = _tasks_of(dask, mapping, target, cast("Any", regions), rechunk=rechunk)
        tasks = _with_arrays(tasks, target, dimension_names or {}, options, compute=compute)
    elif not many and isinstance(target, Array):
        if dimension_names is not None:
            raise TypeError(
                "dimension_names: an existing array keeps its names; pass them only for new arrays"
            )
        tasks = [_task(dask, target.path, data, target, cast("Any", regions), rechunk=rechunk)]
        check_sendable(target.store, [target], options, compute=compute)
    else:
        raise TypeError(
            "expected a dask array and an Array, or a mapping of dask arrays by path and a Group, "
            f"got {type(data).__name__} and {type(target).__name__}"  # pyright: ignore[reportUnknownArgumentType]
        )
    if not compute:
        return delayed(lambda: [writing(task) for task in tasks])
    computed([writing(task) for task in tasks], target.store, options)
    arrays = {task.path: cast("Array", task.target) for task in tasks}
    return arrays if many else tasks[0].target


# --- planning tasks ------------------------------------------------------------------------------------


def _tasks_of(
    dask: Any,
    data: Mapping[str, Any],
    group: Group,
    regions: Mapping[str, Region] | None,
    *,
    rechunk: bool,
) -> list[Task]:
    """Return the task for each path; raise one ConflictError with the problems of all paths."""
    group.check_writable()
    if regions is not None and not isinstance(regions, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("regions: expected a mapping from paths to tuples of slices")
    places = {"/".join(parse_path(path)): path for path in data}
    if len(places) < len(data):
        twice = sorted(set(data) - set(places.values()))
        raise ValueError(f"expected one dask array for a path, got another one at {twice[0]!r}")
    strange = sorted(set(regions or ()) - set(data))
    if strange:
        raise ValueError(f"regions: no data is given for {strange[0]!r}")
    tasks: list[Task] = []
    problems: list[Problem] = []
    for path, each in data.items():
        region = None if regions is None else regions.get(path)
        try:
            tasks.append(_task(dask, path, each, _there(group, path), region, rechunk=rechunk))
        except ConflictError as error:
            problems.extend(error.problems)
    check_alignment(group.store.url, problems)
    return tasks


def _there(group: Group, path: str) -> Array | None:
    try:
        found = group[path]
    except NotFound:
        return None
    if not isinstance(found, Array):
        raise TypeError(f"{group.store.url} {found.path}: expected an array or nothing, found a group")
    return found


def _task(  # noqa: PLR0913 - what to write, and where
    dask: Any, path: str, data: Any, target: Array | None, region: Region | None, *, rechunk: bool
) -> Task:
    """Return the task that writes one array, in chunks that tasks don't share."""
    if not isinstance(data, dask.Array):
        raise TypeError(
            f"{path}: expected a dask array, got {type(data).__name__}; see dask.array.from_array"
        )
    if any(math.isnan(length) for lengths in data.chunks for length in lengths):
        raise ValueError(
            f"{path}: expected known chunks, got {data.chunks}; call compute_chunk_sizes() first"
        )
    if target is not None:
        return _task_of_array(path, data, target, region, rechunk=rechunk)
    if region is not None:
        raise ValueError(f"regions: there is no array at {path!r} yet; create it, or leave out its region")
    if rechunk:
        data = data.rechunk(tuple(max(lengths) for lengths in data.chunks))
    check_alignment(path, irregular_problems(join(parse_path(path)), data.chunks))
    return Task(path, data, (0,) * data.ndim, None)


def _task_of_array(path: str, data: Any, target: Array, region: Region | None, *, rechunk: bool) -> Task:
    target.check_writable()
    target.check_current()
    starts = _starts(target, data, region)
    axes = stored_axes(target.spec)
    if rechunk:
        data = data.rechunk(aligned_chunks(data.chunks, axes, starts))
    names = [name or number for number, name in enumerate(target.dimension_names or range(data.ndim))]
    for whole, fix in ((False, _REALIGN), (True, _MOVE)):
        found = alignment_problems(target.path, data.chunks, axes, starts, names=names, whole=whole, fix=fix)
        check_alignment(target.store.url, found)
    check_merged(target.store, target.path, axes, starts, data.shape)
    return Task(path, data, starts, target)


def _starts(target: Array, data: Any, region: Region | None) -> tuple[int, ...]:
    """Return the index in the array where the data begins; raise ValueError if it doesn't fit its region."""
    where = f"{target.store.url} {target.path}"
    if region is None:
        region = (slice(None),) * target.ndim
    if not isinstance(region, tuple) or not all(isinstance(part, slice) for part in region):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{where}: regions: expected a tuple of slices, got {region!r}")
    if len(region) != target.ndim:
        raise ValueError(f"{where}: regions: expected {target.ndim} slices, got {len(region)}")
    parts = [part.indices(length) for part, length in zip(region, target.shape, strict=True)]
    if any(step != 1 for _, _, step in parts):
        raise ValueError(f"{where}: regions: expected slices with step 1, got {region!r}")
    shape = tuple(max(0, stop - start) for start, stop, _ in parts)
    if shape != data.shape:
        step = "pass its place in regions" if data.ndim == target.ndim else "reshape it"
        raise ValueError(f"{where}: expected data of the shape {shape}, got {data.shape}; {step}")
    return tuple(start for start, _, _ in parts)


# --- creating missing arrays ----------------------------------------------------------------------------


def _with_arrays(
    tasks: list[Task],
    group: Group,
    names: Mapping[str, Sequence[str | None]],
    options: Mapping[str, Any],
    *,
    compute: bool,
) -> list[Task]:
    """Create the missing arrays; return the tasks with their targets."""
    missing = [task for task in tasks if task.target is None]
    strange = sorted(set(names) - {task.path for task in missing})
    if strange:
        raise ValueError(f"dimension_names: {strange[0]!r} is not a new array")
    specs: dict[str, Spec] = {
        join(parse_path(task.path)): spec_for(group.spec, task.data, names.get(task.path)) for task in missing
    }
    there = [task.target for task in tasks if task.target is not None]
    check_sendable(group.store, there, options, compute=compute)
    if specs:
        create_arrays(group, specs)
    return [
        Task(task.path, task.data, task.starts, _there(group, task.path)) if task.target is None else task
        for task in tasks
    ]
