"""Nodes with names that zom gives to nothing new: listed, read, changed, copied and told of, and never made."""

from __future__ import annotations

import functools
import http.server
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import zom
from zom import draft, v2, v3
from zom.cli.main import main
from zom.errors import ConflictError, PathError
from zom.stores.http import HTTPStore
from zom.stores.local import LocalStore
from zom.stores.memory import MemoryStore
from zom.stores.sqlite import SQLiteStore
from zom.stores.zip import ZipStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::zom.SpecWarning")

FORMS: dict[str, Any] = {"v2": v2, "v3": v3}
ODD = ["a\nb", "\x7f", "\x85", "\t", "a\x1b[31mb", "__x", "...", "a\\b"]
"""Names that a format forbids, or zom, and that other software makes."""
PLAIN = ["Twin", "twin", "dot.", "sp ", "con"]
"""Names that only other systems refuse."""
NOT_TEXT = "\udcff\udce9"
STORES = ("local", "memory", "zip", "sqlite", "http")


def array_of(form: str) -> Any:
    return FORMS[form].ArraySpec.build(shape=(2,), dtype="int8", chunks=(2,), compress=None)


def keys_of(form: str, names: list[str]) -> dict[str, bytes]:
    """For each name an array, and a group that holds an array."""
    sample = MemoryStore()
    zom.create_group(sample, FORMS[form].GroupSpec(), "g")
    zom.create_array(sample, array_of(form), "g/in")[:] = [1, 2]
    made: dict[str, bytes] = {}
    for key in sample.list():
        value = sample.get(key) or b""
        if "/" not in key:
            made[key] = value
        for name in names:
            made[key.replace("g/", f"{name}+/", 1) if name != "..." else key.replace("g/", "..../", 1)] = (
                value
            )
            if key.startswith("g/in/"):
                made[f"{name}/{key[5:]}"] = value
    return made


def paths_of(names: list[str]) -> set[str]:
    groups = [f"{name}+" if name != "..." else "...." for name in names]
    return {"/", *(f"/{name}" for name in (*names, *groups)), *(f"/{group}/in" for group in groups)}


@contextmanager
def holding(kind: str, values: dict[str, bytes], folder: Path) -> Iterator[zom.Store]:
    """A store of that kind which holds the values."""
    if kind == "memory":
        yield MemoryStore(values)
    elif kind == "sqlite":
        with SQLiteStore(folder / "x.sqlite") as store:
            store.set_many(values)
            yield store
    elif kind == "zip":
        with ZipStore(folder / "x.zip", mode="w") as made:
            made.set_many(values)
        with ZipStore(folder / "x.zip") as store:
            yield store
    else:
        with LocalStore(folder / "x.zarr") as store:
            store.set_many(values)
            if kind == "local":
                yield store
                return
        with served(folder / "x.zarr") as url, HTTPStore(url, listable=True) as store:
            yield store


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        # Of more than these, connections are made again after a second.
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", STORES)
def test_nodes_of_odd_names_are_nodes_everywhere(kind: str, form: str, tmp_path: Path) -> None:
    names = [*ODD, *PLAIN, *([NOT_TEXT] if kind in {"local", "memory", "http"} else [])]
    with holding(kind, keys_of(form, names), tmp_path) as store:
        if kind == "http":
            # So Python's server spells bytes that are no text.
            names[-1] = NOT_TEXT.encode(errors="surrogatepass").decode(errors="surrogateescape")
        wanted = paths_of(names)
        told: list[zom.Problem] = []
        assert {path for path, _ in zom.read(store, on_warning=told.append).walk()} == wanted
        assert {problem.severity for problem in told} == {"warning"}
        assert {problem.fix for problem in told} == {"rename it with zom.rename"}
        group = zom.open_group(store)
        assert {f"/{name}" for name in group} | {"/"} == {path for path in wanted if path.count("/") == 1}
        assert len(group.tree().splitlines()) == len(wanted)
        assert group.tree().replace("\n", "").isprintable()
        odd = [*ODD, *names[len(ODD) + len(PLAIN) :]]
        for name in names:
            node = zom.open_array(store, name)
            assert node[:].tolist() == [1, 2]
            assert repr(node).isprintable()
            assert str(node.info).replace("\n", "").isprintable()
            assert isinstance(group.members()[name], zom.Array)
        said = {problem.node for problem in zom.validate(store, conventions=(), data="keys").problems}
        assert said >= {f"/{name}" for name in odd if not (form == "v2" and name in {"__x", "..."})}
        assert said >= {"/twin", "/dot.", "/sp ", "/con"}
        assert said == {problem.node for problem in zom.validate(store)}
        assert {problem.node for problem in told} <= said
        if form == "v3":
            assert {problem.node for problem in told} >= {f"/{name}" for name in odd if name != "a\\b"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["local", "memory", "sqlite"])
