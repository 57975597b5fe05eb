"""Every error says where it is, of which node, under which key, and what to do next."""

from __future__ import annotations

import errno
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import zom
from zom.errors import ChunkError, ConflictError, NotFound, SpecError, StoreError, ZomError
from zom.hierarchy.journal.journal import Journal
from zom.stores.memory import MemoryStore
from zom.stores.wrap import ReadOnlyStore
from zom.testing.faulty import FaultyStore

if TYPE_CHECKING:
    from collections.abc import Callable

MODULES = {"v2": zom.v2, "v3": zom.v3}
DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", ".zom.journal", ".zom.copy")
STEP = re.compile(
    r"(?:[;:] |, or |\? Or |\n +)(?:check|choose|correct|see|free|open|read|wait|finish|undo|pass|write|restore|try|delete"
    r"|remove|rename|mend|repair|look|name|move|ask|create|close|call|use|plan|mark|install|change|zom\.\w+)\b"
)
"""What to do next: an order, after the reason."""


def array_of(form: str) -> Any:
    return MODULES[form].ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))


def tree_of(form: str) -> Any:
    module = MODULES[form]
    group = module.GroupSpec(attributes={"g": 1}, members={"b": array_of(form)})
    return module.GroupSpec(attributes={}, members={"a": array_of(form), "g": group})


def filled(form: str) -> MemoryStore:
    store = MemoryStore()
    zom.materialize(tree_of(form), store, data={"a": [1, 2, 3, 4], "g/b": [5, 6, 7, 8]})
    return store


def changed(form: str) -> Any:
    """The tree with other attributes, one array less and another type."""
    module = MODULES[form]
    other = module.ArraySpec.build(shape=(4,), dtype="float32", chunks=(2,))
    return module.GroupSpec(attributes={"new": 1}, members={"a": other})


def opened(store: Any, path: str = "") -> Any:
    return zom.open(store, path, mode="r+")


VERBS: dict[str, Callable[[Any, str], Any]] = {
    "open": lambda store, form: zom.open(store),
    "read": lambda store, form: zom.read(store),
    "check": lambda store, form: zom.validate(store, conventions=(), data="all").problems,
    "validate": lambda store, form: zom.validate(store),
    "diff": lambda store, form: zom.diff(store, tree_of(form)),
    "plan": lambda store, form: zom.plan(changed(form), store, on_conflict="replace"),
    "materialize": lambda store, form: zom.materialize(changed(form), store, on_conflict="replace"),
    "update": lambda store, form: zom.materialize(
        tree_of(form).replace(attributes={"x": 1}), store, on_conflict="update"
    ),
    "refused": lambda store, form: zom.materialize(changed(form), store),
    "new": lambda store, form: zom.materialize(tree_of(form), store, "n", data={"a": [1, 2, 3, 4]}),
    "create array": lambda store, form: zom.create_array(store, array_of(form), "n/m"),
    "create group": lambda store, form: zom.create_group(store, MODULES[form].GroupSpec(), "n"),
    "copy": lambda store, form: zom.copy(store, MemoryStore()),
    "copy to": lambda store, form: zom.copy(filled(form), store, on_conflict="replace"),
    "copy to what is there": lambda store, form: zom.copy(filled(form), store),
    "migrate": lambda store, form: zom.migrate(store, "v2" if form == "v3" else "v3", in_place=True),
    "consolidate": lambda store, form: zom.consolidate(store),
    "delete": lambda store, form: zom.delete(store, "g"),
    "rename": lambda store, form: zom.rename(store, "g", "h"),
    "repair": lambda store, form: zom.repair(store),
    "plan repair": lambda store, form: zom.plan_repair(store),
    "read array": lambda store, form: opened(store, "a")[:],
    "read element": lambda store, form: opened(store, "g/b")[3],
    "write array": lambda store, form: opened(store, "a").__setitem__(slice(None), np.arange(4)),
    "write element": lambda store, form: opened(store, "g/b").__setitem__(1, 3),
    "append": lambda store, form: opened(store, "a").append([1, 2, 3]),
    "resize": lambda store, form: opened(store, "a").resize((1,)),
    "attributes": lambda store, form: opened(store, "g").attrs.update(x=1),
    "members": lambda store, form: opened(store)["g"]["b"],
}


