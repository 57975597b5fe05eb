"""The rules on what holds values in AnnData: sparse matrices, scalars, text, categories, masks, ragged arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.checks.check import Breach, Site, Skip, python
from zom.checks.checked_rule import CheckedRule, is_value
from zom.checks.tree import member
from zom.checks.values import (
    between,
    json_type,
    length,
    one_of,
    pattern,
    required,
)
from zom.conventions.anndata.elements import AWKWARD, CATEGORICAL, NULLABLE, SPARSE, TYPE, encoding_of
from zom.conventions.anndata.encodings import LINK
from zom.json.python_value import is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.checks.check import Check
    from zom.formats.node_view import Node

__all__ = ["VALUE_RULES"]

_INTEGERS: Final = ["int", "uint"]
_TEXT: Final = ["string", "fixed_length_utf32"]


def _arrays(node: Node, *names: str) -> list[Node] | None:
    """The arrays of these names; None where one is missing."""
    found = [node.arrays[name] for name in names if name in node.arrays]
    return found if len(found) == len(names) else None


def _are_one_dimensional(site: Site) -> Iterator[Breach] | Skip:
    found = [
        node for name in ("data", "indices", "indptr") if (node := site.node.arrays.get(name)) is not None
    ]
    if not found:
        return Skip("none of them is there")
    return (
        Breach(node, ("shape",), "one dimension", f"{node.ndim}: {show(list(node.shape or ()))}")
        for node in found
        if node.shape is not None and node.ndim != 1
    )


def _indptr_fits(site: Site) -> Iterator[Breach] | Skip:
    found, shape = site.node.arrays.get("indptr"), site.node.attributes.get("shape")
    if found is None or found.ndim != 1 or not is_list(shape) or len(shape) != 2:
        return Skip("no indptr of one dimension, or no shape")
    is_csr = encoding_of(site.node) == "csr_matrix"
    size = shape[0 if is_csr else 1]
    return _one_more(found, size, "rows" if is_csr else "columns") if type(size) is int else Skip("no shape")


def _one_more(indptr: Node, size: int, what: str) -> Iterator[Breach]:
    (length,) = indptr.shape or (0,)
    if length != size + 1:
        yield Breach(indptr, ("shape", 0), f"{size + 1}, one more than there are {what}", str(length))


def _are_equally_long(site: Site) -> Iterator[Breach] | Skip:
    found = _arrays(site.node, "data", "indices")
    if found is None or any(node.ndim != 1 for node in found):
        return Skip("no data and indices of one dimension")
    return _same_shape(found[1], found[0], ("shape", 0))


def _masks_fit(site: Site) -> Iterator[Breach] | Skip:
    found = _arrays(site.node, "values", "mask")
    if found is None or any(node.shape is None for node in found):
        return Skip("no values and mask")
    return _same_shape(found[1], found[0], ("shape",))


def _same_shape(node: Node, like: Node, path: tuple[str | int, ...]) -> Iterator[Breach]:
    mine, wanted = list(node.shape or ()), list(like.shape or ())
    if mine != wanted:
        shown = (wanted, mine) if path == ("shape",) else (wanted[0], mine[0])
        yield Breach(node, path, f"{show(shown[0])}, as {like.path}", show(shown[1]), None, (like.path,))


def _must(  # noqa: PLR0913 - a rule has that many facts
    types: tuple[str, ...],
    name: str,
    text: str,
    fix: str,
    anchor: str,
    *checks: Check,
    after: tuple[str, ...] = (),
) -> tuple[CheckedRule, ...]:
    """One rule of several checks, on elements of these types."""
    when = (is_value(TYPE, *types),)
    link = f"{LINK}#{anchor}"
    return tuple(
        CheckedRule(name, check, must=text, fix=fix, link=link, when=when, after=after) for check in checks
    )


_SPARSE_RULES: Final = (
    *_must(
        SPARSE,
        "sparse-members",
        "a sparse matrix holds the arrays data, indices and indptr, the last two of integers",
        "write the arrays of scipy's matrix as they are",
        "csr-matrix",
        member("data", kind="array"),
        member("indices", kind="array", dtypes=_INTEGERS),
        member("indptr", kind="array", dtypes=_INTEGERS),
    ),
    *_must(
        SPARSE,
        "sparse-shape",
        "'shape' of a sparse matrix is two integers, the sizes of its dimensions",
        "write [rows, columns]",
        "csr-matrix",
        required("shape"),
        json_type(["array"], at="shape"),
        length("shape", equals=2),
        json_type(["integer"], at="shape[*]"),
        between(0, at="shape[*]"),
    ),
    *_must(
        SPARSE,
        "sparse-dimensions",
        "data, indices and indptr have one dimension each",
        "write the arrays of scipy's matrix as they are",
        "csr-matrix",
        python(_are_one_dimensional),
    ),
    *_must(
        SPARSE,
        "sparse-indptr",
        "indptr has one entry more than there are rows (csr_matrix) or columns (csc_matrix)",
        "check that encoding type and shape belong to these arrays: anndata reads wrong ones without a word",
        "csr-matrix",
        python(_indptr_fits),
        after=("matrix-shape",),
    ),
    *_must(
        SPARSE,
        "sparse-data",
        "data and indices are equally long",
        "write the arrays of scipy's matrix as they are",
        "csr-matrix",
        python(_are_equally_long),
    ),
)

_ARRAY_RULES: Final = (
    *_must(
        ("numeric-scalar", "string", "null", "bytes"),
        "scalar",
        "scalars are arrays of no dimensions",
        "write it as an array of shape []; a longer one is an 'array' or 'string-array'",
        "numeric-scalar",
        length("@shape", equals=0),
    ),
    *_must(
        ("numeric-scalar",),
        "numeric-scalar",
        "a numeric scalar is a boolean, an integer, a float or a complex number",
        "write text as 'string'",
        "numeric-scalar",
        pattern("bool|u?int[0-9]+|b?float[0-9]+|complex[0-9]+", at="@dtype"),
    ),
    *_must(
        ("string",),
        "string",
        "a string scalar is stored as unicode text",
        "store it as text of variable length, as anndata does, or of fixed length, as its specification says",
        "string",
        one_of(_TEXT, at="@dtype"),
    ),
    *_must(
        ("string-array",),
        "string-array",
        "string arrays are stored as text of variable length (numcodecs' VLenUTF8, the codec vlen-utf8 in Zarr v3)",
        "write it with data type 'string' (v2: '|O' with the filter vlen-utf8)",
        "string-array",
        one_of(["string"], at="@dtype"),
    ),
    *_must(
        ("rec-array",),
        "rec-array",
        "record arrays have a structured data type",
        "write an array of one type as 'array'",
        "elements",
        one_of(["struct", "structured"], at="@dtype"),
    ),
)

_CATEGORICAL_RULES: Final = (
    *_must(
        (CATEGORICAL,),
        "categorical-ordered",
        "'ordered' of a categorical is true or false",
        "say whether the categories have an order",
        "categorical",
        required("ordered"),
        json_type(["boolean"], at="ordered"),
    ),
    *_must(
        (CATEGORICAL,),
        "categorical-members",
        "a categorical holds codes, an array of integers, and categories",
        "write both, codes as small integers",
        "categorical",
        member("codes", kind="array", dtypes=_INTEGERS),
        member("categories"),
    ),
)


def _values(kind: str, dtypes: list[str]) -> tuple[CheckedRule, ...]:
    return _must(
        (kind,),
        "nullable-values",
        "a nullable array holds values, an array of the type in its name: integers, booleans or strings",
        "write the values as that type, or name another one",
        "nullable-integer",
        member("values", kind="array", dtypes=dtypes),
    )


_NULLABLE_RULES: Final = (
    *_values("nullable-integer", _INTEGERS),
    *_values("nullable-boolean", ["bool"]),
    *_values("nullable-string-array", _TEXT),
    *_must(
        NULLABLE,
        "nullable-mask",
        "a nullable array holds a mask, an array of booleans",
        "write true where a value is missing, and false elsewhere",
        "nullable-integer",
        member("mask", kind="array", dtypes=["bool"]),
    ),
    *_must(
        NULLABLE,
        "nullable-shape",
        "values and mask of a nullable array have the same shape",
        "write one entry of the mask for each value",
        "nullable-boolean",
        python(_masks_fit),
    ),
    CheckedRule(
        "na-value",
        one_of(["NA", "NaN"], at="na-value"),
        should="'na-value' of nullable strings, where it is given, is 'NA' or 'NaN'",
        fix="write 'NA' or 'NaN': anndata takes everything else for 'NA'",
        link=f"{LINK}#nullable-string-array",
        when=(is_value(TYPE, "nullable-string-array"),),
    ),
)

_AWKWARD_RULES: Final = (
    *_must(
        (AWKWARD,),
        "awkward-length",
        "an awkward array has its length, an integer",
        "write the array with anndata",
        "awkward-array",
        required("length"),
        json_type(["integer"], at="length"),
        between(0, at="length"),
    ),
    *_must(
        (AWKWARD,),
        "awkward-form",
        "an awkward array has its form, JSON text of an object",
        "write the array with anndata",
        "awkward-array",
        required("form"),
        json_type(["string"], at="form"),
        pattern(r"\s*\{[\s\S]*\}\s*", at="form"),
    ),
)

VALUE_RULES: Final = (*_SPARSE_RULES, *_ARRAY_RULES, *_CATEGORICAL_RULES, *_NULLABLE_RULES, *_AWKWARD_RULES)
