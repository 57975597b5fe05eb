"""mypy and pyright, each started once: zom itself, the pages and the README, the examples, a user's file, and wrong uses, which they have to refuse.

The Python blocks of a page are one module, in their order: what one defines, the next knows. A block under the comment
`<!-- wrong on purpose -->` is left out: it shows what type checkers refuse.

    python tests/typing/check.py             both, in strict mode
    python tests/typing/check.py pyright     one of them

mypy keeps what it knows in the directory that MYPY_CACHE_DIR names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^(<!-- wrong on purpose -->\n)?^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"<!-- examples/plugins/src/zom_acme/(\w+)\.py -->\n\Z")
REFUSED = {"examples/zep6_invalid.py": 'attributes={"foo"', "tests/typing/wrong_uses.py": "  # wrong"}
"""Files with lines that type checkers refuse, and what stands in each of these."""
ERROR = re.compile(r"^\s*(.+?\.py):(\d+)(?::\d+)?(?: -|:) error: ", re.MULTILINE)


def module_of(page: Path) -> str:
    """The Python of a page, each line where it stands there."""
    text = page.read_text(encoding="utf-8")
    lines: list[str] = []
    for block in BLOCK.finditer(text):
        if block[1]:
            continue
        before = text[: block.start(2)].count("\n")
        lines += [""] * (before - len(lines))
        quoted = QUOTED.search(text[: block.start()])  # a file that is checked where it lies
        lines += [f"from zom_acme.{quoted[1]} import *"] if quoted else block[2].splitlines()
    if not lines:
        return ""
    # Blocks of a page use a name again for something else. The first line is the title of the page.
    return "\n".join(["# mypy: allow-redefinition-new, local-partial-types", *lines[1:], ""])


def assemble(folder: Path) -> None:
    """Put the modules of all pages into `folder`."""
    folder.mkdir()
    (folder / "__init__.py").touch()
    for page in PAGES:
        text = module_of(page)
        if text:
            (folder / f"page_{page.stem.replace('-', '_')}.py").write_text(text, encoding="utf-8")


def checked() -> list[str]:
    """What is checked where it lies."""
    package = ROOT / "examples" / "plugins" / "src" / "zom_acme"
    return [
        *map(str, sorted((ROOT / "examples").glob("*.py"))),
        str(package),
        str(ROOT / "tests/typing/users_file.py"),
        str(ROOT / "tests/typing/wrong_uses.py"),
    ]


def run_mypy(folder: Path) -> subprocess.CompletedProcess[str]:
    """mypy on everything."""
    options = ["--hide-error-context", "--no-color-output", "--no-error-summary"]
    paths = [
        str(ROOT / "src"),
        str(ROOT / "examples"),
        str(ROOT / "examples/plugins/src"),
        str(folder.parent),
    ]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(paths)}
    what = [str(ROOT / "src"), *checked(), str(folder)]
    command = [sys.executable, "-m", "mypy", *options, *what]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def run_pyright(folder: Path) -> subprocess.CompletedProcess[str]:
    """pyright on everything, with the settings of the project."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    paths = [str(ROOT / "src"), str(ROOT / "examples"), str(ROOT / "examples/plugins/src")]
    # zom leaves no type unknown, as its own check shows; h5py, dask and jsonschema do, which is no fault of a page.
    unknown = ("reportUnknownArgumentType", "reportUnknownMemberType", "reportUnknownVariableType")
    loose = {"root": folder.name, "extraPaths": paths, **dict.fromkeys(unknown, "none")}
    here = [os.path.relpath(path, folder.parent) for path in (ROOT / "src", *checked())]
    settings |= {"include": [folder.name, *here], "extraPaths": paths, "executionEnvironments": [loose]}
    project = folder.parent / "pyrightconfig.json"
    project.write_text(json.dumps(settings), encoding="utf-8")
    program = Path(sys.executable).with_name("pyright")
    found = str(program) if program.exists() else shutil.which("pyright")
    if found is None:
        raise SystemExit("pyright is missing: pip install 'zom[lint]'")
    command = [found, "--project", str(project), "--pythonpath", sys.executable]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def refused() -> set[tuple[str, int]]:
    """The lines where type checkers have to find an error."""
    return {
        (Path(name).name, number)
        for name, sign in REFUSED.items()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if sign in line
    }


def problems(text: str) -> tuple[str, ...]:
    """What is wrong in the words of a type checker: each error but those that have to be, and those that are missing."""
    found = {(Path(match[1]).name, int(match[2])): match for match in ERROR.finditer(text)}
    wanted = refused()
    errors = [
        line
        for line in text.splitlines()
        if (match := ERROR.match(line)) and (Path(match[1]).name, int(match[2])) not in wanted
    ]
    missing = [
        f"{name}:{number}: expected an error, found none" for name, number in sorted(wanted - found.keys())
    ]
    return (*errors, *missing)


def main(names: list[str]) -> int:
    """Run the type checkers that are named, or both."""
    code = 0
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory) / "pages"
        assemble(folder)
        for name, run in (("mypy", run_mypy), ("pyright", run_pyright)):
            if names and name not in names:
                continue
            done = run(folder)
            wrong = problems(done.stdout)
            # Anything but errors in files: the checker itself did not run.
            if done.returncode not in {0, 1} or (done.returncode and not ERROR.search(done.stdout)):
                wrong = (done.stdout + done.stderr,)
            print(f"{name}: {len(wrong)} problems", *wrong, sep="\n")
            code = code or int(bool(wrong))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
