"""Values in the words of declarations: a range if possible, or a list if there are few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from zom.declaration.dates import duration, step_words
from zom.declaration.element import UnfitError
from zom.declaration.values import are_same, stated

if TYPE_CHECKING:
    from zom.extension.datatype import DataType

__all__ = ["MOST", "value_words"]

MOST: Final = 1 << 16
"""The most values to consider; longer arrays are skipped."""

_LISTED: Final = 32
"""The most values to list one by one."""


def value_words(values: np.ndarray[Any, Any], kind: DataType) -> Any:
    """Return the declared form of the values of a dimension, or None if there is none.

    >>> import numpy as np
    >>> from zom.extension.resolve import data_type
    >>> value_words(np.arange(0, 100, 5, "i4"), data_type("int32")), value_words(np.array([1.5, 7.0, 8.0]), data_type("float64"))
    ({'start': 0, 'step': 5}, [1.5, 7.0, 8.0])
    """
    if values.ndim != 1 or not 1 < len(values) <= MOST:
        return None
    for words in _candidates(values):
        try:
            made = stated(words, values.shape, kind)
        except UnfitError:
            continue
        if are_same(made, values):
            return words
    return None


def _candidates(values: np.ndarray[Any, Any]) -> list[Any]:
    if values.dtype.kind == "M":
        return _date_candidates(values)
    listed = values.tolist()
    found: list[Any] = []
    if values.dtype.kind in "iuf":
        first, second, last = listed[0], listed[1], listed[-1]
        found = [{"start": first, "step": second - first}, {"start": first, "stop": last}]
    if len(listed) <= _LISTED and values.dtype.kind in "iufbTUO":
        found.append(listed)
    return found


def _date_candidates(values: np.ndarray[Any, Any]) -> list[Any]:
    """Return ranges by duration and by months, and a list of the dates if there are few."""
    texts = [str(each) for each in values[:_LISTED]]
    found: list[Any] = []
    if "NaT" not in texts[:2]:
        months = np.diff(values[:2].astype("M8[M]")).astype(np.int64).tolist()
        found = [
            {"start": texts[0], "step": step}
            for step in (step_words(values[1] - values[0]), duration(months[0], "month"))
            if step is not None
        ]
    return [*found, texts] if len(values) <= _LISTED else found
