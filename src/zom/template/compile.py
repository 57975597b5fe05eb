"""Compile templates to checked rules, like those of conventions.

Each template is compiled once, and again only if extensions have been registered since.
"""

from __future__ import annotations

import re
import weakref
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast, get_args

from zom.checks import arrays, members
from zom.checks.arrays import Bounds
from zom.checks.checked_rule import CheckedRule
from zom.checks.dimensions import one_length
from zom.checks.json_schema import fulfils, validator_of
from zom.checks.members import Membership, NamePattern
from zom.checks.paths import PathReference, known_paths, paths_lead, pointer_steps
from zom.checks.selector import Selector
from zom.checks.tree import node_kind
from zom.checks.values import json_type, required
from zom.extension.registry import revision
from zom.formats.resolve import canonical_codec_name
from zom.json.types import TYPE_WORDS
from zom.problems import Level, one_of_words, rule, show, split_pointer
from zom.template.attributes import is_shorthand, types_in
from zom.template.parts import KINDS, Codecs, Names, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping

    from zom.checks.check import Check
    from zom.problems import Severity
    from zom.template.models import ArrayTemplate, GroupTemplate, NodeTemplate, Template
    from zom.template.parts import Pattern, Reference

__all__ = ["CompiledTemplate", "compile_template", "one_length_rule"]

_Maker: TypeAlias = "Callable[[Check], CheckedRule]"


def _stated(code: str, text: str, severity: Severity = "error", *, schema: bool = False) -> _Maker:
    """Register a rule of templates; return a function that makes a checked rule from a check."""
    levels: Any = dict.fromkeys(get_args(Level), severity)
    rule(code, text, source="the template", schema=schema, **levels)
    if severity == "error":
        return lambda check: CheckedRule(code, check, must=text)
    return lambda check: CheckedRule(code, check, should=text)


NODE_TYPE = _stated(
    "template/node-type", "a node is an array or a group, as its template requires", schema=True
)
ATTRIBUTE = _stated(
    "template/attribute",
    "a node has the attributes that its template requires, with the required types",
    schema=True,
)
FITS = _stated("template/attributes-schema", "attributes match the JSON Schema of the template", schema=True)
DANGLING = _stated(
    "template/dangling-reference",
    "a path in attributes that refers to a node leads to a node of the required kind",
)
UNKNOWN_REFERENCE = _stated(
    "template/unknown-reference",
    "the members along a path in attributes are known, so that it can be followed",
    "warning",
)
MISSING = _stated(
    "template/missing-member", "a group has the members that its template requires", schema=True
)
UNEXPECTED = _stated(
    "template/unexpected-member",
    "a closed group has only members that its template names",
    schema=True,
)
COUNT = _stated(
    "template/member-count", "a group has the number of members per pattern that its template requires"
)
UNKNOWN_MEMBERS = _stated(
    "template/unknown-members", "the members of a group are known, so that they can be checked", "warning"
)
SAME_LENGTH = _stated(
    "template/same-length", "dimensions of one name have one length in all arrays below a group"
)
SAME = _stated("template/same", "members that match one pattern share the facts that the template names")
RANK = _stated("template/rank", "an array has the number of dimensions that its template requires")
NAMES = _stated("template/dimension-names", "an array has the dimension names that its template requires")
DTYPE = _stated("template/dtype", "an array's data type is one that its template allows")
SHAPE = _stated("template/shape", "an array has lengths that its template allows")
CHUNKS = _stated("template/chunks", "chunks have lengths that the template allows")
SHARDS = _stated("template/shards", "shards have lengths that the template allows")
SHARDED = _stated("template/sharded", "an array has shards, or none, as its template requires")
CODECS = _stated("template/codecs", "an array has the codecs that its template allows and requires")
FILL = _stated("template/fill-value", "the fill value is the template's, bit for bit")
UNKNOWN_LAYOUT = _stated(
    "template/unknown-layout",
    "the chunks and shards of an array are known, so that they can be checked",
    "warning",
)

# v2 has no `bytes`, and shards have their own bounds.
_ALWAYS: Final = frozenset({"bytes", "sharding_indexed"})
_TYPE_WORDS: Final = {**TYPE_WORDS, "any": "any value"}


