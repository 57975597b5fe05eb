"""Several places in one name: patterns, lists in files, directories and prefixes that hold stores.

a/*.zarr          all matches of the pattern, if the shell didn't expand it
a/**/*.zarr       the same in all directories below
s3://b/20*/*      the same below a URL that can be listed
data/             all hierarchies below a directory that isn't one itself
s3://b/2024       all hierarchies below a prefix that isn't one itself
"""

from __future__ import annotations

import os
import re
import sys
from fnmatch import fnmatchcase
from glob import escape, glob, has_magic
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from zom.cli.outcome import UNREADABLE, USAGE, CommandError
from zom.errors import StoreError
from zom.looks import exists, is_directory, is_file
from zom.paths import DOCUMENT_NAMES
from zom.patterns import compiled_later
from zom.reason import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zom.stores.interface import Store

__all__ = ["around", "expanded", "listed", "matching", "within"]

_LISTED_SCHEMES = compiled_later(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)
"""URLs that may contain a pattern: web servers list nothing, and `?` begins a query there."""
_MAGIC = re.compile(r"[*?[]")
_ANY_DEPTH = compiled_later(r"(?:^|(?<=/))\*\*/")


def listed(file: str) -> list[str]:
    r"""The places in a file, one per line or separated by NUL, without empty lines and # comments.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "places"
    ...     _ = path.write_text("# two\na.zarr\n\nb.zarr\n")
    ...     listed(str(path))
    ['a.zarr', 'b.zarr']
    """
    try:
        text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as cause:
        message = f"--from-file: {file}: cannot be read: {reason_of(cause)}; name a file of places, or - for standard input"
        raise CommandError(message, UNREADABLE) from None
    has_nul = b"\0" in text
    lines = text.split(b"\0") if has_nul else text.splitlines()
    names = (line.decode("utf-8", "surrogateescape") for line in lines)
    if has_nul:
        return [name for name in names if name]
    return [name.strip() for name in names if name.strip() and not name.lstrip().startswith("#")]


def expanded(names: Iterable[str]) -> list[str]:
    """The names, with patterns replaced by their sorted matches.

    Existing names and `-` are not patterns. The node after `::` is kept.

    >>> expanded(["https://example.org/a.zarr?b=*", "-"])
    ['https://example.org/a.zarr?b=*', '-']
    """
    found: list[str] = []
    for name in names:
        matches = matching(name)
        if not matches:
            raise CommandError(f"{name}: no path matches this pattern; name a store", UNREADABLE)
        found.extend(matches)
    return found


def matching(name: str) -> list[str]:
    """The sorted matches of a pattern, or the name itself if it isn't one."""
    where, colons, inner = name.partition("::")
    if "://" in where:
        is_pattern = _LISTED_SCHEMES.match(where) is not None and has_magic(where.partition("://")[2])
        return [f"{each}{colons}{inner}" for each in _matching_urls(where)] if is_pattern else [name]
    if not has_magic(where) or exists(where):
        return [name]
    return [f"{match}{colons}{inner}" for match in sorted(set(_matching_paths(where)))]


def _matching_paths(pattern: str) -> Iterator[str]:
    """The matching paths. `**` doesn't follow links to directories: one may lead to a directory above it."""
    first, *rest = _ANY_DEPTH.split(pattern, maxsplit=1)
    if not rest:
        yield from glob(pattern)  # noqa: PTH207 - absolute or not, as it is given
        return
    for base in glob(first) if first else ["./"]:  # noqa: PTH207 - as above
        for directory, names, _ in os.walk(base):
            names[:] = [name for name in names if not name.startswith(".")]
            below = escape(directory if first else directory.removeprefix("./"))
            yield from _matching_paths(os.path.join(below, rest[0]))  # noqa: PTH118 - as written


def _matching_urls(pattern: str) -> list[str]:
    """The matching prefixes and keys of a URL whose keys can be listed."""
    start = _MAGIC.search(pattern, pattern.index("://") + 3)
    root = pattern[: pattern.rindex("/", 0, start.start() if start else None) + 1]
    steps = pattern[len(root) :].rstrip("/").split("/")
    if root.endswith("://"):
        raise CommandError(f"{pattern}: expected a bucket or host before the pattern; name it", USAGE)
    from zom.cli.operand import operand_of  # noqa: PLC0415 - patterns of paths need no stores

    with operand_of(root).opened() as store:
        return [f"{root}{path}" for path in sorted(_steps(store, "", steps))]


def _steps(store: Store, prefix: str, steps: list[str]) -> Iterator[str]:
    """The matches below a prefix: other prefixes, and files that are stores. `*` matches no leading dot."""
    from zom.hierarchy.stored.below import is_circle  # noqa: PLC0415 - slow to import

    step, *rest = steps
    try:
        keys, prefixes = store.list_dir(prefix)
    except StoreError as error:
        if is_circle(error):
            return
        raise
    if step == "**" and rest:
        yield from _steps(store, prefix, rest)
    for each in (*prefixes, *(key for key in keys if not rest and key.endswith(".zip"))):
        name = each.removeprefix(prefix).rstrip("/")
        if name.startswith(".") and not step.startswith("."):
            continue
        if step == "**" and rest and each in prefixes:
            yield from _steps(store, each, steps)
        elif fnmatchcase(name, step):
            yield from _steps(store, each, rest) if rest else (each.rstrip("/"),)


def within(name: str) -> list[str]:
    """The hierarchies below a directory or prefix that isn't one itself, or the name if there are none.

    Names that end in `.zarr` or `.zip`, `http` URLs and nodes after `::` are kept.
    """
    if name == "-" or "::" in name or name.rstrip("/").endswith((".zarr", ".zip")) or name.startswith("http"):
        return [name]
    from zom.cli.operand import operand_of  # noqa: PLC0415 - slow to import
    from zom.hierarchy.stored.below import hierarchies_below, is_hierarchy  # noqa: PLC0415 - as above

    place = operand_of(name)
    if place.kind != "store" or (place.exists and "://" not in name and not is_directory(place.where)):
        return [name]
    with place.opened() as store:
        if not store.capabilities.listable or is_hierarchy(store):
            return [name]
        base = place.where.rstrip("/")
        return [f"{base}/{path}" for path in hierarchies_below(store)] or [name]


def around(names: Iterable[str]) -> list[str]:
    """The stores that contain these files, each once: the outermost of the nested nodes around a file.

    A file outside of any store is kept.

    >>> around(["a.json"])
    ['a.json']
    """
    found: dict[str, None] = {}
    for name in names:
        outer = dropwhile(lambda each: not _is_node(each), Path(name).parents)
        nodes = [] if "://" in name else list(takewhile(_is_node, outer))
        found[str(nodes[-1]) if nodes else name] = None
    return list(found)


def _is_node(directory: Path) -> bool:
    return any(is_file(directory / name) for name in DOCUMENT_NAMES)
