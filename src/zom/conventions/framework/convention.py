"""Conventions: agreements of a community on top of Zarr, as values: identity, attributes, rules.

Third parties register theirs with an entry point in the group `zom.conventions`, or pass them to
`zom.validate`. Nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from zom.brief import short
from zom.checks.check import Site
from zom.checks.checked_rule import CheckedRule, Condition, attribute_in, holds, schema
from zom.checks.selector import parse_selector, select
from zom.conventions.framework.attributes import Attributes, rules_beside
from zom.conventions.framework.condition_words import in_words
from zom.count import count_of
from zom.dataclass import dataclass
from zom.errors import ExtensionError
from zom.extension.answer import answer, at_fault
from zom.formats.node_view import Node
from zom.json.python_value import is_dict, is_list
from zom.problems import given_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zom.checks.checked_rule import Profile
    from zom.conventions.framework.attributes import Steps
    from zom.schema import Draft, Flavour, Loss
    from zom.schema.standard import SchemaPart

__all__ = ["FORMATS", "Convention", "DefineModel", "Detect", "Followed", "declaration_of"]

Detect: TypeAlias = Callable[[Node], str | None]
"""A function that detects a convention at a node: it returns the reason in words, or None."""

Followed: TypeAlias = Callable[[Node], tuple[int, ...]]
"""A function that returns the version that a node follows, as numbers."""

DefineModel: TypeAlias = Callable[[], type[Attributes]]
"""A function that defines a model of attributes and all its parts."""

Kind = Literal["array", "group"]

_FORM = CheckedRule(
    "attributes",
    schema(),
    must="the attributes have the form that the convention defines",
    fix="see the JSON Schema of the convention",
    source="both",
)

FORMATS: Final = ("v2", "v3", "draft")


@dataclass(frozen=True, eq=False, repr=False)
class Convention:
    """A convention: identity, models of the attributes that it owns, rules.

    >>> from zom.conventions import Attributes, Convention, CheckedRule, pattern, ref
    >>> class Dggs(Attributes, key="dggs"):
    ...     name: str
    ...     coordinate: str | None = None
    >>> dggs = Convention(
    ...     id="dggs", version="v1", uuid="7b255807-140c-42ca-97f6-7a1cfecdbc38", attributes=Dggs,
    ...     rules=[CheckedRule("name-lower", pattern("[a-z0-9_-]+", at="dggs.name"), must="the name is in lower case"),
    ...            CheckedRule("coordinate", ref("dggs.coordinate", kind="array"),
    ...                 must="coordinate names an array of this group", fix="add the array")],
    ... )
    >>> dggs.name, dggs.owns, [code for code, rule in dggs.codes()]
    ('dggs/v1', ('dggs',), ['dggs/attributes', 'dggs/name-lower', 'dggs/coordinate'])
    """

    id: str
    version: str | None = None
    title: str | None = None
    link: str | None = None
    """The URL of the specification."""
    uuid: str | None = None
    """The uuid of the convention in `zarr_conventions`."""
    aliases: tuple[str, ...] = ()
    """The URLs that `zarr_conventions` may use instead."""
    dead_aliases: tuple[str, ...] = ()
    """URLs that were once valid and are now dead."""
    on: tuple[Kind, ...] = ("group", "array")
    """The kinds of nodes that can have it."""
    formats: tuple[str, ...] = FORMATS
    """The formats of nodes that can have it."""
    attributes: type[Attributes] | Mapping[Kind, type[Attributes]] | DefineModel | None = None
    """Models of the attributes that it owns; or, with `owns`, a function that defines one on first use, since
    many pydantic classes take a while."""
    owns: tuple[str, ...] = ()
    """The attribute keys that it defines; "spatial:*" for all with that prefix. By default those of its
    models."""
    foreign: tuple[str, ...] = ()
    """Keys with its prefix that belong to another community: a node with one of these and without a
    declaration does not have this convention."""
    rules: Sequence[CheckedRule] = ()
    detect: Detect | None = None
    """A function that detects it; by default, its declaration in `zarr_conventions` or a key that it owns."""
    signs: tuple[tuple[Condition, ...], ...] = ()
    """Detection as data, which other languages can evaluate: it is found if it is declared in
    `zarr_conventions`, or if all conditions of one sign hold."""
    free: tuple[str, ...] = ()
    """Selectors of texts that no rule reads, such as titles: documents that differ only there are alike."""
    version_at: tuple[str, ...] = ()
    """Selectors of the version that a node follows."""
    adopts: Callable[[Node, Any], bool] | None = None
    """Whether a node with another version (the second argument), or none, is meant to follow this one."""
    followed: Followed | None = None
    """A function for the version that a node follows; required if rules have `since` or `until`."""
    assumed: bool = False
    """Whether a node without a version is meant to follow this one."""
    declared: bool = False
    """Whether a node has to declare it in `zarr_conventions`."""
    inherit: Literal["none", "children", "descendants"] = "none"
    """The arrays that inherit a group's declaration: rules for arrays are checked there, too."""
    everywhere: bool = False
    """Whether it applies to every node if a caller asks for it, even where it is not detected."""
    within: tuple[str, ...] = ()
    """Selectors of the objects that may also contain its keys where it is declared."""
    parts: tuple[str, ...] = ()
    """The ids of its component conventions: asking for it asks for them, wherever they are found."""
    further: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids of conventions that continue this one, each with what it needs: a report lists those that were
    not asked."""
    refines: tuple[str, ...] = ()
    """The ids of conventions whose rules it restates for a node: there, its own findings are reported."""

    def __post_init__(self) -> None:
        if self.detect is not None and self.signs:
            raise ExtensionError(f"convention {self.name!r}: expected detect= or signs=, got both")
        for own in fields(self):
            if isinstance(own.default, tuple):
                object.__setattr__(self, own.name, tuple(getattr(self, own.name)))
        is_late = not isinstance(self.attributes, (type, Mapping, type(None)))
        if not is_late or not self.owns:
            keys = dict.fromkeys(key for model in self.models.values() for key in model.owned())
            object.__setattr__(self, "owns", self.owns or tuple(keys))
        if strange := [each for each in self.rules if not isinstance(each, CheckedRule)]:  # pyright: ignore[reportUnnecessaryIsInstance] - callers may not be checked
            message = f"convention {self.name!r}: expected CheckedRules as rules, found {strange[0]!r}"
            raise ExtensionError(message)
        dated = [each.id for each in self.rules if each.since is not None or each.until is not None]
        if self.followed is None and dated:
            message = f"convention {self.name!r}: rule {dated[0]!r} has since or until: expected followed=, got none"
            raise ExtensionError(message)
        seen: dict[str, CheckedRule] = {}
        for each in self.rules:
            other = seen.setdefault(each.id, each)
            if other is not each and (other.text, other.level) != (each.text, each.level):
                message = f"convention {self.name!r}: two rules have the id {each.id!r}"
                raise ExtensionError(message)

    def __repr__(self) -> str:
        count = len(self.rules)
        return short("conventions.Convention", f"{self.name}: {count_of(count, 'rule')}")

    @cached_property
    def models(self) -> Mapping[str, type[Attributes]]:
        """The model of the attributes for each kind of node that has one."""
        given: Any = self.attributes
        if given is None:
            return {}
        if not isinstance(given, (type, Mapping)):
            given = answer(self, "attributes", (object,), "classes of Attributes")
        found: dict[str, Any]
        if isinstance(given, Mapping):
            found = dict(cast("Mapping[str, Any]", given))
        else:
            found = dict.fromkeys(self.on, given)
        for each in found.values():
            if not (isinstance(each, type) and issubclass(each, Attributes)):
                message = f"convention {self.name!r}: expected subclasses of Attributes as attributes, found {each!r}"
                raise ExtensionError(message)
        return found

    @property
    def name(self) -> str:
        """The id, with the version if there is one."""
        return self.id if self.version is None else f"{self.id}/{self.version}"

    def code(self, rule: CheckedRule) -> str:
        """The code of one of its rules in a report.

        >>> from zom.conventions import conventions
        >>> xarray = conventions["xarray"]
        >>> xarray.code(xarray.rules[0]).partition("/")[0]
        'xarray'
        """
        return self.full(rule.id)

    def full(self, rule: str) -> str:
        """The code of the rule with that id, or a pattern of codes.

        >>> Convention("cf").full("bounds-*"), Convention("cf").full("xarray/dims-*")
        ('cf/bounds-*', 'xarray/dims-*')
        """
        return rule if "/" in rule else f"{self.id}/{rule}"

    def codes(self) -> Iterator[tuple[str, CheckedRule]]:
        """Every rule with its code; rules next to fields and the form rule come first."""
        seen: set[str] = set()
        for each in self.all_rules:
            code = self.code(each)
            if code not in seen:
                seen.add(code)
                yield code, each

    @cached_property
    def all_rules(self) -> tuple[CheckedRule, ...]:
        """Every rule, including those next to model fields and the form rule."""
        models = dict.fromkeys(self.models.values())
        beside = [each for model in models for _, each in rules_beside(model)]
        form = any(each is _FORM for model in models for _, each in self._form_of(model))
        return (*beside, *((_FORM,) if form else ()), *self.rules)

    def checked_rules(self, kind: str | None, profile: Profile) -> tuple[CheckedRule, ...]:
        """The rules to run at a node of that kind, without those that the model checks."""
        key = (kind, profile)
        if key not in self._checked:
            self._checked[key] = tuple(
                each
                for each in self._run
                if each.is_in(profile) and (each.on is None or kind is None or each.on == kind)
            )
        return self._checked[key]

    @cached_property
    def _checked(self) -> dict[tuple[str | None, Profile], tuple[CheckedRule, ...]]:
        return {}

    @cached_property
    def _run(self) -> tuple[CheckedRule, ...]:
        return tuple(each for each in self.all_rules if not each.is_schema)

    def form_rules(self, kind: str | None) -> tuple[tuple[Steps, CheckedRule], ...]:
        """The rules that the model of a node checks, each with the steps to its field, the longest first.

        They are next to fields, or among the rules with the field in `each`. The last one catches everything
        else: the convention's own rule for the whole model, or the form rule.
        """
        model = self.models.get(kind or "")
        return () if model is None else self._form_of(model)

    def _form_of(self, model: type[Attributes]) -> tuple[tuple[Steps, CheckedRule], ...]:
        if model not in self._forms:
            beside = ((steps, each) for steps, each in rules_beside(model) if each.is_schema)
            own = ((_steps_of(each), each) for each in self.rules if each.is_schema)
            pairs: list[tuple[Steps, CheckedRule]] = sorted((*beside, *own), key=lambda pair: -len(pair[0]))
            whole: Steps = () if model.key is None else (model.key,)
            if not pairs or pairs[-1][0] != whole:
                pairs.append(((), _FORM))
            self._forms[model] = tuple(pairs)
        return self._forms[model]

    @cached_property
    def _forms(self) -> dict[type[Attributes], tuple[tuple[Steps, CheckedRule], ...]]:
        return {}

    def owns_key(self, key: str) -> bool:
        """Whether it defines the attribute `key`.

        >>> Convention("spatial", owns=("spatial:*",)).owns_key("spatial:shape")
        True
        """
        exact, beginnings = self._owned
        return key in exact or key.startswith(beginnings)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """The attributes by which it is detected.

        >>> from zom.conventions import conventions
        >>> conventions["vcf-zarr/0.5"].telling
        ('vcf_zarr_version', 'vcf_meta_information')
        """
        if self.signs:
            keys = [key for conditions in self.signs for each in conditions for key in _keys_in(each)]
        else:
            models = (key for model in self.models.values() for key in model.owned())
            keys = [*(key for key in self.owns if not key.endswith("*")), *models]
        return tuple(dict.fromkeys(keys))

    @cached_property
    def _owned(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """The exact keys that it owns, and the prefixes of keys that it owns."""
        beginnings = tuple(own[:-1] for own in self.owns if own.endswith("*"))
        return frozenset(own for own in self.owns if not own.endswith("*")), beginnings

    def key_in(self, node: Node) -> str | None:
        """The first of its keys that the node uses, or None."""
        around = [node.attributes]
        for selector in self.within:
            found = select(node.attributes, parse_selector(selector).steps)
            around += [value for _, value in found if is_dict(value)]
        return next((key for each in around for key in each if self.owns_key(key)), None)

    def found_at(self, node: Node) -> str | None:
        """Why it is at the node, whatever version the node names, or None."""
        if (node.kind is not None and node.kind not in self.on) or node.form not in self.formats:
            return None
        if self.detect is not None:
            found: str | None = answer(self, "detect", (str, type(None)), "a string or None", node)
            return found
        if declaration_of(self, node) is not None:
            return "declared in zarr_conventions"
        if self.signs:
            return self._sign_at(node)
        if any(key in node.attributes for key in self.foreign):
            return None
        key = next((key for key in node.attributes if self.owns_key(key)), None)
        return None if key is None else f"has {key}"

    def adopts_version(self, node: Node, version: Any) -> bool:
        """Whether a node with another version, or None, is meant to follow this one."""
        return self.adopts is not None and answer(self, "adopts", (bool,), "True or False", node, version)

    def version_followed(self, node: Node) -> tuple[int, ...] | None:
        """The version that the node follows, or None if all rules apply to every version."""
        if self.followed is None:
            return None
        found: tuple[Any, ...] = answer(self, "followed", (tuple,), "a tuple of numbers", node)
        if not all(isinstance(each, int) for each in found):
            raise at_fault(
                given_text(self), f"expected a tuple of numbers from followed, found {given_text(found)}"
            )
        return found

    def schema_part(self, flavour: str) -> tuple[SchemaPart, list[Loss]]:
        """The schema of a node with the convention, before it gets an identity, and what it can't express.

        >>> from zom.conventions import conventions
        >>> conventions["xarray"].schema_part("validation")[0].name
        'convention/xarray'
        """
        from zom.conventions.framework.convention_schema import ConventionSchema  # noqa: PLC0415 - slow to import

        return ConventionSchema(self).schema_part(flavour)

    def json_schema(
        self,
        draft: Draft = "2020-12",
        flavour: Flavour = "validation",
        *,
        kind: Kind | None = None,
        base_url: str | None = None,
    ) -> dict[str, Any]:
        """The JSON Schema of the document of a node with the convention, for one kind or any.

        Its rules are next to it, under "x-zom-rules".

        >>> from zom.conventions import conventions
        >>> [rule["id"] for rule in conventions["xarray"].json_schema(kind="group")["x-zom-rules"]][:1]
        ['xarray/root-is-group']
        """
        from zom.conventions.framework.convention_schema import ConventionSchema  # noqa: PLC0415 - slow to import
        from zom.schema import json_schema  # noqa: PLC0415 - slow to import

        return json_schema(ConventionSchema(self, kind), draft, flavour, base_url=base_url)

    @cached_property
    def needed(self) -> frozenset[str] | None:
        """Attributes of which a node has at least one if the convention is found there, or None if unknown.

        Most nodes have none of them, and every convention is looked for at every node.

        >>> sorted(Convention("uom", owns=("uom",)).needed)
        ['uom', 'zarr_conventions']
        """
        exact, beginnings = self._owned
        keys = (
            [key for key, _ in self._keyed_signs] if self.signs else [*exact, None] if beginnings else exact
        )
        if self.detect is not None or None in keys:
            return None
        return frozenset({"zarr_conventions", *(key for key in keys if key is not None)})

    @cached_property
    def _keyed_signs(self) -> tuple[tuple[str | None, tuple[Condition, ...]], ...]:
        """The signs, each with an attribute that it requires, if any."""
        keys = [[attribute_in(each) for each in conditions] for conditions in self.signs]
        first = [next((key for key in found if key is not None), None) for found in keys]
        return tuple(zip(first, self.signs, strict=True))

    def _sign_at(self, node: Node) -> str | None:
        site: Site | None = None
        attributes = node.attributes
        for (key, conditions), words in zip(self._keyed_signs, self._signs_in_words, strict=True):
            if key is not None and key not in attributes:
                continue
            site = Site(node, node) if site is None else site
            if all(holds(each, site) for each in conditions):
                return words or " and ".join(in_words(each, site) for each in conditions)
        return None

    @cached_property
    def _signs_in_words(self) -> tuple[str | None, ...]:
        """Each sign in words; None for a sign with several possible values: its words depend on the node."""
        return tuple(
            None if any("values" in each for each in conditions) else " and ".join(map(in_words, conditions))
            for conditions in self.signs
        )


def declaration_of(convention: Convention, node: Node) -> int | None:
    """The index in `zarr_conventions` where the node declares the convention, or None.

    A uuid counts before a schema_url, and that before a spec_url; a name never does.
    """
    declared = node.attributes.get("zarr_conventions")
    if not is_list(declared):
        return None
    for place, entry in enumerate(declared):
        if not is_dict(entry):
            continue
        if "uuid" in entry:
            if convention.uuid is not None and entry["uuid"] == convention.uuid:
                return place
            continue
        urls = (entry.get("schema_url"), entry.get("spec_url"))
        if any(
            url in convention.aliases or url in convention.dead_aliases
            for url in urls
            if isinstance(url, str)
        ):
            return place
    return None


def _keys_in(condition: Condition) -> Iterator[str]:
    """The attribute that the condition reads."""
    inner: Condition = next((condition[at] for at in ("root", "above") if at in condition), condition)
    text = inner.get("has", inner.get("at"))
    selector = None if text is None else parse_selector(text)
    if selector is not None and selector.start == "attributes":
        yield str(selector.steps[0])


def _steps_of(each: CheckedRule) -> Steps:
    """The steps to the field that a form rule checks; empty for all of the attributes."""
    return () if each.each is None else parse_selector(each.each).steps
