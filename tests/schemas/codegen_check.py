"""Runs generators of types on every codegen schema, and ajv on every schema for validation.

    python tests/schemas/codegen_check.py [--tools DIRECTORY]

json-schema-to-typescript, whose output `tsc --strict` must accept and where no type may be made twice;
quicktype for TypeScript and Rust; datamodel-code-generator, whose models must import and judge the
samples in schemas/. Prints a table; the exit code is 1 where a generator fails. Where ZOM_SHARE is set, the schemas of
nodes, which hold those of arrays and groups, are tried in one of the two drafts, and of the others their share. It installs the tools, in
the versions below, in a temporary directory, or in DIRECTORY, where they are found again.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT: Final = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests" / "interop"))

import share  # noqa: E402 - it stands beside the scripts that use it, too

SCHEMAS: Final = ROOT / "schemas"
NODE_TOOLS: Final = {
    "ajv": "8.20.0",
    "json-schema-to-typescript": "16.0.0",
    "quicktype": "26.0.0",
    "typescript": "5.9.3",
}
PYTHON_TOOLS: Final = ("datamodel-code-generator==0.89.0",)
NODE: Final = 20

# The types are closed, so that members which need not be understood are refused; and they don't tie a
# fill value to its data type, so that some faults pass. Anything less is a loss of precision.
LEAST_ACCEPTED: Final = 0.8
LEAST_REJECTED: Final = 0.6

JUDGE: Final = """
import importlib.util, json, pathlib, sys
spec = importlib.util.spec_from_file_location("made", sys.argv[1])
made = sys.modules["made"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)
model, counts = getattr(made, sys.argv[2]), {}
for file in map(pathlib.Path, sys.argv[3:]):
    verdict = "accept" if "accept" in file.parts else "reject"
    right, total = counts.get(verdict, (0, 0))
    try:
        model.model_validate_json(file.read_text("utf-8"))
        found = "accept"
    except ValueError:
        found = "reject"
    counts[verdict] = (right + (found == verdict), total + 1)
