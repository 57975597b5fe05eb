"""The documents that were written so far."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Collected:
    """The documents so far, each once."""

    def __init__(self, writer: str, package: str) -> None:
        self.writer = writer
        self.version = version(package)
        self.lines: dict[str, None] = {}
        self.refused: Counter[str] = Counter()

    def add(self, key: str, text: str | bytes) -> None:
        text = text.decode() if isinstance(text, bytes) else text
        record = {"writer": self.writer, "version": self.version, "key": key, "document": text}
        self.lines[json.dumps(record, ensure_ascii=False)] = None

    def add_all(self, items: Iterable[tuple[str, Any]]) -> None:
        """The metadata documents among the keys and values of a store."""
        for key, value in items:
            name = kind_of(key)
            if name is not None:
                data = value if isinstance(value, (bytes, str)) else bytes(value)
                self.add(name, data)

    def attempt(self, write: Callable[[], Iterable[tuple[str, Any]]]) -> None:
        """What `write` wrote; what the writer refuses is counted."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.add_all(write())
        except Exception as error:  # whatever a writer may raise
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            self.refused[said[:110]] += 1


NAMES = (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json")


def kind_of(key: str) -> str | None:
    """The kind of metadata document that a key holds; None for chunks."""
    name = key.rsplit("/", 1)[-1]
    if name in NAMES:
        return name
    for end in (".array.json", ".group.json"):
        if name.endswith(end):
            return end
    return None


def folder(root: str) -> Iterator[tuple[str, bytes]]:
    """The files below a folder, by key."""
    for path in sorted(Path(root).rglob("*")):
        if path.is_file():
            yield path.relative_to(root).as_posix(), path.read_bytes()
