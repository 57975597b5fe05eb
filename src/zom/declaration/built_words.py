"""Groups in the words of convention builders: OME-Zarr images and plates, pyramids, AnnData.

Arguments are guessed from a group's attributes: the group is built and compared, and words are left out as
long as the result is the same. A group that no builder reproduces gets the words of groups and arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.declaration.array_words import all_words
from zom.declaration.built import built
from zom.declaration.source import At, Problems, source_of_mapping
from zom.formats.resolve import resolve
from zom.json.exact import same
from zom.json.python_value import is_dict, is_list
from zom.json.value import thaw
from zom.model import compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zom.declaration.scope import Scope

__all__ = ["built_words"]

_MOST_TRIALS: Final = 200
"""The most arguments to try leaving out: each try builds the group once."""

_ARRAY_WORDS = ("compress", "checksum", "codecs", "shards", "fill_value", "filters")


def built_words(spec: Any, scope: Scope) -> tuple[str, dict[str, Any], Any] | None:
    """Return the builder's word for a group, the fewest arguments, and the result; None if none builds it.

    >>> from zom.conventions import ome
    >>> from zom.declaration.scope import Scope
    >>> built_words(ome.image("yx", (64, 64), levels=2), Scope())[:2]
    ('ome', {'axes': 'yx', 'shape': [64, 64], 'levels': 2})
    """
    for word, arguments, members in _guesses(spec, scope):
        made = _fitting(word, arguments, members, spec, scope)
        if made is None:
            continue
        fewer = _fewest(word, arguments, members, spec, scope)
        return word, fewer, _fitting(word, fewer, members, spec, scope)
    return None


def _fewest(
    word: str, arguments: dict[str, Any], members: Mapping[str, Any], spec: Any, scope: Scope
) -> dict[str, Any]:
    """Remove arguments, at any depth, that equal the builder's defaults."""
    whole = _fitting(word, arguments, members, spec, scope)
    for path in _paths(arguments)[:_MOST_TRIALS]:
        fewer = _without(arguments, path)
        made = None if fewer is None else _fitting(word, fewer, members, spec, scope)
        if (
            made is not None
            and made.members.keys() == whole.members.keys()
            and made.attributes == whole.attributes
        ):
            arguments = fewer or {}
    return arguments


def _paths(value: Any) -> list[tuple[str, ...]]:
    """Return the paths of all entries of mappings: outer entries first, the last entry first."""
    inner = [(name, each) for name, each in reversed(list(value.items()))] if is_dict(value) else []
    below = [(name, *path) for name, each in inner for path in _paths(each)]
    return [*((name,) for name, _ in inner), *below]


def _without(value: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any] | None:
    """Return a copy without the entry at `path`, or None if it is missing."""
    name, *rest = path
    if name not in value:
        return None
    if not rest:
        return {each: inner for each, inner in value.items() if each != name}
    inner = _without(value[name], tuple(rest)) if is_dict(value[name]) else None
    return None if inner is None else {**value, name: inner}


def _fitting(
    word: str, arguments: Mapping[str, Any], members: Mapping[str, Any], spec: Any, scope: Scope
) -> Any:
    """Return the built group if the spec contains all of it, None otherwise."""
    problems = Problems()
    made = built(word, arguments, members, scope, At(source_of_mapping({})), problems)
    if made is None or problems.found:
        return None
    theirs = thaw(spec.attributes)
    mine = thaw(made.attributes)
    if not all(name in theirs and same(value, theirs[name]) for name, value in mine.items()):
        return None
    for name, member in made.members.items():
        if name not in spec.members or any(compare.document_changes(member, spec.members[name])):
            return None
    bare = spec.replace(attributes=made.attributes, members={})
    return None if any(compare.document_changes(made.replace(members={}), bare)) else made


