"""Data types: the elements of an array, and their spelling in each format.

A `DataType` is one concrete type. Register a `DataTypeFamily`: it recognises the types of its kind in
each format. One module under `zom.dtypes` contains everything about a family.
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
    "a data type has the configuration that its specification requires",
    source="Zarr v3 core, data type; zarr-extensions, data types",
    schema=True,
)

Format = Literal["v2", "v3", "draft"]
"""The storage format of a spelling."""

ByteOrder = Literal["little", "big"]
"""The byte order of an element."""


class DataType(ABC):
    """One concrete data type. Instances are immutable, hashable and equal by value."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The v3 name."""

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The kind of value of an element."""

    @property
    @abstractmethod
    def itemsize(self) -> int | None:
        """The size of one element in a chunk, in bytes; None if elements vary in length."""

    @property
    def has_order(self) -> bool:
        """Whether elements have a byte order, so that the codec `bytes` needs `endian`."""
        return False

    @property
    def order(self) -> ByteOrder | None:
        """The byte order stated by the type itself (v2, draft); None in v3 and for single bytes."""
        return None

    @property
    def object_codec(self) -> str | None:
        """The v2 object codec for such elements (`|O`); None for types of fixed size."""
        return None

    @abstractmethod
    def numpy(self) -> np.dtype[Any]:
        """Return the numpy type of the elements in memory."""

    @property
    def is_packed(self) -> bool:
        """Whether chunks store other bytes than memory holds; `dump` and `load` convert between them."""
        return False

    def dump(self, elements: Array, order: ByteOrder) -> Array:
        """Return the bytes of elements of a packed type: uint8, with a last dimension of `itemsize`.

        Raise CodecError if memory holds invalid elements.
        """
        raise NotImplementedError(order, elements.shape)

    def load(self, stored: Array, order: ByteOrder) -> Array:
        """Return the elements of a packed type, as `numpy()`, for bytes written by `dump`.

        Raise CodecError if the bytes are no valid element.
        """
        raise NotImplementedError(order, stored.shape)

    def present(self) -> DataType:
        """Return the type of the same elements under the name used in new documents."""
        return self

    def to_json(self, form: Format) -> JSON:
        """Return the spelling in `form`; raise ConversionError if `form` has none."""
        return _WRITERS[form](self)

    def to_v2(self) -> JSON:
        """Return `dtype`, or raise ConversionError if v2 has no such type."""
        raise spelling_error(self, "v2")

    def to_v3(self) -> JSON:
        """Return `data_type`, a string if there is no configuration, or raise ConversionError."""
        raise spelling_error(self, "v3")

    def to_draft(self) -> JSON:
        """Return a name, or an object with extension, type and fallback, or raise ConversionError."""
        raise spelling_error(self, "draft")

    @abstractmethod
    def parse_fill(self, value: JSON, form: Format, faults: list[Fault], path: Path = ()) -> Any:
        """Return the scalar of a fill value, bit for bit.

        Add what is wrong with `value` to `faults`, and return None if it is no valid scalar. If the rule of
        a fault is only a warning at some level, still return the scalar.
        """

    def is_plain_fill(self, value: JSON, form: Format) -> bool:
        """Whether `value` is known to have no fault without making a scalar; False if that is unknown."""
        del value, form
        return False

    def fill_schema(self, form: Format) -> dict[str, Any]:
        """Return a JSON Schema of the values that `parse_fill` accepts at the level "strict".

        By default it allows any value, and so does the exported schema.
        """
        del form
        return {}

    @abstractmethod
    def fill_json(self, scalar: Any, form: Format) -> JSON:
        """Return the canonical spelling of `scalar` in `form`; `parse_fill` restores it bit for bit."""

    @abstractmethod
    def default(self) -> Any:
        """Return the default fill value of new arrays."""

    @abstractmethod
    def cast(self, value: object) -> Any:
        """Cast `value` to a scalar; raise SpecError if it is invalid (no wrapping, no rounding of ints)."""


_WRITERS: Mapping[Format, Callable[[DataType], JSON]] = {
    "v2": lambda data_type: data_type.to_v2(),
    "v3": lambda data_type: data_type.to_v3(),
    "draft": lambda data_type: data_type.to_draft(),
}


def spelling_error(data_type: DataType, form: Format, why: str = "") -> ConversionError:
    """Return the error for a type that `form` can't represent."""
    found = f"{data_type.name}: {why}" if why else data_type.name
    problem = Problem("data-type/conversion", "error", "/", "", (), f"a data type that {form} knows", found)
    return ConversionError([problem], "data type")


