"""`zom.validate`: every problem of a hierarchy, as Zarr and as the conventions that it follows.

The hierarchy may be a spec, a document, or lie in a store; the same rules run on the same view of it.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, cast

from zom import jsontext
from zom.conventions.convention import Convention
from zom.conventions.convention import conventions as known_conventions
from zom.conventions.detection import judge
from zom.conventions.report import report_of
from zom.conventions.rule import PROFILES
from zom.conventions.suppression import parse_suppressions
from zom.conventions.view import document_tree, grown, spec_tree
from zom.errors import SpecError
from zom.hierarchy.check import is_document
from zom.hierarchy.findings import NOT_JSON, Findings
from zom.hierarchy.node import own_document, place
from zom.hierarchy.read import inspect_tree
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model import hierarchy
from zom.model.assembly import RANK
from zom.model.location import with_lines
from zom.model.python_value import is_dict
from zom.model.spec import Spec
from zom.model.stored import consolidated_entries, from_consolidated, model_document
from zom.model.v2 import V2
from zom.model.v3 import V3
from zom.problems import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zom.conventions.judgement import Judgement
    from zom.conventions.report import Report
    from zom.conventions.rule import Profile
    from zom.conventions.suppression import Suppression
    from zom.conventions.view import Facts
    from zom.conventions.view import Node as View
    from zom.hierarchy.look import Form
    from zom.hierarchy.node import Node
    from zom.hierarchy.read import StoredTree
    from zom.model.family import Family
    from zom.problems import Level, Problem
    from zom.stores.interface import Store

__all__ = ["Asked", "validate"]

Asked = Literal["auto"]
"""All conventions that a hierarchy is found to follow."""


def validate(  # noqa: PLR0913 - each is a choice of the caller's
    subject: Any,
    conventions: Asked | Iterable[str | Convention] = "auto",
    *,
    path: str = "",
    profile: Profile = "text",
    suppress: Iterable[str] | str = (),
    level: Level = "strict",
    form: Form | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Report:
    """A report of every problem: of the documents as Zarr, and of the conventions that they follow.

    The subject is a spec, a document as `zom.check` takes it, or a store, a path, a URL, an open array or
    group. Of a store, the documents are read, and no chunks. `conventions` are names, such as "xarray",
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
    return _of_store(validation, subject, path, form)


