"""The `default` chunk key encoding: `c/0/1`, or `c` for arrays without dimensions.

Zarr v3: https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/default/index.html
"""

from __future__ import annotations

from typing import Literal

from zom.extension.configuration import Configuration
from zom.extension.keys import ChunkKeyEncoding, KeyForm, chunk_key_encodings

__all__ = ["DefaultConfiguration", "DefaultEncoding", "default"]


class DefaultConfiguration(Configuration):
    """The separator between the numbers."""

    separator: Literal["/", "."] = "/"


class DefaultEncoding(ChunkKeyEncoding):
    """`default`: one key for each chunk."""

    name = "default"
    configuration = DefaultConfiguration

    def form(self, configuration: DefaultConfiguration) -> KeyForm:
        """Return keys that are `c`, then each number after a separator.

        >>> default.form(DefaultConfiguration(separator=".")).key((0, 1))
        'c.0.1'
        """
        return KeyForm(f"c{configuration.separator}", configuration.separator, "c")


default = chunk_key_encodings.register(DefaultEncoding())
"""The `default` chunk key encoding."""
