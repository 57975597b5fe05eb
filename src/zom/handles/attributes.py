"""Attributes of what is open: a mapping whose changes are written at once."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from zom.json.value import thaw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zom.json.value import JSON

__all__ = ["Attributes"]


class Attributes(MutableMapping[str, Any]):
    """The attributes of a node. What is read is a copy: to change a list in it, put it back.

    >>> import zom
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> array.attrs["units"] = "K"
    >>> array.attrs.update(valid=[0, 9], units="°C")
    >>> dict(array.attrs)
    {'units': '°C', 'valid': [0, 9]}
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, JSON]],
        write: Callable[[Callable[[dict[str, Any]], None]], None],
    ) -> None:
        self._read = read
        self._write = write

    def __getitem__(self, name: str) -> Any:
        return thaw(self._read()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __setitem__(self, name: str, value: Any) -> None:
        def change(attributes: dict[str, Any]) -> None:
            attributes[name] = value

        self._write(change)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)

        def change(attributes: dict[str, Any]) -> None:
            attributes.pop(name, None)

        self._write(change)

    @override
    def update(self, other: Any = (), /, **more: Any) -> None:
        """Put all of them, with one write."""
        given = {**dict(cast("Iterable[tuple[str, Any]]", other)), **more}
        if given:
            self._write(lambda attributes: attributes.update(given))

    @override
    def clear(self) -> None:
        """Take all of them away, with one write."""
        self._write(lambda attributes: attributes.clear())

    def __repr__(self) -> str:
        return repr(dict(self))
