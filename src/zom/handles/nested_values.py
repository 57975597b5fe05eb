"""Objects and lists in attributes: changing them changes the document in the store.

They behave like a dict and a list; each change writes the document once. An object is changed by name, so
concurrent changes of other names stay. A change of a list is refused if others have changed the list since it
was read, because its indexes mean something else then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, cast

from typing_extensions import override

from zom.errors import ConflictError
from zom.hierarchy.change.conflicts import CHANGED, conflict
from zom.json.exact import same
from zom.json.python_value import is_dict, is_list
from zom.json.value import freeze, thaw
from zom.problems import dotted, show

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

__all__ = ["NestedDict", "NestedList", "Root", "nested"]

_Step: TypeAlias = "str | int"
_Value: TypeAlias = "NestedDict | NestedList"


class Root:
    """The place of one attribute's value, and how to change it."""

    def __init__(
        self, name: str, write: Callable[[Callable[[dict[str, Any]], None]], None], store: str, node: str
    ) -> None:
        self.name = name
        self._write = write
        self._store = store
        self._node = node
        self.value: Any = None

    def change(self, value: _Value, act: Callable[[Any], object]) -> None:
        """Call `act` with the stored counterpart of `value`; do nothing for a removed value."""
        steps = _steps(value)
        if steps is None:
            return

        def changed(attributes: dict[str, Any]) -> None:
            here: Any = attributes
            for step in (self.name, *steps):
                here = _inside(here, step)
            known = is_dict(here) if isinstance(value, dict) else is_list(here) and same(here, value)
            if not known:
                self._refuse(steps, value, here)
            act(here)

        self._write(changed)

    def _refuse(self, steps: list[_Step], value: _Value, found: object) -> None:
        where = dotted(("attributes", self.name, *steps))
        wanted = (
            f"{where} to be {'an object' if isinstance(value, dict) else show(thaw(value))}, as it was read"
        )
        fix = "read it from attrs again, then change it"
        problem = conflict(CHANGED, self._node, wanted, _found(found), fix)
        raise ConflictError([problem], self._store)


class _Nothing:
    """The value of a missing place."""


_NOTHING = _Nothing()


def _found(found: object) -> str:
    return "nothing" if found is _NOTHING else f"{show(found)}, which was written meanwhile"


def _inside(here: Any, step: _Step) -> Any:
    if isinstance(step, str):
        return here.get(step, _NOTHING) if is_dict(here) else _NOTHING
    return here[step] if is_list(here) and step < len(here) else _NOTHING


def _steps(value: _Value) -> list[_Step] | None:
    """The path from the attribute to `value`, or None if it is no longer in it."""
    steps: list[_Step] = []
    while value.holder is not None:
        holder = value.holder
        pairs: Iterable[tuple[_Step, Any]] = (
            cast("dict[str, Any]", holder).items() if isinstance(holder, dict) else enumerate(holder)
        )
        step = next((step for step, item in pairs if item is value), None)
        if step is None:
            return None
        steps.insert(0, step)
        value = holder
    return steps if value.root.value is value else None


def nested(value: Any, root: Root, holder: _Value | None = None) -> Any:
    """`value` with objects and lists that write their changes."""
    made = _shell(value, root, holder)
    waiting: list[Any] = [(value, made)]
    while waiting:  # not by recursion: attributes may be many levels deep
        old, new = waiting.pop()
        if isinstance(new, NestedDict):
            for name, item in old.items():
                shell = _shell(item, root, new)
                new.hold(name, shell)
                waiting.append((item, shell))
        elif isinstance(new, NestedList):
            for item in old:
                shell = _shell(item, root, new)
                new.hold(shell)
                waiting.append((item, shell))
    if holder is None:
        root.value = made
    return made


def _shell(value: Any, root: Root, holder: _Value | None) -> Any:
    if isinstance(value, Mapping):
        return NestedDict(root, holder)
    return NestedList(root, holder) if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    """A copy of a new value, as JSON."""
    return thaw(freeze(value, []))


