"""The `v2` chunk key encoding: `0.1`, or `0` for arrays without dimensions.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/v2/index.html
"""

from __future__ import annotations

from typing import Literal

from zom.extension.configuration import Configuration
from zom.extension.keys import ChunkKeyEncoding, KeyForm, chunk_key_encodings

__all__ = ["V2Configuration", "V2Encoding", "v2"]


class V2Configuration(Configuration):
    """The separator between the numbers."""

    separator: Literal["/", "."] = "."


class V2Encoding(ChunkKeyEncoding):
    """`v2`: one key for each chunk."""

    name = "v2"
    configuration = V2Configuration

    def form(self, configuration: V2Configuration) -> KeyForm:
        """Return keys that are the numbers alone, without a prefix.

        >>> v2.form(V2Configuration()).key((0, 1))
        '0.1'
        """
        return KeyForm("", configuration.separator, "0")


v2 = chunk_key_encodings.register(V2Encoding())
"""The `v2` chunk key encoding."""
