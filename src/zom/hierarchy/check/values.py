"""Values of arrays for rules that ask for them: coordinates, indexes, codes; read once, and only where they are few.

Data that can't be decoded is a finding. A store that can't be read is a StoreError, as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.errors import SpecError, StoreError, ZomError
from zom.handles.handles import open_array
from zom.problems import rule

if TYPE_CHECKING:
    from zom.conventions.framework.judgement import Judgement
    from zom.conventions.framework.view import Node
    from zom.hierarchy.stored.lookup import Form
    from zom.limits import Limits
    from zom.stores.interface import Store

__all__ = ["Values"]

UNREADABLE = rule(
    "convention/unreadable-values",
    "the values that rules of conventions ask for can be read",
    source="what was asked for",
)


class Values:
    """What reads the values of the arrays below a node of a store.

    >>> import zom
    >>> from zom.conventions.framework.judgement import Judgement
    >>> from zom.conventions.framework.view import spec_tree
    >>> array = zom.create_array("memory:", zom.v3.ArraySpec.build(shape=(3,), dtype="int8"))
    >>> array[:] = [1, 2, 3]
    >>> Values(array.store, "", "v3", Judgement("text"), zom.Limits()).read(spec_tree(array.spec)).tolist()
    [1, 2, 3]
    """

    def __init__(self, store: Store, path: str, form: Form, judgement: Judgement, limits: Limits) -> None:
        self._store = store
        self._path = path.strip("/")
        self._form: Form = form
        self._judgement = judgement
        self._limits = limits

    def read(self, node: Node) -> Any:
        """All values of the array; None where they can't be decoded, and the judgement says so."""
        path = f"{self._path}{node.path}".strip("/")
        try:
            array = open_array(self._store, path, form=self._form, limits=self._limits)
            return array[...]
        except SpecError:
            return None  # of its document is told already
        except StoreError:
            raise
        except ZomError as error:
            text = " ".join(str(error).split())
            self._judgement.say(UNREADABLE, node, (), "values that can be read", text)
            return None