class NestedDict(dict[str, Any]):
    """An object in attributes; changing it writes the document of the node.

    >>> import zom
    >>> root = zom.create_group("memory:", zom.v3.GroupSpec(attributes={"d": {"x": 1}}))
    >>> root.attrs["d"]["x"] = 2
    >>> zom.open(root.store).attrs["d"], root.attrs["d"].copy()
    ({'x': 2}, {'x': 2})
    """

    __slots__ = ("holder", "root")

    def __init__(self, root: Root, holder: _Value | None) -> None:
        super().__init__()
        self.root = root
        self.holder = holder

    def hold(self, name: str, value: Any) -> None:
        """Set a value here, without writing it to the store."""
        super().__setitem__(name, value)

    def _put(self, given: dict[str, Any]) -> None:
        plain = {name: _plain(value) for name, value in given.items()}
        self.root.change(self, lambda here: here.update(given))
        for name, value in plain.items():
            self.hold(name, nested(value, self.root, self))

    @override
    def __setitem__(self, name: str, value: Any) -> None:
        self._put({name: value})

    @override
    def __delitem__(self, name: str) -> None:
        self.pop(name)

    @override
    def pop(self, name: str, *default: Any) -> Any:
        """Remove a name; return its value, or the default if missing."""
        if name in self:
            self.root.change(self, lambda here: here.pop(name, None))
        return super().pop(name, *default)

    @override
    def popitem(self) -> tuple[str, Any]:
        """Remove the last name and its value, and return both."""
        name = next(reversed(self), None)
        return super().popitem() if name is None else (name, self.pop(name))

    @override
    def clear(self) -> None:
        """Remove all names with one write."""
        self.root.change(self, lambda here: here.clear())
        super().clear()

    @override
    def update(self, *given: Any, **more: Any) -> None:
        """Set all of them with one write."""
        self._put(dict(*given, **more))

    @override
    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of a name; set it to `default` if missing."""
        if name not in self:
            self._put({name: default})
        return self[name]

    @override
    def __ior__(self, given: Any) -> Self:  # type: ignore[override]  # dict has overloads of it
        self.update(given)
        return self

    @override
    def copy(self) -> dict[str, Any]:
        """An independent deep copy."""
        return cast("dict[str, Any]", thaw(self))

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return self.copy()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (self.copy(),))


class NestedList(list[Any]):
    """A list in attributes; changing it writes the document of the node.

    >>> import zom
    >>> root = zom.create_group("memory:", zom.v3.GroupSpec(attributes={"steps": [1]}))
    >>> root.attrs["steps"].append(2)
    >>> zom.open(root.store).attrs["steps"]
    [1, 2]
    """

    __slots__ = ("holder", "root")

    def __init__(self, root: Root, holder: _Value | None) -> None:
        super().__init__()
        self.root = root
        self.holder = holder

    def hold(self, value: Any) -> None:
        """Append a value here, without writing it to the store."""
        super().append(value)

    def _items(self, values: Any) -> list[Any]:
        return [nested(_plain(value), self.root, self) for value in values]

    @override
    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, slice):
            value = list(value)
            new: Any = self._items(value)
        else:
            (new,) = self._items([value])
        self.root.change(self, lambda here: here.__setitem__(place, value))
        super().__setitem__(cast("Any", place), new)

    @override
    def __delitem__(self, place: Any) -> None:
        self.root.change(self, lambda here: here.__delitem__(place))
        super().__delitem__(place)

    @override
    def insert(self, place: SupportsIndex, value: Any) -> None:
        """Insert a value before a position."""
        (new,) = self._items([value])
        self.root.change(self, lambda here: here.insert(place, value))
        super().insert(place, new)

    @override
    def append(self, value: Any) -> None:
        """Append a value."""
        self.insert(len(self), value)

    @override
    def extend(self, values: Iterable[Any]) -> None:
        """Append values with one write."""
        self[len(self) :] = values

    @override
    def pop(self, place: SupportsIndex = -1) -> Any:
        """Remove and return a value."""
        value = self[place]
        del self[place]
        return value

    @override
    def remove(self, value: Any) -> None:
        """Remove the first matching value."""
        del self[self.index(value)]

    @override
    def clear(self) -> None:
        """Remove all values with one write."""
        del self[:]

    @override
    def reverse(self) -> None:
        """Reverse the order."""
        self.root.change(self, lambda here: here.reverse())
        super().reverse()

    @override
    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort the values with one write."""
        self.root.change(self, lambda here: here.sort(key=key, reverse=reverse))
        super().sort(key=key, reverse=reverse)

    @override
    def __iadd__(self, values: Iterable[Any]) -> Self:
        self.extend(values)
        return self

    @override
    def __imul__(self, times: SupportsIndex) -> Self:
        self[:] = self.copy() * times
        return self

    @override
    def copy(self) -> list[Any]:
        """An independent deep copy."""
        return cast("list[Any]", thaw(self))

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> list[Any]:
        return self.copy()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (list, (self.copy(),))
