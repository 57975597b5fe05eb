"""Groups that the builders of conventions make: OME-Zarr images and plates, pyramids, AnnData."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from zom.declaration.loop import MOST_NODES
from zom.declaration.words import FORM, WORD
from zom.errors import SpecError, ZomError
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list
from zom.problems import show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zom.declaration.scope import Scope
    from zom.declaration.source import At, Problems

__all__ = ["BUILDERS", "built"]

_LABEL_OWN: Final = frozenset({"source", "name"})
_ARRAY_WORDS: Final = frozenset({"compress", "checksum", "shards", "fill_value", "codecs", "filters"})


def built(  # noqa: PLR0913, PLR0917 - the arguments of a builder
    word: str, given: Mapping[str, Any], members: Mapping[str, Any], scope: Scope, at: At, problems: Problems
) -> Any:
    """Return the group that builder `word` makes from arguments `given`, or None if there are problems."""
    try:
        return BUILDERS[word](given, members, scope, at, problems)
    except SpecError as error:
        for problem in error.problems:
            place = at.child(*problem.inside[:1])
            problems.add(place.problem(FORM, problem.expected, problem.found, problem.fix))
    except (ValueError, TypeError, KeyError, OverflowError, ZomError) as error:
        # Builders name the invalid argument in the message.
        name, _, rest = str(error).partition(": ")
        known = name in given and rest
        problems.add(
            at.child(name).problem(FORM, "what fits", rest)
            if known
            else at.problem(FORM, "what fits", str(error))
        )
    return None


_MOST_LEVELS: Final = 1 << 10


def _is_small(axes: Sequence[Any], at: At, problems: Problems) -> bool:
    """Whether the product of `axes` (numbers, or lists by length) is within the node limit."""
    count = 1
    for each in axes:
        count *= each if isinstance(each, int) else len(each) if is_list(each) else 1
    if count > MOST_NODES:
        problems.add(at.problem(FORM, f"at most {MOST_NODES} nodes", f"about {count}"))
    return count <= MOST_NODES


def _known(  # noqa: PLR0913 - the arguments and their origin
    function: Callable[..., Any],
    given: Mapping[str, Any],
    at: At,
    problems: Problems,
    *,
    more: frozenset[str] = frozenset(),
    own: frozenset[str] = frozenset(),
) -> bool:
    """Whether the function accepts all of `given` and misses no argument; zom itself passes `own`."""
    takes = {
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.kind is not inspect.Parameter.VAR_KEYWORD
    } | more
    wrong = [name for name in given if name not in takes]
    for name in wrong:
        hint = did_you_mean(near(name, takes), takes)
        problems.add(at.child(name).problem(WORD, "an argument of the builder", show(name), hint))
    needed = (
        []
        if wrong
        else [
            name
            for name, each in inspect.signature(function).parameters.items()
            if each.default is inspect.Parameter.empty
            and each.kind is not inspect.Parameter.VAR_KEYWORD
            and name not in {*given, *own}
        ]
    )
    for name in needed:
        problems.add(at.problem(FORM, f"the argument {name} of the builder", "none", f"add {name}"))
    return not (wrong or needed)


def _ome(given: Mapping[str, Any], _members: Any, scope: Scope, at: At, problems: Problems) -> Any:
    if scope.form == "draft":
        problems.add(at.problem(FORM, "format 2 or 3 for OME-Zarr", scope.form))
        return None
    if "plate" not in given:
        return _image(given, scope, at, problems)
    for name in sorted(given.keys() - {"plate"}):
        problems.add(at.child(name).problem(WORD, "plate alone", show(name), "move it to plate or field"))
    return _plate(given["plate"], scope, at.child("plate"), problems)


def _plate(given: Any, scope: Scope, at: At, problems: Problems) -> Any:
    from zom.conventions import ome  # noqa: PLC0415 - only if used

    if not is_dict(given):
        problems.add(at.problem(FORM, "the arguments of zom.conventions.ome.plate", show(given)))
        return None
    field = given.get("field")
    if not is_dict(field):
        problems.add(at.problem(FORM, "the image of each field, as `field`", show(field)))
        return None
    if not _known(ome.plate, given, at, problems):
        return None
    axes = [given["rows"], given["columns"], given.get("fields", 1), field.get("levels") or 1]
    if not _is_small(axes, at, problems):
        return None
    made = _image(field, scope, at.child("field"), problems)
    return None if made is None else ome.plate(**{**given, "field": made})


def _image(given: Mapping[str, Any], scope: Scope, at: At, problems: Problems) -> Any:
    from zom.conventions import ome  # noqa: PLC0415 - as above

    arguments: dict[str, Any] = {name: each for name, each in scope.defaults.items() if name in _ARRAY_WORDS}
    if isinstance(scope.defaults.get("dtype"), str):
        arguments["dtype"] = scope.defaults["dtype"]
    arguments |= {name: each for name, each in given.items() if name != "labels"}
    if not _known(ome.image, arguments, at, problems, more=_ARRAY_WORDS, own=frozenset({"shape"})):
        return None
    arguments.setdefault("version", "0.4" if scope.form == "v2" else "0.5")
    if (arguments["version"] == "0.4") != (scope.form == "v2"):
        expected = "0.4 with format 2, and later versions with format 3"
        problems.add(at.child("version").problem(FORM, expected, show(arguments["version"])))
        return None
    if not _with_shape(arguments, scope, at, problems):
        return None
    if not _is_small([arguments.get("levels") or 1, _MOST_LEVELS], at, problems):
        return None
    return _labelled(ome.image(**arguments), given.get("labels", {}), at, problems)


def _with_shape(arguments: dict[str, Any], scope: Scope, at: At, problems: Problems) -> bool:
    """Add the shape, and put chunk lengths in order of the axes; return whether all axes have a length."""
    axes = list(arguments.get("axes", ()))
    if not axes:
        problems.add(at.problem(FORM, "an image with axes", "none", "add axes, such as zyx"))
        return False
    missing = [axis for axis in axes if axis not in scope.sizes]
    if "shape" not in arguments and missing:
        fix = f"add {', '.join(missing)} to sizes, or pass shape"
        problems.add(at.problem(FORM, "an image whose axes have sizes", ", ".join(missing), fix))
        return False
    arguments.setdefault("shape", [scope.sizes.get(axis) for axis in axes])
    chunks = arguments.get("chunks")
    if is_dict(chunks):
        lengths = dict(zip(axes, arguments["shape"], strict=False))
        arguments["chunks"] = [chunks.get(axis) or lengths.get(axis) for axis in axes]
    return True


def _labelled(image: Any, labels: Any, at: At, problems: Problems) -> Any:
    from zom.conventions import ome  # noqa: PLC0415 - as above

    if not is_dict(labels):
        problems.add(
            at.child("labels").problem(FORM, "a mapping of names to descriptions of labels", show(labels))
        )
        return None
    for name, said in labels.items():
        facts: dict[str, Any] = said or {}
        if not _known(
            ome.labels, facts, at.child("labels", name), problems, more=_ARRAY_WORDS, own=_LABEL_OWN
        ):
            return None
        image = ome.labels(image, name, **facts)
    return image


def _multiscales(
    given: Mapping[str, Any], members: Mapping[str, Any], scope: Scope, at: At, problems: Problems
) -> Any:
    from zom.conventions import multiscales  # noqa: PLC0415 - as above

    if scope.form != "v3":
        problems.add(at.problem(FORM, "format 3 for the multiscales convention", scope.form))
        return None
    arrays = {name: each for name, each in members.items() if each.kind == "array"}
    if len(arrays) < len(members) or not arrays:
        problems.add(
            at.problem(FORM, "members that are the arrays of the finest level", show(sorted(members)))
        )
        return None
    if not _is_small([given.get("levels") or 1, max(_MOST_LEVELS, len(arrays))], at, problems):
        return None
    arguments: dict[str, Any] = dict(given)
    if "dimensions" in given:
        arguments["dimensions"] = tuple(given["dimensions"])
    return (
        multiscales.group(arrays, **arguments)
        if _known(multiscales.group, given, at, problems, own=frozenset({"arrays"}))
        else None
    )


def _anndata(given: Mapping[str, Any], _members: Any, scope: Scope, at: At, problems: Problems) -> Any:
    from zom.conventions import anndata  # noqa: PLC0415 - as above

    if scope.form == "draft":
        problems.add(at.problem(FORM, "format 2 or 3 for AnnData", scope.form))
        return None
    if not _known(anndata.skeleton, given, at, problems):
        return None
    before = len(problems.found)
    arguments = {name: _part(name, value, at.child(name), problems) for name, value in given.items()}
    if len(problems.found) > before:
        return None
    return anndata.skeleton(**arguments, zarr_format=2 if scope.form == "v2" else 3)


_MATRICES: Final = ("csr", "csc")
_COLUMNS: Final = ("categorical", "nullable")
_ELEMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "layers": _MATRICES,
    "obsp": _MATRICES,
    "varp": _MATRICES,
    "obs": _COLUMNS,
    "var": _COLUMNS,
}
"""Alternatives to a data type for the elements of each part of an AnnData."""


def _part(name: str, value: Any, at: At, problems: Problems) -> Any:
    """Return an argument of the AnnData skeleton."""
    if name in {"n_obs", "n_var"}:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            problems.add(at.problem(FORM, "a whole number, 0 or more", show(value)))
        return value
    if name == "X":
        return None if value is None else _element(value, _MATRICES, at, problems)
    if not is_dict(value):
        problems.add(at.problem(FORM, "a mapping of names to elements", show(value)))
        return None
    if name in {"obsm", "varm"}:
        return {inner: _width(each, at.child(inner), problems) for inner, each in value.items()}
    makers = _ELEMENTS[name]
    return {inner: _element(each, makers, at.child(inner), problems) for inner, each in value.items()}


def _width(value: Any, at: At, problems: Problems) -> Any:
    """Return the number of columns of a dense matrix, or a pair of that and its data type."""
    width, dtype = value if is_list(value) and len(value) == 2 else (value, "float32")
    if isinstance(width, int) and not isinstance(width, bool) and width >= 0 and isinstance(dtype, str):
        return (width, dtype) if is_list(value) else width
    problems.add(at.problem(FORM, "a number of columns, optionally with a data type", show(value)))
    return None


def _element(value: Any, makers: tuple[str, ...], at: At, problems: Problems) -> Any:
    """Return a matrix or column, given as `float32` or `{csr: float32, stored: 10}`."""
    from zom.conventions import anndata  # noqa: PLC0415 - as above

    if isinstance(value, str):
        return value
    name = next((each for each in makers if is_dict(value) and each in value), None)
    if name is None:
        expected = f"the name of a data type, or a mapping with {' or '.join(makers)}"
        problems.add(at.problem(FORM, expected, show(value)))
        return None
    make = getattr(anndata, name)
    first = next(iter(inspect.signature(make).parameters))
    more = {word: each for word, each in value.items() if word != name}
    if not _known(make, more, at, problems, own=frozenset({first})):
        return None
    wanted = int if first == "count" else str
    if not isinstance(value[name], wanted) or isinstance(value[name], bool):
        expected = "a whole number" if wanted is int else "the name of a data type"
        problems.add(at.child(name).problem(FORM, expected, show(value[name])))
        return None
    return make(value[name], **more)


BUILDERS: Final[Mapping[str, Callable[..., Any]]] = {
    "ome": _ome,
    "multiscales": _multiscales,
    "anndata": _anndata,
}
"""The builders of conventions, by word."""
