"""Documents named on the command line: read from a file or standard input, checked, located in their text.

A file is a hierarchy as one document (ZEP 6), or a document of a store. Its content says which; only
`.zattrs` can have any content, and is recognised by its name.
"""

from __future__ import annotations

import sys
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from zom.cli.outcome import UNREADABLE, USAGE, CommandError
from zom.dataclass import dataclass
from zom.errors import SpecError, ZomError
from zom.formats import detection as hierarchy
from zom.formats.families import ENTRY_POINT, V2, V3
from zom.json.python_value import is_dict
from zom.json.read import read_json
from zom.json.value import thaw
from zom.limits import DEFAULT_LIMITS
from zom.model.location import with_lines
from zom.model.stored import consolidated_pointer, from_consolidated
from zom.problems import no_warning
from zom.reason import reason_of
from zom.stores.no_store import packed_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.declaration.declaration import Declaration
    from zom.model.family import Family
    from zom.model.spec import Spec
    from zom.problems import Fault, Problem
    from zom.template.models import Template

__all__ = ["Document", "compiled_declaration", "read_document"]

_INPUT = "standard input"
_SHOWN = 20
"""Number of problems printed for a declaration that can't be used."""

_Kind = Literal["node", "attributes", "entry point", "consolidated", "declaration"]

