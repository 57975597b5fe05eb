"""Parse JSON texts into events: every name, scalar and bracket, with its place.

The parser follows RFC 8259, but passes on NaN, Infinity and -Infinity for callers to check: real software
wrote them. It walks a text once, without recursion; memory is proportional to depth and length.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NoReturn

from zom.problems import Fault, rule, show

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CLOSING",
    "NAME",
    "NUMBER",
    "OPENING",
    "TEXT",
    "Event",
    "Lines",
    "NotJSONError",
    "decode",
    "events",
]

ENCODING = rule("json/encoding", "a JSON text is encoded in UTF-8", source="RFC 8259, section 8.1")
BOM = rule(
    "json/bom",
    "a JSON text doesn't start with a byte order mark",
    source="RFC 8259, section 8.1",
    lenient="warning",
)
# The groups of _TOKEN, which are also the kinds of events.
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST, _COMMA, _COLON = range(1, 7)
TEXT, _ESCAPED, NUMBER, _WORD, _END = range(7, 12)
NAME = 12

# Possessive throughout: a text that doesn't match costs one look at each character.
_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
    (\{) | (\}) | (\[) | (\]) | (,) | (:)
    | "([^"\\\x00-\x1f]*+)"
    | ("(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+")
    | (-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)
    | (true|false|null|NaN|-?Infinity)
    | (\Z)
    )""",
    re.VERBOSE,
)
_SPACE = re.compile(r"[ \t\n\r]*+")
_TEXT_START = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')

_SCALARS = {TEXT, _ESCAPED, NUMBER, _WORD}
_VALUES = {_OPEN_OBJECT, _OPEN_LIST, *_SCALARS}
_NAMES = {TEXT, _ESCAPED}

# The valid next tokens, with their description in messages.
_START = (_VALUES, "a JSON value")
_FIRST_ITEM = ({*_VALUES, _CLOSE_LIST}, 'a value or "]"')
_ITEM = (_VALUES, "a value")
_FIRST_NAME = ({*_NAMES, _CLOSE_OBJECT}, 'a name in double quotes or "}"')
_NEXT_NAME = (_NAMES, "a name in double quotes")
_AFTER_NAME = ({_COLON}, '":"')
_AFTER_ITEM = ({_COMMA, _CLOSE_LIST}, '"," or "]"')
_AFTER_MEMBER = ({_COMMA, _CLOSE_OBJECT}, '"," or "}"')
_AFTER_ALL = ({_END}, "the end of the text")

Event = tuple[int, int, str]
"""A step through a text: its kind, where it starts, and the name, the string or the characters."""


class NotJSONError(Exception):
    """The text is not JSON at `position`."""

    def __init__(self, position: int, expected: str, found: str, fix: str | None = None) -> None:
        super().__init__(position, expected, found, fix)
        self.position, self.expected, self.found, self.fix = position, expected, found, fix


class Lines:
    r"""Converts positions in one text to line and column, both counted from 1.

    >>> Lines("[1,\n 2]").at(5)
    (2, 2)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._line_start = 0
        self._position = 0

    def at(self, position: int) -> tuple[int, int]:
        """Return the line and column of `position`; ascending calls cost one walk in total."""
        if position < self._position:
            self._line, self._line_start, self._position = 1, 0, 0
        lines = self._text.count("\n", self._position, position)
        if lines:
            self._line += lines
            self._line_start = self._text.rindex("\n", self._position, position) + 1
        self._position = position
        return self._line, position - self._line_start + 1


def decode(text: str | bytes, faults: list[Fault]) -> str | None:
    r"""Return the characters of a JSON text without a byte order mark; None if it is not UTF-8.

    >>> decode(b"\xef\xbb\xbf{}", faults := []), faults[0].rule.code
    ('{}', 'json/bom')
    """
    if isinstance(text, bytes):
        wide = _wide(text)
        if wide:
            faults.append(Fault(ENCODING, (), "text in UTF-8", f"text in {wide}", "write it as UTF-8"))
            return None
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode()
            found = f"the byte 0x{error.object[error.start]:02x}"
            faults.append(Fault(ENCODING, (), "text in UTF-8", found, None, Lines(before).at(len(before))))
            return None
    if text.startswith("\ufeff"):
        faults.append(Fault(BOM, (), "no byte order mark", "one", "write the text without it"))
        return text[1:]
    return text


def _wide(text: bytes) -> str | None:
    """Return the encoding of `text` if it is UTF-16 or UTF-32: JSON starts with ASCII."""
    start = text[:4]
    if start in {b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"}:
        return "UTF-32"
    if start[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return "UTF-16"
    zeros = tuple(byte == 0 for byte in start)
    if zeros in {(True, True, True, False), (False, True, True, True)}:
        return "UTF-32"
    return "UTF-16" if zeros in {(True, False) * 2, (False, True) * 2, (True, False), (False, True)} else None


def events(text: str) -> Iterator[Event]:  # noqa: C901 - one automaton, without calls
    """Yield every name, scalar, opening and closing bracket of `text`, in order.

    >>> [(start, found) for _, start, found in events('{"a": [1]}')]
    [(0, '{'), (1, 'a'), (6, '['), (7, '1'), (8, ']'), (9, '}')]
    """
    match = _TOKEN.match
    nest = bytearray()  # a byte per open bracket: cheap at any depth
    state, here = _START, 0
    while True:
        token = match(text, here)
        kind = token.lastindex if token else None
        if token is None or kind is None or kind not in state[0]:
            _refuse(text, here, state)
        here = token.end()
        if kind == _COMMA:
            state = _ITEM if nest[-1] == _OPEN_LIST else _NEXT_NAME
        elif kind == _COLON:
            state = _ITEM
        elif kind == _END:
            return
        else:
            start, found = token.start(kind), token.group(kind)
            if kind == TEXT:
                start -= 1
            elif kind == _ESCAPED:
                found, kind = json.loads(found), TEXT
            if kind == TEXT and (state is _FIRST_NAME or state is _NEXT_NAME):
                state, kind = _AFTER_NAME, NAME
            elif kind in OPENING:
                nest.append(kind)
                state = OPENING[kind]
            else:
                if kind in CLOSING:
                    nest.pop()
                state = _AFTER[nest[-1]] if nest else _AFTER_ALL
            yield kind, start, found


OPENING = {_OPEN_OBJECT: _FIRST_NAME, _OPEN_LIST: _FIRST_ITEM}
CLOSING = {_CLOSE_OBJECT, _CLOSE_LIST}
_AFTER = {_OPEN_OBJECT: _AFTER_MEMBER, _OPEN_LIST: _AFTER_ITEM}


def _refuse(text: str, here: int, state: tuple[set[int], str]) -> NoReturn:
    """Raise NotJSONError for the unexpected text at `here`."""
    space = _SPACE.match(text, here)
    position = space.end() if space else here
    character = text[position : position + 1]
    if character == '"' and state[0] & _NAMES:
        start = _TEXT_START.match(text, position)
        position = start.end() if start else position
        inside = text[position : position + 1]
        if inside == "\\":
            raise NotJSONError(position, "an escape that JSON allows", show(text[position : position + 2]))
        expected = "a double quote that ends the text"
        found = f"the control character \\u{ord(inside):04x}" if inside else "the end of the text"
        raise NotJSONError(position, expected, found)
    if character in {"]", "}"} and state in (_ITEM, _NEXT_NAME) and text[:here].endswith(","):
        raise NotJSONError(position, state[1], f'"{character}" after a comma', "remove the comma")
    raise NotJSONError(position, state[1], show(character) if character else "the end of the text")
