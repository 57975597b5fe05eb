"""From a spec of any format to a plan.

Most arrays of a hierarchy differ in their attributes only, and are opened again and again: a plan, with the
codecs that were bound for it, is remembered by what it was made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zom.engine.compile_draft import compile_draft
from zom.engine.compile_v2 import compile_v2
from zom.engine.compile_v3 import compile_v3
from zom.extension.memo import Memo
from zom.json.value import exact_text
from zom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from zom.engine.plan import ArrayPlan
    from zom.extension.datatype import Format
    from zom.limits import Limits
    from zom.model.spec import Spec

__all__ = ["compile_plan"]

_COMPILERS: dict[Format, Callable[[Spec, Limits], ArrayPlan]] = {
    "v2": compile_v2,
    "v3": compile_v3,
    "draft": compile_draft,
}

# In 2021 the draft's attributes held the filters: they are left out only where that can't be.
_UNSEEN = frozenset({"attributes", "dimension_names"})

_plans: Memo[ArrayPlan] = Memo(1024)


def compile_plan(spec: Spec, limits: Limits = DEFAULT_LIMITS) -> ArrayPlan:
    """The plan of the array that `spec` describes.

    A data type, chunk grid or key encoding that nobody has registered is an `UnknownName`; a codec is
    one only when a chunk is touched.

    >>> from zom import v2
    >>> plan = compile_plan(v2.ArraySpec.build(shape=(4, 6), dtype=">i2", chunks=(2, 3)))
    >>> plan.keys.key((1, 0)), plan.dtype
    ('1.0', dtype('>i2'))
    """
    form, document = spec.family.form, spec.document
    filtered = form == "draft" and "filters" in document.get("attributes", ())
    seen = document if filtered else {name: document[name] for name in document if name not in _UNSEEN}
    key = (form, exact_text(seen), limits.chunk_bytes)
    return _plans.get(key, lambda: _COMPILERS[form](spec, limits))
