"""The base class of array specs of every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from zom.model.builders.from_array import arguments_of, document_in
from zom.model.spec import Spec

if TYPE_CHECKING:
    from typing import Self

    from zom.model.family import NodeKind

__all__ = ["Array"]


class Array(Spec):
    """A node with chunks."""

    kind: ClassVar[NodeKind] = "array"

    @classmethod
    def from_array(cls, array: Any, **changes: Any) -> Self:
        """Build a spec from an existing array: numpy, h5py, dask, xarray, zarr; `changes` go to `build`.

        >>> import numpy as np
        >>> from zom import v2, v3
        >>> v3.ArraySpec.from_array(np.zeros((2, 3), "datetime64[s]")).data_type["name"]
        'numpy.datetime64'
        >>> v2.ArraySpec.from_array(np.zeros((2, 3), "S5")).dtype
        '|S5'
        """
        document = None if changes else document_in(array)
        if document is not None and document["zarr_format"] == (cls.family.zarr_format or cls.family.form):
            return cls.parse(document, "lenient")
        own: Any = cls
        return cast("Self", own.build(**{**arguments_of(array), **changes}))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.__dict__["shape"])
