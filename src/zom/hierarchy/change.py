"""Changes of one node's documents: read, changed and written so that no other's change is lost.

Only the documents that differ are written: an attribute's change touches no chunk, and in v2 not even
`.zarray`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom import jsontext
from zom.errors import ConcurrentWriteError, NotFound, SpecError
from zom.hierarchy.upkeep import documents_change
from zom.model.assembly import assemble
from zom.model.stored import model_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.hierarchy.layout import Layout
    from zom.model.family import NodeKind
    from zom.model.spec import Spec
    from zom.problems import Fault
    from zom.stores.interface import Store, Versioned

__all__ = ["change_node", "read_spec"]

_TRIES = 60


def read_spec(store: Store, path: str, layout: Layout, known: Spec) -> Spec:
    """The spec of a node that is open already: of the same layout, kind and level as it was `known`."""
    keys = _keys(path, layout, known)
    return _parsed(layout, {end: store.get_version(key) for end, key in keys.items()}, path, known)


def change_node(
    store: Store, path: str, layout: Layout, known: Spec, *, change: Callable[[Spec], Spec]
) -> Spec:
    """The spec that `change` makes of the node at `path`, once its documents are written.

    `change` may be called again, where others write at the same time.
    """
    keys = _keys(path, layout, known)
    main = next(iter(keys.values()))
    with store.lock(main), documents_change(store, [path], layout):
        for _ in range(_TRIES):
            found = {end: store.get_version(key) for end, key in keys.items()}
            spec = change(_parsed(layout, found, path, known))
            if _written(store, keys, found, spec):
                return spec
    raise ConcurrentWriteError(store.url, main)


def _keys(path: str, layout: Layout, known: Spec) -> dict[str, str]:
    """The keys of the node's documents by their ends, its own first."""
    kind: NodeKind = "array" if known.kind == "array" else "group"
    return dict(zip(layout.ends(kind), layout.keys(path, kind), strict=True))


def _parsed(layout: Layout, found: dict[str, Versioned | None], path: str, known: Spec) -> Spec:
    where = f"/{path.strip('/')}"
    faults: list[Fault] = []
    if next(iter(found.values())) is None:
        raise NotFound(f"{where}: the document is gone that was there when it was opened")
    documents = {end: jsontext.read(one.value, faults) for end, one in found.items() if one is not None}
    spec, problems = assemble(type(known), model_document(layout.family, documents), known.level)
    if spec is None or faults:
        raise SpecError(problems, where)
    return spec


def _written(store: Store, keys: dict[str, str], found: dict[str, Versioned | None], spec: Spec) -> bool:
    """Whether the documents of `spec` are there now; False where others changed one meanwhile."""
    documents = spec.to_documents()
    for end, key in keys.items():
        old, new = found[end], documents.get(end)
        if new is None:
            if old is not None:
                store.delete(key)
            continue
        if old is not None and jsontext.read(old.value, []) == new:
            continue
        text = jsontext.write(new, indent=2).encode()
        if not store.capabilities.compare_and_set:
            store.set(key, text)
        elif not store.replace(key, text, None if old is None else old.version):
            return False
    return True
