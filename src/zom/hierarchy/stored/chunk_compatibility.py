"""Agreement: whether the stored chunks of one array mean the same in another, byte for byte.

They do if both arrays have the same grid, the same fill value and codecs that give the same bytes, whatever
their keys are. Arrays of two formats are compared after conversion to v3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.conversion.trees import convert
from zom.errors import ConversionError
from zom.model.compare import document_changes

if TYPE_CHECKING:
    from zom.engine.plan import ArrayPlan
    from zom.extension.datatype import DataType
    from zom.model.spec import Spec

__all__ = ["disagreement", "same_elements", "same_fill"]

_BESIDE_CHUNKS = (
    "/attributes",
    "/attributes/**",
    "/dimension_names",
    "/dimension_names/**",
    "/chunk_key_encoding",
    "/chunk_key_encoding/**",
    "/dimension_separator",
    "/chunk_grid/separator",
    "/fill_value",
    "/fill_value/**",
)
"""Members of a document that don't affect the bytes of chunks; fill values are compared by their bits."""

_CODECS = frozenset(
    {"codecs", "filters", "compressor", "storage_transformers", "order", "chunk_memory_layout"}
)


def same_elements(old: DataType, new: DataType) -> bool:
    """Whether two data types have the same values, in any byte order.

    >>> import zom.dtypes
    >>> from zom.extension.resolve import parse_v2, parse_v3
    >>> same_elements(parse_v2(">i2", None, []), parse_v3("int16", []))
    True
    """
    old, new = old.present(), new.present()
    if old == new:
        return True
    try:
        return bool(old.to_json("v3") == new.to_json("v3"))
    except ConversionError:
        return old.kind == new.kind != "object" and _native(old.numpy()) == _native(new.numpy())


def _native(dtype: Any) -> Any:
    return dtype.newbyteorder("=")


def same_fill(old: ArrayPlan, new: ArrayPlan) -> bool:
    """Whether elements that were never written read the same, bit for bit."""
    a, b = old.fill, new.fill
    if a.dtype.kind in "OT" or b.dtype.kind in "OT":
        return bool(a[()] == b[()]) and type(a[()]) is type(b[()])
    return a.astype(_native(a.dtype)).tobytes() == b.astype(_native(b.dtype)).tobytes()


def disagreement(old: Spec, new: Spec, plans: tuple[ArrayPlan, ArrayPlan]) -> str:
    """Why the chunks of `old` can't be used as those of `new`; empty if they can.

    >>> from zom import v2
    >>> from zom.engine.compile import compile_plan
    >>> old = v2.ArraySpec.build(shape=(4,), dtype=">i2", chunks=(2,))
    >>> new = convert(old, "v3").spec
    >>> disagreement(old, new, (compile_plan(old), compile_plan(new)))
    ''
    >>> other = new.replace(codecs=[{"name": "bytes", "configuration": {"endian": "big"}}])
    >>> disagreement(old, other, (compile_plan(old), compile_plan(other)))
    'codecs differ'
    """
    if plans[0].axes != plans[1].axes:
        return "chunks differ"
    if not same_fill(*plans):
        return "fill values differ"
    if old.family is not new.family:
        both = [_as_v3(old), _as_v3(new)]
        if both[0] is None or both[1] is None:
            return "v3 can't express it"
        old, new = both
    names = {
        str(change.inside[0]) for change in document_changes(old, new, ignore=_BESIDE_CHUNKS) if change.inside
    }
    if not names:
        return ""
    if names & _CODECS:
        return "codecs differ"
    return f"{min(names).replace('_', ' ')} differs"


def _as_v3(spec: Spec) -> Any:
    try:
        return convert(spec, "v3").spec
    except ConversionError:
        return None
