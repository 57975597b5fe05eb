"""Conventions: what communities agreed on above Zarr, checked on whole hierarchies.

Declare a convention in a few lines: models of the attributes that it owns, and rules, which are data.

>>> from zom.conventions import Attributes, Convention, CheckedRule, ref
>>> class See(Attributes):
...     see: str | None = None
>>> convention = Convention("see", attributes=See, rules=[
...     CheckedRule("there", ref("see", kind="array"), must="see names an array of this group")])
>>> from zom import v3, validate
>>> [problem.code for problem in validate(v3.GroupSpec(attributes={"see": "t"}, members={}), conventions=[convention])]
['see/there']

`zom.conventions.xarray` and the other modules here are the conventions that come with zom. Some have helpers
for building hierarchies.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from zom.checks.check import Breach, Check, Site, Skip, Value, of_document, python
from zom.checks.checked_rule import (
    CheckedRule,
    above,
    at_root,
    has,
    is_a,
    is_like,
    is_value,
    lacks,
    schema,
)
from zom.checks.dimensions import shared_dims
from zom.checks.references import (
    ref,
    ref_dims,
    ref_dtype,
    ref_has,
    ref_ndim,
    ref_order,
    words,
)
from zom.checks.tree import (
    member,
    node_kind,
    same_everywhere,
    zarr_format,
)
from zom.checks.values import (
    any_of,
    between,
    count,
    equals,
    forbidden,
    json_type,
    length,
    member_of,
    one_of,
    pattern,
    required,
    sequence,
    unique,
)
from zom.conventions.framework.attributes import Attributes, Part
from zom.conventions.framework.convention import Convention
from zom.conventions.framework.explanation import Example, Explanation
from zom.conventions.framework.registered import conventions, register
from zom.conventions.framework.rulebook import read_rulebook
from zom.conventions.report import Found, Report, RuleCount
from zom.formats.node_view import Node

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "Attributes",
    "Breach",
    "Check",
    "CheckedRule",
    "Convention",
    "Example",
    "Explanation",
    "Found",
    "Node",
    "Part",
    "Report",
    "RuleCount",
    "Site",
    "Skip",
    "Value",
    "above",
    "any_of",
    "at_root",
    "between",
    "conventions",
    "count",
    "equals",
    "forbidden",
    "has",
    "is_a",
    "is_like",
    "is_value",
    "json_type",
    "lacks",
    "length",
    "member",
    "member_of",
    "node_kind",
    "of_document",
    "one_of",
    "pattern",
    "python",
    "read_rulebook",
    "ref",
    "ref_dims",
    "ref_dtype",
    "ref_has",
    "ref_ndim",
    "ref_order",
    "register",
    "required",
    "same_everywhere",
    "schema",
    "sequence",
    "shared_dims",
    "unique",
    "words",
    "zarr_format",
]


def __getattr__(name: str) -> ModuleType:
    """Import a module of this package on first access."""
    if name.startswith("_") or name not in {module.name for module in iter_modules(__path__)}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
    return import_module(f"{__name__}.{name}")
