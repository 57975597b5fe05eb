"""VCF Zarr: variant calls, with one array per field of a VCF file.

https://github.com/sgkit-dev/vcf-zarr-spec, versions 0.4 (Zarr v2) and 0.5, which adds 2-byte floats and, as
an experiment, Zarr v3. Fields with Number 1 have no dimension for it, as bio2zarr writes them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from zom.checks.check import Breach, Site, Skip
from zom.checks.references import is_of_kind
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.registered import register
from zom.conventions.framework.rulebook import Functions, read_rulebook
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.conventions.framework.convention import Convention
    from zom.formats.node_view import Node

__all__ = ["VCF_ZARR_0_4", "VCF_ZARR_0_5"]


class Header(Attributes):
    """The attributes of the group: the version, the writer, and header lines that no array holds."""

    vcf_zarr_version: str
    source: str = ""
    vcf_meta_information: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []  # noqa: RUF012 - pydantic copies it


# --- the fields of INFO and FORMAT -------------------------------------------------------------------------


def _fields(node: Node, prefix: str) -> list[Node]:
    """The arrays of fields that only the header of a VCF file names."""
    return [each for name, each in node.arrays.items() if name.startswith(prefix) and name not in _NAMED]


def _begin_along(site: Site, prefix: str, dims: list[str]) -> Iterator[Breach] | Skip:
    """Check that fields have these dimensions first, and at most one more."""
    found = [each for each in _fields(site.node, prefix) if each.dims is not None]
    return _first(found, dims) if found else Skip(f"no arrays {prefix}*")


def _first(found: Iterable[Node], dims: list[str]) -> Iterator[Breach]:
    for node in found:
        names = node.dims or ()
        if not len(dims) <= len(names) <= len(dims) + 1:
            wanted = f"{show(dims)}, and at most one more"
            yield Breach(node, node.dims_path, wanted, show(list(names)))
            continue
        for place, (wanted, name) in enumerate(zip(dims, names, strict=False)):
            if name != wanted:
                yield Breach(node, (*node.dims_path, place), show(wanted), show(name))


def _is_character(node: Node) -> bool:
    """Whether the array holds one-character strings."""
    if node.form == "v2":
        return str(node.document.get("dtype")).lstrip("<>|=") == "U1"
    data_type = node.document.get("data_type")
    inner = data_type.get("configuration") if is_dict(data_type) else None
    return is_dict(inner) and inner.get("length_bytes") == 4


def _are_of_a_type(site: Site, kinds: list[str]) -> Iterator[Breach] | Skip:
    """Check that fields have one of these kinds of data types, or characters."""
    found = [*_fields(site.node, "variant_"), *_fields(site.node, "call_")]
    return _typed(found, kinds) if found else Skip("no arrays variant_* and call_*")


def _typed(found: Iterable[Node], kinds: list[str]) -> Iterator[Breach]:
    for node in found:
        is_character = node.dtype == "fixed_length_utf32" and _is_character(node)
        if node.dtype is not None and not is_of_kind(node.dtype, kinds) and not is_character:
            expected = f"a data type {', '.join(kinds)}, or characters"
            yield Breach(node, node.dtype_path, expected, node.dtype)


# --- masks, filters and the region index -------------------------------------------------------------------


def _masks(site: Site) -> list[tuple[Node, Node]]:
    """Each mask and fill array, with the array that it applies to."""
    arrays = site.node.arrays
    return [
        (mask, arrays[name])
        for name in arrays
        for end in ("_mask", "_fill")
        if (mask := arrays.get(f"{name}{end}")) is not None
    ]


def _masks_are_boolean(site: Site) -> Iterator[Breach] | Skip:
    found = _masks(site)
    if not found:
        return Skip("no masks")
    return (
        Breach(mask, mask.dtype_path, "bool", mask.dtype or "none", None, (node.path,))
        for mask, node in found
        if mask.dtype != "bool"
    )


def _masks_fit(site: Site) -> Iterator[Breach] | Skip:
    found = _masks(site)
    if not found:
        return Skip("no masks")
    return (
        Breach(mask, ("shape",), f"{show(list(node.shape or ()))}, as {node.path}", show(list(mask.shape or ())),
               None, (node.path,))
        for mask, node in found
        if None not in (mask.shape, node.shape) and mask.shape != node.shape
    )  # fmt: skip


def _index_is_typed(site: Site) -> Iterator[Breach] | Skip:
    index, position = (site.node.arrays.get(name) for name in ("region_index", "variant_position"))
    if index is None or position is None or position.dtype is None or not is_of_kind(index.dtype, ["int"]):
        return Skip("no region_index of integers, or no variant_position")
    return _same_dtype(index, position)


def _same_dtype(node: Node, like: Node) -> Iterator[Breach]:
    if node.dtype != like.dtype:
        expected = f"{like.dtype}, as {like.path}"
        yield Breach(node, node.dtype_path, expected, node.dtype or "none", None, (like.path,))


def _index_has_six_columns(site: Site) -> Iterator[Breach] | Skip:
    index = site.node.arrays.get("region_index")
    return Skip("no region_index of two dimensions") if index is None or index.ndim != 2 else _six(index)


def _six(index: Node) -> Iterator[Breach]:
    _, columns = index.shape or (0, 0)
    if columns != 6:
        yield Breach(index, ("shape", 1), "6", str(columns))


def _chunks_agree(site: Site) -> Iterator[Breach] | Skip:
    chunked = [
        (node, place) for node in site.node.arrays.values() if (place := _variants_in(node)) is not None
    ]
    if "region_index" not in site.node.arrays or not chunked:
        return Skip("no region_index")
    first = site.node.arrays.get("variant_position", min(chunked, key=lambda each: each[0].name)[0])
    place = _variants_in(first)
    wanted = None if place is None else (first.chunks or ())[place]
    return (
        Breach(node, (*node.family.chunks_path, at), f"{wanted}, as {first.path}", str((node.chunks or ())[at]),
               None, (first.path,))
        for node, at in chunked
        if wanted is not None and (node.chunks or ())[at] != wanted
    )  # fmt: skip


def _variants_in(node: Node) -> int | None:
    """The index of the dimension `variants` if it has chunks."""
    dims, chunks = node.dims or (), node.chunks or ()
    return dims.index("variants") if "variants" in dims and dims.index("variants") < len(chunks) else None


_FUNCTIONS: Final[Functions] = {
    "begin_along": _begin_along,
    "are_of_a_type": _are_of_a_type,
    "masks_are_boolean": _masks_are_boolean,
    "masks_fit": _masks_fit,
    "index_has_six_columns": _index_has_six_columns,
    "index_is_typed": _index_is_typed,
    "chunks_agree": _chunks_agree,
}


def _version(file: str) -> Convention:
    rulebook = Path(__file__).with_name(file)
    return register(read_rulebook(rulebook, attributes={"group": Header}, functions=_FUNCTIONS))


VCF_ZARR_0_4: Final = _version("vcf_zarr_0_4.toml")
"""Version 0.4, for Zarr v2."""
VCF_ZARR_0_5: Final = _version("vcf_zarr_0_5.toml")
"""Version 0.5, with 2-byte floats and Zarr v3."""

_NAMED: Final = {rule.check.params["name"] for rule in VCF_ZARR_0_5.rules if rule.check.name == "member"}
"""The arrays that the specification names."""
