"""Reading: a whole hierarchy from a store, as one spec.

Level by level, in (depth + 2) round trips: see `zom.hierarchy.stored.levels`. Directories without documents
are skipped; they are not nodes. A node of another format is reported, never left out silently.
"""

from __future__ import annotations

from contextlib import nullcontext
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

from zom.errors import NotFound, StoreError
from zom.hierarchy.journal.journal import Unsettled
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.pending import refuse_outer
from zom.hierarchy.stored.reading import Reading
from zom.hierarchy.stored.settled import settled, still_settled
from zom.hierarchy.stored.source import Source
from zom.hierarchy.stored.spec_class import SpecT, as_class, form_of_class
from zom.hierarchy.stored.tolerant import TolerantSource
from zom.limits import DEFAULT_LIMITS, Limits
from zom.model.assembly import Uncollected
from zom.model.tree import check_depth
from zom.paths import parse_path
from zom.stores import opening
from zom.stores.interface import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.formats.detection import AnySpec
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.tree import StoredTree
    from zom.model.spec import Spec
    from zom.problems import Level, Problem
    from zom.template.models import Template

__all__ = ["Consolidation", "OnError", "inspect_tree", "read", "read_nodes", "read_tree"]

Consolidation = Literal["verify", "trust", "ignore", "only"]
"""How to use consolidated metadata: compare it with nodes; trust it if present; ignore it; require it."""

_TRIES = 20
"""The number of attempts to read a hierarchy while others change it."""

OnError = Literal["raise", "skip"]
"""How to handle nodes that can't be read: raise one error for all of them, or skip and report them."""

_CONSOLIDATIONS = ("verify", "trust", "ignore", "only")


