"""A directory that has the name of a document hides nothing but that document, and is told of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import zom
from zom import v2, v3

if TYPE_CHECKING:
    from pathlib import Path

FORMS: dict[str, Any] = {"v2": v2, "v3": v3}
NAMES = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"]
pytestmark = pytest.mark.filterwarnings("ignore::zom.SpecWarning")
ALL = {"/", "/a", "/bad", "/g", "/g/in"}


def make(folder: Path, form: str, where: str, name: str, *, empty: bool) -> Path:
    """A hierarchy in which a directory `name` takes the place of what lies at `where`, if anything does."""
    face = FORMS[form]
    array = face.ArraySpec.build(shape=(2,), dtype="int8", chunks=(2,))
    group = face.GroupSpec(attributes={"x": 1}, members={"in": array})
    root = folder / f"{form}.zarr"
    zom.materialize(face.GroupSpec(members={"a": array, "bad": array, "g": group}), root)["a"][:] = 1
    place = root / where / name
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.mkdir()
    if not empty:
        (place / "file").write_bytes(b"x")
    return root


def broken(form: str, where: str, name: str) -> bool:
    """Whether the node has lost its own document, or what might be a node can't be told to be none."""
    if form == "v3":
        return name == "zarr.json"
    own = ".zarray" if where == "bad" else ".zgroup"
    return name == own or (where == "new" and name == ".zarray")


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("where", ["bad", "g", "new", "."])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", FORMS)
def test_a_directory_hides_no_node(tmp_path: Path, form: str, name: str, where: str, empty: bool) -> None:
    root = make(tmp_path, form, where, name, empty=empty)
    node = "/" if where == "." else f"/{where}"
    told: list[zom.Problem] = []
    spec = zom.read(root, on_error="skip", on_warning=told.append)
    # A group that has lost its document stays above the nodes below it.
    lost = {node} - {"/g", "/"} if broken(form, where, name) else set[str]()
    assert {path for path, _ in spec.walk()} == ALL - lost
    if broken(form, where, name):
        assert {(each.code, each.node) for each in told} == {("store/unreadable-node", node)}
        assert told[0].found == "a directory"
        with pytest.raises(
            zom.SpecError, match="found a directory; move the directory away, and write the doc"
        ):
            zom.read(root)
        with pytest.raises((zom.SpecError, zom.StoreError)):
            zom.open(root, node)
        with pytest.raises((zom.SpecError, zom.StoreError), match="a directory"):
            zom.consolidate(root)
    else:
        assert {each.severity for each in told} <= {"warning"}
        assert {path for path, _ in zom.read(root, on_warning=told.append).walk()} == ALL
        if where != "new":
            assert zom.open(root, node).path == node
    problems = zom.validate(root, conventions=(), data="keys").problems
    said = {each.node for each in problems if each.code != "chunk/missing"}
    # An empty directory that nobody asks for is nothing; one with files in it is told of as these are.
    if name in {".zarray", "zarr.json" if form == "v3" else ".zattrs"} and where != "new" and form == "v2":
        assert node in said
    assert said <= ({node, "/"} if where == "new" else {node})
    if where == "new":
        return
    if not broken(form, where, name):
        group = zom.open_group(root)
        assert set(group) == {"a", "bad", "g"}
        assert not any(isinstance(each, zom.BrokenNode) for each in group.values())


def test_a_document_that_is_none_is_read_as_absent_and_told_of(tmp_path: Path) -> None:
    root = make(tmp_path, "v2", "g", ".zattrs", empty=False)
    with pytest.warns(
        zom.SpecWarning, match="/g: expected a document, or nothing, found a directory; move the"
    ):
        assert zom.read(root)["g"].attributes == {}
    with pytest.warns(zom.SpecWarning, match="found a directory"):
        assert zom.open_group(root, "g").attrs == {}
