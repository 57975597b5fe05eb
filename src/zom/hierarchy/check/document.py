"""Validate documents: a spec, a hierarchy as one document, consolidated metadata, or attributes alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from zom.conventions.framework.detection import judge
from zom.conventions.framework.registered import conventions
from zom.conventions.report import report_of
from zom.declaration.declaration import Declaration
from zom.errors import StoreError
from zom.formats import detection
from zom.formats.families import ENTRY_POINT
from zom.formats.node_view import Node as View
from zom.formats.node_view import document_tree, spec_tree
from zom.hierarchy.change.new_names import names_in_tree
from zom.hierarchy.check.chunk_rules import DIFFERS
from zom.hierarchy.check.consolidated_document import consolidated_in
from zom.hierarchy.check.expected import differences
from zom.json.python_value import is_dict
from zom.json.read import read_json
from zom.json.value import JSONDict
from zom.looks import is_file
from zom.model.assembly import assemble
from zom.model.location import text_problems, with_lines
from zom.model.repeats import is_endless
from zom.model.said_once import said_once
from zom.model.spec import Spec
from zom.problems import Problem, pointer_of
from zom.reason import reason_of
from zom.stores.references.document import is_references

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zom.conventions.framework.convention import Convention
    from zom.conventions.framework.judgement import Judgement
    from zom.conventions.report import Report
    from zom.errors import SpecError
    from zom.hierarchy.check.choices import Choices
    from zom.problems import Fault

__all__ = [
    "is_document",
    "is_document_file",
    "report_of_attributes",
    "report_of_document",
    "report_of_faulty",
    "report_of_file",
]

_JSON = (dict, list, tuple, bool, int, float, type(None))
"""The Python types of documents, including invalid ones."""

_FILE_NAMES = (".json", ".zattrs", ".zarray", ".zgroup", ".zmetadata")


def is_document(subject: Any) -> bool:
    """Whether `subject` is a document, and not a store.

    >>> is_document(' {"zarr_format": 3}'), is_document("data.zarr"), is_document(b"data.zarr")
    (True, False, True)
    """
    if isinstance(subject, str):
        text = subject.lstrip(" \t\r\n\ufeff")
        return not text or text[0] in '{["'
    if isinstance(subject, dict) and is_references(cast("object", subject)):
        return False
    if isinstance(subject, (bytes, bytearray, memoryview, Spec, Declaration, *_JSON)):
        return True
    # Groups are mappings, and so are those of fsspec, which are stores.
    is_store = hasattr(subject, "store") or hasattr(subject, "fs")
    return isinstance(subject, Mapping) and not is_store


def is_document_file(subject: Any) -> bool:
    """Whether it is the path of a file with a document's name, and not of kerchunk references."""
    if not isinstance(subject, (str, Path)) or not str(subject).endswith(_FILE_NAMES):
        return False
    from zom.stores.references.opening import are_references  # noqa: PLC0415 - only for files

    return is_file(subject) and not are_references(str(subject))


def report_of_file(file: Path, choices: Choices) -> Report:
    """The report of the document in a file."""
    try:
        with file.open("rb") as stream:
            text = stream.read(choices.limits.text_bytes + 1)
    except OSError as cause:
        raise StoreError(str(file), "", "read", reason_of(cause)) from cause
    made = report_of_attributes if file.name == ".zattrs" else report_of_document
    return replace(made(text, choices), subject=str(file))


def report_of_document(document: Any, choices: Choices) -> Report:
    """The report of a spec or a document; for text, findings have lines."""
    if isinstance(document, Spec):
        return _of_spec(document, choices)
    if isinstance(document, Declaration):
        return _of_declaration(document, choices)
    text = _text_of(document)
    faults: list[Fault] = []
    value: Any = document if text is None else read_json(text, faults, limits=choices.limits)
    consolidated = consolidated_in(value)
    if consolidated is not None:
        found = tuple(
            said_once([*text_problems(faults, choices.level), *consolidated.problems(choices.level)])
        )
        judgement = _judged(consolidated.view(), choices, (), choices.conventions)
        located = map(consolidated.located, judgement.problems)
        return _report(judgement, (*found, *located, *_not_compared(choices)), text, choices)
    if _is_entry_point(value):
        found = (
            *ENTRY_POINT.classes["entry point"].check(document if text is None else text, choices.level),
            *_not_compared(choices),
        )
    else:
        found = detection.check(document if text is None else text, choices.level, limits=choices.limits)
        found = (*found, *_differences(document if text is None else text, choices))
    # A value of unknown format was not checked, and may contain itself.
    is_unseen = is_endless(found) or detection.family_of(value) is None
    root = document_tree({} if is_unseen else value)
    # If the text is not a JSON object, nothing can be said to be missing in it.
    asked = choices.conventions if is_dict(value) else ()
    judgement = _judged(root, choices, found, asked)
    return _report(judgement, (*found, *_names(root, choices), *judgement.problems), text, choices)


