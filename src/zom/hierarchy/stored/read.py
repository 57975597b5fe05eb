"""Reading: a whole hierarchy from a store, as one spec.

Level by level, in (depth + 2) round trips: see `zom.hierarchy.stored.levels`. Directories without documents are
no nodes and are passed over; a node of another format is reported, and never left out silently.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from zom.errors import NotFound, SpecError, StoreError
from zom.hierarchy.journal.journal import Unsettled, journal_keys, unsettled
from zom.hierarchy.stored.assumed import assumed_group
from zom.hierarchy.stored.consolidated import Consolidated, compare, consolidated_at, tree_of
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.layout import DRAFT_2022, ENTRY_KEY, V2_LAYOUT, V3_LAYOUT
from zom.hierarchy.stored.levels import Expected, gather
from zom.hierarchy.stored.lookup import find, layout_of, note_directory
from zom.hierarchy.stored.missing import not_found
from zom.hierarchy.stored.node import Document, is_entry
from zom.hierarchy.stored.pending import refuse_outer
from zom.hierarchy.stored.settled import settled, still_settled
from zom.hierarchy.stored.source import Source
from zom.hierarchy.stored.tolerant import TolerantSource
from zom.hierarchy.stored.tree import StoredTree, sound_part, spec_of
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.assembly import Uncollected
from zom.paths import parse_path
from zom.stores import opening
from zom.stores.interface import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.stored.layout import Layout
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.node import StoredNode
    from zom.model.spec import Spec
    from zom.problems import Level, Problem
    from zom.template.models import Template

__all__ = ["Consolidation", "OnError", "inspect_tree", "read", "read_tree"]

Consolidation = Literal["verify", "trust", "ignore", "only"]
"""What is made of consolidated metadata: read the nodes and compare; believe it where there is some; don't
look at it; believe it, and refuse to read where there is none."""

_TRIES = 20
"""How often a hierarchy is read while others change it."""

OnError = Literal["raise", "skip"]
"""What is made of nodes that can't be read: one error for all of them; they are left out, and reported."""

_CONSOLIDATIONS = ("verify", "trust", "ignore", "only")


def read(  # noqa: PLR0913 - each is a choice of the caller's
    store: opening.Place,
    path: str = "",
    *,
    depth: int | None = None,
    consolidated: Consolidation = "verify",
    level: Level = "lenient",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_error: OnError = "raise",
    on_warning: Callable[[Problem], None] | None = None,
) -> Any:
    """The hierarchy at `path` in `store`, which is a store, a path or a URL, as one spec.

    With a `depth`, the members of groups so many levels down are not read: they are None, not known.
    `consolidated` metadata is compared with the nodes' own documents, which count ("verify"), believed
    ("trust", "only"), or not looked at ("ignore"). A store that can't be listed is read by the paths in
    its consolidated metadata, or those in a spec or template that it is `like`. Where nodes of v2 and v3
    lie side by side, v3 counts, or what `form` asks for.

    What the `level` only warns of goes to `on_warning`; without one it becomes a `SpecWarning` for each
    rule that is broken. SpecError lists all problems of all documents, with key and line. With
    `on_error="skip"` nodes that can't be read are left out, and their problems are warnings, too; a group
    among them that holds other nodes is read as one without attributes.

    >>> import zom
    >>> store = zom.store("memory://example-of-read")
    >>> store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
    >>> store.set("a/zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"n": 1}}')
    >>> read(store)["a"].attributes
    {'n': 1}
    >>> read(store, depth=1)["a"].members is None
    True
    """
    is_named = isinstance(store, (str, PathLike))
    opened: Store = store if isinstance(store, Store) else opening.store(store, read_only=True)
    try:
        tree, findings = _tree(opened, path, depth, consolidated, level, form, like, limits, on_error)
        if tree.spec is None:
            findings.raise_errors()
    finally:
        if is_named:
            opened.close()
    findings.warn(on_warning, 2)
    return tree.spec


def read_tree(  # noqa: PLR0913 - as above
    store: Store,
    path: str = "",
    *,
    depth: int | None = None,
    consolidated: Consolidation = "verify",
    level: Level = "lenient",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_error: OnError = "raise",
) -> StoredTree:
    """As `read`, with all that was found: layout, documents, problems; nothing is warned of.

    >>> from zom.stores.memory import MemoryStore
    >>> tree = read_tree(MemoryStore({".zgroup": b'{"zarr_format": 2}', "readme.txt": b""}))
    >>> tree.layout.name, tree.documents()
    ('v2', {'.zgroup': b'{"zarr_format": 2}'})
    """
    tree, findings = _tree(store, path, depth, consolidated, level, form, like, limits, on_error)
    if tree.spec is None:
        findings.raise_errors()
    return tree


