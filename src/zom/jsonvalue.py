"""JSON values that can't change: what every document of zom is made of.

Objects are `JSONDict` (a dict), lists are `JSONList` (a list), so they compare, print and iterate like
the ordinary ones; each way to change them raises `TypeError`. All numbers in them are finite.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

import numpy as np

from zom.limits import DEFAULT_LIMITS
from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["JSON", "JSONDict", "JSONList", "exact_key", "freeze", "same", "thaw"]

JSON: TypeAlias = (
    "None | bool | int | float | str | list[Any] | tuple[Any, ...] | Mapping[str, Any]"
)
"""A JSON value, as Python holds it."""

NOT_JSON = rule(
    "json/not-json",
    "a document holds JSON values only: null, booleans, numbers, strings, lists, and objects whose "
    "names are strings",
    source="RFC 8259, section 3",
)
NOT_FINITE = rule(
    "json/not-finite",
    "JSON has no NaN and no infinity",
    source="RFC 8259, section 6",
    lenient="warning",
)
DEPTH = rule(
    "json/depth",
    "objects and lists nest no deeper than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)
SURROGATE = rule(
    "json/surrogate",
    "text holds no surrogate without its partner",
    source="RFC 8259, section 8.2; RFC 7493, section 2.1",
    lenient="warning",
)


class JSONDict(dict[str, Any]):
    """A JSON object that can't change.

    >>> JSONDict({"a": 1})["a"]
    1
    """

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        message = "this JSON object can't change; make a changed copy of the spec with replace()"
        raise TypeError(message)

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(exact_key(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (JSONDict, (dict(self),))

    def __copy__(self) -> JSONDict:
        return self

    def __deepcopy__(self, memo: object) -> JSONDict:
        return self


class JSONList(list[Any]):
    """A JSON list that can't change.

    >>> JSONList([1, 2]) == [1, 2]
    True
    """

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        message = "this JSON list can't change; make a changed copy of the spec with replace()"
        raise TypeError(message)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse  # type: ignore[assignment]
    append = extend = insert = pop = remove = clear = reverse = sort = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(exact_key(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (JSONList, (list(self),))

    def __copy__(self) -> JSONList:
        return self

    def __deepcopy__(self, memo: object) -> JSONList:
        return self


_KEEP = frozenset({str, int, bool, type(None)})


class _UnfitError(Exception):
    """The value needs the careful path: something in it is not plain, finite, shallow JSON."""


def freeze(
    value: object,
    faults: list[Fault],
    *,
    path: tuple[str | int, ...] = (),
    depth: int = DEFAULT_LIMITS.value_depth,
) -> Any:
    """`value` as JSON that can't change; what JSON can't hold is added to `faults`.

    Tuples become lists, numpy scalars and arrays become numbers and lists; NaN and the infinities
    become the strings "NaN", "Infinity" and "-Infinity", and a fault says so.

    >>> faults = []
    >>> freeze({"scale": (1, 2.5)}, faults)
    {'scale': [1, 2.5]}
    >>> freeze({"at": {1, 2}}, faults); faults[0].path
    {'at': None}
    ('at',)
    """
    try:
        return _fast(value, depth)
    except _UnfitError:
        return _careful(value, faults, path, depth)


def _fast(value: object, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        if not value.isascii():  # type: ignore[attr-defined]
            _check_text(value)  # type: ignore[arg-type]
        return value
    if kind in _KEEP or kind is JSONDict or kind is JSONList:
        return value
    if kind is float:
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise _UnfitError
        return value
    if depth == 0:
        raise _UnfitError
    depth -= 1
    if kind is dict:
        made = {}
        for name, item in value.items():  # type: ignore[attr-defined]
            if type(name) is not str:
                raise _UnfitError
            if not name.isascii():
                _check_text(name)
            made[name] = _fast(item, depth)
        return JSONDict(made)
    if kind is list or kind is tuple:
        return JSONList([_fast(item, depth) for item in value])  # type: ignore[attr-defined]
    raise _UnfitError


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _UnfitError from None


def _careful(value: object, faults: list[Fault], path: tuple[str | int, ...], depth: int) -> Any:
    """As `_fast`, with the place of each fault, and conversions that cost a look at the value."""
    from collections.abc import Mapping  # noqa: PLC0415 - only here

    plain = _plain(value)
    if plain is None or isinstance(plain, (bool, int)):
        return plain
    if isinstance(plain, float):
        return _finite(plain, faults, path)
    if isinstance(plain, str):
        return _whole_text(plain, faults, path)
    if isinstance(plain, (Mapping, list, tuple)):
        if depth == 0:
            nested = f"values nested at most {DEFAULT_LIMITS.value_depth} deep"
            faults.append(Fault(DEPTH, path, nested, "a deeper one"))
            return None
        if isinstance(plain, Mapping):
            return _careful_object(cast("Mapping[object, object]", plain), faults, path, depth - 1)
        items = cast("list[object]", plain)
        return JSONList(
            [_careful(x, faults, (*path, i), depth - 1) for i, x in enumerate(items)]
        )
    faults.append(
        Fault(
            NOT_JSON,
            path,
            "a JSON value",
            f"a Python {type(value).__name__}",
            "turn it into numbers, text, lists or mappings",
        )
    )
    return None


def _careful_object(
    value: Mapping[object, object], faults: list[Fault], path: tuple[str | int, ...], depth: int
) -> JSONDict:
    made: dict[str, Any] = {}
    for name, item in value.items():
        if not isinstance(name, str):
            found = f"the {type(name).__name__} {show(name)}"
            faults.append(Fault(NOT_JSON, path, "names that are strings", found))
            continue
        text = _whole_text(str.__str__(name), faults, (*path, name))
        made[text] = _careful(item, faults, (*path, name), depth)
    return JSONDict(made)


def _plain(value: object) -> object:
    """`value` without its numpy or subclass coat."""
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in "biufU" else value
    if isinstance(value, np.ndarray):
        return value.tolist() if value.dtype.kind in "biufU" else value
    if isinstance(value, bool):
        return value
    for base in (int, float, str):
        if isinstance(value, base):
            return base(value) if base is not str else str.__str__(value)
    return value


def _finite(value: float, faults: list[Fault], path: tuple[str | int, ...]) -> float | str:
    if math.isfinite(value):
        return value
    name = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    faults.append(Fault(NOT_FINITE, path, "a finite number", name, f'write it as "{name}"'))
    return name


def _whole_text(text: str, faults: list[Fault], path: tuple[str | int, ...]) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = f"\\u{ord(text[error.start]):04x} at character {error.start}"
        faults.append(Fault(SURROGATE, path, "text without lone surrogates", found))
        return text.encode("utf-8", "replace").decode()
    return text


def thaw(value: Any) -> Any:
    """A copy of `value` made of ordinary dicts and lists, free to change.

    >>> copy = thaw(JSONDict({"a": JSONList([1])})); copy["a"].append(2); copy
    {'a': [1, 2]}
    """
    if isinstance(value, dict):
        return {name: thaw(item) for name, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in cast("list[Any]", value)]
    return value


def exact_key(value: Any) -> Any:
    """A hashable stand-in for `value`: equal when, and only when, the JSON is the same.

    true is not 1, 1 is not 1.0, 0.0 is not -0.0; the order of an object's members does not count.

    >>> exact_key({"a": 1, "b": True}) == exact_key({"b": True, "a": 1})
    True
    >>> exact_key(True) == exact_key(1) or exact_key(0.0) == exact_key(-0.0)
    False
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return ("float", repr(value))
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return frozenset((name, exact_key(item)) for name, item in members.items())
    return ("list", *map(exact_key, cast("list[Any]", value)))


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same, by type and value; objects in any order.

    >>> same([1, {"a": 0.0}], [1, {"a": -0.0}])
    False
    """
    if left is right or repr(left) == repr(right):
        return True
    return bool(exact_key(left) == exact_key(right))
