"""The figures that docs/reliability.md shows: each script writes its own part into figures.json, when asked to."""

from __future__ import annotations

import json
import platform
from pathlib import Path

FILE = Path(__file__).with_name("figures.json")


def add(section, facts):
    """Write the facts of one script, in the place of those of its last run."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    known[section] = {"python": platform.python_version(), **facts}
    text = json.dumps(dict(sorted(known.items())), indent=1, sort_keys=True)
    FILE.write_text(text + "\n", encoding="utf-8")
