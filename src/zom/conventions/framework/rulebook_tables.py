"""The tables of a rulebook, read and validated, and flat: one for each check of each rule, in order."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from zom.checks.written import WrongEntry, is_selector, only_known, written_condition, written_parameters
from zom.errors import ExtensionError
from zom.extension.registry import did_you_mean, near
from zom.json.python_value import is_dict, is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from zom.checks.checked_rule import Condition

__all__ = ["RulebookTables", "StoredTables", "tables_of"]

Table = dict[str, Any]

_TEXTS: Final = ("id", "version", "title", "link", "uuid")
_LISTS: Final = (
    *(
        "aliases",
        "dead_aliases",
        "on",
        "formats",
        "owns",
        "foreign",
        "free",
        "version_at",
        "within",
        "parts",
        "refines",
    ),
)
_FLAGS: Final = ("assumed", "declared", "everywhere")
_IDENTITY: Final = (*_TEXTS, *_LISTS, *_FLAGS, "inherit", "signs", "further")
_BOOK: Final = (*_IDENTITY, "extends", "words", "change", "rule", "group")

_SENTENCES: Final = ("must", "should", "note")
_SHARED: Final = (
    *("fix", "section", "link", "source", "each", "when", "on"),
    *("after", "after_any", "reads", "advice", "since", "until"),
)
"""The keys that a group may set for all of its rules."""
_RULE: Final = ("id", *_SENTENCES, *_SHARED, "check", "cases")
_GROUP: Final = (*_SHARED, "rule")
_TAKEN: Final = ("take", "but", "words")
_CASE: Final = (*_SHARED, "check")
_CHANGE: Final = ("of", *_SENTENCES, *_SHARED, "check")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return is_list(value) and all(map(_is_text, value))


def _are_words(value: object) -> bool:
    return is_dict(value) and all(map(_is_text, value.values()))


def _are_tables(value: object) -> bool:
    return is_list(value) and all(map(is_dict, value))


def _is_version(value: Any) -> bool:
    return _is_text(value) and re.fullmatch(r"\d{1,4}(\.\d{1,4})*", value, re.ASCII) is not None


_FORMS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    **dict.fromkeys((*_TEXTS, *_SENTENCES, "fix", "section", "extends"), (_is_text, "a string")),
    **dict.fromkeys(
        (*_LISTS, "after", "after_any", "reads", "take", "but", "of"), (_are_texts, "a list of strings")
    ),
    **dict.fromkeys((*_FLAGS, "advice"), (lambda value: isinstance(value, bool), "true or false")),
    **dict.fromkeys(("words", "further"), (_are_words, "a table of strings")),
    **dict.fromkeys(("rule", "group", "change", "cases"), (_are_tables, "tables")),
    **dict.fromkeys(("since", "until"), (_is_version, 'the numbers of a version, such as "1.7"')),
    "each": (lambda value: _is_text(value) or _are_texts(value), "a selector, or a list of them"),
    "on": (lambda value: value in ("group", "array"), '"group" or "array"'),
    "source": (lambda value: value in ("text", "schema", "both"), '"text", "schema" or "both"'),
    "inherit": (
        lambda value: value in ("none", "children", "descendants"),
        '"none", "children" or "descendants"',
    ),
}


def _checked(table: Table, known: tuple[str, ...]) -> Table:
    only_known(table, known)
    for key, value in table.items():
        # A convention has a list of kinds, a rule one kind.
        fits, words = (
            _FORMS["aliases" if key == "on" and known is _BOOK else key] if key in _FORMS else (None, "")
        )
        if fits is not None and not fits(value):
            raise WrongEntry(key, words, value)
    return table


def tables_of(path: Path) -> RulebookTables | StoredTables:
    """The tables of the rulebook at `path`: the stored ones beside it if they match its files."""
    stored = path.parent / "parsed" / f"{path.stem}.json"
    try:
        made = json.loads(stored.read_bytes())
        if all(crc32((path.parent / name).read_bytes()) == crc for name, crc in made["files"].items()):
            return StoredTables(path, made["identity"], made["rules"])
    except FileNotFoundError:
        pass
    return RulebookTables(path)


class StoredTables:
    """The flat tables of a rulebook that comes with zom, as docs/generate_rulebooks.py stores them in JSON.

    Parsing and validating TOML and taking rules of other versions would take as long as everything else.
    """

    def __init__(self, path: Path, identity: Table, rules: list[Table]) -> None:
        self.path = path
        self.place = ""
        self._identity, self._rules = identity, rules

    def identity(self) -> Table:
        """The identity of the convention."""
        return self._identity

    def rules(self) -> Iterator[Table]:
        """The rules in order."""
        return iter(self._rules)


def _parsed(path: Path) -> Table:
    import tomllib  # noqa: PLC0415 - not needed for stored tables

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExtensionError(f"{path}: expected TOML: {error}") from error


class RulebookTables:
    """The tables of the rulebook at `path` and of the one that it extends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.table = _parsed(path)
        self.place = ""
        """The rule being read, as a prefix for messages."""
        self.base: RulebookTables | None = None
        try:
            _checked(self.table, _BOOK)
        except WrongEntry as error:
            raise ExtensionError(f"{path}: {error}") from error
        if "extends" in self.table:
            self.base = RulebookTables(path.parent / self.table["extends"])
        self.link: str = self.table.get("link", "" if self.base is None else self.base.link)
        """The page of the convention that has the sections of the rules."""

    def files(self) -> dict[str, int]:
        """The files that the tables come from, with their checksums."""
        above = {} if self.base is None else self.base.files()
        return {self.path.name: crc32(self.path.read_bytes()), **above}

    def identity(self) -> Table:
        """The identity of the convention; keys missing here come from the rulebook that it extends."""
        found: Table = {} if self.base is None else self.base.identity()
        found |= {key: self.table[key] for key in _IDENTITY if key in self.table}
        if "id" not in found:
            raise WrongEntry("id", "the name of the convention", None)
        if not is_list(found.get("signs", [])):
            raise WrongEntry("signs", "a list", found["signs"])
        return {**found, "signs": [_conditions(each, "signs") for each in found.get("signs", ())]}

    def rules(self) -> Iterator[Table]:
        """The facts of every rule, one for each check: condition lists, full links, check parameters."""
        for table in self.flat():
            self.place = f"rule {table['id']!r}: "
            yield _facts(table, self.link)

    def flat(self) -> Iterator[Table]:
        """The rules in order, first those without a group; each with its group's keys, one for each check."""
        for rule in self.table.get("rule", ()):
            yield from self._flat(rule, {})
        for place, group in enumerate(self.table.get("group", ())):
            self.place = f"group {place + 1}: "
            if {"take", "but", "words"} & group.keys():
                yield from self._taken(_checked(group, _TAKEN))
                continue
            _checked(group, _GROUP)
            shared = {key: value for key, value in group.items() if key != "rule"}
            # All rules of a group at its first place, then all at the next.
            for around in _listed(shared.pop("each", "")):
                for rule in group.get("rule", ()):
                    yield from self._flat(rule, shared, around)

    def _flat(self, rule: Table, shared: Table, around: str = "") -> Iterator[Table]:
        self.place = f"rule {rule.get('id', '?')!r}: "
        whole = _with(shared, _checked(rule, _RULE))
        if not _is_text(whole.get("id")):
            raise WrongEntry("id", "a name such as axes-unique", whole.get("id"))
        if sum(key in whole for key in _SENTENCES) != 1:
            raise WrongEntry(
                "must",
                "one sentence, as must, should or note",
                [each for each in _SENTENCES if each in whole],
            )
        for case in whole.pop("cases", ({},)):
            made = _with(whole, _checked(case, _CASE))
            if "check" not in made:
                raise WrongEntry("check", 'a check, such as check.required = ".name", or "schema"', None)
            each, checks = _listed(made.pop("each", "")), _listed(made.pop("check"))
            for place in each:
                at = _joined(around, place)
                for check in checks:
                    yield {**made, **({"each": at} if at else {}), "check": check}

    def _taken(self, group: Table) -> Iterator[Table]:
        """The rules that a group takes from the extended rulebook, with the changes made here."""
        if self.base is None:
            raise WrongEntry("take", "a rulebook that this one extends", None, 'write extends = "FILE.toml"')
        known, changes = (
            list(self.base.flat()),
            [_checked(each, _CHANGE) for each in self.table.get("change", ())],
        )
        ids = {rule["id"] for rule in known}
        wanted, but = group.get("take", ["*"]), group.get("but", [])
        for key, patterns in (
            ("take", wanted),
            ("but", but),
            ("change.of", [one for each in changes for one in each.get("of", [])]),
        ):
            for one in patterns:
                if not any(fnmatchcase(name, one) for name in ids):
                    expected = f"ids of rules in {self.base.path.name}, or patterns that match them"
                    raise WrongEntry(key, expected, one, did_you_mean(near(one, ids)))
        words = {**self.table.get("words", {}), **group.get("words", {})}
        for rule in known:
            name = rule["id"]
            if _is_one_of(name, wanted) and not _is_one_of(name, but):
                taken: Table = _reworded(rule, words)
                for change in changes:
                    if _is_one_of(name, change.get("of", ())):
                        taken = _with(taken, {key: value for key, value in change.items() if key != "of"})
                yield taken


