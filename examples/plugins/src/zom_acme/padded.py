"""The `padded` chunk key encoding: `c/0000/0012`, so that keys sort in numeric order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typing_extensions import override

from zom.extension import ChunkKeyEncoding, Configuration, Interval, KeyForm, KeyWriter, chunk_key_encodings

__all__ = ["PaddedConfiguration", "PaddedEncoding", "padded"]


class PaddedConfiguration(Configuration):
    """The minimum number of digits."""

    digits: Annotated[int, Interval(1, 9)] = 4


@dataclass(frozen=True)
class Padded(KeyWriter):
    """Zero-padded numbers, separated by slashes."""

    digits: int

    @override
    def key(self, coords: tuple[int, ...]) -> str:
        return "/".join(["c", *(f"{number:0{self.digits}}" for number in coords)])

    @override
    def coords(self, key: str, rank: int) -> tuple[int, ...] | None:
        """Return None for `c/01` if `key` returns `c/0001`: a chunk has one key."""
        numbers = key.split("/")[1:]
        if len(numbers) != rank or not all(number.isascii() and number.isdigit() for number in numbers):
            return None
        found = tuple(int(number) for number in numbers if len(number) < 400)
        return found if len(found) == rank and self.key(found) == key else None


class PaddedEncoding(ChunkKeyEncoding):
    """`padded`: one key for each chunk."""

    name = "padded"
    configuration = PaddedConfiguration
    registered = False

    @override
    def form(self, configuration: PaddedConfiguration) -> KeyForm:
        return KeyForm.written_by(Padded(configuration.digits))


padded = chunk_key_encodings.register(PaddedEncoding())
"""The `padded` chunk key encoding."""
