"""A `dataclass` like that of the standard library, created in less than half the time.

The standard library writes the methods of each class as text and compiles them: about 0.5 ms for a frozen
class, and the command creates up to 65 of them at its start. Here, frozen classes share the methods that
differ only in the names of fields; only `__init__` is compiled. Type checkers see the original.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

    Method = Callable[..., Any]
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, **how: Any) -> Any:
        """Like `dataclasses.dataclass`, which makes mutable classes and those derived from dataclasses.

        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     "A place."
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), dataclasses.replace(Point(1), y=2)
        (Point(x=1, y=0), True, Point(x=1, y=2))
        """
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, **how)
        if not frozen or any(map(dataclasses.is_dataclass, cls.__bases__)):
            return dataclasses.dataclass(frozen=frozen, **how)(cls)
        return _frozen(cls, **how)


__all__ = ["dataclass"]


def _frozen(
    cls: Any,
    *,
    slots: bool = False,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - its name there
    kw_only: bool = False,
) -> Any:
    own: dict[str, Any] = {**cls.__dict__}
    make: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)
    made: Any = make(cls)
    fields = dataclasses.fields(made)
    methods: dict[str, Method] = {
        "__init__": _init(made, fields),
        "__setattr__": _set_attribute,
        "__delattr__": _delete_attribute,
    }
    if repr and "__repr__" not in own:
        methods["__repr__"] = _repr
    if eq:
        if "__eq__" not in own:
            methods["__eq__"] = _equal_by(_values_of([each.name for each in fields if each.compare]))
        if own.get("__hash__") is None:
            hashed = [each.name for each in fields if (each.compare if each.hash is None else each.hash)]
            methods["__hash__"] = _hash_by(_values_of(hashed))
    if slots and "__getstate__" not in own:
        methods["__getstate__"], methods["__setstate__"] = _state, _set_state
    for name, method in methods.items():
        setattr(made, name, method)
    parameters: Any = made.__dataclass_params__
    parameters.init, parameters.repr, parameters.eq, parameters.frozen = True, repr, eq, True
    return made


_set: Method = object.__setattr__


class _Factory:
    """Stands for a default that a factory makes for each object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _init(made: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Any:
    """`__init__` of a class with these fields."""
    positional: list[str] = []
    by_name: list[str] = []
    lines: list[str] = []
    known: dict[str, object] = {"_set": _set, "_FACTORY": _FACTORY}
    for field in fields:
        name = value = field.name
        argument = name
        if field.default_factory is not MISSING:
            known[f"_make_{name}"] = field.default_factory
            argument, value = f"{name}=_FACTORY", f"_make_{name}()"
            if field.init:
                value += f" if {name} is _FACTORY else {name}"
        elif field.default is not MISSING:
            known[f"_default_{name}"] = field.default
            argument = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif not field.init:  # left to `__post_init__`
            continue
        if field.init:
            (by_name if field.kw_only else positional).append(argument)
        lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    arguments = ", ".join(["self", *positional, *(["*", *by_name] if by_name else [])])
    body = "\n  ".join(lines) or "pass"
    text = f"def make({', '.join(known)}):\n def __init__({arguments}):\n  {body}\n return __init__"
    found: dict[str, Any] = {}
    # Annotations are resolved by the names of the class's module.
    names = vars(sys.modules[made.__module__]) if made.__module__ in sys.modules else {}
    exec(text, names, found)  # noqa: S102 - as the standard library does it
    init = found["make"](**known)
    init.__qualname__, init.__module__ = f"{made.__qualname__}.__init__", made.__module__
    annotations = {field.name: field.type for field in fields if field.init}
    init.__annotations__ = {**annotations, "return": None}
    return init


def _values_of(names: list[str]) -> Method:
    """A function that returns the values of these fields as one tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    get = attrgetter(names[0]) if names else None

    def values(self: object) -> tuple[Any, ...]:
        return () if get is None else (get(self),)

    return values


def _equal_by(values: Method) -> Method:
    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        if self is other:
            return True
        return bool(values(self) == values(other)) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash_by(values: Method) -> Method:
    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refused(self: object, name: str) -> bool:
    """Whether `name` is frozen: any name in a class made here, only the fields in a derived one."""
    own = vars(type(self))
    return "__dataclass_fields__" in own or name in type(self).__dataclass_fields__  # type: ignore[attr-defined]


def _set_attribute(self: object, name: str, value: object) -> None:
    if _refused(self, name):
        message = f"cannot assign to field {name!r}"
        raise FrozenInstanceError(message)
    _set(self, name, value)


def _delete_attribute(self: object, name: str) -> None:
    if _refused(self, name):
        message = f"cannot delete field {name!r}"
        raise FrozenInstanceError(message)
    object.__delattr__(self, name)


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        _set(self, each.name, value)
