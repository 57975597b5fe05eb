"""Runs the hooks of .pre-commit-hooks.yaml with pre-commit, in a git repository that has stores.

    python pre_commit_check.py

pre-commit installs zom from a commit of the checkout, as users of the hooks do, and calls it with the files that
are committed. Ends with 1 where a commit passes that should not, or the other way round.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GROUP = '{"zarr_format": 3, "node_type": "group", "attributes": {}}'
ARRAY = (
    '{"zarr_format": 3, "node_type": "array", "shape": [%d], "data_type": "int8", "fill_value": 0, "chunk_grid": '
    '{"name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"}, '
    '"codecs": [{"name": "bytes"}], "dimension_names": ["t"]}'
)


class Repository:
    """A git repository, and what ends in it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        """What git prints."""
        who = ["-c", "user.name=zom", "-c", "user.email=zom@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.place, capture_output=True, text=True, check=True
        )
        return done.stdout

    def write(self, **files: str) -> None:
        """Put files there, and into the index."""
        for name, text in files.items():
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")


def source(place: Path) -> tuple[Path, str]:
    """The checkout as a repository of its own, and its commit: what is not committed yet counts, too."""
    made = Repository(place)
    for name in ("src", "schemas", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        subprocess.run(["cp", "-R", str(ROOT / name), str(place)], check=True)
    made.git("add", "--all")
    made.git("commit", "--quiet", "-m", "zom")
    return place, made.git("rev-parse", "HEAD").strip()


def main() -> int:
    """Whether each commit is judged as it should be."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        zom, commit = source(Path(folder) / "zom")
        user = Repository(Path(folder) / "user")
        hooks = "    - id: zom-validate\n    - id: zom-validate-documents\n"
        config = f"repos:\n- repo: {zom}\n  rev: {commit}\n  hooks:\n{hooks}"
        changes: list[tuple[str, dict[str, str], int, str]] = [
            ("a sound store", {"a.zarr/zarr.json": GROUP, "a.zarr/t/zarr.json": ARRAY % 4}, 0, ""),
            ("nothing of Zarr", {"readme.txt": "no store"}, 0, ""),
            # The fault is between two documents, of which only one is committed now.
            ("an array that contradicts another", {"a.zarr/u/zarr.json": ARRAY % 5}, 1, "[xarray/dim-sizes]"),
            ("that corrected", {"a.zarr/u/zarr.json": ARRAY % 4}, 0, ""),
            ("a wrong document", {"b.zarr.json": GROUP.replace("group", "grp")}, 1, "b.zarr.json:1:"),
        ]
        user.write(**{".pre-commit-config.yaml": config})
        environment = {**os.environ, "PRE_COMMIT_HOME": str(Path(folder) / "home")}
        for name, files, code, told in changes:
            user.write(**files)
            done = subprocess.run(
                [sys.executable, "-m", "pre_commit", "run"],
                cwd=user.place,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            good = done.returncode == code and told in done.stdout
            failed += not good
            print(f"{'ok' if good else 'FAILED'}: {name}", *([] if good else [done.stdout, done.stderr]))
            if code == 0:
                user.git("commit", "--quiet", "-m", name)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