def test_nodes_of_odd_names_are_changed_renamed_and_deleted(kind: str, form: str, tmp_path: Path) -> None:
    names = [*ODD, *([NOT_TEXT] if kind != "sqlite" else [])]
    with holding(kind, keys_of(form, names), tmp_path) as store:
        for number, name in enumerate(names):
            array = zom.open_array(store, name, mode="r+")
            array[1] = 5
            array.attrs["n"] = number
            array.append([7])
            zom.rename(store, name, f"new{number}")
            found = zom.open_array(store, f"new{number}")
            assert (found[:].tolist(), dict(found.attrs)) == ([1, 5, 7], {"n": number})
            group = f"{name}+" if name != "..." else "...."
            zom.delete(store, group)
            assert not any(key.startswith(f"{group}/") for key in store.list())
        assert set(zom.open_group(store)) == {f"new{number}" for number in range(len(names))}
        assert zom.repair(store) == ()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["memory", "local", "sqlite", "zip"])
def test_nodes_of_odd_names_are_copied(kind: str, form: str, tmp_path: Path) -> None:
    names = [*ODD, *PLAIN]
    source = MemoryStore(keys_of(form, names))
    with holding(kind, {}, tmp_path) if kind != "zip" else ZipStore(tmp_path / "y.zip", mode="w") as target:
        report = zom.copy(source, target)
        assert report.problems == ()
        assert {key: target.get(key) for key in target.list()} == keys_of(form, names)


def test_what_the_target_cannot_hold_is_told_of_and_the_rest_is_copied(tmp_path: Path) -> None:
    source = MemoryStore(keys_of("v3", ["a", NOT_TEXT]))
    with SQLiteStore(tmp_path / "x.sqlite") as target:
        with pytest.warns(
            zom.SpecWarning, match=r"some nodes are not copied: /\\udcff\\udce9\+?: expected a name that"
        ):
            report = zom.copy(source, target)
        assert {path for path, _ in zom.read(target).walk()} == paths_of(["a"])
    assert {(each.code, each.node) for each in report.problems} == {
        ("copy/name", f"/{NOT_TEXT}"),
        ("copy/name", f"/{NOT_TEXT}+"),
        ("copy/name", f"/{NOT_TEXT}+/in"),
    }


@pytest.mark.parametrize("form", ["v2", "v3", "draft"])
@pytest.mark.parametrize("name", ["a\nb", "\x7f", "a\\b", NOT_TEXT, "__x", "..."])
def test_nothing_new_gets_such_a_name(form: str, name: str) -> None:
    if form == "v2" and name in {"__x", "..."}:
        return  # v2 keeps no such names for itself
    face: Any = {**FORMS, "draft": draft}[form]
    array = face.ArraySpec.build(shape=(2,), dtype="int8")
    store = MemoryStore()
    if form == "draft" and name == "__x":
        return  # nor does the draft
    with pytest.raises(PathError):
        zom.create_array(store, array, name)
    with pytest.raises(PathError):
        zom.create_group(store, face.GroupSpec(), f"g/{name}")
    zom.create_array(store, array, "a")
    with pytest.raises(PathError):
        zom.rename(store, "a", name)
    with pytest.raises(PathError):
        zom.plan(array, store, name)
    if (form, name) != ("v3", "a\\b"):  # which the text of v3 allows
        with pytest.raises(zom.SpecError):
            face.GroupSpec(members={name: array})
    assert not any(name in key for key in store.list())


@pytest.mark.parametrize("form", FORMS)
def test_a_spec_that_was_read_is_made_elsewhere_without_its_odd_names(form: str) -> None:
    spec = zom.read(MemoryStore(keys_of(form, ["a\nb"])))
    assert zom.parse(spec.to_json(), "lenient") == spec
    target = MemoryStore()
    plan = zom.plan(spec, target)
    assert {(each.code, each.node) for each in plan.problems} == {
        ("plan/name", "/a\nb"),
        ("plan/name", "/a\nb+"),
    }
    with pytest.raises(ConflictError, match=r"/a\\nb: expected a name without control characters"):
        zom.materialize(spec, target)
    assert list(target.list()) == []


def test_a_spec_whose_odd_nodes_are_there_is_no_conflict() -> None:
    store = MemoryStore(keys_of("v3", ["a\nb", "__x"]))
    assert zom.plan(zom.read(store), store).counts == {"keep": 7}


def test_names_that_are_no_text_stay_out_of_consolidated_metadata(tmp_path: Path) -> None:
    for form in FORMS:
        with LocalStore(tmp_path / form) as store:
            store.set_many(keys_of(form, ["a", NOT_TEXT]))
            zom.consolidate(store)
            told: list[zom.Problem] = []
            zom.read(store, on_warning=told.append)
            assert {f"/{NOT_TEXT}", f"/{NOT_TEXT}+"} <= {problem.node for problem in told}
            assert {path for path, _ in zom.read(store, consolidated="only").walk()} == paths_of(["a"])


def test_the_command_line_prints_them_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [*ODD, NOT_TEXT]
    with LocalStore(tmp_path / "x.zarr") as store:
        store.set_many(keys_of("v3", names))
    where = str(tmp_path / "x.zarr")
    for verb in (
        ["tree"],
        ["info"],
        ["validate", "--data", "all"],
        ["read"],
        ["validate"],
        ["validate", "--format", "json"],
    ):
        main([*verb, where])
        out, err = capsys.readouterr()
        assert f"{out}{err}".encode().decode().replace("\n", "").isprintable()
    main(["copy", where, str(tmp_path / "y.zarr")])
    assert np.array_equal(zom.open_array(tmp_path / "y.zarr", NOT_TEXT)[:], [1, 2])
