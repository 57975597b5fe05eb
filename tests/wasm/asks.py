"""What a store of a web server answers: the same in a browser as elsewhere. Also run by run_in_browser.py in CPython."""

from __future__ import annotations

from typing import Any

import zom
from zom.errors import ZomError
from zom.stores.http import HTTPStore
from zom.stores.interface import Part, Range, Suffix

CHUNK, SIZE = "a/x/c/0", 80


def answers(url: str) -> dict[str, Any]:
    """What was answered to each question; of an error, its message."""
    store = HTTPStore(url, retries=0)
    questions = {
        "document": lambda: store.get("zarr.json"),
        "whole": lambda: store.get(CHUNK),
        "part": lambda: store.get(CHUNK, Range(2, 7)),
        "from there on": lambda: store.get(CHUNK, Range(5)),
        "end": lambda: store.get(CHUNK, Suffix(4)),
        "more than all": lambda: store.get(CHUNK, Suffix(1000)),
        "over the end": lambda: store.get(CHUNK, Range(SIZE - 3, 10)),
        "behind the end": lambda: store.get(CHUNK, Range(SIZE + 5, 10)),
        "nothing": lambda: store.get(CHUNK, Range(3, 0)),
        "missing": lambda: store.get("no/such/key"),
        "odd name": lambda: store.get("a b/\u00fc?#%20"),
        "many": lambda: store.get_many([CHUNK, "missing", ("a/x/c/1", Range(0, 3))]),
        "of a version": lambda: of_version(store),
        "of another version": lambda: store.get_parts([Part(CHUNK, Range(0, 2), '"other"')]),
        "too long": lambda: HTTPStore(url, max_value_bytes=79).get(CHUNK),
        "late": lambda: HTTPStore(url, retries=0, timeout=0.5).get("late"),
        "tree": lambda: [path for path, _ in zom.read(url).walk()],
    }
    return {name: repr(told(ask)) for name, ask in questions.items()}


def of_version(store: HTTPStore) -> object:
    (found,) = store.get_parts([Part(CHUNK, Range(0, 2))])
    return found and (found.value, found.version is None)


def told(ask: Any) -> object:
    try:
        return ask()
    except ZomError as error:
        return str(error)
