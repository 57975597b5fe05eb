"""Short forms of objects: a `repr` of limited length, and the HTML that notebooks show.

`zom.views` makes the HTML, and depends on everything. The classes with a notebook view are layers below it:
they import it by name, like a plugin, and only on demand.
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
"""Maximum characters printed of one value."""
_LINE = 300
"""Maximum characters printed of a record."""
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
    """A dict with a short `repr`.

    >>> len(repr(BriefDict({number: "x" * 50 for number in range(1000)}))) < 3000
    True
    """

    @override
    def __repr__(self) -> str:
        # `brief` gets a plain dict, and prints its items one by one.
        return brief(dict(self), 2000)


def brief(value: object, room: int = _ROOM, depth: int = 0) -> str:
    """The `repr` of `value`, truncated if long; the rest is not read.

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
    """The `repr` of a record: its class, and one line about it.

    >>> short("Plan", "memory:// 2 to create")
    '<zom.Plan memory:// 2 to create>'
    """
    # Cut very long text before escaping it.
    line = one_line(text[: 2 * _LINE])
    return f"<zom.{name} {line if len(line) <= _LINE else f'{line[: _LINE - 3]}...'}>"


def notebook_html(noun: str, thing: object) -> str:
    """The HTML that a notebook shows for `thing`, an object of the kind `noun`.

    >>> from zom import v3
    >>> "<script" in notebook_html("spec", v3.GroupSpec())
    False
    """
    views: Any = import_module(_VIEWS)
    made: str = views.VIEWS[noun](thing)
    return made


def tree_of(spec: object, depth: int | None = None) -> str:
    """A hierarchy as text whose `repr` is itself: one line per node, down to `depth` levels.

    >>> from zom import v3
    >>> tree_of(v3.GroupSpec(members={}))
    /  v3 group  no members
    """
    trees: Any = import_module(_TREES)
    made: str = trees.Tree(spec, depth=depth)
    return made
