"""Hypothesis strategies for JSON: values, attributes, and objects with their members in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["attributes", "json_values", "shuffled"]

_TEXT = st.text(max_size=6)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, "", "NaN", 2**53 + 1])
    | _TEXT
)


def json_values(depth: int = 3) -> SearchStrategy[Any]:
    """JSON values no deeper than `depth`, with finite numbers and valid text.

    >>> json_values(0).filter(lambda value: isinstance(value, dict)).is_empty
    False
    """
    values = _SCALARS
    for _ in range(depth):
        values = _SCALARS | st.lists(values, max_size=3) | st.dictionaries(_TEXT, values, max_size=3)
    return values


def attributes() -> SearchStrategy[dict[str, Any]]:
    """The attributes of a node.

    >>> attributes().is_empty
    False
    """
    names = _TEXT | st.sampled_from(["members", "attributes", "proj:epsg", "a/b", "~"])
    return st.dictionaries(names, json_values(2), max_size=3)


def shuffled(document: dict[str, Any]) -> SearchStrategy[dict[str, Any]]:
    """`document` with its members in any order.

    >>> shuffled({"a": 1, "b": 2}).is_empty
    False
    """
    return st.permutations(list(document.items())).map(dict)
