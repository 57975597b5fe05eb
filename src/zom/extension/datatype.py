"""Data types: what an element of an array is, and how each format spells it.

A `DataType` is one concrete type; a `DataTypeFamily` is what is registered: it recognises the types
of its kind in each format. One file under `zom.dtypes` holds a family with everything about it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from typing_extensions import override

from zom.errors import ConversionError
from zom.extension.answer import answer, at_fault
from zom.extension.configuration import Configuration, NoConfiguration, parse_configuration
from zom.extension.contract import BOOLEAN, CONFIGURATION, NAME, NAMES, Contract, method
from zom.extension.definition import is_name
from zom.extension.registry import Registry
from zom.extension.type_contract import Kind, type_faults
from zom.problems import Path, Problem, cause_text, given_text, rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np

    from zom.extension.bound import Array
    from zom.json.value import JSON, JSONDict
    from zom.problems import Fault

__all__ = [
    "ByteOrder",
    "DataType",
    "DataTypeFamily",
    "DataTypes",
    "Format",
    "Kind",
    "data_types",
    "made_by",
    "spelling_error",
]

AS_ITS_MODEL = rule(
    "data-type/configuration",
    "a data type has the configuration that its specification asks for",
    source="Zarr v3 core, data type; zarr-extensions, data types",
    schema=True,
)

Format = Literal["v2", "v3", "draft"]
"""A storage format whose spelling is meant."""

ByteOrder = Literal["little", "big"]
"""Which byte of an element comes first."""


class DataType(ABC):
    """One concrete data type. Instances are immutable, hashable and equal by value."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The v3 name."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """What sort of value an element is."""

    @property
    @abstractmethod
    def itemsize(self) -> int | None:
        """Bytes of one element in a chunk; None where elements differ in length."""

    @property
    def has_order(self) -> bool:
        """Whether the bytes of an element have an order, so that `bytes` needs `endian`."""
        return False

    @property
    def order(self) -> ByteOrder | None:
        """The byte order that the type itself states (v2, draft); None in v3 and for single bytes."""
        return None

    @property
    def object_codec(self) -> str | None:
        """The v2 object codec that holds such elements (`|O`); None for types of fixed size."""
        return None

    @abstractmethod
    def numpy(self) -> np.dtype[Any]:
        """The numpy type that holds the elements in memory."""

    @property
    def is_packed(self) -> bool:
        """Whether a chunk holds other bytes than memory: `dump` and `load` turn one into the other."""
        return False

    def dump(self, elements: Array, order: ByteOrder) -> Array:
        """The bytes of elements in a chunk: uint8, with a last dimension of `itemsize`; only of what is packed.

        CodecError where memory holds what is no element.
        """
        raise NotImplementedError(order, elements.shape)

    def load(self, stored: Array, order: ByteOrder) -> Array:
        """The elements, as `numpy()`, of bytes that `dump` made; only of what is packed.

        CodecError where the bytes are those of no element.
        """
        raise NotImplementedError(order, stored.shape)

    def present(self) -> DataType:
        """The type of the same elements under the name that new documents have."""
        return self

    def to_json(self, form: Format) -> JSON:
        """The spelling in `form`; ConversionError where `form` has none."""
        return _WRITERS[form](self)

    def to_v2(self) -> JSON:
        """The value of `dtype`; ConversionError where v2 has no such type."""
        raise spelling_error(self, "v2")

    def to_v3(self) -> JSON:
        """The value of `data_type`, a string wherever there is no configuration; ConversionError as above."""
        raise spelling_error(self, "v3")

    def to_draft(self) -> JSON:
        """A name of the draft's table, or an object with extension, type and fallback; ConversionError as above."""
        raise spelling_error(self, "draft")

    @abstractmethod
    def parse_fill(self, value: JSON, form: Format, faults: list[Fault], path: Path = ()) -> Any:
        """The scalar that a fill value stands for, bit for bit.

        What is wrong with `value` is added to `faults`; None is returned where no scalar can be
        made of it. A fault whose rule only warns at some level still returns the scalar.
        """

    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        """Whether `parse_fill` finds no fault in `value`, where that is seen without making a scalar; else False."""
        del value, form
        return False

    def fill_schema(self, form: Format) -> dict[str, Any]:
        """What `parse_fill` takes without an error at the level "strict", as JSON Schema.

        Any value where a type doesn't say; the schema that is exported is then as loose.
        """
        del form
        return {}

    @abstractmethod
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        """The one canonical spelling of `scalar` in `form`: parse_fill(fill_json(x)) is x, bit for bit."""

    @abstractmethod
    def default(self) -> Any:
        """The scalar that new arrays are filled with."""

    @abstractmethod
    def cast(self, value: object) -> Any:
        """`value` as a scalar of this type; SpecError where it is not one (no wrapping, no rounding of ints)."""


