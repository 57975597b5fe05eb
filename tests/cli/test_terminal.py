"""What a terminal is shown that a file or pipe is not."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys

import pytest

from zom.cli.terminal import Progress, fitted, painted, width


class Terminal(io.StringIO):
    """A terminal of 40 columns."""

    def isatty(self):
        return True

    def take(self, monkeypatch):
        """Be standard output and error; to be called in a test, as pytest replaces them before."""
        monkeypatch.setattr(sys, "stdout", self)
        monkeypatch.setattr(sys, "stderr", self)
        monkeypatch.setenv("COLUMNS", "40")
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        return self


def test_a_pipe_has_no_width_and_no_colours():
    assert width(io.StringIO()) is None
    assert painted("a", "red", io.StringIO()) == "a"


def test_a_terminal_has_a_width_and_colours(monkeypatch):
    Terminal().take(monkeypatch)
    assert width() == 40
    assert painted("a", "red") == "\x1b[31ma\x1b[0m"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_refused(monkeypatch, name, value):
    Terminal().take(monkeypatch)
    monkeypatch.setenv(name, value)
    assert painted("a", "red") == "a"


def test_a_line_is_cut_by_columns_and_not_by_characters():
    assert fitted("温度温度", 8) == "温度温度"
    assert fitted("温度温度", 7) == "温度温…"
    assert fitted("e\u0301" * 4, 4) == "e\u0301" * 4


def test_the_lines_of_a_tree_end_where_the_terminal_does(call, document, monkeypatch):
    whole = call("tree", document)[1].splitlines()
    terminal = Terminal().take(monkeypatch)
    call("tree", document)
    assert terminal.getvalue().splitlines() == [whole[0], f"{whole[1][:39]}…", f"{whole[2][:39]}…"]


def test_problems_plans_and_differences_are_coloured_on_a_terminal(call, document, monkeypatch):
    terminal = Terminal().take(monkeypatch)
    call("validate", "-", stdin=b"[]")
    call("plan", document, "new.zarr")
    call("diff", document, "-", stdin=b'{"zarr_format": 3, "node_type": "group", "members": {}}')
    shown = terminal.getvalue()
    assert ": \x1b[31merror\x1b[0m: " in shown
    assert "  \x1b[32m+\x1b[0m /t2m" in shown
    assert "\x1b[31m-\x1b[0m /" in shown


def test_progress_is_one_line_of_a_terminal_that_goes_away(monkeypatch):
    terminal = Terminal().take(monkeypatch)
    with Progress("copying", wanted=None) as tell:
        tell(1, 2)
        tell(2, 2)
    assert terminal.getvalue() == "\r\x1b[2Kcopying: 50 % (1 of 2)\r\x1b[2Kcopying: 100 % (2 of 2)\r\x1b[2K"


def test_progress_of_an_unknown_total_is_a_count(monkeypatch):
    terminal = Terminal().take(monkeypatch)
    with Progress("checking", wanted=None) as tell:
        tell(1000, 0)
    assert terminal.getvalue() == "\r\x1b[2Kchecking: 1,000\r\x1b[2K"


def test_no_progress_is_shown_where_nobody_wants_it(monkeypatch):
    terminal = Terminal().take(monkeypatch)
    with Progress("copying", wanted=False) as tell:
        tell(1, 2)
    assert terminal.getvalue() == ""


def test_no_progress_is_shown_in_a_pipe_that_did_not_ask(capsys):
    with Progress("copying", wanted=None) as tell:
        tell(1, 2)
    assert capsys.readouterr().err == ""


def test_progress_in_a_file_is_told_by_tens_of_percents(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    with Progress("copying", wanted=True) as tell:
        for done in range(1, 1001):
            tell(done, 1000)
    lines = shown.getvalue().splitlines()
    assert lines[-1] == "copying: 100 % (1,000 of 1,000)"
    assert len(lines) == 11


# -- how a process ends ---------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_ctrl_c_ends_with_130_and_one_line(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Where the tests run in the background of a shell, the signal is ignored, and children inherit that.
    heeding = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = f"{heeding}runpy.run_module('zom', run_name='__main__')"
    command = [sys.executable, "-c", code, "tree", "pipe"]
    with (
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child,
        pipe.open("wb"),  # which waits until the command reads
    ):
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (130, b"", b"zom tree: interrupted\n")
