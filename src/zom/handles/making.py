"""Making nodes: specs from users' arguments, and their documents and values in a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, cast

import numpy as np
from typing_extensions import TypedDict

from zom.errors import ConflictError
from zom.extension.resolve import are_alike, data_type
from zom.formats.resolve import resolve
from zom.hierarchy.change.along import form_above
from zom.hierarchy.change.conflicts import KIND, LAYOUT, conflict
from zom.hierarchy.change.create import chosen_spelling, create_node
from zom.hierarchy.stored.layout import LAYOUTS
from zom.hierarchy.stored.open_node import OpenNode
from zom.model.builders.build import shape_of
from zom.model.operand import check_is_spec
from zom.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zom.extension.bound import Array as NumpyArray
    from zom.extension.datatype import Format
    from zom.formats.full_spelling import Spelling
    from zom.hierarchy.stored.layout import Layout
    from zom.json.value import JSON
    from zom.model.builders.build import Compression, DTypeLike, ShardChoice
    from zom.model.builders.chunking import ChunkChoice
    from zom.stores.interface import Store

__all__ = [
    "ArrayFacts",
    "array_spec",
    "check_facts",
    "check_required",
    "checked_values",
    "chosen_form",
    "group_spec",
    "make_node",
]


class ArrayFacts(TypedDict, total=False):
    """The options of a new array: arguments of `ArraySpec.build`, of which each format takes those it has."""

    shape: int | Iterable[int]
    dtype: DTypeLike
    chunks: ChunkChoice
    shards: ShardChoice
    compress: Compression
    checksum: bool | None
    codecs: Sequence[str | Mapping[str, JSON]] | None
    filters: Sequence[Mapping[str, JSON]]
    fill_value: object
    order: Literal["C", "F"]
    separator: Literal["/", "."] | None
    dimension_names: Sequence[str | None] | None
    attributes: Mapping[str, Any] | None


_ELSEWHERE: Final = {
    "chunk_key_encoding": "pass separator= for v2 and the draft, and a spec for v3",
    "compressor": "pass compress=",
    "compressors": "pass compress=",
    "config": "see array.with_options()",
    "dimension_separator": "pass separator=",
    "name": "pass path=",
    "object_codec": "it follows from dtype=",
    "serializer": "pass codecs=, the whole chain",
    "storage_options": "pass zom.store(place, ...)",
    "synchronizer": "stores lock by themselves",
    "zarr_format": 'pass form="v2" or form="v3"',
    "zarr_version": 'pass form="v2" or form="v3"',
}
"""The equivalents of zarr-python's arguments."""


def array_spec(
    spec: Spec | None, form: Format, data: Any, facts: Mapping[str, Any], spelling: Spelling = "full"
) -> Spec:
    """The spec of a new array: the given one, or one in the format `form` built from values and options."""
    if spec is not None:
        check_is_spec(spec)
        if spec.kind != "array":
            raise TypeError(
                f"expected the spec of an array, found one of a {spec.kind}; see zom.create_group"
            )
        if facts:
            given = ", ".join(sorted(facts))
            raise TypeError(
                f"expected a spec or arguments that describe the array, got both: a spec and {given}"
            )
        return chosen_spelling(spec, spelling)
    check_facts(facts)
    kind: Any = LAYOUTS[form][0].family.classes["array"]
    if data is not None:
        return chosen_spelling(cast("Spec", kind.from_array(data, **facts)), spelling)
    if "shape" not in facts or "dtype" not in facts:
        raise TypeError("expected a spec, or shape= and dtype=, or data=, got none of them")
    return chosen_spelling(cast("Spec", kind.build(**facts)), spelling)


def check_facts(facts: Mapping[str, Any]) -> None:
    """Raise TypeError for options that no format has."""
    for name in facts:
        if name not in ArrayFacts.__annotations__:
            known = f"expected some of {', '.join(ArrayFacts.__annotations__)}"
            raise TypeError(f"unknown argument {name!r}; {_ELSEWHERE.get(name, known)}")


