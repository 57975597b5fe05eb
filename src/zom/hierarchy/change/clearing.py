"""Clearing: the chunks of an array that goes, or that a smaller shape leaves behind, are taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zom.engine.chunks import Chunks, Options
from zom.engine.compile import compile_plan
from zom.errors import ChunkError, SpecError
from zom.formats.v2 import V2
from zom.formats.v3 import V3
from zom.hierarchy.change.resize import clear_beyond
from zom.hierarchy.stored.inventory import chunk_keys
from zom.hierarchy.stored.layout import LAYOUTS
from zom.model.assembly import assemble

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zom.hierarchy.journal.journal import Clearing
    from zom.model.family import Family
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["array_of", "clear_after", "clear_all", "clear_before"]

_BESIDE: Final[Mapping[str, Family]] = {"v2": V3, "v3": V2, "draft": V2}
"""The other format whose documents may lie beside those of one."""


def clear_all(store: Store, clearing: Clearing) -> None:
    """Take away the chunks of an array that goes; other keys at its place stay."""
    if clearing.new is not None:
        return
    old, scalar = array_of(clearing, clearing.old), clearing.scalar
    keys = chunk_keys(old, clearing.prefix, store.list(clearing.prefix), scalar=scalar) or []
    if clearing.kept is not None:
        kept = array_of(clearing, clearing.kept)
        keys = sorted(set(keys) - set(chunk_keys(kept, clearing.prefix, keys) or ()))
    store.delete_many(keys)
    # A chunk of the new array may have the name of a directory of the old one: `c0`, for `c0/1`.
    store.prune(clearing.prefix)


def clear_before(store: Store, clearing: Clearing) -> None:
    """Before an array grows: take away what lies where it grows to, for others may have left it there."""
    if clearing.new is not None:
        old, new = array_of(clearing, clearing.old), array_of(clearing, clearing.new)
        _cut(store, clearing, old, new, shape=_shape(old))


def clear_after(store: Store, clearing: Clearing) -> None:
    """After an array has shrunk: take away what lies beyond its new end."""
    if clearing.new is not None:
        old, new = array_of(clearing, clearing.old), array_of(clearing, clearing.new)
        _cut(store, clearing, old, new, shape=_shape(new))


def _cut(store: Store, clearing: Clearing, old: Spec, new: Spec, *, shape: tuple[int, ...]) -> None:
    both = tuple(map(max, _shape(old), _shape(new)))
    if both == shape:
        return
    wide = compile_plan(new.replace(shape=both))
    chunks = Chunks(wide, store, clearing.prefix, clearing.path, Options())
    try:
        clear_beyond(chunks, wide, shape)
    except ChunkError:
        # A chunk that can't be decoded stays as it is: whoever reads it is told, then as before.
        return


def _shape(spec: Spec) -> tuple[int, ...]:
    shape: tuple[int, ...] = spec.__dict__["shape"]
    return shape


def array_of(clearing: Clearing, document: str) -> Spec:
    """The array that a document of the record describes."""
    is_kept = clearing.kept is not None and document == clearing.kept
    form = clearing.form
    family = _BESIDE[form] if is_kept else LAYOUTS[form][0].family
    spec, problems = assemble(family.classes["array"], document, "lenient")
    if spec is None:
        raise SpecError(problems, clearing.path)
    return spec
