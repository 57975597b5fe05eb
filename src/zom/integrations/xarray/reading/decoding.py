"""Variables decoded by xarray: one of each kind is decoded, and serves as the model for the others.

The decoding of a numeric variable depends on its data type, its encoding and a few of its attributes. A
dataset has hundreds of variables and few such kinds. xarray decodes every other variable itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xarray import Variable, conventions

from zom.integrations.xarray.reading.lazy_array import LazyArray

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import TypeAlias

    _Decoded: TypeAlias = "tuple[dict[str, Variable], dict[str, Any], set[Hashable]]"

__all__ = ["Raw", "decoded_variables"]

_ASKED: Final = frozenset(
    {"missing_value", "_Unsigned", "dtype", "calendar", "bounds", "units"}
    | {"_FillValue", "scale_factor", "add_offset", "coordinates"}
)
"""Attributes that decoding uses. Other text attributes may differ; all other attributes must be the same."""

_BY_VALUE: Final = ("since", "day", "hour", "minute", "sec", "week", "month", "year")
"""Words in units of time, whose decoding may depend on the values."""

_FEWEST: Final = 8
"""The number of variables from which grouping by kind pays off."""


class Raw(NamedTuple):
    """The parts of a variable before decoding."""

    dimensions: tuple[Hashable, ...]
    data: Any
    attributes: dict[str, Any]
    encoding: dict[str, Any]
    kind: int
    """An id that all arrays of one spec share."""

    def variable(self) -> Variable:
        """Return the variable."""
        return Variable(self.dimensions, self.data, self.attributes, self.encoding)


def decoded_variables(
    raw: Mapping[str, Raw], attributes: Mapping[str, Any], decoders: Mapping[str, Any]
) -> _Decoded:
    """Return the result of `decode_cf_variables`: the variables, the group's attributes, the coordinates."""
    alike = _alike(raw, decoders)
    followers = {name for _, *others in alike for name in others}
    given = {name: each.variable() for name, each in raw.items() if name not in followers}
    before = {first: (dict(given[first].attrs), dict(given[first].encoding)) for first, *_ in alike}
    made, attrs, coordinates = _decode(given, attributes, decoders)
    found: dict[str, Variable] = dict(made)
    for first, *others in alike:
        model = _Model.of(made[first], raw[first], *before[first])
        if model is None:
            # xarray returned something other than wrappers around the array: let it decode all variables.
            return _decode({name: each.variable() for name, each in raw.items()}, attributes, decoders)
        found.update((name, model.variable(raw[name])) for name in others)
    return {name: found[name] for name in raw}, attrs, coordinates


def _decode(
    variables: dict[str, Variable], attributes: Mapping[str, Any], decoders: Mapping[str, Any]
) -> _Decoded:
    decode: Any = conventions.decode_cf_variables
    made, attrs, coordinates = decode(variables, dict(attributes), **decoders)
    return made, attrs, coordinates


def _alike(raw: Mapping[str, Raw], decoders: Mapping[str, Any]) -> list[list[str]]:
    """Return groups of at least two variable names that are decoded the same way."""
    by_name = any(isinstance(each, Mapping) for each in decoders.values())
    if len(raw) < _FEWEST or by_name or decoders.get("decode_coords") == "all":
        return []
    mentioned = {
        name
        for each in raw.values()
        for place in ("coordinates", "bounds")
        for name in str(each.attributes.get(place, "")).split()
    }
    found: dict[Hashable, list[str]] = {}
    for name, each in raw.items():
        key = None if name in mentioned else _key(each)
        if key is not None:
            found.setdefault(key, []).append(name)
    return [names for names in found.values() if len(names) > 1]


def _key(raw: Raw) -> Hashable:
    """Return a key for how a variable is decoded, or None if that may depend on its values."""
    if raw.data.dtype.kind not in "iuf":
        return None
    asked: list[Hashable] = [raw.kind]
    for name, value in raw.attributes.items():
        if name in _ASKED or not isinstance(value, str):
            asked.append((name, type(value).__name__, repr(value)))  # pyright: ignore[reportUnknownArgumentType]
    units = raw.attributes.get("units", "")
    if not isinstance(units, str) or any(word in units.lower() for word in _BY_VALUE):
        return None
    return tuple(asked)


class _Model(NamedTuple):
    """How xarray decoded one variable."""

    dimensions: tuple[Hashable, ...]
    data: Any
    taken: frozenset[str]
    """The attributes that decoding removed."""
    added: dict[str, Any]
    dropped: frozenset[str]
    """The keys that decoding removed from the encoding; `added` holds those that it added."""

    @classmethod
    def of(cls, made: Any, raw: Raw, attributes: dict[str, Any], encoding: dict[str, Any]) -> _Model | None:
        """Return the model for a decoded variable, or None if it can't serve as one."""
        if made.dtype.kind not in "iuf":
            return None  # a time: its type may depend on its values
        data: Any = made._data  # noqa: SLF001 - public members would read the data
        inner = data
        while not isinstance(inner, LazyArray):
            inner = getattr(inner, "array", None)
            if inner is None:
                return None
        kept = {name: value for name, value in attributes.items() if name in made.attrs}
        same = made.attrs.keys() == kept.keys() and all(
            made.attrs[name] is value for name, value in kept.items()
        )
        if not same or made.dims != raw.dimensions or inner is not raw.data.array:
            return None
        added = {name: value for name, value in made.encoding.items() if encoding.get(name) is not value}
        return cls(
            raw.dimensions,
            data,
            frozenset(attributes.keys() - kept.keys()),
            added,
            frozenset(encoding.keys() - made.encoding.keys()),
        )

    def variable(self, raw: Raw) -> Variable:
        """Return another variable, decoded the same way."""
        attributes = {name: value for name, value in raw.attributes.items() if name not in self.taken}
        encoding = {**raw.encoding, **self.added}
        for name in self.dropped:
            del encoding[name]
        data = _around(self.data, raw.data.array)
        return Variable(self.dimensions, data, attributes, encoding, fastpath=True)


def _around(wrapper: Any, array: LazyArray) -> Any:
    """Return the same wrappers around another array."""
    if isinstance(wrapper, LazyArray):
        return array
    made = copy(wrapper)
    made.array = _around(wrapper.array, array)
    return made
