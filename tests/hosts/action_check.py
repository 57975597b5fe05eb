"""Runs the steps of action.yml as a runner of GitHub does, on stores that are sound and stores that aren't.

    python action_check.py

Reads action.yml, gives each `run` step its `env` with inputs put in, and lets bash run it; what `uses` another
action is left out. zom is installed as the action installs it, from the checkout. Ends with 1 where a verdict,
an annotation or a file is not the expected one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
SOUND = '{"zarr_format": 3, "node_type": "group", "attributes": {}}'
WRONG = '{"zarr_format": 3, "node_type": "grp", "attributes": {}}'


def filled(text: str, inputs: dict[str, str]) -> str:
    """The text with the values of its expressions; one that the runner would not know is an error."""

    def value(found: re.Match[str]) -> str:
        if found[1] == "github.action_path":
            return str(ROOT)
        scope, _, name = found[1].partition(".")
        assert scope == "inputs", found[0]
        return inputs[name]

    return EXPRESSION.sub(value, text)


def run_action(given: dict[str, str], work: Path) -> subprocess.CompletedProcess[str]:
    """The end of the first step that fails, or of the last one."""
    stated: dict[str, Any] = ACTION["inputs"]
    assert set(given) <= set(stated), given
    missing = [name for name, each in stated.items() if each.get("required") and name not in given]
    assert not missing, missing
    inputs = {name: given.get(name, each.get("default", "")) for name, each in stated.items()}
    assert all(isinstance(each, str) for each in inputs.values()), inputs
    variables = work / "github_env"
    variables.touch()
    done = subprocess.CompletedProcess([], 0, "", "")
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            continue
        # What is installed once is there for all calls.
        if step.get("name") == "Install zom" and variables.read_text():
            continue
        told = dict(line.split("=", 1) for line in variables.read_text().splitlines())
        own = {name: filled(str(text), inputs) for name, text in step.get("env", {}).items()}
        assert step["shell"] == "bash"
        assert not EXPRESSION.search(step["run"]), "inputs belong into env"
        runner = {"RUNNER_TEMP": str(work / "temp"), "GITHUB_ENV": str(variables), "GITHUB_ACTIONS": "true"}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=work,
            env={**os.environ, **runner, **told, **own},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return done
    return done


def stores(work: Path) -> None:
    """A sound store, a wrong one, and one with a name that would be a command."""
    for name, text in {"good.zarr": SOUND, "bad.zarr": WRONG, "$(touch owned).zarr": SOUND}.items():
        (work / "data" / name).mkdir(parents=True)
        (work / "data" / name / "zarr.json").write_text(text)
    (work / "temp").mkdir()


def main() -> int:
    """Whether each call ends as it should."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        stores(work)
        calls: list[tuple[str, dict[str, str], int, str]] = [
            ("a sound store", {"places": "data/good.zarr"}, 0, ""),
            ("a pattern", {"places": "data/g*.zarr\ndata/$(touch owned).zarr\n"}, 0, ""),
            (
                "a directory of stores",
                {"places": "data", "sarif": "z.sarif", "junit": "z.xml"},
                1,
                "::error ",
            ),
            ("a rule suppressed", {"places": "data", "suppress": "v3/*\nabc/x"}, 0, ""),
            ("a place that is missing", {"places": "data/good.zarr\nnowhere"}, 3, "::error file=nowhere,"),
            (
                "a convention that is not there",
                {"places": "data/good.zarr", "conventions": "ome"},
                1,
                "absent",
            ),
        ]
        for name, inputs, code, told in calls:
            done = run_action(inputs, work)
            good = done.returncode == code and told in done.stdout
            failed += not good
            print(f"{'ok' if good else 'FAILED'}: {name}", *([] if good else [done]))
        (run,) = json.loads((work / "z.sarif").read_text())["runs"]
        good = [each["ruleId"] for each in run["results"]] == ["v3/node-type"]
        good &= ET.parse(work / "z.xml").getroot().get("failures") == "1"
        good &= not (work / "owned").exists()
        failed += not good
        print("ok" if good else "FAILED", ": the files beside it", sep="")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
