"""Arrays of a declaration, compiled by `ArraySpec.build`, with xarray's rules for units and packing."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from zom.conventions.xarray.dataset import ENCODING_WORDS, encoded_attributes
from zom.count import count_of
from zom.declaration.element import VALUES, UnfitError, element_of
from zom.declaration.scope import merged
from zom.declaration.values import stated
from zom.declaration.words import ARRAY, FORM, check_words
from zom.errors import ExtensionError, SpecError, UnknownName
from zom.extension.registry import did_you_mean, near
from zom.extension.resolve import data_type
from zom.formats.dimension import dimensions_called
from zom.json.python_value import is_dict, is_list
from zom.model.builders.build import item_size
from zom.model.builders.chunking import INNER_BYTES, auto_chunks, auto_shards, chosen_chunks
from zom.problems import rule, show

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from zom.declaration.scope import Scope
    from zom.declaration.source import At, Problems
    from zom.extension.datatype import DataType
    from zom.model.family import Family
    from zom.model.spec import Spec

__all__ = ["SIZES", "array_of"]

SIZES = rule(
    "declaration/sizes",
    "every dimension has one length, in `sizes` or in `shape`",
    source="declarations, docs/declaring.md",
)

_BYTES = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([kKMGT]i?)?B")
_POWERS: Final = " kMGT"


@cache
def _built_from(family: Family) -> frozenset[str]:
    """Return the words that `ArraySpec.build` of the format accepts."""
    model: Any = family.classes["array"]
    return frozenset(inspect.signature(model.build).parameters)


def array_of(
    node: Mapping[str, Any], scope: Scope, at: At, problems: Problems
) -> tuple[Spec, np.ndarray[Any, Any] | None] | None:
    """Return the spec of an array's words, and its values if stated; None if there are problems."""
    before = len(problems.found)
    said = check_words(
        {name: each for name, each in node.items() if name != "for"}, ARRAY, at, problems, "an array"
    )
    _refuse_foreign(said, scope.family, at, problems)
    shape = _shape(said, scope, at, problems)
    if shape is None or len(problems.found) > before:
        return None
    full = merged(scope.defaults, said)
    if "dtype" not in full:
        fix = "add dtype here, or to defaults"
        problems.add(at.problem(FORM, "an array with a dtype", "none", fix))
        return None
    try:
        return _built(full, said, shape, scope, at, problems)
    except SpecError as error:
        for problem in error.problems:
            inside = problem.inside or (("fill_value",) if problem.code.startswith("fill-value/") else ())
            place = at.child(*_place_of(inside, node))
            problems.add(
                replace(place.problem(FORM, problem.expected, problem.found, problem.fix), code=problem.code)
            )
    except (ExtensionError, UnknownName) as error:
        message, _, fix = str(error).partition("; ")
        problems.add(
            at.child("dtype").problem(FORM, "the name of a data type or codec", message, fix or None)
        )
    return None


def _refuse_foreign(said: Mapping[str, Any], family: Family, at: At, problems: Problems) -> None:
    """Report words that only other formats support."""
    taken = _built_from(family) | {"dims", "values", *ENCODING_WORDS}
    for name in said:
        if name not in taken:
            problems.add(
                at.child(name).problem(FORM, f"an option of {family.form} arrays", show(name), "leave it out")
            )


def _shape(said: Mapping[str, Any], scope: Scope, at: At, problems: Problems) -> tuple[int, ...] | None:
    given, dims = said.get("shape"), said.get("dims")
    shape = None if given is None else tuple(given) if is_list(given) else (given,)
    if dims is None:
        if shape is None:
            fix = "add dims, or shape"
            problems.add(at.problem(SIZES, "an array with dims or shape", "neither", fix))
        return shape
    if shape is not None and len(shape) != len(dims):
        problems.add(
            at.child("shape").problem(
                SIZES, f"{count_of(len(dims), 'length')}, one for each of dims", str(len(shape))
            )
        )
        return None
    lengths: list[int] = []
    for index, name in enumerate(dims):
        size = None if name is None else scope.sizes.get(name)
        own = None if shape is None else shape[index]
        if size is None and own is None:
            hint = did_you_mean(near(name, scope.sizes)) if name else None
            fix = hint or f"add {name or 'shape'} to sizes" if name else "give shape"
            problems.add(
                at.child("dims", index).problem(
                    SIZES, "a dimension whose length is in sizes", show(name), fix
                )
            )
        elif size is not None and own is not None and size != own:
            where = at.child("shape", index)
            problems.add(where.problem(SIZES, f"{size} along {name}, as in sizes", str(own)))
        else:
            lengths.append(size if own is None else own)  # type: ignore[arg-type] # one of them is given
    return tuple(lengths) if len(lengths) == len(dims) else None


