"""Includes: other files whose words apply in a declaration unless it overrides them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from zom.declaration.source import At, read_source
from zom.declaration.words import FORM, ROOT
from zom.errors import SpecError
from zom.json.python_value import is_list
from zom.looks import is_file
from zom.problems import rule, show

if TYPE_CHECKING:
    from zom.declaration.source import Problems, Source

__all__ = ["file_below", "included", "source_below"]

INCLUDE = rule(
    "declaration/include",
    "an included file is beside the declaration or below it, and doesn't include itself",
    source="declarations, docs/declaring.md",
)

_MOST_FILES: Final = 100


def included(source: Source, problems: Problems) -> list[Source]:
    """Return the source and everything that it includes, each once, in order of precedence."""
    found: list[Source] = []
    seen: set[Path] = set()
    if source.folder is None:
        if "include" in source.value:
            fix = "pass the declaration as a file"
            problems.add(
                At(source, ("include",)).problem(
                    INCLUDE, "a declaration in a file, to include other files", "none", fix
                )
            )
        return [source]
    root = source.folder.resolve()
    _follow(source, (root / Path(source.name).name,), root, found, seen, problems)
    return found


def file_below(root: Path, folder: Path, name: str, place: At, problems: Problems) -> Path | None:
    """Return the file `name` relative to `folder`; add a problem and return None if not below `root`."""
    try:
        file = (folder / name).resolve()
    except (OSError, ValueError):  # a NUL in the name, or circular links
        problems.add(place.problem(INCLUDE, "the name of a file", show(name)))
        return None
    if "://" not in name and file.is_relative_to(root):
        return file
    fix = "move it beside the declaration, or below it"
    problems.add(place.problem(INCLUDE, "a file beside the declaration or below it", show(name), fix))
    return None


def source_below(file: Path, place: At, name: str, problems: Problems) -> Source | None:
    """Read a file; add problems and return None if it can't be read."""
    if not is_file(file):
        problems.add(place.problem(INCLUDE, "an existing file", show(name)))
        return None
    try:
        return read_source(file, name)
    except SpecError as error:
        for problem in error.problems:
            problems.add(problem)
    return None


def _follow(  # noqa: PLR0913, PLR0917 - the state of the walk
    source: Source,
    way: tuple[Path, ...],
    root: Path,
    found: list[Source],
    seen: set[Path],
    problems: Problems,
) -> None:
    """Add the source and its includes; `way` is the chain of files that lead to it, itself the last."""
    found.append(source)
    seen.add(way[-1])
    given: Any = source.value.get("include", [])
    at = At(source, ("include",))
    if not ROOT["include"].holds(given):
        problems.add(at.problem(FORM, ROOT["include"].expected, show(given)))
        return
    for index, name in enumerate(given if is_list(given) else [given]):
        place = at.child(index) if is_list(given) else at
        file = file_below(root, way[-1].parent, name, place, problems)
        if file is None:
            continue
        if file in way:
            problems.add(place.problem(INCLUDE, "files that don't include themselves", show(name)))
        elif file in seen:
            continue
        elif len(found) >= _MOST_FILES:
            problems.add(place.problem(INCLUDE, f"at most {_MOST_FILES} files", "more"))
        else:
            inner = source_below(file, place, name, problems)
            if inner is not None:
                _follow(inner, (*way, file), root, found, seen, problems)