class DataTypeFamily(ABC):
    """A registered group of data types, which it recognises in each format."""

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
        """Whether the name is in the core specification or in zarr-extensions."""
        return True

    @property
    def configuration(self) -> type[Configuration]:
        """The v3 configuration; by default one without members."""
        return NoConfiguration

    @property
    def name_patterns(self) -> tuple[str, str] | None:
        """Two patterns: one for the names that `claims` accepts, and one for the valid names among them."""
        return None

    def inspect_fill(self, value: JSON, faults: list[Fault], path: Path) -> None:
        """Check a v3 fill value as far as possible if the type itself is unknown."""
        del value, faults, path

    def fill_schema(self, form: Format) -> dict[str, Any]:
        """Return a JSON Schema of the fill values that any type of the family may accept."""
        del form
        return {}

    def claims(self, name: str) -> bool:
        """Whether a v3 `name` that is not in the registry (`r16`) belongs to this family."""
        del name
        return False

    def read_v3(
        self, name: str, configuration: JSONDict | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        """Validate `configuration` and return the type from `from_v3`; return None if it is invalid."""
        where = (*path, "configuration")
        found = parse_configuration(self.configuration, configuration or {}, AS_ITS_MODEL, faults, path=where)
        if found is None:
            return None
        return made_by(self, "from_v3", name, found, faults, path)

    @abstractmethod
    def from_v3(self, name: str, configuration: Any, faults: list[Fault], path: Path) -> DataType | None:
        """Return the type with the v3 name `name`; `configuration` is an instance of the family's model.

        Report what the model doesn't check as faults at (*path, "configuration", ...).
        """

    def from_v2(
        self, dtype: JSON, object_codec: str | None, faults: list[Fault], path: Path
    ) -> DataType | None:
        """Return the type of a v2 `dtype`; return None, without a fault, for other families' types."""
        del dtype, object_codec, faults, path
        return None

    def from_draft(self, data_type: JSON, faults: list[Fault], path: Path) -> DataType | None:
        """Return the type of a draft `data_type`; return None, without a fault, for other families' types."""
        del data_type, faults, path
        return None

    @abstractmethod
    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        """Return the type for the numpy type `dtype`, or None if it belongs to another family."""

    def examples(self) -> Iterable[DataType]:
        """Return some types of the family, for tests and support tables."""
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
    """Return all missing and invalid members of a family and its examples."""
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
    except Exception as cause:  # noqa: BLE001 - a plugin may raise anything
        yield f"fill_schema, name_patterns, claims or examples raised {cause_text(cause)}"


def _are_patterns(value: object) -> bool:
    return (
        isinstance(value, tuple)
        and len(cast("tuple[object, ...]", value)) == 2
        and all(isinstance(each, str) for each in cast("tuple[object, ...]", value))
    )


class DataTypes(Registry[DataTypeFamily]):
    """The families of data types; some match names by a pattern, such as `r*` for `r16`."""

    @override
    def find(self, name: str) -> DataTypeFamily | None:
        found = self.known(name)
        # Don't load plugins for names that match a pattern of zom's own.
        if found is None and not any(family.claims(name) for family in self.own()):
            found = super().find(name)
        return found

    def claimant(self, name: str) -> DataTypeFamily | None:
        """Return the family whose pattern matches the unregistered `name`, or None.

        >>> data_types.claimant("r16").name, data_types.claimant("int8")
        ('r*', None)
        """
        return self.first(lambda family: family if family.claims(name) else None)


data_types = DataTypes("data type", "zom.dtypes", home="zom.dtypes", contract=_faults)
"""All known data types."""

_sound: set[DataType] = set()
_MOST_SOUND: Final = 1000


def made_by(family: DataTypeFamily, method: str, *arguments: Any) -> DataType | None:
    """Call a method of `family` and return its data type or None.

    Types of other packages are checked: an ExtensionError lists everything that is wrong with the type.
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
        raise at_fault(given_text(family), f"{method} returned an invalid type: {'; '.join(wrong)}")
    if len(_sound) < _MOST_SOUND:
        _sound.add(made)
    return made


def _is_sound(made: DataType) -> bool:
    try:
        return made in _sound
    except Exception:  # noqa: BLE001 - a type without a hash is reported with its other faults
        return False
