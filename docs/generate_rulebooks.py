"""Writes src/zom/conventions/**/parsed/NAME.json: each rulebook as flat tables in JSON: zom starts faster.

Run it after a change of a rulebook: `python docs/generate_rulebooks.py`. With `--check` nothing is written, and the
exit code is 1 where a file is out of date, missing, or of no rulebook. zom passes over a file that is out of date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from zom.conventions.framework.rulebook_tables import RulebookTables

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent
HOME = ROOT / "src" / "zom" / "conventions"


def text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def generated() -> dict[Path, str]:
    """The text of every file."""
    made: dict[Path, str] = {}
    for path in sorted(HOME.rglob("*.toml")):
        tables = RulebookTables(path)
        # A rule is a line, so that changes of two people can be merged.
        rules = ",\n".join(map(text, tables.rules()))
        head = f'"files":{text(tables.files())},\n"identity":{text(tables.identity())},\n"rules":'
        made[path.parent / "parsed" / f"{path.stem}.json"] = f"{{{head}[\n{rules}\n]}}\n"
    return made


def main(arguments: Sequence[str]) -> int:
    made = generated()
    there = {path: path.read_text(encoding="utf-8") for path in HOME.rglob("parsed/*.json")}
    wrong = sorted(
        {path for path, text in made.items() if there.get(path) != text} | (there.keys() - made.keys())
    )
    if "--check" in arguments:
        for path in wrong:
            print(
                f"{path.relative_to(ROOT)} is out of date: run python docs/generate_rulebooks.py",
                file=sys.stderr,
            )
        return 1 if wrong else 0
    for path in wrong:
        if path in made:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