def _guesses(spec: Any, scope: Scope) -> Iterator[tuple[str, dict[str, Any], Mapping[str, Any]]]:
    """Yield the builders that a group's attributes suggest, with their arguments and members."""
    attributes: dict[str, Any] = thaw(spec.attributes or {})
    form = scope.form
    if not spec.members or form == "draft":
        return
    told = attributes["ome"] if is_dict(attributes.get("ome")) else attributes
    if is_dict(told.get("plate")):
        plate = _plate(spec, told["plate"], scope)
        if plate is not None:
            yield "ome", {"plate": plate}, {}
    elif is_list(told.get("multiscales")):
        image = _image(spec, told, form)
        for variant in () if image is None else _variants(image):
            yield "ome", variant, {}
    elif is_dict(attributes.get("multiscales")) and form == "v3":
        pyramid = _pyramid(spec, attributes)
        if pyramid is not None:
            yield "multiscales", *pyramid
    elif attributes.get("encoding-type") == "anndata":
        skeleton = _skeleton(spec)
        if skeleton is not None:
            yield "anndata", skeleton, {}


def _image(spec: Any, told: dict[str, Any], form: str) -> dict[str, Any] | None:
    (first, *_) = told["multiscales"] or [None]
    if not is_dict(first) or not is_list(first.get("axes")) or not is_list(first.get("datasets")):
        return None
    axes: list[Any] = [each.get("name") if is_dict(each) else None for each in first["axes"]]
    finest = spec.members.get("0")
    if not all(isinstance(each, str) for each in axes) or finest is None or finest.kind != "array":
        return None
    words = all_words(finest, form)
    if words is None:
        return None
    chunks = words.get("chunks")
    image: dict[str, Any] = {
        "axes": "".join(axes) if all(len(each) == 1 for each in axes) else axes,
        "shape": words["shape"],
        "levels": len(first["datasets"]),
        "dtype": resolve(finest).type_name,
        "chunks": list(chunks.values()) if is_dict(chunks) else chunks,
        "scale": _scale(first["datasets"], axes),
        "units": _by_axis(first["axes"], axes, "unit"),
        "types": _by_axis(first["axes"], axes, "type"),
        "name": first.get("name"),
        "method": first.get("type"),
        "channels": _channels(told),
        "version": told.get("version") or first.get("version"),
        **{name: words[name] for name in _ARRAY_WORDS if name in words},
    }
    shards = image.get("shards")
    if is_dict(shards):
        image["shards"] = list(shards.values())
    optional = {"compress"}  # null is meaningful there
    return {
        name: each
        for name, each in image.items()
        if each not in (None, {}, []) or name in optional & words.keys()
    }