_DECLARATIONS = {".yaml": "yaml", ".yml": "yaml", ".toml": "toml"}
"""Languages of declarations by file suffix; a declaration in JSON is recognised by its content."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document, its text, and its name in messages."""

    name: str
    text: bytes
    value: Any
    """The parsed JSON; None if the text is not JSON."""
    kind: _Kind
    family: Family | None = None
    """The format of consolidated metadata."""
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    """Parameters set for a declaration."""

    @property
    def argument(self) -> str:
        """The name as given on the command line."""
        return "-" if self.name == _INPUT else self.name

    def spec(self) -> Spec:
        """The hierarchy that it describes, read as leniently as possible."""
        try:
            return self._parsed()
        except SpecError as error:
            problems = error.problems if self.kind == "declaration" else self.located(error.problems)
            errors = [problem for problem in problems if problem.severity == "error"]
            more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
            message = f"{self.name}: {errors[0]}{more}; see zom validate {self.argument}"
            raise CommandError(message, UNREADABLE) from None

    def sound_part(self) -> tuple[Spec | None, dict[str, str]]:
        """The hierarchy without faulty nodes, or None if too little is left, and the faults by path."""
        try:
            return cast("Spec", hierarchy.parse(self.text, "lenient", on_warning=no_warning)), {}
        except SpecError as error:
            errors = [each for each in error.problems if each.severity == "error"]
        except ZomError:
            return None, {}
        broken = {each.node: str(replace(each, node="/")) for each in reversed(errors)}
        rest = _without(self.value, broken)
        try:
            return None if rest is None else cast(
                "Spec", hierarchy.parse(rest, "lenient", on_warning=no_warning)
            ), broken
        except ZomError:
            return None, broken

    @property
    def is_template(self) -> bool:
        """Whether it is a template, which describes what hierarchies have in common."""
        value: Any = self.value
        return isinstance(value, dict) and "zom_template" in value

    def template(self) -> Template:
        """The parsed template."""
        from zom.template.models import Template  # noqa: PLC0415 - few documents are templates

        try:
            return Template.parse(self.text)
        except SpecError as error:
            raise CommandError(f"{self.name}: {error.problems[0]}", UNREADABLE) from None

    def declaration(self) -> Declaration:
        """The compiled declaration; raise SpecError with every problem."""
        from zom.declaration.declare import compiled  # noqa: PLC0415 - few documents are declarations
        from zom.declaration.parameters import ParameterText  # noqa: PLC0415 - as above
        from zom.declaration.source import source_of_text  # noqa: PLC0415 - as above

        path = Path(self.name)
        language = _DECLARATIONS.get(path.suffix.lower(), "json")
        source = source_of_text(self.text, self.name, language, None if self.name == _INPUT else path.parent)
        return compiled(source, {name: ParameterText(text) for name, text in self.parameters.items()})

    def _parsed(self) -> Spec:
        if self.kind == "declaration":
            return cast("Spec", self.declaration().spec)
        if self.family is not None:
            return cast("Spec", from_consolidated(self.family, self.value, "lenient"))
        if self.kind == "attributes":
            message = f"{self.name}: attributes alone are not a node; name the .zarray or .zgroup beside it"
            raise CommandError(message, UNREADABLE)
        if self.kind == "entry point":
            return ENTRY_POINT.classes["entry point"].parse(self.text, "lenient", on_warning=no_warning)
        return cast("Spec", hierarchy.parse(self.text, "lenient", on_warning=no_warning))

    def located(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems with their lines and columns in the text."""
        found = [replace(problem, pointer=self._pointer(problem)) for problem in problems]
        return list(with_lines(tuple(found), self.text, most=len(self.text)))

    def _pointer(self, problem: Problem) -> str:
        """The pointer of the problem in the file, which may not be the document of the object model."""
        if self.kind == "attributes":
            return problem.pointer.removeprefix("/attributes")
        if self.family is not None:
            return consolidated_pointer(problem, self.family, self.value)
        return problem.pointer


def _without(value: Any, paths: Iterable[str]) -> Any:
    """The document without the nodes at these paths; None if its root is among them, or one is missing."""
    made: Any = thaw(value)
    for path in paths:
        *above, last = path.split("/")[1:]
        group = made
        for name in above:
            group = _members(group).get(name)
        members = _members(group)
        if not last or last not in members:
            return None
        del members[last]
    return made


def _members(group: Any) -> dict[str, Any]:
    found: Any = group.get("members") if is_dict(group) else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def compiled_declaration(document: Document) -> Declaration:
    """The compiled declaration of a document; raise all its problems as one CommandError."""
    try:
        return document.declaration()
    except SpecError as error:
        shown = [f"{problem.key or document.name}: {problem}" for problem in error.problems[:_SHOWN]]
        more = len(error.problems) - _SHOWN
        lines = [*shown, *([f"and {more} more; see zom validate {document.argument}"] if more > 0 else [])]
        raise CommandError(lines[0], UNREADABLE, *lines[1:]) from None


def read_document(name: str, parameters: Mapping[str, str] | None = None) -> Document:
    """Read a document from the file `name`, or from standard input for `-`, with parameters of a declaration.

    >>> try:
    ...     read_document("nowhere.json")
    ... except CommandError as error:
    ...     print(error)
    nowhere.json: no such file; name a document, or - for standard input
    """
    text = _text_of(name)
    called = _INPUT if name == "-" else name
    packed = packed_reason(name, text[:512])
    if packed is not None:
        raise CommandError(f"{called}: {packed}", UNREADABLE)
    if Path(name).suffix.lower() in _DECLARATIONS:
        return Document(called, text, None, "declaration", parameters=parameters or {})
    faults: list[Fault] = []
    value = read_json(text, faults)
    kind, family = _kind_of(name, value)
    if parameters and kind != "declaration":
        message = f"{called}: --set is for declarations, and this is a Zarr document; leave it out"
        raise CommandError(message, USAGE)
    return Document(called, text, value, kind, family, parameters or {})


def _text_of(name: str) -> bytes:
    most = DEFAULT_LIMITS.text_bytes + 1
    try:
        if name == "-":
            return sys.stdin.buffer.read(most)
        with Path(name).open("rb") as file:
            return file.read(most)
    except FileNotFoundError:
        reason = "no such file; name a document, or - for standard input"
    except IsADirectoryError:
        reason = "is a directory; name a document in it"
    except (OSError, ValueError) as cause:
        reason = f"can't be read: {reason_of(cause)}; name another file"
    raise CommandError(f"{name}: {reason}", UNREADABLE) from None


def _kind_of(name: str, value: Any) -> tuple[_Kind, Family | None]:  # noqa: PLR0911 - one for each kind
    if Path(name).name == ".zattrs":
        return "attributes", None
    if not isinstance(value, dict):
        return "node", None
    document = cast("dict[str, Any]", value)
    if "zom" in document and "zarr_format" not in document:
        return "declaration", None
    if "zarr_consolidated_format" in document:
        return "consolidated", V2
    if isinstance(document.get("zarr_format"), str) and "metadata_encoding" in document:
        return "entry point", None
    if document.get("zarr_format") == 3 and isinstance(document.get("consolidated_metadata"), dict):
        return "consolidated", V3
    return "node", None
