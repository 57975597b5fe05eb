"""Words that GDAL writes into v2 documents in place of a number or a boolean.

GDAL writes the names of its creation options: `"shuffle": "BIT"` for blosc (all but BYTE, which it
writes as 1), and `"checksum": "NO"` for every zstd since 3.12. numcodecs reads such chunks, as decoding
needs neither, so zom reads them with a warning, and never writes them.
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
    """A number spelled as a word in the document."""

    text: str

    @classmethod
    def of(cls, text: str, number: int) -> Spelled:
        """Return `number` with its spelling `text`.

        >>> Spelled.of("BIT", 2) + 0, Spelled.of("BIT", 2).text
        (2, 'BIT')
        """
        made = cls(number)
        made.text = text
        return made


def gdal_shuffle(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Validate a shuffle number, accepting its name too."""
    return _read(SHUFFLE_NAMES, value, handler)


def gdal_checksum(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Validate whether there is a checksum, accepting GDAL's words too."""
    return _read(_CHECKSUMS, value, handler)


def _read(names: dict[str, int], value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    known = names.get(value) if isinstance(value, str) else None
    return handler(value) if known is None else Spelled.of(value, known)


def gdal_fault(configuration: Configuration, member: str, path: Path, faults: list[Fault]) -> None:
    """Add a fault if the member is a number spelled as a word."""
    value = getattr(configuration, member)
    if isinstance(value, Spelled):
        expected = field_words(type(configuration), member)
        faults.append(Fault(GDAL, (*path, member), expected, show(value.text)))