def told(act: Callable[[], Any], url: str) -> ZomError | None:
    """The error of `act()`, which must say all that there is to say."""
    error: ZomError | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            act()
        except ZomError as raised:
            error = raised
    if error is None:
        return None
    text = str(error)
    assert url in text, text
    # What is not found tells what lies there instead.
    assert isinstance(error, NotFound) or STEP.search(text), f"no next step: {text}"
    if isinstance(error, (StoreError, ChunkError)) and error.key:
        assert repr(error.key) in text, text
        if isinstance(error, ChunkError) or error.key.rpartition("/")[2] in DOCUMENTS:
            assert f" of {error.node or '/'}" in text, f"no node: {text}"
    if isinstance(error, (SpecError, ConflictError)):
        for problem in [each for each in error.problems if each.severity == "error"][:50]:
            assert problem.key is None or repr(problem.key) in text, f"no key: {text}"
            assert problem.node in {"/", ""} or problem.node in text, f"no node: {text}"
    return error


@pytest.mark.slow
@pytest.mark.parametrize("form", MODULES)
@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES, errno.ENOSPC], ids=errno.errorcode.get)
@pytest.mark.parametrize("verb", VERBS)
def test_a_failure_at_any_operation_is_told(verb, code, form):
    whole = filled(form)
    contents = {key: whole.get(key) for key in whole.list()}
    failed = 0
    for number in range(200):
        store = FaultyStore(
            MemoryStore(dict(contents)), dict.fromkeys(range(number, 999), "fail"), error=code
        )
        error = told(lambda store=store: VERBS[verb](store, form), "memory://")
        failed += error is not None
        if number >= len(store.operations):
            break
    # These say what they find as problems, or go on.
    assert failed or verb in {"check", "validate"}


DAMAGES = {
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: b"",
    "no JSON": lambda text: b"\xff\xfe\x00",
    "a list": lambda text: b"[1, 2]",
    "another format": lambda text: b'{"zarr_format": 9, "node_type": "array"}',
    "members missing": lambda text: b'{"zarr_format": 3, "node_type": "array"}',
    "another shape": lambda text: text.replace(b'"shape"', b'"shap"'),
    "another type": lambda text: text.replace(b"int8", b"int9").replace(b"|i1", b"|i3"),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", MODULES)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_damaged_document_or_chunk_is_told(verb, damage, form):
    whole = filled(form)
    contents = {key: whole.get(key) for key in whole.list()}
    for key, text in contents.items():
        store = MemoryStore({**contents, key: DAMAGES[damage](text)})
        told(lambda store=store: VERBS[verb](store, form), "memory://")


@pytest.mark.parametrize("form", MODULES)
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", ["", "g/"], ids=["above", "below"])
@pytest.mark.parametrize("kind", ["journal", "damaged journal", "mark", "damaged mark"])
def test_an_unfinished_change_is_told(kind, place, verb, form):
    store = filled(form)
    key = f"{place}zarr.json" if form == "v3" else f"{place}.zattrs"
    if "mark" in kind:
        store.set(f"{place}.zom.copy", b"{}" if kind == "mark" else b"\xff")
    else:
        work = Journal(f"/{place.rstrip('/')}", "finish", writes={key: b"{}"}, old={key: store.get(key)})
        store.set(f"{place}.zom.journal", work.text() if kind == "journal" else b'{"form": 1}')
    told(lambda: VERBS[verb](store, form), "memory://")


@pytest.mark.parametrize("form", MODULES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_store_that_may_not_be_changed_is_told(verb, form):
    told(lambda: VERBS[verb](ReadOnlyStore(filled(form)), form), "memory://")


@pytest.mark.parametrize("form", MODULES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_place_without_a_hierarchy_is_told(verb, form, tmp_path):
    told(lambda: VERBS[verb](MemoryStore({"thesis.tex": b""}), form), "memory://")
    (tmp_path / "x.zip").write_bytes(b"no zip file")
    told(lambda: VERBS[verb](tmp_path / "x.zip", form), str(tmp_path / "x.zip"))
    (tmp_path / "x.sqlite").write_bytes(b"no database" * 100)
    told(lambda: VERBS[verb](tmp_path / "x.sqlite", form), str(tmp_path / "x.sqlite"))
    (tmp_path / "x.txt").write_bytes(b"a file")
    told(lambda: VERBS[verb](tmp_path / "x.txt", form), str(tmp_path / "x.txt"))
    told(lambda: VERBS[verb](tmp_path / "x.txt" / "y.zarr", form), str(tmp_path / "x.txt"))


def test_a_chunk_that_is_missing_is_told():
    array = zom.create_array(MemoryStore(), array_of("v3"), "g/a")
    error = told(lambda: array.with_options(missing="error")[:], "memory://")
    assert str(error) == (
        "memory://: cannot read chunk 'g/a/c/0' of /g/a: it is missing; write it, or read with missing='fill'"
    )
