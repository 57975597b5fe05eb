"""`zom.validate`: every problem of a hierarchy, as Zarr and as the conventions that it follows.

The hierarchy may be a spec, a document, or lie in a store; the same rules run on the same view of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from zom.conventions.framework.convention import Convention
from zom.conventions.framework.convention import conventions as known_conventions
from zom.conventions.framework.detection import judge
from zom.conventions.framework.judgement import Judgement
from zom.conventions.framework.rule import PROFILES
from zom.conventions.framework.suppression import parse_suppressions
from zom.conventions.report import report_of
from zom.errors import SpecError, StoreError
from zom.formats import detection as hierarchy
from zom.formats.draft import EntryPoint
from zom.formats.node_view import Node as View
from zom.formats.node_view import document_tree, spec_tree
from zom.hierarchy.change.new_names import names_in_tree
from zom.hierarchy.check.check import is_document
from zom.hierarchy.check.consolidated_document import consolidated_in
from zom.hierarchy.check.stored_view import StoredView
from zom.hierarchy.check.unfinished import unfinished_changes
from zom.hierarchy.check.values import Values
from zom.hierarchy.stored.consolidated import STALE
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.read import inspect_tree
from zom.json import text as jsontext
from zom.json.python_value import is_dict
from zom.json.value import JSONDict
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.assembly import RANK
from zom.model.location import text_problems, told, with_lines
from zom.model.repeats import is_endless
from zom.model.spec import Spec
from zom.problems import pointer_of

if TYPE_CHECKING:
    from zom.conventions.framework.rule import Profile
    from zom.conventions.framework.suppression import Suppression
    from zom.conventions.report import Report
    from zom.hierarchy.stored.lookup import Form
    from zom.problems import Fault, Level, Problem
    from zom.stores.interface import Store

__all__ = ["Asked", "validate", "validate_attributes"]

Asked = Literal["auto"]
"""All conventions that a hierarchy is found to follow."""


def validate(  # noqa: PLR0913 - each is a choice of the caller's
    subject: Any,
    conventions: Asked | Iterable[str | Convention] = "auto",
    *,
    path: str = "",
    data: bool = False,
    profile: Profile = "text",
    suppress: Iterable[str] | str = (),
    level: Level = "strict",
    form: Form | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """A report of every problem: of the documents as Zarr, and of the conventions that they follow.

    The subject is a spec, a document as `zom.check` takes it or the path of a file that holds one, or a
    store, a path, a URL, an open array or group. Of a store, the documents are read, and no chunks; with `data`, those of coordinates, indexes and
    codes as well, for the rules that ask for their values. `conventions` are names, such as "xarray",
    "ome" for all versions, and "ome/0.5" for one; what is asked for and isn't there is an error.

    The profile says whose rules count: those of the specifications' text, those of their published
    schemas, or ("strict") both, with SHOULD as binding as MUST. `suppress` takes patterns of rules and
    nodes, such as "cf/*@/raw/**".

    >>> import zom
    >>> from zom import v3
    >>> t = v3.ArraySpec.build(shape=(4,), dtype="int64", dimension_names=("time",))
    >>> for problem in validate(v3.GroupSpec(members={"t": t, "time": t.replace(shape=(5,))}), ["xarray"]):
    ...     print(problem)  # doctest: +ELLIPSIS
    /t: shape[0]: expected 5 for the dimension "time", as in /time, found 4...
    """
    if profile not in PROFILES:
        raise ValueError(f"profile: expected 'text', 'schema' or 'strict', got {profile!r}")
    validation = _Validation(_asked(conventions), profile, parse_suppressions(suppress), level, limits)
    if isinstance(subject, Spec):
        return validation.of_spec(subject)
    if is_document(subject):
        return validation.of_document(subject)
    if isinstance(subject, (str, Path)) and _is_document_file(subject):
        return _of_file(validation, Path(subject))
    return _of_store(validation, subject, path, form, data=data)


def validate_attributes(  # noqa: PLR0913 - as above
    attributes: Any,
    conventions: Asked | Iterable[str | Convention] = "auto",
    *,
    profile: Profile = "text",
    suppress: Iterable[str] | str = (),
    level: Level = "strict",
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """As `validate`, of attributes alone: as Python has them, or the text of a `.zattrs`.

    Rules that ask other nodes, or the array itself, don't apply.

    >>> [problem.severity for problem in validate_attributes('{"zarr_conventions": 7}')]
    ['error']
    """
    validation = _Validation(_asked(conventions), profile, parse_suppressions(suppress), level, limits)
    return validation.of_attributes(attributes)


def _asked(names: Asked | Iterable[str | Convention]) -> tuple[Convention, ...] | None:
    if names == "auto":
        return None
    listed: Any = [names] if isinstance(names, (str, Convention)) else names
    given = list(cast("Iterable[Any]", listed)) if isinstance(listed, Iterable) else [listed]
    found: list[Convention] = []
    for each in given:
        if not isinstance(each, (str, Convention)):
            message = f"conventions: expected 'auto', or names of conventions and conventions, got {each!r}"
            raise TypeError(message)
        found.extend([each] if isinstance(each, Convention) else known_conventions.of_id(each))
    return tuple(dict.fromkeys(found))


class _Validation:
    """One validation: what was asked for, and how."""

    def __init__(
        self,
        asked: tuple[Convention, ...] | None,
        profile: Profile,
        suppressions: tuple[Suppression, ...],
        level: Level,
        limits: Limits,
    ) -> None:
        self.asked = asked
        self.profile: Profile = profile
        self.suppressions = suppressions
        self.level: Level = level
        self.limits = limits

    def of_spec(self, spec: Spec) -> Report:
        """A spec has been checked as Zarr when it was made: again only where more is asked now."""
        found: tuple[Problem, ...] = ()
        if RANK[spec.level] < RANK[self.level]:
            found = hierarchy.check(spec, self.level, limits=self.limits)
        root = spec_tree(spec)
        found = (*found, *self._names(root))
        judgement = judge(root, self.asked, profile=self.profile)
        return self._report(judgement, (*found, *judgement.problems), "spec")

    def of_document(self, document: Any) -> Report:
        """A document: of text, findings have lines."""
        text = _text_of(document)
        faults: list[Fault] = []
        value: Any = document if text is None else jsontext.read(text, faults, limits=self.limits)
        consolidated = consolidated_in(value)
        if consolidated is not None:
            found = _once(*text_problems(faults, self.level), *consolidated.problems(self.level))
            root = consolidated.view()
            judgement = judge(root, self.asked, profile=self.profile)
            problems = tuple(consolidated.located(each) for each in judgement.problems)
            return self._document_report(judgement, found, problems, text)
        if _is_entry_point(value):
            found = EntryPoint.check(document if text is None else text, self.level)
        else:
            found = hierarchy.check(document if text is None else text, self.level, limits=self.limits)
        root = document_tree({} if is_endless(found) else value)
        judgement = judge(root, self.asked, profile=self.profile)
        return self._document_report(judgement, (*found, *self._names(root)), judgement.problems, text)

    def _names(self, root: View) -> Iterable[Problem]:
        """What is wrong with names on other systems."""
        return names_in_tree(root, lambda node: node.members, root.form, self.level)

    def of_attributes(self, document: Any) -> Report:
        """Attributes alone, such as a `.zattrs`: nobody knows of which node, and what is beside it."""
        text = _text_of(document)
        faults: list[Fault] = []
        value: Any = document if text is None else jsontext.read(text, faults, limits=self.limits)
        wrapped: dict[str, Any] = {"zarr_format": 2, "attributes": {} if value is None and faults else value}
        checked = hierarchy.check(wrapped, self.level, limits=self.limits)
        found = _once(*text_problems(faults, self.level), *map(_unwrapped, checked))
        root = View("", None, (None, "v2", JSONDict(attributes={} if is_endless(checked) else value)))
        judgement = judge(root, self.asked, profile=self.profile)
        problems = tuple(map(_unwrapped, judgement.problems))
        return self._document_report(judgement, found, problems, text)

    def _document_report(
        self,
        judgement: Judgement,
        found: Iterable[Problem],
        problems: Iterable[Problem],
        text: str | bytes | None,
    ) -> Report:
        whole = (*found, *problems)
        if text is not None:
            whole = tuple(map(told, with_lines(whole, text)))
        return self._report(judgement, whole, "document")

    def of_tree(self, store: Store, path: str, form: Form | None, *, data: bool) -> Report:
        """A hierarchy in a store: findings stand in its documents, by key and line."""
        try:
            tree = inspect_tree(store, path, level=self.level, form=form, limits=self.limits)
        except SpecError as error:
            return self._report(Judgement(self.profile), error.problems, store.url, store=store.url)
        except StoreError:
            unfinished = unfinished_changes(store, path, self.level)
            if not unfinished:
                raise
            return self._report(Judgement(self.profile), unfinished, store.url, store=store.url)
        view = StoredView(tree)
        judgement = Judgement(self.profile)
        if data:
            values = Values(store, tree.path, tree.layout.family.form, judgement, self.limits)
            for node in view.root.walk():
                node.read = values.read
        judge(view.root, self.asked, judgement=judgement)
        findings = Findings(store.url, self.level, self.limits)
        for problem in (*self._names(view.root), *judgement.problems):
            view.place(problem, findings)
        # What a convention tells of consolidated metadata, reading need not tell again.
        is_told = "consolidated" in judgement.presences
        own = (each for each in tree.problems if not (is_told and each.code == STALE.code))
        return self._report(judgement, (*own, *findings.problems), store.url, store=store.url)

    def _report(
        self,
        judgement: Judgement,
        problems: Iterable[Problem],
        subject: str,
        *,
        store: str | None = None,
    ) -> Report:
        return report_of(
            judgement,
            problems,
            subject=subject,
            suppressions=self.suppressions,
            store=store,
        )


# --- documents in files -----------------------------------------------------------------------------------

_DOCUMENT_NAMES = (".json", ".zattrs", ".zarray", ".zgroup", ".zmetadata")


def _is_document_file(path: str | Path) -> bool:
    """Whether it is a file that is named as documents are."""
    name = str(path)
    return name.endswith(_DOCUMENT_NAMES) and Path(name).is_file()


def _of_file(validation: _Validation, file: Path) -> Report:
    try:
        with file.open("rb") as stream:
            text = stream.read(validation.limits.text_bytes + 1)
    except OSError as cause:
        raise StoreError(str(file), "", "read", cause.strerror or str(cause)) from cause
    is_attributes = file.name == ".zattrs"
    report = validation.of_attributes(text) if is_attributes else validation.of_document(text)
    return replace(report, subject=str(file))


def _text_of(document: Any) -> str | bytes | None:
    """The text of a document; None where it is none, but what a text says."""
    if isinstance(document, (bytes, bytearray, memoryview)):
        return bytes(cast("bytes", document))
    return document if isinstance(document, str) else None


def _is_entry_point(value: Any) -> bool:
    """Whether it is the `zarr.json` at the top of a store of the draft, which is no node."""
    return is_dict(value) and isinstance(value.get("zarr_format"), str) and "metadata_encoding" in value


def _once(*problems: Problem) -> tuple[Problem, ...]:
    """`problems` without numbers that both the text and the document tell of."""
    return tuple({(each.code, each.pointer, each.found): each for each in reversed(problems)}.values())[::-1]


def _unwrapped(problem: Problem) -> Problem:
    """A problem of attributes that stand alone: no member of their node leads to them."""
    steps = problem.inside[1:] if problem.inside[:1] == ("attributes",) else problem.inside
    return replace(problem, pointer=pointer_of(steps), inside=steps)


# --- stores ----------------------------------------------------------------------------------------------


def _of_store(validation: _Validation, subject: Any, path: str, form: Form | None, *, data: bool) -> Report:
    from zom.hierarchy.check.checked_hierarchy import opened  # noqa: PLC0415 - documents are validated without stores

    with opened(subject, path, form) as found:
        return validation.of_tree(found.store, found.path, found.form, data=data)
