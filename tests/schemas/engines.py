"""Validators of JSON Schema, each as a function from texts of documents to what is wrong with them.

Python's jsonschema and jsonschema-rs run in this process, the former in several where asked; ajv runs under node, in strict mode, with both
drafts. A verdict is a list of errors, each with the pointer to what is wrong and the keyword that says so.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from jsonschema.validators import validator_for

from zom.problems import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jsonschema.exceptions import ValidationError

    from zom.schema import Draft

__all__ = ["AJV", "ENGINES", "Verdict", "missing_ajv", "missing_rust", "verdicts"]

Verdict: TypeAlias = "list[tuple[str, str]]"
"""The errors of one document, each as pointer and keyword; empty where it is valid."""

AJV: Final = Path(__file__).parent / "ajv"

ENGINES: Final[dict[str, Draft]] = {
    "jsonschema": "2020-12",
    "jsonschema07": "draft-07",
    "rust": "2020-12",
    "rust07": "draft-07",
    "ajv2020": "2020-12",
    "ajv07": "draft-07",
}
"""The engines, and the draft that each reads."""


def verdicts(engine: str, schema: dict[str, Any], texts: Sequence[str], workers: int = 1) -> list[Verdict]:
    """The verdict of `engine` on each document."""
    if engine.startswith("ajv"):
        return _by_ajv(ENGINES[engine], schema, texts)
    if engine.startswith("rust"):
        return _by_rust(schema, texts)
    text = json.dumps(schema)
    if workers < 2:
        return _by_jsonschema(text, texts)
    # Small portions: those with large trees take ten times as long as others.
    portions = [texts[start : start + 200] for start in range(0, len(texts), 200)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = pool.map(_by_jsonschema, [text] * len(portions), portions)
        return [verdict for portion in found for verdict in portion]


# --- jsonschema --------------------------------------------------------------------------------------


@cache
def _validator(text: str) -> Any:
    schema = json.loads(text)
    checker = validator_for(schema)
    checker.check_schema(schema)
    return checker(schema)


def _by_jsonschema(schema: str, texts: Sequence[str]) -> list[Verdict]:
    validator = _validator(schema)
    return [
        [place for error in validator.iter_errors(json.loads(text)) for place in _places(error)]
        for text in texts
    ]


def _places(error: ValidationError) -> Iterator[tuple[str, str]]:
    path = list(error.absolute_path)
    keyword, value, instance = str(error.validator), error.validator_value, error.instance
    names: list[str] = []
    if keyword == "required" and isinstance(instance, dict):
        names = [name for name in value if name not in instance]
    elif keyword == "additionalProperties" and isinstance(instance, dict):
        known: Any = error.schema
        names = [name for name in instance if name not in known.get("properties", {})]
    elif "propertyNames" in error.absolute_schema_path and isinstance(instance, str):
        names = [instance]
    for name in names:
        yield pointer_of([*path, name]), keyword
    if not names:
        yield pointer_of(path), keyword
    for inner in error.context or ():
        yield from _places(inner)


# --- jsonschema-rs -----------------------------------------------------------------------------------


def missing_rust() -> str | None:
    """What has to be installed before jsonschema-rs can run; None where it can."""
    return None if find_spec("jsonschema_rs") else "needs jsonschema-rs: pip install 'zom[fast]'"


def _by_rust(schema: dict[str, Any], texts: Sequence[str]) -> list[Verdict]:
    rust: Any = import_module("jsonschema_rs")
    validator = rust.validator_for(schema)
    return [
        [place for error in validator.iter_errors(_for_rust(text)) for place in _rust_places(error)]
        for text in texts
    ]


def _for_rust(text: str) -> Any:
    """The document, with a replacement character for each lone surrogate: texts of Rust hold none."""
    value = json.loads(text)
    plain = json.dumps(value, ensure_ascii=False)
    whole = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value if whole == plain else json.loads(whole)


def _rust_places(error: Any) -> Iterator[tuple[str, str]]:
    path, keyword = list(error.instance_path), str(next(reversed(error.schema_path), ""))
    kind: Any = error.kind
    names = [getattr(kind, "property", None)] if keyword == "required" else getattr(kind, "unexpected", [])
    places = [[*path, name] for name in names if name is not None] or [path]
    yield from ((pointer_of(place), keyword) for place in places)
    for context in getattr(kind, "context", ()):
        for inner in context:
            yield from _rust_places(inner)


# --- ajv ---------------------------------------------------------------------------------------------


def missing_ajv() -> str | None:
    """What has to be installed before ajv can run; None where it can."""
    if shutil.which("node") is None:
        return "needs node, 20 or newer"
    if not (AJV / "node_modules" / "ajv").is_dir():
        return f"needs ajv: npm ci --prefix {AJV.relative_to(AJV.parents[2])}"
    return None


def _by_ajv(draft: Draft, schema: dict[str, Any], texts: Sequence[str]) -> list[Verdict]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "schema.json")
        file.write_text(json.dumps(schema), encoding="utf-8")
        # shutil.which, so that the program is the one that missing_ajv looked for.
        command = [
            shutil.which("node") or "node",
            str(AJV / "check.mjs"),
            draft,
            str(file),
        ]
        done = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"ajv with {draft} failed: {done.stderr.strip()}"
        raise RuntimeError(message)
    found: list[Verdict] = []
    for line in done.stdout.removesuffix("\n").split("\n") if texts else ():
        errors = json.loads(line)
        found.append([] if errors == 1 else [(pointer, keyword) for pointer, keyword in errors])
    if len(found) != len(texts):
        message = f"ajv gave {len(found)} verdicts for {len(texts)} documents"
        raise RuntimeError(message)
    return found
