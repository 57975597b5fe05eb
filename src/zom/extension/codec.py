"""Codecs in documents: names, configurations, and the input and output of each.

A codec turns one representation of a chunk into another: `Elements` (an array with a shape and type)
or `Bytes`. One module under `zom.codecs` contains everything about a codec.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from typing_extensions import override

from zom.dataclass import dataclass
from zom.errors import ExtensionError
from zom.extension.configuration import Configuration, NoConfiguration
from zom.extension.contract import BOOLEAN, CONFIGURATION, NAME, NAMES, Contract, method, one_of, optional
from zom.extension.registry import Registry

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form
    from zom.extension.datatype import DataType
    from zom.json.value import JSONDict
    from zom.problems import Fault, Path

__all__ = ["Bytes", "Codec", "CodecKind", "Codecs", "Elements", "Representation", "codecs", "v2_codecs"]

CodecKind = Literal["array->array", "array->bytes", "bytes->bytes"]
"""The input and output of a codec when it encodes."""


@dataclass(frozen=True, slots=True)
class Elements:
    """A chunk as an array. Unknown values (after an unknown codec) are None.

    `lengths` holds the possible chunk lengths of each dimension: one for a regular grid, several for a
    rectilinear one.
    """

    lengths: tuple[tuple[int, ...], ...] | None
    data_type: DataType | None
    fill: Any = None

    @property
    def count(self) -> int | None:
        """The number of elements of a chunk; None if it is unknown or varies.

        >>> Elements(((2,), (3,)), None).count
        6
        """
        if self.lengths is None or any(len(choices) != 1 for choices in self.lengths):
            return None
        return math.prod(choices[0] for choices in self.lengths)


@dataclass(frozen=True, slots=True)
class Bytes:
    """A chunk as bytes; `size` is their number if it is the same for all chunks, None otherwise."""

    size: int | None = None


Representation: TypeAlias = Elements | Bytes
"""The form of a chunk between two codecs."""


class Codec(ABC):
    """One codec, as named in documents. Stateless; methods take the configuration as an argument."""

    name: ClassVar[str]
    """The v3 name."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other v3 names that are read as this codec, never written."""
    kind: ClassVar[CodecKind]
    configuration: ClassVar[type[Configuration]] = NoConfiguration
    """The v3 configuration."""
    v2_id: ClassVar[str | None] = None
    """The id in v2 filters and compressors; None if v2 has no such codec."""
    v2_configuration: ClassVar[type[Configuration]] = NoConfiguration
    """The v2 form, without `id`."""
    holds_objects: ClassVar[bool] = False
    """Whether it is a v2 object codec: it turns Python objects (`|O`) into bytes."""
    draft_name: ClassVar[str | None] = None
    """The last part of the draft's URI, before the version: `gzip`."""
    draft_configuration: ClassVar[type[Configuration] | None] = None
    """The draft's configuration, if it differs from v3."""
    sees_lengths: ClassVar[bool] = True
    """Whether the faults that `thread` finds may depend on chunk lengths or the fill value.

    If they depend only on the data type and the number of dimensions, one result is used for all."""
    registered: ClassVar[bool] = True
    """Whether the name is in the core specification or in zarr-extensions."""

    @abstractmethod
    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Representation | None:
        """Return the result of encoding `before`, or None if unknown.

        Check rules that need shape, type or fill value here. `path` is the path of the codec's definition,
        so a fault in its configuration has the path (*path, "configuration", ...).
        """

    def bind(self, configuration: Any, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder for chunks like `before`, which `thread` turns into `after`.

        Raise ExtensionError if a requirement is missing, such as a package that is not installed.
        """
        del configuration, before, after
        message = f"the codec {self.name!r} can be written in documents, but not run: it has no `bind`"
        raise ExtensionError(message)

    def inspect(self, configuration: JSONDict, faults: list[Fault], path: Path) -> None:
        """Check the lists of codecs in a configuration that the model rejects."""
        del configuration, faults, path

    def __repr__(self) -> str:
        return f"<codec {self.name}>"


_CONTRACT = Contract(
    Codec,
    (
        NAME,
        NAMES,
        one_of("kind", CodecKind),
        CONFIGURATION,
        BOOLEAN,
        optional("v2_id", "a string", str),
        CONFIGURATION._replace(name="v2_configuration"),
        BOOLEAN._replace(name="holds_objects"),
        optional("draft_name", "a string", str),
        optional("draft_configuration", "a subclass of Configuration", type(Configuration)),
        method("thread", "configuration", "before", "faults", "path", is_own=True),
        method("bind", "configuration", "before", "after", is_own=True),
    ),
)


class Codecs(Registry[Codec]):
    """The codecs by v3 name; v2 and the draft name some of them differently."""

    @override
    def _refuse_taken(self, extension: Codec) -> None:
        super()._refuse_taken(extension)
        for member in ("v2_id", "draft_name"):
            name = getattr(extension, member)
            other = next((each for each in self._all if name and getattr(each, member) == name), None)
            if other is not None:
                raise ExtensionError(
                    f"a codec with the {member} {name!r} is registered already: {self._owner(other)}"
                )

    def of_v2(self, name: str) -> Codec | None:
        """Return the codec with this v2 id, or None.

        >>> codecs.of_v2("zlib")
        <codec numcodecs.zlib>
        """
        # Most have a similar name in v3; trying the file of that name first avoids loading all others.
        for alike in (name, f"numcodecs.{name}"):
            found = self.in_own_file(alike)
            if found is not None and found.v2_id == name:
                return found
        return self.first(lambda codec: codec if codec.v2_id == name else None)


codecs = Codecs("codec", "zom.codecs", home="zom.codecs", contract=_CONTRACT.faults)
"""All known codecs, by v3 name."""


def v2_codecs() -> dict[str, Codec]:
    """Return all codecs that v2 documents can name, by id."""
    return {codec.v2_id: codec for codec in codecs if codec.v2_id is not None}
