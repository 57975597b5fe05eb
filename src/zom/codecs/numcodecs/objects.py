"""The v2 object codecs of numcodecs: json2, msgpack2, pickle and vlen-array.

They turn an array of Python objects (`|O`) into bytes. They are not registered for v3, where their names
would be `numcodecs.<id>`.

https://numcodecs.readthedocs.io/en/stable/other/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from zom.codecs.numcodecs.dtype import StatedType, stated_type, typestr
from zom.codecs.numcodecs.object_coders import Json2Coder, Msgpack2Coder, VlenArrayCoder
from zom.errors import ExtensionError
from zom.extension.bound import Block
from zom.extension.codec import Bytes, Codec, CodecKind, Representation, codecs
from zom.extension.configuration import Configuration
from zom.extension.field import ForEncoding, Interval
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from zom.extension.bound import Coder, Form

__all__ = [
    "Json2Configuration",
    "Msgpack2Configuration",
    "PickleConfiguration",
    "VlenArrayConfiguration",
    "json2",
    "msgpack2",
    "pickle",
    "vlen_array",
]

PICKLE = rule(
    "codec/pickle",
    "chunks are not pickled: zom never runs pickle",
    source="https://docs.python.org/3/library/pickle.html: only unpickle data you trust",
    lenient="warning",
    strict="warning",
    closed="warning",
)


class Json2Configuration(Configuration):
    """The options of Python's JSON encoder and decoder.

    >>> Json2Configuration().canonical()["separators"]
    [',', ':']
    """

    encoding: str = "utf-8"
    skipkeys: ForEncoding[bool] = False
    ensure_ascii: ForEncoding[bool] = True
    check_circular: ForEncoding[bool] = True
    allow_nan: ForEncoding[bool] = True
    sort_keys: ForEncoding[bool] = True
    indent: ForEncoding[int | str | None] = None
    separators: ForEncoding[Annotated[list[str], Field(min_length=2, max_length=2)] | None] = None
    strict: bool = True

    def canonical(self) -> dict[str, Any]:
        """Return all members, with the default separators for the indent."""
        separators = self.separators or ([",", ":"] if self.indent is None else [", ", ": "])
        return {**super().canonical(), "separators": separators}


class Msgpack2Configuration(Configuration):
    """The options of msgpack.

    >>> Msgpack2Configuration().use_bin_type
    True
    """

    raw: bool = False
    use_single_float: ForEncoding[bool] = False
    use_bin_type: ForEncoding[bool] = True


class PickleConfiguration(Configuration):
    """The version of pickle's format; -1 is the writer's newest.

    >>> PickleConfiguration().protocol
    5
    """

    protocol: ForEncoding[Annotated[int, Interval(-1)]] = 5


class VlenArrayConfiguration(Configuration):
    """The data type of the arrays that are the elements.

    >>> VlenArrayConfiguration(dtype="int16").canonical()
    {'dtype': '<i2'}
    """

    dtype: StatedType

    def canonical(self) -> dict[str, Any]:
        """Return the type, as a typestr."""
        return {"dtype": typestr(self.dtype)}


class ObjectCodec(Codec):
    """A codec from objects to bytes."""

    kind: ClassVar[CodecKind] = "array->bytes"
    holds_objects = True
    registered = False

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size."""
        del configuration, before, faults, path
        return Bytes()


class Json2(ObjectCodec):
    """A JSON list of the elements, their type and their shape."""

    name = "numcodecs.json2"
    v2_id = "json2"
    configuration = v2_configuration = Json2Configuration

    def bind(self, configuration: Json2Configuration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder with the options of Python's JSON encoder and decoder."""
        del after
        return Json2Coder(_elements(self, before), configuration)


class Msgpack2(ObjectCodec):
    """The same list in msgpack."""

    name = "numcodecs.msgpack2"
    v2_id = "msgpack2"
    configuration = v2_configuration = Msgpack2Configuration

    def bind(self, configuration: Msgpack2Configuration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder that uses the package msgpack."""
        del after
        return Msgpack2Coder(_elements(self, before), configuration)


class Pickle(ObjectCodec):
    """Python's pickle: decoding runs code from the file, so zom never does it."""

    name = "numcodecs.pickle"
    v2_id = "pickle"
    configuration = v2_configuration = PickleConfiguration

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size; add a warning."""
        fix = 'store objects with "vlen-utf8", "vlen-bytes" or "json2"'
        faults.append(Fault(PICKLE, path, "a codec that runs no code", show("pickle"), fix))
        return super().thread(configuration, before, faults, path)

    def bind(self, configuration: PickleConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Raise ExtensionError: zom never runs pickle."""
        del configuration, before, after
        message = "pickle data can run any code, so zom neither reads nor writes it"
        raise ExtensionError(f'{message}; store objects with "vlen-utf8", "vlen-bytes" or "json2"')


class VlenArray(ObjectCodec):
    """One-dimensional arrays, each preceded by its length in bytes."""

    name = "numcodecs.vlen-array"
    v2_id = "vlen-array"
    configuration = v2_configuration = VlenArrayConfiguration

    def thread(self, configuration: Any, before: Representation, faults: list[Fault], path: Path) -> Bytes:
        """Return bytes of variable size."""
        stated_type(configuration.dtype, faults, (*path, "configuration", "dtype"))
        return super().thread(configuration, before, faults, path)

    def bind(self, configuration: VlenArrayConfiguration, before: Form, after: Form) -> Coder[Any, Any]:
        """Return a coder for arrays of the stated type."""
        del after
        stated = stated_type(configuration.dtype, [], ())
        if stated is None or stated.itemsize is None:
            raise ExtensionError(f"vlen-array expects a type of fixed size, not {configuration.dtype!r}")
        return VlenArrayCoder(_elements(self, before), stated.numpy())


def _elements(codec: Codec, before: Form) -> Block:
    if not isinstance(before, Block):
        raise ExtensionError(f"the {codec.v2_id} codec expects elements")
    return before


json2 = codecs.register(Json2())
msgpack2 = codecs.register(Msgpack2())
pickle = codecs.register(Pickle())
vlen_array = codecs.register(VlenArray())
