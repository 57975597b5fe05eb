"""What other packages bring by entry points: every kind of extension, and only when it is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import zom

DGGS = """
from zom.conventions import Convention, CheckedRule, required

cells = Convention("{name}", owns=("{name}",), rules=[CheckedRule("title", required("title"), must="there is a title")])
"""


def points(name, kind="conventions"):
    return f"[zom.{kind}]\ncells = {name}:cells\n"


def test_the_conventions_of_other_packages_are_loaded_where_all_are_asked_for(package):
    package("cells_a", DGGS.format(name="cells_a"), points("cells_a"))
    report = zom.validate(zom.v3.GroupSpec(attributes={"cells_a": 1}))
    assert [problem.code for problem in report] == ["cells_a/title"]


def test_loading_twice_registers_once(package):
    package("cells_b", DGGS.format(name="cells_b"), points("cells_b"))
    assert zom.load_extensions() == zom.load_extensions() == ["cells"]


def test_a_codec_of_another_package_is_loaded(package):
    text = """
    from zom.extension.codec import Bytes, Codec

    class Plain(Codec):
        name = "plain-of-a-package"
        kind = "bytes->bytes"

        def thread(self, configuration, before, faults, path):
            return before

        def bind(self, configuration, before, after):
            raise NotImplementedError

    cells = Plain()
    """
    directory = package("cells_d", text, points("cells_d", "codecs"))
    code = "import zom; from zom.extension.codec import codecs; print(zom.load_extensions(), codecs['plain-of-a-package'].name)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=directory,
        env={"PYTHONPATH": os.pathsep.join([str(directory), str(Path(zom.__file__).parents[1])])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("['cells'] plain-of-a-package\n", "")
