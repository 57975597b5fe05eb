"""Templates: what hierarchies of one kind have in common, as documents and as classes.

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

# The names of codecs and data types in a template are looked up when it is made.
parse = Template.parse
"""The template that a document describes; SpecError with every problem where it breaks rules."""
infer = Template.infer
"""The tightest sensible template that all examples fit."""
