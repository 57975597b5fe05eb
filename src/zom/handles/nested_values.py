"""Objects and lists within attributes: what changes them changes the document in the store.

They are a dict and a list, and behave as these; each change writes the document once. A change of an object is made
by its name, so that others' changes of other names stay. A change of a list is refused where others have changed the
list since it was read: its places mean something else by then.
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
    """Where the value of one attribute lies, and how it is changed."""

    def __init__(
        self, name: str, write: Callable[[Callable[[dict[str, Any]], None]], None], store: str, node: str
    ) -> None:
        self.name = name
        self._write = write
        self._store = store
        self._node = node
        self.value: Any = None

    def change(self, value: _Value, act: Callable[[Any], object]) -> None:
        """Do `act` with what lies in the store where `value` was read; nothing for what was taken out."""
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
    """What is where nothing is."""


_NOTHING = _Nothing()


def _found(found: object) -> str:
    return "nothing" if found is _NOTHING else f"{show(found)}, which others wrote meanwhile"


def _inside(here: Any, step: _Step) -> Any:
    if isinstance(step, str):
        return here.get(step, _NOTHING) if is_dict(here) else _NOTHING
    return here[step] if is_list(here) and step < len(here) else _NOTHING


def _steps(value: _Value) -> list[_Step] | None:
    """The way from the attribute to `value`; None where it is not in it any more."""
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
    """A copy of what is put in, as JSON has it."""
    return thaw(freeze(value, []))


class NestedDict(dict[str, Any]):
    """An object within attributes; changing it writes the document of the node.

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
        """Put a value in here alone, not in the store."""
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
        """Take a name out; its value, or the default where there is none."""
        if name in self:
            self.root.change(self, lambda here: here.pop(name, None))
        return super().pop(name, *default)

    @override
    def popitem(self) -> tuple[str, Any]:
        """Take the last name out, with its value."""
        name = next(reversed(self), None)
        return super().popitem() if name is None else (name, self.pop(name))

    @override
    def clear(self) -> None:
        """Take all names out, with one write."""
        self.root.change(self, lambda here: here.clear())
        super().clear()

    @override
    def update(self, *given: Any, **more: Any) -> None:
        """Put all of them, with one write."""
        self._put(dict(*given, **more))

    @override
    def setdefault(self, name: str, default: Any = None) -> Any:
        """The value of a name, which becomes `default` where there is none."""
        if name not in self:
            self._put({name: default})
        return self[name]

    @override
    def __ior__(self, given: Any) -> Self:  # type: ignore[override]  # dict has overloads of it
        self.update(given)
        return self

    @override
    def copy(self) -> dict[str, Any]:
        """A copy of one's own, with all that is in it."""
        return cast("dict[str, Any]", thaw(self))

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        return self.copy()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (self.copy(),))


class NestedList(list[Any]):
    """A list within attributes; changing it writes the document of the node.

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
        """Put a value behind the last here alone, not in the store."""
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
        """Put a value before a place."""
        (new,) = self._items([value])
        self.root.change(self, lambda here: here.insert(place, value))
        super().insert(place, new)

    @override
    def append(self, value: Any) -> None:
        """Put a value behind the last."""
        self.insert(len(self), value)

    @override
    def extend(self, values: Iterable[Any]) -> None:
        """Put values behind the last, with one write."""
        self[len(self) :] = values

    @override
    def pop(self, place: SupportsIndex = -1) -> Any:
        """Take a value out."""
        value = self[place]
        del self[place]
        return value

    @override
    def remove(self, value: Any) -> None:
        """Take the first such value out."""
        del self[self.index(value)]

    @override
    def clear(self) -> None:
        """Take all values out, with one write."""
        del self[:]

    @override
    def reverse(self) -> None:
        """Turn the order round."""
        self.root.change(self, lambda here: here.reverse())
        super().reverse()

    @override
    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sort the values, with one write."""
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
        """A copy of one's own, with all that is in it."""
        return cast("list[Any]", thaw(self))

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> list[Any]:
        return self.copy()

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (list, (self.copy(),))
