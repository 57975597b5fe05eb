"""The `uuid` data type: 16 bytes, with a fill value such as "123e4567-e89b-12d3-a456-426614174000"."""

from __future__ import annotations

import uuid as standard
from collections.abc import Iterable  # noqa: TC003 - plainly, for those who read
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from zom.errors import SpecError
from zom.extension import DataType, DataTypeFamily, Fault, data_types, rule

__all__ = ["UuidFamily", "UuidType", "uuid"]

FILL = rule(
    "fill-value/uuid",
    "the fill value of a uuid is a text of 32 hexadecimal digits with hyphens",
    source="the uuid data type, fill value",
)
_PATTERN = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


@dataclass(frozen=True)
class UuidType(DataType):
    """One type, without parameters. Elements are `numpy.void` of 16 bytes in memory."""

    @property
    @override
    def name(self) -> str:
        return "uuid"

    @property
    @override
    def kind(self) -> Any:
        return "raw"

    @property
    @override
    def itemsize(self) -> int:
        return 16

    @override
    def numpy(self) -> np.dtype[Any]:
        return np.dtype("V16")

    @override
    def to_v3(self) -> str:
        return "uuid"

    @override
    def parse_fill(self, value: Any, form: str, faults: list[Fault], path: tuple[str | int, ...] = ()) -> Any:
        found = _read(value)
        if found is None:
            faults.append(Fault(FILL, path, "a uuid in lower case, with hyphens", repr(value)))
            return None
        return np.void(found.bytes)

    @override
    def fill_schema(self, form: str) -> dict[str, Any]:
        return {"type": "string", "pattern": _PATTERN}

    @override
    def fill_json(self, scalar: Any, form: str) -> str:
        return str(standard.UUID(bytes=bytes(scalar)))

    @override
    def default(self) -> Any:
        return np.void(bytes(16))

    @override
    def cast(self, value: object) -> Any:
        if isinstance(value, standard.UUID):
            return np.void(value.bytes)
        if isinstance(value, np.void) and value.nbytes == 16:
            return value
        faults: list[Fault] = []
        made = self.parse_fill(value, "v3", faults)
        if faults:
            raise SpecError([fault.problem() for fault in faults], "fill value")
        return made


def _read(value: object) -> standard.UUID | None:
    try:
        made = standard.UUID(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return made if str(made) == value else None


class UuidFamily(DataTypeFamily):
    """Recognises `uuid` in documents of Zarr v3; v2 and the draft have no such type."""

    @property
    @override
    def name(self) -> str:
        return "uuid"

    @property
    @override
    def registered(self) -> bool:
        return False  # zarr-extensions doesn't list it

    @override
    def fill_schema(self, form: str) -> dict[str, Any]:
        return UuidType().fill_schema(form)

    @override
    def from_v3(
        self, name: str, configuration: Any, faults: list[Fault], path: tuple[str | int, ...]
    ) -> DataType:
        return UuidType()

    @override
    def from_numpy(self, dtype: np.dtype[Any]) -> DataType | None:
        return None  # V16 is zom's own `raw_bytes`

    @override
    def examples(self) -> Iterable[DataType]:
        return (UuidType(),)


uuid = data_types.register(UuidFamily())
"""The family of `uuid`."""
