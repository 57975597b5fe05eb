"""TOML texts: values from the standard library, and places from the keys at line starts.

The library reports no places. Keys and tables are searched in the text; a value inside of an inline table or
a list has the place of the line that begins it.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from typing import TYPE_CHECKING, Any

from zom.declaration.places import Places
from zom.json.python_value import is_dict, is_list
from zom.problems import Fault

if TYPE_CHECKING:
    from zom.problems import Rule

__all__ = ["read_toml"]

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_TABLE = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEYS})[ \t]*\]")
_ENTRY = re.compile(rf"([ \t]*)({_KEYS})[ \t]*=")
_ONE = re.compile(_KEY)
_LINE = re.compile(r"\(at line ([0-9]+), column ([0-9]+)\)|\(at end of document\)")


def read_toml(text: str, faults: list[Fault], broken: Rule) -> tuple[Any, Places | None]:
    r"""Return the value of a text with its places; add what is wrong to `faults`.

    >>> from zom.declaration.source import TEXT
    >>> value, places = read_toml("a = 1\n[sizes]\nx = 4\n", [], TEXT)
    >>> value, places.find(value, ("sizes", "x"))
    ({'a': 1, 'sizes': {'x': 4}}, (3, 1))
    """
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = _LINE.search(str(error))
        place = (int(where[1]), int(where[2])) if where and where[1] else (text.count("\n") + 1, 1)
        found = _LINE.sub("", str(error)).strip() or "values nested too deeply"
        faults.append(Fault(broken, (), "TOML", found, None, place))
        return None, None
    return _as_json(value), _places(text, value)


def _places(text: str, value: Any) -> Places:
    places = Places()
    here: Any = value
    for number, line in enumerate(text.splitlines(), 1):
        table = _TABLE.match(line)
        if table:
            steps = _steps(table[2])
            here = _walk(places, value, steps, (number, table.start(2) + 1))
            continue
        entry = _ENTRY.match(line)
        if entry and here is not None:
            _walk(places, here, _steps(entry[2]), (number, entry.start(2) + 1))
    return places


def _steps(keys: str) -> list[str]:
    # A quoted key may have escapes, which the TOML parser decodes.
    return [next(iter(tomllib.loads(f"{key} = 1"))) for key in _ONE.findall(keys)]


def _walk(places: Places, value: Any, steps: list[str], place: tuple[int, int]) -> Any:
    """Return the value at the steps; record the place of the last step, and of earlier ones without any."""
    here = value
    for index, step in enumerate(steps):
        if is_list(here) and here:
            here = here[-1]
        if not is_dict(here) or step not in here:
            return None
        if index == len(steps) - 1 or step not in places.known(here):
            places.note(here, step, place)
        here = here[step]
    return here[-1] if is_list(here) and here and is_dict(here[-1]) else here


def _as_json(value: Any) -> Any:
    """Convert dates and times to text, in place, because places refer to these mappings and lists."""
    waiting: list[Any] = [value]
    while waiting:
        here = waiting.pop()
        entries: Any = here.items() if is_dict(here) else enumerate(here)
        for step, inner in list(entries):
            if isinstance(inner, (dt.date, dt.time)):
                here[step] = inner.isoformat()
            elif is_dict(inner) or is_list(inner):
                waiting.append(inner)
    return value
