"""Reading one hierarchy from a store: by the documents of its nodes, or by consolidated metadata alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from zom.errors import SpecError, StoreError
from zom.hierarchy.journal.journal import journal_keys, unsettled
from zom.hierarchy.stored.assumed import assumed_group
from zom.hierarchy.stored.consolidated import Consolidated, compare, consolidated_at, tree_of
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.layout import DRAFT_2022, ENTRY_KEY, V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.stored.levels import Expected, gather
from zom.hierarchy.stored.lookup import find, layout_of, note_directory
from zom.hierarchy.stored.missing import not_found
from zom.hierarchy.stored.node import Document, is_entry
from zom.hierarchy.stored.tree import StoredTree, sound_part, spec_of

if TYPE_CHECKING:
    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.node import StoredNode
    from zom.hierarchy.stored.source import Source
    from zom.model.spec import Spec
    from zom.template.models import Template

__all__ = ["Reading"]


class Reading:
    """One hierarchy that is being read from a store."""

    def __init__(  # noqa: PLR0913 - a source, and how it is read
        self,
        source: Source,
        path: str,
        findings: Findings,
        depth: int | None,
        *,
        skips: bool,
        defers: bool,
    ) -> None:
        self.source = source
        self.path = path
        self.findings = findings
        self.depth = depth
        self.skips = skips
        self.defers = defers

    def _tree(self, root: StoredNode, block: Consolidated | None) -> StoredTree:
        spec = None if self.defers else spec_of(root, self.findings)
        unreadable: frozenset[str] = frozenset()
        if spec is None and self.skips:
            spec, unreadable = sound_part(root, self.findings)
        problems, store = self.findings.problems, self.source.store
        return StoredTree(spec, root, block, problems, store, unreadable)

    # --- by consolidated metadata alone ---------------------------------------------------------------

    def trusted(self, form: FormatName | None) -> StoredTree | None:
        """The hierarchy that consolidated metadata describes, or None if there is none."""
        inline = V3_LAYOUT.key(self.path, ENTRY_KEY)
        apart = V2_LAYOUT.key(self.path, str(V2_LAYOUT.consolidated))
        journals = journal_keys(self.path)
        tried = [inline] if V3_LAYOUT.is_asked_for(form) or DRAFT_2022.is_asked_for(form) else []
        self.source.fetch([*tried, *([apart] if V2_LAYOUT.is_asked_for(form) else []), *journals])
        self._refuse_unsettled(journals)
        for layout, key in ((V3_LAYOUT, inline), (V2_LAYOUT, apart)):
            if not layout.is_asked_for(form):
                continue
            text = self.source.get(key)
            if text is None:
                continue
            document = Document(key, text, self._value(key, text, whole=layout is V2_LAYOUT))
            if layout is V3_LAYOUT and is_entry(document.value) and DRAFT_2022.is_asked_for(form):
                return self._trusted_draft(document)
            self.findings.raise_errors()
            block = self._block(layout, document)
            if block is None:
                self.findings.clear()
                return None
            root = tree_of(layout, self.path, block, self.findings, depth=self.depth)
            return self._tree(root, block)
        return None

    def _value(self, key: str, text: bytes, *, whole: bool) -> Any:
        """The value of the text with the consolidated metadata."""
        if self.defers and len(text) <= self.findings.limits.document_bytes:
            try:
                return from_json(text, allow_inf_nan=False)
            except (ValueError, TypeError):
                pass  # the strict parser below reports what is wrong
        return self.findings.value(key, f"/{self.path}", text, whole=whole)

    def _trusted_draft(self, entry: Document) -> StoredTree | None:
        """The draft hierarchy that the consolidated metadata of 2021 describes, or None if there is none."""
        layout = layout_of(entry, self.path, self.findings)
        key = self._copy_key(layout)
        text = None if key is None else self.source.get(key)
        if key is None or text is None:
            self.findings.clear()
            return None
        document = Document(key, text, self.findings.value(key, f"/{self.path}", text, whole=True))
        block = self._block(layout, document)
        if block is None:
            self.findings.raise_errors()
            return None
        return self._tree(tree_of(layout, self.path, block, self.findings, depth=self.depth), block)

    def _block(self, layout: Layout, document: Document) -> Consolidated | None:
        try:
            return consolidated_at(layout, self.path, document, self.findings)
        except SpecError as error:
            for problem in error.problems:
                self.findings.place(problem, document.text)
            self.findings.raise_errors()
            raise

    # --- node by node ---------------------------------------------------------------------------------

    def whole(self, form: FormatName | None, like: Spec | Template | None, *, looks: bool) -> StoredTree:
        """The hierarchy by the documents of its nodes; if `looks`, consolidated metadata is read, too."""
        apart = V2_LAYOUT.key(self.path, str(V2_LAYOUT.consolidated))
        journals = journal_keys(self.path)
        found = find(
            self.source,
            self.path,
            form,
            self.findings,
            also=[
                *journals[not self.source.is_far :],
                *([apart] if looks and V2_LAYOUT.is_asked_for(form) else []),
            ],
        )
        found = found or assumed_group(self.source, self.path, form, self.findings)
        if found is None:
            self._refuse_unsettled(journals)
            self.findings.raise_errors()
            raise not_found(self.source, self.path, form)
        root, layout = found, found.layout
        # A group's own journal is in its listing.
        listed = self.source.store.capabilities.listable and not layout.implicit_groups
        journals = journals[listed and root.kind == "group" and self.depth != 0 :]
        self._refuse_unsettled(journals)
        block = self._seen(root) if looks and root.kind == "group" and not root.is_assumed else None
        may_hold = root.kind == "group" or (root.kind is None and self.source.store.capabilities.listable)
        if may_hold and self.depth != 0:
            expected = self._expected(layout, block, like)
            root = gather(self.source, root, self.findings, depth=self.depth, expected=expected)
        self._refuse_out_of_reach(root)
        if block is not None:
            compare(root, block, self.findings, depth=self.depth)
        return self._tree(root, block)

    def _refuse_unsettled(self, journals: list[str]) -> None:
        """Raise Unsettled if there is a journal under one of these keys."""
        for key in journals:
            if self.source.get(key) is not None:
                raise unsettled(self.source.store.url, key)

    def _refuse_out_of_reach(self, root: StoredNode) -> None:
        """Raise StoreError if neither the root's document nor its members are available."""
        if root.members is None and (self.skips or self.source.is_far):
            for key in root.layout.tried(root.path):
                error = self.source.failure(key)
                if error is not None:
                    raise error

    def _copy_key(self, layout: Layout) -> str | None:
        """The key of the document with consolidated metadata beside the root, if there can be one."""
        if layout.consolidated is not None:
            return layout.key(self.path, layout.consolidated)
        is_base = f"{self.path}/".lstrip("/") == layout.base
        return f"{layout.base}{layout.copy_key}" if layout.copy_key is not None and is_base else None

    def _seen(self, root: StoredNode) -> Consolidated | None:
        """The consolidated metadata beside the root; its problems are reported as warnings."""
        layout = root.layout
        if layout.inline is not None:
            document = root.documents[ENTRY_KEY]
        else:
            key = self._copy_key(layout)
            if key is None:
                return None
            text = self.source.get(key)
            if text is None:
                if key in self.source.directories:
                    note_directory(self.path, key, self.findings)
                return None
            apart = Findings(self.findings.subject, self.findings.level, self.findings.limits)
            document = Document(key, text, apart.value(key, root.path, text, whole=True))
            for problem in apart.problems:
                if problem.severity == "error":
                    self.findings.place(replace(problem, severity="warning"), None)
        try:
            return consolidated_at(layout, self.path, document, self.findings)
        except SpecError as error:
            for problem in error.problems:
                self.findings.place(replace(problem, severity="warning"), document.text)
            return None

    def _expected(
        self, layout: Layout, block: Consolidated | None, like: Spec | Template | None
    ) -> Expected | None:
        """The nodes expected below the root; raise if they are needed and unknown."""
        listable = self.source.store.capabilities.listable
        if listable and (block is None or not self.source.is_far):
            return None
        if like is not None and not listable:
            from zom.hierarchy.stored.named_paths import named_paths  # noqa: PLC0415 - loads templates

            return Expected(named_paths(like))
        if block is not None:
            places = [each for each in block.entries if layout.is_place(f"{self.path}/{each}")]
            return Expected({place: block.kind(layout, place) for place in places})
        reason = (
            "this store can't list its keys, and has no consolidated metadata here; pass the expected nodes "
            "as like=spec or like=template, or read the node alone with depth=0"
        )
        raise StoreError(self.source.store.url, layout.directory(self.path), "list", reason)
