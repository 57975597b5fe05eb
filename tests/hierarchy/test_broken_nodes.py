"""One bad node hides nothing else: every verb goes on and marks it, or refuses and names it."""

from __future__ import annotations

import contextlib
import json
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typing_extensions import override

import zom
from zom import draft, v2, v3
from zom.cli.main import main
from zom.errors import StoreError
from zom.hierarchy.stored.layout import DRAFT_2021, V2_LAYOUT, V3_LAYOUT, Layout
from zom.stores.memory import MemoryStore
from zom.stores.wrap import WrapperStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMS: dict[str, tuple[Layout, Any]] = {
    "v2": (V2_LAYOUT, v2),
    "v3": (V3_LAYOUT, v3),
    "draft": (DRAFT_2021, draft),
}
ENTRY = {
    "zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
    "metadata_key_suffix": ".json",
    "extensions": [],
}


def documents(form: str) -> dict[str, bytes]:
    """Two arrays in the root, and two groups with an array in each."""
    layout, face = FORMS[form]
    array = face.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))
    made: dict[str, Any] = {"zarr.json": ENTRY} if form == "draft" else {}
    for path in ("", "g", "h"):
        made.update(layout.documents(path, face.GroupSpec(attributes={"at": path})))
    for path in ("a", "bad", "g/x", "h/y"):
        made.update(layout.documents(path, array))
    return {key: json.dumps(document).encode() for key, document in made.items()}


def key_of(form: str, path: str) -> str:
    return FORMS[form][0].keys(path, "group" if path in {"g", ""} else "array")[0]


def changed(text: bytes, **changes: Any) -> bytes:
    return json.dumps({**json.loads(text), **changes}).encode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "no JSON": lambda text: text[:-1],
    "nothing": lambda _: b"",
    "not UTF-8": lambda _: b"\xff\xfe\x00",
    "a list": lambda _: b"[1]",
    "null": lambda _: b"null",
    "a wrong type": lambda text: (
        changed(text, attributes=5) if b"shape" not in text else changed(text, shape="x")
    ),
    "deep nesting": lambda _: b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "too long": lambda text: text + b" " * zom.Limits().document_bytes,
    "another format": lambda text: changed(text, zarr_format=99, node_type="zebra"),
}


class NoEntry(WrapperStore):
    """A store in which some keys and prefixes may not be read."""

    def __init__(self, inner: zom.Store, *keys: str) -> None:
        super().__init__(inner)
        self.keys = keys

    def _check(self, key: str) -> None:
        if key in self.keys:
            raise StoreError(self.url, key, "read", "permission denied")

    @override
    def _read(self, key: str, byte_range: Any) -> bytes | None:
        self._check(key)
        return super()._read(key, byte_range)

    @override
    def _read_many(self, requests: Any) -> list[bytes | None]:
        return [self._read(key, byte_range) for key, byte_range in requests]

    @override
    def _list_dir(self, prefix: str) -> Any:
        self._check(prefix)
        return super()._list_dir(prefix)


def sound(broken: str) -> set[str]:
    """The paths of the nodes that are not at fault."""
    return {"/", "/a", "/bad", "/g", "/g/x", "/h", "/h/y"} - {broken}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("place", ["bad", "g"])
def test_a_damaged_document_hides_no_other_node(form: str, damage: str, place: str) -> None:
    texts = documents(form)
    key = key_of(form, place)
    if form == "draft" and damage == "another format":
        damage = "no JSON"  # documents of the draft don't say their format
    texts[key] = DAMAGES[damage](texts[key])
    if form == "v2" and place == "g" and damage == "a wrong type":
        texts["g/.zattrs"], texts[key] = b"5", b'{"zarr_format": 2}'
    check_all(MemoryStore(texts), f"/{place}", sound(f"/{place}"))


