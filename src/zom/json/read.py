"""Read JSON texts into frozen values, with the place of every fault.

The reader follows RFC 8259 and is strict where the standard library's parser is not: duplicate names,
NaN, numbers that overflow. Most texts take the fast path: a compiled parser, and a check by counting
that no name was lost. All other texts are read again by the careful scanner.
"""

from __future__ import annotations

import json
import re
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from pydantic_core import from_json, to_json

from zom.json.scan import most_digits, scan
from zom.json.shared import share, shared
from zom.json.value import SURROGATE, JSONDict, JSONList
from zom.limits import DEFAULT_LIMITS
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from zom.limits import Limits

__all__ = ["read_json", "read_own"]

SIZE = rule(
    "json/size",
    "a text is not longer than the limit",
    source="RFC 8259, section 9: an implementation may set limits",
)


class _UnfitError(Exception):
    """The parsed value needs the careful scanner: it is too deep, or contains a too large number."""


def read_json(text: str | bytes, faults: list[Fault], *, limits: Limits = DEFAULT_LIMITS) -> Any:
    """Return the frozen JSON value of `text`, and add the text's faults to `faults`.

    A text that is not JSON gives None and one fault, with line and column. Of a duplicate name, the last
    value counts; NaN and infinities are floats; both add faults. The depth limit of values applies inside
    each node of a hierarchy: see `zom.json.scan`.

    >>> read_json('{"shape": [10, 10]}', faults := []), faults
    ({'shape': [10, 10]}, [])
    >>> read_json('{"scale": NaN}', faults), faults[0].path
    ({'scale': nan}, ('scale',))
    >>> print(read_json("[1,]", faults), faults[1].found, faults[1].place)
    None "]" after a comma (1, 4)
    """
    size = _size(text, limits.text_bytes)
    if size > limits.text_bytes:
        faults.append(Fault(SIZE, (), f"at most {limits.text_bytes} bytes", f"{size} bytes"))
        return None
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):
        # Not JSON; or a lone surrogate, for which the parser raises TypeError.
        return scan(text, faults, limits)
    tally = [0]
    try:
        frozen = _frozen_node(value, limits, _power(most_digits(limits)), tally, 1)
    except _UnfitError:
        return scan(text, faults, limits)
    return frozen if _names_are_kept(text, tally[0]) else scan(text, faults, limits)


def read_own(text: bytes, faults: list[Fault]) -> Any:
    r"""Like `read_json`, for output of `ascii_json`, whose keys may hold lone surrogates.

    >>> read_own(b'{"key": "\\udcff"}', faults := [])["key"], faults
    ('\udcff', [])
    """
    value = read_json(text, faults)
    if not faults or any(fault.rule is not SURROGATE for fault in faults):
        return value
    faults.clear()
    return _frozen_node(json.loads(text), DEFAULT_LIMITS, _power(most_digits(DEFAULT_LIMITS)), [0], 1)


def _size(text: str | bytes, most: int) -> int:
    """Return the bytes of `text` in UTF-8, or a smaller number if both are at most `most`."""
    if isinstance(text, bytes) or text.isascii() or len(text) > most or 4 * len(text) <= most:
        return len(text)
    return len(text.encode("utf-8", "surrogatepass"))


_DONE = frozenset({str, bool, type(None), JSONDict, JSONList})
"""The types of values that need no check: the parser makes only valid text."""


_LEAST, _MOST = -(2**63), 2**63
"""The range of usual integers, which compare faster than those of many digits."""


@cache
def _power(digits: int) -> int:
    return int(10**digits)


def _frozen_node(value: Any, limits: Limits, most: int, tally: list[int], groups: int) -> Any:
    """Freeze `value`, made by the parser; `tally` counts the names in it.

    The parser's containers are changed in place; only the frozen objects and lists are new.
    """
    if type(value) is dict:
        members = cast("dict[str, Any]", value).get("members")
        if type(members) is dict:
            members = cast("dict[str, Any]", members)
            if groups > limits.tree_depth or limits.value_depth < 3:
                raise _UnfitError
            tally[0] += len(members)
            for name, item in members.items():
                if type(item) is dict:
                    members[name] = _frozen_node(item, limits, most, tally, groups + 1)
                else:
                    members[name] = _frozen(item, limits.value_depth - 2, most, tally)
            value["members"] = JSONDict(members)
        if limits is DEFAULT_LIMITS:
            _share(cast("dict[str, Any]", value), most, tally)
    if groups > limits.tree_depth:
        raise _UnfitError
    return _frozen(value, limits.value_depth, most, tally)


_OFTEN_ALIKE = frozenset(
    {
        "chunk_grid", "chunk_key_encoding", "chunks", "codecs", "compressor", "data_type", "dimension_names",
        "filters", "storage_transformers",
    }
)  # fmt: skip
"""Members that are often equal in many arrays of a hierarchy."""


def _share(node: dict[str, Any], most: int, tally: list[int]) -> None:
    """Replace equal values in nodes by one shared object."""
    for name, item in node.items():
        if name not in _OFTEN_ALIKE or (type(item) is not dict and type(item) is not list):
            continue
        try:
            text = to_json(item)
        except ValueError:  # it contains a lone surrogate
            continue
        known = shared(text)
        if known is None:
            before = tally[0]
            node[name] = frozen = _frozen(item, DEFAULT_LIMITS.value_depth - 1, most, tally)
            share(text, frozen, tally[0] - before)
        else:
            node[name] = known.value
            tally[0] += known.names


def _frozen(value: Any, room: int, most: int, tally: list[int]) -> Any:  # noqa: C901, PLR0912 - one switch
    kind: object = type(value)  # pyright: ignore[reportUnknownVariableType]
    inner: object
    if kind is dict:
        if room <= 0:
            raise _UnfitError
        tally[0] += len(value)
        for name, item in value.items():
            inner = type(item)  # pyright: ignore[reportUnknownVariableType]
            if inner is int:
                if not (_LEAST < item < _MOST or -most < item < most):
                    raise _UnfitError
            elif inner not in _DONE:
                value[name] = _frozen(item, room - 1, most, tally)
        return JSONDict(value)
    if kind is list:
        if room <= 0:
            raise _UnfitError
        for index, item in enumerate(value):
            inner = type(item)  # pyright: ignore[reportUnknownVariableType]
            if inner is int:
                if not (_LEAST < item < _MOST or -most < item < most):
                    raise _UnfitError
            elif inner not in _DONE:
                value[index] = _frozen(item, room - 1, most, tally)
        return JSONList(value)
    if kind is float and not isfinite(value):
        raise _UnfitError
    if kind is int and not -most < value < most:
        raise _UnfitError
    return value


_NAME_END = re.compile(r'"[ \t\n\r]*+:')
_NAME_END_BYTES = re.compile(rb'"[ \t\n\r]*+:')


def _names_are_kept(text: str | bytes, names: int) -> bool:
    """Whether the JSON `text` has no duplicate names, if `names` were parsed.

    A double quote and a colon follow each name. Strings may contain more of both, so an equal count is
    proof, and a higher count proves nothing yet.
    """
    if isinstance(text, bytes):
        if text.count(b":") == names or sum(1 for _ in _NAME_END_BYTES.finditer(text)) == names:
            return True
    elif text.count(":") == names or sum(1 for _ in _NAME_END.finditer(text)) == names:
        return True
    given = 0

    def count(pairs: list[tuple[str, Any]]) -> None:
        nonlocal given
        given += len(pairs)

    json.loads(text, object_pairs_hook=count, parse_int=_ignore, parse_float=_ignore)
    return given == names


def _ignore(digits: str) -> None:
    del digits