def inspect_tree(  # noqa: PLR0913 - as above
    store: Store,
    path: str = "",
    *,
    level: Level = "strict",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> StoredTree:
    """As `read_tree`, for whoever wants all problems: documents with faults are no error.

    What makes it impossible to find the nodes is still a SpecError.

    >>> from zom.stores.memory import MemoryStore
    >>> tree = inspect_tree(MemoryStore({".zgroup": b"{}"}))
    >>> tree.spec is None, [problem.code for problem in tree.problems]
    (True, ['v2/missing-member'])
    """
    return _tree(store, path, None, "verify", level, form, like, limits, "report", through=False)[0]


def _tree(  # noqa: PLR0913, PLR0917 - as above
    store: Store,
    path: str,
    depth: int | None,
    consolidated: Consolidation,
    level: Level,
    form: FormatName | None,
    like: Spec | Template | None,
    limits: Limits,
    on_error: OnError | Literal["report"],
    *,
    through: bool = True,
) -> tuple[StoredTree, Findings]:
    if on_error not in {"raise", "skip", "report"}:
        raise ValueError(f"on_error: expected 'raise' or 'skip', got {on_error!r}")
    if consolidated not in _CONSOLIDATIONS:
        wanted = "'verify', 'trust', 'ignore' or 'only'"
        raise ValueError(f"consolidated: expected {wanted}, got {consolidated!r}")
    if depth is not None and depth < 0:
        raise ValueError(f"depth: expected None or a number from 0 on, got {depth!r}")
    inner = "/".join(parse_path(path))
    refuse_outer(store, inner)
    view = store
    for _ in range(_TRIES):
        findings = Findings(store.url, level, limits)
        findings.note_oddities(store.oddities, node=f"/{inner}")
        try:
            tree = _seen(view, inner, depth, consolidated, form, like, findings, on_error)
        except Unsettled:
            if not through:
                raise
            view = settled(store, inner, below=True)
            continue
        if still_settled(view):
            return tree, findings
        view = settled(store, inner, below=True)
    raise StoreError(store.url, inner, "read", "others change the hierarchy again and again; read it again")


def _seen(  # noqa: PLR0913, PLR0917 - as above
    store: Store,
    inner: str,
    depth: int | None,
    consolidated: Consolidation,
    form: FormatName | None,
    like: Spec | Template | None,
    findings: Findings,
    on_error: OnError | Literal["report"],
) -> StoredTree:
    # While a far store is waited for, other threads may need the collector.
    source = Source(store) if on_error == "raise" else TolerantSource(store)
    with source, nullcontext() if source.is_far else Uncollected():
        reading = _Reading(source, inner, findings, depth, skips=on_error == "skip")
        if consolidated in {"trust", "only"}:
            tree = reading.trusted(form)
            if tree is not None:
                return tree
            if consolidated == "only":
                told = "read it with consolidated='verify', or consolidate it"
                raise NotFound(f"{store.url}: expected consolidated metadata at /{inner}, found none; {told}")
        return reading.whole(form, like, looks=consolidated == "verify")


class _Reading:
    """One hierarchy on its way from a store."""

    def __init__(
        self, source: Source, path: str, findings: Findings, depth: int | None, *, skips: bool
    ) -> None:
        self.source = source
        self.path = path
        self.findings = findings
        self.depth = depth
        self.skips = skips

    def _tree(self, root: StoredNode, block: Consolidated | None) -> StoredTree:
        spec = spec_of(root, self.findings)
        unreadable: frozenset[str] = frozenset()
        if spec is None and self.skips:
            spec, unreadable = sound_part(root, self.findings)
        problems, store = self.findings.problems, self.source.store
        return StoredTree(spec, root, block, problems, store, unreadable)

    # --- by consolidated metadata alone ---------------------------------------------------------------

    def trusted(self, form: FormatName | None) -> StoredTree | None:
        """The hierarchy that consolidated metadata describes; None where there is none."""
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
            document = Document(
                key, text, self.findings.value(key, f"/{self.path}", text, whole=layout is V2_LAYOUT)
            )
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

    def _trusted_draft(self, entry: Document) -> StoredTree | None:
        """The draft hierarchy that the consolidated metadata of 2021 describes; None where there is none."""
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
        """The hierarchy by the documents of its nodes; `looks` at consolidated metadata, too."""
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
        # A group's own journal will be in its listing.
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
        """Unsettled where there is a journal under one of these keys."""
        for key in journals:
            if self.source.get(key) is not None:
                raise unsettled(self.source.store.url, key)

    def _refuse_out_of_reach(self, root: StoredNode) -> None:
        """StoreError where neither the root's document nor its members could be had: there is nothing to go on with."""
        if root.members is None and (self.skips or self.source.is_far):
            for key in root.layout.tried(root.path):
                error = self.source.failure(key)
                if error is not None:
                    raise error

    def _copy_key(self, layout: Layout) -> str | None:
        """The key of the document with consolidated metadata beside the root, where there may be one."""
        if layout.consolidated is not None:
            return layout.key(self.path, layout.consolidated)
        is_base = f"{self.path}/".lstrip("/") == layout.base
        return f"{layout.base}{layout.copy_key}" if layout.copy_key is not None and is_base else None

    def _seen(self, root: StoredNode) -> Consolidated | None:
        """The consolidated metadata beside the root; a warning where it is out of order."""
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
        """What is expected below the root; an error where that is needed and not known."""
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
            "this store can't list its keys, and has no consolidated metadata here to look at; say what it is "
            "like with like=spec or like=template, or read the node alone with depth=0"
        )
        raise StoreError(self.source.store.url, layout.directory(self.path), "list", reason)
