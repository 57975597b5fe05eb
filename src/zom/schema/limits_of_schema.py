"""The limits of JSON Schema: the rules that zom checks and no schema can.

The list is made from the rules themselves. A document that the validation flavour accepts breaks no rule
with `schema`; the list has all other rules that are errors at the level "strict", by format. A validator
in any language can show its users what it leaves unchecked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

from zom.extension.codec import codecs
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings
from zom.formats import v2_chain as chain_v2
from zom.formats import v2_rules, v3_rules
from zom.json import read
from zom.model import assembly
from zom.problems import rule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zom.extension.datatype import Format
    from zom.problems import Rule

__all__ = ["Inexpressible", "not_expressible"]

PRECISION = rule(
    "json/number-precision",
    "integers beyond 2^53 are compared exactly; a validator that reads numbers as doubles rounds them",
    source="RFC 8259, section 6; ECMA-262, the Number type",
    lenient=None,
    strict=None,
    closed=None,
)

_KINDS: Final[dict[str, frozenset[str]]] = {
    "v3": frozenset(
        {"v3", "definition", "data-type", "chunk-grid", "chunk-key-encoding", "codec", "fill-value"}
    ),
    "v2": frozenset({"v2", "data-type", "codec", "fill-value"}),
    "draft": frozenset({"draft", "data-type", "codec", "fill-value"}),
}
_ALL: Final = frozenset({"json", "tree", "path"})
# Rules of Python values, conversions and flat mappings of paths, not of documents.
_NOT_OF_DOCUMENTS: Final = frozenset(
    {"fill-value/cast", "data-type/conversion", "tree/below-array", "tree/flat-group", "tree/twice"}
)
_OF_OTHERS: Final[dict[str, tuple[str, ...]]] = {"v3": ("codec/v2-",), "v2": (), "draft": ("codec/v2-",)}

_CHECKED_BY = (read, assembly, chain_v2, v2_rules, v3_rules)
"""Modules that register rules when imported."""


class Inexpressible(TypedDict):
    """A rule that a schema doesn't check."""

    code: str
    text: str
    source: str


def not_expressible(form: Format) -> list[Inexpressible]:
    """Return the rules for documents of `form` that JSON Schema can't express, by code.

    >>> [entry["code"] for entry in not_expressible("v3") if entry["code"].startswith("v3/")]
    ['v3/dimension-names-length', 'v3/shape-length']
    """
    return [{"code": each.code, "text": each.text, "source": each.source} for each in _rules(form)]


def _rules(form: Format) -> Iterator[Rule]:
    # Extensions register their rules when they are registered.
    for registry in (codecs, data_types, chunk_grids, chunk_key_encodings):
        registry.names()
    for code, each in rules().items():
        kind = code.partition("/")[0]
        relevant = kind in _KINDS[form] | _ALL and not code.startswith(_OF_OTHERS[form] or ("\0",))
        unchecked = not each.schema and each.strict == "error"
        if each is PRECISION or (relevant and unchecked and code not in _NOT_OF_DOCUMENTS):
            yield each
