"""The contract of data types: all requirements for a type of another package, checked before its first use.

Examples of a family are checked when it is registered, and each other type when a document or numpy first
names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast, get_args

from zom.errors import ConversionError
from zom.extension.definition import is_name
from zom.numpy_later import np
from zom.problems import cause_text, given_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Kind", "type_faults"]

Kind = Literal[
    "bool",
    "int",
    "uint",
    "float",
    "complex",
    "string",
    "bytes",
    "datetime",
    "timedelta",
    "struct",
    "raw",
    "object",
]
"""The kind of value of an element; templates constrain it."""

_KINDS: Final = get_args(Kind)


class _Fact(NamedTuple):
    """One fact about a type: `words` describes the valid values, and `holds` checks one."""

    name: str
    words: str
    holds: Callable[[Any], bool]
    ask: Callable[[Any], Any] | None = None
    """How to get the value, if it is not a property."""

    def of(self, data_type: Any) -> Any:
        return getattr(data_type, self.name) if self.ask is None else self.ask(data_type)


def _is_size(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)


def _is_spelling(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and "name" in value)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _spelled(data_type: Any) -> Any:
    """Return the v3 spelling, or "" if v3 has no such type, which is not a fault."""
    try:
        return data_type.to_v3()
    except ConversionError:
        return ""


def _in_memory(data_type: Any, scalar: Any) -> Any:
    """Return `scalar` as an array element; numpy raises if it is not a valid one."""
    made = np.zeros((), data_type.numpy())
    made[()] = scalar
    return made


def _default(data_type: Any) -> Any:
    return _in_memory(data_type, data_type.default())


def _parsed(data_type: Any) -> tuple[bool, list[Any]]:
    """Return whether parsing the spelling of the default restores it, and the faults of parsing."""
    scalar = data_type.default()
    faults: list[Any] = []
    try:
        spelled = data_type.fill_json(scalar, "v3")
    except ConversionError:  # v3 has no such type
        return True, faults
    found = data_type.parse_fill(spelled, "v3", faults)
    return _are_equal(data_type, found, scalar), faults


def _cast(data_type: Any) -> bool:
    scalar = data_type.default()
    return _are_equal(data_type, data_type.cast(scalar), scalar)


def _are_equal(data_type: Any, one: Any, other: Any) -> bool:
    first, second = _in_memory(data_type, one), _in_memory(data_type, other)
    return bool(first[()] == second[()]) if first.dtype.hasobject else first.tobytes() == second.tobytes()


def _is_kind(value: object) -> bool:
    return isinstance(value, str) and value in _KINDS


def _is_order(value: object) -> bool:
    return value is None or (isinstance(value, str) and value in {"little", "big"})


def _is_dtype(value: object) -> bool:
    return isinstance(value, np.dtype)


def _is_schema(value: object) -> bool:
    return isinstance(value, dict)


def _is_same_without_faults(value: tuple[bool, list[Any]]) -> bool:
    return value[0] and not value[1]


def _is_given(value: object) -> bool:
    return value is not None


def _numpy(data_type: Any) -> Any:
    return data_type.numpy()


def _schema(data_type: Any) -> Any:
    return data_type.fill_schema("v3")


_FACTS = (
    _Fact("name", "a name in the form that documents use", is_name),
    _Fact("kind", f"one of {', '.join(_KINDS)}", _is_kind),
    _Fact("itemsize", "an integer from 0, or None", _is_size),
    _Fact("has_order", "true or false", _is_bool),
    _Fact("is_packed", "true or false", _is_bool),
    _Fact("order", "'little', 'big' or None", _is_order),
    _Fact("numpy", "a numpy.dtype", _is_dtype, _numpy),
    _Fact("to_v3", "a name, or an object with a name", _is_spelling, _spelled),
    _Fact("fill_schema", "a JSON Schema, as a dict", _is_schema, _schema),
    _Fact("default", "a scalar of numpy()", _is_given, _default),
    _Fact("parse_fill", "the scalar of fill_json, and no fault", _is_same_without_faults, _parsed),
    _Fact("cast", "an unchanged default", bool, _cast),
    _Fact("hash", "an integer: types are values", _is_given, hash),
)


def type_faults(data_type: object) -> list[str]:
    """Return all violations of the contract by a data type.

    >>> from zom.dtypes.int import IntType
    >>> type_faults(IntType(3, signed=True))
    []
    """
    wrong = [fault for fact in _FACTS for fault in _faults_of(fact, data_type)]
    return wrong or list(_packed_faults(cast("Any", data_type)))


def _faults_of(fact: _Fact, data_type: object) -> Iterator[str]:
    try:
        value = fact.of(data_type)
        is_right = bool(fact.holds(value))
    except Exception as cause:  # noqa: BLE001 - a plugin may raise anything
        yield f"{fact.name}: expected {fact.words}, found {cause_text(cause)}"
        return
    if not is_right:
        yield f"{fact.name}: expected {fact.words}, found {given_text(value)}"


def _packed_faults(data_type: Any) -> Iterator[str]:
    """Yield what is wrong with `dump` and `load` of a packed type, tested on two elements."""
    if not data_type.is_packed or data_type.itemsize is None:
        return
    method, dtype = "dump", np.dtype(np.uint8)
    made: Any = None
    shape: tuple[int, ...] = (2, data_type.itemsize)
    try:
        made = data_type.dump(np.full(2, data_type.default(), data_type.numpy()), "little")
        if _is_array(made, dtype, shape):
            method, dtype, shape = "load", data_type.numpy(), (2,)
            made = data_type.load(made, "little")
    except Exception as cause:  # noqa: BLE001 - as above
        yield f"{method}: expected {dtype} of shape {shape}, found {cause_text(cause)}"
        return
    if not _is_array(made, dtype, shape):
        yield f"{method}: expected {dtype} of shape {shape}, found {given_text(made)}"


def _is_array(made: object, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    if not isinstance(made, np.ndarray):
        return False
    given = cast("np.ndarray[Any, Any]", made)
    return bool(given.dtype == dtype and given.shape == shape)
