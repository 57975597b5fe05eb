"""Mutated chunks end no process, and are elements or a `ZomError`. ZOM_FUZZ says how many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHUNKS = os.environ.get("ZOM_FUZZ", "50000")


def test_mutated_chunks_are_elements_or_refused():
    script = Path(__file__).with_name("fuzz_chunks.py")
    made = subprocess.run(
        [sys.executable, str(script), CHUNKS], capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(f"{CHUNKS} chunks of ")
