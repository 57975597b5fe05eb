"""The codec `astype`: elements stored as another type; `numcodecs.astype` in v3.

https://numcodecs.readthedocs.io/en/stable/filter/astype.html
https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/numcodecs.astype
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from zom.codecs.numcodecs.dtype import StatedType, check_type, stated_type, typestr, viewed
from zom.codecs.numcodecs.filter import Filter, blocks_of, stored_fill
from zom.extension.codec import Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form
    from zom.problems import Fault, Path

__all__ = ["AsTypeConfiguration", "AsTypeV2Configuration", "astype"]


class AsTypeConfiguration(Configuration):
    """The stored type, and the decoded type: in v3 by default the type of the elements.

    >>> AsTypeConfiguration(encode_dtype="float32").canonical()
    {'encode_dtype': '<f4'}
    """

    encode_dtype: StatedType
    decode_dtype: StatedType | None = None

    def canonical(self) -> dict[str, Any]:
        """Return the given members, as typestrs."""
        return {name: typestr(text) for name, text in super().canonical().items()}


class AsTypeV2Configuration(Configuration):
    """The stored type and the decoded type.

    >>> AsTypeV2Configuration(encode_dtype="<f4", decode_dtype="<f8").decode_dtype
    '<f8'
    """

    encode_dtype: StatedType
    decode_dtype: StatedType

    def canonical(self) -> dict[str, Any]:
        """Return both types, as typestrs."""
        return {name: typestr(text) for name, text in super().canonical().items()}


class AsType(Codec):
    """Elements of another type, in a chunk of the same shape."""

    name = "numcodecs.astype"
    kind: ClassVar[CodecKind] = "array->array"
    configuration = AsTypeConfiguration
    v2_id = "astype"
    v2_configuration = AsTypeV2Configuration

    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Elements | None:
        """Return elements of the stored type."""
        if not isinstance(before, Elements):
            return None
        inside = (*path, "configuration")
        decode_dtype: str | None = configuration.decode_dtype
        lengths, taken = before.lengths, before.data_type
        if decode_dtype is not None:
            taken = stated_type(decode_dtype, faults, (*inside, "decode_dtype"))
            check_type(before, taken, decode_dtype, faults, (*inside, "decode_dtype"))
            lengths = viewed(before, taken)
        stored = stated_type(configuration.encode_dtype, faults, (*inside, "encode_dtype"))
        fill = stored_fill(before, taken, stored, lambda array: array)
        return Elements(lengths, stored, fill)

    def bind(self, configuration: Any, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a filter that uses numpy's casts in both directions."""
        block, stored = blocks_of(self.name, before, after)
        decode_dtype: str | None = configuration.decode_dtype
        taken = stated_type(decode_dtype, [], ()) if decode_dtype is not None else None
        taken = taken or block.data_type
        there, back = stored.dtype, taken.numpy()
        return Filter(
            block, taken, stored, lambda array: array.astype(there), lambda array: array.astype(back)
        )


astype = codecs.register(AsType())
