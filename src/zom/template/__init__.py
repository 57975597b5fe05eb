"""Templates: constraints on hierarchies of one kind, as documents and as classes.

>>> from zom import template, v3
>>> pyramid = template.GroupTemplate(
...     patterns=[template.Pattern(pattern="[0-9]+", template=template.ArrayTemplate(), min_count=1)]
... )
>>> print(*pyramid.check(v3.GroupSpec(members={})))
members: expected at least 1 member like [0-9]+, found none
"""

from zom.errors import SpecError
from zom.template.classes import ArrayClass, GroupClass
from zom.template.models import ArrayTemplate, GroupTemplate, NodeTemplate, Template
from zom.template.parts import Codecs, Names, Pattern, Range, Reference

__all__ = [
    "ArrayClass",
    "ArrayTemplate",
    "Codecs",
    "GroupClass",
    "GroupTemplate",
    "Names",
    "NodeTemplate",
    "Pattern",
    "Range",
    "Reference",
    "SpecError",
    "Template",
    "infer",
    "parse",
]

# Codec and data type names in a template are looked up on construction.
parse = Template.parse
"""Return the template that a document describes, or raise SpecError with every problem."""
infer = Template.infer
"""Return the tightest sensible template that all examples match."""