print(json.dumps(counts))
"""

COMPILE: Final = """
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(process.cwd() + "/");
const kinds = { "2020-12": require("ajv/dist/2020").default, "draft-07": require("ajv").default };
const failures = [];
const files = JSON.parse(readFileSync(0, "utf8"));
for (const [draft, file] of files) {
  try {
    const ajv = new kinds[draft]({ strict: true, allErrors: true });
    ajv.addVocabulary(["x-zom-convention", "x-zom-rules", "x-zom-not-expressed"]);
    ajv.compile(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    failures.push(`${file}: ${error.message}`);
  }
}
console.log(JSON.stringify(failures));
"""


class ToolError(Exception):
    """A tool that is missing, or that failed; the message says which."""


class Row(NamedTuple):
    """What became of one schema: the cells of the table, and what is wrong."""

    cells: list[str]
    faults: list[str]


class Tools(NamedTuple):
    """Where the tools are."""

    folder: Path
    python: Path

    def run(self, *command: str, given: str | None = None, folder: Path | None = None) -> str:
        """What the command prints; ToolError where it fails."""
        done = subprocess.run(
            command, input=given, cwd=folder or self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            told = (done.stdout + done.stderr).strip().splitlines()
            message = f"{Path(command[0]).name}: {' | '.join(told[-4:])[:400]}"
            raise ToolError(message)
        return done.stdout

    def node(self, name: str) -> str:
        """The program that npm installed."""
        return str(self.folder / "node_modules" / ".bin" / name)


def missing() -> str | None:
    """What has to be installed before this can run."""
    for name in ("node", "npm"):
        if shutil.which(name) is None:
            return f"{name} is missing: the codegen step needs node {NODE} or newer, with npm"
    found = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(found.lstrip("v").partition(".")[0]) < NODE:
        return f"node {found} is too old: the codegen step needs node {NODE} or newer, with npm"
    return None


def installed(folder: Path) -> Tools:
    """The tools, installed where they are not yet."""
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    tools = Tools(folder, python)
    package = json.dumps({"private": True, "dependencies": NODE_TOOLS})
    file = folder / "package.json"
    if not file.exists() or file.read_text(encoding="utf-8") != package:
        file.write_text(package, encoding="utf-8")
        tools.run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    if not python.exists():
        fast = importlib.util.find_spec("uv") is not None
        venv.create(folder / "venv", with_pip=not fast)
        pip = [sys.executable, "-m", "uv", "pip"] if fast else [str(python), "-m", "pip"]
        options = ["--quiet", "--python", str(python)] if fast else ["--quiet"]
        tools.run(*pip, "install", *options, *PYTHON_TOOLS)
    return tools


# --- one schema --------------------------------------------------------------------------------------


def typescript(tools: Tools, schema: Path, work: Path) -> str:
    made = work / "json2ts.ts"
    tools.run(tools.node("json2ts"), "-i", str(schema), "-o", str(made))
    text = made.read_text(encoding="utf-8")
    names = re.findall(r"^export (?:interface|type) (\w+)", text, re.MULTILINE)
    twins = [
        name for name in names if re.sub(r"\d+$", "", name) != name and re.sub(r"\d+$", "", name) in names
    ]
    if twins:
        raise ToolError(f"json2ts made types twice: {', '.join(twins)}")
    return f"{len(names)} types"


def quicktype_typescript(tools: Tools, schema: Path, work: Path) -> str:
    made = work / "quicktype.ts"
    tools.run(tools.node("quicktype"), "-s", "schema", str(schema), "-l", "typescript", "-o", str(made))
    return f"{len(made.read_text(encoding='utf-8').splitlines())} lines"


def quicktype_rust(tools: Tools, schema: Path, work: Path) -> str:
    made = work / "made.rs"
    tools.run(tools.node("quicktype"), "-s", "schema", str(schema), "-l", "rust", "-o", str(made))
    return f"{len(made.read_text(encoding='utf-8').splitlines())} lines"


def pydantic(tools: Tools, schema: Path, work: Path) -> str:
    made, title = work / "made.py", json.loads(schema.read_text(encoding="utf-8"))["title"]
    options = ["--input-file-type", "jsonschema", "--output-model-type", "pydantic_v2.BaseModel"]
    options += ["--target-python-version", "3.11", "--enum-field-as-literal", "all", "--class-name", title]
    command = [str(tools.python), "-W", "ignore", "-m", "datamodel_code_generator"]
    tools.run(*command, "--input", str(schema), "--output", str(made), *options)
    form, kind = schema.parent.name, schema.name.partition(".")[0]
    files = [
        file
        for file in sorted(SCHEMAS.glob(f"samples/*/{form}/*/*.json"))
        if kind in {"node", file.parent.name}
    ]
    counts = json.loads(tools.run(str(tools.python), "-c", JUDGE, str(made), title, *map(str, files)))
    for verdict, least in (("accept", LEAST_ACCEPTED), ("reject", LEAST_REJECTED)):
        right, total = counts.get(verdict, (0, 0))
        if right < least * total:
            raise ToolError(f"pydantic: {right} of {total} samples judged right, {verdict}ed")
    told = {verdict: f"{right}/{total}" for verdict, (right, total) in counts.items()}
    return f"+{told['accept']} -{told['reject']}" if told else "imports"


CHECKS: Final[dict[str, Callable[[Tools, Path, Path], str]]] = {
    "json2ts, tsc": typescript,
    "quicktype ts": quicktype_typescript,
    "quicktype rs": quicktype_rust,
    "pydantic": pydantic,
}


def row(tools: Tools, schema: Path, work: Path) -> Row:
    """One schema, by all generators; what they make stays in the folder `work`."""
    name = schema.relative_to(SCHEMAS / "v1").as_posix().replace(".schema.json", "").replace(".codegen.", " ")
    cells, faults = [name], []
    work.mkdir(parents=True)
    for check in CHECKS.values():
        try:
            cells.append(check(tools, schema, work))
        except ToolError as error:
            cells.append("FAILED")
            faults.append(f"{name}: {error}")
    return Row(cells, faults)


def strict(tools: Tools, work: Path) -> list[str]:
    """What the compiler says of all types below `work`: it starts once, and each file is a module of its own."""
    made = sorted(str(file.relative_to(work)) for file in work.rglob("*.ts"))
    options = ["--strict", "--noEmit", "--target", "es2022", "--skipLibCheck", "--pretty", "false"]
    command = [tools.node("tsc"), *options, *made]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    said = [f"tsc: {line}" for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return said or ([f"tsc: exit code {done.returncode}"] if done.returncode else [])


def ajv(tools: Tools) -> tuple[int, list[str]]:
    """How many schemas ajv was asked to compile, and those that it refuses."""
    files = [
        (draft, str(file))
        for draft in ("2020-12", "draft-07")
        for file in sorted(SCHEMAS.rglob(f"*.{draft}.schema.json"))
    ]
    script = tools.folder / "compile.mjs"
    script.write_text(COMPILE, encoding="utf-8")
    return len(files), json.loads(tools.run("node", str(script), given=json.dumps(files)))


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows, with columns of one width."""
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(rows[0]))]
    for cells in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def is_tried(schema: Path) -> bool:
    """Whether this run's share has it: the schemas of nodes are tried always, in one draft or the other."""
    draft = "draft-07" if share.OWN % 2 else "2020-12"
    if schema.name.startswith("node."):
        return share.WHOLE or f".{draft}." in schema.name
    return share.is_chosen(schema.relative_to(SCHEMAS).as_posix())


def check(folder: Path) -> int:
    """Runs everything with the tools in `folder`: the exit code."""
    tools = installed(folder)
    found = sorted(SCHEMAS.glob("v1/**/*.codegen.*.schema.json"))
    if not found:
        raise ToolError(f"no codegen schema in {SCHEMAS}: python schemas/generate.py")
    schemas = [each for each in found if is_tried(each)]
    with tempfile.TemporaryDirectory(dir=tools.folder) as made, ThreadPoolExecutor(2) as pool:
        work = Path(made)
        rows = list(pool.map(lambda schema: row(tools, schema, work / schema.relative_to(SCHEMAS)), schemas))
        said = strict(tools, work)
    print(*table([["schema", *CHECKS], *(each.cells for each in rows)]), sep="\n")
    count, refused = ajv(tools)
    print(f"ajv, strict: {count - len(refused)} of {count} schemas compile")
    faults = [
        *(fault for each in rows for fault in each.faults),
        *said,
        *(f"ajv: {each}" for each in refused),
    ]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description="Runs generators of types on every codegen schema.")
    parser.add_argument("--tools", type=Path, help="where the tools are kept")
    given = parser.parse_args().tools
    lack = missing()
    if lack is not None:
        print(lack, file=sys.stderr)
        return 1
    try:
        if given is not None:
            return check(given.resolve())
        with tempfile.TemporaryDirectory() as folder:
            return check(Path(folder))
    except ToolError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