def _built(  # noqa: PLR0913, PLR0917 - the parts of an array
    full: dict[str, Any],
    said: Mapping[str, Any],
    shape: tuple[int, ...],
    scope: Scope,
    at: At,
    problems: Problems,
) -> tuple[Spec, np.ndarray[Any, Any] | None] | None:
    kind = data_type(full["dtype"])
    arguments = {name: full[name] for name in _built_from(scope.family) if name in full}
    for name in ("chunks", "shards"):
        if name in arguments:
            arguments[name] = _parts(name, arguments[name], said, len(shape), at, problems)
    _cut(arguments, shape, item_size(kind))
    dims = said.get("dims")
    if dims is not None:
        arguments["dimension_names"] = tuple(dims)
    if not _fill(arguments, full, said, kind, scope.form, at, problems):
        return None
    encoding = {name: full[name] for name in ENCODING_WORDS if full.get(name) is not None}
    arguments["attributes"] = encoded_attributes(
        at.node, _spelled(kind, scope.form), encoding, full.get("attributes") or {}, scope.form
    )
    if not arguments["attributes"]:
        del arguments["attributes"]
    model: Any = scope.family.classes["array"]
    spec = model.build(**arguments, **({} if "shape" in arguments else {"shape": shape}))
    if "values" not in said:
        return spec, None
    try:
        attributes: Mapping[str, Any] = arguments.get("attributes", {})
        time = (attributes.get("units"), attributes.get("calendar"))
        return spec, stated(said["values"], shape, kind, *time)
    except UnfitError as unfit:
        problems.add(unfit.problem(at.child("values")))
    except ExtensionError as error:
        expected = "values of a type that numpy supports here"
        problems.add(at.child("values").problem(VALUES, expected, kind.name, str(error)))
    return None


def _fill(  # noqa: PLR0913, PLR0917 - as above
    arguments: dict[str, Any],
    full: dict[str, Any],
    said: Mapping[str, Any],
    kind: DataType,
    form: str,
    at: At,
    problems: Problems,
) -> bool:
    """Add the fill value as a scalar; return whether there is no problem."""
    if "missing" in said and "fill_value" in said:
        fix = "leave fill_value out: missing is also the fill value"
        problems.add(at.child("fill_value").problem(FORM, "missing or fill_value", "both", fix))
        return False
    word = "fill_value" if full.get("missing") is None else "missing"
    if full.get(word) is None:
        if form == "v2" and said.get("dims") is not None and "fill_value" not in full:
            arguments["fill_value"] = None  # xarray masks any other value
        return True
    try:
        full[word] = arguments["fill_value"] = element_of(full[word], kind)
    except UnfitError as unfit:
        problems.add(unfit.problem(at.child(word) if word in said else at))
        return False
    return True


def _spelled(kind: DataType, form: str) -> Any:
    return kind.to_v3() if form == "v3" else None


def _parts(  # noqa: PLR0913, PLR0917 - as above
    name: str, given: Any, said: Mapping[str, Any], rank: int, at: At, problems: Problems
) -> Any:
    """Return chunks or shards in the form that `build` accepts, or as text."""
    place = at.child(name)
    if not is_dict(given):
        return given
    dims, own = said.get("dims"), said.get(name)
    known = [each for each in dims or () if each]
    lengths: list[Any] = [None] * rank
    for dim, length in given.items():
        called = dimensions_called(dim, dims, rank)
        if not called and is_dict(own) and dim in own:
            hint = did_you_mean(near(dim, known), known) or (None if known else "add dims")
            expected = "a name among dims" if known else "the index of a dimension"
            problems.add(place.child(dim).problem(FORM, expected, show(dim), hint))
        if isinstance(length, str) and length != "whole":
            problems.add(place.child(dim).problem(FORM, 'a length, "whole" or null', show(length)))
        for index in called:
            lengths[index] = None if length == "whole" else length
    return tuple(lengths)


def _cut(arguments: dict[str, Any], shape: tuple[int, ...], itemsize: int) -> None:
    """Replace sizes in bytes with lengths; shard lengths are multiples of chunk lengths."""
    chunks, shards = arguments.get("chunks", "auto"), arguments.get("shards")
    size = _bytes(chunks)
    if size is not None:
        chunks = arguments["chunks"] = auto_chunks(shape, itemsize, size)
    size = _bytes(shards)
    if size is not None:
        inner = chosen_chunks(chunks, shape, itemsize, INNER_BYTES)
        arguments["chunks"] = inner
        arguments["shards"] = auto_shards(shape, inner, itemsize, size)


def _bytes(given: Any) -> int | None:
    """Parse a number of bytes from text such as "4 MiB"; return None for anything else."""
    size = _BYTES.fullmatch(given) if isinstance(given, str) else None
    if size is None:
        return None
    power = _POWERS.index(size[2][0].replace("K", "k")) if size[2] else 0
    return max(1, int(float(size[1]) * (1024 if size[2] and size[2].endswith("i") else 1000) ** power))


_SAID_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "dimension_names": ("dims",),
    "data_type": ("dtype",),
    "chunk_grid": ("chunks",),
    "compressor": ("compress",),
    "fill_value": ("missing", "fill_value"),
}


def _place_of(inside: tuple[str | int, ...], node: Mapping[str, Any]) -> tuple[str | int, ...]:
    """Return the place in the declaration of a problem in the built document."""
    if not inside:
        return ()
    first = str(inside[0])
    if first in node:
        return inside
    for word in _SAID_BY.get(first, ()):
        if word in node:
            return (word,)
    if first == "attributes":
        return tuple(each for each in inside[1:2] if each in node)
    return ()