class CompiledTemplate(NamedTuple):
    """The rules of a template for a node; templates of descendants are compiled on demand."""

    kind: tuple[CheckedRule, ...]
    """The rule on the kind of the node, if any; if a node breaks it, no other rule applies."""
    rules: tuple[CheckedRule, ...]
    array_rules: tuple[CheckedRule, ...]
    """The rules that depend only on an array's encoding, shape and names."""
    fitting: set[Hashable]
    """The kinds of nodes, and the combinations of encoding, shape and names, that break none of these."""
    either: Mapping[str, Template | None] = {}
    """Additional templates by the kind of the node."""
    membership: Membership | None = None
    named: Mapping[str, Template] = {}
    claimed: tuple[Template | None, ...] = ()
    """The template of the members that each pattern claims."""
    one_length: Literal[True] | frozenset[str] | None = None
    """The dimensions that have one length in all arrays below; True for all dimensions."""


_compiled: Final[dict[int, tuple[weakref.ref[Template], int, CompiledTemplate]]] = {}


def compile_template(template: Template) -> CompiledTemplate:
    """Return the rules of a template, which are cached.

    >>> from zom.template.models import ArrayTemplate
    >>> cube = ArrayTemplate(rank=2, attributes={"units": "string"})
    >>> [(rule.id, rule.check.name) for rule in compile_template(cube).rules]
    [('template/attribute', 'required'), ('template/attribute', 'json_type')]
    """
    key = id(template)
    known = _compiled.get(key)
    if known is not None and known[0]() is template and known[1] == revision():
        return known[2]
    now = revision()  # read before compiling: another thread may register something meanwhile
    made: CompiledTemplate = _MAKERS[template.node_type](template)
    forget = _compiled.pop  # at interpreter exit, the module's names are deleted before some templates
    _compiled[key] = (weakref.ref(template, lambda _: forget(key, None)), now, made)
    return made


_ARRAY: Final = (NODE_TYPE(node_kind("array")),)
_GROUP: Final = (NODE_TYPE(node_kind("group")),)


@lru_cache(maxsize=256)
def one_length_rule(names: frozenset[str] | None, but: frozenset[str]) -> CheckedRule:
    """Return the rule that equally named dimensions have one length: all except `but`, or only `names`.

    >>> one_length_rule(None, frozenset()).id
    'template/same-length'
    """
    return SAME_LENGTH(one_length(names, but))


# --- any node ----------------------------------------------------------------------------------------


def _node_rules(template: Template) -> Iterator[CheckedRule]:
    """Yield the rules on attributes and on references in them."""
    given: Mapping[str, Any] | None = template.attributes
    if given is not None and is_shorthand(given):
        for name, text in given.items():
            yield from _attribute_rules(name, text)
    elif given is not None:
        yield FITS(fulfils(validator_of(given)))
    for each in cast("tuple[Reference, ...]", template.references):
        kind: Any = None if each.kind == "any" else each.kind
        steps = pointer_steps(split_pointer(each.attribute))
        reference = PathReference(steps, each.relative_to, kind, each.split)
        yield DANGLING(paths_lead(reference))
        yield UNKNOWN_REFERENCE(known_paths(reference))


def _attribute_rules(name: str, text: str) -> Iterator[CheckedRule]:
    types, is_optional = cast("tuple[tuple[str, ...], bool]", types_in(text))
    place = Selector.of_key(name)
    if not is_optional:
        words = one_of_words([_TYPE_WORDS[each] for each in types])
        yield ATTRIBUTE(required(place, expected=f"an attribute that is {words}"))
    if "any" not in types:
        yield ATTRIBUTE(json_type(list(types), at=place))


def _compile_either(template: NodeTemplate) -> CompiledTemplate:
    either = {
        "array": cast("Template | None", template.array),
        "group": cast("Template | None", template.group),
    }
    return CompiledTemplate((), tuple(_node_rules(template)), (), set(), either)


# --- groups ------------------------------------------------------------------------------------------


def _compile_group(template: GroupTemplate) -> CompiledTemplate:
    named = cast("Mapping[str, Template]", template.members)
    patterns = cast("tuple[Pattern, ...]", template.patterns)
    membership = Membership(
        named,
        tuple(name for name in named if name not in template.optional),
        tuple(
            NamePattern(re.compile(each.pattern, re.ASCII), each.min_count, each.max_count)
            for each in patterns
        ),
        template.open,
    )
    same = template.same_length
    return CompiledTemplate(
        _GROUP,
        (*_node_rules(template), *_member_rules(template, membership, patterns)),
        (),
        set(),
        {},
        membership,
        named,
        tuple(cast("Template | None", each.template) for each in patterns),
        (same or None) if isinstance(same, bool) else frozenset(same),
    )


