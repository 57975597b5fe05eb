"""Templates as JSON Schema: the schema of v3 nodes, narrowed by a template.

JSON Schema can express names, ranks, types, lengths by index, codecs of arrays without shards, attributes
and members. Checks of two places at once (lengths by dimension name, counts, equal lengths, references)
are reported as losses.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from zom.extension.patterns import whole
from zom.extension.resolve import parse_v3
from zom.formats.resolve import canonical_codec_name
from zom.json.python_value import is_dict, is_list
from zom.json.value import thaw
from zom.schema.extension_schema import known_families, named_one_of
from zom.schema.loss import Loss
from zom.schema.node_v3 import lean
from zom.schema.spec_class import Builder
from zom.schema.standard import SchemaPart
from zom.template.attributes import is_shorthand
from zom.template.models import ArrayTemplate, GroupTemplate, NodeTemplate, Template
from zom.template.parts import KINDS, Codecs, Names, Range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.schema import Flavour

__all__ = ["template_part"]

_IS_ARRAY: Final[dict[str, Any]] = {
    "properties": {"node_type": {"const": "array", "type": "string"}},
    "required": ["node_type"],
}
_RANKS: Final = range(1, 9)
"""The ranks for which lengths by index are checked, if a template leaves the rank open."""
_ANY: Final[dict[str, Any]] = {"type": "object"}


def template_part(template: Template, flavour: Flavour) -> tuple[SchemaPart, list[Loss]]:
    """Return the schema of v3 documents that match `template`, and its losses.

    >>> part, losses = template_part(ArrayTemplate(rank=2), "validation")
    >>> part.root["properties"]["shape"]["allOf"][1]
    {'type': 'array', 'minItems': 2, 'maxItems': 2}
    """
    maker = _Maker(flavour)
    root = maker.node(template, "template")
    about = f"A node that fits a template of {_WORDS[template.node_type]}."
    return SchemaPart("template", "Template", about, root, maker.builder.definitions), maker.losses


_WORDS: Final = {"array": "an array", "group": "a group", "any": "a node"}


class _Maker:
    """Builds the schemas of a tree of templates."""

    def __init__(self, flavour: Flavour) -> None:
        self.builder = Builder("v3", flavour)
        self.codegen = flavour == "codegen"
        self.losses: list[Loss] = []

    def lose(self, where: str, what: str) -> None:
        self.losses.append(Loss(where, what))

    def node(self, template: Any, where: str) -> dict[str, Any]:
        """Return the schema of nodes that match a template; of any node without one."""
        if template is None:
            return self.builder.any_node()
        for reference in template.references:
            self.lose(f"{where}.references", f"the nodes at {reference.attribute} exist")
        if isinstance(template, ArrayTemplate):
            return self.array(template, where)
        if isinstance(template, GroupTemplate):
            return self.group(template, where)
        either = cast("NodeTemplate", template)
        array = self.side(either.array, "array", f"{where}.array")
        group = self.side(either.group, "group", f"{where}.group")
        self.attributes(either, array, where)
        self.attributes(either, group, where)
        if self.codegen:
            return {"anyOf": [array, group]}
        return {"type": "object", "if": _IS_ARRAY, "then": array, "else": group}

    def side(self, template: Any, kind: str, where: str) -> dict[str, Any]:
        return self.builder.base(kind) if template is None else self.node(template, where)

    # --- arrays ----------------------------------------------------------------------------------

    def array(self, template: ArrayTemplate, where: str) -> dict[str, Any]:
        made = self.builder.base("array")
        self.attributes(template, made, where)
        self.dimensions(template, made, where)
        if self.codegen:
            return made
        if template.dtype is not None:
            listed: Any = template.dtype
            narrow(made, "data_type", _types((listed,) if isinstance(listed, str) else tuple(listed)))
        self.lengths(template, made, where)
        for name in ("chunks", "shards"):
            if getattr(template, name):
                self.lose(f"{where}.{name}", "chunk lengths, as chunks may be inside shards")
        if template.sharded is not None:
            self.shards(made, wanted=template.sharded)
        if template.codecs is not None:
            self.codecs(template.codecs, made, where)
        if "fill_value" in template.model_fields_set:
            self.lose(f"{where}.fill_value", "the same value may be spelled in several ways")
        return made

    def dimensions(self, template: ArrayTemplate, made: dict[str, Any], where: str) -> None:
        rank: Any = template.rank
        names: Any = template.dimension_names
        if rank is not None:
            if isinstance(rank, Range) and rank.multiple_of is not None:
                self.lose(f"{where}.rank", f"a multiple of {rank.multiple_of}")
            narrow(made, "shape", _sizes(rank))
        if isinstance(names, Names):
            found = [{"contains": {"const": name, "type": "string"}} for name in names.required]
            if found:
                narrow(made, "dimension_names", {"type": "array", "allOf": found})
                _require(made, "dimension_names")
        elif names is not None:
            exact = [{"const": name, "type": "string" if name is not None else "null"} for name in names]
            listed = {"prefixItems": exact, "minItems": len(exact), "maxItems": len(exact)}
            narrow(made, "dimension_names", {"type": "array", **(listed if exact else {"maxItems": 0})})
            _require(made, "dimension_names")
            if rank is None:
                narrow(made, "shape", _sizes(len(exact)))

    def lengths(self, template: ArrayTemplate, made: dict[str, Any], where: str) -> None:
        given: Any = template.dimension_names
        names = cast("tuple[str | None, ...]", given) if isinstance(given, tuple) else None
        places: dict[int, list[Any]] = {}
        for name, extent in cast("Mapping[str, Any]", template.shape).items():
            place = _place(str(name), names)
            if place is None:
                self.lose(f"{where}.shape.{name}", "the length along a dimension found by its name")
            else:
                places.setdefault(place, []).append(_integers(extent))
        if not places:
            return
        rank: Any = template.rank if names is None else len(names)
        if not isinstance(rank, int):
            self.lose(f"{where}.shape", f"lengths of arrays of more than {_RANKS[-1]} dimensions")
        # Describe the whole list for each rank: validators consider a partial tuple a mistake.
        for size in (rank,) if isinstance(rank, int) else _RANKS:
            if min(places) < size:
                items = [_all(places.get(place, [{"type": "integer"}])) for place in range(size)]
                bounds = {"minItems": size, "maxItems": size}
                then = {"prefixItems": items, **bounds}
                narrow(made, "shape", {"type": "array", "if": bounds, "then": then})

    def shards(self, made: dict[str, Any], *, wanted: bool) -> None:
        sharding = {"contains": lean(named_one_of(["sharding_indexed"]))}
        narrow(made, "codecs", {"type": "array", **(sharding if wanted else {"not": sharding})})

    def codecs(self, rules: Any, made: dict[str, Any], where: str) -> None:
        allowed = rules.allowed if isinstance(rules, Codecs) else rules
        required = rules.required if isinstance(rules, Codecs) else ()
        if allowed is not None:
            names = sorted({*map(_canonical, allowed), "bytes", "sharding_indexed"})
            either = {
                "if": {"type": "string"},
                "then": {"enum": names, "type": "string"},
                "else": named_one_of(names),
            }
            narrow(made, "codecs", {"type": "array", "items": either})
        if required or allowed is not None:
            self.lose(f"{where}.codecs", "the codecs inside shards")
        for name in map(_canonical, required):
            bare = {"const": name, "type": "string"}
            found = {"anyOf": [bare, named_one_of([name]), named_one_of(["sharding_indexed"])]}
            narrow(made, "codecs", {"type": "array", "contains": found})

    # --- attributes and members ------------------------------------------------------------------

    def attributes(self, template: Template, made: dict[str, Any], where: str) -> None:
        if template.attributes is None:
            return
        given = cast("dict[str, Any]", thaw(template.attributes))
        schema = _shorthand(given) if is_shorthand(given) else self.schema(given, where)
        narrow(made, "attributes", schema)
        if schema.get("required"):
            _require(made, "attributes")

    def schema(self, given: dict[str, Any], where: str) -> dict[str, Any]:
        """Return a JSON Schema of attributes for use inside another; any object, with a loss, for `$ref`."""
        if not _refers(given):
            return {name: value for name, value in given.items() if name not in {"$schema", "$id"}}
        self.lose(f"{where}.attributes", "a schema with its own references")
        return _ANY

    def group(self, template: GroupTemplate, where: str) -> dict[str, Any]:
        made = self.builder.base("group")
        self.attributes(template, made, where)
        if template.same_length:
            self.lose(f"{where}.same_length", "dimensions of the same name have the same length")
        members: dict[str, Any] = {"type": "object"}
        named = cast("Mapping[str, Any]", template.members)
        if named:
            members["properties"] = {
                name: self.node(each, f"{where}.members.{name}") for name, each in named.items()
            }
        required = [name for name in named if name not in template.optional]
        if required:
            members["required"] = required
        self.patterns(template, members, where)
        if not template.open and "additionalProperties" not in members:
            members["additionalProperties"] = False
        if self.codegen:
            names = made["properties"]["members"]["propertyNames"]
            stranger = members.get("additionalProperties", self.builder.any_node())
            members = {"propertyNames": names, **members, "additionalProperties": stranger}
            made["properties"]["members"] = members
        else:
            narrow(made, "members", members)
        return made

    def patterns(self, template: GroupTemplate, members: dict[str, Any], where: str) -> None:
        """Add the patterns of names, each excluding the names before it."""
        patterns = cast("Sequence[Any]", template.patterns)
        before = [re.escape(name) for name in cast("Mapping[str, Any]", template.members)]
        made: dict[str, Any] = {}
        for index, pattern in enumerate(patterns):
            here = f"{where}.patterns[{index}]"
            but = f"(?!(?:{'|'.join(before)})$)" if before else ""
            made[whole(f"{but}(?:{pattern.pattern})")] = self.node(pattern.template, here)
            before.append(f"(?:{pattern.pattern})")
            if pattern.min_count or pattern.max_count is not None:
                self.lose(here, "the number of members with such names")
            if pattern.same:
                self.lose(here, f"members share {', '.join(pattern.same)}")
        if made and self.codegen:
            # Generators ignore patterns of names: members may then match any of the templates.
            options = [*made.values(), *([self.builder.any_node()] if template.open else [])]
            members["additionalProperties"] = _any(options)
        elif made:
            members["patternProperties"] = made


# --- parts -------------------------------------------------------------------------------------------


def narrow(made: dict[str, Any], name: str, schema: dict[str, Any]) -> None:
    """Add `schema` to the checks of a member."""
    before = made["properties"].get(name, True)
    if before is True:
        made["properties"][name] = schema
    elif is_dict(before) and set(before) == {"allOf"}:
        made["properties"][name] = {"allOf": [*before["allOf"], schema]}
    else:
        made["properties"][name] = {"allOf": [before, schema]}


def _require(made: dict[str, Any], name: str) -> None:
    if name not in made["required"]:
        made["required"] = [*made["required"], name]


def _all(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    return schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def _integers(extent: Any) -> dict[str, Any]:
    if isinstance(extent, int):
        return {"const": extent, "type": "integer"}
    if isinstance(extent, tuple):
        return {"enum": list(cast("tuple[int, ...]", extent)), "type": "integer"}
    names = {"min": "minimum", "max": "maximum", "multiple_of": "multipleOf"}
    bounds = {key: getattr(extent, name) for name, key in names.items()}
    return {"type": "integer", **{key: value for key, value in bounds.items() if value is not None}}


def _sizes(extent: Any) -> dict[str, Any]:
    if isinstance(extent, int):
        return {"type": "array", "minItems": extent, "maxItems": extent}
    if isinstance(extent, tuple):
        sizes = cast("tuple[int, ...]", extent)
        return {"type": "array", "anyOf": [{"minItems": size, "maxItems": size} for size in sizes]}
    bounds = {"minItems": extent.min, "maxItems": extent.max}
    return {"type": "array", **{key: value for key, value in bounds.items() if value is not None}}


def _place(name: str, names: tuple[str | None, ...] | None) -> int | None:
    """Return the index of a dimension given by index, or by a name that occurs once."""
    if re.fullmatch("[0-9]+", name):
        return int(name)
    if names is None:
        return None
    if re.fullmatch("-[0-9]+", name):
        return len(names) + int(name) if int(name) >= -len(names) else None
    return names.index(name) if names.count(name) == 1 else None


def _types(listed: tuple[str, ...]) -> dict[str, Any]:
    """Return the schema of data types by name or kind, as a name or an object."""
    plain, configured, patterned = known_families()
    names = [name for name in listed if name not in KINDS]
    kinds = frozenset(listed) & frozenset(KINDS)
    names += [name for name in plain if (found := parse_v3(name, [])) is not None and found.kind in kinds]
    for name, family in configured.items():
        if any(example.kind in kinds for example in family.examples()):
            names.append(name)
    alternatives = [{"enum": sorted(dict.fromkeys(names)), "type": "string"}]
    if "raw" in kinds:
        patterns = [family.name_patterns[0] for family in patterned if family.name_patterns]
        alternatives += [{"type": "string", "pattern": whole(pattern)} for pattern in patterns]
    text = _any(alternatives)
    named = {"type": "object", "properties": {"name": text}, "required": ["name"]}
    return {"if": {"type": "string"}, "then": text, "else": named}


def _any(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _canonical(name: str) -> str:
    return canonical_codec_name(name) or name


def _shorthand(given: dict[str, str]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, text in given.items():
        types = text.removesuffix("?").split("|")
        options = [{"type": each} for each in types]
        properties[name] = True if "any" in types else _any(options)
    required = [name for name, text in given.items() if not text.endswith("?")]
    made: dict[str, Any] = {"type": "object", "properties": properties}
    return {**made, "required": required} if required else made


def _refers(schema: Any) -> bool:
    if is_dict(schema):
        return bool({"$ref", "$dynamicRef"} & schema.keys()) or any(map(_refers, schema.values()))
    return is_list(schema) and any(map(_refers, schema))
