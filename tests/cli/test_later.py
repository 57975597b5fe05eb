"""Modules that wait for their first use; each program runs in a process of its own."""

import subprocess
import sys

import pytest

BEFORE = """
import sys
from zom.cli.later import import_later
for name in ("importlib.metadata", "secrets", "hmac", "email", "email.message"):
    sys.modules.pop(name, None)
import_later("importlib.metadata", ("entry_points",))
import_later("secrets")
"""


def printed(program):
    done = subprocess.run(
        [sys.executable, "-c", BEFORE + program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "program",
    [
        "import secrets",
        "from importlib.metadata import entry_points",
        "import importlib.metadata; importlib.metadata",
        "import importlib.metadata as metadata",
        "from importlib import metadata",
    ],
)
def test_to_import_it_loads_nothing(program):
    assert printed(f"{program}\nprint('hmac' in sys.modules, 'email.message' in sys.modules)") == [
        "False False"
    ]


@pytest.mark.parametrize(
    "program",
    [
        "import secrets; print(len(secrets.token_hex(4)))",
        "from secrets import token_hex; print(len(token_hex(4)))",
        "from importlib.metadata import entry_points; print(len(entry_points(group='no group')) + 8)",
        "import importlib.metadata; print(len(importlib.metadata.entry_points(group='no group')) + 8)",
        "from importlib import metadata; print(8 if metadata.version('pydantic') else 0)",
        "import importlib.metadata as it\ntry: it.version('no package')\nexcept it.PackageNotFoundError: print(8)",
    ],
)
def test_to_use_it_is_to_use_the_module(program):
    assert printed(program) == ["8"]


def test_the_module_takes_its_place_once_it_is_used():
    program = """
import secrets as early, importlib.metadata
early.token_hex(4), importlib.metadata.version("pydantic")
import secrets as late
print(type(early).__name__, type(late).__name__, early.token_hex is late.token_hex, hasattr(early, "nothing"))
print(type(sys.modules["importlib.metadata"]).__name__, type(importlib.metadata).__name__)
"""
    assert printed(program) == ["_Later module True False", "module module"]


def test_many_threads_use_it_first():
    program = """
from threading import Barrier, Thread
import secrets
barrier, found = Barrier(8), []
def use():
    barrier.wait()
    import secrets as here
    found.append((len(here.token_hex(4)), len(secrets.token_hex(4))))
threads = [Thread(target=use) for _ in range(8)]
for each in threads: each.start()
for each in threads: each.join()
print(found == [(8, 8)] * 8)
"""
    assert printed(program) == ["True"]


def test_what_is_imported_already_stays():
    program = "import json\nbefore = sys.modules['json']\nimport_later('json')\nprint(sys.modules['json'] is before)"
    assert printed(program) == ["True"]