def _of_declaration(declaration: Declaration, choices: Choices) -> Report:
    """The report of a declaration, by the conventions in it; findings have places in its text."""
    if choices.conventions is None and declaration.conventions:
        asked = tuple(each for name in declaration.conventions for each in conventions.of_id(name))
        choices = replace(choices, conventions=asked)
    report = _of_spec(declaration.spec, choices)
    return replace(report, problems=tuple(map(declaration.located, report.problems)), subject="declaration")


def report_of_faulty(error: SpecError) -> Report:
    """The report of a document that could not be read as a hierarchy, with the problems that say why."""
    return report_of(judge(document_tree({}), ()), error.problems, subject="declaration", suppressions=())


def _of_spec(spec: Spec, choices: Choices) -> Report:
    """The report of a spec, which has no errors at its own level, but may have warnings."""
    found = detection.check(spec, choices.level, limits=choices.limits)
    root = spec_tree(spec)
    judgement = _judged(root, choices, found, choices.conventions)
    differing = () if choices.like is None else differences(choices.like, spec, choices.level)
    return choices.report(
        judgement, (*found, *_names(root, choices), *judgement.problems, *differing), "spec"
    )


def report_of_attributes(document: Any, choices: Choices) -> Report:
    """The report of attributes alone, such as a `.zattrs`: their node and its other documents are unknown."""
    text = _text_of(document)
    faults: list[Fault] = []
    value: Any = document if text is None else read_json(text, faults, limits=choices.limits)
    wrapped: dict[str, Any] = {"zarr_format": 2, "attributes": {} if value is None and faults else value}
    checked = detection.check(wrapped, choices.level, limits=choices.limits)
    found = said_once([*text_problems(faults, choices.level), *map(_unwrapped, checked)])
    root = View("", None, (None, "v2", JSONDict(attributes={} if is_endless(checked) else value)))
    asked = () if value is None and faults else choices.conventions
    judgement = _judged(root, choices, checked, asked)
    judgement.resting = list(map(_unwrapped, judgement.resting))
    return _report(judgement, (*found, *map(_unwrapped, judgement.problems)), text, choices)


def _judged(
    root: View, choices: Choices, beside: Iterable[Problem], asked: tuple[Convention, ...] | None
) -> Judgement:
    """The judgement of the conventions; `beside` are the problems by Zarr's own rules."""
    return judge(root, asked, profile=choices.profile, beside=beside, is_hidden=choices.is_hidden)


def _report(
    judgement: Judgement, problems: tuple[Problem, ...], text: str | bytes | None, choices: Choices
) -> Report:
    located = problems if text is None else with_lines(tuple(problems), text)
    return choices.report(judgement, located, "document")


def _names(root: View, choices: Choices) -> Iterable[Problem]:
    """Problems with names on other systems."""
    return names_in_tree(root, lambda node: node.members, root.form, choices.level)


def _differences(document: Any, choices: Choices) -> Iterable[Problem]:
    """The differences between a document and `like`; none if the document can't be read."""
    if choices.like is None:
        return ()
    spec = assemble(detection.family_of, document, "lenient", limits=choices.limits)[0]
    return () if spec is None else differences(choices.like, spec, choices.level)


def _not_compared(choices: Choices) -> Iterable[Problem]:
    """A problem if `like` is given, because a document of a store can't be compared."""
    if choices.like is not None:
        expected, found = "a hierarchy in one document, to compare it", "a document of a store"
        fix = "compare the store"
        yield Problem(DIFFERS.code, "error", "/", "", (), expected, found, fix)


def _text_of(document: Any) -> str | bytes | None:
    """The document as text, or None if it is a parsed value."""
    if isinstance(document, (bytes, bytearray, memoryview)):
        return bytes(cast("bytes", document))
    return document if isinstance(document, str) else None


def _is_entry_point(value: Any) -> bool:
    """Whether it is the `zarr.json` at the top of a draft store, which is not a node."""
    return is_dict(value) and isinstance(value.get("zarr_format"), str) and "metadata_encoding" in value


def _unwrapped(problem: Problem) -> Problem:
    """A problem of separate attributes: its pointer doesn't start with `attributes`."""
    steps = problem.inside[1:] if problem.inside[:1] == ("attributes",) else problem.inside
    return replace(problem, pointer=pointer_of(steps), inside=steps)
