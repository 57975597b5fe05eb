"""Immutable JSON values, of which all documents of zom consist.

Objects are `JSONDict` (a dict), lists are `JSONList` (a list), so they compare, print and iterate like
ordinary ones; all mutating methods raise `TypeError`. All text in them is valid Unicode. NaN and
infinities, which JSON lacks and real software writes, are kept as floats: each is a fault. Every NaN
is the one object `math.nan`, so that equal values compare equal and share a hash. `freeze` makes these
values; direct callers of the classes must ensure the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, cast

from pydantic_core import SchemaSerializer, core_schema

from zom.limits import DEFAULT_LIMITS
from zom.numpy_later import np
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.problems import Rule

__all__ = [
    "JSON",
    "SURROGATE",
    "JSONDict",
    "JSONList",
    "freeze",
    "lone_surrogate",
    "not_finite",
    "repaired",
    "thaw",
]

JSON: TypeAlias = bool | int | float | str | list[Any] | tuple[Any, ...] | Mapping[str, Any] | None
"""A JSON value in Python."""

NOT_JSON = rule(
    "json/not-json",
    "a document contains only JSON values: null, booleans, numbers, strings, lists, and objects whose "
    "names are strings",
    source="RFC 8259, section 3",
)
NOT_FINITE = rule(
    "json/not-finite",
    "JSON has no NaN and no infinity",
    source="RFC 8259, section 6",
    lenient="warning",
)
REPEATS = rule(
    "json/repeats",
    "a Python object has no more repeated values than the limit, each counted in every place, "
    "as text repeats it",
    source="RFC 8259, section 9: an implementation may set limits",
)
DEPTH = rule(
    "json/depth",
    "objects and lists are nested no deeper than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)
SURROGATE = rule(
    "json/surrogate",
    "text contains no lone surrogates",
    source="RFC 8259, section 8.2; RFC 7493, section 2.1",
    lenient="warning",
)


class JSONDict(dict[str, Any]):
    """An immutable JSON object.

    >>> JSONDict({"a": 1})["a"]
    1
    """

    __slots__ = ()

    def _refuse(self: Any, *_args: Any, **_kwargs: Any) -> NoReturn:
        message = "this JSON object can't change; make a changed copy of the spec with replace()"
        raise TypeError(message)

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        # Consistent with equality: {"a": 1} == {"a": True}, so the two must share a hash.
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (JSONDict, (dict(self),))

    def __copy__(self) -> JSONDict:
        return self

    def __deepcopy__(self, memo: object) -> JSONDict:
        return self


class JSONList(list[Any]):
    """An immutable JSON list.

    >>> JSONList([1, 2]) == [1, 2]
    True
    """

    __slots__ = ()

    def _refuse(self: Any, *_args: Any, **_kwargs: Any) -> NoReturn:
        message = "this JSON list can't change; make a changed copy of the spec with replace()"
        raise TypeError(message)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (JSONList, (list(self),))

    def __copy__(self) -> JSONList:
        return self

    def __deepcopy__(self, memo: object) -> JSONList:
        return self


# Without these the compiled writer checks for each container whether it is a dataclass, an enum or a path,
# which takes five times as long as writing it. Numbers are spelled as elsewhere in the text.
_AS_ELSEWHERE = core_schema.CoreConfig(ser_json_inf_nan="constants")
for _kind, _schema in ((JSONDict, core_schema.dict_schema()), (JSONList, core_schema.list_schema())):
    setattr(_kind, "__pydantic_serializer__", SchemaSerializer(_schema, _AS_ELSEWHERE))  # noqa: B010 - not declared

_KEEP = frozenset({int, bool, type(None)})


class _UnfitError(Exception):
    """The value needs the careful path: a part of it is not plain, finite, shallow JSON."""


_FEW = 4096
"""The number of values above which caching pays off."""


class _Known:
    """A cache of frozen containers, so that a value in several places is walked once."""

    __slots__ = ("counts", "made", "repeats", "total")

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], tuple[Any, int]] = {}
        """By id and depth: the frozen value, and the number of values in it."""
        self.counts: dict[int, int] = {}
        """The number of values in already frozen containers, by id."""
        self.total = 0
        self.repeats = 0

    def count(self, frozen: Any) -> None:
        """Count the values in a frozen container; raise _UnfitError if one of them is not finite."""
        known = self.counts.get(id(frozen))
        if known is not None:
            self.repeats += known
            self.total += known
            return
        before = self.total
        self.total += len(frozen)
        for item in frozen.values() if type(frozen) is JSONDict else frozen:
            kind: object = type(item)  # pyright: ignore[reportUnknownVariableType]
            if kind is JSONDict or kind is JSONList:
                self.count(item)
            elif kind is float and not math.isfinite(item):
                raise _UnfitError
        if self.total > _FEW:
            self.counts[id(frozen)] = self.total - before


def freeze(
    value: object,
    faults: list[Fault],
    *,
    path: Path = (),
    depth: int = DEFAULT_LIMITS.value_depth,
    repeats: int = DEFAULT_LIMITS.repeated_values,
) -> Any:
    """Return `value` as immutable JSON; add a fault for everything that JSON can't hold.

    Tuples become lists, numpy scalars and arrays become numbers and lists. NaN and infinities stay
    floats, with a fault for each. A value in several places is frozen once.

    >>> faults = []
    >>> freeze({"scale": (1, 2.5)}, faults)
    {'scale': [1, 2.5]}
    >>> freeze({"at": {1, 2}}, faults); faults[0].path
    {'at': None}
    ('at',)
    """
    known = _Known()
    try:
        made = _fast(value, depth, known)
        if known.repeats <= repeats:
            return made
    except _UnfitError:
        pass
    return _Careful(faults, depth, repeats).frozen(value, path, 0)


def _fast(value: Any, depth: int, known: _Known) -> Any:  # noqa: C901, PLR0912 - one switch
    kind: object = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind is str:
        if not value.isascii():
            _check_text(value)
        return value
    if kind in _KEEP:
        return value
    if kind is float:
        if not math.isfinite(value):
            raise _UnfitError
        return value
    if kind is JSONDict or kind is JSONList:
        known.count(value)
        return value
    if depth <= 0 or (kind is not dict and kind is not list and kind is not tuple):
        raise _UnfitError
    start = known.total
    if start > _FEW:
        before = known.made.get((id(value), depth))
        if before is not None:
            known.repeats += before[1]
            known.total += before[1]
            return before[0]
    known.total += len(value)
    depth -= 1
    frozen: Any
    if kind is dict:
        made: dict[str, Any] = {}
        for name, item in value.items():
            if type(name) is not str:
                raise _UnfitError
            if not name.isascii():
                _check_text(name)
            # Most values are plain: a call for each would take most of the time.
            plain = type(item) in _KEEP or (type(item) is str and item.isascii())
            made[name] = item if plain else _fast(item, depth, known)
        frozen = JSONDict(made)
    else:
        frozen = JSONList([item if type(item) in _KEEP else _fast(item, depth, known) for item in value])
    if known.total > _FEW:
        known.made[id(value), depth + 1] = (frozen, known.total - start)
    return frozen


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _UnfitError from None


CONTAINS_ITSELF = "a value that contains itself"
"""The description of a list or an object that contains itself."""

MOST_FAULTS = 1000
"""Maximum reported faults of one rule: more would cost more memory than the value."""


class _Careful:
    """Like `_fast`, but with the place of each fault, and with conversions of Python values."""

    def __init__(self, faults: list[Fault], limit: int, repeats: int) -> None:
        self.faults = faults
        self.limit = limit
        self.most = repeats
        self.open: set[int] = set()
        self.known = _Known()
        self.kept: list[object] = []
        """Keeps objects that are known by id alive."""
        self.infinite = 0

    def frozen(self, value: object, path: Path, depth: int) -> Any:
        before = self.known.made.get((id(value), depth))
        if before is not None:
            return self._again(before, path)
        plain = _plain(value)
        if plain is None or isinstance(plain, (bool, int)):
            return plain
        if isinstance(plain, float):
            return self._finite(plain, path)
        if isinstance(plain, str):
            return self._whole(plain, path)
        if isinstance(plain, (Mapping, list, tuple)):
            made = self._container(cast("Mapping[object, object] | list[object]", plain), path, depth)
            same_place = (id(cast("object", plain)), depth)
            if plain is not value and same_place in self.known.made:
                self.known.made[id(value), depth] = self.known.made[same_place]
                self.kept.append(value)
            return made
        fix = "convert it to numbers, text, lists or mappings"
        self._add(NOT_JSON, path, "a JSON value", f"a Python {type(value).__name__}", fix)
        return None

    def _container(self, value: Mapping[object, object] | list[object], path: Path, depth: int) -> Any:
        # Otherwise a list that contains itself twice would be walked two to the power of the limit times.
        if id(value) in self.open:
            self._add(NOT_JSON, path, "a JSON value", CONTAINS_ITSELF)
            return None
        if depth >= self.limit:
            self._add(DEPTH, path, f"values nested at most {self.limit} deep", "deeper nesting")
            return None
        known = self.known
        self.kept.append(value)
        self.open.add(id(value))
        start = known.total
        known.total += len(value)
        if isinstance(value, Mapping):
            made: Any = JSONDict(self._members(value, path, depth + 1))
        else:
            made = JSONList([self.frozen(x, (*path, i), depth + 1) for i, x in enumerate(value)])
        self.open.remove(id(value))
        known.made[id(value), depth] = (made, known.total - start)
        return made

    def _again(self, before: tuple[Any, int], path: Path) -> Any:
        """Return the frozen value again, or None if that would exceed the limit of repeats."""
        known, (made, count) = self.known, before
        known.total += count
        known.repeats += count
        if known.repeats <= self.most:
            return made
        if known.repeats - count <= self.most:
            found = f"{known.repeats} up to here, and perhaps more"
            fix = "repeat fewer values"
            self._add(REPEATS, path, f"at most {self.most} repeated values", found, fix)
        return None

    def _members(self, value: Mapping[object, object], path: Path, depth: int) -> Iterator[tuple[str, Any]]:
        for name, item in value.items():
            if isinstance(name, str):
                text = self._whole(str.__str__(name), (*path, repaired(name)))
                yield text, self.frozen(item, (*path, text), depth)
            else:
                found = f"the {type(name).__name__} {show(name)}"
                self._add(NOT_JSON, path, "names that are strings", found)

    def _finite(self, value: float, path: Path) -> float:
        if math.isfinite(value):
            return value
        self.infinite += 1
        if self.infinite <= MOST_FAULTS:
            self.faults.append(not_finite(value, path))
        return math.nan if math.isnan(value) else value

    def _whole(self, text: str, path: Path) -> str:
        fault = lone_surrogate(text, path)
        if fault is None:
            return text
        self.faults.append(fault)
        return repaired(text)

    def _add(self, rule: Rule, path: Path, expected: str, found: str, fix: str | None = None) -> None:
        self.faults.append(Fault(rule, path, expected, found, fix))


_PLAIN: Final = frozenset({bool, int, float, str, type(None)})


def _plain(value: object) -> object:
    """Return `value` as a plain Python value, without numpy types and subclasses."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        array = cast("np.ndarray[Any, np.dtype[Any]]", value)
        return array.tolist() if array.dtype.kind in "biufU" else array
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else value


