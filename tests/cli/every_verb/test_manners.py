"""How every verb ends and what it prints: at a closed pipe, at Ctrl-C, where a place is missing, without colours, in ASCII."""

from __future__ import annotations

import inspect
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from verb_calls import CALLS, JSON_OF_ITS_OWN, calls, every_call, filled, forms_of, verbs

import zom
from zom.cli.main import main

NOWHERE = {
    "place": "no.zarr",
    "array": "no.zarr::time",
    "document": "no.json",
    "new": "new.zarr",
    "name": "other",
}
GLOBS = {
    "place": "no*.zarr",
    "array": "no*.zarr::time",
    "document": "no*.json",
    "new": "new.zarr",
    "name": "x",
}


def test_every_verb_is_called():
    assert set(CALLS) == set(verbs())


# --- a closed pipe ---------------------------------------------------------------------------------------


def into_a_closed_pipe(*arguments):
    """The exit code, and what was printed to standard error, of a call whose output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = os.fdopen(writing, "w", encoding="utf-8"), io.StringIO()
    try:
        code = main(list(arguments))
        sys.stdout.close()  # as the interpreter does at its end: it must not fail
        return code, sys.stderr.getvalue()
    finally:
        sys.stdout, sys.stderr = kept


@every_call
def test_a_closed_pipe_is_silent(twins, arguments, capfd):
    twins()
    code, out, err = run(*arguments, capture=capfd)
    twins()
    silent = into_a_closed_pipe(*arguments)
    assert silent[0] == (141 if out else code)
    assert set(silent[1].splitlines()) <= set(err.splitlines())


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_process_whose_reader_has_gone_says_nothing(places, form):
    for words in (["tree", "a.zarr", "--format", form], ["doctor", "--format", form]):
        command = [sys.executable, "-m", "zom", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.close()
            told = child.stderr.read()
        assert (child.returncode, told) == (141, b"")


def test_a_process_whose_messages_nobody_reads_ends_as_it_should(places):
    command = [sys.executable, "-m", "zom", "tree", "nowhere"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        child.stderr.close()
    assert child.returncode == 141


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no device that is always full on this system"
)
@every_call
def test_a_full_disk_is_one_line(twins, arguments, capfd, monkeypatch):
    """What is printed goes into a file on a disk without room."""
    twins()
    code, out, _ = run(*arguments, capture=capfd)
    twins()
    with Path("/dev/full").open("w", encoding="utf-8") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        ended = main(list(arguments))
    err = capfd.readouterr().err
    if not out:
        assert ended == code
        return
    assert ended == 3
    assert err.splitlines()[-1] == (
        f"zom {arguments[0]}: standard output: cannot write: no space left on device; the output is incomplete"
    )


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no device that is always full on this system"
)
def test_a_process_on_a_full_disk_ends_with_its_code(places):
    for words in (
        ["tree", "a.zarr"],
        ["doctor", "--format", "json"],
        ["--help"],
        ["tree", "--help"],
        ["--version"],
    ):
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            done = subprocess.run(
                [sys.executable, "-m", "zom", *words],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 3, words
        assert done.stderr.count("\n") == 1
        assert "standard output: cannot write: no space left on device" in done.stderr


CLOSED = {
    "standard output": [1],
    "standard error": [2],
    "standard input": [0],
    "all": [0, 1, 2],
}


@pytest.mark.skipif(os.name != "posix", reason="a process is started without streams on POSIX systems alone")
@pytest.mark.parametrize("closed", CLOSED)
def test_a_process_without_streams_does_its_work(places, closed):
    """As one that a scheduler starts may be; what is printed is lost, and goes into no file that is written."""
    shut = "".join(f"import os; os.close({number}); " for number in CLOSED[closed])
    start = (
        f"{shut}os.execv({sys.executable!r}, [{sys.executable!r}, '-m', 'zom', *__import__('sys').argv[1:]])"
    )
    for words, code in (
        (["tree", "a.zarr"], 0),
        (["--help"], 0),
        (["tree", "nowhere"], 3),
        (["doctor", "--format", "json"], 0),
        (["copy", "a.zarr", "b.zarr"], 0),
        (["create", "a.json", "c.zarr"], 0),
        (["tree", "-"], 3 if 0 in CLOSED[closed] else None),
    ):
        command = [sys.executable, "-c", start, *words]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False)
        assert code in {None, done.returncode}, (words, done.stderr)
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr
        assert 1 not in CLOSED[closed] or not done.stdout
    np.testing.assert_array_equal(zom.open("b.zarr")["time"][...], zom.open("a.zarr")["time"][...])
    assert {path.name for path in Path("c.zarr").iterdir()} == {"zarr.json", "t2m", "time"}


def run(*arguments, capture):
    """The exit code, standard output, standard error."""
    capture.readouterr()
    code = main([str(each) for each in arguments])
    out, err = capture.readouterr()
    return code, out, err


# --- terminals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["1", "20", "40", "0", "some", "9" * 5000])
@every_call
def test_a_terminal_may_be_of_any_width(twins, arguments, capfd, monkeypatch, terminals, columns):
    twins()
    code = main(list(arguments))
    capfd.readouterr()
    twins()
    monkeypatch.setenv("COLUMNS", columns)
    with terminals() as (_, err):
        found = main(list(arguments))
    assert (found, "Traceback" in err.text) == (code, False), err.text


# --- Ctrl-C ----------------------------------------------------------------------------------------------

WRITERS = {"consolidate", "create", "delete", "migrate", "rename", "resize", "repair"}
RESUMED = {"copy", "pyramid"}


def said_at_ctrl_c(verb):
    if verb in WRITERS:
        return f"zom {verb}: interrupted; run zom repair STORE to finish or undo the interrupted change"
    if verb in RESUMED:
        return f"zom {verb}: interrupted; run it again to continue or restart"
    return f"zom {verb}: interrupted"


def in_destructor(frame):
    """Whether Python drops what is raised here: below a `__del__`, or a callback of a weak reference."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.endswith(("weakref.py", "_weakrefset.py")):
            return True
        frame = frame.f_back
    return False


