"""The `suffix` chunk key encoding: the keys of another encoding, with an ending such as `.tiff`.

https://github.com/zarr-developers/zarr-extensions/pull/28 is still open: the name is not registered yet.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from zom.errors import ExtensionError
from zom.extension.canonical import canonical_definition
from zom.extension.configuration import Configuration
from zom.extension.definition import parse_definition
from zom.extension.keys import ChunkKeyEncoding, KeyForm, chunk_key_encodings

__all__ = ["SuffixConfiguration", "SuffixEncoding", "suffix"]


class SuffixConfiguration(Configuration):
    """The suffix, and the encoding of the key before it."""

    suffix: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=100)]
    base_encoding: str | dict[str, Any]

    def canonical(self) -> dict[str, Any]:
        """Return the members with the base encoding in canonical form.

        >>> SuffixConfiguration(suffix=".tiff", base_encoding="v2").canonical()["base_encoding"]
        {'name': 'v2', 'configuration': {'separator': '.'}}
        """
        base = canonical_definition(self.base_encoding, chunk_key_encodings)
        return {"suffix": self.suffix, "base_encoding": base}


class SuffixEncoding(ChunkKeyEncoding):
    """`suffix`: one key for each chunk."""

    name = "suffix"
    configuration = SuffixConfiguration
    registered = False

    def form(self, configuration: SuffixConfiguration) -> KeyForm:
        """Return the keys of the base encoding with the suffix appended.

        >>> suffix.form(SuffixConfiguration(suffix=".tiff", base_encoding="default")).key((0, 1))
        'c/0/1.tiff'
        """
        base = parse_definition(configuration.base_encoding, [], (), must_understand_allowed=False)
        found = None if base is None else chunk_key_encodings.find(base.name)
        if base is None or found is None:
            name = configuration.base_encoding if base is None else base.name
            message = f"chunk_key_encoding: no chunk key encoding named {name!r} is registered"
            raise chunk_key_encodings.unknown(message, name)
        if found is self:
            raise ExtensionError(
                "chunk_key_encoding: expected a base encoding without a suffix, found one with a suffix; write one suffix for both"
            )
        inner: KeyForm = found.form(found.configuration.model_validate(dict(base.configuration)))
        ending = configuration.suffix
        return inner._replace(scalar=inner.scalar + ending, tail=inner.tail + ending)


suffix = chunk_key_encodings.register(SuffixEncoding())
"""The `suffix` chunk key encoding."""
