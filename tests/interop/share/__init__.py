"""The share of its cases that a long script runs: ZOM_SHARE=2/3 is the second of three shares, without it all run.

Each commit runs another share in CI, and ZOM_DEEP=1 runs everything. A case is in the same share in each script and
each run, since its name decides.
"""

from __future__ import annotations

import os
from zlib import crc32

_own, _, _all = os.environ.get("ZOM_SHARE", "1/1").partition("/")
OWN, SHARES = int(_own), int(_all)
if not 1 <= OWN <= SHARES:
    raise SystemExit(
        f"expected ZOM_SHARE as 1/10, 2/10 and so on to 10/10, found {os.environ['ZOM_SHARE']!r}"
    )

WHOLE = SHARES == 1
"""Whether all cases run."""


def is_chosen(name: str) -> bool:
    """Whether the case or the row of cases called `name` runs."""
    return crc32(name.encode()) % SHARES == OWN - 1
