"""Mutated documents and chunks end no process, and are values or a `ZomError`. ZOM_FUZZ says how many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNT = os.environ.get("ZOM_FUZZ", "5000")


@pytest.mark.parametrize("what", ["documents", "chunks"])
def test_what_is_mutated_is_a_value_or_refused(what):
    script = Path(__file__).with_name(f"fuzz_{what}.py")
    made = subprocess.run([sys.executable, str(script), COUNT], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(f"{COUNT} {what} ")
