"""Memory is bounded by what the documents declare, not by what the chunks say of themselves."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

MIB = 1 << 20


@pytest.fixture(scope="module")
def peaks(tmp_path_factory):
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("the peak of a process is forgotten in /proc/self/clear_refs, which this system lacks")
    script = Path(__file__).with_name("memory_peaks.py")
    folder = str(tmp_path_factory.mktemp("arrays"))
    made = subprocess.run(
        [sys.executable, str(script), folder], capture_output=True, text=True, timeout=120, check=False
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


@pytest.mark.slow
def test_no_bomb_takes_more_than_two_chunks_and_a_little(peaks):
    most = 2 * peaks["chunk"] + 16 * MIB
    found = {name: growth for name, (growth, _) in peaks["bombs"].items() if growth > most}
    assert not found
    assert len(peaks["bombs"]) > 15


@pytest.mark.slow
def test_every_bomb_is_refused(peaks):
    read = [name for name, (_, outcome) in peaks["bombs"].items() if outcome != "refused"]
    assert not read


def test_reading_into_an_array_takes_two_chunks_a_thread(peaks):
    # A Python without the interpreter's lock keeps some memory that was given back, whatever is read.
    kept = 36 * MIB if sysconfig.get_config_var("Py_GIL_DISABLED") else 4 * MIB
    for name, (growth, threads) in peaks["reading"].items():
        assert growth <= 2 * threads * 4 * MIB + kept, name
