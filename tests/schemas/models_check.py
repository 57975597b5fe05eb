"""Runs the models that `zom codegen` writes for many hierarchies through compilers, type checkers and validators.

    python tests/schemas/models_check.py --tools examples/typescript

TypeScript: `tsc --strict` accepts every module together with its hierarchy as a value of the root's type, and refuses it with a member
of another type; ajv in strict mode compiles the module's schema, accepts the hierarchy and refuses it after each change below. Python:
mypy and pyright accept every module in strict mode, and the root's class accepts and refuses the same documents. The hierarchies are
the samples in schemas/ and such as hypothesis makes, the same each time for a seed. Exits with 1 where anything differs.
"""
# ruff: noqa: T201

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from hypothesis import HealthCheck, Phase, given, seed, settings

from zom.cli.main import main as command
from zom.testing.strategies import group_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
SAMPLES: Final = ROOT / "schemas" / "samples" / "accept"

AJV: Final = """
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";
const [tools, work, count] = process.argv.slice(2);
const Ajv = createRequire(tools + "/")("ajv/dist/2020").default;
const verdicts = [];
for (let at = 0; at < Number(count); at++) {
  const { schema } = await import(pathToFileURL(`${work}/out/m${at}.js`));
  const ajv = new Ajv({ strict: true, allErrors: true });
  ajv.addVocabulary(["x-zom-convention", "x-zom-rules", "x-zom-not-expressed"]);
  const check = ajv.compile(schema);
  verdicts.push(JSON.parse(readFileSync(`${work}/d${at}.json`, "utf8")).map((each) => check(each)));
}
console.log(JSON.stringify(verdicts));
"""


