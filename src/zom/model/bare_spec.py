"""A spec without its verbs: what functions on specs need to know about a spec.

`Spec` adds the verbs, which are functions of other modules. Those modules use this class, which avoids
circular imports. Every instance is a `Spec`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from typing_extensions import TypeIs, dataclass_transform

from zom.digests import blake2b
from zom.json.exact import exact_text
from zom.json.value import JSONDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic._internal._model_construction import ModelMetaclass

    from zom.model.family import Family, NodeKind
    from zom.model.node import NodeParts
    from zom.model.spec import Spec
    from zom.problems import Level

__all__ = ["BareSpec", "Prepared", "exact_digest", "is_spec", "is_spec_class"]

if TYPE_CHECKING:

    @dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field, PrivateAttr))
    class SpecType(ModelMetaclass):
        """The metaclass of specs for type checkers: fields are frozen, so subclasses may narrow them."""

        def __hash__(self) -> int: ...

else:
    SpecType = type(BaseModel)

_EMPTY = JSONDict()
_names: dict[frozenset[str], frozenset[str]] = {}


class Prepared:
    """The validation context of zom's own calls into pydantic, with one prepared node.

    It settles the spec that pydantic makes: once the fields are set, so that validators can read the
    document, and again at the end if the class may have such validators.
    """

    __slots__ = ("attributes", "made", "node", "settled", "values")

    def __init__(
        self, values: Mapping[str, Any], node: NodeParts, attributes: Any, *, has_validators: bool = False
    ) -> None:
        self.values = values
        self.node = node
        self.attributes = attributes
        self.settled: Spec | None = None
        self.made: dict[str, Any] | None = {} if has_validators else None
        """The fields as validators returned them; None without validators."""

    def settle(self, spec: Spec) -> None:
        """Give `spec` its document and immutable fields."""
        document, members, place, level = self.node
        nodes = 1
        for member in () if members is None else members.values():
            nodes += member.__pydantic_private__["nodes"]
        private = {"document": document, "level": level, "place": place, "nodes": nodes}
        if spec.__pydantic_private__:
            private = {**spec.__pydantic_private__, **private}
        _set(spec, "__pydantic_private__", private)
        names = frozenset(document) if members is None else frozenset((*document, "members"))
        _set(spec, "__pydantic_fields_set__", _names.setdefault(names, names))
        extra = spec.__pydantic_extra__
        _set(spec, "__pydantic_extra__", JSONDict(extra) if extra else _EMPTY)
        fields: Any = spec.__dict__
        if self.made is not None and self.settled is None:
            self.made.update(fields)
        if "attributes" in fields:
            fields["attributes"] = self.attributes
        if members is not None:
            fields["members"] = members
        codecs: Any = fields.get("codecs", ())
        if str in map(type, codecs):  # a name alone is short for an object with that name
            named = (JSONDict({"name": codec}) if type(codec) is str else codec for codec in codecs)
            fields["codecs"] = tuple(named)
        self.settled = spec


_set = object.__setattr__


class BareSpec(BaseModel, metaclass=SpecType):
    """The data of a spec: its immutable document."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="allow",
        arbitrary_types_allowed=True,
        protected_namespaces=(),
        defer_build=False,
    )

    family: ClassVar[Family]
    """The format of the spec."""
    kind: ClassVar[NodeKind]
    """The kind of node."""

    @property
    def _private(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.__pydantic_private__)

    @property
    def document(self) -> JSONDict:
        """The node's own document, without its members, as originally spelled.

        >>> from zom import v3
        >>> v3.GroupSpec(attributes={"a": 1}).document
        {'zarr_format': 3, 'node_type': 'group', 'attributes': {'a': 1}}
        """
        private: dict[str, Any] = self.__pydantic_private__  # type: ignore[assignment]
        document: JSONDict = private["document"]
        return document

    @property
    def level(self) -> Level:
        """How strictly the document was checked when this spec was made."""
        return cast("Level", self._private["level"])

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self

    if not TYPE_CHECKING:

        def model_post_init(self, context: Any, /) -> None:
            """Settle the spec before the validators of its class run."""
            if type(context) is Prepared:
                context.settle(self)

        def __setattr__(self, name: str, value: Any) -> None:
            message = f"a spec can't change; make a changed copy with replace({name}=...)"
            raise TypeError(message)

        def __delattr__(self, name: str) -> None:
            message = f"a spec can't change; make a changed copy with replace({name}=zom.ABSENT)"
            raise TypeError(message)


def exact_digest(spec: BareSpec) -> bytes:
    """Return a digest of the node's own document by type and value, cached for repeated comparisons.

    Documents with different digests may still be equal if only their order differs.

    >>> from zom import v3
    >>> exact_digest(v3.GroupSpec(attributes={"a": 1})) == exact_digest(v3.GroupSpec(attributes={"a": True}))
    False
    """
    private: dict[str, Any] = spec.__pydantic_private__  # type: ignore[assignment]
    found: bytes | None = private.get("digest")
    if found is None:
        text = exact_text(private["document"])
        found = blake2b(text if isinstance(text, bytes) else text.encode(), digest_size=16).digest()
        private["digest"] = found
    return found


def is_spec(value: object) -> TypeIs[Spec]:
    """Whether `value` is a spec of any format.

    >>> from zom import v2
    >>> is_spec(v2.GroupSpec()), is_spec({"zarr_format": 2})
    (True, False)
    """
    return isinstance(value, BareSpec)


def is_spec_class(value: object) -> TypeIs[type[Spec]]:
    """Whether `value` is a spec class.

    >>> from zom import v2
    >>> is_spec_class(v2.GroupSpec), is_spec_class(dict)
    (True, False)
    """
    return isinstance(value, type) and issubclass(value, BareSpec)
