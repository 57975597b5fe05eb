"""The chunks of a stored array, as the engine sees them: the layout gives their keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zom.dataclass import dataclass
from zom.engine.chunks import Chunks, Options
from zom.engine.compile import compile_plan
from zom.errors import UnknownName
from zom.limits import DEFAULT_LIMITS
from zom.paths import join, parse_path
from zom.problems import one_line, show

if TYPE_CHECKING:
    from zom.engine.plan import ArrayPlan
    from zom.hierarchy.stored.layout import Layout
    from zom.limits import Limits
    from zom.model.spec import Spec
    from zom.stores.interface import Store

__all__ = ["ArrayPlace", "array_chunks", "array_plan"]


def array_plan(
    spec: Spec, store: Store, path: str, layout: Layout, limits: Limits = DEFAULT_LIMITS
) -> ArrayPlan:
    """The compiled spec of the array at `path`, with the keys of its layout; UnknownName names the place."""
    try:
        plan = compile_plan(spec, limits)
        _check_understood(layout)
    except UnknownName as error:
        inner = path.strip("/")
        message = f"{one_line(f'{store.url} /{inner}' if inner else store.url)}: {error}"
        step = "" if "; " in message else "; install the package that registers it"
        raise UnknownName(f"{message}{step}") from error
    # In 2021 the chunk of a zero-dimensional array was `c0`, whatever the document says.
    scalar = layout.scalar_chunk
    return plan if scalar is None else replace(plan, keys=plan.keys._replace(scalar=scalar))


def _check_understood(layout: Layout) -> None:
    for name in layout.not_understood:
        raise UnknownName(
            f"extensions of the hierarchy: zom doesn't know {show(name)}, and readers must understand it"
        )


def array_chunks(  # noqa: PLR0913 - a spec, its place, and options
    spec: Spec,
    store: Store,
    path: str,
    layout: Layout,
    *,
    options: Options | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Chunks:
    """The chunks of the array at `path` in `store`.

    >>> from zom import v3
    >>> from zom.hierarchy.stored.layout import V3_LAYOUT
    >>> from zom.stores.memory import MemoryStore
    >>> chunks = array_chunks(v3.ArraySpec.build(shape=(4,), dtype="int8"), MemoryStore(), "a", V3_LAYOUT)
    >>> chunks.prefix, chunks.node, chunks.plan.grid
    ('a/', '/a', (1,))
    """
    plan = array_plan(spec, store, path, layout, limits)
    return Chunks(plan, store, layout.chunk_prefix(path), join(parse_path(path)), options or Options())


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """An array and its place: everything needed to open its chunks, also in another process.

    >>> from zom import v3
    >>> from zom.hierarchy.stored.layout import V3_LAYOUT
    >>> from zom.stores.memory import MemoryStore
    >>> ArrayPlace(v3.ArraySpec.build(shape=(4,), dtype="int8"), MemoryStore(), "a", V3_LAYOUT).open().node
    '/a'
    """

    spec: Spec
    store: Store
    path: str
    layout: Layout
    options: Options = Options()
    limits: Limits = DEFAULT_LIMITS

    def open(self) -> Chunks:
        """The chunks of the array."""
        where = (self.spec, self.store, self.path, self.layout)
        return array_chunks(*where, options=self.options, limits=self.limits)