def _member_rules(
    template: GroupTemplate, membership: Membership, patterns: tuple[Pattern, ...]
) -> Iterator[CheckedRule]:
    if template.members or patterns or not template.open or template.same_length:
        yield UNKNOWN_MEMBERS(members.known_members())
    if membership.required:
        yield MISSING(members.required_members(membership))
    if not template.open:
        yield UNEXPECTED(members.no_other_members(membership))
    if any(each.min_count or each.max_count is not None for each in patterns):
        yield COUNT(members.claimed_members(membership))
    for place, pattern in enumerate(patterns):
        for fact in pattern.same:
            yield SAME(members.alike_members(membership, place, fact))


# --- arrays ------------------------------------------------------------------------------------------


def _compile_array(template: ArrayTemplate) -> CompiledTemplate:
    rules = (*_dimension_rules(template), *_layout_rules(template), *_codec_rules(template))
    return CompiledTemplate(_ARRAY, tuple(_node_rules(template)), rules, set())


def _dimension_rules(template: ArrayTemplate) -> Iterator[CheckedRule]:
    rank = None if template.rank is None else _bounds(template.rank)
    if rank is not None:
        yield RANK(arrays.rank(rank))
    names: Any = template.dimension_names
    if isinstance(names, Names):
        yield NAMES(arrays.required_names(tuple(names.required)))
    elif names is not None:
        yield NAMES(arrays.dimension_names(names, rank))
    if template.dtype is not None:
        allowed = (template.dtype,) if isinstance(template.dtype, str) else template.dtype
        kinds = frozenset(allowed) & frozenset(KINDS)
        told = [f"a data type of kind {name}" if name in kinds else show(name) for name in allowed]
        yield DTYPE(arrays.data_type(kinds, frozenset(allowed) - kinds, one_of_words(told)))
    if template.shape:
        yield SHAPE(arrays.lengths(_all_bounds(template.shape)))


def _layout_rules(template: ArrayTemplate) -> Iterator[CheckedRule]:
    if template.chunks:
        yield UNKNOWN_LAYOUT(arrays.known_chunks(tuple(map(str, template.chunks))))
        yield CHUNKS(arrays.chunk_lengths(_all_bounds(template.chunks)))
    if template.shards or template.sharded is not None:
        yield UNKNOWN_LAYOUT(arrays.known_shards(with_lengths=bool(template.shards)))
        yield SHARDED(arrays.has_shards(wanted=template.sharded is not False))
    if template.shards:
        yield SHARDS(arrays.shard_lengths(_all_bounds(template.shards)))


def _codec_rules(template: ArrayTemplate) -> Iterator[CheckedRule]:
    given: Any = template.codecs
    allowed, needed = (given.allowed, given.required) if isinstance(given, Codecs) else (given, ())
    if allowed is not None:
        words = f"only the codecs {', '.join(allowed)}" if allowed else "no codec"
        names = frozenset(_canonical(allowed).values()) | _ALWAYS
        yield CODECS(arrays.codecs_allowed(names, words))
    if needed:
        yield CODECS(arrays.codecs_required(_canonical(needed)))
    if "fill_value" in template.model_fields_set:
        yield FILL(arrays.fill_value(template.fill_value))


def _canonical(names: Collection[str]) -> dict[str, str]:
    return {name: canonical_codec_name(name) or name for name in names}


def _bounds(extent: Any) -> Bounds:
    if isinstance(extent, Range):
        return Bounds((), extent.min, extent.max, extent.multiple_of)
    return Bounds((extent,) if isinstance(extent, int) else tuple(extent))


def _all_bounds(extents: Mapping[Any, Any]) -> dict[str, Bounds]:
    return {name: _bounds(extent) for name, extent in extents.items()}


_MAKERS: Final[Mapping[Literal["array", "group", "any"], Any]] = {
    "array": _compile_array,
    "group": _compile_group,
    "any": _compile_either,
}