def hierarchies(count: int, number: int) -> Iterator[dict[str, Any]]:
    """The documents: the samples of v2 and v3, and so many that hypothesis makes of each from the seed `number`."""
    for file in sorted(SAMPLES.glob("v[23]/*/*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        if "consolidated_metadata" not in document:  # the hierarchy is what that describes
            yield document
    yield from made("v2", count, number)
    yield from made("v3", count, number)


def made(form: Literal["v2", "v3"], count: int, number: int) -> list[dict[str, Any]]:
    """So many hierarchies of a format that hypothesis makes, the same each time for a seed."""
    found: list[dict[str, Any]] = []
    every = [HealthCheck.data_too_large, HealthCheck.too_slow, HealthCheck.large_base_example]

    @seed(number)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=every
    )
    @given(group_documents(form))
    def collect(document: dict[str, Any]) -> None:
        found.append(document)

    collect()
    return found


def changed(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The document with another format, without a member, and with another type of an array: what no model takes."""
    found = [{**document, "zarr_format": 4}]
    members: Any = document.get("members")
    for name in list(members or ())[:1]:
        found.append({**document, "members": {each: members[each] for each in members if each != name}})
        node = members[name]
        field = "dtype" if document["zarr_format"] == 2 else "data_type"
        if isinstance(node.get(field), str):
            other = {"dtype": "<M8[Y]", "data_type": "float16"}[field]
            if node[field] != other:
                found.append({**document, "members": {**members, name: {**node, field: other}}})
    return found


# --- what is written ---------------------------------------------------------------------------------


def written(work: Path, documents: list[dict[str, Any]]) -> list[str]:
    """Write models of each hierarchy, in both languages, and the documents that they judge; what goes wrong."""
    wrong: list[str] = []
    for at, document in enumerate(documents):
        (work / f"a{at}.json").write_text(json.dumps(document), encoding="utf-8")
        (work / f"d{at}.json").write_text(json.dumps([document, *changed(document)]), encoding="utf-8")
        for language, ending in (("typescript", "ts"), ("python", "py")):
            told = io.StringIO()
            target = str(work / f"m{at}.{ending}")
            with contextlib.redirect_stderr(told):
                code = command(["codegen", str(work / f"a{at}.json"), "--lang", language, "-o", target])
            if code:
                wrong.append(f"{at}: zom codegen --lang {language}: {told.getvalue().strip()}")
        (work / f"u{at}.ts").write_text(typed(at, document), encoding="utf-8")
    return wrong


def typed(at: int, document: dict[str, Any]) -> str:
    """A module that takes the hierarchy for a value of the root's type, and expects that what is changed is none."""

    def literal(value: dict[str, Any]) -> str:
        # A plain key "__proto__" would be the prototype, and no key.
        return json.dumps(value).replace('"__proto__":', '["__proto__"]:')

    lines = [f'import type {{ Root }} from "./m{at}.js";', f"export const right: Root = {literal(document)};"]
    for number, each in enumerate(changed(document)):
        lines += ["// @ts-expect-error", f"export const wrong{number}: Root = {literal(each)};"]
    return "\n".join([*lines, ""])


# --- how it is judged --------------------------------------------------------------------------------


def run(*arguments: str, work: Path) -> subprocess.CompletedProcess[str]:
    """A program, in the directory of the models."""
    return subprocess.run(arguments, cwd=work, capture_output=True, text=True, check=False)


def by_tsc(work: Path, tools: Path) -> list[str]:
    """What the compiler says of the modules and their values."""
    options = [
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--skipLibCheck",
        "--pretty",
        "false",
    ]
    (work / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    files = sorted(file.name for file in work.glob("*.ts"))
    done = run(
        "node", str(tools / "node_modules" / "typescript" / "bin" / "tsc"), *options, "--outDir", "out", *files, work=work
    )  # fmt: skip
    return [f"tsc: {line}" for line in done.stdout.splitlines() if line.strip()] + (
        [f"tsc: {done.stderr}"] if done.returncode and not done.stdout else []
    )


def by_ajv(work: Path, tools: Path, count: int) -> list[str]:
    """Where ajv judges otherwise than it should."""
    (work / "judge.mjs").write_text(AJV, encoding="utf-8")
    done = run("node", "judge.mjs", str(tools), str(work), str(count), work=work)
    if done.returncode:
        return [f"ajv: {done.stderr.strip()[-400:]}"]
    return misjudged("ajv", json.loads(done.stdout))


def by_models(work: Path, count: int) -> list[str]:
    """Where the classes judge otherwise than they should."""
    verdicts: list[list[bool]] = []
    for at in range(count):
        found: Any = importlib.util.spec_from_file_location(f"m{at}", work / f"m{at}.py")
        module = sys.modules[f"m{at}"] = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        documents = json.loads((work / f"d{at}.json").read_text(encoding="utf-8"))
        verdicts.append(
            [
                not [each for each in module.Root.check(document, "lenient") if each.severity == "error"]
                for document in documents
            ]
        )
    return misjudged("classes", verdicts)


def misjudged(who: str, verdicts: list[list[bool]]) -> list[str]:
    """Of each hierarchy the first document is right, and all others are wrong."""
    return [
        f"{who}: {at}: expected {[True, *[False] * (len(each) - 1)]}, found {each}"
        for at, each in enumerate(verdicts)
        if each != [True, *[False] * (len(each) - 1)]
    ]


def by_type_checkers(work: Path, count: int) -> list[str]:
    """What mypy and pyright say of the modules in strict mode."""
    names = [f"m{at}.py" for at in range(count)]
    source = str(ROOT / "src")
    pyright = {"typeCheckingMode": "strict", "include": names, "extraPaths": [source]}
    (work / "pyrightconfig.json").write_text(json.dumps(pyright), encoding="utf-8")
    wrong: list[str] = []
    for words in (["mypy", "--strict", *names], ["pyright", "--pythonpath", sys.executable]):
        done = run(sys.executable, "-m", *words, work=work)
        if done.returncode:
            wrong += [
                f"{words[0]}: {line}" for line in (done.stdout + done.stderr).splitlines() if "error" in line
            ]
    return wrong


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--tools", type=Path, required=True, help="where npm has installed typescript and ajv"
    )
    parser.add_argument("--count", type=int, default=40, help="hierarchies of each format that are made")
    parser.add_argument("--seed", type=int, default=0, help="which ones are made")
    options = parser.parse_args()
    tools: Path = options.tools.resolve()
    documents = list(hierarchies(options.count, options.seed))
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        wrong = written(work, documents)
        if not wrong:
            count = len(documents)
            wrong = [
                *by_tsc(work, tools),
                *by_ajv(work, tools, count),
                *by_models(work, count),
                *by_type_checkers(work, count),
            ]
        for each in wrong[:50]:
            print(each, file=sys.stderr)
    judged = sum(1 + len(changed(document)) for document in documents)
    print(f"models of {len(documents)} hierarchies, {judged} documents judged: {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
