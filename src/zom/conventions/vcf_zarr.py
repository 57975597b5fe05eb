"""VCF Zarr: variant calls, one array for each field of a VCF file.

https://github.com/sgkit-dev/vcf-zarr-spec, versions 0.4 (Zarr v2) and 0.5, which adds floats of 2 bytes
and, as an experiment, Zarr v3. Fields whose Number is 1 have no dimension for it, as bio2zarr writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, has, is_value
from zom.checks.dimensions import shared_dims
from zom.checks.references import is_of_kind
from zom.checks.tree import member, zarr_format
from zom.checks.values import forbidden, json_type, length, required
from zom.conventions.framework.attributes import Attributes
from zom.conventions.framework.convention import Convention, register
from zom.json.python_value import is_dict
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from zom.checks.check import Check
    from zom.formats.node_view import Node

__all__ = ["VCF_ZARR_0_4", "VCF_ZARR_0_5"]

_LINK: Final = "https://github.com/sgkit-dev/vcf-zarr-spec/blob/main/vcf_zarr_spec.md"
_VERSION: Final = "vcf_zarr_version"
_INT: Final = ["int"]
_TEXT: Final = ["string"]
_BOOL: Final = ["bool"]
_FLOATS: Final = {"0.4": ["float32", "float64"], "0.5": ["float16", "float32", "float64"]}


class Header(Attributes):
    """The attributes of the group: the version, who wrote it, and the lines of the header that no array holds."""

    vcf_zarr_version: str
    source: str = ""
    vcf_meta_information: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []  # noqa: RUF012 - pydantic copies it


_SIGNS: Final = (
    (has(_VERSION),),
    (has("vcf_meta_information"),),
    tuple(is_value("@arrays[*]", name) for name in ("variant_contig", "variant_position", "variant_allele")),
)
"""By what it is found: what it says of itself, or the arrays that there have to be."""


# --- the fixed fields --------------------------------------------------------------------------------------


_REQUIRED: Final = {
    "variant_contig": ("integers", ("variants",), "fixed-fields"),
    "variant_position": ("integers", ("variants",), "fixed-fields"),
    "variant_allele": ("text", ("variants", "alleles"), "fixed-fields"),
    "contig_id": ("text", ("contigs",), "contig-information"),
    "sample_id": ("text", ("samples",), "sample-information"),
}
_OPTIONAL: Final = {
    "variant_id": ("text", ("variants",), "fixed-fields"),
    "variant_quality": ("floats", ("variants",), "fixed-fields"),
    "variant_filter": ("booleans", ("variants", "filters"), "fixed-fields"),
    "variant_length": ("integers", ("variants",), "region-index"),
    "contig_length": ("integers", ("contigs",), "contig-information"),
    "filter_id": ("text", ("filters",), "filter-information"),
    "filter_description": ("text", ("filters",), "filter-information"),
    "call_genotype": ("integers", ("variants", "samples", "ploidy"), "format-fields"),
    "call_genotype_phased": ("booleans", ("variants", "samples"), "format-fields"),
    "region_index": ("integers", ("region_index_values", "region_index_fields"), "region-index"),
}
"""The arrays that the specification names: what they hold, along which dimensions, and where it says so."""


def _fixed(version: str) -> Iterator[CheckedRule]:
    """One rule for each array that the specification names."""
    kinds = {"integers": _INT, "text": _TEXT, "booleans": _BOOL, "floats": _FLOATS[version]}
    for name, (words, dims, anchor) in {**_REQUIRED, **_OPTIONAL}.items():
        optional = name in _OPTIONAL
        check = member(name, kind="array", dtypes=kinds[words], dims=[*dims], optional=optional)
        where = ", where it is there," if optional else ""
        text = f"{name}{where} is an array of {words} with the dimensions {', '.join(dims)}"
        yield _must(name.replace("_", "-"), check, text, "write the array so, as bio2zarr does", anchor)


def _must(  # noqa: PLR0913 - a rule has that many facts
    name: str, check: Check, text: str, fix: str, anchor: str, *, after: tuple[str, ...] = ()
) -> CheckedRule:
    return CheckedRule(name, check, must=text, fix=fix, link=f"{_LINK}#{anchor}", on="group", after=after)


# --- the fields of INFO and FORMAT -------------------------------------------------------------------------


def _fields(node: Node, prefix: str) -> list[Node]:
    """The arrays of fields that only a VCF file's header names."""
    return [
        each
        for name, each in node.arrays.items()
        if name.startswith(prefix) and name not in _REQUIRED and name not in _OPTIONAL
    ]


