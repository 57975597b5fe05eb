"""zom: Zarr hierarchies as documents, declared, checked and compared.

A **spec** says what a hierarchy is: `zom.v3`, `zom.v2` and `zom.draft` each have an `ArraySpec` and a
`GroupSpec` with `members`.

>>> import zom
>>> from zom import v3
>>> spec = v3.GroupSpec(members={"t": v3.ArraySpec.build(shape=(48,), dtype="int64")})
>>> [path for path, node in spec.walk()]
['/', '/t']
"""

from zom import chunk_keys as _chunk_keys
from zom import codecs as _codecs
from zom import draft, v2, v3
from zom import dtypes as _dtypes
from zom import grids as _grids
from zom.errors import (
    ConversionError,
    ExtensionError,
    NotFound,
    PathError,
    SpecError,
    SpecWarning,
    UnknownName,
    ZomError,
)
from zom.limits import Limits
from zom.model.assembly import ABSENT
from zom.model.build import AUTO
from zom.model.compare import Change, Difference, diff, like
from zom.model.hierarchy import check, parse
from zom.model.plugins import load_extensions
from zom.model.resolve import data_type
from zom.model.tree import unflatten
from zom.problems import Problem, Rule, rules

del _chunk_keys, _codecs, _dtypes, _grids

__version__ = "0.1.0"

__all__ = [
    "ABSENT",
    "AUTO",
    "Change",
    "ConversionError",
    "Difference",
    "ExtensionError",
    "Limits",
    "NotFound",
    "PathError",
    "Problem",
    "Rule",
    "SpecError",
    "SpecWarning",
    "UnknownName",
    "ZomError",
    "check",
    "data_type",
    "diff",
    "draft",
    "like",
    "load_extensions",
    "parse",
    "rules",
    "unflatten",
    "v2",
    "v3",
]
