"""Problems and rules: what is wrong in a document, where, and which rule it breaks.

A `Rule` is a sentence of a specification with a stable code; a `Fault` is one breach of it, located
relative to the checked value; a `Problem` is a fault located in a whole document. The model, conventions,
store checks and the command line all use `Problem`.
"""

from __future__ import annotations

from dataclasses import field
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

from zom.dataclass import dataclass
from zom.errors import ExtensionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "Fault",
    "Level",
    "Path",
    "Problem",
    "Rule",
    "Severity",
    "cause_text",
    "dotted",
    "given_text",
    "no_warning",
    "one_line",
    "one_of_words",
    "pointer_of",
    "rule",
    "rule_of",
    "rules",
    "show",
    "split_pointer",
]

Path: TypeAlias = tuple[str | int, ...]
"""The path from a value to one inside it: names and indexes."""

Severity = Literal["error", "warning", "note"]
"""The severity of a problem: an error rejects the document, a warning and a note don't."""

Level = Literal["lenient", "strict", "closed"]
"""Requirements of a document: what real software wrote, the specification, or also registered names."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One sentence that a document must obey, and the severity of a breach at each level.

    `schema` tells whether JSON Schema can express the rule; the other rules are published with the
    schemas.
    """

    code: str
    text: str
    source: str
    lenient: Severity | None = "error"
    strict: Severity | None = "error"
    closed: Severity | None = "error"
    schema: bool = False
    compares: tuple[str, ...] = ()
    """Members of the document that the value is compared with: if they differ, either may be wrong."""

    def severity(self, level: Level) -> Severity | None:
        """The severity of a breach of this rule at `level`; None if it is allowed.

        >>> import zom.json.read  # a module's rules are known once it is imported
        >>> rules()["json/duplicate-key"].severity("strict")
        'error'
        """
        if level == "strict":
            return self.strict
        return self.lenient if level == "lenient" else self.closed


_rules: dict[str, Rule] = {}


def rule(  # noqa: PLR0913 - a rule has this many facts
    code: str,
    text: str,
    *,
    source: str,
    lenient: Severity | None = "error",
    strict: Severity | None = "error",
    closed: Severity | None = "error",
    schema: bool = False,
    compares: tuple[str, ...] = (),
) -> Rule:
    """Create and register a rule under its code.

    >>> rule("example/none", "the example has no text", source="this docstring").code
    'example/none'
    """
    made = Rule(code, text, source, lenient, strict, closed, schema, compares)
    if _rules.setdefault(code, made) != made:
        message = f"a rule with the code {code!r} exists already: {_rules[code].text}"
        raise ExtensionError(message)
    return made


def rule_of(problem: Problem) -> Rule | None:
    """The rule of zom that a problem breaks; None for a rule of a convention.

    >>> rule_of(Problem("acme/none", "error", "/", "", (), "this", "that")) is None
    True
    """
    return _rules.get(problem.code)


def rules() -> Mapping[str, Rule]:
    """All known rules by code.

    >>> import zom.json.read  # a module's rules are known once it is imported
    >>> rules()["json/duplicate-key"].lenient
    'warning'
    """
    return dict(sorted(_rules.items()))