_WRITERS: Mapping[Format, Callable[[DataType], JSON]] = {
    "v2": lambda data_type: data_type.to_v2(),
    "v3": lambda data_type: data_type.to_v3(),
    "draft": lambda data_type: data_type.to_draft(),
}


def spelling_error(data_type: DataType, form: Format, why: str = "") -> ConversionError:
    """The error of a type that `form` can't spell."""
    found = f"{data_type.name}: {why}" if why else data_type.name
    problem = Problem("data-type/conversion", "error", "/", "", (), f"a data type that {form} knows", found)
    return ConversionError([problem], "data type")


class DataTypeFamily(ABC):
    """What is registered: it recognises its types in each format."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The v3 name, or the name of the pattern (`r*`)."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other v3 names of the same types."""
        return ()

    @property
    def registered(self) -> bool:
        """Whether the name stands in the core specification or in zarr-extensions."""
        return True

    @property
    def configuration(self) -> type[Configuration]:
        """The v3 configuration; one without members where the name says all."""
        return NoConfiguration

    @property
    def name_patterns(self) -> tuple[str, str] | None:
        """Two patterns: of the names that `claims` takes, and of those among them that are right."""
        return None

    def inspect_fill(self, value: JSON, faults: list[Fault], path: Path) -> None:
        """Checks what can be checked of a v3 fill value where the type itself can't be told."""
        del value, faults, path

    def fill_schema(self, form: Format) -> dict[str, Any]:
        """What any type of the family may take as a fill value, as JSON Schema."""
        del form
        return {}

    def claims(self, name: str) -> bool:
        """Whether a v3 `name` that is not in the registry (`r16`) is of this family."""
        del name
        return False

    def read_v3(
        self, name: str, configuration: JSONDict | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        """The type that a v3 document names: `from_v3`, of a configuration that is as its model says."""
        where = (*path, "configuration")
        found = parse_configuration(self.configuration, configuration or {}, AS_ITS_MODEL, faults, path=where)
        if found is None:
            return None
        return made_by(self, "from_v3", name, found, faults, path)

    @abstractmethod
    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        """The type that v3 calls `name`; `configuration` is an instance of the family's model.

        What the model doesn't say and is wrong is a fault at (*path, "configuration", ...).
        """

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        """The type that v2 spells `dtype`; None, and no fault, where this family doesn't know it."""
        del dtype, object_codec, faults, path
        return None

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        """The type that the draft spells `data_type`; None, and no fault, where it is another's."""
        del data_type, faults, path
        return None

    @abstractmethod
    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        """The type whose elements numpy holds as `dtype`; None where it is another's."""

    def examples(self) -> Iterable[DataType]:
        """Some types of the family: tests and support tables run over them."""
        return ()

    @override
    def __repr__(self) -> str:
        return f"<data type {self.name}>"


def _is_family_name(value: object) -> bool:
    return isinstance(value, str) and is_name(f"{value}x".replace("*x", "x"))


_CONTRACT = Contract(
    DataTypeFamily,
    (
        NAME._replace(
            words=f"{NAME.words}; or a pattern such as 'r*'",
            holds=_is_family_name,
        ),
        NAMES,
        CONFIGURATION,
        BOOLEAN,
        method("claims", "name"),
        method("fill_schema", "form"),
        method("inspect_fill", "value", "faults", "path"),
        method("from_v3", "name", "configuration", "faults", "path", is_own=True),
        method("from_v2", "dtype", "object_codec", "faults", "path"),
        method("from_draft", "data_type", "faults", "path"),
        method("from_numpy", "dtype", is_own=True),
        method("examples"),
    ),
)


def _faults(family: object) -> list[str]:
    """All that is missing or wrong in a family, and in the types that are its examples."""
    wrong = _CONTRACT.faults(family)
    return wrong if wrong or not isinstance(family, DataTypeFamily) else list(_answer_faults(family))


def _answer_faults(family: DataTypeFamily) -> Iterator[str]:
    try:
        schema = cast("object", family.fill_schema("v3"))
        if not isinstance(schema, dict):
            yield f"fill_schema: expected a JSON Schema, as a dict, found {given_text(schema)}"
        patterns: object = family.name_patterns
        if patterns is not None and not _are_patterns(patterns):
            yield f"name_patterns: expected two regular expressions, or None, found {given_text(patterns)}"
        if not isinstance(cast("object", family.claims("no-such-name")), bool):
            yield "claims: expected true or false"
        for made in family.examples():
            if not isinstance(cast("object", made), DataType):
                yield f"examples: expected data types, found {given_text(made)}"
                continue
            yield from (f"examples: {type(made).__name__}: {fault}" for fault in type_faults(made))
    except Exception as cause:  # noqa: BLE001 - a plugin may raise what it likes
        yield f"fill_schema, name_patterns, claims or examples raised {cause_text(cause)}"


def _are_patterns(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and len(cast("tuple[object, ...]", value)) == 2
        and all(isinstance(each, str) for each in cast("tuple[object, ...]", value))
    )


class DataTypes(Registry[DataTypeFamily]):
    """The families of data types; some answer for names of a pattern, as `r*` for `r16`."""

    @override
    def find(self, name: str) -> DataTypeFamily | None:
        found = self.known(name)
        # Names of a pattern of zom's own are no reason to load plugins.
        if found is None and not any(family.claims(name) for family in self.own()):
            found = super().find(name)
        return found

    def claimant(self, name: str) -> DataTypeFamily | None:
        """The family with a pattern for `name`, which nobody has registered.

        >>> data_types.claimant("r16").name, data_types.claimant("int8")
        ('r*', None)
        """
        return self.first(lambda family: family if family.claims(name) else None)


data_types = DataTypes("data type", "zom.dtypes", home="zom.dtypes", contract=_faults)
"""All data types that zom knows."""

_sound: set[DataType] = set()
_MOST_SOUND: Final = 1000


def made_by(family: DataTypeFamily, method: str, *arguments: Any) -> DataType | None:
    """What a method of `family` gives for the arguments: a type that keeps its contract, or None.

    Those of other packages are looked at: ExtensionError tells all that is wrong with the type.
    """
    if data_types.is_own(family):
        own: DataType | None = getattr(family, method)(*arguments)
        return own
    kinds, words = (DataType, type(None)), "a DataType or None"
    made: DataType | None = answer(family, method, kinds, words, *arguments)
    if made is None:
        return None
    wrong = type_faults(made) if not _is_sound(made) else []
    if wrong:
        raise at_fault(given_text(family), f"{method} gave a type that is at fault: {'; '.join(wrong)}")
    if len(_sound) < _MOST_SOUND:
        _sound.add(made)
    return made


def _is_sound(made: DataType) -> bool:
    try:
        return made in _sound
    except Exception:  # noqa: BLE001 - what has no hash is told with all else
        return False
