"""The command on a real terminal: colours, progress and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

import zom
from zom import v3

pty = pytest.importorskip("pty", reason="there are no pseudo terminals on this system", exc_type=ImportError)


@pytest.fixture
def terminal(tmp_path):
    """Runs the command on a terminal of 80 columns: what it shows, and its exit code."""

    def run(*arguments, until=None, **environment):
        child, end = pty.fork()
        if child == 0:
            os.chdir(tmp_path)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            env = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "TERM"}}
            os.execve(
                sys.executable,
                [sys.executable, "-m", "zom", *arguments],
                {**env, "TERM": "xterm", "COLUMNS": "80", **environment},
            )
        shown, pressed, stop = b"", False, time.monotonic() + 120
        while time.monotonic() < stop:
            try:
                part = os.read(end, 65536)
            except OSError:  # the terminal is closed: the command has ended
                break
            if not part:
                break
            shown += part
            if until is not None and not pressed and until in shown:
                pressed = True
                os.write(end, b"\x03")
        _, status = os.waitpid(child, 0)
        os.close(end)
        return shown.decode(), os.waitstatus_to_exitcode(status)

    return run


@pytest.fixture
def bad(tmp_path):
    (tmp_path / "bad.json").write_text('{"zarr_format": 3, "node_type": "grp"}')


def test_severities_have_colours_on_a_terminal(terminal, bad):
    shown, code = terminal("validate", "bad.json")
    assert code == 1
    assert "\x1b[31merror\x1b[0m" in shown


@pytest.mark.parametrize(
    ("more", "environment"), [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--color", "never"], {})]
)
def test_colours_can_be_turned_off(terminal, bad, more, environment):
    assert "\x1b[" not in terminal("validate", "bad.json", *more, **environment)[0]


@pytest.mark.parametrize("arguments", [["--help"], ["tree", "--help"], ["--color", "always", "tree", "-h"]])
@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}], ids=["plain", "forced"])
def test_help_is_plain(terminal, arguments, environment):
    """Python 3.14 colours it by itself."""
    shown, code = terminal(*arguments, **environment)
    assert code == 0
    assert shown.startswith("usage: zom ")
    assert "\x1b" not in shown
    assert "u001b" not in shown  # an escaped one


def test_colours_can_be_had_everywhere(process, bad):
    assert b"\x1b[31merror\x1b[0m" in process("validate", "bad.json", "--color", "always").stdout
    assert b"\x1b[31merror\x1b[0m" in process("--color", "always", "validate", "bad.json").stdout
    assert b"\x1b[" not in process("validate", "bad.json").stdout


def test_progress_is_shown_on_a_terminal_and_goes_away(terminal, tmp_path):
    zom.materialize(
        v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(64,), dtype="int8", chunks=1)}),
        tmp_path / "a.zarr",
    )
    array = zom.open(tmp_path / "a.zarr", mode="r+")["a"]
    array[:] = 1
    shown, code = terminal("checksum", "a.zarr")
    assert code == 0
    assert "reading: " in shown
    last = shown.replace("\r\n", "\n").split("\r\x1b[2K")[-1]
    assert "reading" not in last
    assert "reading" not in terminal("checksum", "a.zarr", "-q")[0]


def test_ctrl_c_ends_the_server_as_it_is_meant_to(terminal, tmp_path, small):
    zom.materialize(small, tmp_path / "a.zarr")
    shown, code = terminal("serve", "a.zarr", until=b"Ctrl-C")
    assert code == 0
    assert "Traceback" not in shown


def test_ctrl_c_is_one_line_of_a_terminal(terminal):
    shown, code = terminal("demo", "d", until=b"declared")
    assert "Traceback" not in shown
    assert code == 130
    assert shown.replace("\r\n", "\n").endswith("\nzom demo: interrupted\n")