def check_all(store: zom.Store, broken: str, wanted: set[str]) -> None:
    """Every verb reaches the `wanted` nodes, and says what is wrong with the `broken` one."""
    with pytest.raises((zom.SpecError, StoreError), match=broken[1:]):
        zom.read(store)
    told: list[zom.Problem] = []
    spec = zom.read(store, on_error="skip", on_warning=told.append)
    read = {path for path, _ in spec.walk()}
    assert wanted <= read
    assert broken in {problem.node for problem in told if problem.severity == "error"}
    group = zom.open_group(store)
    name = broken.strip("/")
    assert set(group) == {"a", "bad", "g", "h"}
    assert len(group) == 4
    member = dict(group.items())[name]
    assert isinstance(member, zom.BrokenNode)
    assert (member.path, member.name) == (broken, name)
    assert broken in repr(member)
    assert str(member.error)
    with pytest.raises((zom.SpecError, StoreError)):
        group[name]
    for path in wanted:
        assert zom.open(store, path).path == path
    tree = group.tree()
    assert "cannot be read: " in tree
    for path in wanted - {"/"}:
        assert f"─ {path.rpartition('/')[2]} " in tree
    for problems in (zom.validate(store, conventions=(), data="keys").problems, zom.validate(store)):
        assert broken in {problem.node for problem in problems if problem.severity == "error"}
    target = MemoryStore({})
    with pytest.warns(zom.SpecWarning, match=r"some nodes are not copied"):
        report = zom.copy(store, target)
    assert broken in {problem.node for problem in report.problems}
    assert f"not copied: {broken}: " in str(report)
    assert wanted <= {path for path, _ in zom.read(target, on_warning=lambda _: None).walk()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", zom.SpecWarning)
        added = [
            change.node for change in zom.diff(spec, target, on_error="skip") if change.kind == "removed"
        ]
    assert not wanted.intersection(added)
    form = group.layout.family.form
    refusing: list[Callable[[], Any]] = [
        lambda: zom.diff(store, target),
        lambda: zom.migrate(store, "v2" if form == "v3" else "v3", target=MemoryStore({})),
    ]
    texts = store.get_many(FORMS[form][0].tried(name)) if isinstance(store, MemoryStore) else [b"{}"]
    if form != "draft" and not all(text is None or _is_object(text) for text in texts):
        refusing.append(lambda: zom.consolidate(store))
    for verb in refusing:
        with pytest.raises((zom.SpecError, StoreError), match=broken[1:]):
            verb()


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", ["bad", "g"])
def test_a_document_that_may_not_be_read_hides_no_other_node(form: str, place: str) -> None:
    store = NoEntry(MemoryStore(documents(form)), key_of(form, place))
    check_all(store, f"/{place}", sound(f"/{place}"))
    told: list[zom.Problem] = []
    zom.read(store, on_error="skip", on_warning=told.append)
    assert [(each.code, each.fix) for each in told if each.severity == "error"] == [
        ("store/unreadable-node", "check the permissions of it and of the directories above it")
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_group_that_may_not_be_listed_hides_no_node_beside_it(form: str) -> None:
    store = NoEntry(MemoryStore(documents(form)), FORMS[form][0].directory("g"))
    told: list[zom.Problem] = []
    spec = zom.read(store, on_error="skip", on_warning=told.append)
    assert list(spec.members) == ["a", "bad", "g", "h"]
    assert spec["g"].members is None
    assert [(each.code, each.node) for each in told if each.severity == "error"] == [
        ("store/unlisted-group", "/g")
    ]
    for problems in (zom.validate(store, conventions=(), data="keys").problems, zom.validate(store)):
        assert ("store/unlisted-group", "/g") in {(each.code, each.node) for each in problems}
    assert "cannot be read: expected members that can be listed" in zom.open_group(store).tree()
    assert list(zom.open_group(store)) == ["a", "bad", "g", "h"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore:.*draft:zom.SpecWarning")
@pytest.mark.parametrize("on_error", [None, "skip"])
def test_a_group_that_may_not_be_listed_is_not_copied_and_the_others_are(form: str, on_error: Any) -> None:
    """It would be empty in the copy, where nobody would see that anything is missing."""
    store = NoEntry(MemoryStore(documents(form)), FORMS[form][0].directory("g"))
    target = MemoryStore({})
    with pytest.warns(
        zom.SpecWarning, match="some nodes are not copied: /g: expected members that can be listed"
    ):
        report = zom.copy(store, target, on_error=on_error)
    assert [(each.code, each.node) for each in report.problems] == [("store/unlisted-group", "/g")]
    assert {path for path, _ in zom.read(target).walk()} == {"/", "/a", "/bad", "/h", "/h/y"}
    root = NoEntry(MemoryStore(documents(form)), FORMS[form][0].directory(""))
    for source, path, how in [(store, "", "raise"), (store, "g", on_error), (root, "", on_error)]:
        empty = MemoryStore({})
        with pytest.raises(zom.ZomError, match="permission denied; "):  # and what to do
            zom.copy(source, empty, path=path, on_error=how)
        assert not list(empty.list())


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_a_damaged_root_hides_nothing_below(form: str) -> None:
    texts = documents(form)
    texts[key_of(form, "")] = b"{"
    store = MemoryStore(texts)
    spec = zom.read(store, on_error="skip", on_warning=lambda _: None)
    assert {path for path, _ in spec.walk()} == {"/", "/a", "/bad", "/g", "/g/x", "/h", "/h/y"}
    assert {problem.node for problem in zom.validate(store) if problem.severity == "error"} == {"/"}
    with pytest.raises(zom.SpecError):
        zom.copy(store, MemoryStore({}))


def test_a_store_that_can_be_neither_read_nor_listed_is_a_store_error() -> None:
    store = NoEntry(MemoryStore(documents("v3")), "zarr.json", "")
    with pytest.raises(StoreError, match="permission denied"):
        zom.read(store, on_error="skip")
    assert [problem.code for problem in zom.validate(store)] == ["store/unreadable-node"]


@pytest.mark.parametrize("document", [b"", b"{", b"null", "[]", {}, [], 5, None, {"zarr_format": 3, "x": [None]},
    {"zarr_consolidated_format": 7}, {"zarr_consolidated_format": 1, "metadata": {"a/.zarray": 5, "../.zgroup": {}}},
    {"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": {"a": 1, "": None}}},
])  # fmt: skip
def test_validate_gives_a_report_of_every_document(document: Any) -> None:
    assert zom.validate(document).problems is not None


@pytest.mark.parametrize("texts", [
    {"zarr.json": b'{"zarr_format": "https://purl.org/zarr/spec/core/3.0", "metadata_encoding": 5}'},
    {"zarr.json": b"\xff"},
    {".zgroup": b"[]"},
    {".zgroup": b'{"zarr_format": 2}', ".zmetadata": b"{"},
    {"zarr.json": b'{"zarr_format": 3, "node_type": "group", "consolidated_metadata": 5}'},
])  # fmt: skip
def test_validate_gives_a_report_of_every_store(texts: dict[str, bytes]) -> None:
    assert zom.validate(MemoryStore(texts)).problems


# --- directories -----------------------------------------------------------------------------------------


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    root = tmp_path / "a.zarr"
    for key, text in documents("v3").items():
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(text)
    return root


def test_a_directory_in_place_of_a_document_hides_no_other_node(directory: Path) -> None:
    (directory / "bad" / "zarr.json").unlink()
    (directory / "bad" / "zarr.json").mkdir()
    check_all(zom.store(directory), "/bad", sound("/bad"))


@contextlib.contextmanager
def as_nobody() -> Any:
    """As a user that may not read everything."""
    if os.geteuid() == 0:
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the users of POSIX")
@pytest.mark.parametrize("place", ["bad/zarr.json", "bad", "g"])
def test_a_file_or_directory_without_permission_hides_no_other_node(
    tmp_path: Path, directory: Path, place: str
) -> None:
    for each in (tmp_path, *tmp_path.parents[:3]):
        with contextlib.suppress(PermissionError):
            each.chmod(0o755)
    (directory / place).chmod(0)
    broken = f"/{place.partition('/')[0]}"
    try:
        with as_nobody():
            if not os.access(directory, os.R_OK):
                pytest.skip("the directory of temporary files is closed to other users")
            told: list[zom.Problem] = []
            spec = zom.read(directory, on_error="skip", on_warning=told.append)
            reports = [zom.validate(directory, conventions=(), data="keys").problems, zom.validate(directory)]
            tree = zom.open_group(directory).tree()
    finally:
        (directory / place).chmod(0o755)
    wanted = {"/", "/a", "/h", "/h/y"} | ({"/g", "/g/x"} if broken == "/bad" else {"/bad"})
    assert {path for path, _ in spec.walk()} == wanted
    for problems in (told, *reports):
        assert [(each.code, each.node) for each in problems if each.severity == "error"] == [
            ("store/unreadable-node", broken)
        ]
    assert (
        f"{broken[1:]}  cannot be read: " in tree.replace("  ", " ").replace(" ", "  ")
        or "cannot be read" in tree
    )


# --- the command -----------------------------------------------------------------------------------------


def test_the_command_goes_on_and_marks_the_node(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "bad" / "zarr.json").write_bytes(b"{")
    place = str(directory)
    assert main(["tree", place]) == 1
    shown = capsys.readouterr().out
    assert "bad  cannot be read: expected a name in double quotes" in shown
    assert "└── y" in shown
    assert main(["tree", "--format", "json", place]) == 1
    entries = {entry["path"]: entry for entry in json.loads(capsys.readouterr().out)["result"]}
    assert "double quotes" in entries["/bad"]["error"]
    assert set(entries) == {"/", "/a", "/bad", "/g", "/g/x", "/h", "/h/y"}
    assert main(["info", place]) == 0
    assert "broken bad" in " ".join(capsys.readouterr().out.split())
    assert main(["read", "--on-error", "skip", place]) == 1
    read = capsys.readouterr()
    assert list(json.loads(read.out)["members"]) == ["a", "g", "h"]
    assert "bad/zarr.json:1:2: error: " in read.err
    assert main(["copy", place, str(directory.with_name("copy.zarr"))]) == 1
    assert "not copied: /bad: " in capsys.readouterr().out
    for data in ("none", "keys"):
        assert main(["validate", place, "--data", data]) == 1
        told = capsys.readouterr()
        assert "/bad" in told.out
        assert "zom validate " not in told.out + told.err
    for verb in (
        ["read", place],
        ["convert", place, "--to", "v2"],
        ["consolidate", place],
        ["diff", place, place],
    ):
        assert main(verb) == 3
        told = capsys.readouterr()
        assert "/bad" in told.err
        assert f"zom {verb[0]} {place}" not in told.err


def test_nobody_is_told_to_run_the_command_that_was_run(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tree", f"{directory}::g/nothing"]) == 3
    assert "zom tree" not in capsys.readouterr().err.removeprefix("zom tree: ")
    assert main(["info", f"{directory}::g/nothing"]) == 3


# --- nothing vanishes ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::zom.SpecWarning")
@pytest.mark.parametrize("form", ["v2", "v3"])
def test_arrays_below_directories_without_documents_are_read_copied_and_told_of(form: str) -> None:
    layout, face = FORMS[form]
    array = face.ArraySpec.build(shape=(4,), dtype="int8", chunks=(2,))
    made = {
        **layout.documents("", face.GroupSpec()),
        **layout.documents("p/q/x", array),
        **layout.documents("a", array),
    }
    store = MemoryStore({key: json.dumps(each).encode() for key, each in made.items()})
    store.set("photos/2024/me.jpg", b"")
    zom.open_array(store, "p/q/x", mode="r+")[:] = 7
    told: list[zom.Problem] = []
    spec = zom.read(store, on_warning=told.append)
    assert {path for path, _ in spec.walk()} == {"/", "/a", "/p", "/p/q", "/p/q/x"}
    assert [(each.code, each.node) for each in told] == [
        ("store/missing-group", "/p"),
        ("store/missing-group", "/p/q"),
    ]
    group = zom.open_group(store)
    assert sorted(group) == ["a", "p"]
    assert list(zom.read(store, depth=1, on_warning=lambda _: None).members) == sorted(group)
    assert zom.read(store, depth=1, on_warning=lambda _: None)["p"].members is None
    assert list(zom.open_group(store, "p")) == ["q"]
    assert "─ x " in group.tree()
    for problems in (zom.validate(store, conventions=(), data="keys").problems, zom.validate(store)):
        found = {(each.code, each.node) for each in problems}
        assert {("store/missing-group", "/p"), ("store/missing-group", "/p/q")} <= found
    target = MemoryStore({})
    zom.copy(store, target)
    assert zom.open_array(target, "p/q/x")[:].tolist() == [7, 7, 7, 7]
    assert not [
        each for each in zom.validate(target, conventions=(), data="keys").problems if each.severity != "note"
    ]


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_a_root_without_a_document_is_a_group_where_there_are_nodes_below(form: str) -> None:
    texts = documents(form)
    for key in FORMS[form][0].tried(""):
        texts.pop(key, None)
    with pytest.warns(
        zom.SpecWarning, match=r"expected a document, which every group has, found none, above /a"
    ):
        spec = zom.read(MemoryStore(texts))
    assert {path for path, _ in spec.walk()} == {"/", "/a", "/bad", "/g", "/g/x", "/h", "/h/y"}


def test_a_read_that_skips_gives_the_same_spec_where_nothing_is_broken() -> None:
    for form in FORMS:
        store = MemoryStore(documents(form))
        quiet: Callable[[zom.Problem], None] = lambda _: None  # noqa: E731
        assert zom.read(store, on_error="skip", on_warning=quiet) == zom.read(store, on_warning=quiet)


def test_on_error_is_one_of_two() -> None:
    with pytest.raises(ValueError, match=r"on_error: expected 'raise' or 'skip', got 'ignore'"):
        zom.read(MemoryStore({}), on_error="ignore")  # type: ignore[arg-type]


def test_the_elements_of_other_arrays_are_copied(directory: Path) -> None:
    zom.open_array(directory, "a", mode="r+")[:] = [1, 2, 3, 4]
    (directory / "bad" / "zarr.json").write_bytes(b"{")
    target = MemoryStore({})
    with pytest.warns(zom.SpecWarning):
        zom.copy(directory, target)
    assert np.array_equal(zom.open_array(target, "a")[:], [1, 2, 3, 4])


@pytest.mark.parametrize("form", ["v2", "v3"])
def test_a_broken_root_is_copied_without_what_can_not_be_read(form: str) -> None:
    texts = documents(form)
    texts[key_of(form, "")] = b"{"
    target = MemoryStore({})
    with pytest.warns(zom.SpecWarning, match=r"some nodes are not copied: expected a name in double"):
        report = zom.copy(MemoryStore(texts), target, on_error="skip")
    assert {each.node for each in report.problems} == {"/"}
    for on_error in (None, "raise"):
        with pytest.raises(zom.SpecError):
            zom.copy(MemoryStore(texts), MemoryStore({}), on_error=on_error)
    found = zom.read(target)
    assert {path for path, _ in found.walk()} == sound("")
    assert not found.attributes


def test_a_copy_refuses_a_broken_node_where_that_is_asked_for() -> None:
    texts = {**documents("v3"), key_of("v3", "bad"): b"{"}
    target = MemoryStore({})
    with pytest.raises(zom.SpecError, match="/bad"):
        zom.copy(MemoryStore(texts), target, on_error="raise")
    with pytest.raises(ValueError, match="on_error: expected 'raise' or 'skip', got 'fail'"):
        zom.copy(MemoryStore(texts), target, on_error="fail")
    assert list(target.list()) == []


@pytest.mark.parametrize("place", ["bad", "g", ""])
def test_a_difference_is_told_without_what_can_not_be_read(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = documents("v3")
    for name in ("a", "b"):
        with zom.store(tmp_path / name) as store:
            store.set_many(texts)
        texts[key_of("v3", place)] = b"{"
    old, new = str(tmp_path / "a"), str(tmp_path / "b")
    assert main(["diff", old, new]) not in {0, 1}
    capsys.readouterr()
    assert main(["diff", old, new, "--on-error", "skip"]) == 1
    out, err = capsys.readouterr()
    assert f"left out: {'/' + place + ': ' if place else ''}expected a name in double quotes" in err
    assert ("- /bad" in out) == (place == "bad")
    assert main(["diff", new, new, "--on-error", "skip"]) == 1


@pytest.mark.parametrize("has_root", [True, False])
@pytest.mark.parametrize(("above", "below"), [("v3", "v2"), ("v2", "v3")])
def test_a_node_of_the_other_format_is_told_where_a_tree_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], above: str, below: str, has_root: bool
) -> None:
    arrays = {form: FORMS[form][1].ArraySpec.build(shape=(4,), dtype="int8") for form in (above, below)}
    if has_root:
        zom.create_group(tmp_path, form=above)
    zom.create_array(tmp_path / "a", arrays[above])
    zom.create_array(tmp_path / "b", arrays[below])
    told = f"expected a {above} node, like the group above it, found a {below} node, which was left out"
    assert main(["tree", str(tmp_path)]) == 1
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "cannot be read" in each]
    assert told in line
    assert main(["tree", str(tmp_path), "--format", "html"]) == 1
    assert told in capsys.readouterr().out
