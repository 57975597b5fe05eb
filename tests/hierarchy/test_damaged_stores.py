"""A directory in which one node is damaged, in every way that a disk knows: each verb goes on, and marks that node."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import zom
from zom import v2, v3

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS: dict[str, Any] = {"v2": v2, "v3": v3}
DOCUMENTS = {"v2": {"bad": ".zarray", "g": ".zgroup"}, "v3": {"bad": "zarr.json", "g": "zarr.json"}}
NODES = {"/", "/a", "/bad", "/g", "/g/in", "/h", "/h/in"}
NOBODY = 65534

pytestmark = pytest.mark.filterwarnings("ignore::zom.SpecWarning")


def made(root: Path, form: str) -> None:
    face = FORMS[form]
    array = face.ArraySpec.build(shape=(2,), dtype="int8", chunks=(2,))
    group = face.GroupSpec(members={"in": array})
    tree = face.GroupSpec(members={"a": array, "bad": array, "g": group, "h": group})
    store = zom.materialize(tree, root)
    for path in ("a", "bad", "g/in", "h/in"):
        store[path][:] = [1, 2]


def _replaced(act: Callable[[Path], object]) -> Callable[[Path], None]:
    def damage(document: Path) -> None:
        document.unlink()
        act(document)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda document: document.write_bytes(document.read_bytes()[:-3]),
    "empty": lambda document: document.write_bytes(b""),
    "binary": lambda document: document.write_bytes(bytes(range(256))),
    "zeros": lambda document: document.write_bytes(bytes(4096)),
    "UTF-16": lambda document: document.write_bytes(document.read_text().encode("utf-16")),
    "a text": lambda document: document.write_text("hello"),
    "a directory": _replaced(lambda document: document.mkdir()),
    "a link in a circle": _replaced(lambda document: document.symlink_to(document.name)),
    "a link to nowhere": _replaced(lambda document: document.symlink_to("nowhere")),
    "a pipe": _replaced(os.mkfifo),
    "denied": lambda document: document.chmod(0),
}
ODD = {"a byte order mark": lambda document: document.write_bytes(b"\xef\xbb\xbf" + document.read_bytes())}


def as_nobody(act: Callable[[], Any]) -> Any:
    """What `act` gives in a child process, which may do no more than any user."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.close(reader)
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with os.fdopen(writer, "wb") as stream:
                pickle.dump(act(), stream)
            status = 0
        except BaseException:  # noqa: BLE001 - told by the status
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        given = stream.read()
    assert os.waitpid(child, 0)[1] == 0
    return pickle.loads(given)


def seen(root: Path, copied: Path) -> dict[str, Any]:
    """What each verb makes of the store."""
    told: list[zom.Problem] = []
    spec = zom.read(root, on_error="skip", on_warning=told.append)
    group = zom.open_group(root)
    members = group.members()
    try:
        zom.read(root)
        whole = ""
    except zom.ZomError as error:
        whole = str(error)
    report = zom.copy(root, copied)
    return {
        "read": {path for path, _ in spec.walk()},
        "told": {problem.node for problem in told if problem.severity == "error"},
        "read whole": whole,
        "list": set(group),
        "items": {name for name, node in group.items() if not isinstance(node, zom.BrokenNode)},
        "broken": {name for name, node in members.items() if isinstance(node, zom.BrokenNode)},
        "tree": group.tree(),
        "info": str(group.info),
        "validate": {each.node for each in zom.validate(root) if each.severity == "error"},
        "check": {
            each.node
            for each in zom.validate(root, conventions=(), data="keys").problems
            if each.severity == "error"
        },
        "copy": {each.node for each in report.problems},
        "copied": {path for path, _ in zom.read(copied).walk()},
        "values": [zom.open_array(copied, path)[:].tolist() for path in ("a", "h/in")],
    }


@pytest.fixture
def folder() -> Any:
    # pytest's own directories may not be entered by another user.
    with tempfile.TemporaryDirectory() as made_here:
        Path(made_here).chmod(0o777)
        yield Path(made_here)


@pytest.mark.parametrize("name", ["bad", "g"])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("form", FORMS)
def test_one_damaged_node_is_marked_and_hides_no_other(
    folder: Path, form: str, damage: str, name: str
) -> None:
    root, copied = folder / "x.zarr", folder / "copy.zarr"
    made(root, form)
    DAMAGES[damage](root / name / DOCUMENTS[form][name])
    if damage == "denied" and os.getuid() == 0:
        found = as_nobody(lambda: seen(root, copied))
    else:
        found = seen(root, copied)
    node = f"/{name}"
    # A group stays above the nodes below it.
    left = NODES - {"/bad"} if name == "bad" else NODES
    assert found["read"] == found["copied"] == left
    for verb in ("told", "validate", "check", "copy"):
        assert found[verb] == {node}, verb
    assert found["list"] == {"a", "bad", "g", "h"}
    assert found["broken"] == {name}
    assert found["items"] == {"a", "bad", "g", "h"} - {name}
    assert f"{name}" in found["read whole"]
    (line,) = [line for line in found["tree"].splitlines() if "cannot be read" in line]
    assert f"─ {name} " in line
    assert len(found["tree"].splitlines()) == len(NODES)
    assert "group" in found["info"]
    assert found["values"] == [[1, 2], [1, 2]]


@pytest.mark.parametrize("name", ["bad", "g"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", ODD)
def test_what_is_only_odd_is_read(folder: Path, form: str, name: str, odd: str) -> None:
    root = folder / "x.zarr"
    made(root, form)
    ODD[odd](root / name / DOCUMENTS[form][name])
    found = seen(root, folder / "copy.zarr")
    assert found["read"] == found["copied"] == NODES
    assert found["told"] == found["broken"] == found["copy"] == set()
    assert found["check"] == found["validate"] == {f"/{name}"}
