"""What GDAL writes into v2 documents where numcodecs asks for a number or for true and false.

GDAL spells what its own creation options are called: `"shuffle": "BIT"` for blosc (all but BYTE, which it
makes 1 of), and `"checksum": "NO"` for every zstd since 3.12. numcodecs reads such chunks, as they need
neither to be decoded, so zom reads them with a warning, and never writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zom.extension.configuration import field_words
from zom.problems import Fault, Path, rule, show

if TYPE_CHECKING:
    from pydantic import ValidatorFunctionWrapHandler

    from zom.extension.configuration import Configuration

__all__ = ["SHUFFLE_NAMES", "Spelled", "gdal_checksum", "gdal_fault", "gdal_shuffle"]

GDAL = rule(
    "codec/gdal-spelling",
    "blosc numbers its shuffles in v2, and the checksum of zstd is true or false; GDAL writes words",
    source="https://gdal.org/en/stable/drivers/raster/zarr.html, creation options",
    lenient="warning",
    schema=True,
)

SHUFFLE_NAMES: Final = {"NONE": 0, "BYTE": 1, "BIT": 2, "0": 0, "1": 1, "2": 2}
_CHECKSUMS: Final = {"NO": 0, "YES": 1}


class Spelled(int):
    """A number that the document spells as a word."""

    text: str

    @classmethod
    def of(cls, text: str, number: int) -> Spelled:
        """`number`, which the document calls `text`.

        >>> Spelled.of("BIT", 2) + 0, Spelled.of("BIT", 2).text
        (2, 'BIT')
        """
        made = cls(number)
        made.text = text
        return made


def gdal_shuffle(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """The number of a shuffle, also where its name stands."""
    return _read(SHUFFLE_NAMES, value, handler)


def gdal_checksum(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Whether there is a checksum, also where GDAL says so."""
    return _read(_CHECKSUMS, value, handler)


def _read(names: dict[str, int], value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    known = names.get(value) if isinstance(value, str) else None
    return handler(value) if known is None else Spelled.of(value, known)


def gdal_fault(configuration: Configuration, member: str, path: Path, faults: list[Fault]) -> None:
    """Add what is to be said of a number that was a word."""
    value = getattr(configuration, member)
    if isinstance(value, Spelled):
        expected = field_words(type(configuration), member)
        faults.append(Fault(GDAL, (*path, member), expected, show(value.text)))