def _along(prefix: str, dims: tuple[str, ...]) -> Callable[[Site], Iterator[Breach] | Skip]:
    """That fields have these dimensions first, and at most one more."""

    def check(site: Site) -> Iterator[Breach] | Skip:
        found = [each for each in _fields(site.node, prefix) if each.dims is not None]
        return _first(found, dims) if found else Skip(f"no arrays {prefix}*")

    return check


def _first(found: Iterable[Node], dims: tuple[str, ...]) -> Iterator[Breach]:
    for node in found:
        names = node.dims or ()
        if not len(dims) <= len(names) <= len(dims) + 1:
            wanted = f"{show(list(dims))}, and at most one more"
            yield Breach(node, node.dims_path, wanted, show(list(names)))
            continue
        for place, (wanted, name) in enumerate(zip(dims, names, strict=False)):
            if name != wanted:
                yield Breach(node, (*node.dims_path, place), show(wanted), show(name))


def _is_character(node: Node) -> bool:
    """Whether it holds texts of one character."""
    if node.form == "v2":
        return str(node.document.get("dtype")).lstrip("<>|=") == "U1"
    data_type = node.document.get("data_type")
    inner = data_type.get("configuration") if is_dict(data_type) else None
    return is_dict(inner) and inner.get("length_bytes") == 4


def _of_a_type_of_vcf(version: str) -> Callable[[Site], Iterator[Breach] | Skip]:
    kinds = [*_BOOL, *_INT, *_FLOATS[version], *_TEXT]

    def check(site: Site) -> Iterator[Breach] | Skip:
        found = [*_fields(site.node, "variant_"), *_fields(site.node, "call_")]
        return _typed(found) if found else Skip("no arrays variant_* and call_*")

    def _typed(found: Iterable[Node]) -> Iterator[Breach]:
        for node in found:
            is_character = node.dtype == "fixed_length_utf32" and _is_character(node)
            if node.dtype is not None and not is_of_kind(node.dtype, kinds) and not is_character:
                expected = f"a data type {', '.join(kinds)}, or characters"
                yield Breach(node, node.dtype_path, expected, node.dtype)

    return check


# --- masks, filters and the region index -------------------------------------------------------------------


def _masks(site: Site) -> list[tuple[Node, Node]]:
    """Each mask and fill, with the array that it speaks of."""
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
        if mask.shape != node.shape
    )  # fmt: skip


def _index_is_typed(site: Site) -> Iterator[Breach] | Skip:
    index, position = (site.node.arrays.get(name) for name in ("region_index", "variant_position"))
    if index is None or position is None or position.dtype is None or not is_of_kind(index.dtype, _INT):
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
    """The place of the dimension variants, where it has chunks."""
    dims, chunks = node.dims or (), node.chunks or ()
    return dims.index("variants") if "variants" in dims and dims.index("variants") < len(chunks) else None


# --- the rules ---------------------------------------------------------------------------------------------


def _dimension_names() -> Iterator[CheckedRule]:
    """One rule of several checks, on the arrays of the group."""
    checks = (
        required("@dims"),
        json_type(["array"], at="@dims"),
        json_type(["string"], at="@dims[*]"),
        length("@dims", like="@shape"),
    )
    for check in checks:
        yield CheckedRule(
            "dimension-names",
            check,
            must="each array names all its dimensions: '_ARRAY_DIMENSIONS' in Zarr v2, 'dimension_names' in Zarr v3",
            fix="name them as the specification does",
            link=f"{_LINK}#array-dimension-names",
            on="array",
        )