def interrupted(monkeypatch, arguments, at):
    """Run a verb, with Ctrl-C at that call of a function; return its exit code and the number of calls.

    Destructors and generators are no such calls: Python drops what they raise when an object is deleted.
    """
    module = __import__(f"zom.cli.{arguments[0]}", fromlist=["run"])
    work, count = module.run, 0

    def profile(frame, event, _argument):
        nonlocal count
        if event == "call" and not frame.f_code.co_flags & inspect.CO_GENERATOR:
            count += 1
            if at and count >= at and not in_destructor(frame):
                sys.setprofile(None)
                raise KeyboardInterrupt

    def counted(found):
        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            return work(found)
        finally:
            sys.setprofile(before)

    monkeypatch.setattr(module, "run", counted)
    try:
        return main(arguments), count
    finally:
        monkeypatch.setattr(module, "run", work)


@every_call
def test_ctrl_c_is_one_line_wherever_it_comes(places, arguments, capfd, monkeypatch):
    """At some calls of functions, from the first to the last of those that a whole run makes."""
    if arguments[0] in {"demo", "serve"}:
        pytest.skip("tests/cli/test_pty.py interrupts it")
    main(arguments)  # what it imports is there then
    _, total = interrupted(monkeypatch, arguments, 0)
    for part in (1, total // 2, total - total // 5):
        capfd.readouterr()
        code, reached = interrupted(monkeypatch, arguments, max(part, 1))
        err = capfd.readouterr().err
        if reached < part:
            continue  # what this run found made is not made again
        assert code == 130
        assert err.splitlines()[-1] == said_at_ctrl_c(arguments[0])
        assert "Traceback" not in err


# --- places that are missing -----------------------------------------------------------------------------


def naming_places(names):
    """The calls that name a place."""
    return [
        filled(verb, words, **names)
        for verb, every in CALLS.items()
        for words in every
        if {"{place}", "{array}", "{document}"} & set(words.split()) and verb != "serve"
    ]


def message_of(arguments, code, out, err):
    """The one message about a place that can't be read; of `zom validate` it is a finding, and others are read."""
    is_usage = arguments[0] == "schema" and arguments[-1] not in {"v3/array", "report", "list"}
    if arguments[0] == "validate" and "--like" not in arguments:
        first, *summary = out.splitlines()
        assert code == 3
        assert len(summary) == 2 * ("-v" in arguments)
        assert first.startswith(f"{arguments[1]}: error: ")
        return first
    assert (code, out) == (2 if is_usage and "--schema" in arguments else 3, "")
    assert err.startswith(f"zom {arguments[0]}: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("arguments", naming_places(NOWHERE), ids=" ".join)
def test_a_missing_place_is_one_line(tmp_path, monkeypatch, capfd, arguments):
    monkeypatch.chdir(tmp_path)
    message = message_of(arguments, *run(*arguments, capture=capfd))
    assert "no such file" in message.lower()
    assert "; " in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", naming_places(GLOBS), ids=" ".join)
def test_a_pattern_without_a_match_is_one_line(tmp_path, monkeypatch, capfd, arguments):
    monkeypatch.chdir(tmp_path)
    message = message_of(arguments, *run(*arguments, capture=capfd))
    if arguments[0] in {"stats", "checksum", "validate"} and "--like" not in arguments:
        assert "no path matches this pattern; name a store" in message


# --- colours, quiet, ASCII -------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["NO_COLOR", "--color", "TERM"])
@every_call
def test_no_verb_uses_colours_where_they_are_refused(places, arguments, terminals, monkeypatch, way):
    more = ["--color", "never"] if way == "--color" else []
    if way != "--color":
        monkeypatch.setenv(way, "dumb")
    with terminals() as (out, err):
        main([*arguments, *more])
    assert "\x1b[" not in out.text
    assert "\x1b[" not in err.text.replace("\r\x1b[2K", "")


@every_call
def test_colours_that_are_asked_for_change_nothing_else(twins, arguments, capfd):
    twins()
    expected = run(*arguments, capture=capfd)
    twins()
    code, *shown = run(*arguments, "--color", "always", capture=capfd)
    assert (code, *(re.sub(r"\x1b\[(3[1-4]|0)m", "", text) for text in shown)) == expected
    if "json" in forms_of(arguments):
        assert "\x1b" not in run(*arguments, "--color", "always", "--format", "json", capture=capfd)[1]


@every_call
def test_quiet_prints_nothing_but_data_and_errors(twins, arguments, capfd, terminals):
    twins()
    code, out, _ = run(*arguments, capture=capfd)
    twins()
    with terminals() as (shown, told):
        assert main([*arguments, "-q", "--color", "never"]) == code
    if max(map(len, out.splitlines()), default=0) < 80:
        assert shown.text == out
    assert "\r" not in told.text
    error = code in {2, 3} or (code == 1 and not out)
    assert told.text.count("\n") == error


@every_call
def test_a_terminal_without_unicode_gets_ascii(places, arguments, monkeypatch, capfd):
    _, whole, _ = run(*arguments, capture=capfd)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    code = main(arguments)
    out.flush()
    assert code in {0, 1, 2, 3}
    shown = out.buffer.getvalue().decode("ascii")
    if arguments[0] == "tree":
        assert "|-- t2m" in shown or "--depth" in arguments
        assert shown.count("\n") == whole.count("\n")


# --- JSON ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", sorted(set(verbs()) - JSON_OF_ITS_OWN - {"serve"}))
def test_every_call_prints_one_envelope(places, capfd, verb):
    for arguments in calls(place="a.zarr", array="a.zarr::time", document="a.json", new="n.zarr", name="x"):
        if arguments[0] != verb:
            continue
        code, out, err = run(*arguments, "--format", "json", capture=capfd)
        if not out:
            assert code == 2  # a wrong argument, of which the parser tells
            assert err.count("\n") == 1
            continue
        made = json.loads(out)
        assert list(made) == ["envelope", "zom", "verb", "exit_code", "error", "result"]
        assert (made["zom"], made["verb"], made["exit_code"]) == (zom.__version__, verb, code)
        assert (made["error"] is None) <= (code in {0, 1})
        assert made["error"] is None or err.endswith(f"zom {verb}: {made['error']}\n")


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="there are no pipes that break on this system")
def test_help_into_a_closed_pipe_is_silent(places):
    for verb in ("", *verbs()):
        code, told = into_a_closed_pipe(*([verb] if verb else []), "--help")
        assert code in {0, 141}  # argparse forgets what can't be written, where it writes at once
        assert told == ""
