"""All extensions that come with zom: importing this module loads them."""

from zom import chunk_keys, codecs, dtypes, grids
from zom.extension.codec import codecs as codec_registry
from zom.extension.datatype import data_types
from zom.extension.grid import chunk_grids
from zom.extension.keys import chunk_key_encodings

__all__ = ["chunk_keys", "codecs", "dtypes", "grids"]

for _registry in (codec_registry, data_types, chunk_grids, chunk_key_encodings):
    _registry.own()