def _is_one_of(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, one) for one in patterns)


def _with(shared: Table, own: Table) -> Table:
    """Merge `own` over `shared`; a section replaces a link, and a sentence replaces another."""
    said = {each for kin in (("section", "link"), _SENTENCES) if own.keys() & {*kin} for each in kin}
    return {**{key: value for key, value in shared.items() if key not in said}, **own}


def _listed(said: Any) -> list[Any]:
    return said if is_list(said) else [said]


def _joined(around: str, place: str) -> str:
    """The place where a rule is checked: a place with a leading dot is within that of the group."""
    return f"{around}{place}" if place[:1] == "." and around else place or around


def _reworded(value: Any, words: Mapping[str, str]) -> Any:
    """Replace words in all texts of `value` except ids."""
    if is_dict(value):
        return {key: each if key == "id" else _reworded(each, words) for key, each in value.items()}
    if is_list(value):
        return [_reworded(each, words) for each in value]
    if not isinstance(value, str):
        return value
    for old, new in words.items():
        start = r"(?<!\w)" if old[:1].isalnum() else ""
        escaped = new.replace("\\", "\\\\")
        value = re.sub(f"{start}{re.escape(old)}", escaped, value)
    return value


def _facts(table: Table, link: str) -> Table:
    """A rule in the form for CheckedRule, with its check as a name and parameters."""
    facts = {**table, "check": _check(table["check"])}
    if "when" in table:
        facts["when"] = _conditions(table["when"], "when")
    if "section" in table:
        facts["link"] = f"{link}#{facts.pop('section')}"
    elif "://" not in table.get("link", "://"):
        facts["link"] = f"{link.rpartition('/')[0]}/{table['link']}"
    for key, found in (
        ("each", [table["each"]] if "each" in table else []),
        ("reads", table.get("reads", [])),
    ):
        for text in found:
            if not is_selector(text) or (key == "each" and text[0] in ".@"):
                raise WrongEntry(key, "a selector that starts at the attributes, such as a.b[*].c", text)
    return facts


def _check(said: Any) -> tuple[str, Table]:
    """The check given as a name, or as a table of one name with parameters."""
    table: Any = {said: dict[str, Any]()} if _is_text(said) else said
    if not is_dict(table) or len(table) != 1:
        raise WrongEntry("check", 'one check, such as check.required = ".name", or "schema"', said)
    ((name, parameters),) = table.items()
    if name != "python":
        return name, written_parameters(name, parameters)
    call: Table = dict(parameters) if is_dict(parameters) else {"function": parameters}
    if not _is_text(call.get("function")):
        raise WrongEntry("check.python", "the name of a function, or a table with function", parameters)
    return name, call


def _conditions(said: Any, key: str) -> list[Condition]:
    """One condition, or a list of them."""
    return [written_condition(each, key) for each in _listed(said)]
