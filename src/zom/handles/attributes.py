"""Attributes of open nodes: a mapping that writes changes at once."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from zom.brief import brief
from zom.handles.nested_values import Root, nested
from zom.json.value import thaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zom.json.value import JSON

__all__ = ["Attributes"]


class Attributes(MutableMapping[str, Any]):
    """The attributes of a node. Changing them, or an object or list in them, changes the stored document.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> array.attrs["units"] = "K"
    >>> array.attrs.update(valid=[0, 9], units="°C")
    >>> array.attrs["valid"][1] = 8
    >>> array.attrs.asdict()
    {'units': '°C', 'valid': [0, 8]}

    Each change writes the document once. `asdict()` returns a copy; `put` writes it back in one step.
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, JSON]],
        write: Callable[[Callable[[dict[str, Any]], None]], None],
        store: str,
        node: str,
    ) -> None:
        self._read = read
        self._write = write
        self._where = (store, node)

    def __getitem__(self, name: str) -> Any:
        return nested(self._read()[name], Root(name, self._write, *self._where))

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __setitem__(self, name: str, value: Any) -> None:
        def change(attributes: dict[str, Any]) -> None:
            attributes[name] = value

        self._write(change)

    def __delitem__(self, name: str) -> None:
        self.pop(name)

    @override
    def pop(self, name: str, *default: Any) -> Any:
        """Remove a name with one write; return its value, or the default if missing."""
        if name not in self:
            return dict[str, Any]().pop(name, *default)
        taken = thaw(self._read()[name])

        def change(attributes: dict[str, Any]) -> None:
            nonlocal taken
            taken = attributes.pop(name, taken)

        self._write(change)
        return taken

    @override
    def setdefault(self, name: str, default: Any = None) -> Any:
        """Return the value of a name; set it to `default` if missing."""
        if name not in self:
            self._write(lambda attributes: attributes.setdefault(name, default))
        return self[name]

    @override
    def update(self, other: Any = (), /, **more: Any) -> None:
        """Set all of them with one write."""
        given = {**dict(cast("Iterable[tuple[str, Any]]", other)), **more}
        if given:
            self._write(lambda attributes: attributes.update(given))

    @override
    def clear(self) -> None:
        """Delete all attributes with one write."""
        self._write(lambda attributes: attributes.clear())

    def put(self, attributes: Mapping[str, Any]) -> None:
        """Replace all attributes with one write.

        >>> import zom
        >>> group = zom.create_group("memory:", zom.v3.GroupSpec(attributes={"a": 1}))
        >>> group.attrs.put({"b": 2}); group.attrs
        {'b': 2}
        """

        def change(found: dict[str, Any]) -> None:
            found.clear()
            found.update(attributes)

        self._write(change)

    def asdict(self) -> dict[str, Any]:
        """A copy of all attributes; changing it doesn't affect the store."""
        return cast("dict[str, Any]", thaw(self._read()))

    def __repr__(self) -> str:
        return brief(self.asdict(), 2000)
