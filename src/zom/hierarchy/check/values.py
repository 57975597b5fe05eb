"""Values of arrays for rules that ask for them: coordinates, bounds, flags, indexes, codes; of large ones, in blocks.

Data that can't be decoded is a finding. A store that can't be read is a StoreError, as everywhere.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final

from zom.checks.check import UnreadValues
from zom.engine.indexing import read_selection
from zom.engine.selection import basic_or_numpy
from zom.errors import NotFound, SpecError, StoreError, ZomError
from zom.hierarchy.check.chunk_rules import UNREADABLE_VALUES
from zom.hierarchy.stored.array_chunks import array_chunks
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open import read_node
from zom.hierarchy.stored.other_separator import is_looked_for, stored_otherwise
from zom.json.python_value import is_dict, is_list
from zom.model.construction import outside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.conventions.framework.judgement import Judgement
    from zom.engine.chunks import Chunks
    from zom.formats.node_view import Node as View
    from zom.hierarchy.stored.lookup import FormatName
    from zom.limits import Limits
    from zom.stores.interface import Store

__all__ = ["Values"]

BLOCK: Final = 1 << 20
"""How many values are read at once, where chunks are no larger."""


class Values:
    """What reads the values of the arrays below a node of a store.

    >>> import zom
    >>> from zom.conventions.framework.judgement import Judgement
    >>> from zom.formats.node_view import spec_tree
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> array[:] = [1, 2, 3]
    >>> Values(array.store, "", "v3", Judgement("text"), zom.Limits()).read(spec_tree(array.spec)).tolist()
    [1, 2, 3]
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

    def read(self, node: View) -> Any:
        """All values of the array; None where they can't be decoded, and the judgement says so."""
        try:
            chunks = self._opened(node)
            return None if chunks is None else read_selection(chunks, basic_or_numpy(..., chunks.plan.shape))
        except StoreError:
            raise
        except ZomError as error:
            self._note(node, error)
            return None

    def blocks(self, node: View) -> Iterator[tuple[tuple[int, ...], Any]]:
        """The values of the array block by block, each with where it begins; UnreadValues where one can't be decoded."""
        try:
            chunks = self._opened(node)
            if chunks is None:
                raise UnreadValues
            shape = chunks.plan.shape
            sizes = _block_shape(shape, _chunk_shape(node) or (1,) * len(shape))
            for start in product(
                *(range(0, length, size) for length, size in zip(shape, sizes, strict=True))
            ):
                ends = zip(start, sizes, shape, strict=True)
                key = tuple(slice(first, min(first + size, length)) for first, size, length in ends)
                yield start, read_selection(chunks, basic_or_numpy(key, shape))
        except StoreError:
            raise
        except ZomError as error:
            self._note(node, error)
            raise UnreadValues from error

    def _note(self, node: View, error: ZomError) -> None:
        """Say once why the values can't be read: several rules may ask for them."""
        if node.path not in self._told:
            self._told.add(node.path)
            text = " ".join(str(error).split())
            self._judgement.say(UNREADABLE_VALUES, node, (), "values that can be read", text)

    def _opened(self, node: View) -> Chunks | None:
        """The chunks of the array; None where its document is at fault, of which is told already."""
        path = f"{self._path}{node.path}".strip("/")
        try:
            found = read_node(self._store, path, form=self._form, limits=self._limits)
        except SpecError:
            return None
        if found.spec.kind != "array":
            raise NotFound(f"{found.store.url}: expected an array at {found.path}, found a group")
        chunks = array_chunks(found.spec, found.store, found.path, found.layout, limits=self._limits)
        if node.path not in self._opened_once:
            self._opened_once.add(node.path)
            told = stored_otherwise(chunks, found.layout) if is_looked_for(chunks, found.layout) else None
            warn(found.store.url, (*found.warned, *([told] if told else [])), None, outside())
        return chunks


def _chunk_shape(node: View) -> tuple[int, ...] | None:
    """The shape of what is read at once: of chunks, of those inside of shards."""
    codecs: Any = node.document.get("codecs")
    first: Any = codecs[0] if is_list(codecs) and codecs else None
    inner: Any = (
        first.get("configuration") if is_dict(first) and first.get("name") == "sharding_indexed" else None
    )
    shape: Any = inner.get("chunk_shape") if is_dict(inner) else None
    return tuple(shape) if is_list(shape) else node.chunks


def _block_shape(shape: tuple[int, ...], chunk: tuple[int, ...]) -> tuple[int, ...]:
    """Whole chunks, as many as make a block, the last dimensions first.

    >>> _block_shape((10_000, 4000, 1000), (10, 100, 1000)), _block_shape((1 << 30,), (1 << 10,))
    ((10, 100, 1000), (1048576,))
    """
    sizes = [max(1, min(size, length)) for size, length in zip(chunk, shape, strict=True)]
    for place in range(len(shape) - 1, -1, -1):
        room = BLOCK // max(1, prod(sizes))
        if room > 1:
            sizes[place] = max(1, min(sizes[place] * room, shape[place]))
    return tuple(sizes)
