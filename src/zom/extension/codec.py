"""Codecs, as documents: names, configurations, and what goes in and comes out of each.

A codec turns one representation of a chunk into another: `Elements` (an array of a shape and type)
or `Bytes`. One file under `zom.codecs` holds a codec with everything about it.
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
"""What a codec takes and gives when it encodes."""


@dataclass(frozen=True, slots=True)
class Elements:
    """A chunk as an array. What is not known (an unknown name before it) is None.

    `lengths` holds, for each dimension, every length that a chunk can have there: one for a regular
    grid, several for a rectilinear one.
    """

    lengths: tuple[tuple[int, ...], ...] | None
    data_type: DataType | None
    fill: Any = None

    @property
    def count(self) -> int | None:
        """How many elements a chunk has, where all chunks have the same number.

        >>> Elements(((2,), (3,)), None).count
        6
        """
        if self.lengths is None or any(len(choices) != 1 for choices in self.lengths):
            return None
        return math.prod(choices[0] for choices in self.lengths)


@dataclass(frozen=True, slots=True)
class Bytes:
    """A chunk as bytes; `size` is their number where it is the same for all chunks, else None."""

    size: int | None = None


Representation: TypeAlias = Elements | Bytes
"""What stands between two codecs."""


class Codec(ABC):
    """One codec, as documents name it. Stateless; the configuration is passed in."""

    name: ClassVar[str]
    """The v3 name."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other v3 names that are read as this codec, never written."""
    kind: ClassVar[CodecKind]
    configuration: ClassVar[type[Configuration]] = NoConfiguration
    """The v3 configuration."""
    v2_id: ClassVar[str | None] = None
    """The id in v2 filters and compressors; None where v2 has no such codec."""
    v2_configuration: ClassVar[type[Configuration]] = NoConfiguration
    """The v2 form, without `id`."""
    holds_objects: ClassVar[bool] = False
    """Whether it is a v2 object codec: it turns Python objects (`|O`) into bytes."""
    draft_name: ClassVar[str | None] = None
    """The last part of the draft's URI, before the version: `gzip`."""
    draft_configuration: ClassVar[type[Configuration] | None] = None
    """The draft's configuration where it is not the v3 one."""
    sees_lengths: ClassVar[bool] = True
    """Whether `thread` may find other faults in chunks of other lengths, or with another fill value.

    Where it asks only for the data type and the number of dimensions, one verdict counts for all."""
    registered: ClassVar[bool] = True
    """Whether the name stands in the core specification or in zarr-extensions."""

    @abstractmethod
    def thread(
        self,
        configuration: Any,
        before: Representation,
        faults: list[Fault],
        path: Path,
    ) -> Representation | None:
        """What comes out of encoding `before`; None where it can't be told.

        Rules that need shape, type or fill value are checked here; `path` leads to the codec's own
        definition, so a fault in its configuration has the path (*path, "configuration", ...).
        """

    def bind(self, configuration: Any, before: Form, after: Form) -> Coder[Any, Any]:
        """The codec, ready for chunks like `before`, of which `thread` says that they become `after`.

        What is missing to run it (a package that is not installed) is an ExtensionError.
        """
        del configuration, before, after
        message = f"the codec {self.name!r} can be written in documents, but not run: it has no `bind`"
        raise ExtensionError(message)

    def inspect(self, configuration: JSONDict, faults: list[Fault], path: Path) -> None:
        """Checks what can be checked of a configuration that the model refuses: lists of codecs in it."""
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
        optional("v2_id", "a text", str),
        CONFIGURATION._replace(name="v2_configuration"),
        BOOLEAN._replace(name="holds_objects"),
        optional("draft_name", "a text", str),
        optional("draft_configuration", "a subclass of Configuration", type(Configuration)),
        method("thread", "configuration", "before", "faults", "path", is_own=True),
        method("bind", "configuration", "before", "after", is_own=True),
    ),
)


class Codecs(Registry[Codec]):
    """The codecs by v3 name; v2 and the draft have names of their own for some."""

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
        """The codec that v2 documents name by this id.

        >>> codecs.of_v2("zlib")
        <codec numcodecs.zlib>
        """
        # Most are called alike in v3, and to ask the file of that name first saves to load all the others.
        for alike in (name, f"numcodecs.{name}"):
            found = self.in_own_file(alike)
            if found is not None and found.v2_id == name:
                return found
        return self.first(lambda codec: codec if codec.v2_id == name else None)


codecs = Codecs("codec", "zom.codecs", home="zom.codecs", contract=_CONTRACT.faults)
"""All codecs that zom knows, by v3 name."""


def v2_codecs() -> dict[str, Codec]:
    """All codecs that v2 documents can name, by id."""
    return {codec.v2_id: codec for codec in codecs if codec.v2_id is not None}
