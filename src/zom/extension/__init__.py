"""Extensions: register your own codecs, data types, chunk grids and chunk key encodings.

A plugin needs to import only this module. The pages docs/extending*.md show complete files.

>>> from zom import extension
>>> extension.codecs["gzip"].kind
'bytes->bytes'
"""

from zom.errors import CodecError, ExtensionError
from zom.extension.axis import Axis
from zom.extension.bound import Array, ArrayCoder, Block, ByteCoder, Coder, Data, Form, Serializer, Stream
from zom.extension.codec import Bytes, Codec, CodecKind, Elements, Representation, codecs
from zom.extension.configuration import Configuration, NoConfiguration
from zom.extension.datatype import ByteOrder, DataType, DataTypeFamily, data_types
from zom.extension.field import EncodingOnly, ForEncoding, Interval, OrAbsent, Required
from zom.extension.grid import ChunkGrid, chunk_grids
from zom.extension.keys import ChunkKeyEncoding, KeyForm, KeyWriter, chunk_key_encodings
from zom.problems import Fault, rule

__all__ = [
    "Array",
    "ArrayCoder",
    "Axis",
    "Block",
    "ByteCoder",
    "ByteOrder",
    "Bytes",
    "ChunkGrid",
    "ChunkKeyEncoding",
    "Codec",
    "CodecError",
    "CodecKind",
    "Coder",
    "Configuration",
    "Data",
    "DataType",
    "DataTypeFamily",
    "Elements",
    "EncodingOnly",
    "ExtensionError",
    "Fault",
    "ForEncoding",
    "Form",
    "Interval",
    "KeyForm",
    "KeyWriter",
    "NoConfiguration",
    "OrAbsent",
    "Representation",
    "Required",
    "Serializer",
    "Stream",
    "chunk_grids",
    "chunk_key_encodings",
    "codecs",
    "data_types",
    "rule",
]