class Fault(NamedTuple):
    """One breach of a rule, located relative to the checked value."""

    rule: Rule
    path: Path
    expected: str
    found: str
    fix: str | None = None
    place: tuple[int, int] | None = None
    """Line and column, if known from parsing the text."""

    def problem(
        self,
        severity: Severity = "error",
        node: str = "/",
        *,
        before: Path = (),
        key: str | None = None,
    ) -> Problem:
        """The problem of `node`, whose document is at `before` in the whole document.

        >>> size = rule("example/size", "a size is positive", source="an example")
        >>> Fault(size, ("size",), "a positive number", "-1").problem(node="/a", before=("members", "a")).pointer
        '/members/a/size'
        """
        rule_, path, expected, found, fix, place = self
        line, column = place or (None, None)
        pointer = pointer_of((*before, *path))
        return Problem(rule_.code, severity, node, pointer, path, expected, found, fix, key, line, column)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a document: where, what was expected, what was found, what to do.

    `pointer` (RFC 6901) leads from the root of the whole document to the fault; `node` is the path
    of the node in the hierarchy, and `inside` the steps from that node's own document to the fault.

    >>> problem = Problem("v3/shape", "error", "/t2m", "/members/t2m/shape/0", ("shape", 0),
    ...                   "an integer from 0 to 9223372036854775807", "-3")
    >>> print(problem)
    /t2m: shape[0]: expected an integer from 0 to 9223372036854775807, found -3
    """

    code: str
    severity: Severity
    node: str
    pointer: str
    inside: Path
    expected: str
    found: str
    fix: str | None = None
    key: str | None = None
    line: int | None = None
    column: int | None = None
    related: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        where = f"{self.node}: " if self.node not in {"", "/"} else ""
        inner = f"{dotted(self.inside)}: " if self.inside else ""
        line = f" (line {self.line}, column {self.column})" if self.line is not None else ""
        fix = f"; {self.fix}" if self.fix else ""
        return one_line(f"{where}{inner}expected {self.expected}, found {self.found}{line}{fix}")

    def to_dict(self) -> dict[str, Any]:
        """The problem as plain JSON, without unknown members.

        >>> Problem("v3/shape", "error", "/", "/shape/0", ("shape", 0), "1", "2").to_dict()["pointer"]
        '/shape/0'
        """
        facts: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "node": self.node,
            "pointer": self.pointer,
            "expected": self.expected,
            "found": self.found,
        }
        optional = {"fix": self.fix, "key": self.key, "line": self.line, "column": self.column}
        facts.update({name: value for name, value in optional.items() if value is not None})
        if self.related:
            facts["related"] = list(self.related)
        return facts


def no_warning(problem: Problem) -> None:
    """Ignore the problem; pass it as `on_warning` if others report the problems.

    >>> from zom import v2
    >>> v2.parse({"zarr_format": 2, "attributes": {}, "more": 1}, "lenient", on_warning=no_warning).zarr_format
    2
    """
    del problem


def pointer_of(path: Iterable[str | int]) -> str:
    """The RFC 6901 pointer of `path`.

    >>> pointer_of(("members", "a/b", "shape", 0))
    '/members/a~1b/shape/0'
    """
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def split_pointer(pointer: str) -> tuple[str, ...]:
    """The steps of an RFC 6901 pointer, all as text.

    >>> split_pointer("/members/a~1b/shape/0")
    ('members', 'a/b', 'shape', '0')
    """
    steps = pointer.split("/")[1:]
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def dotted(path: Iterable[str | int]) -> str:
    """`path` as text, such as `codecs[1].configuration.level`.

    >>> dotted(("codecs", 1, "configuration", "level"))
    'codecs[1].configuration.level'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "a").replace("-", "a").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[{step!r}]"
    return text


def one_line(text: str) -> str:
    r"""The text with escapes for line ends and all other invisible characters, which node names may have.

    Nothing remains that controls a terminal, ends a line or changes the text direction. The escapes are those
    of JSON, so JSON keeps its meaning.

    >>> print(one_line("a\nb\x1b[31m\u202e"))
    a\nb\u001b[31m\u202e
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escape(each) for each in text)


_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex(" ", 2).split()
    return _SHORT.get(character) or "".join(f"\\u{unit}" for unit in units)


def one_of_words(texts: Sequence[str], word: str = "or") -> str:
    """The texts as a list in a sentence.

    >>> one_of_words(["a", "b", "c"])
    'a, b or c'
    """
    return f"{', '.join(texts[:-1])} {word} {texts[-1]}" if len(texts) > 1 else texts[0]


def show(value: object, limit: int = 80) -> str:
    """`value` as a message prints it: one line, JSON-like, cut if it is long.

    >>> show({"name": "gzip", "level": True, "fill": None})
    '{"name": "gzip", "level": true, "fill": null}'
    """
    text = _show(value, limit)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def given_text(value: object, limit: int = 80) -> str:
    """The `repr` of an extension's value: one line, cut if it is long; errors of `repr` are caught.

    >>> given_text(b"ab"), len(given_text("x" * 100))
    ("b'ab'", 80)
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 - foreign code may raise anything
        return f"one of {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def cause_text(cause: BaseException) -> str:
    """The name of an exception of foreign code, and its text on one line, if it has any.

    >>> cause_text(ValueError("no  libfoo")), cause_text(KeyError())
    ('ValueError: no libfoo', 'KeyError')
    """
    try:
        text = " ".join(str(cause).split())
    except Exception:  # noqa: BLE001 - foreign code may raise anything
        text = ""
    return f"{type(cause).__name__}: {text}" if text else type(cause).__name__


def _show(value: object, room: int, depth: int = 0) -> str:
    if isinstance(value, str):
        return _show_text(value[: room + 1])
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, (dict, list, tuple)):
        return _show_container(cast("dict[Any, Any] | list[Any]", value), room, depth + 1)
    return " ".join(repr(value).split())


def _show_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{one_line(escaped)}"'


def _show_container(value: dict[Any, Any] | list[Any], room: int, depth: int) -> str:
    if depth > 5:
        return "..."
    parts: list[str] = []
    left = room
    for item in value:
        shown = _show(item, room, depth)
        if isinstance(value, dict):
            shown += f": {_show(value[item], room, depth)}"
        parts.append(shown)
        left -= len(shown)
        if left < 0:
            break
    inner = ", ".join(parts)
    return f"{{{inner}}}" if isinstance(value, dict) else f"[{inner}]"
