"""Values of arrays for rules that ask for them: coordinates, indexes, codes; read once, and only where they are few.

Data that can't be decoded is a finding. A store that can't be read is a StoreError, as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.engine.indexing import read_selection
from zom.engine.selection import basic_or_numpy
from zom.errors import NotFound, SpecError, StoreError, ZomError
from zom.hierarchy.check.chunk_rules import UNREADABLE_VALUES
from zom.hierarchy.stored.array_chunks import array_chunks
from zom.hierarchy.stored.findings import warn
from zom.hierarchy.stored.open import read_node
from zom.hierarchy.stored.other_separator import is_looked_for, stored_otherwise
from zom.model.construction import outside

if TYPE_CHECKING:
    from zom.conventions.framework.judgement import Judgement
    from zom.formats.node_view import Node as View
    from zom.hierarchy.stored.lookup import FormatName
    from zom.hierarchy.stored.tree import StoredTree
    from zom.limits import Limits
    from zom.stores.interface import Store

__all__ = ["Values"]


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

    def read(self, node: View) -> Any:
        """All values of the array; None where they can't be decoded, and the judgement says so."""
        path = f"{self._path}{node.path}".strip("/")
        try:
            return self._values(read_node(self._store, path, form=self._form, limits=self._limits))
        except SpecError:
            return None  # of its document is told already
        except StoreError:
            raise
        except ZomError as error:
            text = " ".join(str(error).split())
            self._judgement.say(UNREADABLE_VALUES, node, (), "values that can be read", text)
            return None

    def _values(self, node: StoredTree) -> Any:
        if node.spec.kind != "array":
            raise NotFound(f"{node.store.url}: expected an array at {node.path}, found a group")
        chunks = array_chunks(node.spec, node.store, node.path, node.layout, limits=self._limits)
        values = read_selection(chunks, basic_or_numpy(..., chunks.plan.shape))
        told = stored_otherwise(chunks, node.layout) if is_looked_for(chunks, node.layout) else None
        warn(node.store.url, (*node.warned, *([told] if told else [])), None, outside())
        return values