@overload
def read(
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[SpecT],
    depth: int | None = None,
    consolidated: Consolidation = "verify",
    level: Level = "lenient",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_error: OnError = "raise",
    on_warning: Callable[[Problem], None] | None = None,
) -> SpecT: ...
@overload
def read(
    store: opening.Place,
    path: str = "",
    *,
    spec_class: None = None,
    depth: int | None = None,
    consolidated: Consolidation = "verify",
    level: Level = "lenient",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_error: OnError = "raise",
    on_warning: Callable[[Problem], None] | None = None,
) -> AnySpec: ...
def read(  # noqa: PLR0913 - each is a choice of the caller
    store: opening.Place,
    path: str = "",
    *,
    spec_class: type[Spec] | None = None,
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

    With a `depth`, the members of groups this many levels down are not read: they are None (unknown).
    `consolidated` metadata is compared with the nodes' own documents, which count ("verify"), trusted
    ("trust", "only"), or ignored ("ignore"). If the store can't be listed, zom reads the paths in its
    consolidated metadata, or those of a spec or template passed as `like`. If v2 and v3 nodes are side by
    side, v3 counts, or the format passed as `form`.

    With a `spec_class` the spec has that class, and the hierarchy is read in the format of the class.
    SpecError if it doesn't fit.

    Problems that `level` only warns of go to `on_warning`; without it, zom emits one `SpecWarning` per broken
    rule. SpecError lists all problems of all documents, with key and line. With `on_error="skip"` nodes that
    can't be read are left out, and their problems are warnings, too; such a group with other nodes below it
    is read as one without attributes.

    >>> import zom
    >>> store = zom.store("memory://example-of-read")
    >>> store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
    >>> store.set("a/zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"n": 1}}')
    >>> read(store)["a"].attributes
    {'n': 1}
    >>> read(store, depth=1)["a"].members is None
    True
    >>> from zom import v3
    >>> read(store, "a", spec_class=v3.GroupSpec[dict[str, str], v3.ArraySpec])
    Traceback (most recent call last):
    zom.errors.SpecError: memory://example-of-read: 'a/zarr.json': /a: attributes.n: expected a string, found 1 (line 1, column 62); correct the document, or leave spec_class out
    """
    form = form_of_class(spec_class, form)
    is_named = isinstance(store, (str, PathLike))
    opened: Store = store if isinstance(store, Store) else opening.store(store, read_only=True)
    try:
        tree, findings = _tree(opened, path, depth, consolidated, level, form, like, limits, on_error)
        if tree.spec is None:
            findings.raise_errors()
        spec = tree.spec if spec_class is None else as_class(tree, spec_class, level, limits)
    finally:
        if is_named:
            opened.close()
    findings.warn(on_warning, 2)
    return spec


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
    """Like `read`, but with layout, documents and problems, and without emitting warnings.

    >>> from zom.stores.memory import MemoryStore
    >>> tree = read_tree(MemoryStore({".zgroup": b'{"zarr_format": 2}', "readme.txt": b""}))
    >>> tree.layout.name, tree.documents()
    ('v2', {'.zgroup': b'{"zarr_format": 2}'})
    """
    tree, findings = _tree(store, path, depth, consolidated, level, form, like, limits, on_error)
    if tree.spec is None:
        findings.raise_errors()
    return tree


def read_nodes(  # noqa: PLR0913 - as above
    store: Store,
    path: str = "",
    *,
    depth: int | None = None,
    consolidated: Consolidation = "verify",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> StoredTree:
    """Like `read_tree`, but without validation: there is no spec, and invalid documents are not reported.

    Trusted consolidated metadata is parsed as plain JSON, which the caller must not change; a duplicate name
    in it goes unnoticed. SpecError if it is invalid.

    >>> from zom.stores.memory import MemoryStore
    >>> tree = read_nodes(MemoryStore({".zgroup": b'{"zarr_format": 2}'}))
    >>> tree.spec is None, str(tree.root)
    (True, 'a v2 group')
    """
    return _tree(store, path, depth, consolidated, "lenient", form, like, limits, "defer")[0]


def inspect_tree(  # noqa: PLR0913 - as above
    store: Store,
    path: str = "",
    *,
    level: Level = "strict",
    form: FormatName | None = None,
    like: Spec | Template | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> StoredTree:
    """Like `read_tree`, but invalid documents don't raise: all problems are returned.

    SpecError if the nodes can't be found.

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
    on_error: OnError | Literal["report", "defer"],
    *,
    through: bool = True,
) -> tuple[StoredTree, Findings]:
    if on_error not in {"raise", "skip", "report", "defer"}:
        raise ValueError(f"on_error: expected 'raise' or 'skip', got {on_error!r}")
    if consolidated not in _CONSOLIDATIONS:
        wanted = "'verify', 'trust', 'ignore' or 'only'"
        raise ValueError(f"consolidated: expected {wanted}, got {consolidated!r}")
    check_depth(depth)
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
    raise StoreError(store.url, inner, "read", "others keep changing the hierarchy; read it again")


def _seen(  # noqa: PLR0913, PLR0917 - as above
    store: Store,
    inner: str,
    depth: int | None,
    consolidated: Consolidation,
    form: FormatName | None,
    like: Spec | Template | None,
    findings: Findings,
    on_error: OnError | Literal["report", "defer"],
) -> StoredTree:
    # While waiting for a far store, other threads may need the garbage collector.
    source = Source(store) if on_error in {"raise", "defer"} else TolerantSource(store)
    with source, nullcontext() if source.is_far else Uncollected():
        skips, defers = on_error == "skip", on_error == "defer"
        reading = Reading(source, inner, findings, depth, skips=skips, defers=defers)
        if consolidated in {"trust", "only"}:
            tree = reading.trusted(form)
            if tree is not None:
                return tree
            if consolidated == "only":
                told = "read it with consolidated='verify', or consolidate it"
                raise NotFound(f"{store.url}: expected consolidated metadata at /{inner}, found none; {told}")
        return reading.whole(form, like, looks=consolidated == "verify")
