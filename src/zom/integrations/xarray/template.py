"""Templates: lazy datasets that a spec describes, filled with fill values."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from zom.handles.changes import materialize
from zom.model.builders.chunking import refuse
from zom.model.operand import check_is_spec
from zom.model.output import member_specs
from zom.packages import imported
from zom.stores.memory import MemoryStore

if TYPE_CHECKING:
    from zom.model.spec import Spec

__all__ = ["template"]


def template(spec: Spec, *, chunks: Any = None, decode_cf: bool = True) -> Any:
    """Return a Dataset of fill values that a group spec describes, or a DataTree if it has child groups.

    It equals what `xr.open_dataset` returns for a store without any data. Values are created on access and
    take no memory before. Coordinates have no indexes, which would hold all their values: create one with
    `ds.set_xindex`. (Versions of xarray without `create_default_indexes` always create them.) With `chunks`,
    as in `xr.open_dataset`, variables are dask arrays.

    >>> from zom import v3
    >>> t = v3.ArraySpec.build(shape=(10**6, 10**6), dtype="float32", dimension_names=["y", "x"], fill_value=7)
    >>> ds = template(v3.GroupSpec(attributes={"title": "a"}, members={"t": t}))
    >>> dict(ds.sizes), ds.attrs, ds["t"][:1, :2].values.tolist()
    ({'y': 1000000, 'x': 1000000}, {'title': 'a'}, [[7.0, 7.0]])
    """
    xarray: Any = imported("xarray", "xarray")
    from zom.integrations.xarray.backend import ZomBackend  # noqa: PLC0415 - it needs xarray

    check_is_spec(spec)
    if spec.kind != "group":
        raise refuse("spec", "the spec of a group", f"the spec of an {spec.kind}", "move it into a group")
    members = member_specs(spec)
    if members is None:
        raise refuse("spec", "a group with known members", "a group with members=None")
    group = materialize(spec, MemoryStore())
    has_groups = any(member.kind == "group" for member in members.values())
    opens = xarray.open_datatree if has_groups else xarray.open_dataset
    options: dict[str, Any] = {"decode_cf": decode_cf, "chunks": chunks, "cache": False}
    if "create_default_indexes" in signature(opens).parameters:  # older versions of xarray always create them
        options["create_default_indexes"] = False
    return opens(group, engine=ZomBackend, **options)