def not_finite(value: float, path: Path) -> Fault:
    """Return the fault of a NaN or an infinity.

    >>> not_finite(-math.inf, ("attributes", "limit")).found
    '-Infinity'
    """
    return Fault(NOT_FINITE, path, "a finite number", show(value), f'write it as "{show(value)}"')


def lone_surrogate(text: str, path: Path) -> Fault | None:
    r"""Return the fault of a lone surrogate in `text`, or None.

    >>> lone_surrogate("\ud800", ("title",)).found
    '\\ud800 at character 0'
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = f"\\u{ord(text[error.start]):04x} at character {error.start}"
        return Fault(SURROGATE, path, "text without lone surrogates", found)
    return None


def repaired(text: str) -> str:
    r"""Return `text` with each lone surrogate as an escape, so that different names stay different.

    >>> print(repaired("a\ud800"))
    a\ud800
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def thaw(value: Any) -> Any:
    """Return a copy of `value` as ordinary, mutable dicts and lists.

    >>> copy = thaw(JSONDict({"a": JSONList([1])})); copy["a"].append(2); copy
    {'a': [1, 2]}
    """
    copy = _shallow(value)
    waiting = [copy]
    while waiting:  # by iteration: a hierarchy may be thousands of levels deep
        container = waiting.pop()
        if not isinstance(container, (dict, list)):
            continue
        made = cast("dict[Any, Any]", container)
        for place, item in made.items() if isinstance(container, dict) else enumerate(made):
            if isinstance(item, (dict, list, tuple)):
                made[place] = _shallow(item)
                waiting.append(made[place])
    return copy


def _shallow(value: Any) -> Any:
    """Return a mutable shallow copy of a container; other values unchanged."""
    if isinstance(value, dict):
        return dict(cast("dict[str, Any]", value))
    return list(cast("list[Any]", value)) if isinstance(value, (list, tuple)) else value