def _variants(image: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments with the chunks of the finest level, and with the builder's default chunks."""
    return [image, {name: each for name, each in image.items() if name != "chunks"}]


def _by_axis(described: list[dict[str, Any]], axes: list[str], fact: str) -> dict[str, Any]:
    return {axis: each[fact] for axis, each in zip(axes, described, strict=True) if fact in each}


def _scale(datasets: list[Any], axes: list[str]) -> dict[str, Any]:
    changes: Any = datasets[0].get("coordinateTransformations") if datasets and is_dict(datasets[0]) else None
    first: Any = changes[0] if is_list(changes) and changes else None
    scale: Any = first.get("scale") if is_dict(first) else None
    return dict(zip(axes, scale, strict=False)) if is_list(scale) else {}


def _channels(told: dict[str, Any]) -> list[Any]:
    omero: Any = told.get("omero")
    listed: Any = omero.get("channels") if is_dict(omero) else None
    if not is_list(listed):
        return []
    return [each.get("label") if is_dict(each) else None for each in listed]


def _plate(spec: Any, told: dict[str, Any], scope: Scope) -> dict[str, Any] | None:
    rows, columns = _names(told.get("rows")), _names(told.get("columns"))
    wells = [each.get("path") for each in told.get("wells", ()) if is_dict(each)]
    if rows is None or columns is None or not wells:
        return None
    well: Any = spec
    for step in str(wells[0]).split("/"):
        well = well.members.get(step) if well is not None and well.kind == "group" and well.members else None
    image: Any = well.members.get("0") if well is not None and well.kind == "group" and well.members else None
    if well is None or image is None or image.kind != "group":
        return None
    attributes: Any = thaw(image.attributes or {})
    inner: Any = attributes["ome"] if is_dict(attributes.get("ome")) else attributes
    field = _image(image, inner, scope.form) if is_list(inner.get("multiscales")) else None
    fitting = (
        each
        for each in (() if field is None else _variants(field))
        if _fitting("ome", each, {}, image, scope) is not None
    )
    field = next(fitting, None)
    if field is None:
        return None
    letters = [chr(ord("A") + place) for place in range(min(26, len(rows)))]
    numbers = [str(place + 1) for place in range(len(columns))]
    full = [f"{row}/{column}" for row in rows for column in columns]
    plate = {
        "name": told.get("name"),
        "rows": len(rows) if rows == letters else rows,
        "columns": len(columns) if columns == numbers else columns,
        "fields": len(well.members),
        "field": _fewest("ome", field, {}, image, scope),
        "wells": None if wells == full else wells,
        "acquisitions": told.get("acquisitions"),
    }
    return {name: each for name, each in plate.items() if each is not None}


def _names(listed: Any) -> list[str] | None:
    names: list[Any] = [each.get("name") for each in listed if is_dict(each)] if is_list(listed) else []
    return names if names and all(isinstance(each, str) for each in names) else None


def _pyramid(spec: Any, attributes: dict[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]] | None:
    told = attributes["multiscales"]
    layout: Any = told.get("layout")
    entries = [each for each in layout if is_dict(each)] if is_list(layout) else []
    finest = spec.members.get(str(entries[0].get("asset"))) if entries else None
    if finest is None or finest.kind != "group" or not finest.members:
        return None
    arrays = {name: each for name, each in finest.members.items() if each.kind == "array"}
    names = [each.get("asset") for each in entries]
    inner: dict[str, Any] = thaw(finest.attributes or {})
    code = inner.get("proj:code") or attributes.get("proj:code")
    dimensions = inner.get("spatial:dimensions") or attributes.get("spatial:dimensions")
    pyramid = {
        "levels": len(entries),
        "names": names,
        "dimensions": dimensions,
        "resampling_method": told.get("resampling_method"),
        "transform": inner.get("spatial:transform") or entries[0].get("spatial:transform"),
        "crs": {"code": code} if code else None,
    }
    return {name: each for name, each in pyramid.items() if each is not None}, arrays


def _skeleton(spec: Any) -> dict[str, Any] | None:
    """Return the arguments to build an AnnData like this, from the elements that the builder supports."""
    parts: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for frame, count in (("obs", "n_obs"), ("var", "n_var")):
        group = spec.members.get(frame)
        index = group.members.get("_index") if group is not None and group.kind == "group" else None
        if group is None or index is None or index.kind != "array":
            return None
        counts[count] = index.shape[0]
        listed = (thaw(group.attributes or {})).get("column-order")
        names = listed if is_list(listed) else []
        parts[frame] = {name: _element(group.members[name]) for name in names if name in group.members}
    if "X" in spec.members:
        parts["X"] = _element(spec.members["X"])
    for name in ("layers", "obsm", "varm", "obsp", "varp"):
        group = spec.members.get(name)
        if group is not None and group.kind == "group" and group.members:
            take = _width if name in {"obsm", "varm"} else _element
            parts[name] = {inner: take(each) for inner, each in group.members.items()}
    return {**counts, **{name: each for name, each in parts.items() if each not in ({}, None)}}


def _dtype(array: Any) -> Any:
    return resolve(array).type_name


def _width(array: Any) -> Any:
    if array.kind != "array" or len(array.shape) != 2:
        return None
    dtype = _dtype(array)
    return array.shape[1] if dtype == "float32" else [array.shape[1], dtype]


def _element(node: Any) -> Any:
    """Return a matrix or column in the form that the builder accepts."""
    told: dict[str, Any] = thaw(node.attributes or {})
    if node.kind == "array":
        return "string" if told.get("encoding-type") == "string-array" else _dtype(node)
    kind = str(told.get("encoding-type", ""))
    members: dict[str, Any] = dict(node.members or {})
    if kind in {"csr_matrix", "csc_matrix"} and {"data", "indices"} <= members.keys():
        made: dict[str, Any] = {kind[:3]: _dtype(members["data"]), "stored": members["data"].shape[0]}
        return {**made, "index_dtype": _dtype(members["indices"])}
    if kind == "categorical" and {"codes", "categories"} <= members.keys():
        made = {"categorical": members["categories"].shape[0], "ordered": bool(told.get("ordered"))}
        return {**made, "dtype": _element(members["categories"]), "code_dtype": _dtype(members["codes"])}
    if kind.startswith("nullable") and "values" in members:
        return {"nullable": "string" if "string" in kind else _dtype(members["values"])}
    return None
