"""What a writer's module tells: the stores that it can write, and the nodes that it finds in one.

Every Python of the interop checks imports this module, so that it uses nothing but numpy 1.24.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TEXT_TYPES = {"string": "texts", "bytes": "bytes"}


class Store(NamedTuple):
    """A store that a program can write: what it is called, its format, and how it is written."""

    name: str
    form: str
    write: Callable[[str, str], None]
    """Takes the place of the store, and the format."""
    suffix: str = ""


class Node(NamedTuple):
    """A node as the writer finds it. Groups have no elements."""

    path: str
    attributes: dict[str, Any] | None
    """None where the writer's own differ from those that are stored."""
    elements: Any = None


def data(dtype: Any, shape: tuple[int, ...] = (7, 5), name: str = "") -> Any:
    """Elements of a data type, the same in every run; of all bits, where that is possible."""
    if isinstance(dtype, str) and dtype in TEXT_TYPES:
        return values.make(object, shape, name, TEXT_TYPES[dtype])
    return values.make(dtype, shape, name)


def label(dtype: Any) -> str:
    """A data type as part of a name."""
    if isinstance(dtype, str):
        return dtype
    return "struct " + " ".join(label(kind) for _, kind, *_ in dtype)


def plain_name(text: str) -> str:
    """The name of a node in letters that the draft allows."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", text).strip("-.")


@contextlib.contextmanager
def may_refuse() -> Iterator[None]:
    """Leave out an array that the writer refuses: the table counts the nodes that are there."""
    with contextlib.suppress(Exception):
        yield


def dump(items: Iterable[tuple[str, bytes]], place: str) -> None:
    """The keys and values of a store that is no folder, as files."""
    for key, value in items:
        path = Path(place, *key.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(value))
