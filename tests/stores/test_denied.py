"""Denied is not absent: a directory that may not be entered, by whoever is not root."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import zom
from zom.errors import StoreError
from zom.stores.local import LocalStore

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY = 65534
GROUP = b'{"zarr_format": 3, "node_type": "group"}'


@pytest.fixture
def folder():
    """A directory that anybody may enter, as those of pytest are not."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o777)
    yield made
    subprocess.run(["chmod", "-R", "u+rwx", made], check=True)
    shutil.rmtree(made)


def as_nobody(act: Callable[[], Any]) -> Any:
    """What `act()` gives in a process without the rights of root: the message, where it raises StoreError."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            try:
                answer = act()
            except StoreError as error:
                answer = str(error)
            os.write(writer, pickle.dumps(answer))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answers:
        text = answers.read()
    os.waitpid(child, 0)
    return pickle.loads(text)


def made(place: Path) -> Path:
    """A store of the kind that the name says, which anybody may read."""
    store = zom.store(place)
    store.set("zarr.json", GROUP)
    store.set("g/zarr.json", GROUP)
    store.close()
    subprocess.run(["chmod", "-R", "a+rX", place], check=True)
    return place


NAMES = ["x.zarr", "x.zip", "x.sqlite"]
DENIED = "permission denied; check the permissions of it and of the directories above it"

VERBS: list[Callable[[Any], Any]] = [
    zom.open,
    zom.read,
    zom.validate,
    zom.repair,
    lambda place: zom.open(place, mode="r+"),
    lambda place: zom.store(place, read_only=True),
    lambda place: zom.store(place, read_only=False),
    lambda place: zom.copy(place, "memory:"),
    lambda place: zom.plan(zom.v3.GroupSpec(), place),
    lambda place: zom.create_group(place, zom.v3.GroupSpec()),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("exists", [True, False])
def test_a_store_below_a_directory_that_may_not_be_entered_is_denied(folder, name, exists):
    place = folder / "closed" / name
    place.parent.mkdir()
    if exists:
        made(place)
    place.parent.chmod(0)
    for verb in VERBS:
        assert as_nobody(lambda verb=verb: verb(place)) == f"{place}: cannot open: {DENIED}"
    assert as_nobody(lambda: zom.open(f"file://{place}")) == f"{place}: cannot open: {DENIED}" or (
        name == "x.zarr"
    )


@pytest.mark.parametrize("verb", ["tree", "read", "validate", "info", "repair"])
def test_the_command_says_that_a_place_is_denied(folder, verb):
    place = folder / "closed" / "x.zarr"
    place.parent.mkdir()
    made(place)
    place.parent.chmod(0)

    def run() -> str:
        from zom.cli.main import main

        with (folder / "told").open("w", encoding="utf-8") as told:
            os.dup2(told.fileno(), 2)
            sys.stderr = sys.stdout = told
            code = main([verb, str(place)])
        return f"{code} {(folder / 'told').read_text(encoding='utf-8')}"

    answer = as_nobody(run)
    assert answer.startswith("3 ")
    assert "permission denied" in answer


READS: list[Callable[[LocalStore, str], Any]] = [
    LocalStore.get,
    LocalStore.exists,
    LocalStore.get_version,
    LocalStore.open_snapshot,
    lambda store, key: store.get_into(key, memoryview(bytearray(4))),
    lambda store, key: store.get_many([key]),
]
LISTS: list[Callable[[LocalStore, str], Any]] = [
    lambda store, prefix: list(store.list(prefix)),
    lambda store, prefix: list(store.sizes(prefix)),
    LocalStore.list_dir,
]


@pytest.mark.parametrize("follows", [True, False])
@pytest.mark.parametrize(
    "key", ["g/zarr.json", "g/missing", "g/deep/er/missing", f"g/{'n' * 200}/" * 6 + "x"]
)
def test_a_key_below_a_directory_that_may_not_be_entered_is_denied(folder, key, follows):
    store = LocalStore(made(folder / "x.zarr"), read_only=True, follow_symlinks=follows)
    (folder / "x.zarr" / "g").chmod(0o444)
    for read in READS:
        assert as_nobody(lambda read=read: read(store, key)).endswith(DENIED)
    assert as_nobody(lambda: list(store.list("g/h/"))).endswith(DENIED)


def test_a_directory_that_may_not_be_read_is_not_empty(folder):
    store = LocalStore(made(folder / "x.zarr"), read_only=True)
    (folder / "x.zarr" / "g").chmod(0o111)
    for lists in LISTS:
        assert as_nobody(lambda lists=lists: lists(store, "g/")).endswith(DENIED)
    assert as_nobody(lambda: list(store.list())).endswith(DENIED)
    assert as_nobody(lambda: store.get("g/zarr.json")) == GROUP


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a directory that is another's")
@pytest.mark.parametrize("mode", [0o555, 0o111])
def test_a_directory_that_may_not_be_written_stays_as_it_is(folder, mode):
    made(folder / "x.zarr")
    (folder / "x.zarr" / "g").chmod(mode)
    for change in (
        lambda store: store.set("g/zarr.json", b""),
        lambda store: store.create("g/new", b""),
        lambda store: store.delete("g/zarr.json"),
    ):
        told = as_nobody(lambda change=change: change(LocalStore(folder / "x.zarr")))
        assert told.endswith(DENIED)
    assert (folder / "x.zarr" / "g" / "zarr.json").read_bytes() == GROUP


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file that is another's")
def test_a_sweep_goes_on_past_what_is_another_users_and_names_it(folder):
    place = made(folder / "x.zarr")
    subprocess.run(["chmod", "-R", "a+rwX", place], check=True)
    theirs = [".zom-tmp-1", "g/.zom-tmp-2"]
    ours = ["g/.zom-tmp-3", "h/.zom-tmp-4", "h/.zom-lock-5"]
    (place / "h").mkdir()
    (place / "h").chmod(0o777)
    for name in (*theirs, *ours):
        (place / name).write_bytes(b"left")
        (place / name).chmod(0o600 if name in theirs else 0o666)
    (place / "k").mkdir(mode=0o700)
    told = as_nobody(lambda: LocalStore(place).sweep())
    assert (
        told
        == f"{place}: cannot sweep '.zom-tmp-1': permission denied; 2 more failed; all others were deleted"
    )
    left = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert left == {"zarr.json", "g/zarr.json", *theirs}
    assert LocalStore(place).sweep() == 2


ERRORS = [
    errno.EACCES,
    errno.EPERM,
    errno.EIO,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.EMFILE,
    errno.ESTALE,
    errno.ENODEV,
]


class Failing:
    """The module os, whose opens and looks of one name fail."""

    def __init__(self, error: int) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in {"open", "stat", "lstat"}:
            return real

        def call(path: Any, *args: Any, **options: Any) -> Any:
            if isinstance(path, str) and "closed" in path:
                raise OSError(self._error, os.strerror(self._error))
            return real(path, *args, **options)

        return call


@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.__getitem__)
def test_only_what_is_not_there_is_missing(tmp_path, monkeypatch, error):
    from zom.stores import local
    from zom.stores.local import directories, files
    from zom.stores.system import direct

    with LocalStore(tmp_path) as store:
        store.set("closed/a", b"1")
        monkeypatch.setattr(direct._Known, "call", None)
        monkeypatch.setattr(direct._Known, "is_tried", True)
        for module in (local, files, directories):
            monkeypatch.setattr(module, "calls", Failing(error))
        for read in READS:
            for key in ("closed/a", "closed/missing"):
                with pytest.raises(StoreError, match="cannot read"):
                    read(store, key)
        for lists in LISTS:
            with pytest.raises(StoreError, match="cannot list"):
                lists(store, "closed/")
