"""Opening: read one node of a hierarchy by path, in as few requests as its format allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.count import count_of
from zom.errors import StoreError
from zom.hierarchy.journal.journal import Unsettled, journal_keys, unsettled
from zom.hierarchy.stored.assumed import assumed_group
from zom.hierarchy.stored.findings import Findings
from zom.hierarchy.stored.lookup import find
from zom.hierarchy.stored.missing import not_found
from zom.hierarchy.stored.pending import refuse_outer
from zom.hierarchy.stored.settled import settled, still_settled
from zom.hierarchy.stored.source import Source
from zom.hierarchy.stored.tree import StoredTree, spec_of
from zom.limits import DEFAULT_LIMITS, Limits
from zom.paths import parse_path
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.node import StoredNode
    from zom.problems import Level
    from zom.stores.interface import Store

_TRIES = 20
"""The number of attempts to read a node while others change it."""

__all__ = ["read_node"]

RANK: Final = rule(
    "array/rank",
    "an opened array has no more dimensions than the limit",
    source="numpy: NPY_MAXDIMS; Zarr sets no limit",
)


def read_node(
    store: Store,
    path: str = "",
    *,
    form: FormatName | None = None,
    level: Level = "lenient",
    limits: Limits = DEFAULT_LIMITS,
) -> StoredTree:
    """The node at `path` in `store`, in the format `form` if one is given.

    NotFound says what is there instead. SpecError lists all problems of the node's documents, with key and
    line. Documents stay as they are stored, including consolidated metadata.

    >>> from zom.stores.memory import MemoryStore
    >>> store = MemoryStore({"a/zarr.json": b'{"zarr_format": 3, "node_type": "group"}'})
    >>> found = read_node(store, "/a")
    >>> found.spec.kind, found.layout.name, list(found.documents())
    ('group', 'v3', ['a/zarr.json'])
    >>> read_node(store, "/a/b")
    Traceback (most recent call last):
    zom.errors.NotFound: memory://: expected a node at /a/b, found nothing; /a is a group without members
    """
    inner = "/".join(parse_path(path))
    refuse_outer(store, inner)
    view = store
    for _ in range(_TRIES):
        try:
            found = _read(view, inner, form, level, limits)
        except Unsettled:
            view = settled(store, inner)
            continue
        if still_settled(view):
            return found
        view = settled(store, inner)
    raise StoreError(store.url, inner, "read", "others keep changing the hierarchy; read it again")


def _read(store: Store, inner: str, form: FormatName | None, level: Level, limits: Limits) -> StoredTree:
    findings = Findings(store.url, level, limits)
    findings.note_oddities(store.oddities, node=f"/{inner}")
    journals = journal_keys(inner)
    with Source(store) as source:
        found = find(source, inner, form, findings, also=journals)
        for key in journals:
            if source.get(key) is not None:
                raise unsettled(store.url, key)
        found = found or assumed_group(source, inner, form, findings)
        if found is None:
            findings.raise_errors()
            raise not_found(source, inner, form)
    spec = spec_of(found, findings, plain=True)
    _check_rank(spec, found, findings)
    findings.raise_errors()
    return StoredTree(spec, found, None, findings.problems, store)


def _check_rank(spec: Any, node: StoredNode, findings: Findings) -> None:
    """Reject arrays with more dimensions than numpy supports, before anything is built from them."""
    if spec is None or spec.kind != "array":
        return
    rank, most = len(spec.__dict__["shape"]), findings.limits.rank
    if rank > most:
        document = next(iter(node.documents.values()))
        fix = "open it as a spec, with zom.read"
        fault = Fault(RANK, ("shape",), f"at most {count_of(most, 'dimension')}", f"{rank}", fix)
        findings.add(fault, node=node.path, key=document.key, text=document.text)
