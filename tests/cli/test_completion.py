"""`zom completion`: bash, zsh and fish complete the command themselves."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time

import pytest

from zom.cli.main import parser_of

pty = pytest.importorskip("pty", reason="there are no pseudo terminals on this system", exc_type=ImportError)

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The script for each shell, in a file."""
    folder = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        command = [sys.executable, "-m", "zom", "completion", shell]
        done = subprocess.run(command, capture_output=True, check=True)
        (folder / shell).write_bytes(done.stdout)
    return folder


@pytest.fixture
def here(tmp_path):
    """A directory with a store and a file."""
    (tmp_path / "store.zarr").mkdir()
    (tmp_path / "spec.json").write_text("{}")
    return tmp_path


def shell_or_skip(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} on this system: apt-get install {name}")
    return found


# --- what is offered, as bash and fish list it -----------------------------------------------------------


def offered_by_bash(scripts, here, line):
    """As bash splits the line, `=` by itself; with a space at its end, an empty word."""
    words = re.sub("=", " = ", line).split() + [""] * line.endswith((" ", "="))
    given = " ".join(f"'{word}'" for word in words)
    script = f"""source '{scripts}/bash'; COMP_WORDS=({given}); COMP_CWORD={len(words) - 1}
_zom; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(
        [shell_or_skip("bash"), "--norc", "-c", script], cwd=here, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def offered_by_fish(scripts, here, line):
    script = f"source '{scripts}/fish'; complete -C '{line}'"
    home = {**os.environ, "HOME": str(here / ".home"), "XDG_CONFIG_HOME": str(here / ".home")}
    done = subprocess.run(
        [shell_or_skip("fish"), "--no-config", "-c", script],
        cwd=here, capture_output=True, text=True, check=True, env=home,
    )  # fmt: skip
    assert done.stderr == ""
    return [each.partition("\t")[0].removesuffix("/") for each in done.stdout.splitlines()]


OFFERED = {
    "zom mig": ["migrate"],
    "zom --color never mig": ["migrate"],
    "zom -q tre": ["tree"],
    "zom --col": ["--color"],
    "zom --color n": ["never"],
    "zom tree --format h": ["html"],
    "zom tree --format=h": ["html"],
    "zom tree --depth ": [],
    "zom tree --dep": ["--depth"],
    "zom tree spe": ["spec.json"],
    "zom tree -o spe": ["spec.json"],
    "zom tree --depth 3 --format t": ["text"],
    "zom check --first 3 sto": ["store.zarr"],
    "zom check --also": ["--also"],
    "zom schema ex": ["export"],
    "zom schema check --sch": ["--schema"],
    "zom completion f": ["fish"],
    "zom completion q": [],
    "zom validate --convention ome/0.": ["ome/0.1", "ome/0.2", "ome/0.3", "ome/0.4"],
    "zom explain --convention no": ["none"],
    "zom tree --color n": ["never"],
    "zom tree doctor --form": ["--format"],
}


@pytest.mark.parametrize("line", OFFERED)
@pytest.mark.parametrize("offered", [offered_by_bash, offered_by_fish], ids=["bash", "fish"])
def test_what_fits_is_offered_and_nothing_else(scripts, here, offered, line):
    found = offered(scripts, here, line)
    if line.endswith("=h"):
        found = [each.removeprefix("--format=") for each in found]
    wanted = OFFERED[line]
    assert found[: len(wanted)] == wanted
    assert len(found) == len(wanted) or len(wanted) > 1


def every_option():
    """Each verb with its options, as the command reads them."""
    verbs = next(action for action in parser_of()._actions if action.dest == "verb").choices
    for verb, parser in verbs.items():
        inner = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
        if not inner:
            yield verb, {option for action in parser._actions for option in action.option_strings}
        for name, each in (inner[0] if inner else {}).items():
            yield f"{verb} {name}", {option for action in each._actions for option in action.option_strings}


@pytest.mark.parametrize("offered", [offered_by_bash, offered_by_fish], ids=["bash", "fish"])
def test_every_option_of_some_verbs_is_offered(scripts, here, offered):
    known = dict(every_option())
    for words in ("validate", "schema check", "pyramid"):
        found = {each for each in offered(scripts, here, f"zom {words} --") if each.startswith("--")}
        assert found == {each for each in known[words] if each.startswith("--")}


def test_every_verb_and_option_is_in_every_script(scripts):
    for shell in SHELLS:
        text = (scripts / shell).read_text()
        for verb, options in every_option():
            assert verb.replace(" ", "/") in text
            for option in options:
                assert (option if shell != "fish" else option.lstrip("-")) in text


# --- as somebody who presses the tab key -----------------------------------------------------------------

START = {
    "bash": (["--norc", "-i"], "source '{script}'; bind 'set bell-style none'; PS1='$ '"),
    "zsh": (
        ["-f", "-i"],
        "autoload -Uz compinit; compinit -u -D; source '{script}'; PS1='$ '; unsetopt beep",
    ),
}
TYPED = {
    "zom mig": "migrate",
    "zom --color never tre": "tree",
    "zom --colo": "--color",
    "zom tree --dep": "--depth",
    "zom tree --format h": "tree --format html",
    "zom schema ex": "schema export",
    "zom tree spe": "tree spec.json",
    "zom tree -o spe": "tree -o spec.json",
    "zom validate --convention spatialda": "validate --convention spatialdata",
    "zom completion fi": "completion fish",
    "zom check --depth-of-nothing sto": "check --depth-of-nothing store.zarr",
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", START)
def test_the_tab_key_completes_a_line(scripts, here, shell):
    """The shell, on a terminal, runs what it has completed: a function called zom prints its words."""
    options, setup = START[shell]
    program = shell_or_skip(shell)
    child, end = pty.fork()
    if child == 0:
        os.chdir(here)
        os.execve(
            program, [program, *options], {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(here)}
        )
    try:
        wait_for(end, None)
        send(end, setup.format(script=scripts / shell))
        send(end, 'zom() { echo "<$*>"; }')
        send(end, "echo rea''dy")
        wait_for(end, "ready")
        for typed, wanted in TYPED.items():
            os.write(end, f"{typed}\t".encode())
            time.sleep(0.3)
            os.write(end, b"\n")
            shown = wait_for(end, ">")
            assert re.findall(r"<([^<>]*)>", shown)[-1].rstrip(" /").endswith(wanted), typed
    finally:
        os.write(end, b"\x03\nexit\n")
        os.close(end)
        os.waitpid(child, 0)


def send(end, line):
    os.write(end, f"{line}\n".encode())


def wait_for(end, sign):
    """What a terminal shows until a sign comes; without a sign, until anything does."""
    shown, stop = "", time.monotonic() + 30
    while time.monotonic() < stop:
        if not select.select([end], [], [], 0.2)[0]:
            if sign is None and shown:
                break
            continue
        shown += os.read(end, 65536).decode(errors="replace")
        if sign is not None and sign in shown:
            return shown
    return shown
