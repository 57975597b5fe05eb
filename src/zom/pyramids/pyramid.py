"""Pyramids: an image at several resolutions, each computed from the previous one, with metadata."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from zom.dataclass import dataclass
from zom.engine.workers import processors
from zom.errors import NotFound
from zom.handles import handles
from zom.handles.array import Array
from zom.hierarchy.copy.copy import place_in
from zom.hierarchy.executor import pool_of
from zom.hierarchy.stored.place import place_of
from zom.paths import join, parse_path
from zom.pyramids.blocks import computed_as
from zom.pyramids.design import CONVENTIONS, Choices, design_of, like_finest
from zom.pyramids.existing import convention_in, existing_of
from zom.pyramids.method import method_of
from zom.pyramids.source import source_of
from zom.pyramids.writing import Writing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal

    from zom.conventions.ome.build import Channel
    from zom.handles.group import Group
    from zom.hierarchy.executor import Executor
    from zom.pyramids.design import ConventionName
    from zom.pyramids.method import MethodName
    from zom.pyramids.scaling import Factors
    from zom.stores.interface import Store
    from zom.stores.opening import Place

__all__ = ["MEMORY", "pyramid"]

MEMORY = 1 << 25
"""The default for the bytes of the finer level that each thread holds."""


def pyramid(  # noqa: PLR0913 - each is an option of the caller
    image: Any,
    store: Place | None = None,
    path: str = "",
    *,
    method: MethodName = "mean",
    factors: Factors | None = None,
    levels: int | None = None,
    convention: ConventionName | None = None,
    axes: str | Sequence[str] | None = None,
    scale: Mapping[str, float] | Sequence[float] = (),
    translation: Mapping[str, float] | Sequence[float] = (),
    units: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    name: str | None = None,
    channels: Sequence[Channel] = (),
    on_conflict: Literal["refuse", "replace"] = "refuse",
    jobs: int | None = None,
    memory: int = MEMORY,
    progress: Callable[[int, int], object] | None = None,
    executor: Executor | None = None,
    **array: Any,
) -> Group:
    """Write `image` and smaller versions of it to the group at `path` of `store`; return the writable group.

    The image is a zom, numpy or dask array, or a similar one. Without `store`, or if the image is an array of
    that group, it is already the finest level, and the other levels are added next to it.

    Each element of a level is the `method` ("mean", "median", "mode", "max", "min", or "stride", the first)
    of a block of the previous level. `factors`: a number for the axes of space, default 2; numbers by axis,
    `{"y": 2, "x": 3}`, or one for each axis in order, `(2, 3)`, for every level; or a list of mappings, one
    per level. By default there are as many `levels` as leave no such axis longer than 1024.

    The attributes follow the `convention` "ome/0.5", "ome/0.4", "ome/0.6" or "multiscales"; `axes`, `scale`,
    `translation`, `units`, `types`, `name` and `channels` are as in `zom.conventions.ome.image`. Other
    keyword arguments go to `ArraySpec.build` for the arrays: `chunks`, `shards`, `compress`, `fill_value` ...

    The metadata is written last: readers never see an incomplete pyramid. With `on_conflict="replace"`,
    existing levels are deleted first; an image that may be read from them, or is coarser, is refused.
    `jobs` threads, or units of an `executor` (such as a `distributed.Client`), each hold `memory` bytes of
    the finer level, or one chunk if larger. `progress` gets the number of finished chunks and the total.

    >>> import numpy as np, zom
    >>> group = zom.pyramid(np.arange(24.0).reshape(4, 6), "memory:", axes="yx", scale=(0.5, 0.5), levels=2)
    >>> group["1"][...]
    array([[ 3.5,  5.5,  7.5],
           [15.5, 17.5, 19.5]])
    >>> group.attrs["ome"]["multiscales"][0]["datasets"][1]["coordinateTransformations"]
    [{'type': 'scale', 'scale': [1.0, 1.0]}, {'type': 'translation', 'translation': [0.25, 0.25]}]
    """
    how = method_of(method)
    _check(on_conflict, jobs, memory, convention)
    source = source_of(image)
    how.check(source.numpy_type, computed_as(source.numpy_type))
    pool = pool_of(executor, jobs)
    opened_here: list[Store] = []
    try:
        target = _target(image, store, path, opened_here)
        if pool is not None:
            pool.check(*([image.store] if isinstance(image, Array) else []), target=target.store)
        attributes = {} if target.group is None else dict(target.group.attrs)
        chosen = _convention(convention, target, attributes)
        found = convention_in(attributes)
        there = existing_of(attributes, found or chosen)
        old = None
        if target.first is not None:
            old = there if found == chosen else replace(there, entry={}, system=None)
        count = levels
        if old is not None and levels is None and on_conflict == "replace" and len(old.paths) > 1:
            count = len(old.paths)
        choices = Choices(
            how,
            chosen,
            axes=axes,
            factors=factors,
            levels=count,
            scale=scale,
            translation=translation,
            units=units,
            types=types,
            name=name,
            channels=channels,
            arrays=array,
        )
        design = design_of(source, choices, old, target.first or "0")
        arrays = dict(design.arrays)
        if target.first is not None:
            arrays = like_finest(cast("Array", image).spec, design.levels) if not array else arrays
            arrays.pop(target.first, None)
        writing = Writing(
            target.store,
            target.path,
            target.group,
            there,
            design,
            arrays,
            first=target.first,
            source=source,
            method=how,
            jobs=_jobs(jobs, source.image, target.store),
            memory=memory,
            tell=progress,
            pool=pool,
        )
        writing.prepare(on_conflict)
        return writing.run()
    except BaseException:
        for each in opened_here:
            each.close()
        raise


@dataclass(frozen=True, slots=True)
class _Target:
    """The target of the pyramid."""

    store: Store
    path: str
    group: Group | None
    """The existing group, if any."""
    first: str | None
    """The name of the image in the group, if it is already the finest level."""


def _target(image: Any, place: Place | None, path: str, opened_here: list[Store]) -> _Target:
    if place is None:
        if not isinstance(image, Array):
            raise TypeError(
                "store: expected a store, a path or a URL, got None; only an Array of zom has a default place"
            )
        if not parse_path(image.path):
            raise ValueError(
                "image: expected an array in a group, to write levels beside it, got one without a group"
            )
        store, where = image.store, join(parse_path(image.path)[:-1])
    else:
        store, where, _ = place_in(place, path, opened_here, read_only=False)
    try:
        found = handles.open(store, where, mode="r+")
    except NotFound:
        return _Target(store, where, None, None)
    group = handles.open_group(store, where, mode="r+") if isinstance(found, Array) else found
    first = None
    # Two stores may open the same directory.
    if isinstance(image, Array) and place_of(image.store, image.path)[:-1] == place_of(store, where):
        first = image.name
    return _Target(store, where, group, first or None)


def _convention(given: ConventionName | None, target: _Target, attributes: Mapping[str, Any]) -> str:
    """Return the given convention, or the group's, or the default for its format."""
    form = None if target.group is None else target.group.layout.family.form
    chosen: str = given or convention_in(attributes) or ("ome/0.4" if form == "v2" else "ome/0.5")
    if chosen not in CONVENTIONS:
        message = f"convention: expected one of {', '.join(CONVENTIONS)}, found {chosen!r} in the group"
        raise ValueError(f"{message}; pass convention=")
    wanted = "v2" if chosen == "ome/0.4" else "v3"
    if form not in {None, wanted}:
        raise ValueError(
            f"convention: {chosen!r} is for {wanted} groups, but {target.path or '/'} in {target.store.url} is {form}; "
            f"choose {'ome/0.4' if form == 'v2' else 'ome/0.5'!r}, or another place"
        )
    return chosen


def _check(on_conflict: object, jobs: object, memory: object, convention: object) -> None:
    if on_conflict not in {"refuse", "replace"}:
        raise ValueError(f'on_conflict: expected "refuse" or "replace", got {on_conflict!r}')
    if convention is not None and convention not in CONVENTIONS:
        raise ValueError(f"convention: expected one of {', '.join(CONVENTIONS)}, got {convention!r}")
    for what, number in (("jobs", jobs), ("memory", memory)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            raise ValueError(f"{what}: expected an integer from 1, got {number!r}")


def _jobs(given: int | None, image: Any, store: Store) -> int:
    if given is not None:
        return given
    far = store.capabilities.parallel > 1 or (
        isinstance(image, Array) and image.store.capabilities.parallel > 1
    )
    return max(processors(), 4) if far else processors()