def _older_attributes() -> Iterator[CheckedRule]:
    for name in ("vcf_header", "contigs", "filters"):
        yield CheckedRule(
            "older-attributes",
            forbidden(name),
            note="the attributes 'vcf_header', 'contigs' and 'filters' are of older versions",
            fix="take them away: arrays and 'vcf_meta_information' hold the header now",
            link=f"{_LINK}#changes",
            on="group",
        )


def _rules(version: str) -> Iterator[CheckedRule]:
    if version == "0.4":
        fix = "write Zarr v2, or VCF Zarr 0.5, whose support of Zarr v3 is experimental"
        yield _must(
            "zarr-format",
            zarr_format("v2"),
            "the hierarchy is stored as Zarr v2",
            fix,
            "vcf-zarr-specification",
        )
    yield from _older_attributes()
    yield from _dimension_names()
    yield from _fixed(version)
    yield _must("dimension-sizes", shared_dims(), "a dimension has the same size in all arrays",
                "write all arrays of the same records, samples and alleles", "array-dimension-names")  # fmt: skip
    yield _must("info-dimensions", python(_along("variant_", ("variants",))),
                "INFO fields, variant_*, have the dimension variants and at most one more, for their Number",
                "write the array with [variants] or [variants, <Number>]", "info-fields")  # fmt: skip
    yield _must("format-dimensions", python(_along("call_", ("variants", "samples"))),
                "FORMAT fields, call_*, have the dimensions variants and samples, and at most one more, for their Number",
                "write the array with [variants, samples] or [variants, samples, <Number>]", "format-fields")  # fmt: skip
    yield _must("field-dtypes", python(_of_a_type_of_vcf(version)),
                "fields are of a type of VCF: booleans, signed integers, floats, characters or text",
                "write the array with such a data type; floats of 2 bytes came with VCF Zarr 0.5", "zarr-dtypes")  # fmt: skip
    yield _must("mask-dtype", python(_masks_are_boolean),
                "<name>_mask and <name>_fill, which stand beside <name>, are boolean",
                "write true where a value is missing or fills up", "missing-and-fill-values")  # fmt: skip
    yield _must("mask-shape", python(_masks_fit), "<name>_mask and <name>_fill have the shape of <name>",
                "write one entry for each value", "missing-and-fill-values")  # fmt: skip
    yield from _of_other_arrays()


def _of_other_arrays() -> Iterator[CheckedRule]:
    again = "write the index again, e.g. with vcf2zarr create-index"
    yield CheckedRule(
        "filters-listed",
        member("filter_id"),
        must="where there is variant_filter, filter_id lists the filters",
        fix="add filter_id, with PASS first",
        link=f"{_LINK}#filter-information",
        when=(is_value("@arrays[*]", "variant_filter"),),
        on="group",
    )
    yield _must("region-index-columns", python(_index_has_six_columns), "region_index has six columns", again,
                "region-index")  # fmt: skip
    yield _must("region-index-dtype", python(_index_is_typed), "region_index has the data type of variant_position",
                again, "region-index", after=("variant-position",))  # fmt: skip
    yield CheckedRule(
        "region-index-lengths",
        member("variant_length"),
        must="where there is region_index, variant_length holds the lengths of the records",
        fix="add variant_length",
        link=f"{_LINK}#region-index",
        when=(is_value("@arrays[*]", "region_index"),),
        on="group",
    )
    yield _must("region-index-chunks", python(_chunks_agree),
                "where there is region_index, all arrays have the same chunk size along variants",
                "write the arrays again with one chunk size", "region-index")  # fmt: skip


def _convention(version: str, *, assumed: bool) -> Convention:
    return Convention(
        id="vcf-zarr",
        refines=("xarray",),
        version=version,
        title="VCF Zarr",
        link=_LINK,
        on=("group",),
        attributes={"group": Header},
        owns=(_VERSION, "vcf_meta_information"),
        rules=tuple(_rules(version)),
        signs=_SIGNS,
        version_at=(_VERSION,),
        assumed=assumed,
        inherit="children",
    )


VCF_ZARR_0_4: Final = register(_convention("0.4", assumed=True))
"""Version 0.4: in Zarr v2."""
VCF_ZARR_0_5: Final = register(_convention("0.5", assumed=False))
"""Version 0.5: floats of 2 bytes, and Zarr v3."""
