"""4.0 is an integer to a convention, as to JSON Schema; the limits of its member hold for it, too."""

from __future__ import annotations

import pytest
from pydantic import Field

from zom.conventions.framework.attributes import Attributes, faults_in


class Plate(Attributes, key="plate"):
    id: int = Field(ge=0, le=9)
    row: int | None = Field(default=None, gt=0, lt=9)


@pytest.mark.parametrize("name", ["id", "row"])
@pytest.mark.parametrize("value", [4, 4.0, -1, -1.0, -1e300, 1e300, 10.0, 9.5, -0.5])
def test_what_lies_beyond_a_limit_is_a_fault_however_it_is_written(name: str, value: float) -> None:
    faults = faults_in(Plate, {"plate": {"id": 1, name: value}})
    assert faults is not None
    assert [fault.path for fault in faults] == ([] if value == 4 else [("plate", name)])
