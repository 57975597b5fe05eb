"""zarrita.js under node: what it reads. `npm install` in tests/interop/zarrita brings it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

HOME = Path(__file__).parents[1] / "zarrita"


def versions() -> str:
    package = json.loads((HOME / "node_modules" / "zarrita" / "package.json").read_text(encoding="utf-8"))
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"zarrita {package['version']} on node {node.partition('.')[0]}"


def read(folder: str, form: str, document: dict[str, Any], dtype: Any) -> Any:
    command = ["node", str(HOME / "read.mjs"), f"{folder}/a", form]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        raise RuntimeError(next((line for line in lines if "Error" in line), "it failed"))
    head, _, memory = done.stdout.partition(b"\n")
    facts = json.loads(head)
    if dtype.kind in "OT":
        return np.array(json.loads(memory), object).reshape(facts["shape"])
    return np.frombuffer(memory, dtype.newbyteorder("=")).reshape(facts["shape"])
