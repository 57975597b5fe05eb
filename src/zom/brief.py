"""Short forms of objects: what `repr` prints, however large they are, and what notebooks show.

A notebook's picture is made by `zom.views`, which sees everything. The classes that have one are below it: they
import it by name, as plugins are imported, and only when somebody looks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from typing_extensions import override

from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Brief", "BriefDict", "brief", "notebook_html", "short", "tree_of"]

_Name = TypeVar("_Name")
_Value = TypeVar("_Value")

_ROOM = 400
"""How many characters of one value are printed."""
_LINE = 300
"""How many characters of a record are printed."""
_DEPTH = 6
_VIEWS = "zom.views.notebook"
_TREES = "zom.formats.tree_text"


class Brief:
    """A value whose `repr` is short.

    >>> Brief(list(range(1000)), 20)
    [0, 1, 2, 3, 4, 5, 6, ... and 993 more]
    """

    def __init__(self, value: object, room: int = _ROOM) -> None:
        self._value = value
        self._room = room

    def __repr__(self) -> str:
        return brief(self._value, self._room)


class BriefDict(dict[_Name, _Value]):
    """A dict whose `repr` is short, with as much of it as of any dict that is printed.

    >>> len(repr(BriefDict({number: "x" * 50 for number in range(1000)}))) < 3000
    True
    """

    @override
    def __repr__(self) -> str:
        # `brief` sees a plain dict, whose items it prints one by one.
        return brief(dict(self), 2000)


def brief(value: object, room: int = _ROOM, depth: int = 0) -> str:
    """The value as Python writes it, cut where it is long; what is cut off is not looked at.

    >>> brief({"a": "x" * 1000, "b": [1, 2]}, 30)
    "{'a': 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', ... and 1 more}"
    """
    if isinstance(value, dict):
        pairs = cast("Mapping[Any, Any]", value)
        return _braced(_pairs(pairs, room, depth), "{}", len(pairs), room, depth)
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[Any]", value)
        parts = (brief(each, room, depth + 1) for each in items)
        return _braced(parts, "[]" if isinstance(value, list) else "()", len(items), room, depth)
    if isinstance(value, (str, bytes)) and len(value) > room:
        text = repr(value[:room])
        return f"{text[:-1]}...{text[-1]}"
    text = repr(value)
    return text if len(text) <= room + 2 or isinstance(value, (str, bytes)) else f"{text[:room]}..."


def _pairs(value: Mapping[Any, Any], room: int, depth: int) -> Iterator[str]:
    for name, item in value.items():
        yield f"{brief(name, room, depth + 1)}: {brief(item, room, depth + 1)}"


def _braced(parts: Iterator[str], braces: str, count: int, room: int, depth: int) -> str:
    if depth >= _DEPTH and count:
        return f"{braces[0]}...{braces[1]}"
    shown: list[str] = []
    for part in parts:
        shown.append(part)
        room -= len(part) + 2
        if room <= 0:
            break
    left = count - len(shown)
    comma = "," if braces == "()" and count == 1 else ""
    more = f", ... and {left:,} more" if left else comma
    return f"{braces[0]}{', '.join(shown)}{more}{braces[1]}"


def short(name: str, text: str) -> str:
    """What `repr` prints of a record: its class, and one line about it.

    >>> short("Plan", "memory:// 2 to create")
    '<zom.Plan memory:// 2 to create>'
    """
    # What is far too long is cut before it is made printable.
    line = one_line(text[: 2 * _LINE])
    return f"<zom.{name} {line if len(line) <= _LINE else f'{line[: _LINE - 3]}...'}>"


def notebook_html(noun: str, thing: object) -> str:
    """What a notebook shows of a thing of that kind.

    >>> from zom import v3
    >>> "<script" in notebook_html("spec", v3.GroupSpec())
    False
    """
    views: Any = import_module(_VIEWS)
    made: str = views.VIEWS[noun](thing)
    return made


def tree_of(spec: object, depth: int | None = None) -> str:
    """A hierarchy as text that shows itself: a line for each node, down to so many levels.

    >>> from zom import v3
    >>> tree_of(v3.GroupSpec(members={}))
    /  v3 group  no members
    """
    trees: Any = import_module(_TREES)
    made: str = trees.Tree(spec, depth=depth)
    return made
