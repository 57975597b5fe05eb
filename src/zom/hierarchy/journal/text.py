"""Strict parsing of journals, because a repair deletes and writes the keys in them.

Every name is relative to the directory of the journal, so none leads out of it. Each must be a document of a
node, or a prefix of the chunks of an array. Anything else is refused, and nothing is done.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, cast

from zom.errors import PathError, StoreError
from zom.hierarchy.journal.journal import CODE, FORM, JOURNAL, Clearing, Journal, base_of, is_aside
from zom.hierarchy.stored.layout import LAYOUTS
from zom.json.read import read_own
from zom.json.value import JSONDict, JSONList
from zom.paths import DOCUMENT_NAMES, check_stored_key, check_stored_prefix, join, parse_path
from zom.patterns import compiled_later
from zom.problems import show

if TYPE_CHECKING:
    from zom.problems import Fault

T = TypeVar("T")

__all__ = ["RefusedError", "parse_clearings", "parse_journal", "refused"]

_MEMBERS = frozenset(
    {"form", "token", "way", "first", "removes", "clears", "writes", "old", "data", "moves", "swap", "beside"}
)
_CLEARING = frozenset({"path", "prefix", "form", "old", "new", "kept", "scalar"})
_DRAFT = compiled_later(r"meta/(?:.*[./])?(?:array|group)[^/]*\Z", re.DOTALL)
"""Keys of documents of the draft; a repair takes the exact form from the entry point."""


class RefusedError(Exception):
    """A journal that is refused; the message says what is wrong."""


def refused(store: str, key: str, found: str) -> StoreError:
    """The error that a journal is refused, and why."""
    where = f"/{key.rpartition('/')[0]}"
    reason = (
        f"expected the journal of a change of {where}, found {found}; nothing was removed: check it, and "
        "delete it if zom didn't write it here"
    )
    return StoreError(store, key, "read", reason)


def parse_journal(text: bytes, store: str, key: str) -> Journal:
    """Parse the journal `text` under `key`; StoreError if it is not a valid journal.

    >>> journal = Journal("/a", "undo", writes={"a/zarr.json": b"{}"}, old={"a/zarr.json": None})
    >>> parse_journal(journal.text(), "memory://", "a/.zom.journal") == journal
    True
    >>> list(parse_journal(journal.text(), "memory://", "x/b/.zom.journal").writes)
    ['x/b/zarr.json']
    """
    faults: list[Fault] = []
    value = read_own(text, faults)
    for fault in faults:
        raise refused(store, key, f"{fault.found} instead of {fault.expected}")
    try:
        return _Parsing(key.removesuffix(JOURNAL)).journal(value)
    except RefusedError as cause:
        raise refused(store, key, str(cause)) from None
    except PathError as cause:
        raise refused(store, key, f"a key that leads elsewhere: {cause}") from None


def parse_clearings(value: object, base: str) -> tuple[Clearing, ...]:
    """Parse records of arrays from the directory with the prefix `base`; RefusedError if they are invalid."""
    parsing = _Parsing(base)
    return tuple(parsing.clearing(each, "arrays") for each in _list(value, "arrays"))


class _Parsing:
    def __init__(self, base: str) -> None:
        self._path = join(parse_path(base))
        self._base = base_of(self._path)

    def journal(self, value: object) -> Journal:
        facts = _object(value, "the journal", _MEMBERS)
        if facts["form"] != FORM:
            raise RefusedError(f"the form {show(facts['form'])} instead of {FORM!r}")
        if facts["way"] not in {"finish", "undo"}:
            raise RefusedError(f"the way {show(facts['way'])} instead of 'finish' or 'undo'")
        writes = {name: _text(text, "writes") for name, text in self._documents(facts, "writes").items()}
        work = Journal(
            self._path,
            facts["way"],
            first=self._documents(facts, "first"),
            removes=tuple(self._document(each, "removes") for each in _list(facts["removes"], "removes")),
            clears=tuple(self.clearing(each, "clears") for each in _list(facts["clears"], "clears")),
            writes=writes,
            old=self._documents(facts, "old"),
            data=tuple(self.clearing(each, "data") for each in _list(facts["data"], "data")),
            moves=tuple(self._move(each) for each in _list(facts["moves"], "moves")),
            swap=self._swap(facts["swap"]),
            beside=_bool(facts["beside"], "beside"),
            token=_str(facts["token"], "token"),
        )
        self._check(work)
        return work

    def _check(self, work: Journal) -> None:
        """Check that 'old' has every changed document, and that only new data would be undone."""
        unknown = sorted({*work.writes, *work.removes, *work.first} - work.old.keys())
        if unknown:
            raise RefusedError(f"no entry in 'old' for {unknown[0]!r}, which changes")
        gone = [key for key in work.removes if work.old[key] is None]
        if gone:
            raise RefusedError(f"{gone[0]!r} in 'removes', which did not exist before")
        if work.data and not (work.adds or work.beside):
            raise RefusedError("new chunks in a change that does not only create")

    def _documents(self, facts: JSONDict, name: str) -> dict[str, bytes | None]:
        given = _object(facts[name], name)
        return {
            self._document(key, name): None if text is None else _encoded(_str(text, name), name)
            for key, text in given.items()
        }

    def _document(self, given: object, where: str) -> str:
        key = check_stored_key(_str(given, where))
        name = key.rpartition("/")[2]
        if is_aside(key) or not (name in DOCUMENT_NAMES or _DRAFT.match(key)):
            raise RefusedError(f"{key!r} in {where!r}, which is not a document of a node")
        return check_stored_key(self._base + key)

    def clearing(self, given: object, where: str) -> Clearing:
        facts = _object(given, where, _CLEARING)
        path, prefix, form = (_str(facts[name], where) for name in ("path", "prefix", "form"))
        if form not in LAYOUTS:
            raise RefusedError(f"the format {show(form)} in {where!r}")
        inner = base_of(path)
        check_stored_prefix(inner)
        check_stored_prefix(prefix)
        wanted = {layout.chunk_prefix(inner) for layout in LAYOUTS[form]}
        if prefix not in wanted or is_aside(prefix):
            raise RefusedError(f"the prefix {prefix!r} for the chunks of {path!r} in {where!r}")
        return Clearing(
            join((*parse_path(self._path), *parse_path(path))),
            self._base + prefix,
            form,
            _str(facts["old"], where),
            *(
                None if facts[name] is None else _str(facts[name], where)
                for name in ("new", "kept", "scalar")
            ),
        )

    def _swap(self, given: object) -> str | None:
        if given is None:
            return None
        prefix = check_stored_prefix(_str(given, "swap"))
        if is_aside(prefix):
            raise RefusedError(f"the prefix {prefix!r} in 'swap', which is not a node's")
        return self._base + prefix

    def _move(self, given: object) -> tuple[str, str]:
        pair = _list(given, "moves")
        if len(pair) != 2:
            raise RefusedError(f"{len(pair)} prefixes in an entry of 'moves' instead of 2")
        old, new = (check_stored_prefix(_str(each, "moves")) for each in pair)
        if not old or not new or old.startswith(new) or new.startswith(old):
            raise RefusedError(f"a move from {old!r} to {new!r}, one inside the other")
        if is_aside(old) or is_aside(new):
            raise RefusedError(f"a move from {old!r} to {new!r}, which are not nodes")
        return self._base + old, self._base + new


def _object(value: object, where: str, members: frozenset[str] | None = None) -> JSONDict:
    found = _of(JSONDict, "an object", value, where)
    if members is not None and found.keys() != members:
        odd = min(found.keys() ^ members)
        missing = "without" if odd in members else "with"
        raise RefusedError(f"{where} {missing} the member {show(odd)}")
    return found


def _list(value: object, where: str) -> JSONList:
    return _of(JSONList, "a list", value, where)


def _str(value: object, where: str) -> str:
    return _of(str, "a string", value, where)


def _bool(value: object, where: str) -> bool:
    return _of(bool, "a boolean", value, where)


def _of(kind: type[T], name: str, value: object, where: str) -> T:
    """Return the value; RefusedError if it has another type."""
    if not isinstance(value, kind):
        raise RefusedError(f"{_kind(value)} instead of {name} at {where!r}")
    return value


def _encoded(value: str, where: str) -> bytes:
    try:
        return value.encode(CODE)
    except UnicodeEncodeError as cause:
        raise RefusedError(f"a string at {where!r} that doesn't encode bytes") from cause


def _text(value: bytes | None, where: str) -> bytes:
    if value is None:
        raise RefusedError(f"null instead of a string at {where!r}")
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds: dict[type[Any], str] = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    kind = cast("type[object]", type(value))
    return kinds.get(kind, "a list" if isinstance(value, JSONList) else "an object")
