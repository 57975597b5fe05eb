"""A v3 hierarchy in a directory, read by walking its files: `zarr.json` here, folders below are members.

Nothing is opened but files of that name, and nothing is written. What lies in an array's own directory
is chunks and not looked at; a folder without `zarr.json` that has nodes below it is a group without
attributes; a link to a directory is not followed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from zom import jsontext
from zom.cli.outcome import UNREADABLE, CommandError
from zom.errors import SpecError
from zom.limits import DEFAULT_LIMITS
from zom.model import hierarchy
from zom.model.stored import model_document
from zom.model.v3 import V3

if TYPE_CHECKING:
    from zom.model.spec import Spec
    from zom.problems import Fault, Problem

__all__ = ["read_directory"]


def read_directory(root: Path) -> Spec:
    """The hierarchy whose root is the directory `root`, read as leniently as can be.

    >>> try:
    ...     read_directory(Path("docs"))
    ... except CommandError as error:
    ...     print(error)
    docs: no zarr.json in it or below it; name the directory of a v3 store
    """
    documents = _documents(root)
    if not documents:
        message = f"{root}: no zarr.json in it or below it; name the directory of a v3 store"
        raise CommandError(message, UNREADABLE)
    try:
        return cast("Spec", hierarchy.parse(_nested(documents), "lenient", on_warning=_forget))
    except SpecError as error:
        errors = [problem for problem in error.problems if problem.severity == "error"]
        more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
        message = f"{root}: {errors[0]}{more}; see zom validate {root / 'zarr.json'}"
        raise CommandError(message, UNREADABLE) from None


def _documents(root: Path) -> dict[tuple[str, ...], Any]:
    found: dict[tuple[str, ...], Any] = {}
    for directory, names, files in os.walk(root):
        names.sort()
        if "zarr.json" not in files:
            continue
        document = _read(Path(directory, "zarr.json"))
        found[Path(directory).relative_to(root).parts] = document
        if isinstance(document, dict) and document.get("node_type") == "array":  # pyright: ignore[reportUnknownMemberType]
            names.clear()
    return found


def _read(file: Path) -> Any:
    try:
        with file.open("rb") as opened:
            text = opened.read(DEFAULT_LIMITS.text_bytes + 1)
    except OSError as cause:
        message = f"{file}: can't be read: {cause.strerror}"
        raise CommandError(message, UNREADABLE) from None
    faults: list[Fault] = []
    value = jsontext.read(text, faults)
    if value is None and faults:
        message = f"{file}: expected {faults[0].expected}, found {faults[0].found}; see zom validate {file}"
        raise CommandError(message, UNREADABLE)
    return model_document(V3, {"zarr.json": value})


def _nested(documents: dict[tuple[str, ...], Any]) -> Any:
    """The documents as one, each group with its members; from the top down, parents first."""
    if list(documents) == [()]:
        return documents[()]
    made: dict[str, Any] = {}
    for path, document in sorted(documents.items()):
        here = made
        for name in path:
            members = here.setdefault("members", {})
            here = members.setdefault(name, {"zarr_format": 3, "node_type": "group"})
        here.clear()
        here.update(document)
    return {"zarr_format": 3, "node_type": "group", **made}


def _forget(problem: Problem) -> None:
    """A warning is the business of `zom validate`."""
    del problem
