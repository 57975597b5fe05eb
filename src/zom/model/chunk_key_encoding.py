"""Chunk key encodings: how a chunk's place in the grid becomes a key, as documents say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from zom.model.registry import Registry

if TYPE_CHECKING:
    from zom.model.configuration import Configuration

__all__ = ["ChunkKeyEncoding", "chunk_key_encodings"]


class ChunkKeyEncoding:
    """One kind of key. Stateless; its configuration model holds all rules of the document."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    configuration: ClassVar[type[Configuration]]
    registered: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"<chunk key encoding {self.name}>"


chunk_key_encodings: Registry[ChunkKeyEncoding] = Registry(
    "chunk key encoding", "zom.chunk_key_encodings", home="zom.chunk_keys"
)
"""All chunk key encodings that zom knows."""
