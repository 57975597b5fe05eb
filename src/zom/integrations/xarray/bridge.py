"""The bridge behind `GroupSpec.from_tree(dataset)` and `spec.to_xarray()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from zom.model.bridge import Bridge, bridges
from zom.model.builders.chunking import refuse

if TYPE_CHECKING:
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["XarrayBridge", "bridge"]


class XarrayBridge:
    """The bridge to xarray."""

    name = "xarray"
    aliases: tuple[str, ...] = ()

    def spec_of(self, value: Any, family: Family) -> Spec:
        """Return the group spec of a Dataset, DataTree or DataArray.

        >>> import xarray as xr
        >>> from zom import v2
        >>> bridge.spec_of(xr.Dataset({"a": ("x", [1, 2])}), v2.GroupSpec.family)["a"].attributes
        {'_ARRAY_DIMENSIONS': ['x']}
        """
        from zom.integrations.xarray.spec import to_spec  # noqa: PLC0415 - registering loads nothing

        if family.zarr_format is None:
            fix = "use zom.v3.GroupSpec.from_tree"
            raise refuse("tree", "a format that xarray writes, v2 or v3", f"the {family.form} of v3", fix)
        return cast("Spec", to_spec(value, zarr_format=family.zarr_format))

    def value_of(self, spec: Spec, **options: Any) -> Any:
        """Return the Dataset or DataTree that a group spec describes.

        >>> from zom import v3
        >>> bridge.value_of(v3.GroupSpec(attributes={"a": 1}, members={})).attrs
        {'a': 1}
        """
        from zom.integrations.xarray.template import template  # noqa: PLC0415 - registering loads nothing

        return template(spec, **options)


bridge: Bridge = bridges.register(XarrayBridge())
"""The bridge to xarray."""