def group_spec(spec: Spec | None, form: Format, attributes: Mapping[str, Any] | None) -> Spec:
    """The spec of a new group: the given one, or one of the format `form` with these attributes."""
    if spec is None:
        kind: Any = LAYOUTS[form][0].family.classes["group"]
        return cast("Spec", kind() if attributes is None else kind(attributes=attributes))
    check_is_spec(spec)
    if spec.kind != "group":
        raise TypeError(f"expected the spec of a group, found one of an {spec.kind}; see zom.create_array")
    if attributes is not None:
        raise TypeError("expected a spec, or attributes=, got both")
    return spec


def checked_values(values: Any) -> Any:
    """The values of a new array in numpy's form; TypeError for anything else."""
    if isinstance(values, Spec):
        _refuse("a spec", "create(path, spec) creates its node")
    if isinstance(values, OpenNode) or _is_of_zarr(values):
        _refuse(
            f"{type(cast('object', values)).__name__}, which is stored",
            "zom.copy(array, store, target_path=...) copies it",
        )
    if isinstance(values, dict):
        _refuse("dict", "create a group from it with GroupSpec.from_tree and zom.materialize")
    if values is None or isinstance(values, (set, frozenset)):
        _refuse(type(cast("object", values)).__name__, "pass a list or a numpy array")
    if isinstance(values, np.ndarray):
        return _unmasked(cast("NumpyArray", values))
    if hasattr(values, "shape") and hasattr(values, "dtype"):
        return values
    try:
        return np.asarray(values)
    except ValueError as error:
        _refuse(f"{type(values).__name__}: {error}", "pass lists of equal length")


def _unmasked(values: NumpyArray) -> NumpyArray:
    """The array itself, or the data of a masked array if no element is masked."""
    if type(values) is np.ndarray or not isinstance(values, np.ma.MaskedArray):
        return values
    if np.ma.getmaskarray(values).tobytes().strip(b"\0"):
        _refuse("masked elements, which Zarr doesn't support", "pass values.filled(...)")
    return values.data


def _is_of_zarr(values: object) -> bool:
    """Whether it is a group or an array of zarr-python."""
    return type(values).__module__.partition(".")[0] == "zarr"


def _refuse(found: str, fix: str) -> NoReturn:
    raise TypeError(f"expected values that numpy can convert to an array, found {found}; {fix}")


def chosen_form(store: Store, path: str, spec: Spec | None, form: Format | None) -> Format:
    """The format of a new node: that of its spec, the requested one, that of its hierarchy, or v3."""
    if isinstance(spec, Spec):
        return spec.family.form
    if form is not None and form not in LAYOUTS:
        raise ValueError(f"form: expected one of {', '.join(map(repr, LAYOUTS))}, got {form!r}")
    return form or form_above(store, path) or "v3"


def make_node(store: Store, spec: Spec, path: str, *, data: Any = None, overwrite: bool = False) -> Layout:
    """Write a new node, and the values of an array."""
    if data is None and not overwrite:
        return create_node(store, spec, path)
    from zom.hierarchy.new_node import new_node  # noqa: PLC0415 - loads the planning code

    return new_node(store, spec, path, data=None if data is None else {"/": data}, overwrite=overwrite)


def check_required(node: OpenNode, kind: str, facts: Mapping[str, Any]) -> None:
    """Raise ConflictError unless the node has the kind and, for arrays, the requested shape and data type."""
    spec, path, url = node.spec, node.path, node.store.url
    if spec.kind != kind:
        wanted, found = (f"an {each}" if each == "array" else f"a {each}" for each in (kind, spec.kind))
        raise ConflictError([conflict(KIND, path, wanted, found, "choose another name")], url)
    fix = "open it as it is, or replace it with create_array(..., overwrite=True)"
    if "shape" in facts and shape_of(facts["shape"]) != (shape := tuple(spec.__dict__["shape"])):
        wanted, found = f"the shape {shape_of(facts['shape'])}", f"{shape}"
        raise ConflictError([conflict(LAYOUT, path, wanted, found, fix)], url)
    if facts.get("dtype") is not None and not _is_of_type(spec, facts["dtype"]):
        wanted, found = f"the data type {data_type(facts['dtype']).name}", f"{resolve(spec).type_name}"
        raise ConflictError([conflict(LAYOUT, path, wanted, found, fix)], url)


def _is_of_type(spec: Spec, dtype: Any) -> bool:
    """Whether the elements have that data type, in any byte order."""
    found = resolve(spec).data_type
    return found is not None and are_alike(found, data_type(dtype))
