"""The arrays that zom and its peers exchange: documents, and what is put into them.

Every data type goes through every codec that can take it, in each format; then come shapes, fill values,
keys and missing chunks. A draft array is told by a v2 document: what was written under the name of v3 in
2021 had the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

SHAPE, CHUNK = (5, 3), (3, 2)
WHOLE = (6, 4)
"""A shape of whole chunks, for codecs whose encoding of edges differs."""


@dataclass(frozen=True)
class Case:
    """One array. `data_type` and `codec` are its row and its column in the table of support."""

    form: str
    data_type: str
    codec: str
    document: dict[str, Any]
    variant: str = ""
    kind: str = "any"
    region: tuple[tuple[int, int], ...] = ()
    """What is written, where that isn't everything: start and stop along each dimension."""
    lossy: bool = False

    @property
    def row(self) -> str:
        """The row of the table of support."""
        return f"{self.form} {self.data_type}"

    @property
    def name(self) -> str:
        return " ".join(part for part in (self.form, self.data_type, self.codec, self.variant) if part)


def cases() -> Iterator[Case]:
    """All of them; names are unique."""
    from cases_shapes import shapes
    from cases_v2 import draft_cases, v2_cases
    from cases_v3 import v3_cases

    seen: set[str] = set()
    for source in (v3_cases, v2_cases, draft_cases, shapes):
        for case in source():
            if case.name in seen:
                raise ValueError(f"two cases are called {case.name}")
            seen.add(case.name)
            yield case
