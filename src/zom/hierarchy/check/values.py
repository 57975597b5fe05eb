"""Values of arrays for rules: coordinates, bounds, flags, indexes, codes; of large arrays, block by block.

Data that can't be decoded is a finding. A store that can't be read is a StoreError, as everywhere.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import UnreadValues
from zom.engine.indexing import read_selection
from zom.engine.selection import basic_or_numpy
from zom.errors import NotFound, SpecError, StoreError, ZomError
from zom.formats.resolve import resolve
from zom.hierarchy.check.chunk_rules import UNREADABLE_VALUES
from zom.hierarchy.stored.array_chunks import array_chunks
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open import read_node
from zom.hierarchy.stored.other_separator import is_looked_for, stored_otherwise
from zom.model.construction import outside

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from zom.conventions.framework.judgement import Judgement
    from zom.engine.chunks import Chunks
    from zom.formats.node_view import Node as View
    from zom.hierarchy.stored.lookup import FormatName
    from zom.limits import Limits
    from zom.stores.interface import Store

__all__ = ["Values"]

Block = tuple[tuple[int, ...], Any]
"""The index where the values begin, and the values."""

BLOCK: Final = 1 << 20
"""The number of values read at once, unless chunks are larger."""
SMALL: Final = 1 << 20
"""The maximum size in bytes of an array whose values are kept in memory."""
REMEMBERED: Final = 1 << 24
"""The total size in bytes of all values kept in memory."""


class Values:
    """Reads the values of the arrays below a node of a store.

    >>> import zom
    >>> from zom.conventions.framework.judgement import Judgement
    >>> from zom.formats.node_view import spec_tree
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> array[:] = [1, 2, 3]
    >>> values = Values(array.store, "", "v3", Judgement("text"), zom.Limits())
    >>> [(start, block.tolist()) for start, block in values.blocks(spec_tree(array.spec))]
    [((0,), [1, 2, 3])]
    """

    def __init__(
        self, store: Store, path: str, form: FormatName, judgement: Judgement, limits: Limits
    ) -> None:
        self._store = store
        self._path = path.strip("/")
        self._form: FormatName = form
        self._judgement = judgement
        self._limits = limits
        self._told = set[str]()
        self._opened_once = set[str]()
        self._small: dict[str, Block] = {}
        self._room = REMEMBERED
        self._kept: tuple[str, Chunks | None] = ("", None)

    def blocks(self, node: View) -> Iterator[Block]:
        """The array's values, block by block, each with its start; UnreadValues if one can't be decoded."""
        known = self._small.get(node.path)
        if known is not None:
            yield known
            return
        with self._noting(node):
            chunks, sizes = self._opened(node)
            shape = chunks.plan.shape
            for start in product(
                *(range(0, length, size) for length, size in zip(shape, sizes, strict=True))
            ):
                block = start, _read(chunks, start, sizes)
                if sizes == shape:
                    self._remember(node, block)
                yield block

    def part(self, node: View, start: tuple[int, ...], shape: tuple[int, ...]) -> Any:
        """`shape` values of the array from `start` on; UnreadValues if they can't be decoded."""
        known = self._small.get(node.path)
        if known is not None:
            return known[1][_key(start, shape, known[1].shape)]
        with self._noting(node):
            path, chunks = self._kept
            if path != node.path or chunks is None:
                chunks, _ = self._opened(node)
                self._kept = node.path, chunks
            return _read(chunks, start, shape)

    @contextmanager
    def _noting(self, node: View) -> Generator[None]:
        """Report that values can't be decoded, and raise UnreadValues."""
        try:
            yield
        except StoreError:
            raise
        except ZomError as error:
            self._note(node, error)
            raise UnreadValues from error

    def _remember(self, node: View, block: Block) -> None:
        """Keep all values of a small array, because several rules read those of a coordinate."""
        values = block[1]
        if values.nbytes <= min(SMALL, self._room):
            self._room -= values.nbytes
            values.flags.writeable = False
            self._small[node.path] = block

    def _note(self, node: View, error: ZomError) -> None:
        """Report once why the values can't be read, because several rules may request them."""
        if node.path not in self._told:
            self._told.add(node.path)
            text = " ".join(str(error).split())
            self._judgement.say(UNREADABLE_VALUES, node, (), "values that can be read", text)

    def _opened(self, node: View) -> tuple[Chunks, tuple[int, ...]]:
        """The chunks of the array, and the shape of its blocks; UnreadValues if its document is invalid."""
        path = f"{self._path}{node.path}".strip("/")
        try:
            found = read_node(self._store, path, form=self._form, limits=self._limits)
        except SpecError as error:
            raise UnreadValues from error
        if found.spec.kind != "array":
            raise NotFound(f"{found.store.url}: expected an array at {found.path}, found a group")
        chunks = array_chunks(found.spec, found.store, found.path, found.layout, limits=self._limits)
        if node.path not in self._opened_once:
            self._opened_once.add(node.path)
            told = stored_otherwise(chunks, found.layout) if is_looked_for(chunks, found.layout) else None
            warn(found.store.url, (*found.warned, *([told] if told else [])), None, outside())
        lengths = resolve(found.spec).chunks or ((1,),) * len(chunks.plan.shape)
        return chunks, _block_shape(chunks.plan.shape, tuple(map(max, lengths)))


def _key(start: tuple[int, ...], sizes: tuple[int, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
    ends = zip(start, sizes, shape, strict=True)
    return tuple(slice(first, min(first + size, length)) for first, size, length in ends)


def _read(chunks: Chunks, start: tuple[int, ...], sizes: tuple[int, ...]) -> Any:
    shape = chunks.plan.shape
    return read_selection(chunks, basic_or_numpy(_key(start, sizes, shape), shape))


def _block_shape(shape: tuple[int, ...], chunk: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a block: as many whole chunks as fit, filling the last dimensions first.

    >>> _block_shape((10_000, 4000, 1000), (10, 100, 1000)), _block_shape((1 << 30,), (1 << 10,))
    ((10, 100, 1000), (1048576,))
    """
    sizes = [max(1, min(size, length)) for size, length in zip(chunk, shape, strict=True)]
    for place in range(len(shape) - 1, -1, -1):
        room = BLOCK // max(1, prod(sizes))
        if room > 1:
            sizes[place] = max(1, min(sizes[place] * room, shape[place]))
    return tuple(sizes)