def _asked(names: Asked | Iterable[str | Convention]) -> tuple[Convention, ...] | None:
    if names == "auto":
        return None
    given = [names] if isinstance(names, (str, Convention)) else names
    found: list[Convention] = []
    for each in cast("Iterable[str | Convention]", given):
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
        judgement = judge(root, self.asked, profile=self.profile)
        return self._report(judgement, (*found, *judgement.problems), "spec", root)

    def of_document(self, document: Any) -> Report:
        """A document: of text, findings have lines."""
        text: str | bytes | None = None
        if isinstance(document, (bytes, bytearray, memoryview)):
            document = text = bytes(cast("bytes", document))
        elif isinstance(document, str):
            text = document
        value: Any = document if text is None else jsontext.read(text, [], limits=self.limits)
        family = _consolidated_in(value)
        if family is None:
            found = hierarchy.check(document, self.level, limits=self.limits)
            root = document_tree(value)
            judgement = judge(root, self.asked, profile=self.profile)
            problems = tuple(judgement.problems)
        else:
            found, entries = self._entries(family, value)
            root = _flat_tree(family, entries)
            judgement = judge(root, self.asked, profile=self.profile)
            problems = tuple(
                replace(each, pointer=_consolidated_pointer(each, family, entries))
                for each in judgement.problems
            )
            found = found if text is None else with_lines(found, text)
        problems = problems if text is None else with_lines(problems, text)
        return self._report(judgement, (*found, *problems), "document", root)

    def _entries(
        self, family: Family, value: Any
    ) -> tuple[tuple[Problem, ...], Mapping[str, Mapping[str, Any]]]:
        """The problems of consolidated metadata, and the documents in it by path."""
        try:
            from_consolidated(family, value, self.level)
            return (), consolidated_entries(family, value)
        except SpecError as error:
            found = error.problems
        try:
            return found, consolidated_entries(family, value)
        except SpecError:
            return found, {}

    def of_tree(self, store: Store, path: str, form: Form | None) -> Report:
        """A hierarchy in a store: findings stand in its documents, by key and line."""
        tree = inspect_tree(store, path, level=self.level, form=form, limits=self.limits)
        root = _stored_tree(tree)
        judgement = judge(root, self.asked, profile=self.profile)
        findings = Findings(store.url, self.level, self.limits)
        prefix = tree.path.rstrip("/")
        for problem in judgement.problems:
            related = tuple(f"{prefix}{each}".rstrip("/") or "/" for each in problem.related)
            place(replace(problem, related=related), tree.layout, tree.root, findings)
        return self._report(judgement, (*tree.problems, *findings.problems), store.url, root, store=store.url)

    def _report(
        self,
        judgement: Judgement,
        problems: Iterable[Problem],
        subject: str,
        root: View,
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


# --- stores ----------------------------------------------------------------------------------------------


def _of_store(validation: _Validation, subject: Any, path: str, form: Form | None) -> Report:
    from zom.hierarchy.handle import Handle  # noqa: PLC0415 - documents are validated without stores
    from zom.paths import join, parse_path  # noqa: PLC0415
    from zom.stores import opening  # noqa: PLC0415

    if isinstance(subject, Handle):
        whole = join((*parse_path(subject.path), *parse_path(path)))
        own: Any = subject.layout.family.form
        return validation.of_tree(subject.store, whole, form or own)
    opened = opening.store(subject, read_only=True)
    try:
        return validation.of_tree(opened, path, form)
    finally:
        if isinstance(subject, (str, PathLike)):
            opened.close()


def _stored_tree(tree: StoredTree) -> View:
    """The view of what was read from a store, nodes at fault included."""
    layout = tree.layout
    family = layout.family

    def facts(node: Node) -> Facts:
        broken = any(each.value is NOT_JSON for each in node.documents.values())
        document = None if broken else own_document(layout, node)
        kind = node.kind or (family.kind_of(document) if is_dict(document) else None)
        return kind, family.form, document

    return grown(tree.root, facts, lambda node: node.members)


# --- consolidated metadata as a document ---------------------------------------------------------------


def _consolidated_in(value: Any) -> Family | None:
    """The format of consolidated metadata; None for another document."""
    if not is_dict(value):
        return None
    if "zarr_consolidated_format" in value:
        return V2
    is_v3 = value.get("zarr_format") == 3 and is_dict(value.get("consolidated_metadata"))
    return V3 if is_v3 and "members" not in value else None


def _flat_tree(family: Family, entries: Mapping[str, Mapping[str, Any]]) -> View:
    """The view of a hierarchy of which the documents are known by path."""
    below: dict[str, dict[str, str]] = {"/": {}}
    for path in entries:
        names = path.strip("/").split("/") if path != "/" else []
        here = ""
        for name in names:
            inner = below.setdefault(here or "/", {})
            here = f"{here}/{name}"
            inner[name] = here
            below.setdefault(here, {})

    def facts(path: str) -> Facts:
        document = (
            model_document(family, entries[path]) if path in entries else dict(family.constants["group"])
        )
        kind = family.kind_of(document) if is_dict(document) else None
        return kind, family.form, document

    return grown("/", facts, below.get)


def _consolidated_pointer(problem: Problem, family: Family, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Where a problem stands in the text of consolidated metadata."""
    path, inside = problem.node.strip("/"), problem.inside
    if family is V3:
        return pointer_of((*(("consolidated_metadata", "metadata", path) if path else ()), *inside))
    documents = entries.get(problem.node, {})
    end = next((name for name in documents if name != ".zattrs"), ".zgroup")
    if inside[:1] == ("attributes",):
        end, inside = ".zattrs", inside[1:]
    return pointer_of(("metadata", f"{path}/{end}" if path else end, *inside))
