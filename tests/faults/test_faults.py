"""A sample of the faults: whatever call fails or kills, a reader finds the old state or the new one.

`python tests/faults/run.py` tries all of them.
"""

from __future__ import annotations

import sys

import pytest
import shim
from run import WORKER, Workers, told

SAMPLE = [
    "chunk partial write",
    "shard partial write",
    "attributes of an array, v3 consolidated",
    "append, v3",
]
OPTIONS = ["--every=9", "--early=12", "--signals=2"]


@pytest.mark.skipif(bool(shim.missing()), reason=shim.missing() or "nothing is missing")
def test_a_fault_leaves_the_old_state_or_the_new():
    results = Workers(sys.executable, WORKER, OPTIONS).run(SAMPLE, 1, told)
    assert [made["operation"] for made in results] == SAMPLE
    wrong = [line for made in results if made.get("failures", "broken") for line in told(made)]
    assert not wrong, "\n".join(wrong)
    assert all(made["outcomes"]["killed"] and made["outcomes"]["raised"] for made in results)
