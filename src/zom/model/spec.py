"""What array and group specs of every format have in common: a frozen, lossless document.

A spec is a pydantic model whose source of truth is the document that it was made from. The fields
are views of that document; `to_json` gives it back, spelled as it was. All checking happens while a
spec is made (`zom.model.assembly`): there is no invalid spec.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from pydantic import BaseModel, ConfigDict
from pydantic_core import core_schema
from typing_extensions import Self


from zom.errors import SpecError, SpecWarning
from zom.jsonvalue import JSONDict, exact_key, same
from zom.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import GetCoreSchemaHandler

    from zom.model.family import Family, NodeKind
    from zom.problems import Level, Problem

__all__ = ["RAW", "Spec", "StoredDocuments"]

RAW: Final = object()
"""The validation context of zom's own calls into pydantic: the document has been prepared already."""

StoredDocuments = dict[str, Any]
"""The documents of one node by the end of their key: `zarr.json`, or `.zarray` and `.zattrs`."""


class Spec(BaseModel):
    """One node of a hierarchy, and for a group all that is below it, as a document."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="allow",
        arbitrary_types_allowed=True,
        protected_namespaces=(),
        defer_build=False,
    )

    family: ClassVar[Family]
    """The format that the spec belongs to."""
    kind: ClassVar[NodeKind]
    """Which of the two kinds of node it is."""

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            from zom.model.assembly import construct  # noqa: PLC0415 - the assembly builds specs

            made = construct(type(self), data)
            for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__"):
                object.__setattr__(self, name, object.__getattribute__(made, name))
            object.__setattr__(self, "__pydantic_private__", made.__pydantic_private__)

    # --- reading documents -------------------------------------------------------------------

    @classmethod
    def parse(
        cls,
        document: str | bytes | Mapping[str, Any],
        level: Level = "strict",
        *,
        limits: Limits = DEFAULT_LIMITS,
        on_warning: Callable[[Problem], None] | None = None,
    ) -> Self:
        """The spec that `document` describes; SpecError with every problem where it breaks rules.

        What the level only warns of goes to `on_warning`; without one it becomes a `SpecWarning`.

        >>> from zom import v3
        >>> v3.GroupSpec.parse('{"zarr_format": 3, "node_type": "group"}').attributes
        {}
        """
        from zom.model.assembly import assemble  # noqa: PLC0415 - the assembly builds specs

        spec, problems = assemble(cls, document, level, limits=limits)
        if spec is None:
            raise SpecError(problems, f"{cls.family.form} {cls.kind}")
        for problem in problems:
            if on_warning is not None:
                on_warning(problem)
            elif problem.severity == "warning":
                warnings.warn(str(problem), SpecWarning, stacklevel=2)
        return cast("Self", spec)

    @classmethod
    def check(
        cls,
        document: str | bytes | Mapping[str, Any] | Spec,
        level: Level = "strict",
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> tuple[Problem, ...]:
        """Every problem of `document`, each once, in the order of the tree; empty where there is none.

        >>> from zom import v3
        >>> [p.pointer for p in v3.GroupSpec.check({"zarr_format": 3, "node_type": "grp"})]
        ['/node_type']
        """
        from zom.model.assembly import assemble  # noqa: PLC0415 - the assembly builds specs

        subject = document.to_dict() if isinstance(document, Spec) else document
        return assemble(cls, subject, level, limits=limits)[1]

    # --- the document ------------------------------------------------------------------------

    @property
    def _private(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self.__pydantic_private__)

    @property
    def document(self) -> JSONDict:
        """The node's own document, without its members, as it was spelled.

        >>> from zom import v3
        >>> v3.GroupSpec(attributes={"a": 1}).document
        {'zarr_format': 3, 'node_type': 'group', 'attributes': {'a': 1}}
        """
        return cast("JSONDict", self._private["document"])

    @property
    def level(self) -> Level:
        """How strictly the document was checked when this spec was made."""
        return cast("Level", self._private["level"])

    def to_dict(self) -> dict[str, Any]:
        """The whole document, members included, as ordinary dicts and lists.

        >>> from zom import v3
        >>> v3.GroupSpec(members={}).to_dict()
        {'zarr_format': 3, 'node_type': 'group', 'members': {}}
        """
        from zom.model.output import to_dict  # noqa: PLC0415 - output walks trees of specs

        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """The whole document, members included, as JSON text.

        >>> from zom import v3
        >>> v3.GroupSpec(members={}).to_json()
        '{"zarr_format": 3, "node_type": "group", "members": {}}'
        """
        from zom.model.output import to_json  # noqa: PLC0415 - output walks trees of specs

        return to_json(self, indent=indent)

    def replace(self, *, level: Level | None = None, **changes: Any) -> Self:
        """A copy with members of the document changed, checked as the original was.

        The value `zom.ABSENT` takes a member away. Members of the document that zom does not
        know are kept.

        >>> from zom import v3
        >>> v3.GroupSpec(members={}).replace(attributes={"a": 1}).attributes
        {'a': 1}
        """
        from zom.model.assembly import replace  # noqa: PLC0415 - the assembly builds specs

        return replace(self, changes, level or self.level)

    # --- comparing ---------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Spec):
            return NotImplemented
        if self.family is not other.family or self.kind != other.kind:
            return False
        return same(self.document, other.document)

    def __hash__(self) -> int:
        return hash((self.family.form, self.kind, exact_key(self.document)))

    # --- copying, pickling, printing -----------------------------------------------------------

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from zom.model.assembly import revive  # noqa: PLC0415 - the assembly builds specs

        meta = type(self).__pydantic_generic_metadata__
        origin = meta["origin"] or type(self)
        return (revive, (origin, meta["args"], self.to_json(), self.level))

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        yield from ((name, value) for name, value in self.document.items())

    def __str__(self) -> str:
        return repr(self)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith(("model_", "_"))]

    # --- pydantic ------------------------------------------------------------------------------

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner = handler(source)

        def enter(value: Any, inner_validator: Any, info: Any) -> Any:
            if info.context is RAW or isinstance(value, cls):
                return inner_validator(value)
            if isinstance(value, Spec):
                return cls.parse(value.to_dict(), value.level)
            return cls.parse(value)

        return core_schema.with_info_wrap_validator_function(
            enter,
            inner,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda spec: spec.to_dict()),
        )

    if not TYPE_CHECKING:

        @classmethod
        def model_validate(cls, obj: Any, **_options: Any) -> Self:
            """As `parse`, or the spec itself."""
            if isinstance(obj, cls):
                return obj
            return cls.parse(obj.to_dict(), obj.level) if isinstance(obj, Spec) else cls.parse(obj)

        @classmethod
        def model_validate_json(cls, json_data: str | bytes, **_options: Any) -> Self:
            """As `parse`."""
            return cls.parse(json_data)

        def model_dump(self, **_options: Any) -> dict[str, Any]:
            """As `to_dict`: a document is written whole or not at all."""
            return self.to_dict()

        def model_dump_json(self, *, indent: int | None = None, **_options: Any) -> str:
            """As `to_json`."""
            return self.to_json(indent=indent)

        def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
            """As `replace`: a copy is checked like any other spec."""
            del deep
            return self.replace(**update) if update else self


