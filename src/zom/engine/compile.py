"""From a spec of any format to a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.engine.compile_draft import compile_draft
from zom.engine.compile_v2 import compile_v2
from zom.engine.compile_v3 import compile_v3
from zom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.engine.plan import ArrayPlan
    from zom.limits import Limits
    from zom.model.datatype import Format
    from zom.model.spec import Spec

__all__ = ["compile_plan"]

_COMPILERS: dict[Format, Callable[[Spec, Limits], ArrayPlan]] = {
    "v2": compile_v2,
    "v3": compile_v3,
    "draft": compile_draft,
}


def compile_plan(spec: Spec, limits: Limits = DEFAULT_LIMITS) -> ArrayPlan:
    """The plan of the array that `spec` describes.

    A data type, chunk grid or key encoding that nobody has registered is an `UnknownName`; a codec is
    one only when a chunk is touched.

    >>> from zom import v2
    >>> plan = compile_plan(v2.ArraySpec.build(shape=(4, 6), dtype=">i2", chunks=(2, 3)))
    >>> plan.keys.key((1, 0)), plan.dtype
    ('1.0', dtype('>i2'))
    """
    return _COMPILERS[spec.family.form](spec, limits)
