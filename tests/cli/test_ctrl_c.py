"""Ctrl-C at any moment of a process: 130 and one line, or the end that was reached already.

The process is interrupted at chosen steps of its own, before the verb, in it, and behind it, and at moments of a clock.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

import zom
from zom import v3

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal for one process")

# Where the tests run in the background of a shell, the signal is ignored, and children inherit that.
HEEDING = "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
PRESS = "signal.raise_signal(signal.SIGINT)"
START = "import zom.cli.start\nzom.cli.start.heed()\n"
RUN = "sys.exit(zom.cli.start.start())\n"


@pytest.fixture
def place(tmp_path):
    zom.materialize(
        v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(9,), dtype="int8")}), tmp_path / "a.zarr"
    )
    return tmp_path


def ended(place, code, *arguments):
    """The exit code of a process, and the lines of its messages."""
    done = subprocess.run(
        [sys.executable, "-c", HEEDING + code, *arguments],
        cwd=place,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr.decode().splitlines()


def test_before_the_verb_is_known(place):
    assert ended(place, START + PRESS, "tree", "a.zarr") == (130, ["zom: interrupted"])


@pytest.mark.parametrize(
    "module", ["zom.cli.main", "zom.cli.outcome", "zom.cli.tree", "numpy", "pydantic_core"]
)
def test_while_a_module_is_imported(place, module):
    """numpy and pydantic make other errors of an interrupt in their imports."""
    finder = f"""
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {PRESS}
sys.meta_path.insert(0, Finder())
"""
    code, lines = ended(place, START + finder + RUN, "info", "a.zarr::a")
    if module == "zom.cli.tree":
        assert (code, lines) == (0, [])  # a verb that is not called is not imported
        return
    early = module in {"zom.cli.main", "zom.cli.outcome"}
    assert (code, lines) == (130, ["zom: interrupted" if early else "zom info: interrupted"])


def test_while_the_verb_works(place):
    work = f"import zom.cli.tree\nzom.cli.tree.run = lambda _: {PRESS}\n"
    assert ended(place, START + work + RUN, "tree", "a.zarr") == (130, ["zom tree: interrupted"])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers for a process")
@pytest.mark.parametrize("depth", ["press()", "(lambda: [press() for _ in range(1)])()"])
def test_while_an_object_is_finalized_by_the_verb(place, depth):
    """Python drops what is raised there: the verb would go on to its end."""
    work = f"""
import time, zom.cli.tree
def press():
    {PRESS}
class Dropped:
    def __del__(self):
        {depth}
def run(_):
    Dropped()
    time.sleep(50)
zom.cli.tree.run = run
"""
    assert ended(place, START + work + RUN, "tree", "a.zarr") == (130, ["zom tree: interrupted"])


def test_while_the_message_is_printed_and_after_the_verb(place):
    twice = f"""
import zom.cli.main, zom.cli.tree
def run(_):
    raise KeyboardInterrupt
zom.cli.tree.run = run
zom.cli.main.tell = lambda *_: {PRESS}
"""
    assert ended(place, START + twice + RUN, "tree", "a.zarr") == (130, ["zom tree: interrupted"])
    after = f"code = zom.cli.start.start()\n{PRESS}\n"
    assert ended(place, START + after, "tree", "a.zarr") == (130, ["zom tree: interrupted"])


def test_while_threads_are_waited_for(place):
    waiting = """
import threading, time, os
def wait():
    while threading.main_thread().is_alive():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(50)
threading.Thread(target=wait).start()
"""
    assert ended(place, START + waiting + RUN, "tree", "a.zarr") == (130, ["zom tree: interrupted"])


def test_when_all_is_done_it_changes_nothing(place):
    """The interpreter takes itself down, without any handler of Python: the signal would end the process."""
    late = """
class Late:
    def __del__(self, press=signal.raise_signal, number=signal.SIGINT):
        press(number)
kept = Late()
"""
    assert ended(place, late + START + RUN, "tree", "a.zarr") == (0, [])


def test_what_ignores_the_signal_goes_on_ignoring_it(place):
    ignoring = "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    assert ended(place, ignoring + START + PRESS + "\n" + RUN, "tree", "a.zarr") == (0, [])


def test_what_calls_the_command_in_its_own_process_keeps_its_handler(place):
    calls = "from zom.cli.main import main\nmain(['tree', 'a.zarr'])\nassert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    assert ended(place, calls) == (0, [])


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["stats", "validate", "copy"])
def test_at_moments_of_a_clock(place, verb):
    root = zom.open(place / "a.zarr", mode="r+")
    root.create_array("many", shape=(2000,), dtype="int8", chunks=(10,))[:] = 1
    undisturbed = (
        0,
        ended(place, START + RUN, verb, "a.zarr", *(["copy.zarr"] if verb == "copy" else []))[1],
    )
    others: list[object] = []
    for at in range(12):
        arguments = [verb, "a.zarr", *([f"copy{at}.zarr"] if verb == "copy" else [])]
        code = f"{HEEDING}{START}print('up', flush=True)\n{RUN}"
        with subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as child:
            assert child.stdout.readline() == b"up\n"
            time.sleep(random.uniform(0, 0.1 * (at + 1)))
            child.send_signal(signal.SIGINT)
            told = child.communicate(timeout=60)[1].decode().splitlines()
        if (child.returncode, told) != undisturbed and not (
            child.returncode == 130 and len(told) == 1 and "interrupted" in told[0]
        ):
            others.append((child.returncode, told))
    assert others == []
